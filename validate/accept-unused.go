package validate

// AcceptUnused warns of an accept block that accepts nothing.
var AcceptUnused = &Check{
	Code:    "accept-unused",
	Summary: "accept block that accepts nothing",
	Answers: []string{"X5"},
	Run: func(p *Pass) {
		for _, a := range p.Fabric.Accepts {
			switch {
			case len(a.Devices) == 0:
				p.Warnf(a.At, "The label of the accept block names no switch that rocec reads. Correct it, or delete the block.")
			case len(a.Differs) == 0:
				p.Warnf(a.At, "The list differs of the accept block is empty, so it accepts nothing. Name the values, or delete the block.")
			}
		}
	},
}
