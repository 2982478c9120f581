package facts

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// Print prints sections.
func Print(to *view.Screen, sections []Section) {
	for i, s := range sections {
		if i > 0 {
			fmt.Fprintln(to.Raw)
		}
		fmt.Fprintln(to.Raw, to.Paint(diag.Bold, diag.Escape(s.Title)))
		name, value := 0, 0
		for _, v := range s.Settings {
			name, value = max(name, len(v.Name)), max(value, min(len(v.text()), 40))
		}
		for _, v := range s.Settings {
			line := fmt.Sprintf("  %-*s  %-*s", name, v.Name, value, v.text())
			from := view.OriginText(v.Origins)
			if len(line)+2+len(from) <= to.Width {
				from = to.Paint(diag.Dim, from)
				fmt.Fprintln(to.Raw, strings.TrimRight(line+"  "+from, " "))
				continue
			}
			fmt.Fprintln(to.Raw, strings.TrimRight(line, " "))
			for _, o := range v.Origins { // too long for one line: one line per reason
				fmt.Fprintf(to.Raw, "  %-*s    %s\n", name, "", to.Paint(diag.Dim, view.OriginText([]view.Origin{o})))
			}
		}
	}
}

// text returns the value, with the value in the files if it differs.
func (v *Setting) text() string {
	if v.Read == "" {
		return v.Value
	}
	return v.Read + ", wanted " + v.Value
}
