package session

import (
	"io"
	"maps"
	"slices"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// applyEvent is one line of apply --format json.
type applyEvent struct {
	FormatVersion string          `json:"format_version"`
	Event         string          `json:"event"` // step, device or summary
	Device        string          `json:"device,omitempty"`
	Step          string          `json:"step,omitempty"`
	State         string          `json:"state,omitempty"`
	Outcome       string          `json:"outcome,omitempty"`
	Detail        string          `json:"detail,omitempty"`
	Run           string          `json:"run,omitempty"`
	Result        *journal.Result `json:"result,omitempty"`
	Summary       map[string]int  `json:"summary,omitempty"`
	Stopped       string          `json:"stopped,omitempty"` // of the summary: why no further wave began; Detail has the full text
	Notes         []string        `json:"notes,omitempty"`
}

func writeEvent(w io.Writer, e applyEvent) {
	e.FormatVersion = report.FormatVersion
	diag.WriteJSON(w, e, false) //nolint:errcheck // a closed pipe must not stop an apply half way
}

// WriteUntouched writes, as JSON, the outcome of each device for a plan that does not begin.
func WriteUntouched(w io.Writer, plan *deploy.Plan) {
	writeEvent(w, applyEvent{Event: "summary", Summary: untouched(w, plan, nil)})
}

// untouched writes an event for each refused device, with the reason in refused if there is one, and counts the outcomes.
func untouched(w io.Writer, plan *deploy.Plan, refused map[string]string) map[string]int {
	sum := deploy.Tally()
	for _, d := range plan.Devices {
		of := deploy.Unchanged
		switch why := refused[d.Device.Name]; {
		case why != "":
			of = deploy.Refused
			writeEvent(w, applyEvent{Event: "device", Device: d.Device.Name, Outcome: string(of), Detail: why})
			delete(refused, d.Device.Name)
		case d.Err != nil:
			of = deploy.Refused
			writeEvent(w, applyEvent{Event: "device", Device: d.Device.Name, Outcome: string(of), Detail: d.Err.Error()})
		case d.Status == deploy.StatusChange:
			of = deploy.NotStarted
		}
		sum[string(of)]++
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) { // not in the plan
		sum[string(deploy.Refused)]++
		writeEvent(w, applyEvent{Event: "device", Device: name, Outcome: string(deploy.Refused), Detail: refused[name]})
	}
	return sum
}

// writeStopped writes, as JSON, the outcomes of a plan that does not begin: devices that another run holds are refused.
func writeStopped(w io.Writer, plan *deploy.Plan, held []*sequence.Held, why deploy.Stopped, detail string) {
	refused := map[string]string{}
	for _, h := range held {
		for _, name := range h.Names() {
			refused[name] = h.Holds(name) + " " + h.GoOn(name)
		}
	}
	sum := untouched(w, plan, refused)
	writeEvent(w, applyEvent{Event: "summary", Summary: sum, Stopped: string(why), Detail: detail})
}

// TellClosed writes, as JSON, the devices on which a run is over, from the journal.
func TellClosed(w io.Writer, l *journal.Log, devices []journal.Device) {
	sum := deploy.Tally()
	for _, d := range devices {
		o := l.OutcomeOf(d.Name)
		sum[o]++
		line := applyEvent{Event: "device", Device: d.Name, Outcome: o, Detail: l.Outcomes[d.Name].Detail, Run: l.Run}
		if r, ok := l.Outcomes[d.Name].Data(); ok {
			line.Result = &r
		}
		writeEvent(w, line)
	}
	writeEvent(w, applyEvent{Event: "summary", Run: l.Run, Summary: sum})
}

// reporting contains the format of a report about a run, and its context.
type reporting struct {
	view.Occasion
	format string
}

// reportResults reports the state of every device that is not as planned, and counts the others.
func (s *Session) reportResults(r *deploy.Results, e reporting) {
	if e.format != "json" {
		s.Screen().Results(r, e.Occasion)
		return
	}
	writeEvent(s.Stdout, applyEvent{
		Event: "summary", Run: r.Run.Name, Summary: r.Tally(), Stopped: string(r.Stopped), Detail: view.StoppedText(r), Notes: r.Notes,
	})
}
