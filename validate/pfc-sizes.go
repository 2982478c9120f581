package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// PFCSizes reports thresholds that no switch accepts.
var PFCSizes = &Check{
	Code:    "pfc-sizes",
	Summary: "PFC sizes contradict each other",
	Answers: []string{"3", "C10"},
	OnHop:   true,
	Run: func(p *Pass) {
		type wrong struct {
			at     diag.Range
			detail string
		}
		told := map[wrong]bool{}
		for _, port := range p.Fabric.Ports {
			if port.Device().Switch == nil {
				continue
			}
			for _, b := range port.Buffers() {
				size, xoff, delta := b.Size.N, b.Xoff.N, b.XonDelta.N
				name, given := b.Group.Name, b.Group.Sizes()
				var w wrong
				switch {
				case walk.XoffWrong(port, b):
					w = wrong{
						walk.XoffAt(b.Group),
						fmt.Sprintf("Cos group %q has xoff = %s and buffer = %s; "+
							"xoff must be more than 0 and less than the buffer, or the port never pauses in time. Leave both out, and they are derived.",
							name, diag.Bytes(xoff), diag.Bytes(size)),
					}
				case delta < 0 || delta >= xoff:
					w = wrong{
						diag.FirstPlace(given.XonDelta.At(), given.Xoff.At(), b.Group.At),
						fmt.Sprintf("Cos group %q has xon_delta = %s and xoff = %s; "+
							"xon_delta must be less than xoff, or the port never lets its peer go on. Leave xon_delta out, and it is derived.",
							name, diag.Bytes(delta), diag.Bytes(xoff)),
					}
				default:
					continue
				}
				if !told[w] {
					told[w] = true
					noteSizes(p.Errorf(w.at, "%s", w.detail), given, w.at)
				}
			}
		}
	},
}

// noteSizes adds notes on the other written sizes.
func noteSizes(d *diag.Diagnostic, g ir.PFCSizes, but diag.Range) {
	for _, n := range []struct {
		name string
		num  ir.Num
	}{{"buffer", g.Buffer}, {"xoff", g.Xoff}, {"xon_delta", g.XonDelta}} {
		if at := n.num.At(); at.Filename != "" && at != but {
			d.Note(at, "%s = %s", n.name, diag.Bytes(n.num.N))
		}
	}
}
