package session

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view/board"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// showing shows the progress of a run, and the devices under way when the person interrupts.
type showing struct {
	on  *Session
	e   reporting
	run string
	bar *person.Progress

	mu    sync.Mutex
	board *board.Board
	under map[string]deploy.UnderWay // devices under way
	held  map[string]deploy.UnderWay // devices that wait to be confirmed
	ended func()
}

// showing returns a showing for a run on devices, with its order if known.
func (s *Session) showing(e reporting, run string, order *deploy.Order, devices []string) *showing {
	w := &showing{
		on: s, e: e, run: run, bar: s.Progress("", e.format == "text"), board: board.New(order, devices),
		under: map[string]deploy.UnderWay{}, held: map[string]deploy.UnderWay{},
	}
	w.draw()
	w.ended = s.Ending.OnSignal(w.interrupted)
	return w
}

func (s *showing) draw() {
	what := map[string]string{"confirm": "Confirming", "resume": "Resuming", "rollback": "Rolling back"}[s.e.Verb]
	columns, lines := s.bar.Size()
	s.bar.Draw(s.board.Table(cmp.Or(what, "Applying"), columns, lines)...)
}

func (s *showing) print(lines []board.Line) {
	for _, line := range lines {
		s.bar.Print(line.Text(s.bar.Color()))
	}
}

func (s *showing) end() {
	s.ended()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bar.End()
	s.print(s.board.Rest())
}

// interrupted prints the meaning of a signal for the devices: the first signal lets running devices finish, and the second one leaves
// them as they are.
func (s *showing) interrupted(nth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := slices.Sorted(maps.Keys(s.under))
	left := maps.Clone(s.held)
	maps.Copy(left, s.under)
	w := s.on.Fitted(s.on.Stderr)
	s.bar.End()
	if nth > 1 && !s.e.Lab && !s.e.Gone { // the program ends before the rows do
		s.print(slices.DeleteFunc(s.board.Rest(), func(l board.Line) bool { return l.Outcome == string(deploy.Unconfirmed) })) // is below
	}
	switch {
	case nth == 1 && len(names) == 0:
		fmt.Fprintln(w, "Interrupted: nothing is under way, and nothing more will start.")
	case nth == 1:
		end := diag.Plural(len(names), "is being finished", "are being finished")
		switch s.e.Verb {
		case "rollback":
			end = diag.Plural(len(names), "is being undone", "are being undone")
		case "confirm":
		default:
			end += " or undone"
		}
		fmt.Fprintf(w, "Interrupted: %s %s; nothing more will start. A second interrupt ends rocec at once.\n",
			nodeset.Text(names, nodeset.Devices, math.MaxInt), end)
	case s.e.Gone:
		fmt.Fprintln(w, "Ended at once; the lab was not kept.")
	case s.e.Lab:
		fmt.Fprintln(w, "Ended at once. The devices of the lab are as they were before this command.")
	case len(left) == 0:
		fmt.Fprintln(w, "Ended at once. No device was under way.")
	default:
		fmt.Fprintln(w, "Ended at once.")
		for _, name := range slices.Sorted(maps.Keys(left)) {
			fmt.Fprintf(w, "  %s %s\n", name, left[name].Text())
		}
		fmt.Fprintln(w, deploy.WaysOn(s.e.Verb, s.run))
	}
}

func (s *showing) event(e rollout.Event) {
	outcome, detail := "", e.Detail
	if e.Result != nil {
		outcome, detail = string(e.Result.Outcome), problem(e.Result)
	}
	s.on.Log.Info("apply", "device", e.Device.Name, "step", e.Step, "state", string(e.State), "outcome", outcome)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.under, e.Device.Name)
	delete(s.held, e.Device.Name)
	switch {
	case e.Result == nil:
		s.under[e.Device.Name] = e.At
	case e.Result.Outcome == deploy.Unconfirmed:
		s.held[e.Device.Name] = deploy.UnderWay{Mark: e.Result.Mark}
	}
	if s.e.format == "json" {
		line := applyEvent{Event: "step", Device: e.Device.Name, Step: e.Step, State: string(e.State), Outcome: outcome, Detail: detail}
		if e.Result != nil {
			line.Event, line.Run = "device", s.run
			data := journal.ResultOf(e.Result)
			if s.e.Gone {
				data.Undo = ""
			}
			line.Result = &data
		}
		writeEvent(s.on.Stdout, line)
	}
	if e.Result == nil {
		s.board.Step(e.Device.Name, e.Step)
	} else {
		s.print(s.board.Result(e.Device.Name, outcome, s.e.Good(e.Result), detail))
	}
	s.draw()
}
