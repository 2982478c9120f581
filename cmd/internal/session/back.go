package session

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// WayBack sorts the devices of a run that is rolled back.
type WayBack struct {
	Over       []journal.Device   // the run is already undone: by the device, by rocec, or by a rollback
	Unrecorded []journal.Device   // already undone, but not yet in the journal
	Open       []journal.Device   // neither kept nor undone: the device undoes it
	Unsure     []journal.Device   // outcome unknown, and a later run may have written the present content
	Kept       deploy.Plan        // kept: a new run restores the content from before
	Order      *deploy.Order      // the order of restoring Kept
	Barred     error              // the reason not to restore Kept: another run, or a policy; nil: it is restored
	Seq        *sequence.Sequence // the order in the fabric of the run; nil: it cannot be read any more
	Reader     *replay.Reader     // of the journal

	elsewhere map[string]deploy.RunMark // by device: the run with which another machine rolled it back
}

// Sort decides the action on a device that was read. It does not compare files: a later run may have written the same content.
func (b *WayBack) Sort(d *deploy.DevicePlan, jd journal.Device, l *journal.Log, logs []*journal.Log) {
	there, mark := markOn(d, l.Run)
	by := slices.IndexFunc(d.Over, func(r deploy.RunMark) bool { return r.Undoes == l.Run })
	refused := d.Err != nil && d.Err.Kind == deploy.Journal
	began := l.Marks()[jd.Name]
	switch {
	case refused && d.Err.None && !there && mark == txn.Absent && (began == txn.Absent || began == txn.Prepared):
		b.Unrecorded = append(b.Unrecorded, jd) // it was not changed, and has kept nothing
	case refused: // no device is changed until this one is left out
		b.Kept.Devices = append(b.Kept.Devices, d)
	case by >= 0 && !there:
		if b.elsewhere == nil {
			b.elsewhere = map[string]deploy.RunMark{}
		}
		b.elsewhere[jd.Name] = d.Over[by]
		b.Over = append(b.Over, jd)
	case there && mark == txn.Undone:
		b.Unrecorded = append(b.Unrecorded, jd)
	case there && mark != txn.Confirmed:
		b.Open = append(b.Open, jd)
	case there || d.Err != nil || l.OutcomeOf(jd.Name) == string(deploy.Applied) || mark == txn.Confirmed:
		b.Kept.Devices = append(b.Kept.Devices, d)
	case mark == txn.Undone || mark == txn.Prepared:
		b.Unrecorded = append(b.Unrecorded, jd)
	case journal.WriterOf(logs, jd.Name) != nil:
		b.Unsure = append(b.Unsure, jd)
	default:
		b.Kept.Devices = append(b.Kept.Devices, d)
	}
}

// WentBack writes into the journal of a run that another machine has rolled it back.
func (s *Session) WentBack(l *journal.Log, b *WayBack) error {
	if len(b.elsewhere) == 0 {
		return nil
	}
	dir, err := journals(s, l.Lab != "")
	if err != nil {
		return err
	}
	log, err := dir.Reopen(l.Run, s.clock.Now)
	if err != nil {
		return exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	for _, name := range slices.Sorted(maps.Keys(b.elsewhere)) {
		by := b.elsewhere[name]
		err = errors.Join(err, log.Result(journal.Line{
			Device: name, Verb: journal.BackVerb, Result: "ok", Detail: "Rolled back by run " + by.Run + " of " + by.Who + ".",
		}))
	}
	if err = errors.Join(err, log.Finish(nil)); err != nil {
		return exit.Fail(exit.Machines, "the journal of run %s cannot be written: %v", l.Run, err)
	}
	return nil
}

// markOn returns how far a run came on a device, and whether its lock or folder is still there.
func markOn(d *deploy.DevicePlan, run string) (there bool, mark txn.Mark) {
	if d.Lock != nil && d.Lock.Txn == run {
		return true, d.Lock.Mark
	}
	for _, r := range d.Runs {
		if r.Run == run {
			return true, r.Mark
		}
	}
	for _, r := range d.Over {
		if r.Run == run {
			mark = r.Mark
		}
	}
	return false, mark
}

func namesOf(devices []journal.Device) string {
	var names []string
	for _, d := range devices {
		names = append(names, d.Name)
	}
	return diag.Escape(nodeset.Text(names, nodeset.Devices, math.MaxInt))
}

// OverText states on which devices a run is undone, and by whom.
func (b *WayBack) OverText(l *journal.Log, logs []*journal.Log) string {
	by := map[string][]journal.Device{}
	var stories []string
	add := func(story string, d journal.Device) {
		if len(by[story]) == 0 {
			stories = append(stories, story)
		}
		by[story] = append(by[story], d)
	}
	for _, d := range b.Over {
		switch o := deploy.Outcome(l.OutcomeOf(d.Name)); {
		case b.elsewhere[d.Name].Run != "":
			by := b.elsewhere[d.Name]
			add("was rolled back by run "+by.Run+" of "+diag.Escape(by.Who)+" on %s.", d)
		case l.RolledBackBy(logs, d.Name) != nil:
			add("was rolled back by run "+l.RolledBackBy(logs, d.Name).Run+" on %s.", d)
		case o == deploy.Reverted:
			add("was not confirmed, and is undone on %s.", d)
		case o == deploy.Restored:
			add("is undone on %s.", d)
		case o == deploy.Conflict:
			add("is undone on %s, but for files that others changed.", d)
		case o.Closed():
			add("changed nothing on %s ("+string(o)+").", d)
		default:
			add("is over on %s with an unknown outcome.", d)
		}
	}
	for _, d := range b.Unsure {
		add("is over on %s, and it is unknown whether it was kept there.", d)
	}
	var parts []string
	for _, s := range stories {
		parts = append(parts, fmt.Sprintf("Run %s "+s, l.Run, namesOf(by[s])))
	}
	return strings.Join(parts, " ")
}

// Undone returns the exit status of undoing a run: good if each device has the content from before.
func Undone(r *deploy.Results) error {
	e := view.Occasion{Verb: "rollback"}
	for _, d := range r.Devices {
		if !e.Good(d) {
			return exit.With(exit.Incomplete)
		}
	}
	if r.Interrupted {
		return exit.With(exit.Interrupted)
	}
	return nil
}

// orderOf returns the order of devices in a run, from its journal; for a rollback, the reverse. A journal without waves has no order. A
// wave has at most maxDark hosts; 0: as many as in the run.
func orderOf(l *journal.Log, plan *deploy.Plan, goal txn.Goal, maxDark int) *deploy.Order {
	wave := map[string]int{}
	for _, d := range l.Devices {
		wave[d.Name] = d.Wave
	}
	by := map[int][]*deploy.DevicePlan{}
	for _, d := range plan.Devices {
		if n := wave[d.Device.Name]; n > 0 && d.Status == deploy.StatusChange {
			by[n] = append(by[n], d)
		}
	}
	o := &deploy.Order{}
	var role target.Role
	phase := 0
	for _, n := range slices.Sorted(maps.Keys(by)) {
		if r := by[n][0].Device.Role; r != role {
			role, phase = r, phase+1
		}
		most := len(by[n])
		if role == target.Host && maxDark > 0 {
			most = maxDark
		}
		for devices := range slices.Chunk(by[n], most) {
			w := &deploy.Wave{Phase: phase, Devices: devices, Stream: role == target.Host}
			for _, d := range devices {
				if d.Device.Role == target.Switch { // without the fabric it is unknown which devices cut hosts off
					w.Marks = append(w.Marks, d.Device)
				}
			}
			o.Waves = append(o.Waves, w)
		}
	}
	if goal == txn.Back {
		o = o.Reverse()
	}
	return o
}

// BackSequence returns the order in which devices that kept a run are restored: the last wave first, each checked against the present
// fabric. If that fabric differs from that of the run, or is unreadable, it returns only the order of the journal.
func (s *Session) BackSequence(l *journal.Log, plan *deploy.Plan, maxDark int, r sequence.Rules) (*sequence.Sequence, *deploy.Order) {
	order := orderOf(l, plan, txn.Back, maxDark)
	if len(s.Vars)+len(s.VarFiles) == 0 {
		s.Vars, s.VarFiles = l.Vars, l.VarFiles
	}
	f, err := s.LoadGood(l.Fabric)
	if err != nil || f.Fabric.Name != l.Name {
		return nil, order
	}
	devices := map[string]*ir.Device{}
	for _, d := range f.Fabric.Devices {
		devices[d.Name] = d
	}
	for _, p := range plan.Devices {
		if p.Device.Source = devices[p.Device.Name]; p.Device.Source == nil {
			return nil, order
		}
	}
	seq, _ := sequence.Follow(f.Fabric, own(s, f.Tree()), plan, order, r)
	if seq == nil {
		return nil, order
	}
	return seq, seq.Order
}

// This file prints the actions of a rollback on devices: the names of steps, and with --diff the commands that rocec derives from the
// names.

// OtherRocec names the steps of a run whose commands on a device differ between this rocec and the rocec of the run.
func OtherRocec(r *replay.Reader, l *journal.Log, d *journal.Device) string {
	others := r.Otherwise(d)
	if len(others) == 0 {
		return ""
	}
	for i := range others {
		others[i] = view.StepWords(scripts.WentForth(others[i]), "")
	}
	made := l.Tool
	if d.Tool != "" {
		made = d.Tool
	}
	return fmt.Sprintf("The commands of %s differ between this rocec and the rocec of the run (%s).", diag.And(others), deploy.OneLine(made))
}

// Undoings returns the effects of undoing an armed run. Devices restore their saved content, so there is nothing to compare: the effects
// are those of the steps and their undo commands.
func (b *WayBack) Undoings(l *journal.Log) *view.Undoing {
	u := &view.Undoing{Run: l.Run}
	groups := map[string]*view.UndoGroup{}
	waves := map[int]bool{}
	for i := range b.Open {
		d := &b.Open[i]
		g := &view.UndoGroup{About: d.About, Other: OtherRocec(b.Reader, l, d)}
		for _, s := range b.Reader.Steps(d) {
			if s.Disrupts != "" && !slices.Contains(g.Disrupts, s.Disrupts) {
				g.Disrupts = append(g.Disrupts, s.Disrupts)
			}
			g.Runs = view.AddRunning(g.Runs, view.RunningBack(&s))
		}
		waves[d.Wave] = true
		key := fmt.Sprintf("%q %q %q %q", g.About, g.Other, g.Disrupts, g.Runs)
		if groups[key] == nil {
			groups[key] = g
			u.Groups = append(u.Groups, g)
		}
		groups[key].Devices = append(groups[key].Devices, d.Name)
	}
	u.Waves = len(waves)
	return u
}
