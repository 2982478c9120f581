package sonic

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/lint"
)

// Every row is for a model in the tables. It has names from the first port on, and an existing branch. No platform belongs to two models.
func TestModelsAreSound(t *testing.T) {
	owner := map[string]string{}
	for name, row := range models() {
		m := find(t, name)
		assert.Equal(t, name, m.Name, "the name, and no alias")
		assert.True(t, slices.Contains(grammar.Releases, row.since), name)
		require.NotEmpty(t, row.names, name)
		assert.Equal(t, m.Ports[0].First, row.names[0].port, name)
		assert.Zero(t, row.names[0].name, name)
		for i, r := range row.names {
			assert.Positive(t, r.step, name)
			if i > 0 {
				assert.Greater(t, r.port, row.names[i-1].port, name)
				assert.Greater(t, r.name, row.names[i-1].name, name)
			}
		}
		require.NotEmpty(t, Platforms(m), name)
		require.NotEmpty(t, HwSKUs(m), name)
		for _, p := range Platforms(m) {
			assert.Empty(t, owner[p], p)
			owner[p] = name
			assert.Same(t, m, FindPlatform(p))
			assert.Regexp(t, `^x86_64-[a-z0-9_]+(-r0)?$`, p)
		}
		for _, h := range HwSKUs(m) {
			_, ok := FindLookup("", h)
			assert.True(t, ok, "the table does not state the lookup file of %s", h)
		}
	}
	assert.Nil(t, FindPlatform("x86_64-kvm_x86_64-r0"))
	assert.Nil(t, FindPlatform(""))
	assert.Empty(t, Platforms(find(t, "as4610-54t")))
	assert.Empty(t, HwSKUs(&platform.Switch{Name: "own"}))
}

func checked(t *testing.T, model, version string) diag.List {
	return CheckModel(&ir.Device{DevicePlaces: &ir.DevicePlaces{}, Group: "leaf", Switch: &ir.Switch{
		Model: find(t, model), Version: version, ModelAt: diag.Range{Filename: "model"}, VersionAt: diag.Range{Filename: "version"},
	}})
}

func TestCheckModel(t *testing.T) {
	for _, c := range []struct{ model, version, at, say string }{
		{"as4610-54t", "202505", "model", "no folder for that model"},
		{"sn5600d", "202505", "model", "no folder for that model"},
		{"s6010", "", "model", "7060cx-32s, 7060cx2-32s"},
		{"sn5640", "202411", "version", "The first branch with a folder for that model is 202505."},
		{"z9864f", "SONiC.202511.1-ab", "version", "run SONiC 202511"},
	} {
		ds := checked(t, c.model, c.version)
		require.Len(t, ds, 1, c)
		assert.Equal(t, "sonic-model", ds[0].Code)
		assert.Equal(t, diag.Error, ds[0].Severity)
		assert.Equal(t, c.at, ds[0].At.Filename, c)
		assert.Contains(t, ds[0].Detail, c.say)
		require.NotNil(t, ds[0].Fix)
	}
	for model, version := range map[string]string{
		"sn2700": "202205", "sn5640": "202505", "s6000": "202605", "sn5400": "", "7260cx3-64": "junk",
	} {
		assert.Empty(t, checked(t, model, version), model)
	}
	own := *find(t, "as4610-54t")
	assert.Empty(t, CheckModel(&ir.Device{DevicePlaces: &ir.DevicePlaces{}, Switch: &ir.Switch{Model: &own, Version: "202505"}}),
		"a model that the fabric declares")
}

func TestMismatch(t *testing.T) {
	for _, c := range []struct{ model, platform, hwsku, say string }{
		{"sn2700", "x86_64-mlnx_msn2700-r0", "Mellanox-SN2700-D48C8", ""},
		{"sn2700", "x86_64-mlnx_msn2700a1-r0", "ACS-MSN2700", ""},
		{"sn2700", "x86_64-mlnx_msn2700-r0", "Ours-SN2700", ""},
		{"sn2700", "x86_64-mlnx_msn3700-r0", "ACS-MSN3700", "that is Mellanox SN3700, and the fabric has Mellanox SN2700."},
		{"sn2700", "x86_64-mlnx_msn2700-r0", "ACS-MSN3700", "That is a hwsku of Mellanox SN3700"},
		{"sn2700", "x86_64-kvm_x86_64-r0", "Force10-S6000", "SN2700 is x86_64-mlnx_msn2700-r0 or x86_64-mlnx_msn2700a1-r0"},
		{"sn2700", "", "", `the platform ""`},
		{"sn2700", "\x1b[31m", strings.Repeat("x", 1000), `\x1b`},
	} {
		said := Mismatch(find(t, c.model), c.platform, c.hwsku)
		assert.Equal(t, c.say == "", said == "", c)
		assert.Contains(t, said, c.say)
		assert.NotContains(t, said, "\x1b")
		assert.Less(t, len(said), 400)
	}
	for name := range models() {
		m := find(t, name)
		for _, p := range Platforms(m) {
			for _, h := range HwSKUs(m) {
				assert.Empty(t, Mismatch(m, p, h))
			}
		}
	}
	own := *find(t, "sn2700")
	assert.Empty(t, Mismatch(&own, "x86_64-mlnx_msn3700-r0", "ACS-MSN3700"), "a model that the fabric declares")
}

// A draft gets a release that runs on the model.
func TestUsual(t *testing.T) {
	for model, want := range map[string]string{"sn2700": "202511", "z9864f": "202605", "as4610-54t": "202511"} {
		assert.Equal(t, want, usual(find(t, model)), model)
	}
	for name := range models() {
		assert.Empty(t, checked(t, name, usual(find(t, name))), name)
	}
}

// page returns the page of a code.
func page(t *testing.T, topic diag.Topic) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/checks", topic.Code+".md"))
	require.NoError(t, err)
	return string(text)
}

// `rocec explain sonic-model` lists every model that was added after the first branch, with its branch.
func TestModelsAreExplained(t *testing.T) {
	want := map[string]grammar.Release{}
	for name, row := range models() {
		if row.since > grammar.Releases[0] {
			want[name] = row.since
		}
	}
	got := map[string]grammar.Release{}
	for _, m := range regexp.MustCompile(`(?m)^(\S.*\S) +from (\d{6})$`).FindAllStringSubmatch(page(t, topicModel), -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			b, ok := parseBranch(m[2])
			require.True(t, ok)
			got[find(t, name).Name] = b
		}
	}
	assert.Equal(t, want, got)
	for _, b := range grammar.Releases {
		assert.Contains(t, page(t, topicRelease), b.String())
	}
}

func TestLookups(t *testing.T) {
	seen := map[string]bool{}
	for i, l := range lookups {
		for hwsku := range strings.FieldsSeq(l.hwskus) {
			assert.False(t, seen[hwsku], "%s is claimed twice", hwsku)
			seen[hwsku] = true
		}
		assert.False(t, l.noFile && len(l.rows) > 0, l.hwskus)
		speeds := map[int]bool{}
		for _, r := range l.rows {
			assert.IsIncreasing(t, append([]int{0}, r.metres...), l.hwskus)
			for _, s := range r.speeds {
				assert.Contains(t, platform.Speeds, s, l.hwskus)
				assert.False(t, speeds[s], "%s: %d twice", l.hwskus, s)
				speeds[s] = true
			}
		}
		for j, other := range lookups[:i] {
			assert.False(t, l.noFile == other.noFile && fmt.Sprint(l.rows) == fmt.Sprint(other.rows), "rows %d and %d are one", i, j)
		}
	}
	for _, c := range []struct {
		platform, hwsku string
		speed           int
		want            []int
	}{
		{"", "ACS-MSN2700", 100_000, []int{5, 40, 300}},
		{"x86_64-mlnx_msn2700-r0", "Mellanox-SN2700-D48C8", 50_000, []int{5, 40, 300, 2000}},
		{"", "ACS-MSN2700", 200_000, nil},
		{"", "ACS-SN2201", 1000, []int{5, 40, 300}},
		{"", "Mellanox-SN4700-C128", 200_000, []int{5, 40, 300}},
		{"", "Mellanox-SN4700-C128", 400_000, []int{5, 40, 300, 2000}},
		{"", "Arista-7050CX3-32S-C32", 25_000, nil}, // its file has only 50G and 100G
		{"", "Arista-7060X6-64PE", 400_000, nil},    // its file is empty
		{"x86_64-arista_7060x6_64pe", "Arista-7060X6-64PE-O128", 400_000, []int{5, 40, 150}},
		{"x86_64-arista_7060x6_64pe_b", "Arista-7060X6-64PE-O128", 400_000, []int{5, 30, 40, 60, 150, 500}},
		{"", "Accton-AS7726-32X", 100_000, nil},
	} {
		l, ok := FindLookup(c.platform, c.hwsku)
		require.True(t, ok, c)
		assert.Equal(t, c.want, l.Lengths(c.speed), c)
	}
	has := func(hwsku string) bool {
		l, ok := FindLookup("", hwsku)
		require.True(t, ok, hwsku)
		return !l.of.noFile
	}
	assert.True(t, has("Arista-7060X6-64PE") && has("ACS-MSN2700"))
	assert.False(t, has("Accton-AS7726-32X"), "Edgecore's hwskus have no lookup file: no port becomes lossless in the traditional model")
	_, ok := FindLookup("", "Mellanox-SN9999")
	assert.False(t, ok)
	_, ok = FindLookup("", "")
	assert.False(t, ok)
}

func TestCheckLookup(t *testing.T) {
	check := func(model string, speed int, metres ...float64) diag.List {
		d := &ir.Device{
			Group: "leaf", DevicePlaces: &ir.DevicePlaces{Decl: diag.Range{Filename: "decl"}},
			Switch: &ir.Switch{Model: find(t, model)}, Fabric: &ir.Fabric{},
		}
		for _, m := range metres {
			p := ir.NewPort(d, ir.PortSpec{Speed: speed, Buffers: []*ir.Buffer{{}}})
			ir.NewLink(p, nil, ir.Link{LinkFacts: &ir.LinkFacts{FlowControl: ir.PFC, Length: ir.Length{Metres: m}}})
			d.Ports = append(d.Ports, p)
		}
		return CheckLookup(d)
	}
	for _, c := range []struct {
		model  string
		speed  int
		metres float64
		say    string
	}{
		{"s5232f", 100_000, 300, ""},
		{"s5232f", 100_000, 301, "no row for 100G and 301 m; the longest is 300 m"},
		{"as7726-32x", 100_000, 3, "the lookup files of its hwskus (Accton-AS7726-32X), as SONiC ships them, have no row for 100G"},
		{"7050cx3-32s", 25_000, 3, "no row for 25G"},
		{"7050cx3-32s", 10_000, 3, ""}, // one hwsku has the row
		{"z9332f", 400_000, 2000, ""},
		{"sn2700", 100_000, 5000, ""}, // computes it
		{"as4610-54t", 10_000, 3, ""}, // is refused
	} {
		ds := check(c.model, c.speed, c.metres, c.metres)
		if c.say == "" {
			assert.Empty(t, ds, c)
			continue
		}
		require.Len(t, ds, 1, "said once: %v", c)
		assert.Equal(t, "sonic-lookup", ds[0].Code)
		assert.Equal(t, diag.Warning, ds[0].Severity)
		assert.Contains(t, ds[0].Detail, c.say)
	}
	own := *find(t, "as7726-32x")
	cabled := func(m *platform.Switch, buffers []*ir.Buffer) *ir.Device {
		d := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Switch: &ir.Switch{Model: m}}
		p := ir.NewPort(d, ir.PortSpec{Speed: 100_000, Buffers: buffers})
		ir.NewLink(p, nil, ir.Link{})
		d.Ports = []*ir.Port{p}
		return d
	}
	assert.Empty(t, CheckLookup(cabled(&own, []*ir.Buffer{{}})))
	d := cabled(find(t, "as7726-32x"), nil)
	assert.Empty(t, CheckLookup(d), "no port of the switch is lossless")
}

// The facts from a hwsku's table that rocec uses for sizes are on file.
func TestLookupsArePublished(t *testing.T) {
	compared := map[string]bool{}
	for _, m := range platform.Switches {
		tables, _ := m.Published()
		for _, p := range tables {
			l, ok := FindLookup("", p.Of)
			if !ok {
				continue
			}
			for _, r := range p.Rows {
				for _, at := range r.At {
					assert.Contains(t, l.Lengths(r.Speed), at.Metres, "%s %s", p.Of, platform.SpeedText(r.Speed))
				}
			}
			compared[p.Of] = true
		}
	}
	assert.GreaterOrEqual(t, len(compared), 10)
}

// TestDynamicByPlatform: a config_db.json shows that its switch has no dynamic buffer model only on chips that lack it.
func TestDynamicByPlatform(t *testing.T) {
	told := 0
	for name := range models() {
		m := find(t, name)
		for _, at := range Platforms(m) {
			for _, hwsku := range HwSKUs(m) {
				text := fmt.Sprintf(`{"DEVICE_METADATA": {"localhost": {"platform": %q, "hwsku": %q, "buffer_model": "dynamic"}}}`, at, hwsku)
				ds := lint.Judge("config_db.json", []byte(text), 0, 0).Diagnostics
				if m.ASIC.Vendor == platform.Mellanox {
					assert.Empty(t, ds, "%s %s", at, hwsku)
				}
				told += len(ds)
			}
		}
	}
	assert.Positive(t, told)
}
