package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// A link that the answer omits counts as down. A planned cable is not reported if its interface is down or missing; if it has a link, there
// is a hint. Its states are never hard, so that a change is not undone because people unplug the cable while they lay it.
func TestLinkProbe(t *testing.T) {
	f := &ir.Fabric{}
	leaf, spine := &ir.Device{Name: "leaf1", Fabric: f}, &ir.Device{Name: "spine1", Fabric: f}
	laid, planned := ir.Link{LinkFacts: &ir.LinkFacts{Block: `mesh "up"`}},
		ir.Link{LinkFacts: &ir.LinkFacts{Block: `mesh "new"`}, Planned: true}
	port := func(l ir.Link, name string) target.Cable {
		a := ir.NewPort(leaf, ir.PortSpec{Name: name})
		ir.NewLink(a, ir.NewPort(spine, ir.PortSpec{Name: "swp9"}), l)
		return target.CableOf(a, name)
	}
	cables := []target.Cable{port(laid, "swp1"), port(planned, "swp2")}
	assert.Equal(t, cables[:1], target.Laid(cables))
	p := target.LinkProbe("leaf1", cables)
	for _, c := range []struct {
		answer      string
		wrong, hint string
		hard        []bool
	}{
		{"swp1 1\nswp2 0\n", "", "", []bool{true, false}},
		{"swp1 1\nswp2 missing\n", "", "", []bool{true, false}},
		{
			"swp1 0\nswp2 1\n", "leaf1:swp1 has no link; the fabric cables it to spine1:swp9.",
			`leaf1:swp2 has a link, and its cable to spine1:swp9 is still planned. ` +
				`Take planned = true out of mesh "new" when all its cables are laid.`,
			[]bool{true, false},
		},
		{"swp1 missing\nswp3 1\n", "leaf1 has no interface swp1; the fabric cables it to spine1:swp9.", "", []bool{true, false}},
		{"\x00\n", "leaf1 did not say whether swp1 has a link; the fabric cables it to spine1:swp9.", "", []bool{true, false}},
	} {
		var wrong, hint string
		for _, w := range p.Judge([]byte(c.answer)) {
			wrong += w
		}
		var hard []bool
		for _, s := range p.Samples([]byte(c.answer)) {
			hint, hard = hint+s.Hint, append(hard, s.Hard)
		}
		assert.Equal(t, []any{c.wrong, c.hint, c.hard}, []any{wrong, hint, hard}, "%q", c.answer)
	}
}
