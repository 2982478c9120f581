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

// Plan prints a plan for people. First come the reasons for a person to stop: other runs, debts, findings. Then come the devices by
// key, with the line and the fact that made the value; devices with the same changes are folded. The table of effects and the waves
// follow, and on a terminal the summary and the next command. Every line fits the width. A plan of many devices fits a page: each fold
// has a count and the flag that opens it. No fold hides a refusal, a restart, or an end of losslessness.
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
	Next      string          // the command that goes on, if there is one
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
	room := v.Width - len("  (10,000 alike; --expand names them)")
	if v.Expand || v.detail == fullDetail {
		return allNames(names)
	}
	return nodeset.Text(names, nodeset.Devices, room)
}

func allNames(names []string) string { return nodeset.Text(names, nodeset.Devices, math.MaxInt) }

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

// mostFound is how many findings of a group are shown; JSON has them all.
const mostFound = 5

// found prints the findings of the vendor's rules about the files of devices as they will be.
func (v *Plan) found(g deploy.Group) {
	var all Texts
	first := map[string]*diag.Diagnostic{}
	for _, d := range g.Devices { // whose files may differ in what does not change
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

// Debt is a device that waits, and the first run that left it.
type Debt struct {
	Run   string
	Since time.Time
	Why   string
}

// notes counts the notes that a plan folds away: by their code, with the devices that they are about.
type notes struct {
	watched  Texts // about devices, from what was read of them
	groups   Texts // about the groups that are shown
	evidence int   // devices
}
