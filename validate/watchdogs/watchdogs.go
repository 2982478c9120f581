// Package watchdogs judges the PFC watchdogs of switches by their settings and by the states of their queues, which another reader has
// read ([Counters]). It reads nothing itself. A [Problem] is a finding.
package watchdogs

import (
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/configured"
	"github.com/rocec/rocec/validate/proof"
)

// Topics are the codes of findings about watchdogs.
var Topics = []diag.Topic{topicUnended, topicCut, topicStopped}

var topicUnended = diag.Topic{Code: "claim-watchdog", Summary: "switch in an accepted PFC loop runs no PFC watchdog"}

var topicCut = diag.Topic{Code: "claim-watchdog-cuts", Summary: "PFC watchdog cuts a lossless queue"}

var topicStopped = diag.Topic{Code: "claim-watchdog-stopped", Summary: "PFC watchdog of the settings does not run"}

// Counters are the counters of the queues of a device, at one moment.
type Counters struct {
	Of   *ir.Device
	Rows []ir.PauseCounters
	When time.Time // of the oldest answer; zero: not known
}

// Problem is a finding about a switch.
type Problem struct {
	Topic    *diag.Topic
	Severity diag.Severity
	Of       *ir.Device
	Detail   string    // with Here in place of the name of the switch
	When     time.Time // of the answer; zero: not known
}

// Here is in a detail in place of the names of devices.
const Here = "\x00"

// Judge judges the watchdogs of the switches of a fabric. by has the settings of each device, by its ID; nil: they were not read. Live
// reads and files have settings and counters in the same form.
func Judge(f *ir.Fabric, proofs []*proof.Proof, by []*configured.Setup, counters []*Counters) (out []Problem) {
	counted := make([]*Counters, len(f.Devices))
	for _, c := range counters {
		counted[c.Of.ID] = c
	}
	accepted := acceptedLoops(proofs)
	for _, d := range f.Devices {
		if d.Switch == nil {
			continue
		}
		settings := by[d.ID]
		if settings == nil {
			settings = &configured.Setup{Of: d}
		}
		out = append(out, unended(settings, accepted[d])...)
		if counted[d.ID] != nil {
			out = append(out, states(counted[d.ID], settings)...)
		}
	}
	return out
}

// queue is the queue of a priority at a port.
type queue struct {
	port string
	cos  int
}

// acceptedLoops returns the queues of switches in circles that a cos group accepts.
func acceptedLoops(proofs []*proof.Proof) map[*ir.Device][]queue {
	queues := map[*ir.Device][]queue{}
	for _, p := range proofs {
		if p.Verdict != proof.Prone || slices.ContainsFunc(p.Groups, func(g *ir.CosGroup) bool { return g.AllowDeadlock == "" }) {
			continue
		}
		for _, l := range p.Loops {
			for _, w := range l.Circle {
				one := queue{w.Out.Name, w.Group.Cos}
				if d := w.Out.Device(); d.Switch != nil && !slices.Contains(queues[d], one) {
					queues[d] = append(queues[d], one)
				}
			}
		}
	}
	return queues
}

// watchdogOf returns the watchdog of a port by the settings that were read. Its action is not known if they do not state it.
func watchdogOf(c *configured.Setup, port string) (w ir.WatchdogSettings) {
	if s := c.Settings.Port(port); s != nil {
		w = s.Detail.Get().Watchdog
	}
	return w
}

// unended judges whether the queues of a switch that wait in an accepted circle have a watchdog that ends the wait. A queue whose watchdog
// is not known is no finding.
func unended(c *configured.Setup, queues []queue) []Problem {
	var without []string
	for _, q := range queues {
		w := watchdogOf(c, q.port)
		if ends, known := w.Ends(q.cos); known && !ends && !slices.Contains(without, q.port) {
			without = append(without, q.port)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return []Problem{{&topicUnended, diag.Warning, c.Of, fmt.Sprintf("%s runs no PFC watchdog that cuts the queue on %s, and the fabric "+
		"accepts a PFC loop over these ports: buffers that lock there stay locked.", Here, portsText(without)), c.When}}
}

// states judges the states of the watchdogs of a switch, at its lossless queues. A watchdog of the settings does not run if the switch
// shows that it does not watch the queue, and that watchdogs watch others.
func states(c *Counters, settings *configured.Setup) (out []Problem) {
	rows, runs := map[queue]*ir.PauseCounters{}, false
	for i := range c.Rows {
		r := &c.Rows[i]
		rows[queue{r.Port, r.Priority}], runs = r, runs || r.Cutting.Known
	}
	var cut, stopped [8][]string // ports by cos
	for _, p := range c.Of.Ports {
		if !configured.Lossless(p) {
			continue
		}
		w := watchdogOf(settings, p.Name)
		wanted := w.Action.Known() && w.Action.Value != ir.WatchdogOff && w.Watches.Known()
		for _, b := range p.Buffers() {
			cos := b.Group.Cos
			switch r := rows[queue{p.Name, cos}]; {
			case r == nil:
			case r.Cutting.Known && r.Cutting.Value > 0:
				cut[cos] = append(cut[cos], p.Name)
			case runs && r.Unwatched && !r.Cutting.Known && wanted && w.Watches.Value>>cos&1 == 1:
				stopped[cos] = append(stopped[cos], p.Name)
			}
		}
	}
	for cos := range cut {
		if ports := cut[cos]; len(ports) > 0 {
			out = append(out, Problem{&topicCut, diag.Error, c.Of, fmt.Sprintf("The PFC watchdog of %s cuts the queue of cos %d on %s: a pause "+
				"has lasted too long. Until the pause ends, the watchdog drops the packets of the queue, or sends them in spite of the pause.",
				Here, cos, portsText(ports)), c.When})
		}
		if ports := stopped[cos]; len(ports) > 0 {
			out = append(out, Problem{&topicStopped, diag.Warning, c.Of, fmt.Sprintf("The settings of %s have a PFC watchdog for cos %d on %s, "+
				"and it does not run there. Watchdogs run at other queues of the switch.", Here, cos, portsText(ports)), c.When})
		}
	}
	return out
}

// mostNamed is the room for the names of ports in a problem, in letters.
const mostNamed = 120

// portsText folds the names of ports.
func portsText(ports []string) string {
	slices.SortFunc(ports, nodeset.Compare)
	return nodeset.Text(ports, nodeset.Interfaces, mostNamed)
}
