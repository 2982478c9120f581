package journal

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/txn"
)

// A device that was to go back is still to go back, whatever it answered since.
func TestMarksOf(t *testing.T) {
	did := func(verb, mark string) Line {
		return Line{Device: "leaf1", Verb: verb, Done: true, Mark: mark}
	}
	will := func(verb string) Line { return Line{Device: "leaf1", Verb: verb} }
	forward := []Line{will("prepare"), did("prepare", "prepared"), will("commit")}
	back := append(slices.Clone(forward), did("commit", "loaded"), will("undo"))
	for _, c := range []struct {
		lines []Line
		want  txn.Mark
	}{
		{forward[:2], txn.Prepared},
		{forward, txn.Armed},
		{back[:4], txn.Loaded},
		{back, txn.Undoing},
		{append(slices.Clone(back), did("undo", "absent")), txn.Undoing},
		{append(slices.Clone(back), did("undo", "loaded")), txn.Undoing},
		{append(slices.Clone(back), did("undo", "undone")), txn.Undone},
	} {
		require.Equal(t, c.want, (&Log{Lines: c.lines}).Marks()["leaf1"])
	}
}

// The time to confirm ends by the clock of this machine.
func TestExpired(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	result, err := json.Marshal(Result{Until: 600})
	require.NoError(t, err)
	for _, c := range []struct {
		outcome string
		later   time.Duration
		want    bool
	}{
		{"unconfirmed", 9 * time.Minute, false}, {"unconfirmed", 11 * time.Minute, true}, {"applied", 11 * time.Minute, false},
	} {
		o := Outcome{Outcome: c.outcome, Time: at, Result: result}
		require.Equal(t, c.want, o.Expired(at.Add(c.later)), c)
	}
}
