package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/walk"
)

// speedBelowBySearch returns the same as [lowerSets.sums], by a search from the device.
func speedBelowBySearch(d *ir.Device, ends map[*ir.Device]int) int {
	sum := 0
	seen := map[*ir.Device]bool{d: true}
	for todo := []*ir.Device{d}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		sum += ends[at]
		for _, port := range at.Ports {
			if low := port.Peer().Device(); low.Forwards() && low.Height() < at.Height() && !seen[low] {
				seen[low] = true
				todo = append(todo, low)
			}
		}
	}
	return sum
}

// In any cabling, lowerSets agrees with a search from each device. That holds also over links that leave out tiers, parallel links, hosts
// that forward, and switches without hosts.
func TestSpeedBelow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	shared := 0
	for range 300 {
		c := irtest.New(ir.UpDown)
		switches := 1 + rnd.IntN(14)
		for i := range switches {
			name := fmt.Sprint("S", i)
			c.Device(name).Switch.Tier = 1 + rnd.IntN(5)
			for range rnd.IntN(3) {
				c.Hosts(name)
			}
		}
		for range rnd.IntN(40) {
			if a, b := rnd.IntN(switches), rnd.IntN(switches); a != b {
				c.Link(fmt.Sprint("S", a), fmt.Sprint("S", b))
			}
		}
		f := c.Fabric()
		ends := map[*ir.Device]int{}
		for _, d := range f.Devices {
			if d.Host != nil {
				d.Host.Forwards = rnd.IntN(3) == 0
			}
		}
		for _, d := range f.Devices {
			if d.Forwards() && rnd.IntN(3) > 0 {
				ends[d] = 1 + rnd.IntN(1000)
			}
		}
		sets := newLowerSets(f)
		shared += len(f.Devices) - len(sets.sets)
		below := sets.sums(ends)
		for _, d := range f.Devices {
			if d.Forwards() {
				require.Equal(t, speedBelowBySearch(d, ends), below(d), d.Name)
			}
		}
	}
	require.Positive(t, shared)
}

// Switches above the same devices share a set, so that a pod is summed once and not for each of its switches.
func TestLowerSetsOfAPod(t *testing.T) {
	f := irtest.Clos(ir.UpDown, 3, 5, 4, 2, 2).Fabric()
	sets := newLowerSets(f)
	require.Len(t, sets.sets, 1+3+4, "nothing, the leaves of each pod, the aggs of each plane")
	for _, d := range f.Devices {
		if d.Switch != nil && d.Switch.Tier == 2 {
			require.Len(t, sets.sets[sets.of[d.ID]].devices, 5)
		}
	}
}

// BenchmarkOversubscription runs the check where every pod has less up than down: 512, 4,096 and 32,768 hosts, in pods that
// grow with them.
func BenchmarkOversubscription(b *testing.B) {
	for _, k := range []int{8, 16, 32} {
		c := irtest.Clos(ir.UpDown, k, k, k/2, k/4, k)
		f := fabric(c)
		for _, p := range f.Ports {
			p.SetSpeed(100_000)
		}
		check := []*Check{Oversubscription}
		b.Run(fmt.Sprintf("%d-hosts", k*k*k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := &Pass{Fabric: f, check: check[0]}
				Oversubscription.Run(p)
				if len(p.found) == 0 {
					b.Fatal("nothing is found")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k*k*k), "ns/host")
		})
	}
}

// The check counts the members at a device once, also if they are in several intents.
func TestSending(t *testing.T) {
	c := irtest.Clos(ir.UpDown, 2, 2, 2, 1, 3)
	f := fabric(c)
	for _, p := range f.Ports {
		p.SetSpeed(100)
	}
	f.Intents = append(slices.Clone(f.Intents), f.Intents...)
	ends, all := sending(f, c.Group)
	require.Equal(t, 12*100, all)
	for d, speed := range ends {
		require.Equal(t, 300, speed, d.Name)
		require.Equal(t, d, walk.AttachedTo(d.Ports[len(d.Ports)-1].Peer().NIC))
	}
}
