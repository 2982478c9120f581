package claims

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/proof"
)

// ring is a ring of four switches, in which PFC loops are possible. A cos group accepts them.
func ring(t *testing.T) *network {
	n := made(irtest.New(ir.ShortestPath).Links("R0-R1 R1-R2 R2-R3 R3-R0").Hosts("R0", "R1", "R2", "R3"))
	require.Equal(t, proof.Prone, n.proofs[0].Verdict)
	n.f.CosGroups[0].AllowDeadlock = "a test"
	n.configure()
	return n
}

// watch gives a port of a switch a watchdog.
func (n *network) watch(name, port string, w ir.WatchdogSettings) {
	change(n.settings(name), port, detail(func(d *ir.PortDetail) { d.Watchdog = w }))
}

// A port in an accepted circle is a warning if the settings show that no watchdog ends a deadlock there. Unknown settings are no finding.
func TestWatchdogOfAcceptedLoop(t *testing.T) {
	cos := uint8(made(irtest.New(ir.ShortestPath)).f.CosGroups[0].Cos) //nolint:gosec // 0 to 7
	on := ir.WatchdogSettings{Action: ir.Of(ir.WatchdogDrop), Watches: ir.Of(uint8(1) << cos)}
	forward, alert, off, other, unsure := on, on, on, on, on
	forward.Action, alert.Action, off.Action = ir.Of(ir.WatchdogForward), ir.Of(ir.WatchdogAlert), ir.ByDefault(ir.WatchdogOff)
	other.Watches, unsure.Watches = ir.Of(^(uint8(1) << cos)), ir.Setting[uint8]{}
	for name, c := range map[string]struct {
		is   ir.WatchdogSettings
		edit func(*network)
		want bool
	}{
		"drop":             {is: on},
		"forward":          {is: forward},
		"off":              {is: off, want: true},
		"alert":            {is: alert, want: true},
		"other priority":   {is: other, want: true},
		"unknown priority": {is: unsure},
		"unknown action":   {},
		"not accepted":     {is: off, edit: func(n *network) { n.f.CosGroups[0].AllowDeadlock = "" }},
		"settings unread":  {is: off, edit: func(n *network) { n.settings("R1").Settings = nil }},
		"device unread":    {is: off, edit: func(n *network) { n.seen.Settings[device(n.f, "R1").ID] = nil }},
		"no forwarding":    {is: off, edit: func(n *network) { n.seen.Devices = nil }, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			n := ring(t)
			for _, d := range n.f.Devices {
				for _, p := range d.Ports {
					n.watch(d.Name, p.Name, on)
				}
			}
			require.Empty(t, codes(n.judge().Findings))
			for _, p := range device(n.f, "R1").Ports {
				n.watch("R1", p.Name, c.is)
			}
			n.settings("R1").When = at.Add(-time.Minute)
			if c.edit != nil {
				c.edit(n)
			}
			found := n.judge().Findings
			if !c.want {
				require.Empty(t, codes(found))
				return
			}
			require.Equal(t, []string{"warning claim-watchdog"}, codes(found))
			assert.Contains(t, found[0].Detail, "R1 runs no PFC watchdog that cuts the queue on ")
			assert.Contains(t, found[0].Detail, " (snapshot, 27 Nov 10:01 UTC)", "the time of the settings")
		})
	}
}
