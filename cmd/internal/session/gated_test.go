package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// TestWithGate: a change needs a key for the devices that have a gate, and for those that get one first.
func TestWithGate(t *testing.T) {
	t.Parallel()
	on := func(name string, status deploy.Status, gate *deploy.Gate) *deploy.DevicePlan {
		return &deploy.DevicePlan{Device: &target.Device{Name: name}, Status: status, Gate: gate}
	}
	plan := &deploy.Plan{Devices: []*deploy.DevicePlan{
		on("leaf1", deploy.StatusChange, &deploy.Gate{}), on("leaf2", deploy.StatusChange, nil), on("leaf3", deploy.StatusSame, &deploy.Gate{}),
	}}
	assert.Equal(t, []string{"leaf1"}, withGate(plan, false))
	assert.Equal(t, []string{"leaf1", "leaf2"}, withGate(plan, true))
}

// TestGateFlags refuses flags of the gate that would have no effect.
func TestGateFlags(t *testing.T) {
	t.Parallel()
	sound := ChangeOptions{Parallel: 1, HookTime: 1, OnFailure: "stop", Anomaly: "stop", Format: "text"}
	require.NoError(t, sound.Check())
	for says, change := range map[string]func(*ChangeOptions){
		"simulated devices run no gate: leave out --gate": func(o *ChangeOptions) { o.PutGates, o.Lab = true, "new" },
		"--gates is for --gate":                           func(o *ChangeOptions) { o.Gates = "gates" },
	} {
		o := sound
		change(&o)
		require.EqualError(t, o.Check(), says)
	}
}

// TestOrderEnd: the orders of a run hold for its longest time and a day, and at most for a week.
func TestOrderEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	waves := func(takes ...time.Duration) *deploy.Order {
		o := &deploy.Order{}
		for _, d := range takes {
			o.Waves = append(o.Waves, &deploy.Wave{Takes: d})
		}
		return o
	}
	assert.Equal(t, now.Add(24*time.Hour), orderEnd(now, nil))
	assert.Equal(t, now.Add(29*time.Hour), orderEnd(now, waves(2*time.Hour, 3*time.Hour)))
	assert.Equal(t, now.Add(7*24*time.Hour), orderEnd(now, waves(500*time.Hour)))
}
