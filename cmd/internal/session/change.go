package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// Job is a change of devices that is about to begin: apply, replace, remove and rollback each make one.
type Job struct {
	ChangeOptions
	Order        *deploy.Order // nil: as the plan has them
	Hooks        *hooks.Programs
	NotAfter     time.Time
	Fabric, Name string         // folder and name of the fabric
	Report       *report.Report // of the fabric; nil: the change needs no fabric
	Only         []string
	Undoes       string // of a rollback: the run that it undoes
	Removes      []string
	Known        map[string]bool // of --remove: hosts that runs have changed
	Devices      *Fleet
	Plan         *deploy.Plan
	Kept         commands.Kept      // of a rollback: contents from which its steps are made
	Passing      bool               // the change is undone at once: only a failure is reported
	Agreement    *journal.Agreement // of persons, to the plan; nil: no approval was wanted
	Team         *journal.Team      // the run of a team that this change is a part of; nil: it is no part of one
	Commit       string             // of the fabric; empty: of the repository that contains its folder

	// Await and Ended are those of [rollout.ApplyOptions].
	Await func(ctx context.Context, n int, w *deploy.Wave) error
	Ended func(n int, results []*deploy.Result)
}

// Apply carries out a change, writes its journal, and reports the outcome of each device.
func (s *Session) Apply(ctx context.Context, l Job) (*deploy.Results, error) {
	if l.Agreement == nil && l.Lab == "" {
		if err := agreed(s, l.Report, l.Undoes); err != nil {
			return nil, err
		}
	}
	if err := Permitted(s, l.Report, l.Message, l.Lab != ""); err != nil {
		return nil, err
	}
	if err := wantKey(s, l.Plan, l.PutGates, l.Lab != ""); err != nil {
		return nil, err
	}
	if l.PutGates {
		if err := l.Devices.putGates(ctx, l.Plan, l.Gates); err != nil {
			return nil, err
		}
	}
	run := runOf(s, l.Team)
	run.About = l.About()
	hastenSteps(l.Plan)
	log, err := s.BeginJournal(run, &l)
	if err != nil {
		return nil, exit.Fail(exit.Machines, "the journal of the run cannot be written, and without it a run that dies could not be resumed: "+
			"%v. Nothing was changed.", err)
	}
	orders, err := signedOrders(ctx, s, run, l.Plan, l.Order, l.Lab != "")
	if err != nil {
		return nil, errors.Join(err, log.Abandon())
	}
	end := reporting{view.Occasion{Verb: "apply", Gone: l.Devices.LabDir == LabFresh, Lab: l.Devices.Lab != nil}, l.Format}
	show := s.showing(end, run.Name, l.Order, run.About.Devices)
	o := rollout.ApplyOptions{
		Run: run, Parallel: l.Parallel, MaxFailures: l.MaxFailures, Order: l.Order, NotAfter: l.NotAfter,
		OnFailure: rollout.OnFailure(l.OnFailure), OnAnomaly: s.onAnomaly(&l), Hooks: s.hooks().Around(run.Name, l.Hooks, l.Order),
		Hold: l.Hold, Soak: l.SoakTime(), Links: l.Devices.links, Orders: orders, Alone: l.Alone, Died: s.died, Sudo: s.sudo,
		Clock: rollout.Clock(s.clock), Await: l.Await, Ended: l.Ended,
		Event: func(e rollout.Event) {
			if e.Result != nil {
				_ = log.Outcome(journalOutcome(e.Result)) // Finish returns the first error
			}
			if !l.Passing {
				show.event(e)
			}
		},
		Record: func(e rollout.Entry) (string, error) { return logEntry(log, e) },
	}
	hasten(&o)
	s.admitOrder(l.Order)
	results, err := rollout.Apply(ctx, l.Devices.Dial, l.Plan, o)
	show.end()
	if err != nil {
		return nil, err
	}
	if err := finish(ctx, s, log, l.Lab != ""); err != nil {
		fmt.Fprintf(s.Stderr, "rocec: the journal of run %s is incomplete: %s\n", run.Name, diag.Escape(err.Error()))
	}
	if !l.Passing || results.Count(deploy.Unconfirmed) == 0 {
		s.reportResults(results, end)
	}
	return results, nil
}

// runOf returns a name for a run. The first run that does the share of a site has the name of the run of the team.
func runOf(s *Session, t *journal.Team) deploy.Run {
	run := s.NewRun()
	if t == nil {
		return run
	}
	if dir, err := s.Journals(); err == nil {
		if names, err := dir.Names(); err == nil && !slices.Contains(names, t.Run) {
			run.Name = t.Run
		}
	}
	return run
}

// onAnomaly asks the person what to do about counters that rose far faster than before, if there is a terminal.
func (s *Session) onAnomaly(l *Job) func(context.Context, []string) rollout.Anomaly {
	return func(ctx context.Context, found []string) rollout.Anomaly {
		answer := rollout.Anomaly(l.Anomaly)
		for _, text := range found {
			s.Say("%s", text)
		}
		if _, ok := person.Terminal(s.Stdin); ok && answer == rollout.AnomalyStop && l.Format == "text" {
			const question = "Counters rose far faster after this wave than before. A job that just began may be the cause. Go on with the next " +
				"wave?"
			if s.Ask(ctx, question, "yes") == nil {
				return rollout.AnomalyIgnore
			}
		}
		return answer
	}
}

// About returns the description of the run that each device keeps.
func (l *Job) About() deploy.About {
	about := deploy.About{
		Fabric: l.Name, Message: l.Message, Undoes: l.Undoes, Hold: l.Hold, Hooks: l.Hooks != nil, Commit: l.Commit,
	}
	if folder, err := filepath.Abs(l.Fabric); err == nil && l.Commit == "" {
		about.Commit = CommitOf(folder)
	}
	for _, d := range l.Plan.Devices {
		if d.Status == deploy.StatusChange {
			about.Devices = append(about.Devices, d.Device.Name)
		}
	}
	return about
}

// LabSoak is how long simulated devices must work before their change is kept.
const LabSoak = time.Second

// SoakTime returns the soak time of --soak or of the lab; nil: the steps decide.
func (o *ChangeOptions) SoakTime() *time.Duration {
	soak := o.Soak
	switch {
	case o.SoakSet:
	case o.Lab != "":
		soak = LabSoak
	default:
		return nil
	}
	return &soak
}

// ChangeOptions contains the flags of every verb that changes devices.
type ChangeOptions struct {
	Format                string
	Approve               bool
	Lab                   LabFlag
	Parallel, MaxFailures int
	Hold, Soak            time.Duration
	OnFailure, Anomaly    string
	Drain, Undrain        []string
	HookTime              time.Duration
	SoakSet, HoldSet      bool
	Message               string
	Alone                 bool
	TrustByHand           bool
	Accept                bool // --accept-unverified
	TrustFabric           bool
	PutGates              bool   // --gate
	Gates                 string // --gates: the folder of the programs
	view.Options
}

// mostHold is the maximum time that a device may wait to be confirmed.
const mostHold = deploy.MaxHold

// Programs returns the --drain and --undrain programs; nil: the flags name none.
func (o *ChangeOptions) Programs() *hooks.Programs {
	if len(o.Drain)+len(o.Undrain) == 0 {
		return nil
	}
	return &hooks.Programs{Drain: o.Drain, Undrain: o.Undrain, Timeout: o.HookTime}
}

// Check refuses flags that do not fit together.
func (o *ChangeOptions) Check() error {
	switch {
	case o.Parallel < 1 || o.MaxFailures < 0:
		return exit.Fail(exit.Usage, "--parallel must be at least 1 and --max-failures at least 0")
	case o.Hold < 0 || o.HoldSet && o.Hold == 0 || o.Hold > mostHold || o.Soak < 0 || o.Soak > mostHold:
		return exit.Fail(exit.Usage, "--confirm and --soak must be durations such as 10m or 30s, and at most 30 days")
	}
	if o.PutGates && o.Lab != "" {
		return exit.Fail(exit.Usage, "simulated devices run no gate: leave out --gate")
	}
	if o.Gates != "" && !o.PutGates {
		return exit.Fail(exit.Usage, "--gates is for --gate")
	}
	if o.Alone && strings.TrimSpace(o.Message) == "" {
		return exit.Fail(exit.Usage, "--alone needs a reason for rocec runs: -m WHY")
	}
	if o.HookTime <= 0 || len(o.Drain) > 0 && o.Drain[0] == "" || len(o.Undrain) > 0 && o.Undrain[0] == "" {
		return exit.Fail(exit.Usage, "--drain and --undrain need a program, and --hook-timeout must be more than 0")
	}
	return errors.Join(
		exit.Choice("on-failure", o.OnFailure, string(rollout.UndoWave), string(rollout.Stop), string(rollout.UndoAll)),
		exit.Choice("on-anomaly", o.Anomaly, string(rollout.AnomalyStop), string(rollout.AnomalyIgnore), string(rollout.AnomalyUndo)),
		exit.Choice("format", o.Format, "text", "json"),
	)
}
