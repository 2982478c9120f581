package validate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/proof"
)

// A price counts each pair that one failed link may cut off: in either direction, with any choice between equal AS paths, and for any
// link.
func TestPriceNamesWhoIsCutOff(t *testing.T) {
	const no, loses, may = "no pair loses its last path when one link fails", "1 of 1 pair of switches that talk loses the last path when a " +
		"certain link fails, and has a detour today", "1 of 1 pair of switches that talk may lose the last path when one link fails: this " +
		"depends on which of equally long AS paths a switch advertises"
	const bond = "2 of 3 pairs of switches that talk lose the last path when a certain link fails, and have a detour today"
	type asns map[string]int
	ring := "A-C A-D B-C B-D B-E A-F F-E"
	far := "W-V V-P P-Q Q-R R-D V-I I-J J-K K-D V-U U-Y Y-D U-Z Z-O O-D"
	for _, tt := range []struct {
		name, links string
		out         string // a cable that the change takes out
		today, then asns   // the others have different ones
		hosts       []string
		want        string
	}{
		{ // without B-D, A hears of B from C and E, and D refuses the path from C; B reaches D by E and F
			name: "one direction only, and today by the choice between equal " +
				"paths", links: ring, out: "A-E", today: asns{"C": 1, "D": 1}, then: asns{"C": 1, "D": 1},
			hosts: []string{"hb-B", "hd-D"}, want: may,
		},
		{name: "the same in the other order", links: ring, out: "A-E", today: asns{"C": 1, "D": 1}, then: asns{"C": 1, "D": 1}, hosts: []string{
			"hd-D", "hb-B",
		}, want: may},
		{name: "one way only", links: ring, then: asns{"C": 1, "D": 1}, hosts: []string{"hb-B", "hd-D"}, want: loses},
		{name: "different AS numbers", links: ring, hosts: []string{"hb-B", "hd-D"}, want: no},
		{ // without U-Y, V may advertise the path by U and Z, which W refuses
			name: "a link off the path", links: far, then: asns{"Y": 1, "V": 1, "Z": 2, "W": 2}, hosts: []string{"hw-W", "hd-D"}, want: may,
		},
		{name: "spines of one AS", links: "A-S A-T B-S B-T", then: asns{"S": 1, "T": 1}, hosts: []string{"ha-A", "hb-B"}, want: no},
		{name: "a cable of a bond", links: "A-C A-C", out: "B-C", hosts: []string{"hh-A hh-B", "hc-C"}, want: bond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			build := func(out string, numbers asns) *ir.Fabric {
				c := irtest.New(ir.EBGP).Links(tt.links + " " + out)
				for _, s := range []string{"A", "B", "C"} {
					c.Device(s)
				}
				for _, links := range tt.hosts {
					c.Links(links)
				}
				if tt.hosts[0][:2] == "hh" {
					bonded(c, "hh")
				}
				c.UniqueASNs()
				for name, asn := range numbers {
					c.Device(name).Switch.ASN = asn
				}
				return fabric(c)
			}
			today, then := build(tt.out, tt.today), build("", tt.then)
			proofs := proof.All(today, ir.NewBudget(DefaultBudget))
			require.NotEmpty(t, proofs)
			a := newAdviser(&Pass{Fabric: today, steps: DefaultBudget}, proofs[0])
			cost := a.measure(then)
			assert.Zero(t, cost.lost)
			assert.Contains(t, cost.text(), "; "+tt.want)
		})
	}
}

// A price states the cases that were not measured.
func TestPriceNamesWhatWasNotTried(t *testing.T) {
	assert.Equal(t, "no path gets longer; no path gets narrower; no pair loses its last path when one link fails, and more at once were not "+
		"judged; links that a pair does not use failed for one in 3 pairs; measured on one in 2 pairs",
		cost{pairs: 4, more: true, tried: 3, every: 2}.text())
}
