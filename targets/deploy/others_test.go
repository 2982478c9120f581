package deploy

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// TestOthers: a device that others write has no changes in the plan, in any state. Devices that are up to date and devices that rocec
// writes keep their plans.
func TestOthers(t *testing.T) {
	host := func(others bool) *target.Device {
		return &target.Device{Name: "h", Source: &ir.Device{Name: "h", ByOthers: others}}
	}
	drift := []*Change{{Action: Update, File: &target.File{Path: "/x"}}}
	of := func(others bool, s Status, err *Error) *DevicePlan {
		d := &DevicePlan{Device: host(others), Status: s, Err: err, Old: &ir.Settings{}, New: &ir.Settings{}, Disrupts: []string{"all"}}
		if s == StatusChange {
			d.Changes, d.Removing = drift, true
		}
		return d
	}
	p := &Plan{Devices: []*DevicePlan{
		of(false, StatusChange, nil), of(true, StatusSame, nil), of(true, StatusChange, nil),
		of(true, StatusUnreachable, &Error{Detail: "no route\nto host"}), of(true, StatusRefused, &Error{Detail: "another machine"}),
		of(true, StatusRefused, &Error{Kind: Unmet, Detail: "another class is set"}),
	}}
	p.Devices[2].Device.Source.Maintenance = "RMA"
	p.Others()
	p.Pending()
	assert.Equal(t, StatusChange, p.Devices[0].Status)
	assert.Equal(t, drift, p.Devices[0].Shown())
	assert.Equal(t, StatusSame, p.Devices[1].Status)
	for _, d := range p.Devices[2:] {
		assert.Equal(t, StatusOthers, d.Status, "also under maintenance: it is not a debt")
		assert.Empty(t, d.Changes)
		assert.Empty(t, d.Disrupts)
		assert.False(t, d.Removing)
		assert.Same(t, d.Old, d.New)
		assert.Nil(t, d.Err)
	}
	assert.Equal(t, drift, p.Devices[2].Shown())
	assert.Equal(t, "written by others", p.Devices[2].Waits.String())
	assert.Equal(t, "written by others, and not read: another machine", p.Devices[4].Waits.String())
	assert.Equal(t, "written by others, and not as it must be: another class is set", p.Devices[5].Waits.String())
	s := p.Summary()
	assert.Equal(t, []int{1, 1, 4, 0, 0}, []int{s.Change, s.Same, s.Others, s.Unreachable, s.Refused})
	assert.Equal(t, 1, s.Files, "those of others are not counted")
}
