package session

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/ending"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// The output of the first and second signal depends on the verb, and on the progress of each device.
func TestInterruptedTwice(t *testing.T) {
	devices := []struct {
		name string
		at   deploy.UnderWay
	}{
		{"leaf1", deploy.UnderWay{Sent: txn.Prepare, Asked: true}},
		{"leaf2", deploy.UnderWay{Mark: txn.Prepared, Asked: true}},
		{"leaf3", deploy.UnderWay{Sent: txn.Commit, Mark: txn.Prepared, Asked: true}},
		{"leaf4", deploy.UnderWay{Sent: txn.Check, Mark: txn.Loaded, Asked: true}},
		{"leaf5", deploy.UnderWay{Sent: txn.Undo, Mark: txn.Loaded, Asked: true}},
		{"leaf6", deploy.UnderWay{Sent: txn.Release, Mark: txn.Confirmed, Asked: true}},
		{"leaf7", deploy.UnderWay{Resumed: true}},
	}
	held := &target.Device{Name: "leaf8"}
	names := []string{held.Name}
	for _, d := range devices {
		names = append(names, d.name)
	}
	for verb, want := range map[string]struct{ first, last string }{
		"apply": {
			"Interrupted: leaf[1-7] are being finished or undone; nothing more will start. A second interrupt ends rocec at once.\n",
			"Go on: rocec resume run-1; go back: rocec rollback run-1\n",
		},
		"resume": {
			"Interrupted: leaf[1-7] are being finished or undone; nothing more will start. A second interrupt ends rocec at once.\n",
			"Go on: rocec resume run-1; go back: rocec rollback run-1\n",
		},
		"confirm": {
			"Interrupted: leaf[1-7] are being finished; nothing more will start. A second interrupt ends rocec at once.\n",
			"Go on: rocec confirm run-1; go back: rocec rollback run-1\n",
		},
		"rollback": {
			"Interrupted: leaf[1-7] are being undone; nothing more will start. A second interrupt ends rocec at once.\n",
			"Go on: rocec rollback run-1\n",
		},
	} {
		t.Run(verb, func(t *testing.T) {
			var out, errs bytes.Buffer
			var end ending.Ending
			env := func(key string) string { return map[string]string{"COLUMNS": "1000"}[key] }
			a := New(globals.New(&person.Person{Stdout: &out, Stderr: &errs, Getenv: env, Ending: &end}, globals.Build{}), device.Clock{})
			a.Log = slog.New(slog.DiscardHandler)
			s := a.showing(reporting{view.Occasion{Verb: verb}, "text"}, "run-1", nil, names)
			s.event(rollout.Event{
				Device: held, Result: &deploy.Result{Device: held, Run: "run-1", Outcome: deploy.Unconfirmed, Mark: txn.Loaded, Until: time.Minute},
			})
			for _, d := range devices {
				s.event(rollout.Event{Device: &target.Device{Name: d.name}, Step: "verify", State: rollout.Begin, At: d.at})
			}
			end.Tell(1)
			require.Contains(t, errs.String(), want.first)
			errs.Reset()
			end.Tell(2)
			require.Equal(t, "Ended at once.\n"+
				"  leaf1 is unchanged; a lock and temporary files may remain\n"+
				"  leaf2 is unchanged; a lock and temporary files may remain\n"+
				"  leaf3 applies the change by itself, and undoes it by itself unless the run goes on\n"+
				"  leaf4 uses the unconfirmed content of the run, and undoes it by itself unless the run goes on\n"+
				"  leaf5 restores the earlier content, by itself if rocec has ended\n"+
				"  leaf6 keeps the change; locks and temporary files may remain\n"+
				"  leaf7 had not answered yet; this command changed nothing there\n"+
				"  leaf8 uses the unconfirmed content of the run, and undoes it by itself unless the run goes on\n"+want.last, errs.String())
			s.end()

			s = a.showing(reporting{view.Occasion{Verb: verb}, "text"}, "run-1", nil, []string{held.Name})
			s.event(rollout.Event{Device: held, Result: &deploy.Result{Device: held, Run: "run-1", Outcome: deploy.Restored}})
			errs.Reset()
			end.Tell(2)
			require.Equal(t, "Ended at once. No device was under way.\n", errs.String())
			s.end()

			good := deploy.Applied
			if verb == "rollback" {
				good = deploy.Restored
			}
			s = a.showing(reporting{view.Occasion{Verb: verb}, "text"}, "run-1", nil, names)
			s.event(rollout.Event{Device: held, Result: &deploy.Result{Device: held, Run: "run-1", Outcome: good}})
			errs.Reset()
			end.Tell(2)
			require.Regexp(t, "^  "+string(good)+" +leaf8\nEnded at once", errs.String(), "the row had not ended")
			s.end()
			require.Equal(t, 1, strings.Count(errs.String(), "leaf8"))
		})
	}
}
