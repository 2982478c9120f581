package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
)

// A run has not ended if the process that continued it died.
func TestReopened(t *testing.T) {
	dir := journal.Open(t.TempDir())
	run, err := dir.Begin(journal.Header{Run: "run-1", Key: "abcd"}, time.Now)
	require.NoError(t, err)
	for _, device := range []string{"leaf01", "leaf02"} {
		require.NoError(t, intent(run, device, "prepare"))
		require.NoError(t, run.Outcome(journal.Outcome{Device: device, Outcome: "unconfirmed"}))
	}
	require.NoError(t, run.Finish(nil))
	log, err := dir.Read("run-1")
	require.NoError(t, err)
	require.NotNil(t, log.Ended)
	require.Len(t, log.Outcomes, 2)

	again, err := dir.Reopen("run-1", time.Now)
	require.NoError(t, err)
	require.NoError(t, intent(again, "leaf01", "undo"))
	require.NoError(t, again.Close())
	log, err = dir.Read("run-1")
	require.NoError(t, err)
	require.Nil(t, log.Ended)
	require.NotContains(t, log.Outcomes, "leaf01", "its outcome is open again")
	require.Contains(t, log.Outcomes, "leaf02")
}

// A later outcome replaces an open one, such as unknown or unconfirmed. It does not replace a final one.
func TestClosedStays(t *testing.T) {
	for _, c := range []struct{ was, then, want string }{
		{"applied", "conflict", "applied"},
		{"reverted", "applied", "reverted"},
		{"restored", "not-started", "restored"},
		{"refused", "not-started", "refused"},
		{"unconfirmed", "reverted", "reverted"},
		{"unknown", "restored", "restored"},
		{"unconfirmed", "unknown", "unknown"},
	} {
		dir := journal.Open(t.TempDir())
		run, err := dir.Begin(journal.Header{Run: "run-1", Key: "abcd"}, time.Now)
		require.NoError(t, err)
		require.NoError(t, intent(run, "leaf01", "prepare"))
		require.NoError(t, run.Outcome(journal.Outcome{Device: "leaf01", Outcome: c.was}))
		require.NoError(t, run.Finish(nil))
		again, err := dir.Reopen("run-1", time.Now)
		require.NoError(t, err)
		require.NoError(t, intent(again, "leaf01", "release"))
		require.NoError(t, again.Outcome(journal.Outcome{Device: "leaf01", Outcome: c.then, Detail: "later"}))
		require.NoError(t, again.Finish(nil))
		log, err := dir.Read("run-1")
		require.NoError(t, err)
		require.Equal(t, c.want, log.Outcomes["leaf01"].Outcome, c)
		require.NotNil(t, log.Ended)
	}
}

// Adopt replaces the header of a run with later reports of devices, but only if another machine started the run.
func TestAdopt(t *testing.T) {
	dir := journal.Open(t.TempDir())
	for _, adopted := range []*journal.Adoption{nil, {By: "bob@ws2, process 12"}} {
		name := map[bool]string{true: "run-1", false: "run-2"}[adopted == nil]
		run, err := dir.Begin(journal.Header{Run: name, Key: "abcd", Adopted: adopted}, time.Now)
		require.NoError(t, err)
		require.NoError(t, run.Result(journal.Line{Device: "leaf01", Verb: "adopt"}))
		require.NoError(t, run.Adopt(journal.Header{Run: name, Key: "abcd", Devices: []journal.Device{{Name: "leaf02"}}, Adopted: adopted}))
		require.NoError(t, run.Adopt(journal.Header{Run: "run-3", Adopted: adopted}))
		require.NoError(t, run.Finish(nil))
		log, err := dir.Read(name)
		require.NoError(t, err)
		require.Equal(t, name, log.Run)
		require.Len(t, log.Lines, 1)
		require.Equal(t, adopted != nil, len(log.Devices) == 1)
		require.NotZero(t, log.Damaged, "a line of another run")
	}
}

// Runs does not read a file as a journal if its name cannot be the name of a run. Such a name would get into messages and commands.
func TestNameOfNoRun(t *testing.T) {
	path := t.TempDir()
	dir := journal.Open(path)
	for _, name := range []string{"run-1", "x\x1b[31m", "a\n::error::b", "run $(id)", "-run", strings.Repeat("a", 64)} {
		text, err := json.Marshal(map[string]any{"begin": journal.Header{Format: journal.Format, Run: name, Key: "abcd"}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(path, name+".jsonl"), append(text, '\n'), 0o600))
	}
	runs, unreadable, err := dir.Runs()
	require.NoError(t, err)
	require.Len(t, runs, 1)
	require.Equal(t, "run-1", runs[0].Run)
	require.Len(t, unreadable, 5)
}

// intent writes the line that announces a verb.
func intent(run *journal.Run, device, verb string) error {
	_, err := run.Intent(device, verb)
	return err
}
