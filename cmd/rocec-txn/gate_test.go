package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/order"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
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
func newBench(t *testing.T) *bench {
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
	b.gate = &gate{
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
	for _, name := range []string{"rule", "gate"} {
		b.away = append(b.away, filepath.Join(b.dir, "away", name))
		require.NoError(t, os.WriteFile(b.away[len(b.away)-1], nil, 0o600))
	}
	b.roleOf(t, "rocec-*")
	return b
}

func (b *bench) key() string { return filepath.Join(b.dir, "key") }

// roleOf writes the file of signers: the key has one role.
func (b *bench) roleOf(t *testing.T, role string) {
	t.Helper()
	public, err := os.ReadFile(b.key() + ".pub")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.signers, []byte(`alice@bank namespaces="`+role+`" `+string(public)), 0o600))
}

func keygen(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("ssh-keygen", append([]string{"-q", "-t", "ed25519", "-N", ""}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// sign signs a text in a namespace with the key of a file.
func sign(t *testing.T, key, namespace string, text []byte) []byte {
	t.Helper()
	cmd := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", key)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err)
	return out
}

// call runs a verb with a stdin, and returns the exit status and what the gate said.
func (b *bench) call(stdin []byte, args ...string) (int, string) {
	var errs bytes.Buffer
	b.in = bytes.NewReader(stdin)
	status := b.main(args, &errs)
	return status, errs.String()
}

// parts of an order, before it is signed.
type parts struct {
	change    *order.Change
	statement *order.Statement
	role, key string
	envelope  *order.Envelope
	signed    func(*order.Envelope) // changes it afterwards
}

const conf = "/etc/cumulus/datapath/traffic.conf"

// sound returns a whole order of one file and its step.
func (b *bench) sound() *parts {
	content := []byte("traffic.cos_0.priority_source.8021p = [0]\n")
	p := &parts{
		change: &order.Change{
			Run: "20261130t115900z-3f9a", Key: "0123456789abcdef", Device: "leaf01", Machine: b.machine, Digest: strings.Repeat("ab", 32),
			Note: "0.2.0 ii hh", Need: 64,
			Files: []order.File{{
				Path: conf, Base: order.Absent, Target: commands.Sum(content), Mode: 0o644, Replaces: true, Check: "cumulus check-traffic",
			}},
			Steps: []order.Step{{Name: "cumulus restart", Again: true}},
		},
		role: sshsig.RoleDevice, key: b.key(), signed: func(*order.Envelope) {},
		envelope: &order.Envelope{
			Contents: [][]byte{content}, Owner: "alice@ws7, process 4711", About: "device leaf01\n", First: 300, Later: 600,
		},
	}
	p.statement = &order.Statement{Run: p.change.Run, Until: noon.Add(time.Hour)}
	return p
}

// bytes signs the order.
func (p *parts) bytes(t *testing.T) []byte {
	t.Helper()
	tree := order.NewTree([]*order.Change{{Run: "other"}, p.change})
	if p.statement.Root == "" {
		p.statement.Root = tree.Root()
	}
	e := tree.Envelope(1)
	e.Statement = p.statement.Text()
	e.Signature = sign(t, p.key, p.role, e.Statement)
	e.Contents, e.Owner, e.About = p.envelope.Contents, p.envelope.Owner, p.envelope.About
	e.First, e.Later = p.envelope.First, p.envelope.Later
	p.signed(e)
	return e.Bytes()
}

// TestPrepare runs the script that begins a run, with the files of the order and the commands of the gate.
func TestPrepare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	status, said := b.call(b.sound().bytes(t), "prepare")
	require.Zero(t, status, said)
	require.Len(t, b.ran, 1)
	require.Contains(t, b.ran[0].script, "T=20261130t115900z-3f9a\nK=0123456789abcdef\n")
	require.Equal(t, []string{"alice@ws7, process 4711"}, b.ran[0].args)
	payload := string(b.ran[0].stdin)
	for _, part := range []string{
		"systemctl restart switchd.service", conf + "\n", "traffic.cos_0.priority_source", "digest =abab", "\nend 0\n",
	} {
		require.Contains(t, payload, part)
	}
}

// TestRefused changes one thing of a sound order at a time. The gate names each, and runs nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		says string
		do   func(t *testing.T, b *bench, p *parts)
	}{
		"key of another role": {"does not allow", func(t *testing.T, b *bench, p *parts) { b.roleOf(t, "rocec-plan") }},
		"foreign key":         {"", func(t *testing.T, b *bench, p *parts) { p.key = filepath.Join(b.dir, "other"); keygen(t, "-f", p.key) }},
		"other namespace":     {"not for", func(_ *testing.T, _ *bench, p *parts) { p.role = "rocec-apply" }},
		"no signature": {"not valid", func(_ *testing.T, _ *bench, p *parts) {
			p.signed = func(e *order.Envelope) {
				e.Signature = nil
			}
		}},
		"edited statement": {"not valid", func(_ *testing.T, _ *bench, p *parts) { p.signed = editUntil }},
		"no signers":       {"nobody can sign", func(t *testing.T, b *bench, _ *parts) { require.NoError(t, os.Remove(b.signers)) }},
		"signers of all": {"others than root may change", func(t *testing.T, b *bench, _ *parts) {
			require.NoError(t, os.Chmod(b.signers, 0o666))
		}},
		"signers of the group": {"others than root may change", func(t *testing.T, b *bench, _ *parts) {
			require.NoError(t, os.Chmod(b.signers, 0o620))
		}},
		"signers of another": {"others than root may change", func(_ *testing.T, b *bench, _ *parts) { b.owner++ }},
		"signers by a link": {"others than root may change", func(t *testing.T, b *bench, _ *parts) {
			require.NoError(t, os.Rename(b.signers, b.signers+"2"))
			require.NoError(t, os.Symlink(b.signers+"2", b.signers))
		}},
		"over": {"the order ends at", func(_ *testing.T, _ *bench, p *parts) { p.statement.Until = noon }},
		"too long": {"the order ends at", func(_ *testing.T, _ *bench, p *parts) {
			p.statement.Until = noon.Add(order.MaxTime + time.Second)
		}},
		"another machine": {"another machine", func(_ *testing.T, _ *bench, p *parts) { p.change.Machine = "SHA256:" + strings.Repeat("A", 43) }},
		"no machine":      {"another machine", func(_ *testing.T, _ *bench, p *parts) { p.change.Machine = "" }},
		"another run":     {"the signature is for run", func(_ *testing.T, _ *bench, p *parts) { p.change.Run = "20261130t115900z-ffff" }},
		"edited change": {"does not cover", func(_ *testing.T, _ *bench, p *parts) {
			p.signed = func(e *order.Envelope) { e.Change = bytes.Replace(e.Change, []byte("leaf01"), []byte("leaf02"), 1) }
		}},
		"another root":   {"does not cover", func(_ *testing.T, _ *bench, p *parts) { p.statement.Root = strings.Repeat("0", 64) }},
		"unknown member": {"damaged", func(t *testing.T, _ *bench, p *parts) { p.signed = evilMember(t, p) }},
		"another content": {"does not have its content", func(_ *testing.T, _ *bench, p *parts) {
			p.envelope.Contents = [][]byte{[]byte("traffic.x = 1\n")}
		}},
		"another path": {"rocec writes no such file", func(_ *testing.T, _ *bench, p *parts) { p.change.Files[0].Path = "/etc/passwd" }},
		"a path upwards": {"rocec writes no such file", func(_ *testing.T, _ *bench, p *parts) {
			p.change.Files[0].Path = conf + "/../../../passwd"
		}},
		"sudoers": {"rocec writes no such file", func(_ *testing.T, _ *bench, p *parts) {
			p.change.Files[0].Path = "/etc/sudoers.d/rocec-txn"
		}},
		"signers as a file": {"rocec writes no such file", func(_ *testing.T, _ *bench, p *parts) { p.change.Files[0].Path = order.Signers }},
		"removal of another file": {"rocec writes no such file", func(_ *testing.T, _ *bench, p *parts) {
			p.change.Files[0].Path, p.change.Files[0].Target = "/etc/shadow", order.Absent
		}},
		"setuid": {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.change.Files[0].Mode = 0o4755 }},
		"script": {"its content is not that", func(_ *testing.T, _ *bench, p *parts) {
			text := []byte("#!/bin/sh\nreboot\n")
			p.change.Files[0] = order.File{
				Path: "/usr/local/sbin/rocec-host", Base: order.Absent, Target: commands.Sum(text), Mode: 0o755, Replaces: true,
			}
			p.envelope.Contents = [][]byte{text}
		}},
		"unknown step":    {"knows no step", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].Name = "cumulus reboot" }},
		"unknown system":  {"knows no step", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].Name = "sh reboot" }},
		"step of a shell": {"knows no step", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].Name = "mlx5 apply eth0;reboot" }},
		"query as step":   {"knows no step", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].Name = "sonic rows" }},
		"checker as step": {"knows no step", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].Name = "cumulus check-traffic" }},
		"step as checker": {"knows no step", func(_ *testing.T, _ *bench, p *parts) { p.change.Files[0].Check = "cumulus restart" }},
		"unknown checker": {"knows no step", func(_ *testing.T, _ *bench, p *parts) { p.change.Files[0].Check = "cumulus check" }},
		"data not sent":   {"data of a step", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].Stdin = strings.Repeat("0", 64) }},
		"step as query": {"knows no step", func(_ *testing.T, _ *bench, p *parts) {
			p.change.Lives = []order.Live{{State: "a/b", Query: "cumulus restart"}}
		}},
		"live state upward": {"wrong form", func(_ *testing.T, _ *bench, p *parts) {
			p.change.Lives = []order.Live{{State: "../x", Query: "sonic rows"}}
		}},
		"live state rooted": {"wrong form", func(_ *testing.T, _ *bench, p *parts) {
			p.change.Lives = []order.Live{{State: "/etc/x", Query: "sonic rows"}}
		}},
		"missing state":     {"not there", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].States = []int{0} }},
		"negative state":    {"not there", func(_ *testing.T, _ *bench, p *parts) { p.change.Steps[0].States = []int{-1} }},
		"key with a line":   {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.change.Key = "a\nreboot" }},
		"digest":            {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.change.Digest = "none" }},
		"note of lines":     {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.change.Note = "a\nb" }},
		"base":              {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.change.Files[0].Base = "x y" }},
		"owner with a line": {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.envelope.Owner = "a\nb" }},
		"owner as a flag":   {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.envelope.Owner = "-x" }},
		"description":       {"wrong form", func(_ *testing.T, _ *bench, p *parts) { p.envelope.About = "a\x1b[2J\n" }},
		"no time":           {"out of bounds", func(_ *testing.T, _ *bench, p *parts) { p.envelope.First = 0 }},
		"endless time":      {"out of bounds", func(_ *testing.T, _ *bench, p *parts) { p.envelope.Later = mostSeconds + 1 }},
		"endless space":     {"out of bounds", func(_ *testing.T, _ *bench, p *parts) { p.change.Need = 1 << 30 }},
		"many files": {"too many", func(_ *testing.T, _ *bench, p *parts) {
			p.change.Files = slices.Repeat(p.change.Files, order.MostOf+1)
		}},
		"removal": {"takes the gate away", func(_ *testing.T, _ *bench, p *parts) { p.change.Remove = true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p := b.sound()
			one.do(t, b, p)
			status, said := b.call(p.bytes(t), "prepare")
			require.Equal(t, 1, status)
			require.True(t, strings.HasPrefix(said, "rocec-fail unsigned\n"), said)
			require.Contains(t, said, one.says)
			require.Empty(t, b.ran)
		})
	}
}

func editUntil(e *order.Envelope) {
	e.Statement = bytes.Replace(e.Statement, []byte("2026-11-30T13"), []byte("2026-11-30T14"), 1)
}

// evilMember puts an unknown member into the change, under the signature.
func evilMember(t *testing.T, p *parts) func(*order.Envelope) {
	return func(e *order.Envelope) {
		var members map[string]any
		if err := json.Unmarshal(e.Change, &members); err != nil {
			panic(err)
		}
		members["evil"] = 1
		e.Change, _ = json.Marshal(members) //nolint:errchkjson // a map of JSON
		e.Path = nil
		p.statement.Root = commands.Sum(append([]byte{0}, e.Change...))
		e.Statement = p.statement.Text()
		e.Signature = sign(t, p.key, p.role, e.Statement)
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
	status, said := b.call(nil, "call", p.change.Run, p.change.Key, p.change.Digest, "commit", "alice", "")
	require.Zero(t, status, said)
	require.Len(t, b.ran, 3)
	status, said = b.call(text, "prepare")
	require.Equal(t, 1, status)
	require.Contains(t, said, "has changed this device before")
	require.Len(t, b.ran, 3)

	later := noon.Add(order.MaxTime + time.Minute) // no order of that time is good any more
	b.now = func() time.Time { return later }
	status, _ = b.call(nil, "call", "20261209t000000z-0000", p.change.Key, "", "commit", "", "")
	require.Zero(t, status)
	data, err := os.ReadFile(b.orders())
	require.NoError(t, err)
	require.NotContains(t, string(data), p.change.Run)
	require.Contains(t, string(data), "20261209t000000z-0000 ")
}

// TestNoteFails: a run whose commit cannot be noted does not commit.
func TestNoteFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.state = filepath.Join(b.dir, "none")
	status, said := b.call(nil, "call", "20261130t115900z-3f9a", "ab12", "", "commit", "", "")
	require.Equal(t, 1, status)
	require.Contains(t, said, "rocec-fail no-space\n")
	require.Empty(t, b.ran)
	status, _ = b.call(nil, "call", "20261130t115900z-3f9a", "ab12", "", "undo", "", "")
	require.Zero(t, status, "an undo is noted nowhere")
}

// TestKeptScript: the content of a program from an earlier release comes back where this device kept it from before a run.
func TestKeptScript(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.sound()
	text := []byte("#!/bin/sh\n# an earlier release\n")
	p.change.Files[0] = order.File{
		Path: "/usr/local/sbin/rocec-host", Base: order.Absent, Target: commands.Sum(text), Mode: 0o755, Replaces: true,
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
				"$(reboot)", "`reboot`", "; reboot", "a\nreboot", "../../etc/shadow", "/etc/shadow", "-x", "--", "a b; c",
				strings.Repeat("a", 10_000), "\x00",
				"/var/lib/rocec/backup/run-1/../../x", "/var/lib/rocec/txn-run-1/run;reboot", "rocec-A; reboot", "'", `"`,
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
	for _, verb := range []string{"", "sh", "body", "-c", "Prepare"} {
		status, said := b.call(nil, verb, "reboot")
		require.Equal(t, 1, status)
		require.Contains(t, said, "rocec-fail gate\n")
	}
	status, _ := b.call(nil)
	require.Equal(t, 1, status)
}

// wire is a connection that notes what a device gets on stdin.
type wire struct{ stdin []byte }

func (w *wire) Run(_ context.Context, _ string, stdin []byte) ([]byte, error) {
	w.stdin = stdin
	return []byte("OK\n"), nil
}
func (w *wire) HostKey() string { return "SHA256:" + strings.Repeat("A", 43) }
func (w *wire) Close() error    { return nil }

// TestSameFiles: for each device of racks of every system, the gate makes from an order the very files that rocec sends to a device without
// a gate.
func TestSameFiles(t *testing.T) {
	t.Parallel()
	for name, hcl := range map[string]string{
		"restart": judgetest.Rack(`version = "4.2.1"`), "reload": judgetest.Rack(`version = "5.3.1"`),
		"NVUE":  judgetest.Rack(`version = "5.14.0"`),
		"SONiC": judgetest.SONiCRack("202505"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := judgetest.Tree(t, hcl)
			for _, role := range []target.Role{target.Switch, target.Host} {
				for _, d := range judgetest.First(t, all, role).Devices {
					b := newBench(t)
					p := planOf(t, d)
					run := deploy.Run{Name: "20261130t115900z-3f9a", Key: "62b1", Owner: "alice@ws7, process 1", Tool: "0.2.0"}
					timers := device.Timers{First: time.Minute, Later: time.Hour}
					sent := func(orders *device.Orders) []byte {
						w := &wire{}
						dev := device.New(d, func(context.Context, *target.Device) (target.Conn, error) { return w, nil }, nil,
							device.Clock{Now: time.Now, Wait: time.After})
						dev.Orders = orders
						require.Nil(t, dev.Connect(t.Context(), ""))
						require.Nil(t, dev.Prepare(t.Context(), run, device.NewChange(p), timers))
						return w.stdin
					}
					plain := sent(nil)
					p.Gate = &deploy.Gate{Release: "1", Machines: []string{b.machine}}
					orders := device.OrdersOf(run, noon.Add(time.Hour), []*deploy.DevicePlan{p})
					orders.Sign(sign(t, b.key(), sshsig.RoleDevice, orders.Statement()))
					status, said := b.call(sent(orders), "prepare")
					require.Zero(t, status, "%s: %s", d.Name, said)
					require.Equal(t, string(plain), string(b.ran[0].stdin), d.Name)
				}
			}
		})
	}
}

// planOf returns a plan that changes all files of a device.
func planOf(t *testing.T, d *target.Device) *deploy.DevicePlan {
	t.Helper()
	p := &deploy.DevicePlan{Device: d, Status: deploy.StatusChange, Digest: strings.Repeat("cd", 32)}
	for i := range d.Files {
		f := d.Files[i]
		var before []byte
		if text, there := d.Target.Image(d.Source).Files[f.Path]; there {
			before = []byte(text)
		}
		after, ds := f.Edit(before)
		require.False(t, ds.HasErrors())
		if f.Choose != nil {
			f.Activate, _ = f.Choose(before, after, nil)
		}
		p.Changes = append(p.Changes, &deploy.Change{
			FileState: deploy.FileState{Path: f.Path, Base: deploy.Sum(before), Target: deploy.Sum(after)}, File: &f, Before: before, After: after,
		})
	}
	assert.NotEmpty(t, p.Changes)
	return p
}
