package validate

// MTUMismatch reports NICs that send frames their switch port drops.
var MTUMismatch = &Check{
	Code:    "mtu-mismatch",
	Summary: "a NIC sends larger frames than the switches take",
	Doc: `A switch drops a frame that is larger than its port's MTU, lossless or not, and no counter that
people watch says so: small messages pass, large ones hang. The MTU of every RoCE NIC must be at
most the fabric's.

Example:

    fabric "pod1" { mtu = 1500 }

    host "gpu" {
      nic "ens1f0" {
        model = "connectx-5"
        mtu   = 9000          # the ports take 1500
      }
    }

How to mend it: leave fabric.mtu out (it is 9216 then), or lower the mtu of the nic block. 9000 on
hosts and 9216 on switches is the usual pair.`,
	Run: func(p *Pass) {
		told := map[string]bool{}
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if n.Port == nil || n.MTU <= p.Fabric.MTU || len(n.Intents) == 0 || told[n.MTUAt.String()] {
					continue
				}
				told[n.MTUAt.String()] = true // once for a group: its hosts share the block
				p.Errorf(orAt(n.MTUAt, n.At), "%s has an MTU of %d, the switch ports take %d: larger frames are dropped. Raise fabric.mtu or "+
					"lower the MTU of the NIC.", nicName(n), n.MTU, p.Fabric.MTU).
					Note(orAt(p.Fabric.MTUAt, p.Fabric.At), "the MTU of the switch ports, %d", p.Fabric.MTU)
			}
		}
	},
}
