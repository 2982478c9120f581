package validate

import "github.com/rocec/rocec/lang/diag"

// RoCEv1NotLossless reports RoCEv1 in a lossy group.
var RoCEv1NotLossless = &Check{
	Code:    "roce-v1-not-lossless",
	Summary: "RoCEv1 in a lossy cos group",
	Answers: []string{"0"},
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			if in.Version == 1 && !in.Group.Lossless {
				p.Errorf(diag.FirstPlace(in.GroupAt, in.At), "Roce %q is version 1, but cos group %q is lossy. ECN cannot mark RoCEv1, so without PFC "+
					"nothing keeps it from loss. Write lossless = true in the cos group.", in.Name, in.Group.Name).
					Note(diag.FirstPlace(in.Group.LosslessAt, in.Group.At), "the lossy cos group")
			}
		}
	},
}
