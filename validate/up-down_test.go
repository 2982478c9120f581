package validate

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// TestUpDownNoPathAgreesWithASearch compares the check with a search over all paths of every pair of members.
func TestUpDownNoPathAgreesWithASearch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := irtest.New(ir.UpDown)
		n := rapid.IntRange(3, 7).Draw(rt, "switches")
		for i := 1; i < n; i++ { // first a tree, then more links
			c.Link(fmt.Sprint("R", rapid.IntRange(0, i-1).Draw(rt, "a")), fmt.Sprint("R", i))
		}
		for range rapid.IntRange(0, 6).Draw(rt, "more") {
			a, b := rapid.IntRange(0, n-1).Draw(rt, "a"), rapid.IntRange(0, n-1).Draw(rt, "b")
			if a != b {
				c.Link(fmt.Sprint("R", a), fmt.Sprint("R", b))
			}
		}
		for i := range n {
			c.Device(fmt.Sprint("R", i)).Switch.Tier = rapid.IntRange(1, 3).Draw(rt, "tier")
			if rapid.IntRange(0, 3).Draw(rt, "host") > 0 {
				c.Hosts(fmt.Sprint("R", i))
			}
		}
		for _, l := range c.F.Links {
			if a, b := l.A().Device(), l.B().Device(); a.Switch != nil && b.Switch != nil {
				l.Peer = a.Switch.Tier == b.Switch.Tier
			}
		}
		f := c.Fabric()
		lost := 0
		for _, a := range f.Intents[0].Members {
			for _, b := range f.Intents[0].Members {
				if a != b && !pathUpDown(a.NIC.Port.Peer().Device(), b.NIC.Port.Peer().Device(), false) {
					lost++
				}
			}
		}
		p := &Pass{Fabric: f, check: UpDownNoPath}
		UpDownNoPath.Run(p)
		if (len(p.found) > 0) != (lost > 0) {
			rt.Fatalf("%d ordered pairs have no path, found %d", lost, len(p.found))
		}
	})
}

// pathUpDown reports whether a path leads from one switch to another that rises, takes at most one peer step, and falls.
func pathUpDown(from, to *ir.Device, falling bool) bool {
	if from == to {
		return true
	}
	for _, p := range from.Ports {
		n := p.Peer().Device()
		if n.Switch == nil || falling && n.Switch.Tier >= from.Switch.Tier {
			continue
		}
		if pathUpDown(n, to, falling || n.Switch.Tier <= from.Switch.Tier) {
			return true
		}
	}
	return false
}
