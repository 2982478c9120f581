package deploy

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// TestEvidence: a plan lists each combination of target, release and way to configure once. It also states whether the operator's
// acceptance is needed.
func TestEvidence(t *testing.T) {
	image := func(*ir.Device) target.Image { return target.Image{} }
	os := &ir.OS{Name: "x", Title: "X", Configs: []ir.Config{{Name: "files", Doc: "its files"}}}
	row := &target.Target{Name: "x", OS: os, Image: image, NeedsReport: func(d *ir.Device) bool { return d.Switch.Version >= "5" }}
	parts := target.Join(&target.Target{Name: "a", Image: image}, &target.Target{Name: "b"},
		&target.Target{Name: "c", Image: image, NeedsReport: func(*ir.Device) bool { return true }})

	place := func(line int) diag.Range {
		r := diag.Range{Filename: "f.hcl"}
		r.Start.Line, r.Start.Byte, r.End.Byte = line, 10*line, 10*line+1
		return r
	}
	chip := &platform.Switch{ASIC: &platform.ASIC{Title: "Spectrum-2"}}
	sw := func(name, version string, block int, s Status, yes bool) *DevicePlan {
		d := &ir.Device{
			Name: name, DevicePlaces: &ir.DevicePlaces{Decl: place(block)},
			Switch: &ir.Switch{Version: version, Config: "files", AcceptDocumented: yes, Model: chip},
		}
		return &DevicePlan{Device: &target.Device{Name: name, At: place(block), Source: d, Target: row}, Status: s}
	}
	host := func(name string, block int, step string) *DevicePlan {
		nics := &ir.Host{NICs: []*ir.NIC{{Model: &ir.NICModel{Name: "m"}}}}
		d := &ir.Device{Name: name, DevicePlaces: &ir.DevicePlaces{Decl: place(block)}, Host: nics}
		return &DevicePlan{
			Device: &target.Device{Name: name, At: place(block), Source: d, Target: parts}, Status: StatusChange,
			Changes: []*Change{{File: &target.File{Activate: target.Step{Name: step}}}},
		}
	}
	p := &Plan{Devices: []*DevicePlan{
		host("h1", 7, "a apply ens1"), host("h2", 7, "c apply ens2"),
		sw("leaf1", "5.0", 1, StatusChange, false), sw("leaf2", "5.0", 1, StatusChange, false), sw("leaf3", "5.0", 2, StatusChange, false),
		sw("leaf4", "5.0", 3, StatusSame, false), sw("leaf5", "5.0", 4, StatusChange, true), sw("old1", "4.0", 5, StatusChange, false),
		sw("leaf6", "5.1", 6, StatusChange, false),
		{Device: &target.Device{Name: "of a run"}, Status: StatusChange},
	}}
	reported := func(target, release, chip string) bool {
		return target == "x" && release == "5.1" && chip == "Spectrum-2"
	}

	type line struct {
		target, release, about string
		grade                  Grade
		asks                   bool
		devices, undecided     int
	}
	var got []line
	for _, e := range p.Evidence(reported) {
		got = append(got, line{e.Target, e.Release, e.About, e.Grade, e.Asks, len(e.Devices), len(e.Undecided())})
	}
	assert.Equal(t, []line{
		{"a", "", "", GradeSimulated, false, 2, 0},
		{"b", "", "", GradeDocumented, false, 2, 0},
		{"c", "", "", GradeSimulated, true, 2, 1}, // the plan changes no NIC of c on h1
		{"x", "5.0", "X 5.0, by its files", GradeSimulated, true, 5, 3},
		{"x", "4.0", "X 4.0, by its files", GradeSimulated, false, 1, 0},
		{"x", "5.1", "X 5.1, by its files", GradeReported, false, 1, 0},
	}, got)

	ds := p.Unaccepted(reported)
	if assert.Len(t, ds, 3, "one for each block") {
		assert.Equal(t, place(1), ds[0].At)
		assert.Equal(t, "documented-only", ds[0].Code)
		assert.Contains(t, ds[0].Detail, "The plan changes leaf[1-2] (X 5.0, by its files).")
		assert.Contains(t, ds[0].Fix.Message, "accept_documented = true in the switch block, or --accept-unverified for this run")
		assert.Contains(t, ds[1].Detail, "The plan changes leaf3 (")
		assert.Contains(t, ds[2].Detail, "The plan changes h2 (NICs of c).")
		assert.Contains(t, ds[2].Fix.Message, "begin with a device that may fail; then --accept-unverified for this run")
	}
	assert.Empty(t, p.Unaccepted(func(string, string, string) bool { return true }))
	assert.NotEmpty(t, p.Unaccepted(func(_, _, chip string) bool { return chip == "Spectrum-3" }), "a report about another chip")
}
