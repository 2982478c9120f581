package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/oracle"
)

// flows returns one flow for each list of devices.
func flows(c *irtest.Cabling, lists ...string) []*ir.Flow {
	out := make([]*ir.Flow, len(lists))
	for i, l := range lists {
		out[i] = c.Flow(l)
	}
	return out
}

// loads gives every flow a rate in 1/oracle.Line.
func loads(fs []*ir.Flow, rate int) []oracle.Load {
	out := make([]oracle.Load, len(fs))
	for i, f := range fs {
		out[i] = oracle.Load{Flow: f, Rate: rate}
	}
	return out
}

// random draws a run of the flows: rates, receivers down to a tenth of line rate, delays and thresholds.
func random(fs []*ir.Flow, slots int, seed uint64) oracle.Simulation {
	r := rand.New(rand.NewPCG(seed, 7))
	s := oracle.Simulation{
		Receivers: map[*ir.Port]int{}, Delay: 1 + r.IntN(5), Xoff: 40, Xon: 10 + r.IntN(29), Headroom: -1, Slots: slots, Seed: seed,
	}
	for _, f := range fs {
		s.Loads = append(s.Loads, oracle.Load{Flow: f, Rate: oracle.Line * (1 + r.IntN(10)) / 10})
		if end := f.Ports[len(f.Ports)-1]; r.IntN(2) == 0 {
			s.Receivers[end] = oracle.Line / (1 + r.IntN(10))
		}
	}
	return s
}

func TestCircleOfFlowsLocks(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	c.Fabric()
	h := func(i int) string { return c.HostOf(fmt.Sprint("R", i%4)) }
	var two []*ir.Flow
	for i := range 4 {
		two = append(two, c.Flow(fmt.Sprintf("%s R%d R%d R%d %s", h(i), i, (i+1)%4, (i+2)%4, h(i+2))))
	}
	s := oracle.Simulation{
		Loads: loads(two, oracle.Line), Delay: 2, Xoff: 40, Xon: 20, Headroom: -1, Slots: 20_000,
		Receivers: map[*ir.Port]int{},
	}
	for _, l := range two {
		s.Receivers[l.Ports[len(l.Ports)-1]] = oracle.Line / 4
	}
	out := s.Run()
	require.NotEmpty(t, out.Locked)
	assert.Equal(t, out, s.Run(), "the same run, the same outcome")
	circle := 0
	for _, b := range out.Locked {
		if b.In.Peer().Device().Switch != nil {
			circle++
		}
	}
	assert.Equal(t, 4, circle, "the buffers of the ring")
	assert.LessOrEqual(t, out.Fill, 40+2*2)

	s.Loads = s.Loads[:3] // no flow turns at R0
	assert.Empty(t, s.Run().Locked)
}

// Two flows round a ring of four make a circle of buffers and never lock it. With a third flow over one hop they lock it, but not if that
// flow is slow (Hu et al., HotNets 2016).
func TestTwoFlowsNeedAThird(t *testing.T) {
	c := irtest.New(ir.TablePath).Links("A-B B-C C-D D-A hA-A hB-B hC-C hD-D")
	c.Fabric()
	fs := flows(c, "hA A B C D hD", "hC C D A B hB")
	lock := func(fs []*ir.Flow, third int) bool {
		for seed := range uint64(12) {
			l := loads(fs, oracle.Line)
			if len(fs) == 3 {
				l[2].Rate = third
			}
			s := oracle.Simulation{Loads: l, Delay: 1 + int(seed)%5, Xoff: 40, Xon: 10 + 2*int(seed), Headroom: -1, Slots: 20_000, Seed: seed}
			if len(s.Run().Locked) > 0 {
				return true
			}
		}
		return false
	}
	assert.False(t, lock(fs, 0), "two flows")
	three := append(fs, c.Flow("hB B C hC"))
	assert.False(t, lock(three, oracle.Line/20), "a slow third")
	assert.True(t, lock(three, oracle.Line*6/10), "a fast third")
}

// A routing loop locks when packets arrive faster than its most used direction can carry them. Of 7 passes between two switches 4 use one
// direction, so it locks from a quarter of line rate on.
func TestRoutingLoopLocksAboveItsShare(t *testing.T) {
	c := irtest.New(ir.TablePath).Links("A-B hA-A hB-B")
	c.Fabric()
	f := c.Flow("hA A B A B A B A B")
	for rate, want := range map[int]bool{24: false, 26: true} {
		s := oracle.Simulation{Loads: loads([]*ir.Flow{f}, oracle.Line*rate/100), Delay: 1, Xoff: 40, Xon: 20, Headroom: -1, Slots: 40_000}
		assert.Equal(t, want, len(s.Run().Locked) > 0, "%d %% of line rate", rate)
	}
}

// A buffer holds Xoff packets, and those that arrive while the pause travels to the sender and the last packets travel back.
func TestHeadroomIsTwiceTheDelay(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 4, 2)
	f := c.Fabric()
	b := &oracle.Brute{Fabric: f}
	all := b.Flows(c.Group)
	for seed := range uint64(20) {
		s := random(all, 4000, seed)
		for i := range s.Loads {
			s.Loads[i].Rate = oracle.Line
		}
		s.Receivers[all[0].Ports[len(all[0].Ports)-1]] = oracle.Line / 10
		s.Headroom = 2 * s.Delay
		out := s.Run()
		assert.Equal(t, s.Xoff+s.Headroom, out.Fill, "the headroom is just large enough")
		assert.Zero(t, out.Lost, "seed %d, delay %d", seed, s.Delay)
		s.Headroom -= 2
		assert.NotZero(t, s.Run().Lost, "seed %d, delay %d", seed, s.Delay)
	}
}

// If a chip counts two groups in one buffer, a change of group on the way does not help.
func TestSharedBuffersLockAcrossGroups(t *testing.T) {
	ring := func(shared bool) bool {
		c := irtest.Ring(ir.TablePath, 4).Bounce()
		f := c.Fabric()
		for _, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.Can.Shared = shared
			}
		}
		h := func(i int) string { return c.HostOf(fmt.Sprint("R", i%4)) }
		var fs []*ir.Flow
		for i := range 4 { // after R0, traffic is in the second group
			list := fmt.Sprintf("%s R%d R%d R%d %s", h(i), i, (i+1)%4, (i+2)%4, h(i+2))
			if i >= 2 {
				list = strings.Replace(list, " R0 ", " R0 ! ", 1)
			}
			fs = append(fs, c.Flow(list))
		}
		for seed := range uint64(40) {
			if len(random(fs, 10_000, seed).Run().Locked) > 0 {
				return true
			}
		}
		return false
	}
	assert.False(t, ring(false), "two groups")
	assert.True(t, ring(true), "one buffer for both")
}

// BenchmarkSimulation is 20,000 slots of a leaf/spine fabric of 24 flows.
func BenchmarkSimulation(b *testing.B) {
	c := irtest.LeafSpine(ir.ShortestPath, 4, 2)
	f := c.Fabric()
	s := random((&oracle.Brute{Fabric: f}).Flows(c.Group), 20_000, 1)
	for b.Loop() {
		if out := s.Run(); len(out.Locked) > 0 {
			b.Fatal("a fabric without a circle has locked")
		}
	}
}
