package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// This file follows a table from the switches of the senders. It finds loops, and traffic that ends at the wrong place.

// tableWalk is the search through one table, target after target.
type tableWalk struct {
	*tableMaker
	state    []int32 // by Device.ID: the last target for which it was visited, counted from 1; negative: still on the path
	path     []tableStep
	loops    map[string]*diag.Diagnostic
	more     map[*diag.Diagnostic]int // further destinations of a loop
	looped   int                      // the last target with a loop, counted from 1; only the first loop of a target is reported
	deadEnds map[*ir.Device][]int     // devices without an entry for traffic to these targets
}

// tableStep is a device on the path, and the ports still to be tried.
type tableStep struct {
	d     *ir.Device
	ports []*ir.Port
}

// follow walks from the senders of every target, and reports loops and missing routes.
func (m *tableMaker) follow() {
	w := &tableWalk{
		tableMaker: m, state: make([]int32, len(m.c.f.Devices)), loops: map[string]*diag.Diagnostic{}, more: map[*diag.Diagnostic]int{},
		deadEnds: map[*ir.Device][]int{},
	}
	senders := m.senders()
	for target, t := range m.t.Targets {
		begun := map[*ir.Intent]bool{}
		for _, n := range t.NICs {
			for _, in := range append([]*ir.Intent{nil}, n.Intents...) {
				if begun[in] {
					continue
				}
				begun[in] = true
				for _, d := range senders[in] {
					w.from(d, target)
				}
			}
		}
	}
	for d, n := range w.more {
		d.Detail += fmt.Sprintf(" The same holds for %d more destinations.", n)
	}
	w.reportDeadEnds()
}

// senders returns the devices that members of an intent are attached to. The key nil has the devices of all NICs if senders may be without
// an intent: with link pause, or in a lossless group without an intent.
func (m *tableMaker) senders() map[*ir.Intent][]*ir.Device {
	out := map[*ir.Intent][]*ir.Device{}
	met := map[*ir.Intent][]bool{}
	add := func(in *ir.Intent, s *station) {
		if met[in] == nil {
			met[in] = make([]bool, len(m.c.f.Devices))
		}
		for _, id := range s.at {
			if !met[in][id] {
				met[in][id] = true
				out[in] = append(out[in], m.c.f.Devices[id])
			}
		}
	}
	paused := slices.ContainsFunc(m.c.f.Links, func(l *ir.Link) bool {
		return l.FlowControl == ir.Pause && l.A().Device().Forwards() && l.B().Device().Forwards()
	})
	all := m.c.f.FlowControl == ir.Pause || paused || slices.ContainsFunc(m.c.f.CosGroups, func(g *ir.CosGroup) bool {
		return g.Lossless && !slices.ContainsFunc(m.c.f.Intents, func(in *ir.Intent) bool { return in.Group == g || in.CNP == g })
	})
	for _, s := range m.stations {
		if all {
			add(nil, s)
		}
		for _, n := range s.nics {
			for _, in := range n.Intents {
				add(in, s)
			}
		}
	}
	return out
}

// attached reports whether the target is attached to the device.
func (m *tableMaker) attached(d *ir.Device, target int) bool {
	return slices.Contains(m.stations[m.station[m.t.Targets[target].NICs[0]]].at, int32(d.ID))
}

// from searches depth first, from a device, for a path back to a device on the current path.
func (w *tableWalk) from(d *ir.Device, target int) {
	mark := int32(target + 1)
	enter := func(d *ir.Device) {
		w.state[d.ID] = -mark
		ports, ok := w.t.Leaves(d, target, w.attached(d, target))
		if !ok || len(ports) == 0 && !w.attached(d, target) {
			w.deadEnds[d] = append(w.deadEnds[d], target)
		}
		w.path = append(w.path, tableStep{d, ports})
	}
	if w.state[d.ID] != mark {
		enter(d)
	}
	for len(w.path) > 0 {
		top := &w.path[len(w.path)-1]
		if len(top.ports) == 0 {
			w.state[top.d.ID] = mark
			w.path = w.path[:len(w.path)-1]
			continue
		}
		next := top.ports[0].Peer().Device()
		top.ports = top.ports[1:]
		switch {
		case !next.Forwards() || w.state[next.ID] == mark:
		case w.state[next.ID] == -mark:
			if w.looped != target+1 {
				w.looped = target + 1
				w.loop(next, target)
			}
		default:
			enter(next)
		}
	}
}

// loop reports the loop that closes at a device on the path, once for all destinations in it.
func (w *tableWalk) loop(at *ir.Device, target int) {
	begin := slices.IndexFunc(w.path, func(s tableStep) bool { return s.d == at })
	var round []*ir.Device
	for _, s := range w.path[begin:] {
		round = append(round, s.d)
	}
	first := slices.Index(round, slices.MinFunc(round, func(a, b *ir.Device) int { return a.ID - b.ID }))
	round = append(round[first:], round[:first]...)
	names := make([]string, 0, len(round)+1)
	for _, d := range append(round, round[0]) {
		names = append(names, d.Name)
	}
	name := strings.Join(names, " -> ")
	if known := w.loops[name]; known != nil {
		w.more[known]++
		return
	}
	text := w.entry(round[0], target)
	if w.full() {
		return
	}
	e := w.errorf(topicRoutingLoop, text, "%s", loopText(w.targetName(target), round))
	for _, d := range round[1:min(len(round), maxRound)] {
		e.Note(w.entry(d, target), "%s sends it on", d.Name)
	}
	w.loops[name] = e
}

// maxRound limits the switches of a loop that are named.
const maxRound = 12

// loopText returns the detail of routing-loop, for traffic to a target that loops through these switches.
func loopText(target string, round []*ir.Device) string {
	names := make([]string, 0, len(round)+1)
	for _, d := range round[:min(len(round), maxRound)] {
		names = append(names, d.Name)
	}
	if rest := len(round) - maxRound; rest > 0 {
		names = append(names, fmt.Sprintf("... (%d more)", rest))
	}
	names = append(names, round[0].Name)
	return fmt.Sprintf("Traffic to %s loops: %s. Its frames loop until their TTL is used up, and "+
		"lossless ones can fill every buffer on the way. Correct the next hops of one of these switches, or, if the table is correct, "+
		"the routes of the fabric.", target, strings.Join(names, " -> "))
}

// noRouteText returns the detail of no-route, for a switch that drops traffic to some interfaces.
func noRouteText(d *ir.Device, interfaces []string) string {
	return fmt.Sprintf("%s has no next hop for traffic to %s: it drops packets to them. Add the missing entries, or give the "+
		"addresses of these interfaces (ip in the nic block, or \"addresses\" in the file) if the table has an entry for their prefix.",
		d.Name, nodeset.Text(interfaces, nodeset.Endpoints, namesRoom))
}

// SayLoop returns routing-loop for traffic to one interface that loops through some switches, for example while links are down.
func SayLoop(at diag.Range, to *ir.NIC, round []*ir.Device) *diag.Diagnostic {
	var l diag.List
	return topicRoutingLoop.Errorf(&l, at, "%s", loopText(to.Device.Name+":"+to.Name, round))
}

// SayNoRoute returns no-route for a switch without a next hop for traffic to one interface, for example while links are down.
func SayNoRoute(at diag.Range, d *ir.Device, to *ir.NIC) *diag.Diagnostic {
	var l diag.List
	return topicNoRoute.Warnf(&l, at, "%s", noRouteText(d, []string{to.Device.Name + ":" + to.Name}))
}

// entry returns the place of a device's entry for a target.
func (m *tableMaker) entry(d *ir.Device, target int) diag.Range {
	row := m.c.src.NextHops.Switches[m.rows[d]]
	return m.c.src.NextHops.At(row.Entries[m.entries[d.ID][target]-1].To)
}

// targetName names a target by its first interface.
func (m *tableMaker) targetName(target int) string {
	nics := m.t.Targets[target].NICs
	s := m.stations[m.station[nics[0]]]
	if more := len(nics) - len(s.nics); more > 0 {
		return fmt.Sprintf("%s (and %d more)", s.name, more)
	}
	return s.name
}

// reportDeadEnds warns of switches that have no entry for arriving traffic. A station counts as reached if traffic to one of its addresses
// arrives.
func (w *tableWalk) reportDeadEnds() {
	told := 0
	var last *diag.Diagnostic
	for _, d := range w.c.f.Devices {
		dead := w.deadEnds[d]
		if len(dead) == 0 || w.t.Hops[d.ID] == nil {
			continue
		}
		lost := map[int]bool{}
		for _, target := range dead {
			lost[target] = true
		}
		var names []string
		for _, s := range w.stations {
			if !slices.ContainsFunc(s.targets, func(t int) bool { return !lost[t] }) {
				names = append(names, s.name)
			}
		}
		if len(names) == 0 {
			continue
		}
		if told++; told > maxMistakes {
			continue
		}
		last = topicNoRoute.Warnf(&w.c.report.list, w.t.Row(d), "%s", noRouteText(d, names))
	}
	if told > maxMistakes {
		last.Note(diag.Range{}, "%s without a next hop %s left out", diag.Count(told-maxMistakes, "more switch"),
			diag.Plural(told-maxMistakes, "is", "are"))
	}
}
