package view

import (
	"bytes"
	"fmt"
	"io"
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

// Plan prints a plan for people. First come the reasons for a person to stop: other runs, debts, findings. Then come devices, those
// with the same changes folded, by key with the line and the fact that made the value; then the table of effects, the waves, and last the
// summary and the next command, where a terminal shows them. Every line fits the width. A plan of many devices fits a page: each
// fold has a count and the flag that opens it, and no fold hides a refusal, a restart, or an end of losslessness.
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
	Tool      string          // this version of rocec, for devices that change because rocec has; empty: these are not named
	Next      string          // the command that goes on; empty: there is none
	Below     int             // lines that the verb prints on the same page
	Again     bool            // the notes have been printed already

	detail detail
	differ report.Names // see alike
	folded notes
}

// Options are what a person chooses of every plan.
type Options struct {
	Diff   bool // whole-text diffs instead of keys
	Expand bool // every device on its own
	Notes  bool // notes, and the evidence, as texts instead of a count
}

// NewPlan returns a view on a screen; dir is the fabric's folder.
func NewPlan(s *Screen, dir string, o Options) *Plan {
	return &Plan{Options: o, Screen: s, Dir: path.Clean(dir), detail: fullDetail}
}

// detail is how much of every group of devices is shown: at most so many of each.
type detail struct{ keys, effects, files int }

// fullDetail is shown of a plan for a few devices, or one that takes no more than a page; of another what fits a page.
var (
	fullDetail = detail{math.MaxInt, math.MaxInt, math.MaxInt}
	lessDetail = []detail{{8, 12, 12}, {3, 8, 12}, {0, 6, 12}, {0, 4, 6}, {0, 3, 2}, {0, 2, 1}, {0, 1, 0}, {0, 0, 0}}
)

// Page is how many lines are read at once; a plan for so few devices is shown whole, however long it is.
const (
	Page       = 60
	fewDevices = 2
)

// valueWidth is how much of a value is shown; --diff and JSON have it all.
const valueWidth = 44

// Print prints a plan.
func (v *Plan) Print(p *deploy.Plan) {
	v.folded = notes{}
	above := v.render(func() { v.alerts(p) })
	below := v.render(func() { v.waves(p) })
	// The summary counts the notes of the groups, so it comes after them; it has as many lines as now, or one more.
	room := Page - lines(above) - lines(below) - lines(v.render(func() { v.summary(p) })) - 1 - v.Below
	groups := v.groups(p, room)
	for _, text := range []string{above, groups, below, v.render(func() { v.summary(p) })} {
		io.WriteString(v.Raw, text) //nolint:errcheck // a closed terminal has nobody to tell
	}
}

// render returns the text that a function prints.
func (v *Plan) render(do func()) string {
	out, raw := v.W, v.Raw
	defer func() { v.W, v.Raw = out, raw }()
	var text bytes.Buffer
	v.W, v.Raw = NewFitWriter(&text, v.Width), &text
	do()
	return text.String()
}

func lines(text string) int { return strings.Count(text, "\n") }

// Groups prints the devices that change or cannot, in so many lines where there are many devices; --expand and --diff show all.
func (v *Plan) Groups(p *deploy.Plan, room int) {
	io.WriteString(v.Raw, v.groups(p, room)) //nolint:errcheck // a closed terminal has nobody to tell
}

func (v *Plan) groups(p *deploy.Plan, room int) string {
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
	kinds := make([]int, len(groups))
	defer func() { v.detail = fullDetail }()
	with := func(d detail) string {
		v.detail, v.folded.groups = d, Texts{}
		return v.render(func() {
			for i, g := range groups {
				if s := g.First().Status; s == deploy.StatusChange || s == deploy.StatusOthers {
					v.change(g, kinds[i])
				} else {
					v.trouble(g)
				}
			}
		})
	}
	text := with(fullDetail)
	s := p.Summary()
	if lines(text) <= room || s.Change+s.Refused+s.Unreachable+s.Others <= fewDevices || v.Expand || v.Diff {
		return text
	}
	for _, d := range lessDetail {
		if text = with(d); lines(text) <= room {
			return text
		}
	}
	groups, kinds = foldKinds(groups)
	return with(lessDetail[len(lessDetail)-1])
}

// change prints devices that change alike, or in so many kinds of a change.
func (v *Plan) change(g deploy.Group, kinds int) {
	first := g.First()
	var names []string
	for _, d := range g.Devices {
		names = append(names, d.Device.Name)
	}
	head := v.Paint(diag.Bold, v.names(names))
	switch {
	case kinds > 1:
		head += fmt.Sprintf("  (%d in %d kinds of this change; --expand shows them)", len(names), kinds)
	case len(names) > 1:
		head += fmt.Sprintf("  (%d alike)", len(names))
	}
	fmt.Fprintln(v.W, strings.TrimRight(head+"  "+first.Device.About, " "))
	var hidden []string
	if !first.ByOthers() { // how and when these change is theirs
		for _, d := range first.Disrupts {
			v.Prose("  "+v.Paint(diag.Yellow, "disrupts:")+" ", target.Escape(d))
		}
		if n := v.effects(first); n > 0 {
			hidden = append(hidden, diag.Count(n, "more effect"))
		}
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
	if v.Options.Notes || v.Drift {
		for _, text := range v.notes(first) {
			v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", text)
		}
	} else {
		v.folded.ofGroup(g)
	}
	v.found(first)
	if first.Lock != nil && !first.Lock.Bars() { // which the summary says
		v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", lockText(first.Lock, first.Device.Name))
	}
	if first.ByOthers() {
		v.Prose("  "+v.Paint(diag.Yellow, deploy.WrittenByOthers), target.Escape(first.Waits.More)+theirs(first))
	}
	files := foldChanges(first.Shown(), v.Expand)
	var keys, text int // that no file shows
	for i, f := range files {
		if i == v.detail.files {
			hidden = append(hidden, diag.Count(len(files)-i, "more file"))
			break
		}
		k, l := v.file(f)
		keys, text = keys+k, text+l
	}
	if keys > 0 {
		hidden = append(hidden, diag.Count(keys, "more key"))
	}
	if len(hidden) > 0 {
		fmt.Fprintf(v.W, "  ... and %s; --expand shows them\n", diag.And(hidden))
	}
	if text > 0 {
		fmt.Fprintf(v.W, "  ... and %s of new text; --diff shows them\n", diag.Count(text, "line"))
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

// effects prints the effects on traffic, and returns how many it leaves out. It leaves out no end of losslessness.
func (v *Plan) effects(d *deploy.DevicePlan) (more int) {
	show := len(d.Effects)
	if show > v.detail.effects {
		ends := 0 // the first ones
		for ends < show && d.Effects[ends].Kind == deploy.LosslessEnds {
			ends++
		}
		show = max(ends, v.detail.effects)
	}
	if show > 0 {
		fmt.Fprintln(v.W, "  traffic:")
	}
	for _, e := range d.Effects[:show] {
		v.Prose("    "+v.symbol(e.Action)+" ", target.Escape(e.String()))
	}
	return len(d.Effects) - show
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

// file prints a file that changes, and returns how many keys, and how many lines of a text, it leaves out.
func (v *Plan) file(f foldedFile) (moreKeys, moreLines int) {
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
		return 0, 0
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
		return 0, 0
	}
	text := len(c.Keys) == 0 && c.File.Keys == nil
	if v.detail.keys == 0 && text {
		added, _ := changedLines(c)
		return 0, added
	}
	if text {
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
		return 0, 0
	}
	return v.keys(c), 0
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
