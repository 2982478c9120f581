package validate

// SampleOther notes cos groups that are called other. It answers no row of the known problems.
var SampleOther = &Check{
	Code:    "sample-other",
	Summary: "a cos group is called other",
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.Name == "other" {
				p.Noticef(g.At, "Cos group %q is called other. Give it another name.", g.Name)
			}
		}
	},
}
