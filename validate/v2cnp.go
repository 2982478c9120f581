package validate

// RoCEv2NoCNP reports RoCEv2 whose congestion notifications have no place of their own.
var RoCEv2NoCNP = &Check{
	Code:    "roce-v2-no-cnp",
	Summary: "RoCEv2 without a cos group for its CNPs",
	Doc: `When a switch marks a RoCEv2 packet, the receiver sends a congestion notification packet (CNP)
back to the sender. A CNP that waits in a full queue comes too late: it wants a group of its
own, lossy and served first.

Example:

    roce "training" {
      version   = 2
      cos_group = cos_group.rdma      # no cnp
    }

How to mend it:

    cos_group "cnp" {
      cos    = 6
      dscp   = ["cs6"]
      strict = true
    }

and cnp = cos_group.cnp in the roce block.`,
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			if in.Version == 2 && in.Group.ECN != nil && in.CNP == nil {
				p.Warnf(in.At, "Roce %q names no cnp group. Its congestion notifications travel with whatever else is best effort and come late "+
					"when they matter. Declare a lossy strict cos group with a DSCP (48, cs6, is what NICs send by default) and write "+
					"cnp = cos_group.NAME.", in.Name)
			}
		}
	},
}
