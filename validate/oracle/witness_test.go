package oracle_test

import (
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
)

// assertWitness checks that the circle of a prone verdict is a circle of turns in the state that the verdict names. A listed flow takes
// each turn, and the routing makes each flow.
func assertWitness(t require.TestingT, f *ir.Fabric, p validate.GroupProof) {
	require.NotEmpty(t, p.Loops)
	for k, l := range p.Loops {
		require.NotEmpty(t, l.Circle)
		for _, d := range l.Down {
			require.Contains(t, f.Links, d)
		}
		require.Equal(t, len(l.Down), len(slices.Compact(slices.Clone(l.Down))), "each link fails once")
		for i, h := range l.Circle {
			next := l.Circle[(i+1)%len(l.Circle)]
			require.Same(t, h.Out.Peer(), next.In, "hop %d leads to the next", i)
			require.Same(t, h.In.Device(), h.Out.Device())
			require.True(t, oracle.Fills(h.In, h.Group), "%s holds its sender", h.In)
			require.NotContains(t, l.Down, h.In.Link())
			turns, err := f.Routes.Turns(h.Group, ir.State{Down: l.Down})
			require.NoError(t, err)
			bounced := turns.Bounced != nil && (&ir.Turns{Rows: turns.Bounced}).Has(h.In, h.Out)
			require.True(t, turns.Has(h.In, h.Out) || bounced, "%s to %s is a turn of %s", h.In, h.Out, h.Group.Name)
			if k > 0 && l.Flows == nil {
				continue // loops far down the list have no flows
			}
			require.True(t, slices.ContainsFunc(l.Flows, func(f *ir.Flow) bool { return f.Takes(h.Group, h.In, h.Out) }),
				"a flow takes %s to %s in %s", h.In, h.Out, h.Group.Name)
		}
		for _, flow := range l.Flows {
			require.Equal(t, len(flow.Ports), 2*len(flow.Groups))
			require.True(t, slices.ContainsFunc(l.Circle, func(h validate.Wait) bool { return flow.Takes(h.Group, h.In, h.Out) }))
			assertLegal(t, f, flow, l.Down)
		}
	}
}

// assertLegal checks that the routing makes the flow.
func assertLegal(t require.TestingT, f *ir.Fabric, flow *ir.Flow, down []*ir.Link) {
	for i, p := range flow.Ports {
		if i%2 == 1 {
			require.Same(t, flow.Ports[i-1].Peer(), p)
			require.NotContains(t, down, p.Link())
		} else if i > 0 {
			require.Same(t, flow.Ports[i-1].Device(), p.Device())
		}
	}
	_, listed := f.Routes.(*irtest.Explicit)
	switch {
	case f.Table != nil:
		assertInTable(t, f, flow)
		return
	case listed || f.Routing == ir.AnyPath || f.Routing == ir.Flooding:
		return // any walk is legal
	case f.Routing == ir.EBGP && !uniqueASNs(f): // a draw has one choice between equal routes
		for seed := range uint64(1000) {
			if listedAmong(f, flow, &oracle.Brute{Fabric: f, Down: down, Random: rand.New(rand.NewPCG(seed, 3))}) {
				return
			}
		}
	default:
		if listedAmong(f, flow, &oracle.Brute{Fabric: f, Down: down, Random: rand.New(rand.NewPCG(1, 3))}) {
			return
		}
	}
	require.Fail(t, "the routing makes no such flow", "%s %v", f.Routing, flow.Ports)
}

// assertInTable checks that for one target, every device has the next hop of the flow in its table.
func assertInTable(t require.TestingT, f *ir.Fabric, flow *ir.Flow) {
	require.True(t, slices.ContainsFunc(f.Table.Targets, func(target *ir.Target) bool {
		for i := 1; i+1 < len(flow.Ports); i += 2 {
			out := flow.Ports[i+1]
			to := slices.Index(f.Table.Targets, target)
			at := slices.ContainsFunc(target.NICs, func(n *ir.NIC) bool { return n.Port.Peer().Device() == out.Device() })
			ports, _ := f.Table.Leaves(out.Device(), to, at)
			delivers := at && len(ports) == 0 && slices.Contains(target.NICs, out.Peer().NIC)
			if !slices.Contains(ports, out) && !delivers {
				return false
			}
		}
		return true
	}), "the table has no such path: %v", flow.Ports)
}

func listedAmong(f *ir.Fabric, flow *ir.Flow, b *oracle.Brute) bool {
	if f.Routing == ir.SpanningTree {
		b.Tree = oracle.SpanningTree(f, f.Root, b.Down)
	}
	groups := f.CosGroups
	if f.Coupled() {
		groups = append(slices.Clone(groups), ir.Lossy)
	}
	for _, g := range groups {
		if (g.Lossless || g.Bounce != nil || f.Coupled()) && slices.ContainsFunc(b.Flows(g), func(o *ir.Flow) bool {
			return slices.Equal(o.Ports, flow.Ports) && (slices.Equal(o.Groups, flow.Groups) || f.FlowControl == ir.Pause)
		}) {
			return true
		}
	}
	return false
}

func uniqueASNs(f *ir.Fabric) bool {
	seen := map[int]bool{}
	for _, d := range f.Devices {
		if d.Switch != nil {
			if seen[d.Switch.ASN] {
				return false
			}
			seen[d.Switch.ASN] = true
		}
	}
	return true
}

// tree reports whether the links between switches form one or more trees. A bond counts as its first link.
func tree(f *ir.Fabric) bool {
	island := map[*ir.Device]*ir.Device{}
	var first func(d *ir.Device) *ir.Device
	first = func(d *ir.Device) *ir.Device {
		if island[d] == nil {
			return d
		}
		return first(island[d])
	}
	bonds := map[int]bool{}
	for _, l := range f.Links {
		if a, b := l.A().Device(), l.B().Device(); a.Switch != nil && b.Switch != nil && !bonds[l.Bond] {
			bonds[l.Bond] = l.Bond > 0
			if a, b = first(a), first(b); a == b {
				return false
			}
			island[a] = b
		}
	}
	return true
}
