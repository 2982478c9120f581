package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// PauseBesidePFC reports link pause and PFC in one fabric.
var PauseBesidePFC = &Check{
	Code:    "pause-beside-pfc",
	Summary: "link pause and PFC in one fabric",
	Answers: []string{"0", "K16", "N7"},
	OnHop:   true,
	Doc: `
There are two ways to be lossless, and a port does one of them (802.1Q): link pause (802.3x) stops
everything on the link, PFC (802.1Qbb) one priority. They are different frames. A port set to one
does not obey the other, so where the two ends of a link differ nobody stops, and packets are lost.
A NIC set to both may make all its buffers lossless, or refuse.

Even between two devices of the same kind, link pause inside a PFC fabric stops the CNPs and all
other traffic too, and the PFC-loop proof, which follows the lossless groups, says nothing of it.

Example:

    fabric "pod1" { flow_control = "pfc" } # the default
    host "store" {
      nic "ens1f0" { model = "e810" }
      by_hand { flow_control = "pause" } # the driver's default: link pause on
    }

How to mend it: switch link pause off and PFC on at these devices (ethtool -A IF rx off tx off), or
the other way round where the fabric has flow_control = "pause".

    host "store" {
      by_hand { flow_control = "pfc" }
    }
`,
	Run: func(p *Pass) {
		f := p.Fabric
		for _, b := range byHands(f) {
			besides := walk.PauseBeside(f, b.ByHand)
			if besides == nil {
				continue
			}
			groups, at := b.carrying()
			if len(groups) == 0 {
				continue
			}
			port := at[groups[0]]
			peer := port.Peer()
			who := verb(deviceNames(b.devices), len(b.devices), "uses", "use")
			switch own := port.FlowControl(); {
			case own == ir.Pause && f.FlowControl == ir.Pause:
				p.Errorf(*besides, "%s link pause, as the fabric does, and PFC for %s: pfc = %s. A port does one or the other; many obey neither "+
					"when set to both. Leave pfc out, and switch PFC off there.",
					who, diag.Plural(len(b.PFC), "one cos", "several cos"), claimsText(b.PFC))
			case own == ir.Pause:
				p.Errorf(*besides, "%s link pause in a fabric of PFC. %s carries %s; %s pauses it by PFC, which it does not obey, and it stops "+
					"%s by link pause, which a port set to PFC does not obey. Packets are lost in both directions; between two devices of link "+
					"pause, everything stops with the lossless group. Switch link pause off and PFC on.",
					who, port, groupNames(groups), peer, peer)
			default:
				p.Errorf(*besides, "%s PFC (flow_control = %q) in a fabric of link pause. %s carries %s; %s stops it by link pause, which a port set "+
					"to PFC does not obey, and does not obey PFC itself. Packets are lost in both directions. Switch PFC off and link pause on, "+
					"or let the fabric have flow_control = \"pfc\".", who, own, port, groupNames(groups), peer)
			}
		}
	},
}
