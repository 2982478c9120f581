package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// planView prints a plan for people: devices with the same changes are folded, changes are shown by key with the line
// and the fact that made the value, and what traffic will notice stands where nobody can miss it.
type planView struct {
	viewOptions
	w     io.Writer
	color bool
	dir   string // the fabric's folder, as the person wrote it
}

// viewOptions are the flags of every verb that shows a plan.
type viewOptions struct {
	diff   bool // whole-text diffs instead of keys
	expand bool // every device on its own
}

func (o *viewOptions) viewFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.diff, "diff", false, "show whole-text diffs instead of keys")
	cmd.Flags().BoolVar(&o.expand, "expand", false, "show every device on its own, also those with the same changes")
}

// planView is a view on stdout; dir is the fabric's folder.
func (a *app) planView(dir string, o viewOptions) *planView {
	return &planView{viewOptions: o, w: a.stdout, color: a.paints(a.stdout), dir: path.Clean(dir)}
}

// valueWidth is how much of a value is shown; --diff and JSON have it all.
const valueWidth = 44

func (v *planView) paint(style, s string) string { return diag.Paint(v.color, style, s) }

func (v *planView) print(p *deploy.Plan, o rollout.WaveOptions) {
	groups := deploy.Fold(p)
	if v.expand {
		groups = nil
		for _, d := range p.Devices {
			groups = append(groups, deploy.Group{Devices: []*deploy.DevicePlan{d}})
		}
	}
	for _, g := range groups {
		switch g.First().Status {
		case deploy.StatusChange:
			v.change(g)
		case deploy.StatusUnreachable, deploy.StatusRefused:
			v.trouble(g.First())
		}
	}
	v.summary(p, o)
}

func (v *planView) change(g deploy.Group) {
	first := g.First()
	var names []string
	for _, d := range g.Devices {
		names = append(names, d.Device.Name)
	}
	head := v.paint(diag.Bold, nodeset.Text(names, nodeset.Devices, math.MaxInt))
	if len(names) > 1 {
		head += fmt.Sprintf("  (%d alike)", len(names))
	}
	fmt.Fprintf(v.w, "%s  %s\n", head, first.Device.About)
	for _, d := range first.Disrupts {
		fmt.Fprintf(v.w, "  %s %s\n", v.paint(diag.Yellow, "disrupts:"), target.Escape(d))
	}
	for _, d := range first.Diags {
		(&diag.Printer{}).Prose(v.w, "  "+v.paint(diag.Yellow, "note:")+" ", d.Detail) //nolint:errcheck // a closed terminal has nobody to tell
	}
	if first.Lock != nil {
		(&diag.Printer{}).Prose(v.w, "  "+v.paint(diag.Yellow, "note:")+" ", lockText(first.Lock)) //nolint:errcheck // as above
	}
	for _, c := range first.Changes {
		v.file(c)
	}
	fmt.Fprintln(v.w)
}

// lockText says who holds the lock of a device, and what an apply would make of that.
func lockText(o *deploy.Owner) string {
	text := "locked by " + o.String()
	switch o.Mark {
	case "armed", "loaded", "undoing":
		return text + ". Run " + deploy.NotConfirmed(o.Txn, o.Mark)
	case "undone", "confirmed":
		return text + markText(o.Mark) + ", and the next apply takes the lock away"
	}
	return text
}

func (v *planView) file(c *deploy.Change) {
	what := ""
	if c.Live() {
		what = "  (live state)"
	}
	if c.Action == deploy.Activate {
		what = "  (up to date, and not known to be in use)"
	}
	fmt.Fprintf(v.w, "  %s %s%s\n", v.symbol(c.Action), c.Path, what)
	if v.diff {
		for line := range strings.Lines(c.Unified()) {
			style := ""
			switch line[0] {
			case '+':
				style = diag.Green
			case '-':
				style = diag.Red
			}
			fmt.Fprintf(v.w, "      %s\n", v.paint(style, strings.TrimRight(line, "\n")))
		}
		return
	}
	if len(c.Keys) == 0 && c.File.Keys == nil {
		shown := c.After
		if shown == nil {
			shown = c.Before
		}
		fmt.Fprintf(v.w, "      (%s; --diff shows them)\n", diag.Count(strings.Count(string(shown), "\n"), "line"))
		return
	}
	key, value := 0, 0
	texts := make([]string, len(c.Keys))
	for i, k := range c.Keys {
		switch k.Action {
		case deploy.Create:
			texts[i] = shorten(k.After)
		case deploy.Delete:
			texts[i] = shorten(k.Before)
		default:
			texts[i] = shorten(k.Before) + " -> " + shorten(k.After)
		}
		key = max(key, len(k.Key))
		value = max(value, min(len([]rune(texts[i])), 30))
	}
	for i, k := range c.Keys {
		line := fmt.Sprintf("      %s %-*s  %-*s", v.symbol(k.Action), key, target.Escape(k.Key), value, texts[i])
		if why := v.origin(k.From); why != "" && k.Action != deploy.Delete && !c.Live() {
			line += "  " + v.paint(diag.Dim, why)
		}
		fmt.Fprintln(v.w, strings.TrimRight(line, " "))
	}
	if c.Unchanged+c.NotOurs > 0 {
		fmt.Fprintf(v.w, "      (%s unchanged, %d not managed here)\n", diag.Count(c.Unchanged, "key"), c.NotOurs)
	}
}

// origin is the first reason for a value, short: the file without the fabric's folder, which all of them share.
func (v *planView) origin(from []target.Origin) string {
	if len(from) == 0 {
		return ""
	}
	first := from[0]
	first.At.Filename = strings.TrimPrefix(first.At.Filename, v.dir+"/")
	return originText(origins([]target.Origin{first}))
}

func (v *planView) symbol(a deploy.Action) string {
	style := diag.Yellow
	switch a {
	case deploy.Create:
		style = diag.Green
	case deploy.Delete:
		style = diag.Red
	}
	return v.paint(style, string(a.Symbol()))
}

func (v *planView) trouble(d *deploy.DevicePlan) {
	fmt.Fprintf(v.w, "%s  %s\n", v.paint(diag.Bold, d.Device.Name), v.paint(diag.Red, strings.ToUpper(string(d.Status))))
	(&diag.Printer{}).Prose(v.w, "  ", d.Err.Detail) //nolint:errcheck // a closed terminal has nobody to tell
	fmt.Fprintf(v.w, "  declared at %s\n\n", v.paint(diag.Cyan, report.Place(d.Device.At)))
}

// held names the runs that are in use on devices and wait to be confirmed.
func (v *planView) held(p *deploy.Plan) {
	of := map[string][]string{}
	for _, d := range p.Devices {
		if d.Lock.Held() && deploy.ValidRun(d.Lock.Txn) {
			of[d.Lock.Txn] = append(of[d.Lock.Txn], d.Device.Name)
		}
	}
	for _, run := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(v.w, "%s run %s is in use on %s and not confirmed yet. Keep it: rocec confirm %[2]s. Go back: rocec rollback %[2]s.\n",
			v.paint(diag.Yellow, "note:"), run, nodeset.Text(of[run], nodeset.Devices, math.MaxInt))
	}
}

func (v *planView) summary(p *deploy.Plan, o rollout.WaveOptions) {
	v.held(p)
	s := p.Summary()
	if s.Change+s.Unreachable+s.Refused == 0 {
		fmt.Fprintf(v.w, "%s %s up to date.\n", v.paint(diag.Green, "No changes:"), diag.Count(s.Same, "device"))
		return
	}
	parts := []string{fmt.Sprintf("%s to change", diag.Count(s.Change, "device")), fmt.Sprintf("%d up to date", s.Same)}
	if s.Unreachable > 0 {
		parts = append(parts, v.paint(diag.Red, fmt.Sprintf("%d unreachable", s.Unreachable)))
	}
	if s.Refused > 0 {
		parts = append(parts, v.paint(diag.Red, fmt.Sprintf("%d refused", s.Refused)))
	}
	fmt.Fprintf(v.w, "Plan: %s.  %s, %s.\n", strings.Join(parts, ", "), diag.Count(s.Files, "file"), diag.Count(s.Live, "live state"))
	if s.Change > 0 {
		fmt.Fprintf(v.w, "Disruption: %s; order: %s, never two of a redundancy group together.\n",
			v.paint(diag.Yellow, diag.Count(s.Disruptive, "device")), diag.Count(len(rollout.Waves(p, o)), "wave"))
	}
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

// foldNumbers writes rising numbers in ranges: 24 25 27 28 29 become "24-25,27-29". What is no number stays.
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

// planDocument is the JSON of plan.
type planDocument struct {
	FormatVersion string       `json:"format_version"`
	Devices       []planDevice `json:"devices"`
	Summary       planSummary  `json:"summary"`
}

type planDevice struct {
	Name     string       `json:"name"`
	Status   string       `json:"status"`
	Reason   string       `json:"reason,omitempty"`
	Disrupts []string     `json:"disrupts"`
	Changes  []planChange `json:"changes"`
	Cause    *planCause   `json:"rocec_changed,omitempty"`
}

type planChange struct {
	Path   string    `json:"path"`
	Action string    `json:"action"`
	Keys   []planKey `json:"keys"`
}

type planKey struct {
	Key    string  `json:"key"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

type planSummary struct {
	Change      int `json:"change"`
	Same        int `json:"same"`
	Unreachable int `json:"unreachable"`
	Refused     int `json:"refused"`
	Waves       int `json:"waves"`
}

func planJSON(p *deploy.Plan, o rollout.WaveOptions) planDocument {
	s := p.Summary()
	doc := planDocument{
		FormatVersion: report.FormatVersion, Devices: []planDevice{},
		Summary: planSummary{s.Change, s.Same, s.Unreachable, s.Refused, len(rollout.Waves(p, o))},
	}
	for _, d := range p.Devices {
		pd := planDevice{Name: d.Device.Name, Status: string(d.Status), Disrupts: append([]string{}, d.Disrupts...), Changes: changesJSON(d), Cause: causeJSON(d)}
		if d.Err != nil {
			pd.Reason = d.Err.Detail
		}
		doc.Devices = append(doc.Devices, pd)
	}
	return doc
}

func changesJSON(d *deploy.DevicePlan) []planChange {
	out := []planChange{}
	for _, c := range d.Changes {
		pc := planChange{Path: c.Path, Action: string(c.Action), Keys: []planKey{}}
		if c.Action == deploy.Activate { // in place, not in use: for a reader of the promise, an update without keys
			pc.Action = string(deploy.Update)
		}
		for _, k := range c.Keys {
			pk := planKey{Key: k.Key}
			if k.Action != deploy.Create {
				pk.Before = &k.Before
			}
			if k.Action != deploy.Delete {
				pk.After = &k.After
			}
			pc.Keys = append(pc.Keys, pk)
		}
		out = append(out, pc)
	}
	return out
}
