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
	for i := range l.Devices {
		l.Devices[i].order()
	}
	for _, m := range Table {
		f := family{m: m, w: w}
		f.of(l.Fabric.Name)
		m.samples(l, f.put)
	}
	texts(w, "# EOF\n")
	return w.Flush()
}

// Family returns the name of the metric's family, which HELP, TYPE and UNIT use.
func (m *Metric) Family() string { return strings.TrimSuffix(m.Name, "_total") }

// family writes the samples of a metric. The writer keeps its first error.
type family struct {
	m     *Metric
	w     *bufio.Writer
	begin string // of a sample: the name, and the label of the fabric
	had   bool
}

// of begins the samples of a fabric.
func (f *family) of(fabric string) { f.begin = f.m.Name + "{" + LabelFabric + `="` + escape(fabric) }

func (f *family) put(value string, labels ...string) {
	if !f.had {
		f.had = true
		f.m.head(f.w)
	}
	texts(f.w, f.begin)
	for i, label := range labels {
		texts(f.w, `",`, f.m.Labels[i], `="`, escape(label))
	}
	texts(f.w, `"} `, value, "\n")
}

func (m *Metric) head(w *bufio.Writer) {
	texts(w, "# TYPE ", m.Family(), " ", string(m.Kind), "\n")
	if m.Unit != "" {
		texts(w, "# UNIT ", m.Family(), " ", m.Unit, "\n")
	}
	texts(w, "# HELP ", m.Family(), " ", escape(m.Help), "\n")
}

// texts writes texts. The writer keeps its first error, which Flush returns.
func texts(w *bufio.Writer, all ...string) {
	for _, text := range all {
		w.WriteString(text) //nolint:errcheck // as above
	}
}

// escape returns a text as the value of a label, in UTF-8: three characters need a backslash. Few texts have one of them.
func escape(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.ContainsAny(text, "\\\"\n") {
		return text
	}
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
}
