package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/validate/sim"
)

// bytes is the size of a frame of a group without an RDMA MTU, and slot its time on a cable of 100 Gb/s.
const (
	bytes = ir.LargestRDMA + 62
	slot  = (bytes + 20) * 80 * time.Nanosecond / 1000
)

// sizes gives every lossless buffer of switches an xoff, an xon and headroom, in frames.
func sizes(f *ir.Fabric, xoff, xon, room int) {
	num := func(n int) ir.Derived { return ir.Told(ir.Num{N: n * bytes, From: []ir.Origin{{Why: "the test"}}}) }
	for _, p := range f.Ports {
		if p.Device().Switch == nil {
			continue
		}
		var out []*ir.Buffer
		for _, b := range p.Buffers() {
			out = append(out, &ir.Buffer{Group: b.Group, Xoff: num(xoff), XonDelta: num(xoff - xon), Size: num(xoff + room)})
		}
		p.SetBuffers(out)
	}
}

// opposite returns a ring of four switches, and the flows from each to the opposite one.
func opposite(groups func(*irtest.Cabling)) (f *ir.Fabric, flows []*ir.Flow) {
	c := irtest.Ring(ir.ShortestPath, 4)
	if groups != nil {
		groups(c)
	}
	f = c.Fabric()
	h := func(i int) string { return c.HostOf(fmt.Sprint("R", i%4)) }
	for i := range 4 {
		flows = append(flows, c.Flow(fmt.Sprintf("%s R%d R%d R%d %s", h(i), i, (i+1)%4, (i+2)%4, h(i+2))))
	}
	return f, flows
}

func TestCircleOfFlowsLocksAndStays(t *testing.T) {
	f, flows := opposite(nil)
	sizes(f, 40, 20, 100)
	s := sim.Scenario{Loads: sim.Full(flows)}
	o := s.Run()
	circle := 0
	for _, b := range o.Locked {
		if b.In.Peer().Device().Switch != nil {
			circle++
		}
		assert.True(t, slices.ContainsFunc(o.Pauses, func(p sim.Pause) bool { return p.Buffer == b }))
	}
	assert.Equal(t, 4, circle, "the buffers of the ring")
	assert.Equal(t, o.LockedAt, o.Stopped, "the hosts stop when the buffers lock")
	assert.False(t, o.Drained)
	assert.Greater(t, o.Left, 4*20*bytes, "each buffer keeps more than its xon")
	assert.Zero(t, frames(o))
	assert.Equal(t, o, s.Run(), "equal scenarios have equal outcomes")

	s.Loads = s.Loads[:3] // no flow turns at R0
	o = s.Run()
	assert.Empty(t, o.Locked)
	assert.True(t, o.Drained)
	assert.Zero(t, o.Left)
	assert.NotEmpty(t, o.Pauses)
	assert.Equal(t, s.Long(), o.Stopped)
}

// Two flows round a ring of four make a circle of buffers and never lock it. With a third flow over one hop they lock it (Hu et al.,
// HotNets 2016).
func TestTwoFlowsNeedAThird(t *testing.T) {
	c := irtest.New(ir.TablePath).Links("A-B B-C C-D D-A hA-A hB-B hC-C hD-D")
	f := c.Fabric()
	two := []*ir.Flow{c.Flow("hA A B C D hD"), c.Flow("hC C D A B hB")}
	locks := func(third int) (n int) {
		for seed := range uint64(12) {
			sizes(f, 40, 10+2*int(seed), 100)
			s := sim.Scenario{Loads: sim.Full(two), Sends: 4 * time.Millisecond, Seed: seed}
			if third > 0 {
				s.Loads = append(s.Loads, sim.Load{Flow: c.Flow("hB B C hC"), Percent: third})
			}
			if o := s.Run(); len(o.Locked) > 0 {
				n++
			}
		}
		return n
	}
	assert.Zero(t, locks(0), "two flows")
	assert.Zero(t, locks(2), "a slow third")
	assert.NotZero(t, locks(60), "a fast third")
}

// A routing loop locks when frames arrive faster than its most used direction can carry them. Of 7 passes between two switches 4 use one
// direction, so it locks from a quarter of line rate on.
func TestRoutingLoopLocksAboveItsShare(t *testing.T) {
	c := irtest.New(ir.TablePath).Links("A-B hA-A hB-B")
	sizes(c.Fabric(), 40, 20, 100)
	for percent, want := range map[int]bool{23: false, 27: true} {
		s := sim.Scenario{Loads: []sim.Load{{Flow: c.Flow("hA A B A B A B A B"), Percent: percent}}, Sends: 5 * time.Millisecond}
		assert.Equal(t, want, len(s.Run().Locked) > 0, "%d %% of line rate", percent)
	}
}

// If a switch counts two groups in one buffer, a change of group on the way does not help.
func TestSharedBuffersLockAcrossGroups(t *testing.T) {
	for _, shared := range []bool{false, true} {
		var c *irtest.Cabling
		f, flows := opposite(func(of *irtest.Cabling) { c = of.Bounce() })
		for _, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.Can.Shared = shared
			}
		}
		sizes(f, 40, 20, 100)
		for _, flow := range flows[2:] { // after R0, traffic is in the second group
			for i := 1; i < len(flow.Groups); i++ {
				if flow.Ports[2*i].Device().Name == "R0" || flow.Groups[i-1] != c.Group {
					flow.Groups[i] = c.Group.Bounce
				}
			}
		}
		o := sim.Scenario{Loads: sim.Full(flows), Sends: 5 * time.Millisecond}.Run()
		assert.Equal(t, shared, len(o.Locked) > 0, "shared: %v", shared)
		if shared {
			assert.Nil(t, o.Locked[0].Group)
		}
	}
}

// incast returns a switch with so many senders and one receiver, at 100 Gb/s.
func incast(senders int) (f *ir.Fabric, flows []*ir.Flow) {
	c := irtest.New(ir.UpDown)
	for i := range senders + 1 {
		c.Link(fmt.Sprint("h", i), "S")
	}
	f = c.Fabric()
	for i := range senders {
		flows = append(flows, c.Flow(fmt.Sprintf("h%d S h%d", i+1, 0)))
	}
	return f, flows
}

// Of n senders, each port keeps (n-1)/n of what comes in. So the time of the first pause is known to a few frames.
func TestFirstPauseComesWhenXoffIsFull(t *testing.T) {
	for _, senders := range []int{2, 4, 8} {
		f, flows := incast(senders)
		sizes(f, 100, 50, 100)
		o := sim.Scenario{Loads: sim.Full(flows), Sends: time.Millisecond}.Run()
		require.Len(t, o.Pauses, senders)
		slots := float64(o.Pauses[0].At) / float64(slot)
		assert.InDelta(t, 100*float64(senders)/float64(senders-1), slots, 4, "%d senders", senders)
		assert.Equal(t, 101*bytes, o.Pauses[0].Xoff)
		assert.Nil(t, o.Mark, "the fabric marks nothing")
		assert.True(t, o.Drained)
		assert.InDelta(t, float64(time.Millisecond)/float64(slot), sum(o.Delivered), float64(senders*120), "the receiver is always busy")
	}
}

// frames counts the frames that lossless buffers had no room for.
func frames(o sim.Observed) (n int) {
	for _, d := range o.Drops {
		if d.Lossless {
			n += d.Frames
		}
	}
	return n
}

func sum(ns []int) (all int) {
	for _, n := range ns {
		all += n
	}
	return all
}

// A mark comes when the queue exceeds its minimum, and with a probability that rises to the maximum.
func TestFirstMark(t *testing.T) {
	f, flows := incast(2)
	sizes(f, 400, 200, 100)
	num := func(n int) ir.Derived { return ir.Told(ir.Num{N: n}) }
	to := flows[0].Ports[2]
	to.SetMarks([]*ir.Mark{{Group: flows[0].Groups[0], Min: num(50 * bytes), Max: num(50*bytes + 1), Probability: num(100)}})
	o := sim.Scenario{Loads: sim.Full(flows), Sends: time.Millisecond}.Run()
	require.NotNil(t, o.Mark)
	assert.Same(t, to, o.Mark.Out)
	assert.Equal(t, 51*bytes, o.Mark.Queue)
	assert.InDelta(t, 51, float64(o.Mark.At)/float64(slot), 3)
	assert.Less(t, o.Mark.At, o.Pauses[0].At)
	all := o.Marked
	to.SetMarks([]*ir.Mark{{Group: flows[0].Groups[0], Min: num(50 * bytes), Max: num(5000 * bytes), Probability: num(10)}})
	o = sim.Scenario{Loads: sim.Full(flows), Sends: time.Millisecond}.Run()
	assert.Positive(t, o.Marked)
	assert.Less(t, 10*o.Marked, all)
}

// A slow receiver pauses a single sender, and without it nothing pauses.
func TestSlowReceiver(t *testing.T) {
	f, flows := incast(1)
	sizes(f, 40, 20, 100)
	s := sim.Scenario{Loads: sim.Full(flows), Sends: time.Millisecond}
	assert.Empty(t, s.Run().Pauses)
	s.Receivers = map[*ir.Port]int{flows[0].Ports[3]: 25}
	o := s.Run()
	require.Len(t, o.Pauses, 1)
	assert.InDelta(t, 0.75, float64(o.Pauses[0].For)/float64(o.Stopped), 0.1, "the port pauses the share that the receiver does not take")
	assert.InDelta(t, 0.25*float64(time.Millisecond)/float64(slot), o.Delivered[0], 70)
}

// A lossy group drops, and pauses nothing.
func TestLossyGroupDrops(t *testing.T) {
	f, flows := incast(2)
	for _, p := range f.Ports {
		p.SetBuffers(nil)
	}
	flows[0].Groups[0].Lossless = false
	o := sim.Scenario{Loads: sim.Full(flows), Sends: time.Millisecond}.Run()
	assert.Empty(t, o.Pauses)
	require.NotEmpty(t, o.Drops)
	for _, d := range o.Drops {
		assert.False(t, d.Lossless)
	}
	assert.Zero(t, frames(o))
	assert.True(t, o.Drained)
}

// A dynamic threshold lets a buffer use its share of the free pool before its xoff: alpha x free.
func TestPoolDelaysPauses(t *testing.T) {
	for _, c := range []struct {
		alpha ir.Alpha
		want  int // frames of the pool of 1,000 that each of two ports holds at the first pause
	}{
		{ir.Alpha{Num: 0, Den: 1}, 0},
		{ir.Alpha{Num: 1, Den: 1}, 1000 / 3},
		{ir.Alpha{Num: 2, Den: 1}, 2 * 1000 / 5},
		{ir.Alpha{}, 500}, // no limit: all of it
	} {
		f, flows := incast(2)
		sizes(f, 10, 5, 100)
		s := flows[0].Ports[1].Device().Switch
		s.Model = &platform.Switch{ASIC: &platform.ASIC{Buffer: 1000*bytes + 3*110*bytes}}
		s.Can.Memory = ir.MemoryModel{Percent: 100, Alpha: c.alpha}
		o := sim.Scenario{Loads: sim.Full(flows), Sends: 2 * time.Millisecond}.Run()
		require.NotEmpty(t, o.Pauses)
		assert.InDelta(t, c.want+10, o.Pauses[0].Xoff/bytes, 3, "alpha %s", c.alpha)
		assert.True(t, o.Drained)
	}
}

// A ring whose thresholds depend on free memory locks, too, and stays locked when all else has left.
func TestPoolLocks(t *testing.T) {
	f, flows := opposite(nil)
	sizes(f, 10, 5, 100)
	for _, d := range f.Devices {
		if d.Switch != nil {
			d.Switch.Model = &platform.Switch{ASIC: &platform.ASIC{Buffer: 600*bytes + 3*110*bytes}}
			d.Switch.Can.Memory = ir.MemoryModel{Percent: 100, Alpha: ir.Alpha{Num: 1, Den: 1}}
		}
	}
	found := sim.Search{Flows: flows, Runs: 40, Sends: 5 * time.Millisecond}.Run()
	require.NotEmpty(t, found.Observed.Locked)
	assert.False(t, found.Observed.Drained)
	assert.Greater(t, found.Observed.LockedAt, 50*slot)
}

// A pool that all headrooms share is too small if many ports pause at once.
func TestSharedHeadroomDrops(t *testing.T) {
	f, flows := incast(8)
	sizes(f, 40, 20, 100)
	s := sim.Scenario{Loads: sim.Full(flows), Sends: time.Millisecond}
	o := s.Run()
	assert.Zero(t, frames(o))
	used := 0
	for _, p := range o.Pauses {
		used += p.Headroom
	}
	at := flows[0].Ports[1].Device().Switch
	at.HeadroomPool = ir.Num{N: used, From: []ir.Origin{{Why: "the test"}}}
	lost := s.Run()
	assert.Zero(t, frames(lost))
	at.HeadroomPool.N = used / 4
	lost = s.Run()
	assert.NotZero(t, frames(lost))
	assert.True(t, lost.Drops[0].Obeyed)
}

// The simulation ends at the bound of its work, and says so.
func TestWorkEnds(t *testing.T) {
	f, flows := opposite(nil)
	sizes(f, 4000, 2000, 100)
	o := sim.Scenario{Loads: sim.Full(flows), Work: 1000}.Run()
	assert.True(t, o.Ended)
	assert.Equal(t, 1000, o.Events)
	assert.False(t, o.Drained)
	found := sim.Search{Flows: flows[:3], Runs: 50, Work: 5000}.Run()
	assert.True(t, found.Ended)
	assert.Less(t, found.Runs, 50)
	assert.Empty(t, found.Observed.Locked)
}

// A port whose sizes the fabric does not know is named, and loses nothing.
func TestUnknownSizesAreNamed(t *testing.T) {
	_, flows := incast(2)
	o := sim.Scenario{Loads: sim.Full(flows)}.Run()
	assert.Len(t, o.Assumed, 2, "the ports that frames come in by")
	assert.Equal(t, -1, o.Pauses[0].Room)
	assert.Empty(t, o.Drops)
}
