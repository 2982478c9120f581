package record

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/chain"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

const (
	owner = "alice@ws7, process 4711"
	here  = "alice@ws7, process 5000"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// led writes the journal of a run on leaf01, and returns the folder and the record that the device keeps.
func led(t *testing.T, change func(h *journal.Header), sign func([]byte) ([]byte, error)) (*journal.Dir, device.Record) {
	t.Helper()
	dir := journal.Open(filepath.Join(t.TempDir(), "rocec", "runs"))
	h := journal.Header{Run: "run-1", Key: "abcd", Owner: owner, Message: "CHG1", Began: now, Devices: []journal.Device{{Name: "leaf01"}}}
	if change != nil {
		change(&h)
	}
	run, err := dir.Begin(h, func() time.Time { return now })
	require.NoError(t, err)
	head, err := run.Intent("leaf01", "prepare")
	require.NoError(t, err)
	require.NoError(t, run.Outcome(journal.Outcome{Device: "leaf01", Outcome: "applied"}))
	require.NoError(t, run.Finish(sign))
	return dir, device.Record{Run: "run-1", About: deploy.About{Device: "leaf01", Owner: owner, Message: "CHG1", Head: head}}
}

// rewrites writes the lines of the journal again, each changed, with hashes that fit; or without hashes.
func rewrites(t *testing.T, dir *journal.Dir, hashes bool, change func(line map[string]any)) {
	t.Helper()
	path := filepath.Join(dir.Path(), "run-1.jsonl")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var c chain.Chain
	var out bytes.Buffer
	for line := range strings.Lines(string(text)) {
		var members map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &members))
		delete(members, "after")
		_, end := members["seal"]
		delete(members, "seal")
		change(members)
		object, err := json.Marshal(members)
		require.NoError(t, err)
		if hashes {
			object = c.Add(object, end)
		}
		out.Write(append(object, '\n'))
	}
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
}

// begin returns a change of the first line alone.
func begin(change func(h map[string]any)) func(map[string]any) {
	return func(line map[string]any) {
		if h, ok := line["begin"].(map[string]any); ok {
			change(h)
		}
	}
}

// TestDevicesContradict finds a journal that was written again so that its lines fit, by the record of a device.
func TestDevicesContradict(t *testing.T) {
	for name, c := range map[string]struct {
		hashes bool
		change func(map[string]any)
		want   string
	}{
		"as it was":      {true, nil, ""},
		"without hashes": {false, func(map[string]any) {}, "the lines of the journal have no hashes"},
		"another ticket": {true, begin(func(h map[string]any) { h["message"] = "CHG2" }), `the message "CHG1", and the journal has "CHG2"`},
		"another operator": {
			true, begin(func(h map[string]any) { h["owner"] = "bob@ws7, process 1" }), "the journal has bob@ws7, process 1",
		},
		"of another machine, it claims": {
			true, begin(func(h map[string]any) { h["adopted"] = map[string]any{"by": here, "at": now} }),
			"this machine and user led the run, and the journal has it as one of another machine",
		},
	} {
		dir, kept := led(t, nil, nil)
		if c.change != nil {
			rewrites(t, dir, c.hashes, c.change)
		}
		found, err := Check(dir, nil, false, now)
		require.NoError(t, err)
		require.True(t, found.Good(), "%s: a journal alone shows nothing of it: %v", name, found.Checked)
		found.Compare([]Answer{{Device: "leaf01", Records: []device.Record{kept}}}, here)
		if c.want == "" {
			require.True(t, found.Good(), found.Checked)
			require.Equal(t, 1, found.Checked[0].Records)
			continue
		}
		require.False(t, found.Good(), name)
		require.Contains(t, strings.Join(found.Checked[0].Wrong, "; "), c.want, name)
	}
}

// TestJournalContradicts finds lines that no rocec writes, although their hashes fit.
func TestJournalContradicts(t *testing.T) {
	for want, change := range map[string]func(map[string]any){
		"the end is before the begin": begin(func(h map[string]any) { h["began"] = now.Add(time.Hour) }),
		"line 2 does not belong into a journal there": func(line map[string]any) {
			if l, ok := line["line"]; ok {
				delete(line, "line")
				line["LINE"] = l // a reader of JSON takes it for the same name
			}
		},
		"line 3 does not belong into a journal there": func(line map[string]any) {
			if _, ok := line["outcome"]; ok {
				delete(line, "outcome")
				line["begin"] = map[string]any{"run": "run-1"}
			}
		},
	} {
		dir, _ := led(t, nil, nil)
		rewrites(t, dir, true, change)
		found, err := Check(dir, nil, false, now)
		require.NoError(t, err)
		require.Contains(t, found.Checked[0].Wrong, want)
	}
	dir, _ := led(t, func(h *journal.Header) { h.Agreement = &journal.Agreement{} }, nil)
	rewrites(t, dir, false, func(map[string]any) {})
	found, err := Check(dir, nil, false, now)
	require.NoError(t, err)
	require.Contains(t, found.Checked[0].Wrong, "the lines have no hashes, and the journal is one of a rocec that writes them")
}

// signer signs as a person with a key of ssh-keygen, and returns the line of the person.
func signer(t *testing.T, person, role string) (sign func([]byte) ([]byte, error), line string) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key).Run())
	public, err := os.ReadFile(key + ".pub")
	require.NoError(t, err)
	return func(text []byte) ([]byte, error) {
		cmd := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", role, "-f", key)
		cmd.Stdin = bytes.NewReader(text)
		return cmd.Output()
	}, person + " " + string(public)
}

// TestAgreement counts approvals: each of another person and key, as many as were wanted, and none of the person who applied the plan.
func TestAgreement(t *testing.T) {
	plan := []byte("a plan")
	a := &journal.Agreement{Nonce: "n", Plan: sshsig.SumsOf(plan), Wanted: 2}
	lines := ""
	signed := func(person, role string, text []byte) journal.Signature {
		sign, line := signer(t, person, role)
		armored, err := sign(text)
		require.NoError(t, err)
		lines += line
		return journal.Signature{Person: person, Signature: string(armored)}
	}
	bob, carol := signed("bob", sshsig.RoleApprove, plan), signed("carol", sshsig.RoleApprove, plan)
	a.Submitted = signed("alice", sshsig.RoleApply, a.Submission())
	signers, err := sshsig.ParseSigners([]byte(lines))
	require.NoError(t, err)
	check := func(signers *sshsig.Signers, approvals ...journal.Signature) Checked {
		a.Approvals = approvals
		dir, _ := led(t, func(h *journal.Header) { h.Agreement = a }, nil)
		found, err := Check(dir, signers, false, now)
		require.NoError(t, err)
		return found.Checked[0]
	}
	good := check(signers, bob, carol)
	require.Empty(t, good.Wrong)
	require.Empty(t, good.Notes)
	require.Equal(t, []string{"the plan wanted 2 approvals, and the journal has 1"}, check(signers, bob).Wrong)
	require.Equal(t, []string{"the approval of bob is of a person or key that is there already"}, check(signers, bob, bob).Wrong)
	claimed := bob
	claimed.Person = "dora"
	require.Equal(t, []string{"the signature of dora (rocec-approve) has the key of bob"}, check(signers, claimed, carol).Wrong)
	other := signed("bob", sshsig.RoleApprove, []byte("another plan"))
	require.Equal(t, []string{"the signature of bob (rocec-approve): the signature does not fit"}, check(signers, other, carol).Wrong)

	unchecked := check(nil, bob, carol)
	require.Empty(t, unchecked.Wrong)
	require.Len(t, unchecked.Notes, 3, "no key is checked without a file of signers, and the check states it")
	left, err := sshsig.ParseSigners([]byte(lines[strings.Index(lines, "carol"):]))
	require.NoError(t, err)
	require.Len(t, check(left, bob, carol).Notes, 1, "bob has left")
}

// TestMustSign wants a signature of each run where a policy does.
func TestMustSign(t *testing.T) {
	sign, line := signer(t, "alice", sshsig.RoleRun)
	signers, err := sshsig.ParseSigners([]byte(line))
	require.NoError(t, err)
	for _, c := range []struct {
		sign func([]byte) ([]byte, error)
		want int
	}{{nil, 1}, {sign, 0}} {
		dir, _ := led(t, nil, c.sign)
		found, err := Check(dir, signers, true, now)
		require.NoError(t, err)
		require.Len(t, found.Checked[0].Wrong, c.want)
	}
}

// TestTeamInRecord: the record of a run of a team names the person, whom the process of the site obeyed.
func TestTeamInRecord(t *testing.T) {
	l := &journal.Log{Header: journal.Header{Run: "run-1", Owner: "rocecd", Team: &journal.Team{Run: "run-t", Site: "dc1", By: "alice"}}}
	var page strings.Builder
	Markdown(&page, l, "complete", &Checked{}, nil)
	require.Contains(t, page.String(), "| who | rocecd |\n| run of the team | run-t, at the site dc1 |\n| requested by | alice |\n")
}
