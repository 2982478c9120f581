package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// PFCOneEnd reports lossless links on which one end does not send pauses, or does not obey them.
var PFCOneEnd = &Check{
	Code:    "pfc-one-end",
	Summary: "flow control at one end of a lossless link only",
	Answers: []string{"0", "3", "K1", "K2", "C24", "N13"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, b := range byHands(p.Fabric) {
			if port, _ := b.beside(); port == nil {
				p.oneEnd(b)
			}
		}
	},
}

func (p *Pass) oneEnd(b *byHand) {
	groups, at := b.carrying()
	if len(groups) == 0 {
		return
	}
	port := at[groups[0]]
	peer := port.Peer()
	if fc := port.FlowControl(); walk.OneWay(fc) {
		p.Errorf(diag.FirstPlace(b.FlowControlAt, b.At),
			"%s flow_control = %q on ports that carry %s. %s; at the other end is %s. %s Let %s send pauses and obey "+
				"them, on every port that carries the group.", verb(deviceNames(b.devices), len(b.devices), "has", "have"), fc,
			groupNames(groups), halves(fc, port), peer, consequence(fc, port, peer), themOf(b.devices))
		return
	}
	var missing []*ir.CosGroup
	for _, g := range groups {
		if port := b.unpaused(g); port != nil {
			missing, at[g] = append(missing, g), port
		}
	}
	if len(missing) == 0 {
		return
	}
	port = at[missing[0]]
	peer = port.Peer()
	p.Errorf(diag.FirstPlace(b.PFCAt, b.At),
		"%s no PFC for %s: pfc = %s. %s carries it. It does not stop when %s pauses that cos, and does not pause it when "+
			"its own buffer is full, so packets are lost in both directions. Switch PFC on for cos %d at both ends.",
		verb(deviceNames(b.devices), len(b.devices), "has", "have"), groupNames(missing), claimsText(b.PFC), port, peer, missing[0].Cos).
		Note(diag.FirstPlace(missing[0].LosslessAt, missing[0].At), "makes %s lossless", missing[0].Name)
}

// unpaused returns the first port that carries the group by PFC and whose stated priorities lack it; nil: not found.
func (b *byHand) unpaused(g *ir.CosGroup) *ir.Port {
	for _, d := range b.devices {
		for _, p := range d.Ports {
			if p.Carries(g) != nil && walk.Unpaused(p, g) {
				return p
			}
		}
	}
	return nil
}

// halves returns text about what a port with this flow control does, and about the loss.
func halves(fc ir.FlowControl, port *ir.Port) string {
	switch fc {
	case ir.PFCTx:
		return fmt.Sprintf("%s sends pauses and obeys none", port)
	case ir.PFCRx:
		return fmt.Sprintf("%s obeys pauses and sends none", port)
	}
	return fmt.Sprintf("%s neither sends pauses nor obeys them", port)
}

func consequence(fc ir.FlowControl, port, peer *ir.Port) string {
	full := fmt.Sprintf("Packets that %s sends while %s is full are lost there.", peer, port)
	paused := fmt.Sprintf("When %s pauses it, it sends on, and packets beyond the headroom of %s are lost.", peer, peer)
	switch fc {
	case ir.PFCTx:
		return paused
	case ir.PFCRx:
		return full
	}
	return full + " " + paused
}
