package validate

import "github.com/rocec/rocec/compiler/ir"

// PFCLoopUnknown reports fabrics the proof does not reach.
var PFCLoopUnknown = &Check{
	Code:    "pfc-loop-unknown",
	Summary: "not known to be free of PFC loops",
	Answers: []string{"K23"},
	Doc: `
rocec could neither prove that no circle of lossless buffers can wait for itself (rocec explain
pfc-loop) nor show one that can come about. The message says what is missing:

  - routing = "up-down", but two switches of the same tier are joined by a link that is no peer
    link, so the tiers do not say which way is up;
  - the budget ran out. There are so many sets of links that may fail, each giving other shortest
    paths, that not all were judged; the message says which were. The healthy verdict proves
    nothing for the others;
  - turns of states that exclude each other close a circle together: of two ways to break a tie, or
    of two failures that do not happen at once. Such a circle need not be a real one, and no
    single state that was tried has it.

The budget counts work, not time, so that the verdict is the same on every machine: a second of
--budget is 100 million steps.

Example: two leaves are joined by a link that is no peer link.

    fabric "pod1" {
      routing = "up-down"
    }
    link "sideways" {
      a = "leaf1:swp30"
      b = "leaf2:swp30"
    }

How to mend it: if your routing never sends traffic up again after it came down, say routing =
"up-down" and give every switch its tier: that is proven at any size and for any failures. With
eBGP, give the switches AS numbers that forbid it (RFC 7938). Give the proof more work
(--budget 10m). Or ask for less (failures = 1), knowing that the verdict then holds for no more.

    link "sideways" {
      peer = true
    }
`,
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			if l.Verdict != Unknown {
				continue
			}
			d := p.Warnf(p.routingAt(), "Whether lossless traffic of %s can stop itself in a circle is not known: %s.", groupsText(l.Groups),
				whyText(l))
			switch plan := l.ASPlan(); {
			case p.Fabric.Routing == ir.EBGP && plan != nil && noPathsLost(p.Fabric):
				d.Detail += " AS numbers that forbid the way down and up again would prove it at any size and for any failures: " + planText(plan) + "."
			case (p.Fabric.Routing == ir.EBGP || p.Fabric.Routing == ir.ShortestPath) && l.Tiered() && noPathsLost(p.Fabric):
				d.Detail += " If the switches' routing never sends traffic up again after it came down, say routing = \"up-down\": " +
					"that is proven at any size and for any failures."
			}
		}
	},
}
