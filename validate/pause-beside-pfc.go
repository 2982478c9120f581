package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PauseBesidePFC reports link pause and PFC at one cable.
var PauseBesidePFC = &Check{
	Code:    "pause-beside-pfc",
	Summary: "link pause and PFC at the ends of one cable",
	Answers: []string{"0", "K16", "N7"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, b := range byHands(p.Fabric) {
			port, besides := b.beside()
			if port == nil {
				continue
			}
			var groups []*ir.CosGroup
			for _, buffer := range port.Buffers() {
				groups = append(groups, buffer.Group)
			}
			peer := port.Peer()
			who := verb(deviceNames(b.devices), len(b.devices), "uses", "use")
			in, ask := "in a fabric", "the fabric"
			if port.Link().FlowControlAt.Filename != "" {
				in, ask = "on a cable", port.Link().Block
			}
			var d *diag.Diagnostic
			switch own := port.FlowControl(); {
			case own == ir.Pause && port.ByPause():
				d = p.Errorf(*besides, "%s link pause, as %s does, and PFC for %s: pfc = %s. A port can do only one of them; many obey neither "+
					"when set to both. Leave pfc out, and switch PFC off there.",
					who, ask, diag.Plural(len(b.PFC), "one cos", "several cos"), claimsText(b.PFC))
			case own == ir.Pause:
				d = p.Errorf(*besides, "%s link pause %s of PFC. %s carries %s; %s pauses it by PFC, which it does not obey, and it stops "+
					"%s by link pause, which a port set to PFC does not obey. Packets are lost in both directions; between two devices of link "+
					"pause, everything stops with the lossless group. Switch link pause off and PFC on.",
					who, in, port, groupNames(groups), peer, peer)
			default:
				d = p.Errorf(*besides, "%s PFC (flow_control = %q) %s of link pause. %s carries %s; %s stops it by link pause, which a port set "+
					"to PFC does not obey, and does not obey PFC itself. Packets are lost in both directions. Switch PFC off and link pause on, "+
					"or let %s have flow_control = \"pfc\".", who, own, in, port, groupNames(groups), peer, ask)
			}
			if at := port.Link().FlowControlAt; at.Filename != "" {
				d.Note(at, "decides how the cable is lossless")
			}
		}
	},
}
