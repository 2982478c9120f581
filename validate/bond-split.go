package validate

import (
	"cmp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// BondSplit reports bonds whose two switches do not act as one.
var BondSplit = &Check{
	Code:    "bond-split",
	Summary: "a bond to two switches that are no pair",
	Answers: []string{"K14", "N16"},
	Doc: `
In the modes 802.3ad and balance-xor the switch side must be one: both cables in one switch, or in
two that act as one (MLAG, or EVPN multihoming). Two switches on their own send different LACP
identities, so 802.3ad uses one port and leaves the other idle; with balance-xor they see one MAC
address at two places and send the host's traffic now here, now there. What arrives at an idle port
is dropped, lossless or not.

Example:

    switch "leaf" {
      names = "leaf[1-4]" # no mlag
    }
    host "store" {
      bond "bond0" {
        nics = ["ens2f0", "ens2f1"]
        mode = "802.3ad"
      }
    }
    link "stores" {
      a = "store[1-2]:ens2f[0-1]"
      b = "leaf[1-4]:swp1" # store1 on leaf1 and leaf2, store2 on leaf3 and leaf4
    }

Fix: say which switches are a pair, if they are; otherwise both cables to one switch, or
mode = "active-backup".

    switch "leaf" {
      names = "leaf[1-4]"
      mlag  = "rack${floor(self.index / 2)}"
    }
`,
	Run: func(p *Pass) {
		type key struct{ bond, a, b diag.Range }
		var found folds[key, *ir.Bond]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, bond := range d.Host.Bonds {
				if bond.Mode == "active-backup" || len(bond.NICs) != 2 || len(bond.NICs[0].Intents) == 0 ||
					bond.NICs[0].Port == nil || bond.NICs[1].Port == nil {
					continue
				}
				a, b := bond.NICs[0].Port.Peer().Device(), bond.NICs[1].Port.Peer().Device()
				if a == b || a.Switch == nil || b.Switch == nil || a.Switch.MLAG != "" && a.Switch.MLAG == b.Switch.MLAG {
					continue
				}
				found.add(key{bond.At, mlagAt(a), mlagAt(b)}, bond)
			}
		}
		found.each(func(k key, bonds []*ir.Bond) {
			a, b := bonds[0].NICs[0], bonds[0].NICs[1]
			left, right := a.Port.Peer().Device(), b.Port.Peer().Device()
			d := p.Errorf(diag.FirstPlace(bonds[0].ModeAt, k.bond), "%s in mode %s, which needs one switch or a pair at its other end, "+
				"but %s goes to %s and %s to %s, which %s. Give both switches the same mlag, if they are a pair; otherwise "+
				"cable both ports to one switch, or use mode = \"active-backup\".",
				verb(bondsText(bonds), len(bonds), "is", "are"), bonds[0].Mode, a.Name, left.Name, b.Name, right.Name,
				noPair(left, right))
			d.Note(k.a, "%s: %s", left.Name, cmp.Or(left.Switch.MLAG, "no mlag"))
			if k.b != k.a {
				d.Note(k.b, "%s: %s", right.Name, cmp.Or(right.Switch.MLAG, "no mlag"))
			}
		})
	},
}

func noPair(a, b *ir.Device) string {
	if a.Switch.MLAG == "" && b.Switch.MLAG == "" {
		return "have no mlag"
	}
	return "are not of one mlag"
}
