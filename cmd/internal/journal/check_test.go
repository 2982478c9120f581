package journal_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/sshsig"
)

// runs writes the journals of several runs, one after the other, and returns their folder.
func runs(t *testing.T, names ...string) *journal.Dir {
	t.Helper()
	dir := journal.Open(filepath.Join(t.TempDir(), "rocec", "runs"))
	for i, name := range names {
		content := []byte("old " + name)
		h := journal.Header{
			Run: name, Key: "abcd", Owner: "alice@ws7, process 1", Message: "ticket 4711", Began: time.Unix(int64(i), 0),
			Devices: []journal.Device{{Name: "leaf01", Changes: []journal.File{{Path: "/etc/x", Base: sumOf(content)}}}},
		}
		run, err := dir.Begin(h, time.Now)
		require.NoError(t, err)
		require.NoError(t, run.KeepBefore([][]byte{content}))
		for _, verb := range []string{"prepare", "commit", "confirm", "release"} {
			require.NoError(t, intent(run, "leaf01", verb))
			require.NoError(t, run.Result(journal.Line{Device: "leaf01", Verb: verb, Result: "ok"}))
		}
		require.NoError(t, run.Outcome(journal.Outcome{Device: "leaf01", Outcome: "applied"}))
		require.NoError(t, run.Finish(nil))
	}
	return dir
}

// wrong returns the findings of a check of each run.
func wrong(t *testing.T, dir *journal.Dir) (out []string) {
	t.Helper()
	names, err := dir.Names()
	require.NoError(t, err)
	for _, name := range names {
		c, err := dir.Check(name)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		require.False(t, c.None)
		out = append(out, c.Wrong...)
	}
	return out
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return line == "" })
}

// TestTampered edits, cuts and moves lines of one of three journals, each time in another place, and forges its operator and its ticket.
// The check finds each change.
func TestTampered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	dir := runs(t, "run-1", "run-2", "run-3")
	require.Empty(t, wrong(t, dir))
	kinds := map[string]func(lines []string) []string{
		"byte": func(lines []string) []string {
			i := random.IntN(len(lines))
			line := []byte(lines[i])
			at := random.IntN(len(line))
			line[at] ^= byte(1 + random.IntN(15))
			lines[i] = string(line)
			return lines
		},
		"a line out": func(lines []string) []string {
			i := random.IntN(len(lines))
			return slices.Delete(lines, i, i+1)
		},
		"lines moved": func(lines []string) []string {
			i := random.IntN(len(lines) - 1)
			lines[i], lines[i+1] = lines[i+1], lines[i]
			return lines
		},
		"the end cut off":   func(lines []string) []string { return lines[:1+random.IntN(len(lines)-1)] },
		"the begin cut off": func(lines []string) []string { return lines[1+random.IntN(len(lines)-1):] },
		"a line twice": func(lines []string) []string {
			i := random.IntN(len(lines))
			return slices.Insert(lines, i, lines[i])
		},
		"another operator": func(lines []string) []string {
			lines[0] = strings.Replace(lines[0], "alice", "mallory", 1)
			return lines
		},
		"another ticket": func(lines []string) []string {
			lines[0] = strings.Replace(lines[0], "4711", "4712", 1)
			return lines
		},
	}
	for kind, change := range kinds {
		for range 50 {
			path := filepath.Join(dir.Path(), fmt.Sprintf("run-%d.jsonl", 1+random.IntN(3)))
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			text := strings.Join(change(linesOf(t, path)), "\n") + "\n"
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			require.NotEmpty(t, wrong(t, dir), "%s of %s:\n%s", kind, path, text)
			require.NoError(t, os.WriteFile(path, whole, 0o600))
		}
	}
	require.Empty(t, wrong(t, dir))
}

// TestGone deletes the journal of a run or an earlier content, and the check names the missing file.
func TestGone(t *testing.T) {
	dir := runs(t, "run-1", "run-2", "run-3")
	require.NoError(t, os.WriteFile(filepath.Join(dir.Path(), "run-1", "before", sumOf([]byte("old run-1"))), []byte("new"), 0o600))
	found := wrong(t, dir)
	require.Len(t, found, 1)
	require.Contains(t, found[0], "the content of /etc/x on leaf01 from before is not as it was kept")
	require.NoError(t, os.Remove(filepath.Join(dir.Path(), "run-2.jsonl")))
	require.Contains(t, wrong(t, dir), "the journal of run run-2, which was begun before, is missing")
}

// TestWrittenAgain writes every line of the last run again, with another ticket. The chain fits, but the signature does not.
func TestWrittenAgain(t *testing.T) {
	statement := func(dir *journal.Dir) []byte {
		c, err := dir.Check("run-1")
		require.NoError(t, err)
		require.Empty(t, c.Wrong)
		require.Len(t, c.Log.Signed, 1)
		return journal.Head{Run: "run-1", Head: c.Log.Signed[0].Head}.Statement()
	}
	write := func(ticket string) (*journal.Dir, []byte) {
		dir := journal.Open(t.TempDir())
		run, err := dir.Begin(journal.Header{Run: "run-1", Message: ticket}, func() time.Time { return time.Unix(1, 0) })
		require.NoError(t, err)
		require.NoError(t, intent(run, "leaf01", "prepare"))
		var signed []byte
		require.NoError(t, run.Finish(func(statement []byte) ([]byte, error) {
			signed = bytes.Clone(statement)
			return []byte("-----BEGIN SSH SIGNATURE-----"), nil
		}))
		return dir, signed
	}
	dir, signed := write("ticket 4711")
	require.Equal(t, string(signed), string(statement(dir)))
	forged, _ := write("ticket 4712")
	require.NotEqual(t, string(signed), string(statement(forged)))
}

// TestDiedAndWentOn leaves half a line, as a process that is killed does. A verb that continues the run chains its lines to the half
// line. Then the run is complete.
func TestDiedAndWentOn(t *testing.T) {
	dir := runs(t, "run-1")
	path := filepath.Join(dir.Path(), "run-1.jsonl")
	lines := linesOf(t, path)
	half := strings.Join(lines[:4], "\n") + "\n" + lines[4][:20]
	require.NoError(t, os.WriteFile(path, []byte(half), 0o600))
	require.Equal(t, []string{"line 5 is cut short"}, wrong(t, dir))
	again, err := dir.Reopen("run-1", time.Now)
	require.NoError(t, err)
	require.NoError(t, intent(again, "leaf01", "undo"))
	require.NoError(t, again.Close())
	require.Equal(t, []string{"the run has no end: it died and no verb went on with it, or lines were cut off"}, wrong(t, dir))
	again, err = dir.Reopen("run-1", time.Now)
	require.NoError(t, err)
	require.NoError(t, again.Finish(nil))
	require.Empty(t, wrong(t, dir))
}

// TestShell checks a chain and a signature with the shell commands of docs/rights.md, which need ssh-keygen but no rocec.
func TestShell(t *testing.T) {
	page, err := os.ReadFile("../../../docs/rights.md")
	require.NoError(t, err)
	_, script, found := strings.Cut(string(page), "```sh\n# Checks the chain")
	require.True(t, found)
	script, _, _ = strings.Cut(script, "```")
	require.LessOrEqual(t, strings.Count(script, "\n"), 33)

	dir := runs(t, "run-1", "run-2")
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).Run())
	public, err := os.ReadFile(key + ".pub")
	require.NoError(t, err)
	signers := key + ".signers"
	require.NoError(t, os.WriteFile(signers, []byte("alice "+string(public)), 0o600))
	run, err := dir.Reopen("run-2", time.Now)
	require.NoError(t, err)
	require.NoError(t, run.Finish(func(statement []byte) ([]byte, error) {
		cmd := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", sshsig.RoleRun, "-f", key)
		cmd.Stdin = bytes.NewReader(statement)
		return cmd.Output()
	}))

	check := func() string {
		cmd := exec.Command("sh", "-c", "#"+script, "check", signers, "run-1.jsonl", "run-2.jsonl")
		cmd.Dir = dir.Path()
		out, err := cmd.CombinedOutput()
		return fmt.Sprint(string(out), err)
	}
	require.Equal(t, "<nil>", check())
	path := filepath.Join(dir.Path(), "run-2.jsonl")
	lines := linesOf(t, path)
	for i := range lines {
		changed := slices.Clone(lines)
		for _, swap := range [][2]string{{"leaf01", "leaf02"}, {`{"end":"2`, `{"end":"1`}, {"SIGNATURE-----\\nU", "SIGNATURE-----\\nV"}} {
			changed[i] = strings.Replace(changed[i], swap[0], swap[1], 1)
		}
		require.NotEqual(t, lines[i], changed[i])
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(changed, "\n")+"\n"), 0o600))
		require.Contains(t, check(), "run-2.jsonl", "line %d", i+1)
	}
	require.NoError(t, os.WriteFile(path, []byte(rechained(lines)), 0o600)) // the chain fits, but the signature does not
	require.Contains(t, check(), fmt.Sprintf("run-2.jsonl: line %d: its signature does not fit", len(lines)))
}

// rechained returns the lines with another ticket and recomputed hashes.
func rechained(lines []string) string {
	var b strings.Builder
	head := ""
	after := regexp.MustCompile(`,"after":"[0-9a-f]*"}$`)
	seal := regexp.MustCompile(`"seal":"[0-9a-f]*",`)
	for _, line := range lines {
		line = strings.Replace(line, "ticket 4711", "ticket 4712", 1)
		if head != "" {
			line = after.ReplaceAllString(line, `,"after":"`+head+`"}`)
		}
		if seal.MatchString(line) {
			bare := seal.ReplaceAllString(line, "")
			line = seal.ReplaceAllString(line, `"seal":"`+sumOf([]byte(bare))+`",`)
		}
		head = sumOf([]byte(line))
		b.WriteString(line + "\n")
	}
	return b.String()
}

func sumOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }
