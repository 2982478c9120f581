package view

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
)

// A run that continues has no final outcome on any device.
func TestRunUnderWay(t *testing.T) {
	l := &journal.Log{
		Header:   journal.Header{Run: "run-1", Devices: []journal.Device{{Name: "leaf01"}, {Name: "leaf02"}, {Name: "leaf03"}}},
		Lines:    []journal.Line{{Device: "leaf01", Verb: "release", Done: true}, {Device: "leaf02", Verb: "check"}},
		Outcomes: map[string]journal.Outcome{"leaf01": {Device: "leaf01", Outcome: "applied"}},
		Alive:    true,
	}
	r := RunJSON(l, true, time.Now())
	require.Equal(t, "1 under way, 1 waiting, 1 applied", OutcomesText(r))
	require.Equal(t, "check", r.Devices[1].Verb)
	var out bytes.Buffer
	NewScreen(&out, 80, false).Runs(RunsDocument{Runs: []Run{r}}, true)
	require.Contains(t, out.String(), "under way    leaf02 (check)\n")
	require.NotContains(t, out.String(), "ended")

	l.Alive = false
	require.Equal(t, "1 applied, 1 unknown, 1 not-started, died", OutcomesText(RunJSON(l, false, time.Now())))
}

func TestShortCommit(t *testing.T) {
	for commit, want := range map[string]string{
		"": "-", "3b46bee0123456789": "3b46bee01", "3b46bee0123456789+": "3b46bee01+", "abc+": "abc+",
	} {
		require.Equal(t, want, shortCommit(commit))
	}
}
