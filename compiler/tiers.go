package compiler

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
)

// tiers sets the tier of switches that state none: 1 plus the number of links to the nearest switch with a host. A switch that no host can
// reach has tier 0.
func (c *compiler) tiers() {
	height := make([]int, len(c.f.Devices)) // by Device.ID; hosts stay 0
	var queue []*ir.Device
	for _, d := range c.f.Devices {
		if d.Host != nil {
			queue = append(queue, d)
		}
	}
	for len(queue) > 0 {
		d := queue[0]
		queue = queue[1:]
		for _, p := range d.Ports {
			next := p.Peer().Device()
			if next.Switch != nil && height[next.ID] == 0 {
				height[next.ID] = height[d.ID] + 1
				queue = append(queue, next)
			}
		}
	}
	for _, d := range c.f.Devices {
		if d.Switch == nil || d.Switch.TierFrom.Why != "" {
			continue
		}
		d.Switch.Tier = height[d.ID]
		d.Switch.TierFrom = ir.Origin{Why: heightText(height[d.ID])}
	}
}

func heightText(height int) string {
	switch height {
	case 0:
		return "no host can reach it"
	case 1:
		return "hosts are connected to it"
	case 2:
		return "1 link above the nearest switch with hosts"
	}
	return fmt.Sprintf("%d links above the nearest switch with hosts", height-1)
}
