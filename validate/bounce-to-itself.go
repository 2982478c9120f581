package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// BounceToItself warns of a bounce that moves nothing.
var BounceToItself = &Check{
	Code:    "bounce-to-itself",
	Summary: "a cos group bounces into itself",
	Answers: []string{"X5"},
	Doc: `
bounce names the cos group that traffic moves into where it comes down and goes up again, so that
what takes such a detour waits in other buffers, or leaves the lossless world. Into the group it
is in already nothing moves: the detour fills the very buffers it was to leave, and the proof
judges the group as one without a bounce.

Example:

    cos_group "rdma" {
      bounce = cos_group.rdma
    }

Fix: name the group that detours are to take, or leave bounce out.

    cos_group "rdma" {
      bounce = cos_group.detour
    }
    cos_group "detour" {
      cos    = 5
      dscp   = ["af21"]
      strict = true
    }
`,
	Run: func(p *Pass) {
		for _, g := range p.Fabric.CosGroups {
			if g.Bounce == g && p.Fabric.FlowControl != ir.Pause {
				p.Warnf(diag.FirstPlace(g.BounceAt, g.At), "Cos group %q bounces into itself, so what comes down and goes up again stays in it, "+
					"and the proof judges it as if it did not bounce. Name another group, or leave bounce out.", g.Name)
			}
		}
	},
}
