package session

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/targets/deploy"
)

// A device that does not answer may still go back from a run of this machine. The time for that is bounded by its timer and the
// difference of the clocks.
func TestHeldFor(t *testing.T) {
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	log := func(outcome string, until int, lines ...journal.Line) *journal.Log {
		l := &journal.Log{
			Header: journal.Header{
				Format: journal.Format, Run: "run-1", Began: at, Hold: "10m0s", Steps: []journal.Made{{Name: "unknown step 0 60 false"}},
				Devices: []journal.Device{{
					Name: "leaf1", Wave: 1, Changes: []journal.File{{Path: "/etc/x", Base: deploy.Absent, Target: deploy.Sum(nil)}},
				}},
			},
			Lines: lines, Outcomes: map[string]journal.Outcome{},
		}
		if outcome != "" {
			result, err := json.Marshal(journal.Result{Until: until})
			require.NoError(t, err)
			l.Outcomes["leaf1"] = journal.Outcome{Time: at, Device: "leaf1", Outcome: outcome, Result: result}
		}
		return l
	}
	line := func(verb string, done bool, mark string) journal.Line {
		return journal.Line{Time: at, Device: "leaf1", Verb: verb, Done: done, Result: "ok", Mark: mark}
	}
	for _, c := range []struct {
		what string
		l    *journal.Log
		now  time.Duration
		want time.Duration
	}{
		{"it waits to be confirmed", log(string(deploy.Unconfirmed), 60), 20 * time.Second, 40*time.Second + clockError},
		{"its time is over, but the clocks may differ", log(string(deploy.Unconfirmed), 60), 70 * time.Second, clockError - 10*time.Second},
		{"all is over", log(string(deploy.Unconfirmed), 60), time.Minute + clockError, 0},
		{"it was lost, and has a timer", log(string(deploy.Unknown), 90), 0, 90*time.Second + clockError},
		{"it was applied", log(string(deploy.Applied), 0), 0, 0},
		{"it went back", log(string(deploy.Reverted), 0), 0, 0},
		{"the run died before it changed anything", log("", 0, line("prepare", false, ""), line("prepare", true, "prepared")), 0, 0},
		{
			"the run died while it changed the device", log("", 0, line("commit", false, "")), time.Minute,
			10*time.Minute + 2*(2*time.Minute+5*time.Second+3*time.Minute) + time.Minute,
		},
		{"and that is long ago", log("", 0, line("commit", false, "")), time.Hour, 0},
		{"the run died after it was confirmed", log("", 0, line("confirm", true, "confirmed")), 0, 0},
	} {
		assert.Equal(t, c.want, heldFor(c.l, nil, "leaf1", at.Add(c.now)), c.what)
	}
}
