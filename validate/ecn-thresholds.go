package validate

import (
	"fmt"

	"github.com/rocec/rocec/lang/diag"
)

// ECNThresholds reports thresholds that form no ramp: marking cannot rise from min to max.
var ECNThresholds = &Check{
	Code:    "ecn-thresholds",
	Summary: "ECN thresholds contradict each other",
	Answers: []string{"2", "C13"},
	Run: func(p *Pass) {
		type wrong struct {
			at     diag.Range
			detail string
		}
		told := map[wrong]bool{}
		for _, port := range p.Fabric.Ports {
			for _, m := range port.Marks() {
				var w wrong
				name, given := m.Group.Name, *m.Group.ECN
				asic := port.Device().Switch.Model.ASIC
				switch {
				case m.Min.N > 0 && m.Min.N < m.Max.N && !ramp(asic, m):
					w = wrong{
						diag.FirstPlace(given.Max.At(), given.Min.At(), given.At, m.Group.At),
						fmt.Sprintf("Cos group %q begins to mark at min = %s and marks all from max = %s, and %s has thresholds in steps of %s: it "+
							"rounds both to %s. Write a max that is larger by %s or more, or leave both out.", name, diag.Bytes(m.Min.N),
							diag.Bytes(m.Max.N), asic.Title, diag.Bytes(asic.MarkStep), diag.Bytes(asic.Threshold(m.Min.N)),
							diag.Bytes(asic.MarkStep)),
					}
				case m.Min.N <= 0 || m.Min.N >= m.Max.N:
					w = wrong{
						diag.FirstPlace(given.Max.At(), given.Min.At(), given.At, m.Group.At),
						fmt.Sprintf("Cos group %q begins to mark at min = %s and marks all from max = %s; "+
							"min must be more than 0 and less than max. Leave both out, and they are derived from the speed of every port.",
							name, diag.Bytes(m.Min.N), diag.Bytes(m.Max.N)),
					}
				case m.Min.N >= asic.Buffer:
					w = wrong{
						diag.FirstPlace(given.Min.At(), given.At, m.Group.At),
						fmt.Sprintf("Cos group %q begins to mark at min = %s, but %s has %s of buffer "+
							"in all: a queue never gets there, and nothing is ever marked. Leave min and max out, and they are derived.",
							name, diag.Bytes(m.Min.N), asic.Title, diag.Bytes(asic.Buffer)),
					}
				case m.Probability.N < 1 || m.Probability.N > 100:
					w = wrong{
						diag.FirstPlace(given.Probability.At(), given.At, m.Group.At),
						fmt.Sprintf("Cos group %q marks with a probability of %d %%; it must be 1 to 100.",
							name, m.Probability.N),
					}
				default:
					continue
				}
				if !told[w] {
					told[w] = true
					d := p.Errorf(w.at, "%s", w.detail)
					if at := given.Min.At(); at.Filename != "" && at != w.at {
						d.Note(at, "min = %s", diag.Bytes(m.Min.N))
					}
				}
			}
		}
	},
}
