package view

import (
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
)

// Plan prints a plan for people. First come the reasons to stop: other runs, debts, findings. Then come the changes of devices by key,
// with the line and the fact behind each value; devices with the same changes are folded. The table of effects and the waves follow, and
// on a terminal the summary and the next command. Every line fits the width. A plan of many devices fits a page: each folded part has a
// count, and the flag that shows it. Folding hides no refusal, no restart, and no end of losslessness.
type Plan struct {
	Options
	*Screen
	Dir string // the fabric's folder, as the person wrote it

	Fabric    *ir.Fabric         // nil: the devices are those of a run
	Sequence  *sequence.Sequence // the order of changes; nil: unknown
	Seen      *seen.Result       // differences of ports and cables from the fabric; nil: not read
	Rehearsal bool               // the devices are simulated
	Own       string             // a run whose locks are not printed
	ShowSteps bool               // also show the steps, for a plan from a journal
	Notes     map[string]string  // a note on a device
	Drift     bool               // the plan is for verify, so it leaves out how changes are activated
	Debts     map[string]Debt
	Changed   map[string]bool // hosts that runs have changed
	Tool      string          // this version of rocec, to name devices that change because rocec has; empty: they are not named
	Next      string          // the next command, if any
	Assumed   string          // a sentence about the assumptions of verdicts, if any
	Below     int             // lines that the verb prints on the same page
	Again     bool            // the notes have been printed already
	Listed    bool            // the findings about assumptions have been printed already

	detail detail
	differ report.Names // see alike
	folded notes
}

// Options are the options of every plan.
type Options struct {
	Diff   bool // whole-text diffs instead of keys
	Expand bool // every device separately
	Notes  bool // notes, and the evidence, as texts instead of a count
}

// NewPlan returns a view on a screen; dir is the fabric's folder.
func NewPlan(s *Screen, dir string, o Options) *Plan {
	return &Plan{Options: o, Screen: s, Dir: path.Clean(dir), detail: fullDetail}
}

// detail is the maximum number of keys, effects and files that are shown for each group of devices.
type detail struct{ keys, effects, files int }

// fullDetail is the detail of a plan for a few devices, or of one that fits a page; other plans get the detail that fits a page.
var (
	fullDetail = detail{math.MaxInt, math.MaxInt, math.MaxInt}
	lessDetail = []detail{{8, 12, 12}, {3, 8, 12}, {0, 6, 12}, {0, 4, 6}, {0, 3, 2}, {0, 2, 1}, {0, 1, 0}, {0, 0, 0}}
)

// Page is how many lines are read at once; a plan for so few devices is shown whole, however long it is.
const (
	Page       = 60
	fewDevices = 2
)

// valueWidth is the maximum width of a value; --diff and JSON show the whole value.
const valueWidth = 44

// notes returns the notes about a device. A note about several of its NICs is listed once, unless every device is shown.
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

// alike returns the names in which notes may differ and still be folded.
func (v *Plan) alike() report.Names {
	if v.differ == nil {
		v.differ = report.NamesOf(v.Fabric)
	}
	return v.differ
}

// names folds the names of devices; of very many nodesets it shows the first.
func (v *Plan) names(names []string) string {
	room := v.Width - len("  (10,000 alike; --expand names them)")
	if v.Expand || v.detail == fullDetail {
		return allNames(names)
	}
	return nodeset.Text(names, nodeset.Devices, room)
}

func allNames(names []string) string { return nodeset.Text(names, nodeset.Devices, math.MaxInt) }

// effects prints the effects on traffic, and returns the number of effects that it leaves out. It always prints an end of losslessness.
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

// mostFound is the maximum number of findings of a group that are shown; JSON has all.
const mostFound = 5

// found prints the findings of the vendor's rules about the future files of devices.
func (v *Plan) found(g deploy.Group) {
	var all Texts
	first := map[string]*diag.Diagnostic{}
	for _, d := range g.Devices { // whose files may differ in unchanged parts
		for _, f := range d.Found {
			text := f.Detail
			if f.At.Filename != "" { // a device has several files
				text = report.Place(f.At) + ": " + text
			}
			all.Add(text, d.Device.Name)
			first[text] = f
		}
	}
	for i, text := range all.All {
		f := first[text]
		if i == mostFound {
			fmt.Fprintf(v.W, "  ... and %s; --format json has them all\n", diag.Count(len(all.All)-i, "more finding"))
			break
		}
		style := map[diag.Severity]string{diag.Error: diag.Red, diag.Warning: diag.Yellow}[f.Severity]
		v.Prose("  "+v.Paint(style, fmt.Sprintf("%s[%s]", f.Severity, f.Code))+" ", of(all.Of[text], g)+text)
	}
}

// countsText counts the settings that are created, changed and removed; removals are painted.
func (s *Screen) countsText(n deploy.Counts) string {
	var parts []string
	if n.Create > 0 {
		parts = append(parts, fmt.Sprintf("%s to add", diag.Number(n.Create)))
	}
	if n.Update > 0 {
		parts = append(parts, fmt.Sprintf("%s to change", diag.Number(n.Update)))
	}
	if n.Delete > 0 {
		parts = append(parts, s.Paint(diag.Red, fmt.Sprintf("%s to remove", diag.Number(n.Delete))))
	}
	return strings.Join(parts, ", ")
}

func (s *Screen) symbol(a deploy.Action) string {
	style := diag.Yellow
	switch a {
	case deploy.Create:
		style = diag.Green
	case deploy.Delete:
		style = diag.Red
	}
	return s.Paint(style, string(a.Symbol()))
}

// Debt is a pending device, and the first run that did not change it.
type Debt struct {
	Run   string
	Since time.Time
	Why   string
}

// notes counts the folded notes of a plan, by code, with their devices.
type notes struct {
	watched  Texts // about devices, from reading them
	groups   Texts // about the groups that are shown
	evidence int   // devices
}
