package validate

import "github.com/rocec/rocec/lang/diag"

// RoCEStrict warns of RoCE data with strict priority.
var RoCEStrict = &Check{
	Code:    "roce-strict",
	Summary: "RoCE data with strict priority",
	Answers: []string{"4", "K20", "C9"},
	Run: func(p *Pass) {
		data, cnp := dataGroups(p.Fabric), cnpGroups(p.Fabric)
		for _, g := range p.Fabric.CosGroups {
			if in := data[g]; g.Strict && in != nil && cnp[g] == nil { // if CNPs travel there, too, another check reports that
				p.Warnf(diag.FirstPlace(g.StrictAt, g.At), "Cos group %q is strict and carries the data of roce %q, which can fill a link "+
					"continuously: all other traffic gets only the rest. Give it a share instead, for "+
					"example weight = 50.", g.Name, in.Name).
					Note(in.GroupAt, "its data travels there")
			}
		}
	},
}
