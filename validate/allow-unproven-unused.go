package validate

import "github.com/rocec/rocec/lang/diag"

// AllowUnprovenUnused warns if a group accepts a missing proof and no proof is missing.
var AllowUnprovenUnused = &Check{
	Code:    "allow-unproven-unused",
	Summary: "allow_unproven where the proof has a verdict",
	Answers: []string{"X5"},
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.AllowUnproven != "" && !g.Lossless {
				p.Warnf(diag.FirstPlace(g.UnprovenAt, g.At),
					"Cos group %q accepts a missing proof (%q), and it is not lossless, so there is nothing to prove. Take allow_unproven out, "+
						"so that it does not hide a missing proof when the group becomes lossless.", g.Name, g.AllowUnproven)
			}
		}
		for _, l := range p.loops() {
			for _, g := range l.Groups {
				if g.AllowUnproven != "" && l.Verdict != Unknown {
					p.Warnf(diag.FirstPlace(g.UnprovenAt, g.At),
						"Cos group %q accepts a missing proof (%q), and the proof has a verdict: %s. Take allow_unproven out, so that it does not "+
							"hide a missing proof later.", g.Name, g.AllowUnproven, l.Verdict)
				}
			}
		}
	},
}
