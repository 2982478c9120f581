package claims

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
	"github.com/rocec/rocec/validate/watchdogs"
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

// A lossless queue that a watchdog cuts is an error. A watchdog of the settings is a warning if the switch shows that it does not watch the
// queue, and that watchdogs watch others.
func TestWatchdogStates(t *testing.T) {
	watches := func(n uint64) ir.Counter { return ir.Counter{Value: n, Known: true} }
	type rows = []ir.PauseCounters
	for name, c := range map[string]struct {
		rows rows
		edit func(n *network, on ir.WatchdogSettings)
		want []string
		text string
	}{
		"nothing": {},
		"all run": {rows: rows{{Port: "a", Cutting: watches(0)}, {Port: "b", Cutting: watches(0)}}},
		"one cuts": {
			rows: rows{{Port: "a", Cutting: watches(1)}, {Port: "b", Cutting: watches(0)}}, want: []string{"error claim-watchdog-cuts"},
			text: "The PFC watchdog of R1 cuts the queue of cos 3 on a: a pause has lasted too long.",
		},
		"two cut": {
			rows: rows{{Port: "b", Cutting: watches(1)}, {Port: "a", Cutting: watches(1)}}, want: []string{"error claim-watchdog-cuts"},
			text: "cos 3 on a,b:",
		},
		"a lossy priority": {rows: rows{{Port: "a", Priority: 5, Cutting: watches(1)}}},
		"bad rows":         {rows: rows{{Port: "a", Priority: 1 << 40, Cutting: watches(1)}, {Port: "a", Priority: -9, Cutting: watches(1)}}},
		"no such port":     {rows: rows{{Port: "z", Cutting: watches(1)}}},
		"unknown":          {rows: rows{{Port: "a"}, {Port: "b", Cutting: watches(0)}}},
		"one does not run": {
			rows: rows{{Port: "a", Unwatched: true}, {Port: "b", Cutting: watches(0)}}, want: []string{"warning claim-watchdog-stopped"},
			text: "The settings of R1 have a PFC watchdog for cos 3 on a, and it does not run there.",
		},
		"none is shown": {rows: rows{{Port: "a", Unwatched: true}, {Port: "b", Unwatched: true}}},
		"shown by another answer": {rows: rows{
			{Port: "a", Unwatched: true, Cutting: watches(0)}, {Port: "b", Cutting: watches(0)},
		}},
		"off in the settings": {
			rows: rows{{Port: "a", Unwatched: true}, {Port: "b", Cutting: watches(0)}},
			edit: func(n *network, _ ir.WatchdogSettings) {
				n.watch("R1", n.first(), ir.WatchdogSettings{Action: ir.Of(ir.WatchdogOff)})
			},
		},
		"settings with another priority": {
			rows: rows{{Port: "a", Unwatched: true}, {Port: "b", Cutting: watches(0)}},
			edit: func(n *network, on ir.WatchdogSettings) {
				on.Watches = ir.Of[uint8](1 << 4)
				n.watch("R1", n.first(), on)
			},
		},
		"settings unread": {
			rows: rows{{Port: "a", Unwatched: true}, {Port: "b", Cutting: watches(1)}},
			edit: func(n *network, _ ir.WatchdogSettings) { n.settings("R1").Settings = nil }, want: []string{"error claim-watchdog-cuts"},
		},
		"nothing else read": {
			rows: rows{{Port: "a", Cutting: watches(1)}},
			edit: func(n *network, _ ir.WatchdogSettings) { n.seen.Settings, n.seen.Devices = nil, nil },
			want: []string{"error claim-watchdog-cuts"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := ring(t)
			n.f.CosGroups[0].AllowDeadlock = ""
			on, r1 := ir.WatchdogSettings{Action: ir.Of(ir.WatchdogAlert), Watches: ir.Of[uint8](1 << n.f.CosGroups[0].Cos)}, device(n.f, "R1")
			for _, p := range r1.Ports {
				n.watch("R1", p.Name, on)
			}
			if c.edit != nil {
				c.edit(n, on)
			}
			a, b := r1.Ports[0].Name, r1.Ports[1].Name
			for i := range c.rows {
				r := &c.rows[i]
				r.Port = strings.NewReplacer("a", a, "b", b).Replace(r.Port)
				if r.Priority == 0 {
					r.Priority = n.f.CosGroups[0].Cos
				}
			}
			n.seen.Counters = []*watchdogs.Counters{{Of: r1, Rows: c.rows, When: at.Add(-time.Minute)}}
			found := n.judge().Findings
			require.Equal(t, c.want, codes(found))
			if len(found) > 0 {
				assert.Contains(t, found[0].Detail, portsIn(c.text, a, b))
				assert.Contains(t, found[0].Detail, " (snapshot, 27 Nov 10:01 UTC)")
			}
		})
	}
}

// first returns the first port of R1.
func (n *network) first() string { return device(n.f, "R1").Ports[0].Name }

// portsIn writes the names of two ports in place of "on a" and "on a,b".
func portsIn(text, a, b string) string {
	text = strings.ReplaceAll(text, "on a,b:", "on "+nodeset.Text([]string{a, b}, nodeset.Interfaces, mostNamed)+":")
	return strings.NewReplacer("on a:", "on "+a+":", "on a,", "on "+a+",").Replace(text)
}
