package oracle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
)

// alphas are the values that systems use, and both extremes.
var alphas = []ir.Alpha{
	{Num: 0, Den: 1},
	{Num: 1, Den: 128},
	{Num: 1, Den: 8},
	{Num: 1, Den: 4},
	{Num: 1, Den: 2},
	{Num: 1, Den: 1},
	{Num: 2, Den: 1},
	{Num: 4, Den: 1},
	{Num: 8, Den: 1},
	{Num: 64, Den: 1},
	{Num: 1, Den: 0},
}

// memories draws a switch with any memory model: ports, lossless groups, what they reserve, and how the rest is shared.
func memories(t *rapid.T) (ir.Memory, int) {
	m := ir.Memory{
		Ports: rapid.IntRange(1, 24).Draw(t, "ports"), Groups: rapid.IntRange(1, 3).Draw(t, "groups"),
		Chip: rapid.IntRange(100, 40_000).Draw(t, "chip"), Joined: rapid.Bool().Draw(t, "joined"),
		Model: ir.MemoryModel{
			Percent: rapid.IntRange(1, 100).Draw(t, "percent"), Alpha: rapid.SampledFrom(alphas).Draw(t, "alpha"),
			Absolute: rapid.Bool().Draw(t, "absolute"),
		},
	}
	m.Lossless = rapid.IntRange(0, m.Chip).Draw(t, "lossless")
	return m, rapid.IntRange(1, 300).Draw(t, "xoff")
}

// fanOut returns one port whose packets fill the queues of all ports, in all groups.
func fanOut(m ir.Memory, xoff int) Filling {
	f := filling(m, xoff)
	buffers := m.Groups
	if m.Joined {
		buffers = 1
	}
	f.Buffers = make([][]int, buffers)
	for group := range m.Groups {
		for port := range m.Ports {
			b := group % buffers
			f.Buffers[b] = append(f.Buffers[b], group*m.Ports+port)
		}
	}
	return f
}

// incast returns so many ports whose packets fill one queue.
func incast(m ir.Memory, xoff, senders int) Filling {
	f := filling(m, xoff)
	for range senders {
		f.Buffers = append(f.Buffers, []int{0})
	}
	return f
}

func filling(m ir.Memory, xoff int) Filling {
	return Filling{
		Pool: (m.Chip - m.Lossless) * m.Model.Percent / 100, Num: m.Model.Alpha.Num, Den: m.Model.Alpha.Den,
		Xoff: xoff, Absolute: m.Model.Absolute,
	}
}

// Law: with min below the bound of a memory model a mark comes first, and with min a little above it a pause. If ports get a share of the
// pool, the worst case is one port that fills all n queues; its bound leaves out the xoff / n beyond that share. If a port may hold only
// xoff, the senders into one queue are the worst case.
func TestMarksComeFirstBelowTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, xoff := memories(t)
		if !m.Model.Absolute {
			f := fanOut(m, xoff)
			queues := len(f.Buffers[0])
			bound := m.MarkBound()
			if f.Mark = bound - 1; f.Mark >= 0 && !f.First() {
				t.Fatalf("min %d is below the bound %d, and the pause came first: %+v", f.Mark, bound, f)
			}
			if f.Mark = bound + xoff/queues + len(f.Buffers) + 3; f.First() {
				t.Fatalf("min %d is above the bound %d, and the mark came first: %+v", f.Mark, bound, f)
			}
		}
		if f := fanOut(m, xoff); m.Model.Absolute { // the port holds at most xoff
			queues := len(f.Buffers[0])
			bound := m.FanOutBound(xoff)
			if f.Mark = bound - 1; f.Mark >= 0 && !f.First() {
				t.Fatalf("min %d is below the bound %d of one port, and the pause came first: %+v", f.Mark, bound, f)
			}
			if f.Mark = bound + 1; f.First() {
				t.Fatalf("min %d is above the bound %d of one port, and the mark came first: %+v, %d queues", f.Mark, bound, f, queues)
			}
		} else if m.FanOutBound(xoff) != m.MarkBound() {
			t.Fatal("without Absolute both bounds are equal")
		}
		senders := rapid.IntRange(1, 24).Draw(t, "senders")
		f := incast(m, xoff, senders)
		bound := m.IncastBound(senders, xoff)
		if held := m.Held(slices.Repeat([]int{xoff}, senders)); held != bound {
			t.Fatalf("%d senders hold %d, and the bound is %d", senders, held, bound)
		}
		if f.Mark = bound - 1; !f.First() {
			t.Fatalf("min %d is below the bound %d of %d senders, and the pause came first: %+v", f.Mark, bound, senders, f)
		}
		if f.Mark = bound + 3*senders; f.First() {
			t.Fatalf("min %d is above the bound %d of %d senders, and the mark came first: %+v", f.Mark, bound, senders, f)
		}
		if m.Model.Absolute {
			least := rapid.IntRange(0, 40*xoff).Draw(t, "min")
			from := ir.MarksFrom(least, xoff)
			f = incast(m, xoff, from)
			if f.Mark = least; !f.First() {
				t.Fatalf("%d senders: pauses came before marks at %d: %+v", from, least, f)
			}
			if from > 1 {
				f = incast(m, xoff, from-1)
				if f.Mark = least + from; f.First() {
					t.Fatalf("%d senders: marks came first", from-1)
				}
			}
		}
	})
}

// The model itself, calculated by hand.
func TestFilling(t *testing.T) {
	f := Filling{Pool: 100, Num: 1, Den: 1, Xoff: 10, Buffers: [][]int{{0}}}
	f.Mark = 59 // 50 from the pool, when its free part is as large as the buffer, and 10 beyond
	require.True(t, f.First())
	f.Mark = 61
	require.False(t, f.First())
	f.Absolute, f.Mark = true, 9
	require.True(t, f.First())
	f.Mark = 11
	require.False(t, f.First())
	f.Buffers = [][]int{{0}, {0}}
	require.True(t, f.First(), "two senders share the queue")
	require.False(t, (&Filling{Num: 1, Buffers: [][]int{{0}}, Mark: 1}).First(), "an empty pool has no share, however large")
}
