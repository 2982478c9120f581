package view

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Print prints a plan.
func (v *Plan) Print(p *deploy.Plan) {
	v.folded = notes{}
	above := v.render(func() { v.alerts(p) })
	below := v.render(func() { v.waves(p) })
	// The summary counts the notes of the groups, so it comes after them; it has as many lines as now, or one more.
	room := Page - lines(above) - lines(below) - lines(v.render(func() { v.summary(p) })) - 1 - v.Below
	groups := v.groups(p, room)
	for _, text := range []string{above, groups, below, v.render(func() { v.summary(p) })} {
		io.WriteString(v.Raw, text) //nolint:errcheck // a closed terminal shows no error
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

// Groups prints the devices that change or cannot change. For many devices it prints at most lines lines; --expand and --diff show all.
func (v *Plan) Groups(p *deploy.Plan, room int) {
	io.WriteString(v.Raw, v.groups(p, room)) //nolint:errcheck // a closed terminal shows no error
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

// change prints devices with the same change, or with several kinds of one change.
func (v *Plan) change(g deploy.Group, kinds int) {
	first := g.First()
	var names []string
	for _, d := range g.Devices {
		names = append(names, d.Device.Name)
	}
	shown := v.names(names)
	head := v.Paint(diag.Bold, shown)
	switch {
	case kinds <= 1 && shown != allNames(names):
		head += fmt.Sprintf("  (%d alike; --expand names them)", len(names))
	case kinds > 1:
		head += fmt.Sprintf("  (%d in %d kinds of this change; --expand shows them)", len(names), kinds)
	case len(names) > 1:
		head += fmt.Sprintf("  (%d alike)", len(names))
	}
	fmt.Fprintln(v.W, strings.TrimRight(head+"  "+first.Device.About, " "))
	var hidden []string
	if !first.ByOthers() { // others decide how and when these change
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
		v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", text+" This rocec runs its own commands.")
	}
	if v.Options.Notes || v.Drift {
		for _, text := range v.notes(first) {
			v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", text)
		}
	} else {
		v.folded.ofGroup(g)
	}
	v.found(g)
	printLocks(v, g)
	if first.ByOthers() {
		v.Prose("  "+v.Paint(diag.Yellow, deploy.WrittenByOthers), target.Escape(first.Waits.More)+theirs(first))
	}
	files := foldChanges(first.Shown(), v.Expand)
	var keys, text int // differences that no file shows
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

// printLocks prints the holders of locks of devices, and how an apply treats them. Locks that bar an apply are printed above.
func printLocks(v *Plan, g deploy.Group) {
	var all Texts
	owners := map[string]*deploy.Owner{}
	for _, d := range g.Devices {
		if d.Lock != nil && !d.Lock.Bars() {
			key := d.Lock.String() + MarkText(d.Lock.Mark)
			all.Add(key, d.Device.Name)
			owners[key] = d.Lock
		}
	}
	for _, key := range all.All {
		o, names := owners[key], all.Of[key]
		text := o.Holds(names...) + " " + o.GoOn(names...)
		if o.Mark == txn.Undone || o.Mark == txn.Confirmed {
			text = of(names, g) + "locked by " + key + ", and the next apply removes the lock"
		}
		v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", text)
	}
}

// trouble prints devices that cannot be planned for the same reason.
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
	fmt.Fprintf(v.W, "%s  %s\n", v.Paint(diag.Bold, allNames(names)), v.Paint(diag.Red, status))
	v.Prose("  ", text)
	if d.ByOthers() && d.Err.Kind == deploy.Unmet { // the device was read
		v.Prose("  "+v.Paint(diag.Yellow, deploy.WrittenByOthers), whoChange)
	}
	fmt.Fprintf(v.W, "  declared at %s\n\n", v.Paint(diag.Cyan, report.Place(d.Device.At)))
}

// alerts prints warnings before the changes: runs that hold devices, pending devices, and findings.
func (v *Plan) alerts(p *deploy.Plan) {
	v.held(p)
	if v.Fabric != nil {
		if text := deploy.ByHand(v.Fabric); text != "" {
			v.Prose(v.Paint(diag.Yellow, "note:")+" ", text+".")
		}
	}
	v.pending(p, v.Debts)
	v.gone()
	v.others(p)
	acceptances(v, p)
	v.Watched(p)
	v.seen(v.Seen)
	if v.Options.Notes && !v.Again {
		v.asIs(p)
	}
	if v.Fabric != nil {
		v.evidence(p)
	}
	if v.Tool != "" {
		v.causes(p)
	}
}

// waves prints the table of effects, and the order of the change.
func (v *Plan) waves(p *deploy.Plan) {
	v.table(p)
	if v.Sequence != nil && p.Summary().Change > 0 {
		v.order(v.Sequence)
	}
}

// summary prints the last lines of a plan.
func (v *Plan) summary(p *deploy.Plan) {
	v.notesLine(p)
	if v.Assumed != "" {
		v.Prose("", v.Assumed)
	}
	s := p.Summary()
	if s.Change+s.Unreachable+s.Refused == 0 {
		fmt.Fprintf(v.W, "%s %s up to date%s%s%s.\n", v.Paint(diag.Green, "No changes:"), diag.Count(s.Same, "device"),
			acceptedText(s.Accepted), pendingText(s.Pending), othersText(s.Others))
		return
	}
	parts := []string{fmt.Sprintf("%s to change", diag.Count(s.Change, "device")), fmt.Sprintf("%d up to date", s.Same)}
	if s.Unreachable > 0 {
		parts = append(parts, v.Paint(diag.Red, fmt.Sprintf("%d unreachable", s.Unreachable)))
	}
	if s.Refused > 0 {
		parts = append(parts, v.Paint(diag.Red, fmt.Sprintf("%d refused", s.Refused)))
	}
	if s.Accepted > 0 {
		parts = append(parts, acceptedText(s.Accepted)[len(", "):])
	}
	if s.Pending > 0 {
		parts = append(parts, fmt.Sprintf("%d pending", s.Pending))
	}
	if s.Others > 0 {
		parts = append(parts, othersText(s.Others)[len(", "):])
	}
	fmt.Fprintf(v.W, "Plan: %s.  %s, %s.\n", strings.Join(parts, ", "), diag.Count(s.Files, "file"), diag.Count(s.Live, "live state"))
	if n := v.countsText(s.Settings); n != "" {
		fmt.Fprintf(v.W, "Settings: %s.\n", n)
	}
	if s.Change > 0 {
		text := v.Paint(diag.Yellow, diag.Count(s.Disruptive, "device"))
		if v.Sequence != nil && len(v.Sequence.Waves) > 0 {
			text += darkText(v.Sequence) + "; " + diag.Count(len(v.Sequence.Waves), "wave") + ", " + ShortTime(v.Sequence.Takes()) + " at most"
		}
		step := ""
		if v.Sequence != nil && len(v.Sequence.Steps) > 1 {
			step = fmt.Sprintf(" of the first of %d steps", len(v.Sequence.Steps))
		}
		fmt.Fprintf(v.W, "Disruption%s: %s.\n", step, text)
		way(v, p)
	}
	if v.Next != "" {
		fmt.Fprintf(v.Raw, "Next: %s\n", v.Next) // unbroken: the first part of a broken line would be a valid command without its limits
	}
}

// darkText counts the hosts that an order leaves without a link at the same time, if there are any.
func darkText(s *sequence.Sequence) string {
	if most := mostDark(s); most > 0 {
		return fmt.Sprintf(", %s dark at most", diag.Count(most, "host"))
	}
	return ""
}

// mostDark returns the largest number of hosts without a link in a wave.
func mostDark(s *sequence.Sequence) (most int) {
	for _, w := range s.Waves {
		n := len(w.Dark)
		if w.Stream {
			n = min(n, s.Rules.Parallel)
		}
		most = max(most, n)
	}
	return most
}

// Price returns the cost of a change for traffic, in sentences for a question: restarts, hosts without a link, and the duration.
func Price(p *deploy.Plan, s *sequence.Sequence) string {
	var disrupts rows
	for _, d := range p.Devices {
		for _, text := range d.Disrupts {
			disrupts.add(text)
		}
	}
	var out []string
	if len(disrupts.all) == 0 {
		out = append(out, "No step interrupts traffic.")
	}
	const most = 3 // the plan above the question has the whole list
	for i, r := range disrupts.all {
		if i == most {
			out = append(out, fmt.Sprintf("%s more, as above.", diag.Count(len(disrupts.all)-i, "disruption")))
			break
		}
		out = append(out, fmt.Sprintf("It disrupts %s: %s.", diag.Count(r.n, "device"), target.Escape(r.what)))
	}
	if s == nil || len(s.Waves) == 0 {
		return strings.Join(out, " ")
	}
	if n := mostDark(s); n > 0 {
		out = append(out, fmt.Sprintf("At most %s %s without a link at a time.", diag.Count(n, "host"), diag.Plural(n, "is", "are")))
	}
	takes := "It takes"
	if n := len(s.Steps); n > 1 {
		takes = fmt.Sprintf("This is the first of %d steps; it takes", n)
	}
	out = append(out, fmt.Sprintf("%s %s, at most %s.", takes, diag.Count(len(s.Waves), "wave"), ShortTime(s.Takes())))
	return strings.Join(out, " ")
}
