// Package boxtest has a simulated device for tests: a folder, and the machine's own sh, which really runs the scripts.
package boxtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/target"
)

// Box is a device made of a folder and the machine's own sh, which really runs the scripts. The box rewrites the paths in commands, so
// that the state folder and the files are below the box's root. A small daemon "loads" the file on request; the live state is the loaded
// content.
type Box struct {
	t    testing.TB
	Root string
	Dev  *target.Device

	mu    sync.Mutex
	Runs  int                            // number of commands so far
	Fault func(n int, cmd string) *Fault // called before each command
	Dead  bool
	Key   string // fingerprint of its host key
	Edits []Edit // edits of every script that reaches the box
	Home  string // home of the login user; empty: /
	Own   bool   // mount the folders of the box over the machine's, for commands of the box only: scripts run unchanged; needs root

	user   *syscall.Credential       // user that runs the commands; nil: the user of the test
	late   func()                    // a command that arrives late
	Mangle func(stdin []byte) []byte // of uploads
	Cut    int                       // bytes that are lost at the end of prepare's payload

	session int // process group of the last command
}

// Edit is a change of a script's text.
type Edit struct{ Old, New string }

// Fault is a connection that breaks before the command reaches the device, or after the command ran there (After). It stays broken until
// the next dial, or for ever (ForGood). Late: the command reaches the device, but runs only after the next command. Twice: the command
// runs twice, the second time while the first is running.
type Fault struct{ After, ForGood, Late, Twice bool }

// The content of the file before and after.
const (
	OldConf = "# by hand\ncolour = red\nsize = 1\n"
	NewConf = "# by hand\ncolour = green\nsize = 1\n"
)

// ConfFile edits "colour" and leaves the rest.
func ConfFile(path, colour string) target.File {
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

// folder holds the roots of all boxes of a process.
var folder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "rocec-box-") })

// roots counts the kept roots.
var roots atomic.Int64

// newRoot makes the root of a box. The first 2,000 roots stay until [Main] ends, because ext4 skips recently freed inodes one by one.
// Otherwise the files of short-lived boxes would cost as much time as their scripts.
func newRoot(t testing.TB) string {
	if roots.Add(1) > 2_000 {
		return t.TempDir()
	}
	dir, err := folder()
	require.NoError(t, err)
	root, err := os.MkdirTemp(dir, "")
	require.NoError(t, err)
	for _, d := range []string{dir, root} {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	return root
}

// Main runs the tests of a package with boxes, and removes their roots.
func Main(m *testing.M) (status int) {
	status = m.Run()
	dir, err := folder()
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = max(status, 1)
	}
	return status
}

// New returns a device with one file, old, that a daemon has loaded, and the live state of that daemon. TestMain of its package calls
// [Main]. Without root the test ends, see [machinetest.Missing].
func New(t testing.TB, name string) *Box {
	machinetest.Root(t, "plays a device, whose files are root's")
	b := &Box{t: t, Root: newRoot(t), Key: "SHA256:" + name}
	for _, d := range []string{"/bin", "/etc/app", "/run", "/var/lib", "/etc/systemd/system"} {
		require.NoError(t, os.MkdirAll(b.Root+d, 0o755))
	}
	t.Cleanup(b.Kill)
	b.Stub("id", "echo 0")
	b.Stub("systemd-run", "exit 1") // without systemd-run, the timer is a process of the test
	b.Stub("systemctl", "exit 0")
	b.Stub("sync", `[ "$1" != --help ] || { echo --file-system; exit; }
for f; do [ -e "$f" ] || { echo "sync: $f: No such file or directory" >&2; exit 1; }; done`)
	b.Daemon("")
	b.Write("/etc/app/conf", OldConf)
	b.Write("/run/loaded", OldConf)
	b.Write("/run/boot_id", "boot-1\n")
	conf := ConfFile(b.Root+"/etc/app/conf", "green")
	conf.Activate = target.Step{
		Cmd: b.Root + "/bin/reload", Disrupts: "the daemon reloads", Soak: time.Millisecond,
		Loaded: &target.Query{Cmd: "test -s " + b.Root + "/run/loaded && echo " + target.Loaded},
	}
	live := ConfFile("daemon/conf", "green")
	live.Live = &target.Query{Cmd: "cat " + b.Root + "/run/loaded"}
	live.Activate = conf.Activate
	b.Dev = &target.Device{
		Name: name, Group: "leaf", Role: target.Switch, Files: []target.File{conf, live},
		Target: &target.Target{Name: "app"}, About: "App 1",
	}
	return b
}

// KillSession ends the session of the command at work, and its process group, as sshd does.
func (b *Box) KillSession() {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = syscall.Kill(-b.session, syscall.SIGKILL)
}

// Die makes the device unreachable.
func (b *Box) Die() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Dead = true
}

// quietShells is the longest time of the commands of Slowed on a machine with little other work.
const quietShells = 50 * time.Millisecond

// Slowed returns a time for the device in whole seconds. It multiplies the time by the factor by which the machine is slower than a quiet
// one. So a timer does not fire because the machine is busy.
func (b *Box) Slowed(quiet time.Duration) time.Duration {
	b.t.Helper()
	begin := time.Now()
	_, err := b.run(exec.CommandContext(b.t.Context(), "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do sh -c 'cat /dev/null'; done"), nil)
	require.NoError(b.t, err)
	slow := max(1, time.Since(begin).Seconds()/quietShells.Seconds())
	slowed := time.Duration(math.Ceil(slow*quiet.Seconds())) * time.Second
	if slow > 1 {
		b.t.Logf("the machine is %.1f times slower than quiet: %s instead of %s", slow, slowed, quiet)
	}
	return slowed
}

// Kill ends all processes on the device: commands, and the timers of runs that have not ended.
func (b *Box) Kill() {
	for _, pid := range b.AtWork() {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// AtWork returns the processes on the device.
func (b *Box) AtWork() []int {
	var pids []int
	procs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range procs {
		if cmd, err := os.ReadFile(p); err == nil && bytes.Contains(cmd, []byte(b.Root)) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(p))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// Daemon makes the daemon run a script of the test before each reload.
func (b *Box) Daemon(first string) {
	b.Stub("reload", fmt.Sprintf("PATH=/usr/bin:/bin; cd %s\n%s\necho reload >>run/reloads\ncat etc/app/conf >run/loaded", b.Root, first))
}

// Stub replaces a command of the machine by a script of the test.
func (b *Box) Stub(name, script string) {
	require.NoError(b.t, os.WriteFile(b.Root+"/bin/"+name, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// Write writes a file.
func (b *Box) Write(path, content string) {
	require.NoError(b.t, os.WriteFile(b.Root+path, []byte(content), 0o644))
}

// Read returns a file's content, or "" for a missing file.
func (b *Box) Read(path string) string {
	data, err := os.ReadFile(b.Root + path)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(b.t, err)
	}
	return string(data)
}

// Left lists rocec's files on the device except backups and originals: temporary files, the folder of the run, the boot unit, the lock,
// and the list of files that may not be in use.
func (b *Box) Left() []string {
	var names []string
	require.NoError(b.t, filepath.WalkDir(b.Root, func(p string, d fs.DirEntry, err error) error {
		base := filepath.Base(p)
		switch {
		case err != nil:
		case base == "lock", base == "pending", strings.HasPrefix(base, ".rocec-"), strings.HasPrefix(base, "rocec-undo-"),
			strings.HasSuffix(base, ".new"), strings.HasPrefix(p, b.Root+State+"/txn-"):
			names = append(names, strings.TrimPrefix(p, b.Root))
		}
		return err
	}))
	return names
}

// Tree returns a tree with only this device.
func (b *Box) Tree() *target.Tree { return &target.Tree{Devices: []*target.Device{b.Dev}} }

// Dial connects to the device, unless it is dead.
func (b *Box) Dial(ctx context.Context, _ *target.Device) (target.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Dead {
		return nil, errors.New("connection refused")
	}
	return &conn{b: b}, ctx.Err()
}

type conn struct {
	b    *Box
	lost bool
}

var errLost = errors.New("connection lost")

func (c *conn) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	b := c.b
	b.mu.Lock()
	b.Runs++
	var f *Fault
	if b.Fault != nil {
		f = b.Fault(b.Runs, cmd)
	}
	b.mu.Unlock()
	if f != nil && f.Twice {
		var first sync.WaitGroup
		first.Go(func() { _, _ = b.exec(ctx, cmd, stdin) })
		time.Sleep(500 * time.Millisecond)
		defer first.Wait()
		return b.exec(ctx, cmd, stdin)
	}
	if f != nil && f.Late {
		b.late = func() { _, _ = b.exec(context.WithoutCancel(ctx), cmd, stdin) }
	}
	if c.lost || f != nil && !f.After {
		c.lose(f)
		return nil, errLost
	}
	out, err := b.exec(ctx, cmd, stdin)
	out = b.named(out)
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

func (c *conn) lose(f *Fault) {
	c.lost = true
	if f != nil && f.ForGood {
		c.b.mu.Lock()
		defer c.b.mu.Unlock()
		c.b.Dead = true
	}
}

func (c *conn) Close() error { return nil }

// HostKey returns the fingerprint of the device's host key.
func (c *conn) HostKey() string { return c.b.Key }

// Over returns a connection to the box over another connection, such as a real SSH server. It moves the paths of a device below the root.
func (b *Box) Over(c target.Conn) target.Conn { return &over{c, b} }

type over struct {
	target.Conn
	b *Box
}

func (o *over) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	return o.Conn.Run(ctx, o.b.Moved(cmd), o.b.moveStdin(stdin))
}

// exec runs a command as the device would.
func (b *Box) exec(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	if !b.Own {
		return b.run(exec.CommandContext(ctx, "sh", "-c", b.Moved(cmd)), b.moveStdin(stdin))
	}
	return b.run(exec.CommandContext(ctx, "unshare", "-m", "sh", "-c", `mount --bind "$0/var/lib" /var/lib &&
mount --bind "$0/etc/systemd/system" /etc/systemd/system && exec sh -c "$1"`, b.Root, cmd), stdin)
}

func (b *Box) run(c *exec.Cmd, stdin []byte) ([]byte, error) {
	// The folders of the system come first. In a folder of a user, an interpreter may be a wrapper script that searches for another
	// interpreter.
	path := b.Root + "/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + os.Getenv("PATH")
	c.Env = []string{"PATH=" + path, "HOME=" + cmp.Or(b.Home, "/")}
	c.Stdin = bytes.NewReader(stdin)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: b.user, Setpgid: true} // like a session of sshd
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second // background processes of a script may hold the pipes
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.session = c.Process.Pid
	b.mu.Unlock()
	if err := c.Wait(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
			return out.Bytes(), &target.ExitError{Status: exit.ExitCode(), Stderr: errs.String()}
		}
		return nil, err
	}
	return out.Bytes(), nil
}

// State returns the folder of rocec's state on a device, below the box's root.
const State = "/var/lib/rocec"

// AsNobody makes the commands run as the user nobody, and gives that user the box's files.
func (b *Box) AsNobody() {
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	b.user = &syscall.Credential{Uid: nobody, Gid: nobody}
	require.NoError(b.t, os.Chmod(filepath.Dir(b.Root), 0o755))
	require.NoError(b.t, filepath.WalkDir(b.Root, func(p string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(p, nobody, nobody))
	}))
}

// Moved returns a script in which the paths of a device are below the root.
func (b *Box) Moved(script string) string {
	for _, e := range b.Edits {
		was := script
		if script = strings.ReplaceAll(script, e.Old, e.New); script == was { // the script may be an argument
			in := strings.NewReplacer("'", `'\''`)
			script = strings.ReplaceAll(script, in.Replace(e.Old), in.Replace(e.New))
		}
	}
	script = strings.ReplaceAll(script, State, b.Root+State)
	script = strings.ReplaceAll(script, "/run/rocec", b.Root+"/run/rocec")
	script = strings.ReplaceAll(script, "/etc/rocec", b.Root+"/etc/rocec")
	script = strings.ReplaceAll(script, "/proc/sys/kernel/random/boot_id", b.Root+"/run/boot_id")
	return strings.ReplaceAll(script, "/etc/systemd/system", b.Root+"/etc/systemd/system")
}

// named replaces the folders of rocec in an answer by their paths on a real device.
func (b *Box) named(answer []byte) []byte {
	var out []byte
	for line := range bytes.Lines(answer) {
		for _, own := range []string{State, "/etc/rocec"} {
			if bytes.HasPrefix(line, []byte("rights ")) {
				line = bytes.Replace(line, []byte(" "+b.Root+own), []byte(" "+own), 1)
			}
		}
		out = append(out, line...)
	}
	return out
}

// moveStdin moves the paths in stdin, like Moved. stdin is a script, or items with their sizes.
func (b *Box) moveStdin(stdin []byte) []byte {
	if !bytes.HasPrefix(stdin, []byte("run ")) {
		return []byte(b.Moved(string(stdin)))
	}
	var out bytes.Buffer
	for len(stdin) > 0 {
		line, rest, _ := bytes.Cut(stdin, []byte("\n"))
		name, what, _ := strings.Cut(string(line), " ")
		text, short := strings.CutPrefix(what, "=")
		data := []byte(text + "\n")
		if !short {
			size, err := strconv.Atoi(what)
			if err != nil || size > len(rest) {
				b.t.Errorf("items: %q: %v", line, err)
				return nil
			}
			data, rest = rest[:size], rest[size:]
		}
		stdin = rest
		if !strings.HasPrefix(name, "up.") {
			data = []byte(b.Moved(string(data)))
		} else if b.Mangle != nil {
			data = b.Mangle(data)
		}
		if text, ok := strings.CutSuffix(string(data), "\n"); short && ok && !strings.Contains(text, "\n") {
			fmt.Fprintf(&out, "%s =%s\n", name, text)
		} else {
			fmt.Fprintf(&out, "%s %d\n%s", name, len(data), data)
		}
	}
	return out.Bytes()[:max(0, out.Len()-b.Cut)]
}

// The commands of the scripts that read the disk, and those that write it.
var (
	Readers = []string{"cat", "date", "df", "head", "sha256sum", "stat", "sync"}
	Writers = []string{"chmod", "chown", "cp", "ln", "mkdir", "mv", "rm", "touch"}
)

// Breakable puts a wrapper around every operation. The operation number at fails with the given words. If always is set, every later
// write fails, too.
func (b *Box) Breakable(at int, always bool, words string) {
	names, cmp := slices.Concat(Readers, Writers), "-eq"
	if always {
		names, cmp = Writers, "-ge"
	}
	for _, name := range names {
		real, err := exec.LookPath(name)
		require.NoError(b.t, err)
		rest := fmt.Sprintf(`exec %s "$@"`, real)
		if name == "sync" {
			rest = `[ "$1" != --help ] || echo --file-system` // without a sync of files, the scripts start an interpreter for every flush
		}
		// The counter only uses builtins of the shell: with set -C, a redirection makes a file, or fails if the file exists.
		b.Stub(name, fmt.Sprintf(`read n <%[1]s/run/count
set -C
until n=$((n + 1)) && { true >%[1]s/run/operation.$n; } 2>/dev/null; do :; done
set +C
echo $n >%[1]s/run/count
if [ $n %[2]s %[3]d ]; then echo "%[4]s: %[5]s" >&2; exit 1; fi
%[6]s`, b.Root, cmp, at, name, words, rest))
	}
	b.Write("/run/count", "0\n")
}

// Operated returns the number of operations so far.
func (b *Box) Operated() int {
	names, err := filepath.Glob(b.Root + "/run/operation.*")
	require.NoError(b.t, err)
	return len(names)
}
