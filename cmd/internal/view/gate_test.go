package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// rightsPlan returns a plan with a device for each kind of rights.
func rightsPlan(status deploy.Status) *deploy.Plan {
	gate := &deploy.Gate{Release: "0.1.0", Machines: []string{"SHA256:a"}}
	on := func(name string, g *deploy.Gate, free bool) *deploy.DevicePlan {
		return &deploy.DevicePlan{Device: &target.Device{Name: name}, Status: status, Gate: g, Free: free}
	}
	away := on("leaf5", nil, false)
	away.Status, away.Err = deploy.StatusUnreachable, &deploy.Error{Detail: "no route to host"}
	return &deploy.Plan{Devices: []*deploy.DevicePlan{
		on("leaf1", gate, false), on("leaf2", gate, true), on("leaf3", nil, true), on("leaf4", nil, false), away,
	}}
}

// TestGates: the list of gates says what each login may do, in text and in JSON.
func TestGates(t *testing.T) {
	t.Parallel()
	plan := rightsPlan(deploy.StatusSame)
	doc := GatesJSON(plan)
	show := func() string {
		var out strings.Builder
		NewScreen(&out, 80, false).Gates(doc.Devices)
		return out.String()
	}
	require.Equal(t, `leaf1  gate 0.1.0
leaf2  gate 0.1.0, and the login becomes root without it: remove its other lines of sudoers
leaf3  no gate: the login becomes root
leaf4  no gate, and the login does not become root without a password
leaf5  unreachable: no route to host
`, show())

	plan.Devices[2].Gate = &deploy.Gate{Release: "0.2.0"}
	doc.Devices[0].Done(plan.Devices[0], GateRemoved, nil)
	doc.Devices[1].Done(plan.Devices[1], GateRemoved, &deploy.Error{Detail: "the disk is full"})
	doc.Devices[2].Done(plan.Devices[2], GateInstalled, nil)
	require.Equal(t, `leaf1  gate removed
leaf2  failed: the disk is full
leaf3  gate installed
leaf4  no gate, and the login does not become root without a password
leaf5  unreachable: no route to host
`, show())
	text, err := json.Marshal(doc.Devices[:4])
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"name": "leaf1", "status": "removed", "gate": null, "root": false},
		{"name": "leaf2", "status": "failed", "reason": "the disk is full", "gate": {"release": "0.1.0"}, "root": true},
		{"name": "leaf3", "status": "installed", "gate": {"release": "0.2.0"}, "root": true},
		{"name": "leaf4", "status": "listed", "gate": null, "root": false}
	]`, string(text))

	doc.Devices[4] = doc.Devices[3]
	doc.Devices[4].Name = "leaf5"
	require.Contains(t, show(), "leaf[4-5]  no gate, and the login", "equal devices have one line")
}

// TestWay: a plan says by which right each device changes. A rehearsal, and a plan without changes, say nothing.
func TestWay(t *testing.T) {
	t.Parallel()
	say := func(p *deploy.Plan, rehearsal bool) string {
		var out strings.Builder
		v := NewPlan(NewScreen(&out, 200, false), ".", Options{})
		v.Rehearsal = rehearsal
		way(v, p)
		return out.String()
	}
	plan := rightsPlan(deploy.StatusChange)
	assert.Equal(t, strings.Join(strings.Fields(`Rights: a signed run, through the gate, on leaf1; a signed run, through the gate,
		on these devices, whose login becomes root without it: leaf2; root, without a gate, on leaf[3-4].`), " "),
		strings.Join(strings.Fields(say(plan, false)), " "))
	assert.Empty(t, say(rightsPlan(deploy.StatusSame), false))
	assert.Empty(t, say(plan, true))
}
