package team

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// RunsDocument is the JSON of runs --team and runs --device.
type RunsDocument struct {
	FormatVersion string `json:"format_version"`
	Device        string `json:"device,omitempty"` // the runs change it
	ledger.List
}

// EventDocument is one line of the JSON of a verb that follows a run.
type EventDocument struct {
	FormatVersion string        `json:"format_version"`
	Run           string        `json:"run"`
	State         ledger.State  `json:"state"`
	Why           string        `json:"why,omitempty"`
	Over          bool          `json:"over"`
	Event         *ledger.Event `json:"event,omitempty"` // absent: the state has changed without an event
}

// printRuns prints a table of runs.
func printRuns(s *view.Screen, l *ledger.List, none string) {
	if len(l.Runs) == 0 {
		fmt.Fprintln(s.Raw, none)
		return
	}
	device := slices.ContainsFunc(l.Runs, func(r ledger.RunSummary) bool { return r.Outcome != "" })
	w := tabwriter.NewWriter(s.Raw, 0, 0, 2, ' ', 0)
	head := "RUN\tSTART\tFABRIC\tBY\tSTATE"
	if device {
		head += "\tDEVICE"
	}
	fmt.Fprintln(w, head+"\tWHY")
	for i := range l.Runs {
		r := &l.Runs[i]
		name := r.Fabric
		if r.Lab {
			name += " (rehearsal)"
		}
		cells := []string{r.Run, r.Began.Local().Format("2006-01-02 15:04"), name, view.Who(r.By), string(r.State)}
		if device {
			cells = append(cells, r.Outcome)
		}
		cells = append(cells, cmp.Or(r.Why, r.Message, "-"))
		for j := range cells {
			cells[j] = diag.Escape(cells[j])
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush() //nolint:errcheck // a closed terminal shows no error
}

// printRun prints one run of a team.
func (t *Client) printRun(r *ledger.RunSummary) {
	s := t.Screen()
	line := func(name, value string) {
		if value != "" {
			s.Prose(fmt.Sprintf("%-8s ", name), diag.Escape(value))
		}
	}
	line("run", r.Run)
	line("fabric", r.Fabric)
	line("by", r.By)
	line("began", r.Began.Format(time.RFC3339))
	line("commit", r.Commit)
	line("why", r.Message)
	line("state", string(r.State))
	line("", r.Why)
	for i := range r.Sites {
		one := &r.Sites[i]
		text := string(one.State)
		if one.Why != "" {
			text += ": " + one.Why
		}
		if one.Away {
			text += " (away)"
		}
		line("site", one.Site+"  "+text)
		for j := range one.Waves {
			s.Prose("  ", diag.Escape(waveText(one.Site, &one.Waves[j])))
		}
		line("", textIf("the journal there ends with "+one.Journal, one.Journal != ""))
	}
	howToApprove(s, r)
}

// howToApprove prints the command that approves the wave for which a run waits.
func howToApprove(s *view.Screen, r *ledger.RunSummary) {
	if r.State != ledger.Held {
		return
	}
	for i := range r.Sites {
		for j := range r.Sites[i].Waves {
			if w := &r.Sites[i].Waves[j]; w.Wanted > len(w.Approved) && w.State == ledger.Waits {
				wave := diag.Arg("WAVE", fmt.Sprintf("%s/%d", r.Sites[i].Site, w.Wave))
				fmt.Fprintf(s.Raw, "Approve it: %s\n", diag.Rocec("approve", diag.Flag("--team"), diag.Arg("RUN", r.Run), diag.Flag("--wave", wave)))
				return
			}
		}
	}
}

func textIf(text string, is bool) string {
	if !is {
		return ""
	}
	return text
}

// waveText describes a wave in a line.
func waveText(site string, w *ledger.RunWave) string {
	text := fmt.Sprintf("%s/%d  %s  %s", site, w.Wave, w.State, w.Devices)
	if w.Wanted > 0 {
		text += fmt.Sprintf("  (%d of %s%s)", len(w.Approved), diag.Count(w.Wanted, "approval"),
			textIf(": "+diag.And(w.Approved), len(w.Approved) > 0))
	}
	switch {
	case w.Why != "":
		text += "  " + w.Why
	case w.Ended != nil:
		text += "  " + w.Ended.Format(time.RFC3339)
	case w.Began != nil:
		text += "  since " + w.Began.Format(time.RFC3339)
	}
	return text
}

// stateText describes how far a run is.
func stateText(r *ledger.RunSummary) string { return string(r.State) + textIf(": "+r.Why, r.Why != "") }
