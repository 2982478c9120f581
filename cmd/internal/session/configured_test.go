package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// Settings of a device count for assumptions if the device was read, is not refused, and surely uses them.
func TestConfigured(t *testing.T) {
	is, when := &ir.Settings{}, time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
	seen := &target.Seen{
		Ports: map[string]*target.SeenPort{"swp1": {Bond: "bond1"}, "swp2": {Bond: "bond2"}, "swp3": {}},
		Bonds: map[string]*target.SeenBond{"bond1": {Partner: true}, "bond2": {}},
	}
	unread := &target.Seen{Ports: seen.Ports, Unread: map[target.Part]string{target.PartBonds: "the answer breaks off"}}
	for name, x := range map[string]struct {
		plan  deploy.DevicePlan
		why   string
		bonds map[string]string
	}{
		"read": {
			deploy.DevicePlan{Status: deploy.StatusSame, Old: is, Seen: seen},
			"",
			map[string]string{"swp1": "bond1", "swp2": "", "swp3": ""},
		},
		"drift": {deploy.DevicePlan{
			Status: deploy.StatusChange, Old: is, Seen: unread, Changes: []*deploy.Change{{Action: deploy.Update}},
		}, "", nil},
		"not in use": {deploy.DevicePlan{Status: deploy.StatusChange, Old: is, Changes: []*deploy.Change{
			{Action: deploy.Activate, FileState: deploy.FileState{Path: "/etc/x"}},
		}}, "/etc/x may not be in use yet", nil},
		"refused": {
			deploy.DevicePlan{Status: deploy.StatusRefused, Err: &deploy.Error{Kind: deploy.Identity, Detail: "It is another."}},
			"rocec refuses the device (device-identity)", nil,
		},
		"no reader": {deploy.DevicePlan{Status: deploy.StatusSame}, "its settings are not known", nil},
	} {
		source := &ir.Device{Name: name}
		x.plan.Device = &target.Device{Source: source}
		out := Configured(&rollout.Verification{Devices: []*rollout.Health{{Drift: &x.plan}}}, when)
		require.Len(t, out, 1, name)
		assert.Equal(t, x.why, out[0].Why, name)
		assert.Equal(t, x.bonds, out[0].Bonds, name)
		assert.Same(t, source, out[0].Of, name)
		if x.bonds == nil && x.plan.Changes != nil && x.why != "" {
			assert.Nil(t, out[0].Settings, name)
		} else {
			assert.Equal(t, x.plan.Old, out[0].Settings, name)
		}
		assert.Equal(t, when, out[0].When, name)
	}
	silent := &deploy.DevicePlan{Device: &target.Device{Source: &ir.Device{}}, Status: deploy.StatusUnreachable}
	assert.Empty(t, Configured(&rollout.Verification{Devices: []*rollout.Health{{Drift: silent}}}, when))
}
