package fromfiles_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/fromfiles"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// fabric judges an example.
func fabric(t *testing.T, example string) *report.Report {
	t.Helper()
	j := judge.Judge(t.Context(), os.DirFS("../../../examples"), example, judge.Options{})
	require.NotNil(t, j.Fabric, example)
	return &report.Report{Judged: j, Dir: example}
}

// held is the content of each file of a device, in the order of the files.
type held [][]byte

// written returns the content that rocec writes on a device in factory state.
func written(t *testing.T, d *target.Device) held {
	t.Helper()
	out := make(held, len(d.Files))
	for i := range d.Files {
		var old []byte
		if d.Files[i].Sketch != nil {
			old = []byte(d.Target.Image(d.Source).Files[d.Files[i].Path])
		}
		content, ds := d.Files[i].Edit(old)
		require.False(t, ds.HasErrors(), d.Name)
		out[i] = content
	}
	return out
}

// keep writes the files of a device below a folder as rocec build does. It writes live states in the forms in which people save them.
func keep(t *testing.T, dir string, d *target.Device, has held) {
	t.Helper()
	for i := range d.Files {
		f := &d.Files[i]
		name, content := f.Path, has[i]
		if f.Live != nil {
			if len(f.Forms) == 0 {
				continue
			}
			name, content = f.Forms[0].Path, f.Forms[0].Of(content)
		}
		file := filepath.Join(dir, d.Name, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, content, 0o644))
	}
}

// live returns the verdict of verify on a device that was read and that rocec has never written.
func live(d *target.Device, has held) *rollout.Health {
	have := &deploy.Have{Device: d}
	for i := range d.Files {
		have.Files = append(have.Files, deploy.Content{Data: has[i]})
	}
	plan := deploy.Diff(&target.Tree{Devices: []*target.Device{d}}, &deploy.Observed{Devices: []*deploy.Have{have}})
	return &rollout.Health{Drift: plan.Devices[0]}
}

// filed returns the verdict on a device from its files, and the diagnostics.
func filed(t *testing.T, f *report.Report, d *target.Device, has held) (*rollout.Health, diag.List) {
	t.Helper()
	dir := t.TempDir()
	keep(t, dir, d, has)
	s, err := fromfiles.Read([]string{dir})
	require.NoError(t, err)
	found, judged, err := s.Verify(t.Context(), f, &target.Tree{Devices: []*target.Device{d}}, ir.NewBudget(validate.DefaultBudget))
	require.NoError(t, err)
	if len(found.Devices) == 0 {
		require.Len(t, s.Reports.Missing, 1, "a device without a verdict is unknown")
		return nil, judged.Diags
	}
	return found.Devices[0], judged.Diags
}

// The verdicts, from the best to the worst.
const (
	good = iota
	other
	drift
	refused
)

func verdict(h *rollout.Health) int {
	switch {
	case h == nil || h.Drift.Err != nil:
		return refused
	case h.Sound():
		return good
	case h.Other():
		return other
	}
	return drift
}

// For each example and device, the output of rocec is as the fabric wants it, both judged from files and by a live verify.
func TestWrittenIsWanted(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("../../../examples")
	require.NoError(t, err)
	devices, classified := map[string]int{}, 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		j := judge.Judge(t.Context(), os.DirFS("../../../examples"), e.Name(), judge.Options{})
		if j.Fabric == nil || j.Diags.HasErrors() {
			continue
		}
		f, dir := &report.Report{Judged: j, Dir: e.Name()}, t.TempDir()
		tree := f.Tree()
		for _, d := range tree.Devices {
			has := written(t, d)
			keep(t, dir, d, has)
			assert.Equal(t, good, verdict(live(d, has)), "%s %s, live", e.Name(), d.Name)
			devices[d.Target.Name]++
		}
		s, err := fromfiles.Read([]string{dir})
		require.NoError(t, err, e.Name())
		found, judged, err := s.Verify(t.Context(), f, tree, ir.NewBudget(validate.DefaultBudget))
		require.NoError(t, err)
		assert.Empty(t, s.Reports.Missing, e.Name())
		for _, h := range found.Devices {
			assert.Equal(t, good, verdict(h), "%s %s: %s", e.Name(), h.Drift.Device.Name, h.Drift.Unsound())
		}
		for _, d := range judged.Diags {
			assert.Equal(t, diag.Notice, d.Severity, "%s: %s", e.Name(), d.Detail)
		}
		if is := s.Claims.Of(proof.Classified); len(is.Scope) > 0 && len(is.Scope) == len(is.Agree) {
			classified++
			assert.Equal(t, claims.Checked, is.State, e.Name())
		} else if len(is.Scope) > 0 {
			assert.NotEmpty(t, slices.DeleteFunc(is.Scope, func(d *ir.Device) bool { return d.ByHand == nil }), "%s: %s", e.Name(), is.Text())
		}
		assert.Empty(t, s.Claims.Of(proof.Classified).False, e.Name())
		assert.Empty(t, s.Claims.Of(proof.PausesWork).False, e.Name())
		assert.Empty(t, s.Claims.Of(proof.GuaranteedBuffer).False, e.Name())
	}
	for _, name := range []string{"cumulus", "nvue", "sonic", "mlx5"} {
		assert.Positive(t, devices[name], name)
	}
	assert.Greater(t, classified, 5)
}

// number matches a number in a line of a configuration.
var number = regexp.MustCompile(`\d+`)

// After the edit of one line, the verdict from files is never better than the verdict of verify on the device. The only exception is an
// edit that changes no value.
func TestEditedAsLive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		example, device string
		step            int // of lines
	}{
		{"rack-v1-pfc", "tor1", 1},
		{"clos-v2-ecn", "leaf01", 7},
		{"mixed-releases", "leaf1", 11},
		{"mixed-releases", "spine1", 23},
		{"rack-by-files", "tor1", 5},
		{"gpu-pod", "leaf1", 37},
		{"sonic-leaf-spine", "leaf1", 29},
	} {
		t.Run(c.example+" "+c.device, func(t *testing.T) {
			f := fabric(t, c.example)
			tree := f.Tree()
			d := tree.Devices[slices.IndexFunc(tree.Devices, func(d *target.Device) bool { return d.Name == c.device })]
			has, same, worst := written(t, d), 0, 0
			for k := range d.Files {
				lines := strings.SplitAfter(string(has[k]), "\n")
				for i := 0; i < len(lines); i += c.step {
					if strings.HasPrefix(lines[i], "#") {
						continue
					}
					for how, line := range edits(lines[i]) {
						now := slices.Clone(has)
						now[k] = []byte(strings.Join(slices.Concat(lines[:i], []string{line}, lines[i+1:]), ""))
						is := live(d, now)
						got, _ := filed(t, f, d, now)
						a, b := verdict(is), verdict(got)
						if a == b {
							same++
						}
						worst = max(worst, b)
						switch {
						case a == other && b == good: // the bytes differ, but no value
						case a == refused: // live, rocec could not edit the file
							assert.NotEqual(t, good, b, "%s: %q", how, lines[i])
						default:
							assert.GreaterOrEqual(t, b, a, "%s: %q: %s", how, lines[i], is.Drift.Unsound())
						}
					}
				}
			}
			assert.Greater(t, same, 5)
			assert.GreaterOrEqual(t, worst, drift)
		})
	}
}

// edits returns texts without one line, and texts in which the first or last number of a line differs.
func edits(line string) map[string]string {
	out := map[string]string{"without": ""}
	if at := number.FindAllStringIndex(line, -1); at != nil {
		for how, n := range map[string][]int{"first": at[0], "last": at[len(at)-1]} {
			v, _ := strconv.Atoi(line[n[0]:n[1]])
			out[how] = line[:n[0]] + strconv.Itoa(v+1) + line[n[1]:]
		}
	}
	return out
}

// One edited value is reported at its place, with both values and the verdict of a live verify.
func TestEditedValue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		example, device, old, now string
		verdict                   int
		line, says                string // at its place
	}{
		"cumulus, headroom": {
			"clos-v2-ecn", "leaf01", "port_buffer_bytes = 97152", "port_buffer_bytes = 60000", drift,
			"pfc.roce_pfc_2.port_buffer_bytes = 60000",
			"headroom of priority group 4 at swp31 and swp32 is 41952 bytes, and the fabric wants 79104 bytes",
		},
		"cumulus, headroom within the tolerance": {
			"clos-v2-ecn", "leaf01", "port_buffer_bytes = 97152", "port_buffer_bytes = 96000", other,
			"pfc.roce_pfc_2.port_buffer_bytes = 96000", "The device is sound.",
		},
		"cumulus, a value in no class": {
			"clos-v2-ecn", "leaf01", "dscp = [56,57,", "dscp = [57,", drift, "", "do not show all that rocec writes",
		},
		"cumulus by files, trust": {
			"rack-by-files", "tor1", "packet_priority_source_set = [dscp]", "packet_priority_source_set = [802.1p]", drift,
			"traffic.packet_priority_source_set = [802.1p]", "trust",
		},
		"nvue, PFC": {
			"gpu-pod", "leaf1", "tx: enable", "tx: disable", drift, "'3': {}", "the port sends no pauses for it",
		},
		"nvue, marking": {
			"gpu-pod", "leaf1", "probability: 100", "probability: 90", other, "ecn: enable", "is 90 percent, and the fabric wants 100 percent",
		},
		"sonic, PFC": {
			"sonic-leaf-spine", "leaf1", `pfc_enable "3"`, `pfc_enable ""`, drift, `"pfc_enable": ""`, "neither sends nor obeys",
		},
		"host, PFC": {
			"clos-v2-ecn", "gpu001", "pfc=0,0,0,0,1,0,0,0", "pfc=0,0,0,1,0,0,0,0", drift, "pfc=0,0,0,1,0,0,0,0", "neither sends nor obeys",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fabric(t, c.example)
			tree := f.Tree()
			d := tree.Devices[slices.IndexFunc(tree.Devices, func(d *target.Device) bool { return d.Name == c.device })]
			now, edited := written(t, d), false
			for i := range now {
				after := []byte(strings.ReplaceAll(string(now[i]), c.old, c.now))
				edited = edited || string(after) != string(now[i])
				now[i] = after
			}
			require.True(t, edited)
			h, ds := filed(t, f, d, now)
			assert.Equal(t, c.verdict, verdict(h), h.Drift.Unsound())
			assert.Equal(t, c.verdict, verdict(live(d, now)), "live")
			var texts []string
			at := false
			for _, one := range ds {
				texts = append(texts, one.Detail)
				if !strings.Contains(one.Detail, c.says) || one.Code == "conf-headroom" {
					continue
				}
				data, err := os.ReadFile(one.At.Filename)
				require.NoError(t, err)
				at = at || strings.Contains(strings.Split(string(data), "\n")[one.At.Start.Line-1], c.line)
			}
			assert.Contains(t, strings.Join(texts, "\n"), c.says)
			assert.True(t, at, "a finding is at %q: %s", c.line, ds)
		})
	}
}

// A device is unknown if it has no file or if its files cannot be read. A file of another device or release is refused.
func TestUnknown(t *testing.T) {
	t.Parallel()
	f := fabric(t, "gpu-pod")
	tree := f.Tree()
	of := func(name string) *target.Device {
		return tree.Devices[slices.IndexFunc(tree.Devices, func(d *target.Device) bool { return d.Name == name })]
	}
	dir := t.TempDir()
	keep(t, dir, of("leaf1"), written(t, of("leaf1")))
	keep(t, dir, of("leaf2"), written(t, of("leaf2")))
	file := filepath.Join(dir, "leaf2", "nvue.yaml")
	text := "- header:\n    version: Cumulus Linux 5.1.0\n- set:\n    qos:\n      roce:\n        enable: on\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "leaf3"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "leaf3", "nvue.yaml"), nil, 0o644))
	s, err := fromfiles.Read([]string{dir})
	require.NoError(t, err)
	found, judged, err := s.Verify(t.Context(), f, tree, ir.NewBudget(validate.DefaultBudget))
	require.NoError(t, err)
	require.Len(t, found.Devices, 2)
	assert.Equal(t, good, verdict(found.Devices[0]))
	assert.Equal(t, refused, verdict(found.Devices[1]))
	assert.Contains(t, found.Devices[1].Drift.Err.Detail, "The files of leaf2 state release 5.1.0")
	var names []string
	for _, d := range s.Reports.Missing {
		names = append(names, d.Name)
	}
	assert.Contains(t, names, "leaf3")
	assert.NotEmpty(t, s.Reports.Why["leaf3"])
	assert.True(t, judged.Failed())
}

// A host's report beside configurations is judged instead of them. If the report shows that the host is not as written, the finding is at
// the report.
func TestReportBeside(t *testing.T) {
	t.Parallel()
	f := fabric(t, "clos-v2-ecn")
	tree := f.Tree()
	host := tree.Devices[slices.IndexFunc(tree.Devices, func(d *target.Device) bool { return d.Name == "gpu001" })]
	leaf := tree.Devices[slices.IndexFunc(tree.Devices, func(d *target.Device) bool { return d.Name == "leaf01" })]
	dir := t.TempDir()
	keep(t, dir, host, written(t, host))
	keep(t, dir, leaf, written(t, leaf))
	file := filepath.Join(dir, "gpu001.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"format_version": "1.0", "host": "gpu001"}`), 0o644))
	s, err := fromfiles.Read([]string{dir})
	require.NoError(t, err)
	found, judged, err := s.Verify(t.Context(), f, &target.Tree{Devices: []*target.Device{host, leaf}}, ir.NewBudget(validate.DefaultBudget))
	require.NoError(t, err)
	require.Len(t, found.Devices, 2)
	assert.Nil(t, found.Devices[0].Drift.Filed, "the report counts")
	assert.Equal(t, drift, verdict(found.Devices[0]))
	assert.Equal(t, good, verdict(found.Devices[1]))
	at := slices.IndexFunc(judged.Diags, func(d *diag.Diagnostic) bool { return d.At.Filename == file })
	require.GreaterOrEqual(t, at, 0)
	assert.Equal(t, diag.Error, judged.Diags[at].Severity)
}
