package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/chain"
	"github.com/rocec/rocec/cmd/internal/journal"
)

// TestNotices gives a listener each line of a journal in its order, with the hash of the line and of the line before. A notice has no path,
// login, variable, hash of a content or text of a device.
func TestNotices(t *testing.T) {
	const secret = "SECRET"
	folder := t.TempDir()
	dir := journal.Open(folder)
	var got []journal.Notice
	dir.Listen = func(n journal.Notice) { got = append(got, n) }
	file := journal.File{Path: secret, Base: secret, Target: secret, Lost: secret}
	made := []journal.Made{{Name: secret, Digest: secret}}
	h := journal.Header{
		Run: "run-1", Key: secret, Owner: "alice@ws7, process 4711", Host: "ws7", PID: 4711, Began: time.Now(), Tool: "1.0", Message: "CHG1",
		Commit: "abc", Fabric: secret, Name: "rack", Vars: []string{"password=" + secret}, VarFiles: []string{secret}, Targets: []string{secret},
		Lab: secret, Undoes: "run-0", Hold: "10m", Hooks: &journal.Hooks{Drain: secret}, Left: []journal.Left{{Name: secret, Why: secret}},
		Steps: made, Queries: made, Checks: made, Devices: []journal.Device{{
			Name: secret, About: secret, At: journal.Place{File: secret}, Changes: []journal.File{file}, States: []journal.File{file},
			Login: journal.Login{Address: secret, User: secret, Jump: secret, HostKey: secret}, Key: secret, Holds: secret, Digest: secret,
		}},
	}
	run, err := dir.Begin(h, time.Now)
	require.NoError(t, err)
	_, err = run.Intent("leaf01", "commit")
	require.NoError(t, err)
	require.NoError(t, run.Result(journal.Line{Device: "leaf01", Verb: "commit", Result: "lost", Mark: "prepared", Detail: secret}))
	require.NoError(t, run.Hook(journal.Hook{Hook: "drain", Wave: 1}))
	require.NoError(t, run.Hook(journal.Hook{Hook: "drain", Wave: 1, Done: true, Detail: secret}))
	require.NoError(t, run.Outcome(journal.Outcome{Device: "leaf01", Outcome: "unknown", Detail: secret, Result: json.RawMessage(`"SECRET"`)}))
	require.NoError(t, run.Finish(nil))
	run, err = dir.Reopen("run-1", time.Now)
	require.NoError(t, err)
	require.NoError(t, run.Adopt(h))
	require.NoError(t, run.Hook(journal.Hook{Hook: "undrain", Wave: 1, Done: true}))
	require.NoError(t, run.Outcome(journal.Outcome{Device: "leaf01", Outcome: "unconfirmed"}))
	require.NoError(t, run.Finish(func([]byte) ([]byte, error) { return []byte("signature"), nil }))

	text, err := os.ReadFile(filepath.Join(folder, "run-1.jsonl"))
	require.NoError(t, err)
	lines := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	require.Len(t, lines, len(got))
	before := ""
	for i, n := range got {
		require.Equal(t, "run-1", n.Run)
		require.Equal(t, chain.Sum([]byte(lines[i])), n.Head)
		require.Equal(t, before, n.After)
		require.False(t, n.Time.IsZero())
		before = n.Head
		out, err := json.Marshal(n)
		require.NoError(t, err)
		require.NotContains(t, string(out), secret)
		got[i].Time, got[i].Head, got[i].After, got[i].Run = time.Time{}, "", "", ""
	}
	begun := journal.Notice{
		Event: "begin", Owner: "alice@ws7, process 4711", Tool: "1.0", Fabric: "rack", Commit: "abc", Message: "CHG1",
		Undoes: "run-0", Hold: "10m", Lab: true, Devices: 1,
	}
	adopted := begun
	adopted.Event = "adopt"
	require.Equal(t, []journal.Notice{
		begun,
		{Event: "verb", Device: "leaf01", Verb: "commit"},
		{Event: "verb", Device: "leaf01", Verb: "commit", Done: true, Result: "lost", Mark: "prepared", Warns: true},
		{Event: "hook", Verb: "drain", Wave: 1},
		{Event: "hook", Verb: "drain", Wave: 1, Done: true, Result: "failed", Warns: true},
		{Event: "outcome", Device: "leaf01", Outcome: "unknown", Warns: true},
		{Event: "end"},
		adopted,
		{Event: "hook", Verb: "undrain", Wave: 1, Done: true, Result: "ok"},
		{Event: "outcome", Device: "leaf01", Outcome: "unconfirmed"},
		{Event: "end"},
		{Event: "signed", Signature: "signature"},
	}, got)
}

// TestNoticesOfFile: the notices of a file are those that a listener heard, from any line on. A line that is cut off does not count. A line
// that cannot be read keeps its number.
func TestNoticesOfFile(t *testing.T) {
	d := journal.Open(filepath.Join(t.TempDir(), "rocec", "runs"))
	var heard []journal.Notice
	d.Listen = func(n journal.Notice) { heard = append(heard, n) }
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	clock := func() time.Time {
		now = now.Add(time.Second)
		return now
	}
	const run = "20261130t080000z-aaaa"
	h := journal.Header{Run: run, Key: "key", Owner: "alice", Name: "prod", Began: now, Team: &journal.Team{Run: run, Site: "dc1"}}
	r, err := d.Begin(h, clock)
	require.NoError(t, err)
	_, err = r.Intent("leaf1", "prepare")
	require.NoError(t, err)
	require.NoError(t, r.Result(journal.Line{Device: "leaf1", Verb: "prepare", Result: "ok", Mark: "prepared"}))
	require.NoError(t, r.Outcome(journal.Outcome{Device: "leaf1", Outcome: "applied"}))
	require.NoError(t, r.Finish(nil))
	for after := range len(heard) + 1 {
		got, lines, err := d.Notices(run, after)
		require.NoError(t, err)
		require.Equal(t, len(heard), lines)
		require.Len(t, got, len(heard)-after)
		for i, n := range got {
			n.Warns, heard[after+i].Warns = false, false
			require.Equal(t, heard[after+i], n)
		}
	}
	file := filepath.Join(d.Path(), run+".jsonl")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "{\"line\":\n{\"line\":{}"...), 0o600))
	got, lines, err := d.Notices(run, len(heard))
	require.NoError(t, err)
	require.Equal(t, len(heard)+1, lines)
	require.Len(t, got, 1)
	require.Empty(t, got[0].Event)
	require.NotEmpty(t, got[0].Head)
	l, err := d.Read(run)
	require.NoError(t, err)
	require.Equal(t, "dc1", l.Team.Site)
}
