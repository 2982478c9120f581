package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/diag"
)

// followCommand returns the command that follows a run.
func followCommand(run string) string {
	return diag.Rocec("runs", diag.Flag("--team"), diag.Flag("--follow", diag.Arg("RUN", run)))
}

// errFollowed ends a follower whose run needs a person.
var errFollowed = errors.New("the run waits for a person")

// FollowOptions are those of a follower.
type FollowOptions struct {
	Run    string
	Format string
	Team   bool         // sites do the run, and go on without the follower
	Good   ledger.State // that the person wanted, beside a complete run
}

// Follow prints the events of a run until it is over, or waits for a person to confirm it.
func (t *Client) Follow(ctx context.Context, name string, good ledger.State) error {
	return Follow(ctx, t.Session, t.Ledger(""), &FollowOptions{name, t.Format, true, good})
}

// Follow prints the events of a run of a ledger.
func Follow(ctx context.Context, s *session.Session, l ledger.Ledger, o *FollowOptions) error {
	p := &printer{Session: s, format: o.Format}
	var run *ledger.RunSummary
	err := l.Follow(ctx, o.Run, func(r *ledger.RunSummary, e *ledger.Event) error {
		if r == nil {
			return nil
		}
		run = r
		p.event(r, e)
		if o.Team && r.State == ledger.Unconfirmed && !r.Over && (e == nil || !e.Past) {
			return errFollowed
		}
		return nil
	})
	switch {
	case ctx.Err() != nil && (run == nil || !o.Team):
		return exit.Fail(exit.Interrupted, "you follow the run no longer")
	case ctx.Err() != nil:
		return exit.Fail(exit.Interrupted, "you follow the run %s no longer, and its sites go on. Follow it again: %s", run.Run,
			followCommand(run.Run))
	case errors.Is(err, ledger.ErrNoRun) || errors.Is(err, ledger.ErrManyOf):
		return noRun(o.Run, o.Team, err)
	case errors.Is(err, errFollowed):
		p.unconfirmed(run)
		return nil
	case err != nil && run == nil && o.Team:
		return hubError(err)
	case err != nil && o.Team:
		return exit.Fail(exit.Machines, "you follow the run %s no longer: %v. Its sites go on, as far as they need no statement of another "+
			"site. See: %s", run.Run, err, followCommand(run.Run))
	case err != nil:
		return exit.Fail(exit.Machines, "the journal of the run cannot be read: %v", err)
	}
	return p.end(run, o.Good)
}

// printer prints the events of one run.
type printer struct {
	*session.Session
	format string
	star   bool // the person knows that lines with a star are not signed
	state  string
}

// write prints an event as JSON.
func (t *Client) write(r *ledger.RunSummary, e *ledger.Event) {
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
	p.Screen().Prose("", diag.Escape(fmt.Sprintf("All waves of the run %s are complete, and it waits to be confirmed: %s.", r.Run, r.Why)))
	offer(p, r, "confirm", "rollback")
}

// offer prints the commands that a person can choose from.
func offer(p *printer, r *ledger.RunSummary, verbs ...string) {
	for _, verb := range verbs {
		fmt.Fprintf(p.Screen().Raw, "  %s\n", diag.Rocec(verb, diag.Flag("--team"), diag.Arg("RUN", r.Run)))
	}
}

// end prints how a run has ended, and returns the status of the verb.
func (p *printer) end(r *ledger.RunSummary, good ledger.State) error {
	if p.format != "json" {
		p.Screen().Prose("", diag.Escape(fmt.Sprintf("The run %s is over: %s.", r.Run, stateText(r))))
		if r.State == ledger.Stopped && r.Sites[0].Site != "" {
			offer(p, r, "resume", "rollback")
		}
	}
	begun := slices.ContainsFunc(r.Sites, func(s ledger.Share) bool {
		return slices.ContainsFunc(s.Waves, func(w ledger.RunWave) bool { return w.State != ledger.Waits })
	})
	switch {
	case r.State == ledger.Complete || r.State == ledger.Unconfirmed || r.State == good:
		return nil
	case begun:
		return exit.With(exit.Incomplete)
	case r.State == ledger.Refused, r.State == ledger.Expired, r.State == ledger.Withdrawn: // no machine has failed
		return exit.With(exit.Errors)
	}
	return exit.With(exit.Machines)
}
