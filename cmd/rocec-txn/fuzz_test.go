package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/order"
)

// FuzzGate has any bytes as arguments, which NUL separates, and as stdin. The only signed order is the one of the seeds. The gate begins no
// other, runs no script for an argument that it refuses, puts no byte with a meaning for a shell into a script, and never panics.
func FuzzGate(f *testing.F) {
	b, sound := fuzzBench(f)
	for verb, args := range good {
		f.Add(strings.Join(append([]string{verb}, args...), "\x00"), []byte(nil))
	}
	for _, stdin := range [][]byte{sound.Bytes(), nil, []byte("{}"), bytes.Replace(sound.Bytes(), []byte("4711"), []byte("4712"), 1)} {
		f.Add("prepare", stdin)
		f.Add("remove", stdin)
	}
	for _, args := range []string{
		"", "hello", "cat\x00/etc/shadow", "call\x00run-1\x00ab12\x00\x00commit\x00bob\x00", "kept\x00" + good["kept"][0] + "\x00/a/../b",
	} {
		f.Add(args, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, line string, stdin []byte) {
		args := strings.Split(line, "\x00")
		b.ran, b.in = nil, bytes.NewReader(stdin)
		_ = os.Remove(filepath.Join(b.state, "orders"))
		status := b.main(args, io.Discard)
		for _, name := range b.away {
			require.FileExists(t, name)
		}
		switch verb := args[0]; {
		case verb == "prepare" && status == 0:
			require.Len(t, b.ran, 2)
			var got order.Envelope
			require.NoError(t, json.Unmarshal(stdin, &got))
			require.Equal(t, string(sound.Statement), string(got.Statement))
			require.Equal(t, string(sound.Change), string(got.Change))
			require.Contains(t, string(b.ran[1].stdin), string(sound.Contents[0]))
		case verb == "prepare" || verb == "remove" || verb == "hello" || verb == "cat" || status != 0:
			require.Empty(t, b.ran)
		default:
			require.Len(t, b.ran, 1)
			require.Contains(t, verbs, verb)
			for _, arg := range args[1:] {
				plain := strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@:+/-") == "" // in a script
				passed := slices.Contains(b.ran[0].args, arg) && !strings.HasPrefix(arg, "-")
				require.True(t, plain || passed || verb == "query", "%q", args)
			}
		}
	})
}

// fuzzBench returns a gate with keys that are the same in each process, and its one order.
func fuzzBench(f *testing.F) (*bench, *order.Envelope) {
	f.Helper()
	dir := f.TempDir()
	b := &bench{dir: dir}
	b.gate = newGate(b)
	token := sshsigtest.NewToken(bytes.Repeat([]byte{7}, 32))
	for name, text := range map[string]string{
		"ssh/ssh_host_ed25519_key.pub": "ssh-ed25519 AAAA", "signers": "alice " + token.Line() + "\n", "away/rule": "", "away/gate": "",
	} {
		require.NoError(f, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(f, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(f, os.MkdirAll(b.state, 0o700))
	b.away = []string{filepath.Join(dir, "away", "rule"), filepath.Join(dir, "away", "gate")}
	machines, err := b.machines()
	require.NoError(f, err)
	b.machine = machines[0]
	p := b.sound()
	tree := order.NewTree([]*order.Change{{Run: "other"}, p.change})
	e := tree.Envelope(1)
	p.statement.Root = tree.Root()
	e.Statement = p.statement.Text()
	e.Signature = token.Sign(sshsig.RoleDevice, e.Statement, 1)
	e.Contents, e.About = p.envelope.Contents, p.envelope.About
	e.First, e.Later = p.envelope.First, p.envelope.Later
	b.in = bytes.NewReader(e.Bytes())
	require.Zero(f, b.main([]string{"prepare"}, io.Discard))
	require.Equal(f, p.change.Files[0].Target, commands.Sum(e.Contents[0]))
	return b, e
}
