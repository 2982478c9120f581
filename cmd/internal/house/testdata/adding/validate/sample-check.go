package validate

// SampleCheck notes cos groups that are called sample.
var SampleCheck = &Check{
	Code:    "sample-check",
	Summary: "a cos group is called sample",
	Answers: []string{"K10"},
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.Name == "sample" {
				p.Noticef(g.At, "Cos group %q is called sample. Give it another name.", g.Name)
			}
		}
	},
}
