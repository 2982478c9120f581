package deploy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// realTime is the clock of tests that do not drive one.
var realTime = Clock{time.Now, time.After}

// box is a device made of a folder and the machine's own sh: what the scripts say is what happens. Its state folder is
// moved below the root by rewriting the command, its files lie there by name. A little daemon "loads" the file when it
// is told to; the live state is what it loaded.
type box struct {
	t    testing.TB
	root string
	dev  *target.Device

	mu    sync.Mutex
	runs  int                                // commands so far
	fault func(n int, cmd string) *connFault // asked before each command
	dead  bool

	late   func()                    // what is still on its way
	mangle func(stdin []byte) []byte // of uploads
}

// connFault is a connection that breaks: before the command reached the device, or after it ran there; for good, or
// until the next dial. late: the command does reach the device, but runs there only after the next one has.
type connFault struct{ after, forGood, late bool }

const (
	oldConf = "# by hand\ncolour = red\nsize = 1\n"
	newConf = "# by hand\ncolour = green\nsize = 1\n"
)

// confFile edits "colour" and leaves the rest.
func confFile(path, colour string) target.File {
	return target.File{
		Path: path, Mode: 0o640,
		Edit: func(old []byte) ([]byte, diag.List) {
			var ds diag.List
			if bytes.Contains(old, []byte("uneditable")) {
				ds.Errorf(diag.Range{}, "x", "cannot be edited", "The file says so.")
				return nil, ds
			}
			if old == nil {
				return []byte("colour = " + colour + "\n"), nil
			}
			var b strings.Builder
			found := false
			for line := range strings.Lines(string(old)) {
				if strings.HasPrefix(line, "colour = ") {
					line, found = "colour = "+colour+"\n", true
				}
				b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			}
			if !found {
				b.WriteString("colour = " + colour + "\n")
			}
			return []byte(b.String()), nil
		},
		Keys: func(content []byte) []target.Key {
			var ks []target.Key
			for line := range strings.Lines(string(content)) {
				if k, v, ok := strings.Cut(strings.TrimSpace(line), " = "); ok {
					ks = append(ks, target.Key{Name: k, Value: v, Ours: k == "colour"})
				}
			}
			return ks
		},
		Why: func(key string) []target.Origin { return []target.Origin{{Why: "a test of " + key}} },
	}
}

// newBox is a device with one file, old, that a daemon has loaded, and the live state of that daemon.
func newBox(t testing.TB, name string) *box {
	b := &box{t: t, root: t.TempDir()}
	for _, d := range []string{"/bin", "/etc/app", "/run", "/var/lib"} {
		require.NoError(t, os.MkdirAll(b.root+d, 0o755))
	}
	b.stub("id", "echo 0")
	b.stub("sync", `for f; do [ -e "$f" ] || { echo "sync: $f: No such file or directory" >&2; exit 1; }; done`)
	b.daemon("")
	b.write("/etc/app/conf", oldConf)
	b.write("/run/loaded", oldConf)
	conf := confFile(b.root+"/etc/app/conf", "green")
	conf.Activate = target.Step{Cmd: b.root + "/bin/reload", Disrupts: "the daemon reloads", Check: "test -s " + b.root + "/run/loaded"}
	live := confFile("daemon/conf", "green")
	live.Live = &target.Query{Cmd: "cat " + b.root + "/run/loaded"}
	live.Activate = conf.Activate
	b.dev = &target.Device{
		Name: name, Group: "leaf", Role: target.Switch, Files: []target.File{conf, live},
		Target: &target.Target{Name: "app"}, About: "App 1",
	}
	return b
}

// daemon makes the daemon reload after a script of the test's own.
func (b *box) daemon(first string) {
	b.stub("reload", fmt.Sprintf("PATH=/usr/bin:/bin; cd %s\n%s\necho reload >>run/reloads\ncat etc/app/conf >run/loaded", b.root, first))
}

// stub puts a command of ours before the machine's.
func (b *box) stub(name, script string) {
	require.NoError(b.t, os.WriteFile(b.root+"/bin/"+name, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func (b *box) write(path, content string) {
	require.NoError(b.t, os.WriteFile(b.root+path, []byte(content), 0o644))
}

// read returns a file's content, or "" where there is none.
func (b *box) read(path string) string {
	data, err := os.ReadFile(b.root + path)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(b.t, err)
	}
	return string(data)
}

// left lists temporary files, and the lock.
func (b *box) left() []string {
	var names []string
	require.NoError(b.t, filepath.WalkDir(b.root, func(p string, d fs.DirEntry, err error) error {
		base := filepath.Base(p)
		if err == nil && (strings.HasPrefix(base, ".rocec-") || base == "lock" || base == "pending" || strings.HasSuffix(base, ".new")) {
			names = append(names, strings.TrimPrefix(p, b.root))
		}
		return err
	}))
	return names
}

func (b *box) tree() *target.Tree { return &target.Tree{Devices: []*target.Device{b.dev}} }

func (b *box) dial(ctx context.Context, _ *target.Device) (target.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead {
		return nil, errors.New("connection refused")
	}
	return &boxConn{b: b}, ctx.Err()
}

type boxConn struct {
	b    *box
	lost bool
}

var errLost = errors.New("connection lost")

func (c *boxConn) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	b := c.b
	b.mu.Lock()
	b.runs++
	var f *connFault
	if b.fault != nil {
		f = b.fault(b.runs, cmd)
	}
	b.mu.Unlock()
	if f != nil && f.late {
		b.late = func() { _, _ = b.exec(context.WithoutCancel(ctx), cmd, stdin) }
	}
	if c.lost || f != nil && !f.after {
		c.lose(f)
		return nil, errLost
	}
	out, err := b.exec(ctx, cmd, stdin)
	if b.late != nil {
		b.late()
		b.late = nil
	}
	if f != nil {
		c.lose(f)
		return nil, errLost
	}
	return out, err
}

func (c *boxConn) lose(f *connFault) {
	c.lost = true
	if f != nil && f.forGood {
		c.b.mu.Lock()
		defer c.b.mu.Unlock()
		c.b.dead = true
	}
}

func (c *boxConn) Close() error { return nil }

// exec runs a command as the device would.
func (b *box) exec(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	upload := strings.Contains(cmd, quote(uploadVerb))
	cmd = strings.ReplaceAll(cmd, stateDir, b.root+stateDir)
	stdin = bytes.ReplaceAll(stdin, []byte(stateDir), []byte(b.root+stateDir))
	if b.mangle != nil && upload {
		stdin = b.mangle(stdin)
	}
	c := exec.CommandContext(ctx, "sh", "-c", cmd)
	c.Env = []string{"PATH=" + b.root + "/bin:" + os.Getenv("PATH"), "HOME=/"}
	c.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
			return out.Bytes(), &target.ExitError{Status: exit.ExitCode(), Stderr: errs.String()}
		}
		return nil, err
	}
	return out.Bytes(), nil
}

// The commands of the scripts that read the disk, and those that write it.
var (
	readers = []string{"cat", "date", "df", "head", "sha256sum", "stat", "sync"}
	writers = []string{"chmod", "chown", "cp", "ln", "mkdir", "mv", "rm", "touch"}
)

// breakable puts a wrapper around every operation: the at-th one, and with always every later writer, fails with words.
func (b *box) breakable(at int, always bool, words string) {
	names, cmp := slices.Concat(readers, writers), "-eq"
	if always {
		names, cmp = writers, "-ge"
	}
	for _, name := range names {
		real, err := exec.LookPath(name)
		require.NoError(b.t, err)
		rest := fmt.Sprintf(`exec %s "$@"`, real)
		if name == "sync" {
			rest = "exit 0"
		}
		b.stub(name, fmt.Sprintf(`read n <%[1]s/run/count; n=$((n + 1)); echo $n >%[1]s/run/count
if [ $n %[2]s %[3]d ]; then echo "%[4]s: %[5]s" >&2; exit 1; fi
%[6]s`, b.root, cmp, at, name, words, rest))
	}
	b.write("/run/count", "0\n")
}

// operated returns how many operations there were.
func (b *box) operated() int {
	var n int
	_, err := fmt.Sscan(b.read("/run/count"), &n)
	require.NoError(b.t, err)
	return n
}

// plan observes and diffs.
func (b *box) plan() *Plan {
	fault := b.fault
	b.fault = nil
	defer func() { b.fault = fault }()
	return Diff(b.tree(), Observe(b.t.Context(), b.dial, b.tree(), ObserveOptions{}))
}

// apply applies a plan and returns the result of the only device.
func (b *box) apply(p *Plan) *Result {
	b.runs = 0
	rep, err := Apply(b.t.Context(), b.dial, p, ApplyOptions{Clock: realTime, Owner: "alice@ws7", Txn: "txn-1"})
	require.NoError(b.t, err)
	require.Len(b.t, rep.Devices, 1)
	return rep.Devices[0]
}

// wholly checks the oracle of every test that breaks something: the file is old or new in full, the daemon never loaded
// anything else, and the outcome says the truth.
func (b *box) wholly(r *Result, also ...string) {
	b.t.Helper()
	conf, loaded := b.read("/etc/app/conf"), b.read("/run/loaded")
	require.Contains(b.t, append(also, oldConf, newConf), conf, "half a file: %+v", r)
	require.Contains(b.t, append(also, oldConf, newConf), loaded)
	switch r.Outcome {
	case Applied:
		require.Equal(b.t, newConf, conf)
		require.Equal(b.t, newConf, loaded)
	case Restored, Refused, NotStarted:
		require.Equal(b.t, oldConf, conf, "%v %v", r.Err, r.Detail)
		require.Equal(b.t, oldConf, loaded)
	case Unknown:
		require.NotEmpty(b.t, r.Detail)
	default:
		b.t.Fatalf("outcome %q", r.Outcome)
	}
	if r.Outcome != Applied && r.Outcome != NotStarted {
		require.NotNil(b.t, r.Err)
	}
	left := b.left()
	if len(left) > 0 {
		said := strings.ReplaceAll(fmt.Sprint(r.Err, r.Detail), b.root, "")
		require.Contains(b.t, said, "sudo rm -r "+stateDir+"/lock", "unreported: %v", left)
	}
}
