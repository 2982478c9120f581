package routes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// randomTwins draws layers of switches, most of which have the same neighbours as others, with AS numbers by several schemes. Hosts with
// one port or a bond are on the lowest layer.
func randomTwins(r *rand.Rand) *irtest.Cabling {
	c := irtest.New(ir.EBGP)
	below := 2 + r.IntN(8)
	var links []string
	kinds := 1 + r.IntN(3)
	above := 2 + r.IntN(4)
	for kind := range kinds {
		for a := range above {
			if r.IntN(4) == 0 {
				continue
			}
			for leaf := range below {
				if leaf%kinds == kind && r.IntN(20) > 0 {
					links = append(links, fmt.Sprintf("l%d-a%d", leaf, a))
				}
			}
		}
	}
	for top := range r.IntN(3) {
		for a := range above {
			if r.IntN(3) > 0 {
				links = append(links, fmt.Sprintf("a%d-t%d", a, top))
			}
		}
	}
	if r.IntN(4) == 0 {
		links = append(links, fmt.Sprintf("l%d-l%d", r.IntN(below), r.IntN(below)))
	}
	for _, l := range links {
		if a, b := l[:2], l[3:]; a != b {
			c.Link(a, b)
		}
	}
	plan := r.IntN(4)
	for i, d := range c.F.Devices {
		switch {
		case plan == 0 || r.IntN(12) == 0:
			d.Switch.ASN = 1 + r.IntN(5)
		case plan == 1 && d.Name[0] == 'l':
			d.Switch.ASN = 1000 + int(d.Name[1]-'0')/2 // pairs
		case plan == 2 && d.Name[0] == 'a':
			d.Switch.ASN = 2000
		default:
			d.Switch.ASN = 3000 + i
		}
	}
	for i := range below {
		name := fmt.Sprint("h", i)
		c.Link(name, fmt.Sprint("l", i))
		if r.IntN(3) > 0 {
			continue
		}
		c.Link(name, fmt.Sprint("l", r.IntN(below)))
		h := c.Device(name).Host
		bond := &ir.Bond{Mode: "802.3ad", NICs: h.NICs}
		for _, n := range h.NICs {
			n.Bond = bond
		}
		h.Bonds = []*ir.Bond{bond}
	}
	for _, d := range c.F.Devices {
		if d.Switch != nil && d.Switch.ASN == 0 {
			d.Switch.ASN = 5000 + r.IntN(2) // a leaf without uplinks
		}
	}
	return c
}

// Twins and small graphs give the same result as eBGP on the whole graph for every destination.
func TestUnroutedAgreesWithEveryDestination(t *testing.T) {
	var joined, apart, tree, bonds, twins int
	for seed := range uint64(4000) {
		c := randomTwins(rand.New(rand.NewPCG(seed, 5)))
		f := routed(c)
		n := f.Routes.(*Router).net()
		var nics []*ir.NIC
		for _, m := range f.Intents[0].Members {
			nics = append(nics, m.NIC)
		}
		reaches := func(to, from *ir.NIC) bool {
			b, err := newBGP(n, ir.AnyTie, make([]bool, len(f.Links)))
			require.NoError(t, err)
			require.NoError(t, b.run(n.Attached(to)))
			return slices.ContainsFunc(n.Attached(from), func(v int32) bool { return b.first[v] < open })
		}
		one, other, err := f.Routes.Unrouted(c.Group, nics, nil)
		require.NoError(t, err)
		switch {
		case one != nil:
			require.False(t, reaches(one, other) && reaches(other, one), "seed %d: %s and %s", seed, one.Device.Name, other.Device.Name)
			require.Less(t, slices.Index(nics, one), slices.Index(nics, other))
			apart++
		case !n.bgpIsShortest():
			for _, to := range nics {
				for _, from := range nics {
					require.True(t, reaches(to, from), "seed %d: %s to %s", seed, from.Device.Name, to.Device.Name)
				}
			}
			joined++
		}
		if n.Forest && !n.bgpIsShortest() {
			tree++
		}
		if slices.ContainsFunc(nics, func(nic *ir.NIC) bool { return nic.Bond != nil }) {
			bonds++
		}
		if b, err := newBGP(n, ir.AnyTie, make([]bool, len(f.Links))); err == nil {
			r := newReach(b, nics)
			if small := r.smaller(r.all[:1]); small.Edges < n.Edges && slices.Contains(r.kept, false) {
				twins++
			}
		}
	}
	for what, n := range map[string]int{"joined": joined, "apart": apart, "trees": tree, "bonds": bonds, "twins left out": twins} {
		assert.Greater(t, n, 50, what)
	}
}

// The work grows with the sessions of a fabric, not with sessions times leaves.
func TestUnroutedIsLinear(t *testing.T) {
	steps := func(leaves int) int64 {
		c := irtest.LeafSpine(ir.EBGP, leaves, 4).UniqueASNs().ASN("S", 65000)
		c.Device("L1").Switch.ASN = c.Device("L0").Switch.ASN
		f := routed(c)
		var nics []*ir.NIC
		for _, m := range f.Intents[0].Members {
			nics = append(nics, m.NIC)
		}
		const budget = 1_000_000
		b := ir.NewBudget(budget)
		one, other, err := f.Routes.Unrouted(c.Group, nics, b)
		require.NoError(t, err)
		require.NotNil(t, one)
		assert.Equal(t, []string{"L0", "L1"}, []string{one.Port.Peer().Device().Name, other.Port.Peer().Device().Name})
		return budget - b.Left()
	}
	assert.Less(t, steps(800), 9*steps(100))

	f := routed(irtest.LeafSpine(ir.EBGP, 20, 4).UniqueASNs().ASN("S", 65000))
	var nics []*ir.NIC
	for _, m := range f.Intents[0].Members {
		nics = append(nics, m.NIC)
	}
	for _, few := range []int64{0, 300} {
		_, _, err := f.Routes.Unrouted(f.CosGroups[0], nics, ir.NewBudget(few))
		assert.ErrorIs(t, err, ir.ErrBudget)
	}
}

// On a tree a repeated AS number blocks the only path, and a switch without a number blocks nothing. If a bridge may replace a route, the
// result is unknown.
func TestNumbersOnTrees(t *testing.T) {
	tree := func() *irtest.Cabling { return irtest.New(ir.EBGP).Links("L0-S L1-S L2-S").Hosts("L0", "L1", "L2") }
	tests := []struct {
		name  string
		c     *irtest.Cabling
		apart string
		code  ir.RoutingCode
	}{
		{"different numbers", tree().UniqueASNs(), "", ""},
		{"no numbers", tree(), "", ""},
		{"one number", tree().ASN("", 65000), "L0 L1", ""},
		{"two leaves with one number, a spine without a number", tree().ASN("L0", 65001).ASN("L2", 65001), "L0 L2", ""},
		{"a leaf and the spine", tree().UniqueASNs().ASN("L1", 65001).ASN("S", 65001), "L0 L1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := routed(tt.c)
			var nics []*ir.NIC
			for _, m := range f.Intents[0].Members {
				nics = append(nics, m.NIC)
			}
			one, other, err := f.Routes.Unrouted(tt.c.Group, nics, nil)
			require.NoError(t, err)
			w, err := f.Routes.(*Router).Widths(placesOf(f), make([]bool, len(f.Links)), nil)
			require.NoError(t, err)
			at := func(nic *ir.NIC) *ir.Device { return nic.Port.Peer().Device() }
			for _, a := range nics {
				for _, b := range nics {
					if a == b {
						continue
					}
					ways, err := f.Routes.Ways(ir.Trip{Group: tt.c.Group, From: []*ir.Port{a.Port}, To: []*ir.Port{b.Port}}, ir.State{})
					require.NoError(t, err)
					cut := ways.Stops[0].Left < 0
					assert.Equal(t, cut, w.From(at(a))[slices.Index(w.Places, at(b))] == 0, "Widths and Ways agree")
					if one != nil && (a == one && b == other || a == other && b == one) {
						assert.True(t, cut)
					}
					assert.False(t, cut && one == nil)
				}
			}
			if tt.apart == "" {
				assert.Nil(t, one)
				return
			}
			require.NotNil(t, one)
			assert.Equal(t, tt.apart, at(one).Name+" "+at(other).Name)
		})
	}

	c := tree().ASN("", 65000)
	c.Between("L0", "S").Routed = false
	f := routed(c)
	m := f.Intents[0].Members
	_, _, err := f.Routes.Unrouted(c.Group, []*ir.NIC{m[0].NIC, m[1].NIC}, nil)
	var routing *ir.RoutingError
	require.ErrorAs(t, err, &routing)
	assert.Equal(t, ir.BridgedLink, routing.Code)
}
