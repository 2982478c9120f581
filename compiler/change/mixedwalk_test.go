package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
)

// The walk is an independent judge: it moves packets one at a time over every path of leaves and spines, and shares no code with the
// package under test.

// variant is a set of classes that devices may be set for, and the DSCP of its lossless classes.
type variant struct {
	classes string
	dscp    []int
}

var variants = []variant{
	{lossless("rdma", 3, 26), []int{26}},
	{lossless("rdma", 4, 34), []int{34}},
	{lossless("rdma", 4, 26), []int{26}},
	{lossless("rdma", 3, 26) + lossless("more", 4, 34), []int{26, 34}},
	{lossy, nil},
	{lossless("rdma", 3, 27), []int{27}},
}

// oneWay returns settings of a device that only sends pauses, or only obeys them.
func oneWay(s *ir.Settings, sends bool) *ir.Settings {
	return edited(s, func(p *ir.PortSettings) {
		if sends {
			p.Obeys = 0
		} else {
			p.Sends = 0
		}
	})
}

// naive is a change in the form that the walk uses.
type naive struct {
	fabric *ir.Fabric
	held   []change.Held
	marks  [2][][]int // by Device.ID: the DSCP that a host marks before and after
	stage  []change.Stage
}

// set returns the settings of a port in the mixture, or before the change.
func (n *naive) set(p *ir.Port, before bool) *ir.PortSettings {
	h, stage := n.held[p.Device().ID], n.stage[p.Device().ID]
	switch {
	case before || stage == change.Old:
		return h.Old.Port(p.Name)
	case stage == change.New:
		return h.New.Port(p.Name)
	}
	return h.Old.Transition(h.New).Port(p.Name)
}

func (n *naive) sends(d *ir.Device, before bool) []int {
	if stage := n.stage[d.ID]; !before && (stage == change.New || stage == change.Marked) {
		return n.marks[1][d.ID]
	}
	return n.marks[0][d.ID]
}

// cosOf returns the cos that a device gives a packet that comes in by a port.
func cosOf(p *ir.PortSettings, dscp int) int {
	if p.Trust.DSCP {
		return int(p.DSCP[dscp])
	}
	return 0
}

// lost walks a packet along the ports of a path: out, in, out, in.
func (n *naive) lost(path []*ir.Port, dscp int, before bool) bool {
	entered := n.set(path[0], before)
	for i := 0; i < len(path); i += 2 {
		out, in := n.set(path[i], before), n.set(path[i+1], before)
		cos := cosOf(entered, dscp)
		if cosOf(in, dscp) != cos || out.Obeys>>cos&1 == 0 || in.Sends>>cos&1 == 0 {
			return true
		}
		entered = in
	}
	return false
}

// paths returns every path between two hosts.
func (n *naive) paths(from, to *ir.Device) (out [][]*ir.Port) {
	first, last := from.Ports[0], to.Ports[0]
	a, b := first.Peer(), last.Peer()
	if a.Device() == b.Device() {
		return [][]*ir.Port{{first, a, b, last}}
	}
	for _, up := range a.Device().Ports {
		spine := up.Peer()
		if !strings.HasPrefix(spine.Device().Name, "spine") {
			continue
		}
		for _, down := range spine.Device().Ports {
			if down.Peer().Device() == b.Device() {
				out = append(out, []*ir.Port{first, a, up, spine, down, down.Peer(), b, last})
			}
		}
	}
	return out
}

// walk returns the first packet that is lost and must not be lost.
func (n *naive) walk() string {
	for _, from := range n.fabric.Devices {
		for _, to := range n.fabric.Devices {
			if from.Host == nil || to.Host == nil || from == to {
				continue
			}
			for _, dscp := range n.sends(from, false) {
				sender, taker, was := n.set(from.Ports[0], false), n.set(to.Ports[0], false), n.set(to.Ports[0], true)
				lossless := sender.Obeys>>cosOf(sender, dscp)&1 == 1
				relies := taker.Sends != 0 && (slices.Contains(n.marks[1][to.ID], dscp) || was.Sends>>cosOf(was, dscp)&1 == 1)
				if !lossless || !relies {
					continue
				}
				both := n.stage[from.ID] != change.Old && n.stage[to.ID] != change.Old
				for _, path := range n.paths(from, to) {
					if n.lost(path, dscp, false) && (both || !n.lost(path, dscp, true)) {
						return fmt.Sprintf("%s to %s, DSCP %d, along %s", from.Name, to.Name, dscp, path)
					}
				}
			}
		}
	}
	return ""
}

// TestPhasesAgreeWithWalks: no mixture of the phases loses a packet that hosts rely on, for random old settings.
func TestPhasesAgreeWithWalks(t *testing.T) {
	const sizes = 3
	var fabrics [sizes][]*ir.Fabric
	var settings [sizes][]map[string]*ir.Settings
	for size := range sizes {
		for i, v := range variants {
			fabrics[size] = append(fabrics[size], cosFabric(t, size+1, v.classes))
			settings[size] = append(settings[size], written(t, fabrics[size][i]))
		}
	}
	steps, refused := map[change.Step]int{}, 0
	one := func(rt *rapid.T) {
		size := rapid.IntRange(0, sizes-1).Draw(rt, "size")
		next := rapid.IntRange(0, len(variants)-1).Draw(rt, "new")
		usual := rapid.IntRange(-1, len(variants)-1).Draw(rt, "old")
		f := fabrics[size][next]
		n := &naive{fabric: f, held: make([]change.Held, len(f.Devices)), stage: make([]change.Stage, len(f.Devices))}
		n.marks = [2][][]int{make([][]int, len(f.Devices)), make([][]int, len(f.Devices))}
		odd := rapid.IntRange(0, 3).Draw(rt, "odd")
		for i, d := range f.Devices {
			old := usual
			if odd > 0 && rapid.IntRange(0, 5).Draw(rt, d.Name) < odd {
				old = rapid.IntRange(-1, len(variants)-1).Draw(rt, "old of "+d.Name)
			}
			h := change.Held{Old: factory(), New: settings[size][next][d.Name]}
			if old >= 0 {
				h.Old, n.marks[0][i] = settings[size][old][d.Name], variants[old].dscp
			}
			if rapid.IntRange(0, 9).Draw(rt, "one way") == 0 {
				h.Old = oneWay(h.Old, rapid.Bool().Draw(rt, "sends"))
			}
			h.Away = rapid.IntRange(0, 11).Draw(rt, "away") == 0
			n.held[i], n.marks[1][i] = h, variants[next].dscp
		}
		phases, gaps := change.NewMixtures(f).Phases(n.held)
		if len(gaps) > 0 {
			require.Empty(rt, phases)
			refused++
			return
		}
		for _, p := range phases {
			steps[p.Step]++
			before := slices.Clone(n.stage)
			for range 30 {
				for _, m := range p.Moves {
					n.stage[m.Device.ID] = before[m.Device.ID]
					if rapid.Bool().Draw(rt, "moved") {
						n.stage[m.Device.ID] = m.To
					}
				}
				require.Empty(rt, n.walk(), "%s: %s", p.Step, drawPhases(phases, nil))
			}
			for _, m := range p.Moves {
				n.stage[m.Device.ID] = m.To
			}
			require.Empty(rt, n.walk(), "after %s: %s", p.Step, drawPhases(phases, nil))
		}
		for i, h := range n.held {
			arrived := n.stage[i] == change.New || h.Away || h.Old.Equal(h.New)
			require.True(rt, arrived, f.Devices[i].Name)
		}
	}
	every := []change.Step{
		change.AtOnce, change.Switches, change.Hosts, change.Removals, change.Expand, change.Migrate, change.Contract,
	}
	missing := func() bool { return slices.ContainsFunc(every, func(s change.Step) bool { return steps[s] == 0 }) }
	for round := 0; round < 3 || round < 60 && (refused == 0 || missing()); round++ {
		rapid.Check(t, one)
	}
	for _, s := range every {
		require.Positive(t, steps[s], "no fabric has step %s: %v", s, steps)
	}
	require.Positive(t, refused)
}
