package record

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// Markdown writes the record of a run for a change board. outcome has the outcome in words, and checked the verdict about the journal. kept
// returns a content of the run by its SHA-256.
func Markdown(w io.Writer, l *journal.Log, outcome string, checked *Checked, kept func(sum string) ([]byte, error)) {
	fmt.Fprintf(w, "# Change record: run %s\n\n", l.Run)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "| %s | %s |\n", name, cell(value))
		}
	}
	fmt.Fprintf(w, "| | |\n| --- | --- |\n")
	why := l.Message
	if why == "" && l.Undoes != "" {
		why = "rollback of run " + l.Undoes
	}
	row("why", why)
	row("who", l.Owner)
	if t := l.Team; t != nil {
		row("run of the team", t.Run+", at the site "+t.Site)
		row("requested by", t.By)
	}
	if a := l.Agreement; a != nil {
		row("applied by", a.Submitted.Person)
		for _, one := range a.Approvals {
			row("approved by", one.Person)
		}
		row("plan", fmt.Sprintf("SHA-256 %x", a.Plan.SHA256))
	}
	row("fabric", l.Name+" in "+l.Fabric)
	row("commit", l.Commit)
	row("rehearsal", l.Lab)
	row("began", l.Began.Format(time.RFC3339))
	if l.Ended != nil {
		row("ended", l.Ended.Format(time.RFC3339)+", after "+l.Ended.Sub(l.Began).Round(time.Second).String())
	}
	row("outcome", outcome)
	row("rocec", l.Tool)
	switch {
	case len(checked.Wrong) > 0:
		row("journal", "not as it was written: "+strings.Join(checked.Wrong, "; "))
	case checked.Running:
		row("journal", "whole so far: the run is under way")
	case checked.Older:
		row("journal", "written by a rocec that made no chains")
	default:
		row("journal", "whole, head "+checked.Head)
	}
	row("signed by", cmp.Or(checked.SignedBy, "unknown: "+checked.Unsigned))

	recordDevices(w, l)
	recordLeft(w, l)
	recordContents(w, l, kept)
}

// recordDevices writes the table of devices, and the effects on traffic.
func recordDevices(w io.Writer, l *journal.Log) {
	fmt.Fprintf(w, "\n## Devices\n\n| device | wave | outcome | ended | detail |\n| --- | --- | --- | --- | --- |\n")
	effects := newGroups()
	for i := range l.Devices {
		d := &l.Devices[i]
		o := l.Outcomes[d.Name]
		at := ""
		if !o.Time.IsZero() {
			at = o.Time.Format(time.RFC3339)
		}
		wave := ""
		if d.Wave > 0 {
			wave = fmt.Sprint(d.Wave)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", cell(d.Name), wave, cell(l.OutcomeOf(d.Name)), at, cell(o.Detail))
		for _, text := range d.Disrupts {
			effects.add("interrupts: "+text, d.Name)
		}
		for _, text := range d.Effects {
			effects.add(text, d.Name)
		}
	}
	if len(effects.keys) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Effects\n\n")
	for _, text := range effects.keys {
		fmt.Fprintf(w, "- %s (%s)\n", cell(text), cell(nodeset.Text(effects.of[text], nodeset.Devices, math.MaxInt)))
	}
}

// recordLeft writes the devices that the change left as they were.
func recordLeft(w io.Writer, l *journal.Log) {
	if len(l.Left) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Left as they were\n\n")
	for _, left := range l.Left {
		fmt.Fprintf(w, "- %s: %s\n", cell(left.Name), cell(left.Why))
	}
}

// recordContents writes the contents of devices before and after, once for devices with the same contents.
func recordContents(w io.Writer, l *journal.Log, kept func(sum string) ([]byte, error)) {
	files := newGroups()
	of := map[string]*journal.File{}
	for i := range l.Devices {
		for j := range l.Devices[i].Changes {
			f := &l.Devices[i].Changes[j]
			key := f.Path + " " + f.Base + " " + f.Target
			of[key] = f
			files.add(key, l.Devices[i].Name)
		}
	}
	fmt.Fprintf(w, "\n## What the devices held before and after\n")
	for _, key := range files.keys {
		f := of[key]
		fmt.Fprintf(w, "\n### %s on %s\n\nSHA-256 before: `%s`, after: `%s`.\n", cell(f.Path),
			cell(nodeset.Text(files.of[key], nodeset.Devices, math.MaxInt)), f.Base, f.Target)
		fmt.Fprintf(w, "\n%s", recordDiff(f, kept))
	}
}

// mostDiff bounds the text of one difference in a record.
const mostDiff = 20_000

// recordDiff returns the difference of a file, in a fence that no line closes, or a sentence with the reason why the difference is missing.
func recordDiff(f *journal.File, kept func(sum string) ([]byte, error)) string {
	if f.Query != nil {
		return "It is a live state: the journal has its hashes alone.\n"
	}
	var texts [2]string
	for i, sum := range []string{f.Base, f.Target} {
		if sum == deploy.Absent {
			continue
		}
		content, err := kept(sum)
		if err != nil {
			return "No difference: " + cell(err.Error()) + "\n"
		}
		texts[i] = string(content)
	}
	text := udiff.Unified("before", "after", texts[0], texts[1])
	if text == "" {
		return "The content stays; its owner or mode changes.\n"
	}
	if len(text) > mostDiff {
		text = text[:mostDiff] + "\n[cut]\n"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	var b strings.Builder
	b.WriteString(fence + "diff\n")
	for line := range strings.Lines(text) {
		b.WriteString(diag.Escape(strings.TrimSuffix(line, "\n")) + "\n")
	}
	b.WriteString(fence + "\n")
	return b.String()
}

// groups are names by text, in the order of the first name.
type groups struct {
	keys []string
	of   map[string][]string
}

func newGroups() *groups { return &groups{of: map[string][]string{}} }

func (g *groups) add(key, name string) {
	if _, known := g.of[key]; !known {
		g.keys = append(g.keys, key)
	}
	if !slices.Contains(g.of[key], name) {
		g.of[key] = append(g.of[key], name)
	}
}

// cell returns a text for a cell of a Markdown table.
func cell(text string) string { return diag.Markdown(strings.Join(strings.Fields(text), " ")) }
