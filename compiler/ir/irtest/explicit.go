package irtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// Explicit routes listed flows, for forwarding that the language cannot express.
type Explicit struct {
	Fabric *ir.Fabric

	// Flows returns the flows of a state. Flows over links that are down are left out.
	Flows func(s ir.State) []*ir.Flow

	// Reroutes reports that failures can add new flows.
	Reroutes bool

	// Mixed is the mixture of the turns.
	Mixed ir.Mixture
}

var _ ir.Routes = (*Explicit)(nil)

// Turns returns the turns of the flows in group g.
func (e *Explicit) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	t := &ir.Turns{Group: g, Rows: make([][]uint64, len(e.Fabric.Ports)), Mixed: e.Mixed}
	bounced := &ir.Turns{Rows: make([][]uint64, len(e.Fabric.Ports))}
	by := map[ir.Turn]*ir.Flow{}
	for _, f := range e.Flows(s) {
		if slices.ContainsFunc(f.Ports, func(p *ir.Port) bool { return slices.Contains(s.Down, p.Link()) }) {
			continue
		}
		ports := e.own(f.Ports)
		for i := 1; i+1 < len(ports); i += 2 {
			in, out, next := ports[i], ports[i+1], f.Groups[i/2+1]
			if f.Groups[i/2] != g || !lossless(in.Link(), g) || !lossless(out.Link(), next) {
				continue
			}
			switch next {
			case g:
				t.Add(in, out)
			case g.Bounce:
				bounced.Add(in, out)
				t.Bounced = bounced.Rows
			default:
				return nil, fmt.Errorf("a flow moves from cos group %q to %q, which is not its bounce", g.Name, next.Name)
			}
			if turn := (ir.Turn{In: in, Out: out}); by[turn] == nil {
				by[turn] = f
			}
		}
	}
	t.Witness = func(turns []ir.Turn) []*ir.Flow {
		flows := make([]*ir.Flow, len(turns))
		for i, turn := range turns {
			flows[i] = by[turn]
		}
		return flows
	}
	return t, nil
}

// own returns the ports of the fabric with the names of a flow's ports. The flow may belong to the fabric that this one is a copy of. It
// returns nil if a cable of the flow no longer exists.
func (e *Explicit) own(ports []*ir.Port) []*ir.Port {
	out := make([]*ir.Port, len(ports))
	for i, p := range ports {
		of := e.Fabric.Devices[p.Device().ID].Ports
		j := slices.IndexFunc(of, func(o *ir.Port) bool { return o.Name == p.Name })
		if j < 0 {
			return nil
		}
		out[i] = of[j]
	}
	return out
}

// Changed returns all turns of the state.
func (e *Explicit) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) { return e.Turns(g, s) }

// Cuts returns every set of links between forwarding devices if failures can add flows, and no sets if failures only remove flows.
func (e *Explicit) Cuts(_ []*ir.CosGroup, down []*ir.Link, most int, unlaid []*ir.Link, b *ir.Budget) ([]ir.Cut, error) {
	if !e.Reroutes {
		return nil, nil
	}
	sets := [][]*ir.Link{nil}
	var cuts []ir.Cut
	for range most + len(unlaid) {
		var larger [][]*ir.Link
		for _, set := range sets {
			for _, l := range e.Fabric.Links {
				if !l.A().Device().Forwards() || !l.B().Device().Forwards() || slices.Contains(down, l) ||
					len(set) > 0 && l.ID <= set[len(set)-1].ID {
					continue
				}
				if !b.Spend(1) {
					return nil, ir.ErrBudget
				}
				more := append(slices.Clone(set), l)
				if laid := slices.DeleteFunc(slices.Clone(more), func(l *ir.Link) bool { return slices.Contains(unlaid, l) }); len(laid) > most {
					continue
				}
				larger = append(larger, more)
				cuts = append(cuts, ir.Cut{Links: more, Alike: 1, Whole: true})
			}
		}
		sets = larger
	}
	return cuts, nil
}

// Of returns the same flows for every fabric. Flows with groups or ports that are not in f make no turns in f.
func (e *Explicit) Of(f *ir.Fabric) ir.Routes {
	own := *e
	own.Fabric = f
	return &own
}

// Outcomes returns nil: listed flows cannot be separated into outcomes.
func (e *Explicit) Outcomes([]*ir.CosGroup, ir.State, func(ir.GroupTurn) bool) (*ir.Outcomes, error) {
	return nil, nil
}

// Unrouted returns nil: listed flows do not depend on AS numbers.
func (e *Explicit) Unrouted(*ir.CosGroup, []*ir.NIC, *ir.Budget) (one, other *ir.NIC, err error) {
	return nil, nil, nil
}

// Ways returns the stops of the flows from a port or the device of the sender to a port or the device of the receiver.
func (e *Explicit) Ways(t ir.Trip, s ir.State) (*ir.Ways, error) {
	w := &ir.Ways{Mixed: e.Mixed, Stops: []ir.Stop{{Device: t.From[0].Device(), Group: t.Group, Left: -1}}}
	type spot struct {
		in    *ir.Port
		group *ir.CosGroup
	}
	known := map[spot]int{}
	for _, f := range e.Flows(s) {
		if f.Ports[0].Device() != t.From[0].Device() || f.Ports[len(f.Ports)-1].Device() != t.To[0].Device() || f.Groups[0] != t.Group ||
			slices.ContainsFunc(f.Ports, func(p *ir.Port) bool { return slices.Contains(s.Down, p.Link()) }) {
			continue
		}
		at := 0
		for i := 0; i < len(f.Ports); i += 2 {
			key := spot{f.Ports[i+1], f.Groups[i/2]}
			next, ok := known[key]
			if !ok {
				next = len(w.Stops)
				known[key] = next
				w.Stops = append(w.Stops, ir.Stop{Device: key.in.Device(), In: key.in, Group: key.group, Far: i/2 + 1, Left: len(f.Ports)/2 - i/2 - 1})
			}
			leg := ir.Leg{Out: f.Ports[i], Group: f.Groups[i/2], Stop: next}
			if from := &w.Stops[at]; !slices.Contains(from.Next, leg) {
				from.Next = append(from.Next, leg)
			}
			at = next
		}
		w.Stops[0].Left, w.Sure = len(f.Ports)/2, e.Mixed == ""
	}
	return w, nil
}

// lossless reports whether the cable joins two devices that forward, both of which make g lossless on it.
func lossless(l *ir.Link, g *ir.CosGroup) bool {
	return l.A().Device().Forwards() && l.B().Device().Forwards() && l.A().Carries(g) != nil && l.B().Carries(g) != nil
}

// Flow returns the flow that passes the devices in order, by the first cable between each two: names separated by spaces. It starts in the
// fabric's group, and a "!" moves it into that group's bounce group.
func (c *Cabling) Flow(devices string) *ir.Flow {
	f, g := &ir.Flow{}, c.Group
	from := ""
	for to := range strings.FieldsSeq(devices) {
		if to == "!" {
			g = g.Bounce
			continue
		}
		if from != "" {
			l := c.Between(from, to)
			in := l.A()
			if in.Device().Name == from {
				in = l.B()
			}
			f.Ports = append(f.Ports, in.Peer(), in)
			f.Groups = append(f.Groups, g)
		}
		from = to
	}
	return f
}
