package validate

import "github.com/rocec/rocec/lang/diag"

// ECNOnCNP warns of ECN in the group of CNPs, the packets that report marks.
var ECNOnCNP = &Check{
	Code:    "ecn-on-cnp",
	Summary: "ECN in the cos group of CNPs",
	Answers: []string{"K7"},
	Run: func(p *Pass) {
		data, cnp := dataGroups(p.Fabric), cnpGroups(p.Fabric)
		for _, g := range p.Fabric.CosGroups {
			if in := cnp[g]; g.ECN != nil && in != nil && data[g] == nil {
				p.Warnf(diag.FirstPlace(g.ECN.At, g.At), "Cos group %q carries the CNPs of roce %q and asks for ECN. No sender slows down on "+
					"a marked CNP, and some chips drop CNPs that they cannot mark. Take ecn out of the group.", g.Name, in.Name).
					Note(diag.FirstPlace(in.CNPAt, in.At), "its CNPs travel there")
			}
		}
	},
}
