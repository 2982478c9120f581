package metrics

import (
	"bufio"
	"io"
	"strings"
)

// Format is the name of the format.
const Format = "openmetrics"

// Write writes a look as the text format of OpenMetrics 1.0. The same look gives the same bytes. A metric without a sample is left out.
//
// Source of the format: OpenMetrics 1.0.0, "ABNF" and "Overall Structure". The name of a family of counters is without _total, a unit is
// the last word of that name, and # EOF is the last line.
func (l *Look) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	for _, m := range Table {
		m.writeTo(w, l)
	}
	w.WriteString("# EOF\n") //nolint:errcheck // Flush returns the first error of the writer
	return w.Flush()
}

// Family returns the name of the metric's family, which HELP, TYPE and UNIT use.
func (m *Metric) Family() string { return strings.TrimSuffix(m.Name, "_total") }

// writeTo writes the metric. The writer keeps its first error.
func (m *Metric) writeTo(w *bufio.Writer, l *Look) {
	begun := false
	m.samples(l, func(value string, labels ...string) {
		if !begun {
			begun = true
			m.head(w)
		}
		w.WriteString(m.Name + "{" + LabelFabric + `="` + escape(l.Fabric.Name) + `"`) //nolint:errcheck // as above
		for i, label := range labels {
			w.WriteString("," + m.Labels[i] + `="` + escape(label) + `"`) //nolint:errcheck // as above
		}
		w.WriteString("} " + value + "\n") //nolint:errcheck // as above
	})
}

func (m *Metric) head(w *bufio.Writer) {
	w.WriteString("# TYPE " + m.Family() + " " + string(m.Kind) + "\n") //nolint:errcheck // as above
	if m.Unit != "" {
		w.WriteString("# UNIT " + m.Family() + " " + m.Unit + "\n") //nolint:errcheck // as above
	}
	w.WriteString("# HELP " + m.Family() + " " + escape(m.Help) + "\n") //nolint:errcheck // as above
}

// escaper escapes the three characters that a value of a label cannot contain.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// escape returns a text as the value of a label, in UTF-8.
func escape(text string) string { return escaper.Replace(strings.ToValidUTF8(text, "\uFFFD")) }
