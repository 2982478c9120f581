package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/device"
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

// ShowOptions are the runs that a person wants to see: one of them is set, or none for all.
type ShowOptions struct {
	Run    string
	Follow string // a run, until it is over
	Device string // the runs that change it
}

// check refuses options that do not go together.
func (o *ShowOptions) check(format string) error {
	switch {
	case format == "md":
		return exit.Fail(exit.Usage, "--format md is the record of one run on this machine: leave out --team, --follow and --device")
	case o.Follow != "" && o.Device != "", o.Run != "" && o.Follow+o.Device != "":
		return exit.Fail(exit.Usage, "runs shows one of these: RUN, --follow RUN, or --device NAME")
	}
	return nil
}

// Show shows runs of the team.
func (t *Team) Show(ctx context.Context, o *ShowOptions) error {
	if err := o.check(t.Format); err != nil {
		return err
	}
	fabric := "" // all
	if t.Dir != "" {
		f, err := t.LoadGood(t.Dir)
		if err != nil {
			return err
		}
		fabric = f.Fabric.Name
	}
	l := t.Ledger(fabric)
	switch {
	case o.Device != "":
		return Device(ctx, t.Session, l, o.Device, t.Format)
	case o.Follow != "":
		return Follow(ctx, t.Session, l, &FollowOptions{Run: o.Follow, Format: t.Format, Team: true})
	}
	return t.runs(ctx, l, o.Run)
}

// Show shows runs of this machine: those of a device, or the events of one.
func Show(ctx context.Context, s *session.Session, clock device.Clock, format string, o *ShowOptions) error {
	if err := o.check(format); err != nil {
		return err
	}
	dir, err := s.Journals()
	if err != nil {
		return err
	}
	files := &ledger.Files{Dir: dir, Clock: clock}
	if o.Device != "" {
		return Device(ctx, s, files, o.Device, format)
	}
	s.Ending.OnDevices() // the first signal ends the follower
	return Follow(ctx, s, files, &FollowOptions{Run: o.Follow, Format: format})
}

// runs prints the queue of a team: all runs, or one.
func (t *Team) runs(ctx context.Context, l *ledger.Stream, name string) error {
	r, err := l.Read(ctx)
	if err != nil {
		return hubError(err)
	}
	list := l.List(r)
	if name != "" {
		one, err := list.Find(name)
		if err != nil {
			return noRun(name, true, err)
		}
		list.Runs = []ledger.RunSummary{*one}
	}
	if t.Format == "json" {
		return t.WriteJSON(RunsDocument{report.FormatVersion, "", *list})
	}
	if name != "" {
		t.printRun(&list.Runs[0])
	} else {
		printRuns(t.Screen(), list, "No run was submitted to this hub.")
	}
	if r.AwayWhy != nil {
		t.Say("It is not known which sites are away: %s.", diag.Escape(r.AwayWhy.Error()))
	}
	t.leftOut(list)
	return nil
}

// leftOut reports messages that could not be used.
func (t *Team) leftOut(l *ledger.List) {
	if l.After > 0 {
		t.Say("The messages of the hub up to number %d are not read, as there are too many: older runs are missing here.", l.After)
	}
	if l.Ignored == 0 || len(l.Rejected) == 0 {
		return
	}
	last := l.Rejected[len(l.Rejected)-1]
	t.Say("%s of the hub %s nothing, as no allowed signer says it or it does not fit. The newest is number %d (%s): %s.",
		diag.Count(l.Ignored, "message"), diag.Plural(l.Ignored, "changes", "change"), last.Number, diag.Escape(last.Subject),
		diag.Escape(last.Why))
}

// Device prints the runs that change a device.
func Device(ctx context.Context, s *session.Session, l ledger.Ledger, device, format string) error {
	list, err := l.Device(ctx, device)
	if err != nil {
		if _, team := l.(*ledger.Stream); team {
			return hubError(err)
		}
		return exit.Fail(exit.Machines, "the journals of runs cannot be read: %v", err)
	}
	if format == "json" {
		return s.WriteJSON(RunsDocument{report.FormatVersion, device, *list})
	}
	printRuns(s.Screen(), list, "No run changes "+diag.Escape(device)+".")
	if n := list.Ignored; n > 0 {
		s.Say("%s of the record cannot be used.", diag.Count(n, "part"))
	}
	return nil
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
func (t *Team) printRun(r *ledger.RunSummary) {
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
func waveText(site string, w *ledger.Wave) string {
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

// printer prints the events of one run.
type printer struct {
	*session.Session
	format string
	star   bool // the person knows that lines with a star are not signed
	state  string
}

// write prints an event as JSON.
func (t *Team) write(r *ledger.RunSummary, e *ledger.Event) {
	(&printer{Session: t.Session, format: t.Format}).json(r, e)
}

func (p *printer) json(r *ledger.RunSummary, e *ledger.Event) {
	doc := EventDocument{report.FormatVersion, r.Run, r.State, r.Why, r.Over, e}
	diag.WriteJSON(p.Stdout, doc, false) //nolint:errcheck // a closed pipe does not stop the sites
}

// event prints an event, and the state of the run where it has changed.
func (p *printer) event(r *ledger.RunSummary, e *ledger.Event) {
	if p.format == "json" {
		p.json(r, e)
		return
	}
	s := p.Screen()
	if e != nil {
		if text := eventText(e, p.Verbose); text != "" {
			lead := "  "
			if !e.Signed {
				lead = "* "
				if !p.star && len(r.Sites) > 0 && r.Sites[0].Site != "" {
					s.Prose("", "Lines with * are from the journals of sites, and are not signed one by one.")
				}
				p.star = true
			}
			s.Prose(lead+e.At.Local().Format("15:04:05")+" ", diag.Escape(text))
		}
	}
	state := stateText(r)
	if state == p.state || e != nil && (e.Past || r.State != ledger.Held) { // the event itself says the other states
		return
	}
	s.Prose("", diag.Escape(state))
	howToApprove(s, r)
	p.state = state
}

// eventText describes an event; empty: it is for -v alone.
func eventText(e *ledger.Event, verbose bool) string {
	wave := ""
	if e.Wave > 0 && e.Site != "" {
		wave = fmt.Sprintf("%s/%d", e.Site, e.Wave)
	}
	why := textIf(": "+e.Why, e.Why != "")
	switch e.Event {
	case ledger.HubAway:
		return "the hub is away. The sites go on with waves that need no statement of another site, and nothing new is shown until it is back"
	case ledger.HubBack:
		return "the hub is back"
	case string(statement.Submit):
		return e.By + " submits the run"
	case string(statement.Approve):
		return fmt.Sprintf("%s approves wave %s", e.By, wave)
	case string(statement.Confirm), string(statement.Resume), string(statement.Rollback), string(statement.Withdraw):
		return fmt.Sprintf("%s says %s%s", e.By, e.Event, textIf(" to the site "+e.Site, e.Site != ""))
	case string(statement.Taken):
		return fmt.Sprintf("the site %s takes the run", e.Site)
	case string(statement.Refused):
		return fmt.Sprintf("the site %s refuses the run%s", e.Site, why)
	case string(statement.Waits):
		return fmt.Sprintf("the site %s waits%s", e.Site, why)
	case string(statement.Began):
		return fmt.Sprintf("wave %s begins", wave)
	case string(statement.Ended):
		return fmt.Sprintf("wave %s is %s%s%s", wave, e.Outcome, textIf(" ("+e.Devices+")", e.Devices != ""), why)
	case string(statement.Over):
		return fmt.Sprintf("the share of the site %s is %s%s", e.Site, e.Outcome, why)
	case "outcome":
		return fmt.Sprintf("%s is %s", e.Device, e.Outcome)
	case "verb", "hook":
		if !verbose {
			return ""
		}
		return fmt.Sprintf("%s%s%s", e.Verb, textIf(" on "+e.Device, e.Device != ""), textIf(": "+cmp.Or(e.Outcome, "done"), e.Done))
	}
	return textIf(e.Event+textIf(" by "+e.By, e.By != ""), verbose)
}

// unconfirmed prints that a run waits for a person.
func (p *printer) unconfirmed(r *ledger.RunSummary) {
	if p.format == "json" {
		return
	}
	s := p.Screen()
	s.Prose("", diag.Escape(fmt.Sprintf("All waves of the run %s are complete, and it waits to be confirmed: %s.", r.Run, r.Why)))
	for _, verb := range []string{"confirm", "rollback"} {
		fmt.Fprintf(s.Raw, "  %s\n", diag.Rocec(verb, diag.Flag("--team"), diag.Arg("RUN", r.Run)))
	}
}

// end prints how a run has ended, and returns the status of the verb.
func (p *printer) end(r *ledger.RunSummary, good ledger.State) error {
	if p.format != "json" {
		p.Screen().Prose("", diag.Escape(fmt.Sprintf("The run %s is over: %s.", r.Run, stateText(r))))
	}
	begun := slices.ContainsFunc(r.Sites, func(s ledger.Share) bool {
		return slices.ContainsFunc(s.Waves, func(w ledger.Wave) bool { return w.State != ledger.Waits })
	})
	switch {
	case r.State == ledger.Complete || r.State == ledger.Unconfirmed || r.State == good:
		return nil
	case begun:
		return exit.With(exit.Incomplete)
	case r.State == ledger.Refused:
		return exit.With(exit.Errors)
	}
	return exit.With(exit.Machines)
}
