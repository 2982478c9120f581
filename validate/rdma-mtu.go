package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// RDMAMTU reports MTUs that are slightly too small for an RDMA MTU.
var RDMAMTU = &Check{
	Code:    "rdma-mtu",
	Summary: "the MTU falls short of an RDMA MTU",
	Answers: []string{"K9", "N5"},
	Run: func(p *Pass) {
		var found folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if len(n.Intents) > 0 && n.Port != nil && n.MTU > 0 && n.MTU < ir.LargestRDMA+ir.RDMAHeaders && !walk.OverPort(n) &&
					(justBelow(n.MTU) > 0 || ir.RDMAMTU(n.MTU) < 2048 && n.Port.Link().MTU.N >= ir.LargestRDMA+ir.RDMAHeaders) {
					found.add(diag.FirstPlace(n.MTUAt, n.At), n)
				}
			}
		}
		found.each(func(at diag.Range, nics []*ir.NIC) {
			n := nics[0]
			who := nicName(n) + andMore(len(nics), "NIC")
			if step := justBelow(n.MTU); step > 0 {
				p.Warnf(at, "An MTU of %d leaves no room for RDMA packets of %d bytes and their headers (%d): %s will send "+
					"packets of %d, twice as many. Write mtu = %d or "+
					"more.", n.MTU, step, ir.RDMAHeaders, who, ir.RDMAMTU(n.MTU), step+ir.RDMAHeaders)
				return
			}
			p.Noticef(at, "With an MTU of %d, %s will send RDMA packets of %d bytes; the switch ports take %d. An MTU of %d or "+
				"more gives packets of %d, with a quarter of the "+
				"headers.", n.MTU, who, ir.RDMAMTU(n.MTU), n.Port.Link().MTU.N, ir.LargestRDMA+ir.RDMAHeaders, ir.LargestRDMA)
		})
	},
}

// justBelow returns the RDMA MTU that a netdev MTU was probably meant for, if only the headers do not fit; 0: none.
func justBelow(mtu int) int {
	for size := ir.LargestRDMA; size >= 256; size /= 2 {
		if size <= mtu && mtu < size+ir.RDMAHeaders {
			return size
		}
	}
	return 0
}
