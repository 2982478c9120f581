package meaning

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// linkFacts names the facts of a cable.
var linkFacts = []string{"speed", "length", "flow control", "planned", "bond"}

// factsOf returns the facts of a cable, in the order of linkFacts.
func factsOf(l *ir.Link) []string {
	yes := map[bool]string{true: "yes", false: "no"}
	return []string{
		fmt.Sprintf("%s Mb/s", diag.Number(l.A().Speed())), fmt.Sprintf("%g m", l.Length.Metres), string(l.A().FlowControl()),
		yes[l.Planned], yes[l.Bond > 0],
	}
}

// verdicts compares the verdicts of two fabrics on each lossless cos group.
func verdicts(a, b *report.Report) (out []Proved) {
	of := func(r *report.Report) map[string]string {
		all := map[string]string{}
		for _, p := range r.Proofs {
			all[p.Group.Name] = report.Verdict(p)
		}
		return all
	}
	was, is := of(a), of(b)
	all := names(was, is)
	slices.Sort(all)
	for _, group := range all {
		if was[group] != is[group] {
			out = append(out, Proved{group, was[group], is[group]})
		}
	}
	return out
}
