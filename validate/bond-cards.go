package validate

import (
	"regexp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// BondCards warns of bonds over two cards.
var BondCards = &Check{
	Code:    "bond-cards",
	Summary: "a bond over two cards is no RoCE LAG",
	Answers: []string{"N16"},
	Doc: `
RoCE runs over a bond only when its ports are the two ports of one card: the card then shows one
RDMA device (mlx5_bond_0) and moves its traffic from one port to the other. Over two cards the bond
works for everything else, but each port stays an RDMA device of its own, without failover, and
settings written for the one do not reach the other.

The name of an interface says where its card sits: enp3s0f1 is function 1 of the card at bus 3, slot
0; ens2f1 that of the card in slot 2. Names that do not say it are not judged.

Example:

    host "store" {
      nic "enp[3-4]s0f0" { model = "connectx-5" }
      bond "bond0" {
        nics = ["enp3s0f0", "enp4s0f0"]
        mode = "802.3ad"
      }
    }
    link "stores" {
      a = "store[1-2]:enp[3-4]s0f0"
      b = "leaf[1-4]:swp1"
    }

Fix: bond the two ports of one card (enp3s0f0 and enp3s0f1); for two cards use two
addresses and let the applications use both (multi-rail).
`,
	Run: func(p *Pass) {
		var found folds[diag.Range, *ir.Bond]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, bond := range d.Host.Bonds {
				if len(bond.NICs) == 2 && len(bond.NICs[0].Intents) > 0 && twoCards(bond.NICs[0].Name, bond.NICs[1].Name) {
					found.add(bond.At, bond)
				}
			}
		}
		found.each(func(at diag.Range, bonds []*ir.Bond) {
			a, b := bonds[0].NICs[0], bonds[0].NICs[1]
			p.Warnf(at, "%s %s and %s, which by their names are ports of two cards. RoCE LAG needs both ports of one card: "+
				"over two, each stays an RDMA device of its own without failover. Bond the ports of one card, or use both "+
				"without a bond.",
				verb(bondsText(bonds), len(bonds), "joins", "join"), a.Name, b.Name).
				Note(a.At, "%s", a.Name).Note(b.At, "%s", b.Name)
		})
	},
}

// cardName reads the name systemd gives an interface by its place: by bus and slot (enp3s0f1np1), or by hotplug slot (ens2f0).
var cardName = regexp.MustCompile(`\Aen(?:((?:P\d+)?p\d+s\d+)|(s\d+))(?:f\d+)?(?:np\d+)?\z`)

// twoCards reports whether two interfaces are certainly ports of different cards.
func twoCards(a, b string) bool {
	x, y := cardName.FindStringSubmatch(a), cardName.FindStringSubmatch(b)
	if x == nil || y == nil {
		return false
	}
	return x[1] != y[1] && x[1] != "" && y[1] != "" || x[2] != y[2] && x[2] != "" && y[2] != ""
}
