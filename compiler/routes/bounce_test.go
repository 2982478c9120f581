package routes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// shortestCircle returns the length of the shortest cycle in the buffer dependency graph of all lossless groups; 0: there is no cycle.
// back: turns back to the previous device count, too.
func shortestCircle(t *testing.T, f *ir.Fabric, s ir.State, back bool) int {
	type buffer struct {
		in *ir.Port
		g  *ir.CosGroup
	}
	next := map[buffer][]buffer{}
	add := func(rows [][]uint64, from, to *ir.CosGroup) {
		for turn := range turnsOf(f, &ir.Turns{Rows: rows}) {
			if back || turn.In.Peer().Device() != turn.Out.Peer().Device() {
				at := buffer{turn.In, from}
				next[at] = append(next[at], buffer{turn.Out.Peer(), to})
			}
		}
	}
	for _, g := range f.CosGroups {
		if !g.Lossless {
			continue
		}
		turns, err := New(f).Turns(g, s)
		require.NoError(t, err)
		add(turns.Rows, g, g)
		if turns.Bounced != nil {
			add(turns.Bounced, g, g.Bounce)
		}
	}
	least := 0
	for start := range next {
		far := map[buffer]int{start: 0}
		for queue := []buffer{start}; len(queue) > 0; queue = queue[1:] {
			for _, b := range next[queue[0]] {
				length := far[queue[0]] + 1
				if _, seen := far[b]; !seen {
					far[b] = length
					queue = append(queue, b)
				}
				if b == start && (least == 0 || length < least) {
					least = length
				}
			}
		}
	}
	return least
}

// A valley in LS4x2 makes a cycle of 4, unless traffic that bounces there changes into a separate group.
func TestBounceBreaksTheCircle(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *irtest.Cabling)
		circle int
	}{
		{"no bounce", func(*irtest.Cabling) {}, 4},
		{"into a separate group", func(c *irtest.Cabling) { c.Bounce() }, 0},
		{"into a lossy group", func(c *irtest.Cabling) { c.Bounce(); c.Group.Bounce.Lossless = false }, 0},
		{"there and back", func(c *irtest.Cabling) { c.Bounce(); c.Group.Bounce.Bounce = c.Group }, 0},
		{"into a group that hosts also use", func(c *irtest.Cabling) {
			c.Bounce()
			c.F.Intents = append(c.F.Intents, &ir.Intent{Version: 2, Group: c.Group.Bounce, Members: c.F.Intents[0].Members})
		}, 4},
		{"without an intent", func(c *irtest.Cabling) { c.Bounce(); c.F.Intents = nil }, 0},
		{"there and back, without an intent", func(c *irtest.Cabling) {
			c.Bounce()
			c.Group.Bounce.Bounce, c.F.Intents = c.Group, nil
		}, 4},
		{"into itself", func(c *irtest.Cabling) { c.Group.Bounce = c.Group }, 4},
		{"under link pause", func(c *irtest.Cabling) { c.Bounce(); c.F.FlowControl = ir.Pause }, 4},
		{"in a group that bounced traffic cannot be in", func(c *irtest.Cabling) {
			c.Bounce()
			c.Group.Bounce.Bounce, c.Group.Bounce = c.Group, nil
		}, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := irtest.LeafSpine(ir.ShortestPath, 4, 2)
			f := c.Fabric()
			tt.change(c)
			assert.Equal(t, tt.circle, shortestCircle(t, f, ir.State{Down: c.Cables("L0-S1 L1-S0")}, false))
		})
	}
}

// Traffic is in one group up to the device where it bounces, and in the other group after that device.
func TestBounceMovesTrafficBetweenGroups(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 4, 2).Bounce()
	f := c.Fabric()
	r, s := New(f), ir.State{Down: c.Cables("L0-S1 L1-S0")}
	own, err := r.Turns(c.Group, s)
	require.NoError(t, err)
	detour, err := r.Turns(c.Group.Bounce, s)
	require.NoError(t, err)
	turn := func(a, b, to string) ir.Turn {
		in := c.Between(a, b)
		out := c.Between(b, to)
		end := func(l *ir.Link) *ir.Port {
			if l.A().Device().Name == b {
				return l.A()
			}
			return l.B()
		}
		return ir.Turn{In: end(in), Out: end(out)}
	}
	up, down := turn("S0", "L2", "S1"), turn("L2", "S1", "L1")
	assert.False(t, own.Has(up.In, up.Out))
	assert.True(t, (&ir.Turns{Rows: own.Bounced}).Has(up.In, up.Out))
	assert.True(t, own.Has(down.In, down.Out), "from L2 itself")
	assert.True(t, detour.Has(down.In, down.Out))
	assert.True(t, detour.Bounced == nil)
	first := turn("L0", "S0", "L2")
	assert.False(t, detour.Has(first.In, first.Out), "not yet bounced")

	flow := own.Witness([]ir.Turn{up})[0]
	require.NotNil(t, flow)
	g, h := c.Group, c.Group.Bounce
	assert.True(t, slices.Equal([]*ir.CosGroup{g, g, g, h, h, h}, flow.Groups), "host, up, down; up, down, host")
	assert.True(t, flow.Takes(g, up.In, up.Out))
	flow = detour.Witness([]ir.Turn{down})[0]
	require.NotNil(t, flow)
	assert.True(t, flow.Takes(h, down.In, down.Out))
	assert.True(t, own.Witness([]ir.Turn{{In: up.In, Out: up.In}})[0] == nil)
}

// While routing converges, cycles form between devices that know of the failure and devices that do not.
func TestConverging(t *testing.T) {
	tests := []struct {
		name                string
		c                   *irtest.Cabling
		down                string
		turningBack, others int // shortest cycles, with and without turns back
	}{
		{"nothing failed", irtest.LeafSpine(ir.ShortestPath, 4, 4), "", 0, 0},
		{"a micro-loop of two", irtest.LeafSpine(ir.ShortestPath, 4, 4), "S0-L1", 2, 0},
		{"two failures, for any number of spines", irtest.LeafSpine(ir.ShortestPath, 4, 4), "S0-L1 S1-L0", 2, 4},
		{"on the way to a host", irtest.LeafSpine(ir.ShortestPath, 4, 4), "hL0x16-L0", 0, 0},
		{"up-down is assumed to hold during convergence", irtest.LeafSpine(ir.UpDown, 4, 4), "S0-L1 S1-L0", 0, 0},
		{"any is any", irtest.LeafSpine(ir.AnyPath, 4, 2), "", 4, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.c.Fabric()
			s := ir.State{Down: tt.c.Cables(tt.down), Converging: true}
			assert.Equal(t, tt.turningBack, shortestCircle(t, f, s, true), "with turns back")
			assert.Equal(t, tt.others, shortestCircle(t, f, s, false), "without")
		})
	}
}
