package journal

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/txn"
)

// A device that has to go back keeps the mark "undoing" until its undo succeeds.
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

// The clock of this machine decides when the time to confirm ends.
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
