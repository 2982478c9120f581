package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// bank is a standing rack whose fabric requires two approvals. It has the keys of some persons, and a policy that names them.
type bank struct {
	t       *testing.T
	dir     string
	devices *lab.Lab
	keys    string // folder with a key file for each person
	plan    string
}

func newBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{t: t, keys: t.TempDir()}
	b.dir, b.devices = standing(t)
	b.plan = filepath.Join(b.keys, "change.plan")
	file := filepath.Join(b.dir, "fabric.hcl")
	hcl, err := os.ReadFile(file)
	require.NoError(t, err)
	text := strings.Replace(string(hcl), "fabric \"", "# two persons\nfabric \"", 1)
	head, rest, found := strings.Cut(text, "{\n")
	require.True(t, found)
	require.NoError(t, os.WriteFile(file, []byte(head+"{\n  approvals = 2\n"+rest), 0o644))
	var signers strings.Builder
	for person, roles := range map[string]string{
		"alice": "rocec-*", "bob": "rocec-*", "carol": "rocec-approve", "ci": "rocec-plan,rocec-apply", "eve": "rocec-run",
	} {
		key := filepath.Join(b.keys, person)
		require.NoError(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key).Run())
		public, err := os.ReadFile(key + ".pub")
		require.NoError(t, err)
		fmt.Fprintf(&signers, "%s namespaces=%q %s", person, roles, public)
	}
	b.write("signers", signers.String())
	b.write("policy.hcl", fmt.Sprintf("allowed_signers = %q\n", filepath.Join(b.keys, "signers")))
	return b
}

func (b *bank) write(name, text string) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(filepath.Join(b.keys, name), []byte(text), 0o600))
}

// does runs a verb of a person.
func (b *bank) does(person string, args ...string) (code int, output string) {
	b.t.Helper()
	args = append(args, "--policy", filepath.Join(b.keys, "policy.hcl"), "--sign-key", filepath.Join(b.keys, person))
	code, stdout, stderr := rocecWith(b.t, nil, args...)
	return code, strings.Join(strings.Fields(stdout+stderr), " ") // where a line breaks depends on the path of a temporary folder
}

// saves makes a plan, and deletes the signatures of earlier plans.
func (b *bank) saves(person string) {
	b.t.Helper()
	old, err := filepath.Glob(b.plan + "*")
	require.NoError(b.t, err)
	for _, name := range old {
		require.NoError(b.t, os.Remove(name))
	}
	code, output := b.does(person, "plan", "--out", b.plan, "-m", "CHG0004711", b.dir)
	require.Equal(b.t, exit.Good, code, output)
}

func (b *bank) approves(person string) {
	b.t.Helper()
	code, output := b.does(person, "approve", "-y", b.plan)
	require.Equal(b.t, exit.Good, code, output)
	require.Contains(b.t, output, "wave 1")
	require.Contains(b.t, output, "CHG0004711")
}

// signsInVain has a person sign whose key may not approve.
func (b *bank) signsInVain(person string) {
	b.t.Helper()
	code, output := b.does(person, "approve", "-y", b.plan)
	require.Equal(b.t, exit.Errors, code, output)
	require.Contains(b.t, output, "your signature does not count as an approval")
}

// refused requires that an apply is refused with a reason, and that no device changes.
func (b *bank) refused(person, why string, args ...string) {
	b.t.Helper()
	code, output := b.does(person, append([]string{"apply", "-y", b.dir}, args...)...)
	require.NotEqual(b.t, exit.Good, code)
	require.Contains(b.t, output, why)
	for _, name := range []string{"tor1", "store1"} {
		require.Empty(b.t, b.devices.Device(name).Writes(), why)
	}
}

// TestTwoApprovals: a plan can be applied once if two persons approve it and a third applies it. Every other plan is refused with a
// reason.
func TestTwoApprovals(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	plan := []string{"--plan", b.plan}
	b.refused("alice", "the fabric or the policy wants 2 approvals, so apply takes a plan that persons have approved")

	b.saves("ci")
	b.refused("alice", "wants 2 approvals and has 0", plan...)
	b.approves("bob")
	b.refused("alice", "wants 2 approvals and has 1 (bob)", plan...)
	b.approves("alice")
	b.refused("alice", "alice applies the plan, so the approval of alice does not count", plan...)
	b.signsInVain("ci")
	b.refused("carol", `you may not apply this plan: line`, plan...)
	b.refused("bob", `does not allow ci to sign for "rocec-approve"`, plan...)
	b.signsInVain("eve")
	b.refused("bob", `does not allow eve to sign for "rocec-approve"`, plan...)

	b.approves("carol")
	text, err := os.ReadFile(b.plan)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.plan, []byte(strings.Replace(string(text), `"approvals": 2`, `"approvals": 0`, 1)), 0o600))
	b.refused("ci", "the plan file was changed after it was written", plan...)
	require.NoError(t, os.WriteFile(b.plan, text, 0o600))
	b.refused("ci", `was approved with the message "CHG0004711", not with "CHG1"`, "--plan", b.plan, "-m", "CHG1")

	b.write("signers", strings.Replace(b.read("signers"), "carol namespaces", `carol valid-before="20200101",namespaces`, 1))
	b.refused("alice", "wants 2 approvals and has 1 (bob)", plan...)
	b.write("signers", strings.Replace(b.read("signers"), `valid-before="20200101",`, "", 1))

	code, output := b.does("ci", "apply", "-y", "--plan", b.plan, "--lab=new", b.dir)
	require.Equal(t, exit.Good, code, output, "a rehearsal uses no approval up")
	code, output = b.does("ci", "apply", "-y", "--plan", b.plan, b.dir)
	require.Equal(t, exit.Good, code, output)
	b.refusedNow("ci", "was applied by run", plan...)
	code, output = b.does("ci", "runs", "last", "--format", "md")
	require.Equal(t, exit.Good, code, output)
	for _, want := range []string{
		"| why | CHG0004711 |", "| applied by | ci |", "| approved by | alice |", "| approved by | bob |", "| approved by | carol |",
	} {
		require.Contains(t, output, want)
	}
	code, output = b.does("ci", "runs", "--check", "--devices", "-C", b.dir)
	require.Equal(t, exit.Good, code, output)
	code, output = b.does("ci", "apply", "-y", "--plan", b.plan, "--lab=new", b.dir)
	require.Equal(t, exit.Good, code, output)
}

func (b *bank) read(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.keys, name))
	require.NoError(b.t, err)
	return string(text)
}

// refusedNow requires that an apply is refused after earlier changes of devices.
func (b *bank) refusedNow(person, why string, args ...string) {
	b.t.Helper()
	code, output := b.does(person, append([]string{"apply", "-y", b.dir}, args...)...)
	require.NotEqual(b.t, exit.Good, code)
	require.Contains(b.t, output, why)
}

// TestPlanIsOver: an expired plan is refused, and so is a plan with signatures of another plan.
func TestPlanIsOver(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	b.saves("alice")
	b.approves("bob")
	b.approves("carol")
	signatures, err := filepath.Glob(b.plan + ".approve-*.sig")
	require.NoError(t, err)
	kept := map[string][]byte{}
	for _, name := range signatures {
		kept[name], err = os.ReadFile(name)
		require.NoError(t, err)
	}
	b.saves("alice") // another nonce
	for name, text := range kept {
		require.NoError(t, os.WriteFile(name, text, 0o644))
	}
	b.refused("alice", "the signature does not fit", "--plan", b.plan)

	code, output := b.does("alice", "plan", "--out", b.plan, "--valid", "1ns", b.dir)
	require.Equal(t, exit.Good, code, output)
	code, output = b.does("bob", "approve", "-y", b.plan)
	require.Equal(t, exit.Usage, code, output)
	require.Contains(t, output, "may not be applied any more")
	b.refused("alice", "was valid until", "--plan", b.plan)
}

// TestAroundApprovals refuses each way around the approvals: another change of devices, a key under two names, allowed signers of another
// policy, and a rollback of what persons agreed to.
func TestAroundApprovals(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	b.refused("alice", "this change wants 2 approvals, and only a saved plan has them", "--replace", "tor1")

	b.saves("ci")
	b.approves("bob")
	public := b.read("bob.pub")
	b.write("signers", b.read("signers")+`bob2 namespaces="rocec-plan" `+public)
	b.approves("carol")
	carol := strings.TrimSpace(b.read("carol.pub"))
	b.write("signers", strings.Replace(b.read("signers"), "ci namespaces", "carol2 namespaces=\"rocec-apply\" "+carol+"\nci namespaces", 1))
	b.refused("carol", "carol2 applies the plan, so the approval of carol does not count", "--plan", b.plan)

	site := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(site, "allowed_signers"), []byte(b.read("signers")), 0o600))
	p := &person.Person{Getenv: func(string) string { return "" }, Stderr: io.Discard}
	r, err := rights.Read(p, rights.Named{Folder: site, Policies: []string{filepath.Join(b.keys, "policy.hcl")}})
	require.NoError(t, err)
	_, from, err := r.Signers()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(site, "allowed_signers"), from, "the file of the site holds, whatever policy a flag names")

	code, output := b.does("ci", "apply", "-y", "--plan", b.plan, b.dir)
	require.Equal(t, exit.Good, code, output)
	code, output = b.does("ci", "rollback", "-y", "last", "-C", b.dir)
	require.Equal(t, exit.Usage, code, output)
	require.Contains(t, output, "this change wants 2 approvals")
	journals, err := filepath.Glob(filepath.Join(getenv(t, "XDG_STATE_HOME"), "rocec", "runs", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, journals, 1)
	require.NoError(t, os.Chmod(journals[0], 0o660))
	b.refusedNow("ci", "so rocec does not know whether the plan was applied before", "--plan", b.plan)
}
