package sonic

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// stages writes a sequence of steps in the form that the scripts read: lines of fields with tabs between them. A row is written with its
// content after the step, not as an operation: the switch computes the patch from its configuration at that time. way is "forth" or
// "back".
func stages(way string, steps []grammar.Stage) string {
	var b strings.Builder
	for _, step := range steps {
		fmt.Fprintf(&b, "stage\t%s\n", way)
		for _, g := range step.Goals {
			text := "-"
			if g.Row != nil {
				text = g.Row.JSON()
			}
			fmt.Fprintf(&b, "row\t%s\t%s\t%s\n", g.Table, g.Key, text)
		}
		for line := range strings.Lines(step.Script()) {
			b.WriteString("sh\t" + line)
		}
	}
	return b.String()
}
