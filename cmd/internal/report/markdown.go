package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
)

// The limits of a page in Markdown. GitHub and GitLab accept a comment of at least 64 KiB.
const (
	longestCell    = 600 // bytes
	mostSummarized = 100 // findings, or lines of a list

	longestItem = 1200 // bytes in the text of one finding
	mostNotes   = 8    // of one finding
	longestPage = 60 << 10
	pageTail    = 4 << 10 // bytes of the page reserved for the text after the findings
)

// Markdown writes a page for a ticket or a pull request. It has the verdicts, then errors and warnings, worst first, each with the
// commands that show it again, then the findings of a baseline. Notes are only counted, and so are findings for which a page has no room.
func Markdown(w io.Writer, r *Report, o Options) error {
	m := &markdown{p: newPaths(r), r: r}
	verb := "validate"
	if r.Network != nil {
		verb = "audit"
	}
	fmt.Fprintf(&m.b, "## rocec %s: %s\n\n", verb, markdownText(r.counts(), longestCell))
	m.head()
	m.findings(o.ByOwner)
	m.known()
	_, err := io.WriteString(w, strings.TrimRight(m.b.String(), "\n")+"\n")
	return err
}

type markdown struct {
	b strings.Builder
	p *paths
	r *Report
}

// markdownText returns text for one line of a page, with a maximum length, and escaped.
func markdownText(s string, most int) string {
	return diag.Markdown(clip(strings.Join(strings.Fields(s), " "), most))
}

// list writes lines as a list, under a title.
func (m *markdown) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(&m.b, "%s\n\n", title)
	for i, line := range lines {
		if i == mostSummarized {
			fmt.Fprintf(&m.b, "- ... and %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintf(&m.b, "- %s\n", markdownText(line, longestCell))
	}
	m.b.WriteByte('\n')
}

// head writes the inputs, the assumptions, and a verdict for each lossless group.
func (m *markdown) head() {
	if n := m.r.Network; n != nil {
		fmt.Fprintf(&m.b, "%s\n\n", markdownText(n.Line(), longestCell))
		m.list("Assumed, since no file states it:", n.Assumed())
		m.list("Left out:", n.Left())
	}
	if s := m.r.NotJudged(); s != "" {
		fmt.Fprintf(&m.b, "%s\n\n", markdownText(s, longestCell))
	}
	if len(m.r.Proofs) == 0 {
		return
	}
	m.b.WriteString("| cos group | verdict |\n| --- | --- |\n")
	for i, proof := range m.r.Proofs {
		if i == mostSummarized {
			break
		}
		verdict := m.r.GroupVerdict(proof)
		if text := claimed.RunningText(proof, m.r.Claims); text != "" {
			verdict += "; " + text
		}
		fmt.Fprintf(&m.b, "| %s | %s |\n", cell(proof.Group.Name), cell(verdict))
	}
	m.b.WriteByte('\n')
	if n := len(m.r.Proofs) - mostSummarized; n > 0 {
		fmt.Fprintf(&m.b, "... and %s\n\n", diag.Count(n, "further cos group"))
	}
}

// GroupVerdict returns the verdict on a lossless group. For an audit it also states the number of cables that carry the group, and
// whether the verdict has assumptions.
func (r *Report) GroupVerdict(proof validate.GroupProof) string {
	if r.Network == nil || r.Fabric == nil {
		return Verdict(proof)
	}
	on, carry, all := 0, 0, len(r.Fabric.Links)
	for _, l := range r.Fabric.Links {
		if l.A().Carries(proof.Group) == nil && l.B().Carries(proof.Group) == nil {
			continue
		}
		if carry++; r.Drops == nil || !r.Drops(l.A()) && !r.Drops(l.B()) {
			on++
		}
	}
	text := fmt.Sprintf("lossless on %d of %s", on, diag.Count(carry, "cable"))
	if carry < all {
		text += fmt.Sprintf(" between members, of %d", all)
	}
	text += "; " + Verdict(proof)
	if len(r.Network.Assumed()) > 0 {
		text += ", under what is assumed"
	}
	return text
}

// findings writes errors and warnings, in one list or in a section for each owner.
func (m *markdown) findings(byOwner bool) {
	sections := map[string]diag.List{}
	notes := 0
	owners := map[*diag.Diagnostic]string{}
	if m.r.Baseline != nil {
		for _, k := range m.r.Baseline.Returned {
			owners[k.Diagnostic] = k.Owner
		}
	}
	for _, d := range worstFirst(m.r.Diags) {
		switch {
		case d.Severity == diag.Notice:
			notes++
		case byOwner:
			_, group := m.device(d)
			name := cmp.Or(owners[d], group, wholeNetwork)
			sections[name] = append(sections[name], d)
		default:
			sections[""] = append(sections[""], d)
		}
	}
	left := 0
	for _, name := range slices.SortedFunc(maps.Keys(sections), nodeset.Compare) {
		if name != "" {
			fmt.Fprintf(&m.b, "### %s: %s\n\n", markdownText(name, longestCell), Counts(sections[name]))
		}
		for _, d := range sections[name] {
			item := m.item(d)
			if m.b.Len()+len(item) > longestPage-pageTail {
				left++
				continue
			}
			m.b.WriteString(item)
		}
		m.b.WriteByte('\n')
	}
	if left > 0 {
		fmt.Fprintf(&m.b, "%s left out: the page would be too long. `--format json` has all.\n\n", diag.Count(left, "finding"))
	}
	if notes > 0 {
		fmt.Fprintf(&m.b, "%s: `--format text` shows them.\n\n", diag.Count(notes, "note"))
	}
}

// wholeNetwork is the owner of findings that are not about a device.
const wholeNetwork = "the whole network"

// device returns the device to which the file of a finding belongs, and the group of that device.
func (m *markdown) device(d *diag.Diagnostic) (device, group string) {
	at, ok := m.p.told(d)
	if !ok || m.r.DeviceOf == nil {
		return "", ""
	}
	return m.r.DeviceOf(at.Filename)
}

// item writes one finding: a box to tick, and below it the commands that show it again.
func (m *markdown) item(d *diag.Diagnostic) string {
	where := ""
	if m.p.inFile(d.At) {
		where = " " + markdownText(m.p.line(d.At), longestCell)
	}
	code := d.Code
	if uri := HelpURI(d.Code); uri != "" {
		code = fmt.Sprintf("[%s](%s)", d.Code, uri)
	}
	var item strings.Builder
	item.WriteString(fmt.Sprintf("- [ ] **%s** %s%s: %s\n", d.Severity, code, where, markdownText(d.Summary+": "+d.Detail, longestItem)))
	for i, n := range d.Notes {
		if i == mostNotes {
			item.WriteString(fmt.Sprintf("  - ... and %s\n", diag.Count(len(d.Notes)-i, "further note")))
			break
		}
		text := n.Message
		if m.p.inFile(n.At) {
			text = m.p.line(n.At) + ": " + text
		}
		item.WriteString(fmt.Sprintf("  - %s\n", markdownText(text, longestCell)))
	}
	commands := fmt.Sprintf("`%s`", diag.Rocec("explain", diag.Arg("CODE", d.Code)))
	if at, ok := m.p.told(d); ok {
		if show := targets.Linters().Of(lint.File{Name: at.Filename, Data: m.r.Source.Files[at.Filename]}).Shown(at.Filename); show != "" {
			on := "the device"
			if device, _ := m.device(d); device != "" {
				on = markdownText(device, longestCell)
			}
			commands = fmt.Sprintf("on %s: `%s`; here: %s", on, show, commands)
		}
	}
	return item.String() + "  - " + commands + "\n"
}

// known writes the findings of a baseline as a table, and below it the sentences about fixed, unknown and unowned rows.
func (m *markdown) known() {
	c := m.r.Baseline
	if c == nil {
		return
	}
	if n := len(c.Held); n > 0 {
		fmt.Fprintf(&m.b, "### Known: %s\n\n| | place | code | owner | until | reason |\n| --- | --- | --- | --- | --- | --- |\n",
			diag.Count(n, "finding"))
		for i, k := range c.Held {
			row := m.knownRow(k)
			if i == mostSummarized || m.b.Len()+len(row) > longestPage {
				fmt.Fprintf(&m.b, "\n... and %d more\n", n-i)
				break
			}
			m.b.WriteString(row)
		}
		m.b.WriteByte('\n')
	}
	m.list("Of the baseline:", c.Sentences())
}

func (m *markdown) knownRow(k baseline.Known) string {
	where := ""
	if m.p.inFile(k.Diagnostic.At) {
		where = m.p.line(k.Diagnostic.At)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", k.Finding.Severity, cell(where), k.Finding.Code, cell(k.Owner), cell(k.Until),
		cell(k.Reason))
}

// GitHubSummary is the text on the page of a run: the verdicts, then the findings, worst first, bounded. GitHub takes 1 MiB a step.
func GitHubSummary(r *Report) string {
	p := newPaths(r)
	var b strings.Builder
	fmt.Fprintf(&b, "## rocec validate: %s\n\n", cell(r.counts()))
	if s := r.NotJudged(); s != "" {
		fmt.Fprintf(&b, "%s\n\n", cell(s))
	}
	proofs := r.Proofs
	if len(proofs) > 0 {
		b.WriteString("| cos group | verdict | why |\n| --- | --- | --- |\n")
		for _, proof := range proofs[:min(len(proofs), mostSummarized)] {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(proof.Group.Name), cell(Verdict(proof)), cell(proof.Why()))
		}
		b.WriteByte('\n')
	}
	if len(r.Diags) > 0 {
		b.WriteString("| | place | code | what |\n| --- | --- | --- | --- |\n")
		for i, d := range worstFirst(r.Diags) {
			if i == mostSummarized {
				fmt.Fprintf(&b, "\n... and %s, see the log.\n", diag.Count(len(r.Diags)-i, "further finding"))
				break
			}
			where := ""
			if p.inFile(d.At) {
				where = p.line(d.At)
			}
			fmt.Fprintf(&b, "| %s | %s | [%s](%s) | %s |\n", d.Severity, cell(where), d.Code, HelpURI(d.Code), cell(d.Summary+": "+d.Detail))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cell is text inside a Markdown table, bounded.
func cell(s string) string {
	return diag.Markdown(clip(strings.Join(strings.Fields(s), " "), longestCell))
}
