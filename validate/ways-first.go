package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/proof"
	"github.com/rocec/rocec/validate/walk"
)

// Way is the first way out of a PFC loop: number 1 of the ways that the diagnostic lists.
type Way struct {
	Text   string       // with its price
	Change proof.Change // zero if there is no Fabric
	Fabric *ir.Fabric   // the fabric with the change; nil: the way changes no fabric, such as a reason to accept the risk
}

// FirstWay returns the first way out of the circles of a prone proof. proofs are all proofs of the fabric, and steps is the budget with
// which they were made: with another one, the search may end at another way.
func FirstWay(l *proof.Proof, proofs []*proof.Proof, steps int64) Way {
	p := &Pass{Fabric: l.Fabric, loops: func() []*proof.Proof { return proofs }, all: Checks, steps: steps}
	a := newAdviser(p, l)
	for _, propose := range a.proposals() {
		if propose(); a.ways != nil {
			break
		}
	}
	out := Way{Text: a.ways[0]}
	if t := a.trials[0]; t != nil {
		out.Change, out.Fabric = t.change, t.fabric
	}
	return out
}

// Ways returns the paths that the traffic of a flow takes in the changed fabric, with the same links down. It returns nil if the two ends
// no longer talk, or if the flow does not end at hosts.
func (w *Way) Ways(flow *ir.Flow, down []*ir.Link) (*ir.Ways, error) {
	from, to := w.port(flow.Ports[0]), w.port(flow.Ports[len(flow.Ports)-1])
	if from == nil || to == nil || from.NIC == nil || to.NIC == nil {
		return nil, nil
	}
	for _, in := range w.Fabric.Intents {
		if in.Group.Name != flow.Groups[0].Name || !talks(in, from.NIC) || !talks(in, to.NIC) {
			continue
		}
		state := ir.State{}
		for _, l := range down {
			if p := w.port(l.A()); p != nil && !(w.Change.Laid && l.Planned) {
				state.Down = append(state.Down, p.Link())
			}
		}
		return w.Fabric.Routes.Ways(ir.Trip{
			Group: in.Group, Bridged: walk.Bridged(w.Fabric, in, from.NIC, to.NIC, walk.DomainsOf(w.Fabric)),
			From: []*ir.Port{from}, To: []*ir.Port{to},
		}, state)
	}
	return nil, nil
}

// port returns the port of the changed fabric; nil: its cable has been taken out.
func (w *Way) port(p *ir.Port) *ir.Port {
	ports := w.Fabric.Devices[p.Device().ID].Ports
	if i := slices.IndexFunc(ports, func(o *ir.Port) bool { return o.Name == p.Name }); i >= 0 {
		return ports[i]
	}
	return nil
}

// talks reports whether a NIC, or a NIC of its bond, is a member of an intent.
func talks(in *ir.Intent, n *ir.NIC) bool {
	return slices.ContainsFunc(in.Members, func(m *ir.Member) bool { return m.NIC == n || n.Bond != nil && n.Bond == m.NIC.Bond })
}
