package validate

import "github.com/rocec/rocec/lang/diag"

// AllowDeadlockUnused warns if a group accepts PFC loops and cannot be part of one.
var AllowDeadlockUnused = &Check{
	Code:    "allow-deadlock-unused",
	Summary: "allow_deadlock where no PFC loop is",
	Answers: []string{"X5"},
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.AllowDeadlock != "" && !g.Lossless {
				p.Warnf(diag.FirstPlace(g.AllowAt, g.At),
					"Cos group %q accepts PFC loops (%q), and it is not lossless, so nothing pauses it. Take allow_deadlock out, so that it "+
						"does not hide a loop when the group becomes lossless.", g.Name, g.AllowDeadlock)
			}
		}
		for _, l := range p.loops() {
			for _, g := range l.Groups {
				if g.AllowDeadlock != "" && l.Verdict == Free && l.Transient == nil {
					p.Warnf(diag.FirstPlace(g.AllowAt, g.At),
						"Cos group %q accepts PFC loops (%q), and the fabric has no PFC loop. Take allow_deadlock out, so that it does not hide the "+
							"next one.", g.Name, g.AllowDeadlock)
				}
			}
		}
	},
}
