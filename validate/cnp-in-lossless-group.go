package validate

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// CNPInLosslessGroup reports CNPs that PFC can stop.
var CNPInLosslessGroup = &Check{
	Code:    "cnp-in-lossless-group",
	Summary: "CNPs in a lossless cos group",
	Answers: []string{"K7", "N10"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			at := diag.FirstPlace(in.CNPAt, in.At)
			const instead = "Give CNPs a separate group that is lossy and strict, for example cos = 6, dscp = [\"cs6\"], strict = true."
			switch {
			case !walk.CNPMisplaced(in):
			case in.CNP == in.Group:
				p.Errorf(at, "Roce %q sends its CNPs in cos group %q, the group that they should slow down: they wait behind the congestion they "+
					"report. %s", in.Name, in.CNP.Name, instead).
					About(in.Name).
					Note(in.GroupAt, "the group of the traffic itself")
			default:
				p.Errorf(at, "Roce %q sends its CNPs in cos group %q, which is lossless: PFC stops them when they are needed most. %s",
					in.Name, in.CNP.Name, instead).
					About(in.Name).
					Note(diag.FirstPlace(in.CNP.LosslessAt, in.CNP.At), "makes it lossless")
			}
		}
	},
}
