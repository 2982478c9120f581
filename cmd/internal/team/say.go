package team

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// SubmitOptions are those of a submission.
type SubmitOptions struct {
	Plan    string // its file
	Hold    time.Duration
	Accept  bool // unverified devices
	Message string
	Approve bool // without asking
	Detach  bool
}

// Submit submits a plan to the sites, and follows the run.
func (t *Client) Submit(ctx context.Context, o *SubmitOptions) error {
	if o.Plan == "" {
		return exit.Fail(exit.Usage, "--team submits a saved plan: rocec plan --team --out FILE, rocec apply --team --plan FILE")
	}
	given := savedplan.Given{Tool: t.Rocec.Version}
	saved, err := given.Load(o.Plan)
	if err != nil {
		return err
	}
	terms, now := saved.Terms, t.Clock.Now()
	if err := savedplan.Usable(o.Plan, saved, 0, nil, now); err != nil {
		return err
	}
	switch {
	case len(terms.Shares) == 0:
		return exit.Fail(exit.Usage, "%s names no sites: rocec plan --team --out FILE makes a plan for a team", o.Plan)
	case o.Message != "" && o.Message != terms.Message:
		return exit.Fail(exit.Usage, "%s has the message %q, not %q. Leave out -m.", o.Plan, terms.Message, o.Message)
	case o.Hold != 0 && o.Hold < time.Second:
		return exit.Fail(exit.Usage, "--confirm is at least 1s")
	}
	e := teamqueue.Envelope{Plan: saved.Bytes(), Hold: int(o.Hold.Seconds()), Accept: o.Accept}
	if wanted := t.Rights.Approvals(terms.Wants()); wanted > 0 {
		if e.Agreement, err = savedplan.Agree(ctx, t.Rights, o.Plan, saved, wanted, now); err != nil {
			return err
		}
	}
	_, r, err := t.read(ctx)
	if err != nil {
		return err
	}
	for _, h := range terms.Holds {
		if within := time.Duration(h.WithinSeconds) * time.Second; o.Hold > 0 && within >= o.Hold {
			t.Say("The wave %s may wait %s for its approval, and a device undoes its change %s after it unless the run is confirmed.",
				terms.WaveName(h.Wave), view.ShortTime(within), view.ShortTime(o.Hold))
		}
	}
	if !o.Approve {
		t.Screen().SavedPlan(saved)
		if err := t.Ask(ctx, fmt.Sprintf("Submit this to %s?", siteNames(sitesIn(terms))), "yes"); err != nil {
			return err
		}
	}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	run := t.NewRun().Name
	st := &statement.Statement{Verb: statement.Submit, Fabric: terms.Name, Run: run}
	number, err := t.publish(ctx, r, broker.Subject{Kind: broker.Submit, Fabric: terms.Name}, st, body)
	if err != nil {
		return err
	}
	return t.sent(ctx, &sending{run, number, fmt.Sprintf("Submitted as run %s (message %d of the hub).", run, number), o.Detach, ""})
}

// sitesIn returns the sites of a plan.
func sitesIn(terms *deploy.Terms) (out []string) {
	for _, s := range terms.Shares {
		out = append(out, s.Site)
	}
	return out
}

// sending is a statement about a run that the hub has.
type sending struct {
	run    string
	number uint64 // of the message
	text   string // for the person
	detach bool
	good   ledger.State // that the person wants, beside a complete run
}

// sent reports a statement that the hub has, and follows the run unless the person detaches.
func (t *Client) sent(ctx context.Context, s *sending) error {
	list, err := t.arrived(ctx, s.number)
	if err != nil {
		return err
	}
	one, err := list.Find(s.run)
	if err != nil {
		return noRun(s.run, true, err)
	}
	if t.Format == "text" {
		t.Screen().Prose("", diag.Escape(s.text))
	}
	switch {
	case !s.detach:
		return t.Follow(ctx, s.run, s.good)
	case t.Format == "json":
		t.write(one, nil)
		return nil
	}
	t.Screen().Prose("", diag.Escape(stateText(one)))
	fmt.Fprintf(t.Stdout, "Follow it: %s\n", followCommand(s.run))
	return nil
}

// SayOptions are those of a statement about a run.
type SayOptions struct {
	Verb   statement.Verb
	Run    string
	Yes    bool // without asking
	Detach bool
}

// saying has the texts of a statement about a run. The name of the run goes into both.
type saying struct {
	asks string       // before it is sent; empty: nothing is asked
	sent string       // when the hub has it
	good ledger.State // that the statement asks for, beside a complete run
}

// sayingOf returns the texts of a verb.
func sayingOf(verb statement.Verb) saying {
	switch verb {
	case statement.Confirm:
		return saying{sent: "The hub has your confirmation of the run %s."}
	case statement.Rollback:
		return saying{"Undo the run %s on all its sites?", "The hub has your rollback of the run %s.", ledger.RolledBack}
	case statement.Withdraw:
		return saying{
			"Withdraw the run %s? No further wave begins; changes that were made are kept.", "The hub has your withdrawal of the run %s.",
			ledger.Withdrawn,
		}
	}
	return saying{sent: "The hub has your wish that the sites go on with the run %s."}
}

// SayAbout sends a statement about a run to its sites, and follows the run.
func (t *Client) SayAbout(ctx context.Context, o *SayOptions) error {
	r, run, of, err := t.find(ctx, o.Run)
	if err != nil {
		return err
	}
	if why := pointless(o.Verb, run, of); why != "" {
		return exit.Fail(exit.Usage, "the run %s %s. Nothing was sent.", run.Run, why)
	}
	texts := sayingOf(o.Verb)
	if texts.asks != "" && !o.Yes {
		t.printRun(run)
		if err := t.AskTo(ctx, fmt.Sprintf(texts.asks, run.Run), "yes", string(o.Verb), "not sent; nothing was changed"); err != nil {
			return err
		}
	}
	st := &statement.Statement{Verb: o.Verb, Fabric: of.Fabric, Run: of.Name, Digest: of.Digest}
	number, err := t.publish(ctx, r, broker.Subject{Kind: broker.Say, Fabric: of.Fabric, Run: of.Name}, st, nil)
	if err != nil {
		return err
	}
	return t.sent(ctx, &sending{of.Name, number, fmt.Sprintf(texts.sent, of.Name), o.Detach, texts.good})
}

// pointless returns why a statement about a run has no effect; empty: it may have one.
func pointless(verb statement.Verb, run *ledger.RunSummary, of *teamqueue.TeamRun) string {
	switch {
	case verb == statement.Confirm && of.Envelope.Hold == 0:
		return "was submitted without --confirm, so its sites keep their changes by themselves"
	case verb == statement.Confirm && run.Over:
		return fmt.Sprintf("is over (%s), so there is nothing to confirm", run.State)
	case verb == statement.Resume && run.State == ledger.Complete:
		return "is complete, so there is nothing to resume"
	case verb == statement.Resume && run.State == ledger.Expired:
		return "has expired: make the plan again"
	case verb == statement.Withdraw && run.Over:
		return fmt.Sprintf("is over (%s), so there is nothing to withdraw", run.State)
	case verb == statement.Rollback && run.State == ledger.RolledBack:
		return "is rolled back already"
	}
	return ""
}

// ApproveWave approves a wave of a run that is held. The wave is SITE/N.
func (t *Client) ApproveWave(ctx context.Context, name, wave string, yes bool) error {
	if wave == "" {
		return exit.Fail(exit.Usage, "--team approves a wave of a run: name it with --wave, such as --wave dc2/1")
	}
	r, run, of, err := t.find(ctx, name)
	if err != nil {
		return err
	}
	terms := of.Plan.Terms
	n, err := waveNumber(terms, wave)
	if err != nil {
		return err
	}
	hold := slices.IndexFunc(terms.Holds, func(h deploy.TermHold) bool { return h.Wave == n })
	if hold < 0 {
		return exit.Fail(exit.Usage, "the wave %s of the run %s is not held: it needs no approval", wave, run.Run)
	}
	if t.Format == "text" {
		t.printRun(run)
		t.Screen().Prose("", diag.Escape(fmt.Sprintf("The wave %s changes %s.", wave, terms.Waves[n-1])))
	}
	if !yes {
		if err := t.AskTo(ctx, "Approve this wave?", "yes", "approve", "not approved; nothing was sent"); err != nil {
			return err
		}
	}
	st := &statement.Statement{Verb: statement.Approve, Fabric: of.Fabric, Run: of.Name, Digest: of.Digest, Wave: n}
	number, err := t.publish(ctx, r, broker.Subject{Kind: broker.Say, Fabric: of.Fabric, Run: of.Name}, st, nil)
	if err == nil {
		_, err = t.arrived(ctx, number)
	}
	if err != nil {
		return err
	}
	t.Screen().Prose("", diag.Escape(fmt.Sprintf("Approved: the wave %s of the run %s has %d of %s.", wave, of.Name, len(of.Approved[n]),
		diag.Count(terms.Holds[hold].Approvals, "approval"))))
	return nil
}
