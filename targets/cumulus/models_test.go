package cumulus

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/hardware"
)

func codes(ds diag.List, code string) (found diag.List) {
	for _, d := range ds {
		if d.Code == code {
			found = append(found, d)
		}
	}
	return found
}

// TestModels: each row of the table names a model that exists. Only releases that the row excludes are errors.
func TestModels(t *testing.T) {
	for name, hw := range hardware.Models {
		m, ok := platform.FindSwitch(name)
		require.True(t, ok, name)
		require.NotEmpty(t, hw.Source, name)
		require.NotEqual(t, m.ASIC.Name, "", name)
	}
	for _, tt := range []struct {
		model, version, says string // empty: nothing
	}{
		{"s6000", "3.7.16", ""},
		{"s6000", "4.0.0", "Releases from 4.0 on do not run on it"},
		{"s6000", "4.3.0", "Releases from 4.0 on do not run on it"},
		{"wedge100", "4.1", "from 4.0 on"},
		{"s5232f", "3.7.1", "The first release for it is 3.7.2"},
		{"s5232f", "3.7.2", ""},
		{"z9264f", "3.7.2", "3.7.3"},
		{"sn3700", "3.7.16", "The first release for it is 4.0"},
		{"sn3700", "4.0.0", ""},
		{"sn4700", "4.2.0", "4.2.1"},
		{"sn4700", "4.2.1", ""},
		{"sn2100", "4.0.1", "Release 4.0 does not run on it"},
		{"sn2100", "4.1.0", ""},
		{"sn2100", "3.7.16", ""},
		{"sn2700", "4.0.0", ""},
		{"sn2201", "5.1.0", "The first release for it is 5.2"},
		{"sn2201", "5.2.1", ""},
		{"sn3750sx", "5.3.0", ""},
		{"sn5600", "5.3.0", "The first release for it is 5.4"},
		{"sn5600", "5.4.0", ""},
		{"sn5600", "5.5.1", "Release 5.5 does not run on it; a later one does."},
		{"sn5600", "5.6.0", ""},
		{"sn5400", "5.9.1", "5.10"},
		{"sn5400", "5.10.0", ""},
		{"sn5600d", "5.12.0", "5.12.1"},
		{"sn5610", "5.13.0", "5.13.1"},
		{"sn5640", "5.13.1", "5.14"},
		{"sn5640", "5.15.0", ""},
		{"sn6600", "5.17.1", "5.18"},
	} {
		ds := codes(check(canonicalSample(t, tt.model, tt.version, 1).sw), "cumulus-model")
		if tt.says == "" {
			assert.Empty(t, ds, "%s %s", tt.model, tt.version)
			continue
		}
		d := want(t, ds, "cumulus-model", diag.Error, 4, tt.says, tt.version)
		require.NotNil(t, d.Fix)
		require.Len(t, d.Notes, 1)
	}
	fast := func(version string) diag.List {
		s := canonicalSample(t, "sn3700", version, 1)
		s.sw.Ports[0].SetSpeed(200_000)
		return codes(check(s.sw), "cumulus-model")
	}
	want(t, fast("4.2.0"), "cumulus-model", diag.Error, 4, "Before 4.2.1 its ports run at 100G at most")
	assert.Empty(t, fast("4.2.1"))
}

// TestUsual: the release in a draft runs on the model.
func TestUsual(t *testing.T) {
	for model, want := range map[string]string{
		"sn2700": "4.3.0", "s6000": "3.7.16", "as7726-32x": "4.3.0", "sn2201": "5.9.1", "sn5600": "5.9.1", "sn5400": "5.10.0", "sn6600": "5.18.0",
	} {
		m, _ := platform.FindSwitch(model)
		assert.Equal(t, want, usual(m), model)
	}
	for _, m := range platform.Switches {
		sw := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Switch: &ir.Switch{Model: m, Version: usual(m)}, Fabric: &ir.Fabric{}}
		if never(m) {
			want(t, codes(CheckModel(sw), "cumulus-model"), "cumulus-model", diag.Error, 0, "but no hardware list has such a model")
			continue
		}
		assert.Empty(t, codes(CheckModel(sw), "cumulus-model").Count(diag.Error), m.Name)
	}
}

// TestFaults: each fault is reported for exactly its releases, chips and settings.
func TestFaults(t *testing.T) {
	first := func(f *fault) grammar.Release { return f.in[0][0] }
	said := func(model, version string, intent int, change func(*sample)) map[string]bool {
		s := canonicalSample(t, model, version, intent)
		if change != nil {
			change(s)
		}
		out := map[string]bool{}
		for _, d := range codes(check(s.sw), "cumulus-known-fault") {
			require.NotNil(t, d.Fix)
			for i := range faults {
				if strings.Contains(d.Detail, faults[i].id) {
					out[faults[i].id] = true
					assert.Equal(t, faults[i].notice, d.Severity == diag.Notice)
				}
			}
		}
		return out
	}
	for i := range faults {
		for _, span := range faults[i].in {
			require.LessOrEqual(t, span[0].Compare(span[1]), 0, faults[i].id)
		}
		require.NotZero(t, first(&faults[i]), faults[i].id)
	}
	set := func(ids ...string) map[string]bool {
		m := map[string]bool{}
		for _, id := range ids {
			m[id] = true
		}
		return m
	}
	six := func(s *sample) { s.fabric.CosGroups[0].Cos = 6 }
	rename := func(s *sample, speed int) {
		s.sw.Ports[0].Name = "swp1s0"
		s.sw.Ports[0].SetSpeed(speed)
	}
	for name, tt := range map[string]struct {
		model, version string
		intent         int
		change         func(*sample)
		want           map[string]bool
	}{
		"Trident3 before":     {"as7726-32x", "3.7.10", 2, nil, set()},
		"Trident3 3.7.11":     {"as7726-32x", "3.7.11", 2, nil, set("CM-28061")},
		"Trident3 3.7.12":     {"as7726-32x", "3.7.12", 1, nil, set("CM-28061")},
		"Trident3 later":      {"as7726-32x", "3.7.13", 2, nil, set()},
		"Trident3 4.0":        {"as7726-32x", "4.0.0", 2, nil, set("CM-28061", "CM-28150")},
		"Trident3 4.0, v1":    {"as7726-32x", "4.0.0", 1, nil, set("CM-28061")},
		"Trident3 4.1":        {"as7726-32x", "4.1.0", 2, nil, set()},
		"link pause":          {"as7726-32x", "3.7.12", 1, func(s *sample) { s.fabric.FlowControl = ir.Pause }, set()},
		"Tomahawk":            {"as7712-32x", "3.7.12", 2, nil, set()},
		"Spectrum 4.0":        {"sn2700", "4.0.0", 1, nil, set("CM-28156")},
		"cos 6":               {"sn2700", "3.7.12", 1, six, set("CM-19724")},
		"cos 6, earlier":      {"sn2700", "3.5.1", 1, six, set()},
		"SN3700C":             {"sn3700c", "4.0.0", 1, nil, set("CM-28156")},
		"SN3700C in halves":   {"sn3700c", "4.0.0", 1, func(s *sample) { rename(s, 50_000) }, set("CM-28156", "CM-27801")},
		"SN3700C in quarters": {"sn3700c", "4.0.0", 1, func(s *sample) { rename(s, 25_000) }, set("CM-28156")},
	} {
		assert.Equal(t, tt.want, said(tt.model, tt.version, tt.intent, tt.change), name)
	}
}

// TestRuns: Runs accepts a release if rocec writes for it and it runs on the model.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		model, version string
		want           bool
	}{
		{"", "5.9.1", true},
		{"", "4.3.0", true},
		{"", "5.9", true},
		{"", "1.0", false},
		{"", "4.9", false},
		{"", "6.1", false},
		{"", "latest", false},
		{"sn2700", "4.4.5", true},
		{"sn5600", "4.3.0", false},
		{"sn5600", "5.5.0", false},
		{"sn5600", "5.9.1", true},
		{"sn4700", "4.2.0", false},
	} {
		var m *platform.Switch
		if c.model != "" {
			m, _ = platform.FindSwitch(c.model)
		}
		if got := OS.Runs(m, c.version); got != c.want {
			t.Errorf("%s %s: %v", c.model, c.version, got)
		}
	}
}
