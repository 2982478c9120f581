package view

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// Occasion is the situation in which a run is reported.
type Occasion struct {
	Verb string // apply, confirm, resume or rollback; for rollback the goal is the content from before
	Gone bool   // the devices end with the command (--lab=new), so no later command is possible
	Lab  bool   // the devices are in a lab, which is saved when the command ends by itself
}

// Good reports whether a device has the outcome that the verb wants.
func (e *Occasion) Good(d *deploy.Result) bool {
	if d.Cleanup != nil {
		return false
	}
	switch d.Outcome {
	case deploy.Applied, deploy.Unconfirmed, deploy.Unchanged:
		return e.Verb != "rollback"
	case deploy.Restored, deploy.Reverted, deploy.NotStarted:
		return e.Verb == "rollback" && d.Undo == nil
	}
	return false
}

// Results prints the state of every device that is not as planned, and counts the others.
func (s *Screen) Results(r *deploy.Results, e Occasion) {
	w := s.W
	fmt.Fprintln(w)
	p := &diag.Printer{Width: s.Width}
	var waiting []string
	var until time.Duration
	var told []*deploy.Result
	all := !r.Interrupted
	for _, d := range r.Devices {
		if d.Outcome == deploy.Unconfirmed && (until == 0 || d.Until < until) {
			until = d.Until
		}
		switch good := e.Good(d); {
		case good && len(d.Notes) == 0 && !d.Adjusted() && !d.Objected() && !d.Unsure() && d.Acted.Who == "":
		case d.Outcome == deploy.NotStarted && d.Cleanup == nil && d.Err == nil:
			waiting = append(waiting, d.Device.Name)
			all = false
		default:
			all = all && good
			told = append(told, d)
		}
	}
	for _, g := range foldResults(told) {
		s.result(g, p)
	}
	if len(waiting) > 0 {
		head := s.Paint(diag.Bold, "not started, nothing changed there:") + " "
		p.Prose(w, head, nodeset.Text(waiting, nodeset.Devices, math.MaxInt)) //nolint:errcheck // a closed terminal shows no error
	}
	if text := StoppedText(r); text != "" {
		p.Prose(s.Raw, s.Paint(diag.Bold, "stopped:")+" ", text) //nolint:errcheck // as above
	}
	for _, text := range r.Notes {
		p.Prose(s.Raw, "note: ", text) //nolint:errcheck // as above
	}
	var parts []string
	for _, k := range deploy.Outcomes {
		if n := r.Count(k); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	if e.Verb == "rollback" && all {
		text := fmt.Sprintf("%s: %s.", diag.Count(len(r.Devices), "device"), strings.Join(parts, ", "))
		if r.Count(deploy.Restored) == len(r.Devices) {
			text = diag.Count(len(r.Devices), "device") + " restored."
		}
		fmt.Fprintf(w, "%s %s\n", s.Paint(diag.Green, "Rolled back."), text)
		return
	}
	head := s.Paint(diag.Green, "Applied.")
	switch {
	case r.Interrupted:
		head = s.Paint(diag.Red, "Interrupted.")
	case !r.Complete() || e.Verb == "rollback":
		head = s.Paint(diag.Red, "Incomplete.")
	case until > 0:
		head = s.Paint(diag.Yellow, "Not yet confirmed.")
	}
	fmt.Fprintf(w, "%s %s: %s.\n", head, diag.Count(len(r.Devices), "device"), strings.Join(parts, ", "))
	s.next(r, e, until)
}

// StoppedText returns why no further wave began; empty: all waves began, or the failures of devices state the reason.
func StoppedText(r *deploy.Results) string {
	switch r.Stopped {
	case deploy.PhaseFailed:
		return "Some devices were not changed, and the next step needs them: " + r.Why
	case deploy.GateFailed:
		return "A wave was undone, because neighbouring devices lost a link, daemon or neighbour: " + r.Why
	case deploy.CountersRose:
		return "Counters rose far faster after a wave than before, and no further wave began: " + r.Why
	case deploy.FabricChanged:
		return "The fabric has changed since the plan, and the next wave is not allowed any more: " + r.Why
	case deploy.OtherRun:
		if !r.Touched() {
			return "Nothing was changed, as another run is under way: " + r.Why
		}
		return "Another run is under way, and no further wave began: " + r.Why
	case deploy.NotMarked:
		return "A switch cannot carry the mark that shows this run to other runs: " + strings.TrimRight(r.Why, ".") +
			". Go on without it if no other run is under way: --alone -m WHY."
	case deploy.TooLate:
		return "It is too late: " + r.Why + "."
	case deploy.NotAdmitted:
		return "No further wave began: " + r.Why + "."
	case deploy.HookFailed:
		return "Traffic was not put back on a wave, and no further wave begins: " + r.Why + "."
	}
	return ""
}

// next prints the next command.
func (s *Screen) next(r *deploy.Results, e Occasion, until time.Duration) {
	undoable := false // the run has changes that a rollback undoes
	for _, d := range r.Devices {
		switch d.Outcome {
		case deploy.Applied, deploy.Unconfirmed, deploy.Unknown, deploy.Conflict:
			undoable = true
		}
	}
	switch {
	case e.Gone || !undoable:
	case until > 0 && e.Verb != "apply": // the verb prints it
	case until > 0:
		fmt.Fprintf(s.W, "The devices undo it by themselves unless you keep it, the first one in %s.\nKeep it: %s\n",
			until.Round(time.Second), deploy.RunCommand("confirm", r.Run.Name))
	default:
		fmt.Fprintf(s.W, "Run %s. Go back: %s\n", r.Run.Name, deploy.RunCommand("rollback", r.Run.Name))
	}
}

// foldResults groups devices with the same result: a run that timed out has many.
func foldResults(rs []*deploy.Result) [][]*deploy.Result {
	var groups [][]*deploy.Result
	at := map[string]int{}
	for _, d := range rs {
		one := *d
		one.Acted.At = "" // the remaining time differs by seconds
		key := string(d.Outcome) + " " + one.Text()
		if d.Err != nil || d.Undo != nil || d.Cleanup != nil || len(d.Left) > 0 {
			key = d.Device.Name // the text names the device
		}
		g, ok := at[key]
		if !ok {
			g = len(groups)
			at[key] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], d)
	}
	return groups
}

// result prints devices with the same result.
func (s *Screen) result(g []*deploy.Result, p *diag.Printer) {
	w, d := s.W, g[0]
	var names []string
	for _, d := range g {
		names = append(names, d.Device.Name)
	}
	head := s.Paint(diag.Bold, nodeset.Text(names, nodeset.Devices, math.MaxInt))
	fmt.Fprintf(s.W, "%s  %s\n", head, s.Paint(diag.Red, string(d.Outcome)))
	for _, e := range []*deploy.Error{d.Err, d.Undo, d.Cleanup} {
		if e != nil {
			p.Prose(w, "  ", e.Error()) //nolint:errcheck // a closed terminal shows no error
		}
	}
	if text := d.Text(); text != "" {
		p.Prose(w, "  ", text) //nolint:errcheck // as above
	}
	if len(g) == 1 {
		fmt.Fprintf(s.W, "  declared at %s\n", s.Paint(diag.Cyan, report.Place(d.Device.At)))
	}
}
