package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/order"
)

// ran is a script that the gate ran.
type ran struct {
	script string
	args   []string
	stdin  []byte
}

// bench is a gate with files of a test, whose scripts are only noted.
type bench struct {
	*gate
	dir     string
	machine string // fingerprint of the device's key
	ran     []ran
	answer  error // of each script
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// newBench returns a gate with one signer, who may sign orders.
func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir()}
	for _, folder := range []string{"state/backup/old", "ssh", "away"} {
		require.NoError(t, os.MkdirAll(filepath.Join(b.dir, folder), 0o700))
	}
	keygen(t, "-f", filepath.Join(b.dir, "ssh", "ssh_host_ed25519_key"))
	public, err := os.ReadFile(filepath.Join(b.dir, "ssh", "ssh_host_ed25519_key.pub"))
	require.NoError(t, err)
	blob, err := base64.StdEncoding.DecodeString(strings.Fields(string(public))[1])
	require.NoError(t, err)
	sum := sha256.Sum256(blob)
	b.machine = "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
	keygen(t, "-f", b.key())
	b.gate = newGate(b)
	for _, name := range []string{"rule", "gate"} {
		b.away = append(b.away, filepath.Join(b.dir, "away", name))
		require.NoError(t, os.WriteFile(b.away[len(b.away)-1], nil, 0o600))
	}
	b.roleOf(t, "rocec-*")
	return b
}

// newGate returns a gate that notes its scripts in a bench.
func newGate(b *bench) *gate {
	return &gate{
		now: func() time.Time { return noon }, signers: filepath.Join(b.dir, "signers"), state: filepath.Join(b.dir, "state"),
		keys: filepath.Join(b.dir, "ssh"), top: b.dir, owner: uint32(os.Getuid()), out: io.Discard, //nolint:gosec // a user's number
		run: func(script string, args []string, stdin io.Reader, _, _ io.Writer) error {
			one := ran{script: script, args: args}
			if stdin != nil {
				one.stdin, _ = io.ReadAll(stdin)
			}
			b.ran = append(b.ran, one)
			return b.answer
		},
	}
}

func (b *bench) key() string { return filepath.Join(b.dir, "key") }

// roleOf writes the file of signers: the key has one role.
func (b *bench) roleOf(t testing.TB, role string) {
	t.Helper()
	public, err := os.ReadFile(b.key() + ".pub")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.signers, []byte(`alice@bank namespaces="`+role+`" `+string(public)), 0o600))
}

func keygen(t testing.TB, args ...string) {
	t.Helper()
	out, err := exec.Command("ssh-keygen", append([]string{"-q", "-t", "ed25519", "-N", ""}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// sign signs a text in a namespace with the key of a file.
func sign(t testing.TB, key, namespace string, text []byte) []byte {
	t.Helper()
	cmd := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", key)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err)
	return out
}

// call runs a verb with a stdin, and returns the exit status and the text of the gate.
func (b *bench) call(stdin []byte, args ...string) (int, string) {
	var errs bytes.Buffer
	b.in = bytes.NewReader(stdin)
	status := b.main(args, &errs)
	return status, errs.String()
}

// parts of an order, before it is signed.
type parts struct {
	change        *order.Change
	statement     *order.Statement
	role, signKey string
	envelope      *order.Envelope
	signed        func(*order.Envelope) // changes it afterwards
}

const conf = "/etc/cumulus/datapath/traffic.conf"

// sound returns a whole order of one file and its step.
func (b *bench) sound() *parts {
	content := []byte("traffic.cos_0.priority_source.8021p = [0]\n")
	p := &parts{
		change: &order.Change{
			Run: "20261130t115900z-3f9a", Key: "0123456789abcdef", Owner: "alice@ws7, process 4711", Device: "leaf01", Machine: b.machine,
			Digest: strings.Repeat("ab", 32),
			Note:   "0.2.0 ii hh", Need: 64,
			Files: []order.FileChange{{
				Path: conf, Base: commands.Absent, Target: commands.Sum(content), Mode: 0o644, Replaces: true,
				Check: "cumulus check-traffic",
			}},
			Steps: []order.NamedStep{{Name: "cumulus restart", Again: true}},
		},
		role: sshsig.RoleDevice, signKey: b.key(), signed: func(*order.Envelope) {},
		envelope: &order.Envelope{Contents: [][]byte{content}, About: "device leaf01\n", First: 300, Later: 600},
	}
	p.statement = &order.Statement{Run: p.change.Run, Until: noon.Add(time.Hour)}
	return p
}

// bytes signs the order.
func (p *parts) bytes(t testing.TB) []byte {
	t.Helper()
	tree := order.NewTree([]*order.Change{{Run: "other"}, p.change})
	if p.statement.Root == "" {
		p.statement.Root = tree.Root()
	}
	e := tree.Envelope(1)
	e.Statement = p.statement.Text()
	e.Signature = sign(t, p.signKey, p.role, e.Statement)
	e.Contents, e.About, e.First, e.Later = p.envelope.Contents, p.envelope.About, p.envelope.First, p.envelope.Later
	p.signed(e)
	return e.Bytes()
}

// TestPrepare runs the script that begins a run, with the files of the order and the commands of the gate.
func TestPrepare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	status, said := b.call(b.sound().bytes(t), "prepare")
	require.Zero(t, status, said)
	require.Len(t, b.ran, 2)
	require.Equal(t, []string{"run 20261130t115900z-3f9a: its order has the signature of alice@bank"}, b.ran[0].args)
	require.Contains(t, b.ran[1].script, "T=20261130t115900z-3f9a\nK=0123456789abcdef\n")
	require.Equal(t, []string{"alice@ws7, process 4711"}, b.ran[1].args)
	payload := string(b.ran[1].stdin)
	for _, part := range []string{
		"systemctl restart switchd.service", conf + "\n", "traffic.cos_0.priority_source", "digest =abab", "\nend 0\n",
	} {
		require.Contains(t, payload, part)
	}
}

// TestNoOrder gives prepare and remove bytes that are no order.
func TestNoOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, text := range []string{"", "run 12\n", "{}", "null", `{"evil":1}`, strings.Repeat("[", 100_000)} {
		for _, verb := range []string{"prepare", "remove"} {
			status, said := b.call([]byte(text), verb)
			require.Equal(t, 1, status)
			require.Contains(t, said, "rocec-fail unsigned\n", text[:min(len(text), 20)])
		}
	}
	require.Empty(t, b.ran)
}

// TestReplay: an order of a run that has committed begins nothing again, and an order of a run that only was prepared does.
func TestReplay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.sound()
	text := p.bytes(t)
	for range 2 {
		status, said := b.call(text, "prepare")
		require.Zero(t, status, said)
	}
	b.begun(t, p.change.Run)
	status, said := b.call(nil, "call", p.change.Run, p.change.Key, p.change.Digest, "commit", "alice", "")
	require.Zero(t, status, said)
	require.Len(t, b.ran, 5)
	status, said = b.call(text, "prepare")
	require.Equal(t, 1, status)
	require.Contains(t, said, "has changed this device before")
	require.Len(t, b.ran, 5)

	later := noon.Add(order.MaxTime + time.Minute) // no order of that time is good any more
	b.now = func() time.Time { return later }
	b.begun(t, "20261209t000000z-0000")
	status, _ = b.call(nil, "call", "20261209t000000z-0000", p.change.Key, "", "commit", "", "")
	require.Zero(t, status)
	data, err := os.ReadFile(filepath.Join(b.state, "orders"))
	require.NoError(t, err)
	require.NotContains(t, string(data), p.change.Run)
	require.Contains(t, string(data), "20261209t000000z-0000 ")
}

// begun makes the folder of a run that was prepared.
func (b *bench) begun(t *testing.T, run string) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(b.state, "txn-"+run), 0o700))
}

// TestNoteFails: a run whose commit cannot be noted does not commit, and a run that was not prepared is not noted.
func TestNoteFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	commit := func(verb string) (int, string) {
		return b.call(nil, "call", "20261130t115900z-3f9a", "ab12", "", verb, "", "")
	}
	status, said := commit("commit")
	require.Equal(t, 1, status)
	require.Contains(t, said, "rocec-fail gone\n")
	require.NoFileExists(t, filepath.Join(b.state, "orders"), "names of no run do not fill the list")
	b.begun(t, "20261130t115900z-3f9a")
	require.NoError(t, os.Mkdir(filepath.Join(b.state, "orders"), 0o700))
	status, said = commit("commit")
	require.Equal(t, 1, status)
	require.Contains(t, said, "rocec-fail no-space\n")
	require.Empty(t, b.ran)
	status, _ = commit("undo")
	require.Zero(t, status, "an undo is noted nowhere")
}

// TestNoteOnce: commits of many runs at the same time are all noted, and no commit begins during a prepare.
func TestNoteOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all sync.WaitGroup
	for i := range 20 {
		run := fmt.Sprintf("20261130t115900z-%04d", i)
		b.begun(t, run)
		all.Go(func() { assert.NoError(t, b.use(run)) })
	}
	all.Wait()
	data, err := os.ReadFile(filepath.Join(b.state, "orders"))
	require.NoError(t, err)
	require.Equal(t, 20, strings.Count(string(data), "\n"), string(data))

	p := b.sound()
	b.begun(t, p.change.Run)
	noted := make(chan error, 1)
	b.run = func(string, []string, io.Reader, io.Writer, io.Writer) error { // the script of a prepare
		go func() { noted <- b.use(p.change.Run) }()
		select {
		case err := <-noted:
			return fmt.Errorf("it is noted already: %w", err)
		case <-time.After(50 * time.Millisecond):
			return nil
		}
	}
	status, said := b.call(p.bytes(t), "prepare")
	require.Zero(t, status, said)
	require.NoError(t, <-noted)
}

// TestOthersFolder: in a folder that others may change, cat prints no file that only root may read. It may be another name of a secret.
func TestOthersFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var out bytes.Buffer
	b.out = &out
	name := filepath.Join(b.dir, "state", "file")
	require.NoError(t, os.WriteFile(name, []byte("secret"), 0o600))
	require.NoError(t, b.cat([]string{name}, nil), "root's folder")
	require.Equal(t, "secret", out.String())
	require.NoError(t, os.Chmod(filepath.Join(b.dir, "state"), 0o777))
	out.Reset()
	for _, mode := range []os.FileMode{0o600, 0o640} {
		require.NoError(t, os.Chmod(name, mode))
		require.ErrorContains(t, b.cat([]string{name}, nil), "others than root may change")
	}
	require.Empty(t, out.String())
	require.NoError(t, os.Chmod(name, 0o644))
	require.NoError(t, b.cat([]string{name}, nil), "all may read it")
	require.Equal(t, "secret", out.String())
}

// TestKeptScript: the content of a program from an earlier release comes back where this device kept it from before a run.
func TestKeptScript(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.sound()
	text := []byte("#!/bin/sh\n# an earlier release\n")
	p.change.Files[0] = order.FileChange{
		Path: "/usr/local/sbin/rocec-host", Base: commands.Absent, Target: commands.Sum(text), Mode: 0o755, Replaces: true,
	}
	p.envelope.Contents = [][]byte{text}
	kept := filepath.Join(b.state, "backup", "old", "3")
	require.NoError(t, os.WriteFile(kept, text, 0o666))
	require.NoError(t, os.Chmod(kept, 0o666))
	status, _ := b.call(p.bytes(t), "prepare")
	require.Equal(t, 1, status, "others could have written the copy")
	require.NoError(t, os.Chmod(kept, 0o600))
	status, said := b.call(p.bytes(t), "prepare")
	require.Zero(t, status, said)
}

// TestRemove takes away the files of the gate, by an order that says so.
func TestRemove(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.sound()
	status, said := b.call(p.bytes(t), "remove")
	require.Equal(t, 1, status)
	require.Contains(t, said, "does not take the gate away")
	for _, name := range b.away {
		require.FileExists(t, name)
	}
	p.change = &order.Change{Run: p.change.Run, Key: p.change.Key, Device: "leaf01", Machine: b.machine, Remove: true}
	p.statement.Root = ""
	status, said = b.call(p.bytes(t), "remove")
	require.Zero(t, status, said)
	for _, name := range b.away {
		require.NoFileExists(t, name)
	}
	status, said = b.call(p.bytes(t), "remove")
	require.Equal(t, 1, status)
	require.Contains(t, said, "has changed this device before", "a new gate does not go by the order for the old one")
	require.Empty(t, b.ran)
}

// good has arguments for each verb that the gate takes.
var good = map[string][]string{
	"cat": {conf}, "query": {"rocec-AAAAAAAAAAAAAAAAAAAAAAAAAA", "sonic rows"}, "state": {"/etc", "/"},
	"given": {"rocec-AAAAAAAAAAAAAAAAAAAAAAAAAA", "run-1", strings.Repeat("ab", 32)}, "held": {"rocec-AAAAAAAAAAAAAAAAAAAAAAAAAA", "run-1"},
	"kept":    {"rocec-AAAAAAAAAAAAAAAAAAAAAAAAAA", "/var/lib/rocec/backup/run-1/0", "/var/lib/rocec/txn-run-1/live/nic/a"},
	"records": {"rocec-AAAAAAAAAAAAAAAAAAAAAAAAAA"}, "call": {"run-1", "ab12", "", "state", "bob", ""}, "extend": {"run-1", "ab12", "", "60"},
	"unlock": {"run-1 ab12", "bob"}, "sweep": {"run-1", "bob"}, "mark": {"run-1", "ab12", "bob", "60", ""}, "unmark": {"run-1", "ab12", ""},
}

// TestArguments replaces each argument of each verb by a hostile one. The gate refuses it before it runs anything; it takes free text alone
// where a script gets it as an argument.
func TestArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for verb := range verbs {
		if verb != "hello" && verb != "prepare" && verb != "remove" {
			require.Contains(t, good, verb)
		}
	}
	for verb, args := range good {
		b.ran = nil
		if status, said := b.call(nil, append([]string{verb}, args...)...); verb != "cat" {
			require.Zero(t, status, "%s: %s", verb, said)
			require.Len(t, b.ran, 1, verb)
		}
		for i := range args {
			for _, evil := range []string{
				"$(reboot)", "`reboot`", "; reboot", "a\nreboot", "../../etc/shadow", "/etc/shadow", "-x", "--", "a b; c", strings.Repeat("a", 10_000),
				"\x00", "/var/lib/rocec/txn-run-1/run;reboot", "/var/lib/rocec/backup/run-1//a", "/var/lib/rocec/txn-run-1/a/../run",
				"/var/lib/rocec/backup/run-1/../../x", "/var/lib/rocec/txn-run-1/live/../../../../etc/shadow", "rocec-A; reboot",
				"/var/lib/rocec/backup/run-1/live/..", "'", `"`,
			} {
				if verb == "state" && isFolder(evil) {
					continue // the state has owner and mode of any path, which every login sees
				}
				b.ran = nil
				bad := slices.Clone(args)
				bad[i] = evil
				status, _ := b.call(nil, append([]string{verb}, bad...)...)
				if len(b.ran) > 0 {
					require.Zero(t, status)
					require.Contains(t, b.ran[0].args, evil, "%s %q: only an argument of a script is free text", verb, evil)
					require.NotContains(t, b.ran[0].script, "reboot")
					require.NotEqual(t, byte('-'), evil[0])
				}
			}
			b.ran = nil
			status, _ := b.call(nil, append([]string{verb}, args[:i]...)...)
			require.True(t, status != 0 || verb == "state" || verb == "kept", "%s with %d arguments", verb, i)
			if status != 0 {
				require.Empty(t, b.ran)
			}
		}
		b.ran = nil
		status, _ := b.call(nil, append([]string{verb}, append(slices.Clone(args), "more;")...)...)
		require.Equal(t, 1, status, verb)
		require.Empty(t, b.ran)
	}
	for _, long := range []string{"0", "99999999", "3456001"} {
		status, _ := b.call(nil, "extend", "run-1", "ab12", "", long)
		require.Equal(t, 1, status, "longer than a change may wait")
	}
	require.Empty(t, b.ran)
	for _, verb := range []string{"", "sh", "body", "-c", "Prepare"} {
		status, said := b.call(nil, verb, "reboot")
		require.Equal(t, 1, status)
		require.Contains(t, said, "rocec-fail gate\n")
	}
	status, _ := b.call(nil)
	require.Equal(t, 1, status)
}
