package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/meaning"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Limits of the text of diff; JSON has everything.
const (
	mostEffects = 40
	mostNew     = 20
	mostAlike   = 3 // findings of one code
	mostCables  = 12
)

// diffPart is a part of a meaning, with its lines.
type diffPart struct {
	title string
	lines []diffLine
	more  int // number of lines left out
}

// diffLine is one difference: what differs, and where.
type diffLine struct {
	action deploy.Action
	what   string
	where  string
	style  string
}

// diffParts returns the parts of a meaning that have lines. No effect that ends losslessness is left out.
func diffParts(m *meaning.Meaning) (out []diffPart) {
	devices := diffPart{title: "devices"}
	for _, of := range []struct {
		action deploy.Action
		names  []string
	}{{deploy.Create, m.Added}, {deploy.Delete, m.Removed}} {
		if len(of.names) > 0 {
			devices.lines = append(devices.lines, diffLine{action: of.action, what: nodeset.Text(of.names, nodeset.Devices, math.MaxInt)})
		}
	}
	for _, t := range m.Turned {
		devices.lines = append(devices.lines, diffLine{
			action: deploy.Update, what: turnedText(t), where: nodeset.Text(t.Devices, nodeset.Devices, math.MaxInt),
		})
	}
	effects := diffPart{title: "traffic"}
	ends := 0
	for _, e := range m.Effects {
		if e.Kind == deploy.LosslessEnds {
			ends++
		}
	}
	for i, e := range m.Effects {
		if i >= max(ends, mostEffects) {
			effects.more = len(m.Effects) - i
			break
		}
		effects.lines = append(effects.lines, diffLine{action: e.Action, what: e.What(), where: effectWhere(e)})
	}
	proof := diffPart{title: "PFC loops"}
	for _, v := range m.Verdicts {
		proof.lines = append(proof.lines, diffLine{action: deploy.Update, what: verdictText(v)})
	}
	found := [2]diffPart{findingPart("new", m.B, m.New), findingPart("fixed", m.A, m.Fixed)}
	for _, p := range []diffPart{devices, linkPart(m.Links), effects, proof, found[0], found[1]} {
		if len(p.lines) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func turnedText(t meaning.Turned) string {
	or := func(s string) string {
		if s == "" {
			return "none"
		}
		return s
	}
	return fmt.Sprintf("%s %s becomes %s", t.What, or(t.Before), or(t.After))
}

func verdictText(v meaning.Proved) string {
	or := func(s string) string {
		if s == "" {
			return "not lossless"
		}
		return s
	}
	return fmt.Sprintf("%s: %s, and was %s", v.Group, or(v.After), or(v.Before))
}

// effectWhere names the devices and ports with an effect: "swp[1-4] (4 ports) of leaf02".
func effectWhere(e meaning.Effect) string {
	var all Texts
	for _, on := range e.On {
		text := "ports that no file names"
		switch {
		case on.All:
			text = "all ports"
		case !on.Others:
			const room = 60
			if text = nodeset.Text(on.Ports, nodeset.Interfaces, room); len(on.Ports) > 1 {
				text = fmt.Sprintf("%s (%d ports)", text, len(on.Ports))
			}
		}
		all.Add(text, on.Device)
	}
	var parts []string
	const most, room = 4, 100 // places, bytes
	for i, text := range all.All {
		if i == most {
			parts = append(parts, diag.Count(len(all.All)-i, "more place"))
			break
		}
		parts = append(parts, text+" of "+nodeset.Text(all.Of[text], nodeset.Devices, room))
	}
	return strings.Join(parts, "; ")
}

func linkPart(l meaning.Links) diffPart {
	p := diffPart{title: "cables"}
	for _, of := range []struct {
		action deploy.Action
		names  []string
	}{{deploy.Create, l.Added}, {deploy.Delete, l.Removed}} {
		for i, name := range of.names {
			if i == mostCables {
				p.lines = append(p.lines, diffLine{action: of.action, what: diag.Count(len(of.names)-i, "more cable")})
				break
			}
			p.lines = append(p.lines, diffLine{action: of.action, what: name})
		}
	}
	for _, t := range l.Changed {
		p.lines = append(p.lines, diffLine{action: deploy.Update, what: turnedText(t), where: diag.Some(t.Devices, 3)})
	}
	return p
}

// findingPart lists errors and warnings with their places.
func findingPart(title string, s *meaning.Side, all []*diag.Diagnostic) diffPart {
	p := diffPart{title: title}
	of := map[string]int{}
	for _, d := range all {
		if of[d.Code]++; of[d.Code] > mostAlike || len(p.lines) == mostNew {
			p.more++
			continue
		}
		style := diag.Yellow
		if d.Severity == diag.Error {
			style = diag.Red
		}
		p.lines = append(p.lines, diffLine{
			what: fmt.Sprintf("%s[%s] %s: %s", d.Severity, d.Code, d.Summary, d.Detail), where: report.Place(s.Place(d)), style: style,
		})
	}
	return p
}

// diffHead returns the sentence about both sides.
func diffHead(m *meaning.Meaning) string {
	return fmt.Sprintf("From %s to %s", stateName(m.A), stateName(m.B))
}

func stateName(s *meaning.Side) string {
	const digits = 12
	if s.Commit != "" && !strings.HasPrefix(s.Commit, s.Name) {
		return fmt.Sprintf("%s (%s)", s.Name, s.Commit[:min(len(s.Commit), digits)])
	}
	return s.Name
}

// diffNotes returns sentences about sides and devices that were not compared.
func diffNotes(m *meaning.Meaning) (out []string) {
	for _, s := range []*meaning.Side{m.A, m.B} {
		switch {
		case s.Absent:
			out = append(out, fmt.Sprintf("%s has no such folder, so everything is added or removed.", stateName(s)))
		case !s.Compiles():
			out = append(out, fmt.Sprintf("%s does not compile, so only findings are compared.", stateName(s)))
		}
	}
	if len(m.Alone) > 0 {
		out = append(out, fmt.Sprintf("Not compared, as no file states settings: %s.", nodeset.Text(m.Alone, nodeset.Devices, 200)))
	}
	for i, n := range m.Unread {
		if i == mostCables {
			out = append(out, diag.Count(len(m.Unread)-i, "further file")+" not read.")
			break
		}
		out = append(out, fmt.Sprintf("%s is not read: %s.", n.File, strings.TrimSuffix(n.Why, ".")))
	}
	return out
}

// diffSummary counts the parts of a meaning.
func diffSummary(m *meaning.Meaning) string {
	if m.Empty() {
		return "Nothing changes for traffic, cables, verdicts and findings."
	}
	devices := map[string]bool{}
	for _, e := range m.Effects {
		for _, on := range e.On {
			devices[on.Device] = true
		}
	}
	return fmt.Sprintf("%s on %s; %s added, %d removed; %s added, %d removed, %d changed; %s, %d fixed.",
		diag.Count(len(m.Effects), "effect"), diag.Count(len(devices), "device"), diag.Count(len(m.Added), "device"), len(m.Removed),
		diag.Count(len(m.Links.Added), "cable"), len(m.Links.Removed), changedCables(m), diag.Count(len(m.New), "new finding"), len(m.Fixed))
}

func changedCables(m *meaning.Meaning) int {
	var all []string
	for _, t := range m.Links.Changed {
		all = append(all, t.Devices...)
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

// Meaning prints the effect of a change.
func (s *Screen) Meaning(m *meaning.Meaning) {
	s.Prose("", target.Escape(diffHead(m))+":")
	for _, p := range diffParts(m) {
		fmt.Fprintln(s.W)
		fmt.Fprintln(s.W, s.Paint(diag.Bold, p.title))
		for _, l := range p.lines {
			lead := "  "
			if l.action != "" {
				lead += s.symbol(l.action) + " "
			}
			text := target.Escape(l.what)
			if l.style != "" {
				text = s.Paint(l.style, text)
			}
			switch where := s.Paint(diag.Cyan, target.Escape(l.where)); {
			case l.where == "":
			case l.action == "":
				text += " (" + where + ")"
			default:
				text += " on " + where
			}
			s.Prose(lead, text)
		}
		if p.more > 0 {
			fmt.Fprintf(s.W, "  ... and %d more; --format json has them all\n", p.more)
		}
	}
	fmt.Fprintln(s.W)
	for _, note := range diffNotes(m) {
		s.Prose(s.Paint(diag.Yellow, "note:")+" ", target.Escape(note))
	}
	s.Prose("", diffSummary(m))
}

// DiffMarkdown returns the effect of a change as Markdown for the comment of a pull request. Text from files is escaped. If the comment
// exceeds a number of bytes, its end is left out, and its last line states this.
func DiffMarkdown(m *meaning.Meaning, most int) string {
	var b strings.Builder
	cut := false
	add := func(line string) {
		if cut = cut || b.Len()+len(line)+len(diffCut)+1 > most; !cut {
			b.WriteString(line + "\n")
		}
	}
	add("### rocec diff")
	add("")
	add(diag.Markdown(diffHead(m)) + ". " + diag.Markdown(diffSummary(m)))
	for _, note := range diffNotes(m) {
		add("")
		add("> " + diag.Markdown(note))
	}
	for _, p := range diffParts(m) {
		add("")
		add("#### " + p.title)
		add("")
		where := slices.ContainsFunc(p.lines, func(l diffLine) bool { return l.where != "" })
		add(map[bool]string{true: "| | what | where |\n| --- | --- | --- |", false: "| | what |\n| --- | --- |"}[where])
		for _, l := range p.lines {
			sign := map[deploy.Action]string{deploy.Create: "&#43;", deploy.Delete: "&#45;", deploy.Update: "&#126;"}[l.action]
			row := fmt.Sprintf("| %s | %s |", sign, diffCell(l.what))
			if where {
				row += " " + diffCell(l.where) + " |"
			}
			add(row)
		}
		if p.more > 0 {
			add("")
			add(fmt.Sprintf("... and %d more; `rocec diff --format json` has them all.", p.more))
		}
	}
	if cut {
		b.WriteString(diffCut + "\n")
	}
	return b.String()
}

// diffCut is the last line of Markdown whose end is left out.
const diffCut = "\nThe diff is longer than a comment: its end is left out."

// diffCell is text in a cell of a Markdown table, bounded.
func diffCell(s string) string {
	const most = 1000
	if s = strings.Join(strings.Fields(s), " "); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return diag.Markdown(s)
}
