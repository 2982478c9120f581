package validate

import "github.com/rocec/rocec/lang/diag"

// PeerAcrossTiers warns of peer links that are none.
var PeerAcrossTiers = &Check{
	Code:    "peer-across-tiers",
	Summary: "a peer link joins two tiers",
	Answers: []string{"X5"},
	Doc: `
peer = true marks a link between switches of one tier: the cable of a redundancy pair, or another
step sideways. Between two tiers a link goes up or down, whatever it is called, and the PFC-loop
proof takes it so. Either the word is wrong or a tier is; if it is the tier, the proof is about
another fabric.

Example:

    mesh "uplinks" {
      lower = "leaf[1-4]:swp[31-32]"
      upper = "spine[1-2]:swp[1-4]"
      peer  = true
    }

Fix: leave peer out, or correct the tier of the switches.

    mesh "uplinks" { peer = false }
`,
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
