package validate

// PFCLoopUnknown reports fabrics the proof does not reach.
var PFCLoopUnknown = &Check{
	Code:    "pfc-loop-unknown",
	Summary: "not known to be free of PFC loops",
	Doc: `rocec could neither prove that no circle of lossless buffers can wait for itself (rocec explain
pfc-loop) nor find one. The message says what is missing:

  - the routing's paths are not followed in a fabric whose lossless links form a circle (ebgp,
    spanning-tree, flooding);
  - routing = "up-down", but two switches of the same tier are joined by a link that is no peer
    link, so the tiers do not say which way is up;
  - routing = "shortest-path" with failures, in a fabric too large to try every set of failed
    links. Shortest paths found anew after a failure can lead down and up again, so that the
    healthy verdict proves nothing;
  - bounce moves traffic between groups on its way.

Example:

    fabric "pod" {
      routing  = "shortest-path"   # 512 links between switches
      failures = 2                 # 131,328 sets of failed links
    }

How to mend it: if your routing never sends traffic up again after it came down, say routing =
"up-down" and give every switch its tier: that is proven at any size and for any failures. Or
ask for less (failures = 0), knowing that the verdict then holds for the healthy fabric only.`,
	Run: func(p *Pass) {
		for _, l := range p.loops() {
			if l.verdict != Unknown {
				continue
			}
			at := p.Fabric.RoutingAt
			if at.Filename == "" {
				at = p.Fabric.At
			}
			d := p.Warnf(at, "Whether lossless traffic of %s can stop itself in a circle is not known: %s.", groupsText(l.groups), l.why)
			if tiered(l.losslessLinks()) {
				d.Detail += " If the switches' routing never sends traffic up again after it came down, say routing = \"up-down\": " +
					"that is proven at any size and for any failures."
			}
		}
	},
}
