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

// pausedFabric draws a fabric of which some cables use link pause, with bounces, shared buffers and several talks.
func pausedFabric(r *rand.Rand, routing ir.Routing, failures int, between bool) *ir.Fabric {
	for {
		f := drawnFabric(r, routing, failures)
		if f.FlowControl == ir.Pause {
			continue
		}
		if r.IntN(2) == 0 { // the others send best effort
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
		if pause < len(f.Links) { // else that is the fabric's
			f.Routes = routes.New(f)
			return f
		}
	}
}

// Fabrics of which some cables use link pause and others PFC agree with brute force, and lock only where they are not free.
func TestFlowControlByCable(t *testing.T) {
	verdicts, coupled := map[validate.Verdict]int{}, map[validate.Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
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

// Link pause at the ports of hosts changes no verdict: nothing waits for a host.
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

// Two neighbours talk losslessly, and everybody best effort. By PFC on a single cable of the ring no circle closes. Of link pause, lossy
// packets close it.
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
