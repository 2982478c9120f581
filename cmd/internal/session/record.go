package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/cmd/internal/auditlog"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// BeginJournal writes the intent of a run, and keeps the content from before.
func (s *Session) BeginJournal(run deploy.Run, l *Job) (*journal.Run, error) {
	dir, err := journals(s, l.Lab != "")
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(l.Fabric)
	if err != nil {
		return nil, err
	}
	h := journal.Header{
		Run: run.Name, Key: run.Key, Owner: run.Owner, Host: HostName(), PID: os.Getpid(), Began: s.clock.Now().UTC(),
		Tool: s.Rocec.Version, Message: l.Message, Commit: run.About.Commit, Fabric: folder, Name: l.Name,
		Vars: s.Vars, Targets: l.Only, Undoes: l.Undoes, Removes: l.Removes, Lab: l.Devices.LabDir, Agreement: l.Agreement,
		Team: l.Team,
	}
	if l.Hold > 0 {
		h.Hold = l.Hold.String()
	}
	for _, name := range s.VarFiles {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		h.VarFiles = append(h.VarFiles, abs)
	}
	replay.Write(&h, l.Plan, l.Order)
	h.Hooks, h.Left = l.Hooks.Sums(), leftBy(l.Plan)
	log, err := dir.Begin(h, s.clock.Now)
	if err != nil {
		return nil, err
	}
	if err := keepBefore(log, l.Plan, l.Kept); err != nil {
		return nil, errors.Join(err, log.Abandon())
	}
	return log, nil
}

// journals opens the journals for a verb that writes to them. Central records get each line. Where the policies cannot be read there is no
// central record: [Permitted] refuses a change then, and the end of a run that goes on or back reports it.
func journals(s *Session, rehearsal bool) (*journal.Dir, error) {
	dir, err := s.Journals()
	if err != nil {
		return nil, err
	}
	r, err := Rights(s, rehearsal)
	if err != nil {
		return dir, nil //nolint:nilerr // see above
	}
	feeds := make([]*auditlog.Feed, len(r.Records))
	for i := range r.Records {
		feeds[i] = feed(s, &r.Records[i])
	}
	dir.Listen = func(n journal.Notice) {
		for _, one := range feeds {
			one.Add(n)
		}
		if s.Listen != nil {
			s.Listen(n)
		}
	}
	return dir, nil
}

// keepBefore keeps the contents that a run is about to replace or to write, and the live states that its steps may change. It also keeps
// the contents from which these steps are made.
func keepBefore(log *journal.Run, plan *deploy.Plan, kept commands.Kept) error {
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
	all = append(all, named...)
	for _, d := range plan.Devices { // for the record of the change
		for _, c := range d.Changes {
			if c.After != nil && c.Writes() && !c.Live() {
				all = append(all, c.After)
			}
		}
	}
	return log.KeepBefore(all)
}

// sumForm matches the hash of a content in the name of a step.
var sumForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{64}\b`) })

// contentsNamed returns the contents that the steps of a plan name, except those that are kept anyway.
func contentsNamed(plan *deploy.Plan, have [][]byte, kept commands.Kept) (out [][]byte, err error) {
	known := map[string]bool{commands.Sum(nil): true}
	for _, content := range have {
		known[commands.Sum(content)] = true
	}
	for _, d := range plan.Devices {
		after := map[string][]byte{}
		var names []string
		for _, c := range d.Changes {
			after[commands.Sum(c.After)] = c.After
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
				return nil, fmt.Errorf("the content %s is missing, and a step of %s needs it", sum, d.Device.Name)
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

// logEntry writes a line of the journal, and returns the head of the journal where a verb is about to be done.
func logEntry(log *journal.Run, e rollout.Entry) (head string, err error) {
	if e.Wave > 0 {
		return "", log.Hook(journal.Hook{Hook: string(e.Verb), Wave: e.Wave, Done: e.Done, Detail: e.Detail})
	}
	if !e.Done {
		return log.Intent(e.Device, string(e.Verb))
	}
	result := map[txn.Result]string{txn.OK: "ok", txn.Refused: "refused", txn.Lost: "lost", txn.Dead: "dead"}[e.Result]
	return "", log.Result(journal.Line{Device: e.Device, Verb: string(e.Verb), Result: result, Mark: e.Mark.String(), Detail: e.Detail})
}

func journalOutcome(r *deploy.Result) journal.Outcome {
	text, err := json.Marshal(journal.ResultOf(r))
	if err != nil {
		panic("rocec: " + err.Error()) // strings and numbers
	}
	return journal.Outcome{Device: r.Device.Name, Outcome: string(r.Outcome), Detail: problem(r), Result: text}
}

// problem returns the errors of a device, in one line.
func problem(r *deploy.Result) string {
	var parts []string
	for _, e := range []*deploy.Error{r.Err, r.Undo, r.Cleanup} {
		if e != nil {
			s := e.Error()
			if !strings.ContainsAny(s[len(s)-1:], ".!?…") { // output of the device has no full stop
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
