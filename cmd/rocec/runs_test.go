package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
)

// A run that goes on has not ended anywhere.
func TestRunUnderWay(t *testing.T) {
	l := &journal.Log{
		Header:   journal.Header{Run: "run-1", Devices: []journal.Device{{Name: "leaf01"}, {Name: "leaf02"}, {Name: "leaf03"}}},
		Lines:    []journal.Line{{Device: "leaf01", Verb: "release", Done: true}, {Device: "leaf02", Verb: "check"}},
		Outcomes: map[string]journal.Outcome{"leaf01": {Device: "leaf01", Outcome: "applied"}},
		Alive:    true,
	}
	r := runData(l, true)
	require.Equal(t, "1 under way, 1 waiting, 1 applied", outcomesText(r))
	require.Equal(t, "check", r.Devices[1].Verb)
	var out bytes.Buffer
	a := &app{person: &person{stdout: &out, getenv: func(string) string { return "" }}}
	a.runsText(runsDocument{Runs: []runJSON{r}}, true)
	require.Contains(t, out.String(), "under way    leaf02 (check)\n")
	require.NotContains(t, out.String(), "ended")

	l.Alive = false
	require.Equal(t, "1 applied, 1 unknown, 1 not-started, died", outcomesText(runData(l, false)))
}

func TestExpired(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	result, err := json.Marshal(resultJSON{Until: 600})
	require.NoError(t, err)
	for _, c := range []struct {
		outcome string
		later   time.Duration
		want    bool
	}{
		{"unconfirmed", 9 * time.Minute, false}, {"unconfirmed", 11 * time.Minute, true}, {"applied", 11 * time.Minute, false},
	} {
		o := journal.Outcome{Outcome: c.outcome, Time: at, Result: result}
		require.Equal(t, c.want, expired(o, at.Add(c.later)), c)
	}
}

func TestShortCommit(t *testing.T) {
	for commit, want := range map[string]string{
		"": "-", "3b46bee0123456789": "3b46bee01", "3b46bee0123456789+": "3b46bee01+", "abc+": "abc+",
	} {
		require.Equal(t, want, shortCommit(commit))
	}
}
