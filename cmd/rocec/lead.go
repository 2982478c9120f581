package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// lead is a change of devices about to begin: what apply and rollback have in common.
type lead struct {
	leadOptions
	order        *deploy.Order // nil: as the plan has them
	hooks        *hooks.Programs
	notAfter     time.Time
	fabric, name string // its folder, and its name
	only         []string
	undoes       string // the run a rollback goes back from
	removes      []string
	known        map[string]bool // of remove: hosts that runs have changed
	devices      *fleet
	plan         *deploy.Plan
	kept         target.Kept // of a rollback: contents that its steps are made of
}

// lead runs a plan, with its journal, and says what became of every device.
func (a *app) lead(ctx context.Context, l lead) (*deploy.Results, error) {
	run := a.newRun()
	run.About = l.about()
	hastenSteps(l.plan)
	log, err := a.beginJournal(run, &l)
	if err != nil {
		return nil, exit.Fail(exit.Machines, "the journal of the run cannot be written, and without it nobody could go on with a run that dies: "+
			"%v. Nothing was changed.", err)
	}
	end := reporting{view.Occasion{Verb: "apply", Gone: l.devices.labDir == labFresh, Lab: l.devices.lab != nil}, l.format}
	show := a.showing(end, run.Name, l.plan.Summary().Change)
	o := rollout.ApplyOptions{
		Run: run, Parallel: l.parallel, MaxFailures: l.maxFailures, Order: l.order, NotAfter: l.notAfter,
		OnFailure: rollout.OnFailure(l.onFailure), OnAnomaly: a.onAnomaly(&l), Hooks: a.hooks().Around(run.Name, l.hooks, l.order),
		Hold: l.hold, Soak: l.soakTime(), Links: l.devices.links, Alone: l.alone, Died: a.died, Sudo: a.sudo,
		Clock: rollout.Clock{Now: time.Now, Wait: time.After},
		Event: func(e rollout.Event) {
			if e.Result != nil {
				_ = log.Outcome(journalOutcome(e.Result)) // kept in mind by Finish
			}
			show.event(e)
		},
		Record: func(e rollout.Entry) error { return record(log, e) },
	}
	hasten(&o)
	a.admitOrder(l.order)
	results, err := rollout.Apply(ctx, l.devices.dial, l.plan, o)
	show.end()
	if err != nil {
		return nil, err
	}
	if err := log.Finish(); err != nil {
		fmt.Fprintf(a.stderr, "rocec: the journal of run %s could not be written to its end: %s\n", run.Name, diag.Escape(err.Error()))
	}
	a.reportResults(results, end)
	return results, nil
}

// hooks runs the programs of --drain and --undrain.
func (a *app) hooks() hooks.Runner { return hooks.Runner{Log: a.log, Say: a.say} }

// onAnomaly asks the person what to do about counters that rose far faster than before, where there is a terminal.
func (a *app) onAnomaly(l *lead) func(context.Context, []string) rollout.Anomaly {
	return func(ctx context.Context, found []string) rollout.Anomaly {
		answer := rollout.Anomaly(l.anomaly)
		for _, text := range found {
			a.say("%s", text)
		}
		if _, ok := terminal(a.stdin); ok && answer == rollout.AnomalyStop && l.format == "text" {
			const question = "Counters rose far faster after this wave than before. It may be a job that began just then. Go on with the next wave?"
			if a.ask(ctx, question, "yes") == nil {
				return rollout.AnomalyIgnore
			}
		}
		return answer
	}
}

// about is what a run tells its devices about itself.
func (l *lead) about() deploy.About {
	about := deploy.About{
		Fabric: l.name, Message: l.message, Undoes: l.undoes, Hold: l.hold, Hooks: l.hooks != nil,
	}
	if folder, err := filepath.Abs(l.fabric); err == nil {
		about.Commit = commitOf(folder)
	}
	for _, d := range l.plan.Devices {
		if d.Status == deploy.StatusChange {
			about.Devices = append(about.Devices, d.Device.Name)
		}
	}
	return about
}

// labSoak is how long simulated devices must hold.
const labSoak = time.Second

// soakTime is the soak the person or the lab wants; nil: that of the steps.
func (o *leadOptions) soakTime() *time.Duration {
	soak := o.soak
	switch {
	case o.soakSet:
	case o.lab != "":
		soak = labSoak
	default:
		return nil
	}
	return &soak
}

// newRun names a run of this person, process and moment.
func (a *app) newRun() deploy.Run {
	unique := make([]byte, 8)
	rand.Read(unique) //nolint:errcheck // it never fails
	run := deploy.NewRun(time.Now(), hex.EncodeToString(unique), a.owner())
	run.Tool = tool()
	return run
}

func hostName() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}

// journals is where runs are kept: $XDG_STATE_HOME/rocec/runs, or below ~/.local/state.
func (a *app) journals() (*journal.Dir, error) {
	dir, err := a.stateDir("runs")
	if err != nil {
		return nil, exit.Fail(exit.Usage, "%v, so there is no place for the journal of runs", err)
	}
	return journal.Open(dir), nil
}

// stateDir is a folder of what rocec keeps between commands.
func (a *app) stateDir(name string) (string, error) {
	state := a.getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // as the specification has it, a relative one is none
		home := a.getenv("HOME")
		if home == "" {
			return "", errors.New("neither XDG_STATE_HOME nor HOME is set")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "rocec", name), nil
}

// beginJournal writes what a run is about to change, and keeps the content from before.
func (a *app) beginJournal(run deploy.Run, l *lead) (*journal.Run, error) {
	dir, err := a.journals()
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(l.fabric)
	if err != nil {
		return nil, err
	}
	h := journal.Header{
		Run: run.Name, Key: run.Key, Owner: run.Owner, Host: hostName(), PID: os.Getpid(), Began: time.Now().UTC(),
		Tool: buildVersion().Version, Message: l.message, Commit: run.About.Commit, Fabric: folder, Name: l.name,
		Vars: a.vars, Targets: l.only, Undoes: l.undoes, Removes: l.removes, Lab: l.devices.labDir,
	}
	if l.hold > 0 {
		h.Hold = l.hold.String()
	}
	for _, name := range a.varFiles {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		h.VarFiles = append(h.VarFiles, abs)
	}
	replay.Write(&h, l.plan, l.order)
	h.Hooks, h.Left = l.hooks.Sums(), leftBy(l.plan)
	log, err := dir.Begin(h, time.Now)
	if err != nil {
		return nil, err
	}
	if err := keepBefore(log, l.plan, l.kept); err != nil {
		return nil, errors.Join(err, log.Abandon())
	}
	return log, nil
}

// keepBefore keeps what a run is about to replace, the live states its steps may change, and what these steps are made of.
func keepBefore(log *journal.Run, plan *deploy.Plan, kept target.Kept) error {
	var all [][]byte
	for _, d := range plan.Devices {
		for _, c := range d.Changes {
			if c.Before != nil {
				all = append(all, c.Before)
			}
		}
		for i := range d.States {
			if s := &d.States[i]; len(d.Changes) > 0 && s.Text != nil {
				all = append(all, s.Text)
			}
		}
	}
	named, err := contentsNamed(plan, all, kept)
	if err != nil {
		return err
	}
	return log.KeepBefore(append(all, named...))
}

// sumForm is how names of steps speak of contents.
var sumForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{64}\b`) })

// contentsNamed are the contents that the steps of a plan are made of, besides those that are kept anyway.
func contentsNamed(plan *deploy.Plan, have [][]byte, kept target.Kept) (out [][]byte, err error) {
	known := map[string]bool{target.Sum(nil): true}
	for _, content := range have {
		known[target.Sum(content)] = true
	}
	for _, d := range plan.Devices {
		after := map[string][]byte{}
		var names []string
		for _, c := range d.Changes {
			after[target.Sum(c.After)] = c.After
			names = append(names, c.File.Activate.Name)
		}
		for i := range d.Device.Files {
			if f := &d.Device.Files[i]; f.Live != nil && f.Activate.Undo != nil && len(d.Changes) > 0 {
				names = append(names, f.Activate.Name)
			}
		}
		for _, sum := range sumForm().FindAllString(strings.Join(names, " "), -1) {
			if known[sum] {
				continue
			}
			known[sum] = true
			content, ok := after[sum]
			switch {
			case ok:
			case kept == nil:
				return nil, fmt.Errorf("the content %s, of which a step of %s is made, is not there", sum, d.Device.Name)
			default:
				if content, err = kept(sum); err != nil {
					return nil, err
				}
			}
			out = append(out, content)
		}
	}
	return out, nil
}

// record writes a line of the journal.
func record(log *journal.Run, e rollout.Entry) error {
	if e.Wave > 0 {
		return log.Hook(journal.Hook{Hook: string(e.Verb), Wave: e.Wave, Done: e.Done, Detail: e.Detail})
	}
	if !e.Done {
		return log.Intent(e.Device, string(e.Verb))
	}
	result := map[txn.Result]string{txn.OK: "ok", txn.Refused: "refused", txn.Lost: "lost", txn.Dead: "dead"}[e.Result]
	return log.Result(journal.Line{Device: e.Device, Verb: string(e.Verb), Result: result, Mark: e.Mark.String(), Detail: e.Detail})
}

func journalOutcome(r *deploy.Result) journal.Outcome {
	text, err := json.Marshal(journal.ResultOf(r))
	if err != nil {
		panic("rocec: " + err.Error()) // strings and numbers
	}
	return journal.Outcome{Device: r.Device.Name, Outcome: string(r.Outcome), Detail: problem(r), Result: text}
}

// problem is what stood in the way at a device, in one line.
func problem(r *deploy.Result) string {
	var parts []string
	for _, e := range []*deploy.Error{r.Err, r.Undo, r.Cleanup} {
		if e != nil {
			s := e.Error()
			if !strings.ContainsAny(s[len(s)-1:], ".!?…") { // what the device printed has no full stop
				s += "."
			}
			parts = append(parts, s)
		}
	}
	if text := r.Text(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// showing shows a run as it goes on, and what is under way when the person interrupts.
type showing struct {
	a     *app
	e     reporting
	run   string
	bar   *progress
	total int
	done  map[string]bool // devices with a result; under undo-all they have a second one

	mu    sync.Mutex
	under map[string]deploy.UnderWay // devices on which the run is at work
	held  map[string]deploy.UnderWay // devices that wait to be confirmed
	ended func()
}

func (a *app) showing(e reporting, run string, total int) *showing {
	what := map[string]string{"confirm": "Confirming", "resume": "Resuming", "rollback": "Rolling back"}[e.Verb]
	bar := a.progress(cmp.Or(what, "Applying"), e.format == "text")
	s := &showing{
		a: a, e: e, run: run, bar: bar, total: total, done: map[string]bool{}, under: map[string]deploy.UnderWay{},
		held: map[string]deploy.UnderWay{},
	}
	s.bar.step(0, total, "")
	s.ended = a.ending.OnSignal(s.interrupted)
	return s
}

func (s *showing) end() {
	s.ended()
	s.bar.end()
}

// interrupted says what a signal means for the devices: the first one lets those under way come to their end, the second one
// leaves them as they are.
func (s *showing) interrupted(nth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := slices.Sorted(maps.Keys(s.under))
	left := maps.Clone(s.held)
	maps.Copy(left, s.under)
	w := s.a.fitted(s.a.stderr)
	s.bar.end()
	switch {
	case nth == 1 && len(names) == 0:
		fmt.Fprintln(w, "Interrupted: nothing is under way, and nothing more will start.")
	case nth == 1:
		end := map[string]string{"rollback": "goes back to its end", "confirm": "is brought to its end"}[s.e.Verb]
		fmt.Fprintf(w, "Interrupted: %s %s; nothing more will start. Once more ends rocec at once.\n",
			nodeset.Text(names, nodeset.Devices, math.MaxInt), cmp.Or(end, "is brought to its end or undone"))
	case s.e.Gone:
		fmt.Fprintln(w, "Ended at once; the lab is gone.")
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
	a := s.a
	outcome, detail := "", e.Detail
	if e.Result != nil {
		outcome, detail = string(e.Result.Outcome), problem(e.Result)
	}
	a.log.Info("apply", "device", e.Device.Name, "step", e.Step, "state", string(e.State), "outcome", outcome)
	s.mu.Lock()
	delete(s.under, e.Device.Name)
	delete(s.held, e.Device.Name)
	switch {
	case e.Result == nil:
		s.under[e.Device.Name] = e.At
	case e.Result.Outcome == deploy.Unconfirmed:
		s.held[e.Device.Name] = deploy.UnderWay{Mark: e.Result.Mark}
	}
	s.mu.Unlock()
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
		a.writeEvent(line)
	}
	if e.Result == nil {
		return
	}
	s.done[e.Device.Name] = true
	good := s.e.Good(e.Result)
	line := fmt.Sprintf("%s  %s", s.bar.mark(good, fmt.Sprintf("%-10s", outcome)), e.Device.Name)
	if !good && detail != "" {
		line += ": " + detail
	}
	s.bar.step(len(s.done), s.total, line)
}

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
	Stopped       string          `json:"stopped,omitempty"` // of the summary: why no further wave began; Detail says it in full
	Notes         []string        `json:"notes,omitempty"`
}

func (a *app) writeEvent(e applyEvent) {
	e.FormatVersion = report.FormatVersion
	diag.WriteJSON(a.stdout, e, false) //nolint:errcheck // a closed pipe must not stop an apply half way
}
