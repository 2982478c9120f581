package view

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Plan prints a plan for people. A table comes first: changes, effects on traffic, and reasons why devices cannot be planned for. Then
// come devices, those with the same changes folded, by key with the line and the fact that made the value. Every line fits the width.
type Plan struct {
	Options
	*Screen
	Dir string // the fabric's folder, as the person wrote it

	Fabric    *ir.Fabric         // nil: the devices are those of a run
	Sequence  *sequence.Sequence // the order in which they change; nil: it is not known
	Seen      *seen.Result       // the ways in which devices are not as the fabric describes them; nil: they were not read for it
	Rehearsal bool               // the devices are simulated
	Own       string             // a run whose hold on devices is no news
	ShowSteps bool               // also show the steps, which are made again from a journal
	Notes     map[string]string  // a note on a device
	Drift     bool               // the plan is of what verify found, so how a change would be put to use is left out
	Debts     map[string]Debt
	Changed   map[string]bool // hosts that runs have changed
	Tool      string          // this version of rocec

	detail detail
	differ report.Names // see alike
}

// Options are what a person chooses of every plan.
type Options struct {
	Diff   bool // whole-text diffs instead of keys
	Expand bool // every device on its own
}

// NewPlan returns a view on a screen; dir is the fabric's folder.
func NewPlan(s *Screen, dir string, o Options) *Plan {
	return &Plan{Options: o, Screen: s, Dir: path.Clean(dir), detail: fullDetail}
}

// detail is how much of every group of devices is shown.
type detail struct{ keys, effects, files, groups int } // at most so many of each

// fullDetail is shown of a plan for a few devices, or one that takes no more than a page; of another what fits a page.
var (
	fullDetail = detail{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt}
	lessDetail = []detail{{8, 12, 12, 12}, {3, 8, 12, 12}, {0, 6, 12, 12}, {0, 4, 6, 10}, {0, 2, 2, 8}, {0, 1, 0, 6}}
)

// Page is how many lines are read at once; a plan for so few devices is shown whole, however long it is.
const (
	Page       = 60
	fewDevices = 20
)

// valueWidth is how much of a value is shown; --diff and JSON have it all.
const valueWidth = 44

// Print prints the summary of a plan, and its devices.
func (v *Plan) Print(p *deploy.Plan) {
	out, raw := v.W, v.Raw
	var text bytes.Buffer
	v.W, v.Raw = NewFitWriter(&text, v.Width), &text
	v.summary(p)
	v.W, v.Raw = out, raw
	above := bytes.Count(text.Bytes(), []byte("\n"))
	text.WriteTo(raw) //nolint:errcheck // a closed terminal has nobody to tell
	v.Groups(p, Page-above)
}

// Groups shows the devices that change or cannot, in so many lines where there are many devices; --expand and --diff show all.
func (v *Plan) Groups(p *deploy.Plan, room int) {
	groups := foldTroubles(deploy.Fold(p))
	if v.Expand {
		groups = nil
		for _, d := range p.Devices {
			groups = append(groups, deploy.Group{Devices: []*deploy.DevicePlan{d}})
		}
	}
	groups = slices.DeleteFunc(groups, func(g deploy.Group) bool {
		s := g.First().Status
		return s == deploy.StatusSame || s == deploy.StatusPending
	})
	out, raw := v.W, v.Raw
	var text bytes.Buffer
	render := func(d detail) int {
		text.Reset()
		v.W, v.Raw, v.detail = NewFitWriter(&text, v.Width), &text, d
		for i, g := range groups {
			if i == d.groups {
				fmt.Fprintf(v.W, "... and %s of devices; --expand shows them\n\n", diag.Count(len(groups)-i, "more group"))
				break
			}
			if s := g.First().Status; s == deploy.StatusChange || s == deploy.StatusOthers {
				v.change(g)
			} else {
				v.trouble(g)
			}
		}
		return bytes.Count(text.Bytes(), []byte("\n"))
	}
	s := p.Summary()
	if render(fullDetail) > room && s.Change+s.Refused+s.Unreachable+s.Others > fewDevices && !v.Expand && !v.Diff {
		for _, d := range lessDetail {
			if render(d) <= room {
				break
			}
		}
	}
	v.W, v.Raw, v.detail = out, raw, fullDetail
	text.WriteTo(raw) //nolint:errcheck // a closed terminal has nobody to tell
}

func (v *Plan) change(g deploy.Group) {
	first := g.First()
	var names []string
	for _, d := range g.Devices {
		names = append(names, d.Device.Name)
	}
	head := v.Paint(diag.Bold, v.names(names))
	if len(names) > 1 {
		head += fmt.Sprintf("  (%d alike)", len(names))
	}
	fmt.Fprintln(v.W, strings.TrimRight(head+"  "+first.Device.About, " "))
	if !first.ByOthers() { // how and when these change is theirs
		for _, d := range first.Disrupts {
			v.Prose("  "+v.Paint(diag.Yellow, "disrupts:")+" ", target.Escape(d))
		}
		v.effects(first)
	}
	if v.ShowSteps {
		v.Running(RunningOn(g.Devices), v.Diff)
	}
	var more Texts
	for _, d := range g.Devices {
		if text := v.Notes[d.Device.Name]; text != "" {
			more.Add(text, d.Device.Name)
		}
	}
	for _, text := range more.All {
		v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", text+" What runs is what this rocec does.")
	}
	for _, text := range v.notes(first) {
		v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", text)
	}
	v.found(first)
	if first.Lock != nil && !first.Lock.Bars() { // which the summary says
		v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", lockText(first.Lock, first.Device.Name))
	}
	if first.ByOthers() {
		v.Prose("  "+v.Paint(diag.Yellow, deploy.WrittenByOthers), target.Escape(first.Waits.More)+theirs(first))
	}
	files := foldChanges(first.Shown(), v.Expand)
	for i, f := range files {
		if i == v.detail.files {
			fmt.Fprintf(v.W, "  ... and %s; --expand shows them\n", diag.Count(len(files)-i, "more file"))
			break
		}
		v.file(f)
	}
	fmt.Fprintln(v.W)
}

// notes returns the notes about a device. A note that several of its NICs have in common is there once, unless every device is shown.
func (v *Plan) notes(d *deploy.DevicePlan) []string {
	var texts []string
	for _, note := range d.Diags {
		texts = append(texts, note.Detail)
	}
	if v.Expand {
		return texts
	}
	var out []string
	for _, folded := range v.alike().Fold(texts) {
		out = append(out, folded.Text)
	}
	return out
}

// alike is the names that notes may differ in to be one.
func (v *Plan) alike() report.Names {
	if v.differ == nil {
		v.differ = report.NamesOf(v.Fabric)
	}
	return v.differ
}

// names folds the names of devices; of very many sets the first.
func (v *Plan) names(names []string) string {
	room := v.Width - len("  (10,000 alike)")
	if v.Expand || v.detail == fullDetail {
		room = math.MaxInt
	}
	return nodeset.Text(names, nodeset.Devices, room)
}

// effects prints the effects on traffic.
func (v *Plan) effects(d *deploy.DevicePlan) {
	if len(d.Effects) > 0 {
		fmt.Fprintln(v.W, "  traffic:")
	}
	for i, e := range d.Effects {
		if i == v.detail.effects {
			fmt.Fprintf(v.W, "    ... and %s; --expand shows them\n", diag.Count(len(d.Effects)-i, "more effect"))
			break
		}
		v.Prose("    "+v.symbol(e.Action)+" ", target.Escape(e.String()))
	}
}

// mostFound is how many findings of a device are shown; JSON has them all.
const mostFound = 5

// found prints the findings of the vendor's rules about the files of a device as they will be.
func (v *Plan) found(d *deploy.DevicePlan) {
	for i, f := range d.Found {
		if i == mostFound {
			fmt.Fprintf(v.W, "  ... and %s; --format json has them all\n", diag.Count(len(d.Found)-i, "more finding"))
			break
		}
		style := map[diag.Severity]string{diag.Error: diag.Red, diag.Warning: diag.Yellow}[f.Severity]
		v.Prose("  "+v.Paint(style, fmt.Sprintf("%s[%s]", f.Severity, f.Code))+" ", fmt.Sprintf("line %d: %s", f.At.Start.Line, f.Detail))
	}
}

// countsText counts the settings that are created, changed and removed; removals are painted.
func (v *Plan) countsText(n deploy.Counts) string {
	var parts []string
	if n.Create > 0 {
		parts = append(parts, fmt.Sprintf("%s to add", diag.Number(n.Create)))
	}
	if n.Update > 0 {
		parts = append(parts, fmt.Sprintf("%s to change", diag.Number(n.Update)))
	}
	if n.Delete > 0 {
		parts = append(parts, v.Paint(diag.Red, fmt.Sprintf("%s to remove", diag.Number(n.Delete))))
	}
	return strings.Join(parts, ", ")
}

// lockText words who holds the lock of a device, and how an apply treats it.
func lockText(o *deploy.Owner, device string) string {
	switch o.Mark {
	case txn.Undone, txn.Confirmed:
		return "locked by " + o.String() + MarkText(o.Mark) + ", and the next apply takes the lock away"
	}
	return o.Holds(device) + " " + o.GoOn(device)
}

func (v *Plan) file(f foldedFile) {
	c := f.Change
	what := ""
	if f.count > 1 {
		what = fmt.Sprintf("  (%d alike)", f.count)
	}
	if c.Live() {
		what += "  (live state)"
	}
	if c.Action == deploy.Activate {
		what += "  (up to date, and not known to be in use)"
	}
	if c.OnlyRights() {
		what += "  (owner and mode alone, so nothing restarts)"
	}
	if n := v.countsText(c.Counts()); n != "" {
		what += "  " + n
	}
	fmt.Fprintf(v.W, "  %s %s%s\n", v.symbol(c.Action), f.label, what)
	if !v.Drift {
		for _, text := range c.Says {
			v.Prose("      ", target.Escape(text))
		}
	}
	v.rights(c)
	if c.OnlyRights() {
		return
	}
	if v.Diff {
		for line := range strings.Lines(c.Unified()) {
			style := ""
			switch line[0] {
			case '+':
				style = diag.Green
			case '-':
				style = diag.Red
			}
			fmt.Fprintf(v.Raw, "      %s\n", v.Paint(style, strings.TrimRight(line, "\n"))) // content, and so whole
		}
		return
	}
	if v.detail.keys == 0 {
		return
	}
	if len(c.Keys) == 0 && c.File.Keys == nil {
		shown := c.After
		if shown == nil {
			shown = c.Before
		}
		lines := diag.Count(strings.Count(string(shown), "\n"), "line")
		if c.Before != nil && c.After != nil {
			added, removed := changedLines(c)
			lines = fmt.Sprintf("%s, of which %d new; %d gone", lines, added, removed)
		}
		fmt.Fprintf(v.W, "      (%s; --diff shows them)\n", lines)
		return
	}
	v.keys(c)
}

// changedLines counts the lines that a change adds and removes.
func changedLines(c *deploy.Change) (added, removed int) {
	_, hunks, _ := strings.Cut(c.Unified(), "\n@@") // what is above names the two sides
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// Origin is the first reason for a value, short: the file without the fabric's folder, which all of them share.
func (v *Plan) origin(from []target.Origin) string {
	if len(from) == 0 {
		return ""
	}
	first := from[0]
	first.At.Filename = strings.TrimPrefix(first.At.Filename, v.Dir+"/")
	return OriginText(Origins([]target.Origin{first}))
}

func (v *Plan) symbol(a deploy.Action) string {
	style := diag.Yellow
	switch a {
	case deploy.Create:
		style = diag.Green
	case deploy.Delete:
		style = diag.Red
	}
	return v.Paint(style, string(a.Symbol()))
}

// trouble shows devices that cannot be planned for, for one reason.
func (v *Plan) trouble(g deploy.Group) {
	d := g.First()
	var names []string
	for _, d := range g.Devices {
		names = append(names, d.Device.Name)
	}
	status := strings.ToUpper(string(d.Status))
	text := d.Err.Detail
	if len(names) > 1 {
		status += fmt.Sprintf("  (%s)", diag.Count(len(names), "device"))
		text = "each, as " + d.Device.Name + ": " + text
	}
	fmt.Fprintf(v.W, "%s  %s\n", v.Paint(diag.Bold, v.names(names)), v.Paint(diag.Red, status))
	v.Prose("  ", text)
	if d.ByOthers() && d.Err.Kind == deploy.Unmet { // it was read
		v.Prose("  "+v.Paint(diag.Yellow, deploy.WrittenByOthers), whoChange)
	}
	fmt.Fprintf(v.W, "  declared at %s\n\n", v.Paint(diag.Cyan, report.Place(d.Device.At)))
}

// shorten makes a value fit a line: a long list of numbers is written in ranges, anything else is cut.
func shorten(s string) string {
	s = target.Escape(s)
	if s == "" {
		return `""`
	}
	if list, ok := strings.CutPrefix(s, "["); ok && len(s) > valueWidth {
		if list, ok = strings.CutSuffix(list, "]"); ok {
			s = "[" + foldNumbers(strings.Split(list, ",")) + "]"
		}
	}
	if r := []rune(s); len(r) > valueWidth {
		return string(r[:valueWidth-1]) + "…"
	}
	return s
}

// foldNumbers writes rising numbers in ranges: 24 25 27 28 29 become "24-25,27-29". What is not a number stays.
func foldNumbers(items []string) string {
	var out []string
	for i := 0; i < len(items); {
		first, err := strconv.Atoi(strings.TrimSpace(items[i]))
		j := i + 1
		for ; err == nil && j < len(items); j++ {
			if n, err := strconv.Atoi(strings.TrimSpace(items[j])); err != nil || n != first+j-i {
				break
			}
		}
		if j-i == 1 {
			out = append(out, items[i])
		} else {
			out = append(out, fmt.Sprintf("%d-%d", first, first+j-i-1))
		}
		i = j
	}
	return strings.Join(out, ",")
}
