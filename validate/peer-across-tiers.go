package validate

import "github.com/rocec/rocec/lang/diag"

// PeerAcrossTiers warns of peer links between tiers.
var PeerAcrossTiers = &Check{
	Code:    "peer-across-tiers",
	Summary: "a peer link joins two tiers",
	Answers: []string{"X5"},
	Run: func(p *Pass) {
		said := map[diag.Range]bool{}
		for _, l := range p.Fabric.Links {
			a, b := l.A().Device(), l.B().Device()
			if !l.Peer || a.Switch == nil || b.Switch == nil || a.Switch.Tier == b.Switch.Tier || said[l.PeerAt] {
				continue
			}
			said[l.PeerAt] = true
			p.Warnf(diag.FirstPlace(l.PeerAt, l.At),
				"%s says peer = true, but %s has tier %d and %s tier %d: the link goes up and down like any other, and peer has no "+
					"effect. Leave peer out, or correct the tiers.", l.Block, a.Name, a.Switch.Tier, b.Name, b.Switch.Tier).
				Note(diag.FirstPlace(a.Switch.TierFrom.At, a.At), "%s has tier %d", a.Name, a.Switch.Tier).
				Note(diag.FirstPlace(b.Switch.TierFrom.At, b.At), "%s has tier %d", b.Name, b.Switch.Tier)
		}
	},
}
