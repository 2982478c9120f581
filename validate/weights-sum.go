package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// WeightsSum warns of weights that leave a group without a share, or that are not percentages of the link.
var WeightsSum = &Check{
	Code:    "weights-sum",
	Summary: "weights do not make 100",
	Answers: []string{"4", "K20", "C15"},
	Run: func(p *Pass) {
		var shares []*ir.CosGroup // the groups that share the link, one for each cos
		var owner [8]*ir.CosGroup
		for _, g := range p.Fabric.CosGroups {
			if owner[g.Cos] == nil {
				owner[g.Cos] = g
				if !g.Strict {
					shares = append(shares, g)
				}
			}
		}
		sum := 0
		var last *ir.CosGroup // the weight written last
		without := ""
		data, cnp := dataGroups(p.Fabric), cnpGroups(p.Fabric)
		for _, g := range shares {
			switch {
			case g.Weight == 0 && cnp[g] != nil && data[g] == nil: // cnp-not-strict
			case g.Weight == 0:
				without = "cos group \"" + g.Name + "\""
			case last == nil || diag.ComparePlace(g.WeightAt, last.WeightAt) > 0:
				last = g
			}
			sum += g.Weight
		}
		if without == "" && !restIsShared(owner) {
			without = "traffic that no cos group claims"
		}
		switch {
		case last == nil:
			return
		case sum >= 100 && without != "":
			d := p.Warnf(diag.FirstPlace(last.WeightAt, last.At), "The weights make %d percent, and %s has no weight: under load it gets only 1 "+
				"percent of the link. Give it a share, and let all of them make 100.", sum, without)
			noteWeights(d, shares, last)
		case sum > 100:
			d := p.Warnf(diag.FirstPlace(last.WeightAt, last.At), "The weights make %d, more than the whole link: cos group %q gets %d percent "+
				"instead of %d, and the others also get less than written. Let all of them make "+
				"100.", sum, last.Name, last.Weight*100/sum, last.Weight)
			noteWeights(d, shares, last)
		}
	},
}

// restIsShared reports whether a group that shares the link receives unclaimed traffic. Unclaimed traffic goes to cos 0. If the group of
// cos 0 is lossless or strict, it goes to the first group that is neither.
func restIsShared(owner [8]*ir.CosGroup) bool {
	if owner[0] == nil {
		return false
	}
	return slices.ContainsFunc(owner[:], func(g *ir.CosGroup) bool { return g != nil && !g.Lossless && !g.Strict })
}

func noteWeights(d *diag.Diagnostic, shares []*ir.CosGroup, last *ir.CosGroup) {
	for _, g := range shares {
		if g != last && g.Weight > 0 {
			d.Note(diag.FirstPlace(g.WeightAt, g.At), "cos group %q: %d", g.Name, g.Weight)
		}
	}
}
