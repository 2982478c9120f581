package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
)

// pausedFabric draws a fabric with link pause on some cables, with bounces, shared buffers and several talks.
func pausedFabric(r *rand.Rand, routing ir.Routing, failures int, between bool) *ir.Fabric {
	for {
		f := drawnFabric(r, routing, failures)
		if f.FlowControl == ir.Pause {
			continue
		}
		if r.IntN(2) == 0 { // the other hosts send best effort
			for _, in := range f.Intents {
				in.Members = in.Members[:min(2, len(in.Members))]
			}
		}
		of := 1 + r.IntN(3)
		pause := 0
		for _, l := range f.Links {
			host := l.A().Device().Host != nil || l.B().Device().Host != nil
			if l.FlowControl = ir.PFC; r.IntN(of) == 0 && (between || host) {
				l.FlowControl = ir.Pause
				pause++
			}
		}
		if pause < len(f.Links) { // link pause on all cables would be the fabric's setting
			f.Routes = routes.New(f)
			return f
		}
	}
}

// The proof agrees with brute force on fabrics with link pause on some cables and PFC on others. Such fabrics lock only if they are not
// free.
func TestFlowControlByCable(t *testing.T) {
	verdicts, coupled := map[validate.Verdict]int{}, map[validate.Verdict]int{}
	check(t, func() bool { return coupled[validate.Prone] > 0 && coupled[validate.Free] > 0 }, func(t *rapid.T) {
		routing := rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.ShortestPath, ir.EBGP, ir.UpDown, ir.AnyPath, ir.Flooding}).Draw(t,
			"routing")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 61))
		f := pausedFabric(r, routing, rapid.IntRange(0, 2).Draw(t, "failures"), true)
		if routing == ir.EBGP && !uniqueASNs(f) {
			return
		}
		assertAgrees(t, f)
		p := judged(t, f)
		verdicts[p.Verdict]++
		if f.Coupled() {
			coupled[p.Verdict]++
		}
		if p.Verdict != validate.Free {
			return
		}
		b := state(f, nil, r)
		all := append(b.Flows(f.CosGroups[0]), some(r, b.Flows(ir.Lossy), 6)...)
		for range 3 {
			require.Empty(t, random(some(r, all, 12), 2000, r.Uint64()).Run().Locked)
		}
	})
	t.Log(verdicts, "coupled:", coupled)
	assert.NotZero(t, coupled[validate.Prone])
	assert.NotZero(t, coupled[validate.Free])
}

// disagreeingFabric draws a fabric of two or more lossless groups. Many ports lack the buffers of some groups, and some switches keep one
// buffer for all groups. It also counts the ports whose buffers fill with traffic that the other end does not stop.
func disagreeingFabric(r *rand.Rand, routing ir.Routing, failures int) (f *ir.Fabric, ports int) {
	f = drawnFabric(r, routing, failures)
	second := &ir.CosGroup{Name: "second", Cos: 6, At: irtest.Place(50), Lossless: true, LosslessAt: irtest.Place(51)}
	f.CosGroups = append(f.CosGroups, second)
	if all := f.Intents; len(all) > 0 {
		in := &ir.Intent{Name: "second", At: all[0].At, Version: 2, Group: second, Members: all[0].Members}
		f.Intents = append(slices.Clone(all), in)
		for _, m := range in.Members {
			m.NIC.Intents = append(slices.Clone(m.NIC.Intents), in)
		}
	}
	for _, d := range f.Devices {
		if d.Switch != nil {
			d.Switch.Can.Shared = d.Switch.Can.Shared || r.IntN(4) > 0
		}
	}
	lacking := 2 + r.IntN(4)
	for _, p := range f.Ports {
		all := append(slices.Clone(p.Buffers()), &ir.Buffer{Group: second})
		if i := r.IntN(len(all) * lacking); i < len(all) { // the buffer that the port lacks
			all = slices.Delete(all, i, i+1)
		}
		p.SetBuffers(all)
	}
	f.Routes = routes.New(f)
	for _, p := range f.Ports {
		ports += countOf(f.CosGroups, func(g *ir.CosGroup) bool { return oracle.Fills(p, g) && !oracle.Holds(p.Peer(), g) })
	}
	return f, ports
}

func countOf[T any](of []T, is func(T) bool) (n int) {
	for _, x := range of {
		if is(x) {
			n++
		}
	}
	return n
}

// The proof agrees with brute force on fabrics whose cables have different lossless groups at their ends. Such fabrics lock only if they
// are not free.
func TestEndsDisagree(t *testing.T) {
	verdicts := map[validate.Verdict]int{}
	check(t, func() bool { return verdicts[validate.Prone] > 0 && verdicts[validate.Free] > 0 }, func(t *rapid.T) {
		routing := rapid.SampledFrom([]ir.Routing{
			ir.ShortestPath, ir.ShortestPath, ir.EBGP, ir.UpDown, ir.AnyPath, ir.Flooding,
			ir.SpanningTree,
		}).Draw(t, "routing")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 71))
		f, ports := disagreeingFabric(r, routing, rapid.IntRange(0, 2).Draw(t, "failures"))
		if routing == ir.EBGP && !uniqueASNs(f) {
			return
		}
		assertAgrees(t, f)
		p := judged(t, f)
		if ports > 0 {
			verdicts[p.Verdict]++
		}
		if p.Verdict != validate.Free {
			return
		}
		b := state(f, nil, r)
		var all []*ir.Flow
		for _, g := range f.CosGroups {
			if g.Lossless {
				all = append(all, b.Flows(g)...)
			}
		}
		for range 3 {
			require.Empty(t, random(some(r, all, 12), 2000, r.Uint64()).Run().Locked)
		}
	})
	t.Log(verdicts)
	assert.NotZero(t, verdicts[validate.Prone])
	assert.NotZero(t, verdicts[validate.Free])
}

// Two lossless groups share the buffers of s2. Its neighbour s3 has no buffer for rdma, so s3 does not stop sending rdma. Still, rdma
// fills the buffer of s2, which keeps s3 paused for the other group.
func TestJointBufferFilledFromOneEnd(t *testing.T) {
	f := pausedFabric(rand.New(rand.NewPCG(0x191, 61)), ir.ShortestPath, 0, true)
	assertAgrees(t, f)
	assert.Equal(t, validate.Prone, judged(t, f).Verdict)
}

// Link pause at the ports of hosts changes no verdict, because no buffer waits for a host.
func TestLinkPauseAtHostsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routing := rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.EBGP, ir.UpDown, ir.AnyPath, ir.Flooding, ir.SpanningTree}).Draw(t,
			"routing")
		f := pausedFabric(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 67)), routing, rapid.IntRange(0, 2).Draw(t, "failures"), false)
		with := judged(t, f)
		for _, l := range f.Links {
			l.FlowControl = ""
		}
		f.Routes = routes.New(f)
		without := judged(t, f)
		require.Equal(t, show(without), show(with))
	})
}

// Two neighbours send lossless traffic, and all hosts send best effort. With PFC on one cable of the ring there is no circle. With link
// pause, lossy packets close the circle.
func TestLossyTrafficOnPausedCables(t *testing.T) {
	for _, c := range []struct {
		name, paused string
		want         validate.Verdict
	}{
		{"PFC", "", validate.Free},
		{"one cable", "R0-R1", validate.Free},
		{"all but one", "R0-R1 R1-R2 R2-R3", validate.Free},
		{"all of the ring", "R0-R1 R1-R2 R2-R3 R3-R0", validate.Prone},
	} {
		t.Run(c.name, func(t *testing.T) {
			ring := irtest.Ring(ir.ShortestPath, 4).Failures(0)
			on := ring.Cables(c.paused)
			pausedCables(ring, func(l *ir.Link) bool { return slices.Contains(on, l) })
			f := routed(ring)
			f.Intents[0].Members = f.Intents[0].Members[:2]
			f.Routes = routes.New(f)
			p := judged(t, f)
			assert.Equal(t, c.want, p.Verdict, p.Why())
			assert.Equal(t, c.want == validate.Prone, oracle.Judge(f, 0).Prone)
			if p.Verdict == validate.Prone {
				assert.Equal(t, ir.Lossy, p.Loops[0].Circle[0].Group)
			}
		})
	}
}
