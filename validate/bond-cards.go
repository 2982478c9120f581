package validate

import (
	"regexp"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// BondCards warns of bonds over two cards.
var BondCards = &Check{
	Code:    "bond-cards",
	Summary: "a bond over two cards is not a RoCE LAG",
	Answers: []string{"N16"},
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
			p.Warnf(at, "%s %s and %s, which are ports of two cards by their names. RoCE LAG needs both ports of one card: "+
				"over two cards, each port stays a separate RDMA device without failover. Bond the ports of one card, or use both "+
				"without a bond.",
				verb(bondsText(bonds), len(bonds), "joins", "join"), a.Name, b.Name).
				Note(a.At, "%s", a.Name).Note(b.At, "%s", b.Name)
		})
	},
}

// cardName parses a name that systemd derives from the place of a card: from bus and slot (enp3s0f1np1), or from a hotplug slot (ens2f0).
var cardName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\Aen(?:((?:P\d+)?p\d+s\d+)|(s\d+))(?:f\d+)?(?:np\d+)?\z`)
})

// twoCards reports whether two interfaces are certainly ports of different cards.
func twoCards(a, b string) bool {
	x, y := cardName().FindStringSubmatch(a), cardName().FindStringSubmatch(b)
	if x == nil || y == nil {
		return false
	}
	return x[1] != y[1] && x[1] != "" && y[1] != "" || x[2] != y[2] && x[2] != "" && y[2] != ""
}
