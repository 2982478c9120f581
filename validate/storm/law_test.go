package storm_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/storm"
)

// fault plants an origin: mostly a host that pauses for ever, at times two of them, at times a switch whose queue sends nothing.
func (n *network) fault(dsts []int) (origins map[*ir.Port]bool) {
	origins = map[*ir.Port]bool{}
	switch kind := n.r.IntN(20); {
	case kind < 2: // a queue of a switch on the way to the first destination
		at := n.on[dsts[0]][0]
		p := n.ports[at].peer
		if ways := n.next[0][n.ports[n.ports[n.on[n.someHosts(1)[0]][0]].peer].device]; kind == 0 && len(ways) > 0 {
			p = int(ways[0])
		}
		n.ports[p].stuck = true
		origins[n.ports[p].of] = true
	default:
		for i := range 1 + max(0, kind-18) {
			if i < len(dsts) {
				n.storms[dsts[i]] = true
				origins[n.f.Devices[dsts[i]].Ports[0]] = true
			}
		}
	}
	return origins
}

// hurts reports whether a fault has an effect: a queue that holds so few packets that its switch pauses no port is no storm.
func (n *network) hurts(origins map[*ir.Port]bool) bool {
	for p := range origins {
		for _, q := range n.on[p.Device().ID] {
			if n.ports[q].pausing {
				return true
			}
		}
	}
	return false
}

// names counts the true origins among those that were found, and reports whether there are others.
func names(found *storm.Pauses, origins map[*ir.Port]bool) (right int, others bool) {
	met := map[*ir.Port]bool{}
	for _, o := range found.Origins {
		at := o.Port
		if o.Kind == storm.SwitchPauses { // the queue is not known, but the switch is
			for p := range origins {
				if p.Device() == at.Device() {
					at = p
				}
			}
		}
		if !origins[at] {
			return 0, true
		}
		met[at] = true
	}
	return len(met), len(found.Locks) > 0
}

// The origin of at least 95 of 100 storms is named, and at most 1 of 100 is wrong, although devices are silent and counters are missing.
func TestStormsHaveAnAuthor(t *testing.T) {
	storms, most := 300, 300
	if os.Getenv("ROCEC_TEST") == "all" {
		storms, most = 1000, 1000
	}
	right, wrong, open, largest := 0, 0, 0, 0
	for seed := uint64(0); right+wrong+open < storms; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		f := clos(r, size(r, most))
		n := newNetwork(f, r)
		dsts := n.someHosts(1 + r.IntN(30))
		n.traffic(dsts, 0.3+0.7*r.Float64())
		origins := n.fault(dsts)
		s := look(f, r, 0.05, 0.10, r.IntN(3) > 0)
		n.run(600)
		if !n.hurts(origins) {
			continue
		}
		found := storm.Judge(f, n.readings(s, 400))
		switch named, others := names(found, origins); {
		case others:
			wrong++
			t.Logf("seed %d: wrong: %v", seed, found.Origins[0].Port)
		case named == len(origins):
			right++
		default:
			open++
		}
		switches := 0
		for _, d := range f.Devices {
			if d.Switch != nil {
				switches++
			}
		}
		largest = max(largest, switches)
	}
	t.Logf("%d storms: %d right, %d wrong, %d not known; up to %d switches", storms, right, wrong, open, largest)
	require.GreaterOrEqual(t, right*100, storms*95)
	require.LessOrEqual(t, wrong*100, storms)
}

// A congestion accuses no device: many hosts send to one, and its port sends at line rate or its host takes packets slowly.
func TestIncastsAccuseNoDevice(t *testing.T) {
	incasts, most := 100, 300
	if os.Getenv("ROCEC_TEST") == "all" {
		incasts, most = 300, 1000
	}
	verdicts := map[storm.Conclusion]int{}
	for seed := range uint64(incasts) {
		r := rand.New(rand.NewPCG(seed, 2))
		f := clos(r, size(r, most))
		n := newNetwork(f, r)
		dsts := n.someHosts(1 + r.IntN(4))
		n.traffic(dsts, 0.5+0.5*r.Float64())
		for _, d := range dsts {
			if r.IntN(3) == 0 {
				n.drain[d] = 0.3 + 0.7*r.Float64()
			}
		}
		silent, missing := 0.05, 0.10
		if r.IntN(2) == 0 {
			silent, missing = 0, 0
		}
		s := look(f, r, silent, missing, r.IntN(3) > 0)
		n.run(600)
		found := storm.Judge(f, n.readings(s, 400))
		require.Empty(t, found.Origins, "seed %d", seed)
		require.Empty(t, found.Locks, "seed %d", seed)
		if silent == 0 {
			require.Equal(t, storm.Short, found.Verdict, "seed %d: %v", seed, found.Hidden)
		}
		verdicts[found.Verdict]++
	}
	t.Logf("%d incasts: %v", incasts, verdicts)
}

// ring returns a ring of switches in which each host sends to the host two switches further.
func ring(r *rand.Rand, size int) *network {
	f := finished(irtest.Ring(ir.ShortestPath, size))
	n := newNetwork(f, r)
	host := map[string]int{}
	for d, is := range n.host {
		if is {
			host[f.Devices[d].Ports[0].Peer().Device().Name] = d
		}
	}
	for i := range size {
		from, to := host["R"+string(rune('0'+i))], host["R"+string(rune('0'+(i+2)%size))]
		n.sends[from], n.rate[from] = []int32{n.toward(to)}, 1
	}
	return n
}

// A circle of buffers that has locked is a lock and no storm, whichever counters switches have.
func TestLockIsNotAStorm(t *testing.T) {
	for size := 5; size <= 7; size++ {
		for _, timed := range []bool{true, false} {
			r := rand.New(rand.NewPCG(uint64(size), 3))
			n := ring(r, size)
			n.run(2000)
			found := storm.Judge(n.f, n.readings(look(n.f, r, 0, 0, timed), 400))
			require.Equal(t, storm.Lock, found.Verdict, "%d %v", size, found)
			require.Len(t, found.Locks, 1)
			require.Len(t, found.Locks[0].Waits, size)
			require.Len(t, found.Locks[0].Hosts, size)
			for i, w := range found.Locks[0].Waits {
				require.Equal(t, w.Port.Peer().Device(), found.Locks[0].Waits[(i+1)%size].Port.Device())
			}
		}
	}
}

// A storm in a ring whose buffers have not locked has its origin at a host.
func TestStormInARing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	n := ring(r, 5)
	for d := range n.sends {
		n.sends[d] = nil
	}
	host := n.someHosts(2)
	n.sends[host[0]], n.rate[host[0]] = []int32{n.toward(host[1])}, 1
	n.storms[host[1]] = true
	n.run(600)
	found := storm.Judge(n.f, n.readings(look(n.f, r, 0, 0, true), 400))
	require.Equal(t, storm.Storm, found.Verdict)
	require.Equal(t, storm.HostPauses, found.Origins[0].Kind)
	require.Equal(t, n.f.Devices[host[1]].Ports[0], found.Origins[0].Port)
	require.Contains(t, found.Origins[0].Hosts, n.f.Devices[host[0]])
}
