//go:build linux

package matrix

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
	"github.com/rocec/rocec/targets/deploy/order"
)

// gateFolder contains the gate for this machine once a test has built it. TestMain removes it.
var gateFolder string

var buildGate = sync.OnceValue(func() (err error) {
	if gateFolder, err = os.MkdirTemp("", "rocec-gate-"); err != nil {
		return err
	}
	name := "rocec-txn-" + strings.Replace(runtime.GOARCH+"$", "arm$", "armhf$", 1)
	out := filepath.Join(gateFolder, strings.TrimSuffix(name, "$"))
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", out, "github.com/rocec/rocec/cmd/rocec-txn")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
})

// gated is a device with an operator, whose key may sign orders for devices.
type gated struct {
	*cell
	dir    string // contains the keys, and the policy that names the signers
	socket string // of ssh, which keeps one connection
}

// newGated boots a device without a gate. The login becomes root without a password.
func newGated(t *testing.T, r *reference, files map[string]string) *gated {
	t.Helper()
	bin := rocec(t)
	require.NoError(t, buildGate())
	r.paths = pathsOf(r.kind)
	maps.Copy(r.options.Files, files)
	acquire(t, 1)
	d := nspawn.Start(t, r.kind, r.options)
	require.NoError(t, ready(d))
	o, err := newOperator(bin, d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, o.close()) })
	g := &gated{cell: &cell{ref: r, d: d, o: o, fault: &fault{}}, dir: o.dir + "/home/keys", socket: o.dir + "/ssh"}
	require.NoError(t, os.Mkdir(g.dir, 0o700))
	var signers strings.Builder
	for who, roles := range map[string]string{"alice": "rocec-*", "planner": "rocec-plan,rocec-approve"} {
		fmt.Fprintf(&signers, "%s namespaces=%q %s", who, roles, g.keygen(t, who))
	}
	g.keygen(t, "stranger")
	g.write(t, "allowed_signers", signers.String())
	g.write(t, "policy.hcl", fmt.Sprintf("allowed_signers = %q\n", g.dir+"/allowed_signers"))
	t.Cleanup(func() { _ = exec.Command("ssh", "-o", "ControlPath="+g.socket, "-O", "exit", d.Addr).Run() }) // there may be none
	return g
}

func (g *gated) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o600))
}

// keygen makes a key, and returns its public half.
func (g *gated) keygen(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(g.dir, name)
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	public, err := os.ReadFile(path + ".pub")
	require.NoError(t, err)
	return string(public)
}

// signs returns the flag that names the operator's key.
func (g *gated) signs() string { return "--sign-key=" + g.dir + "/alice" }

// install puts the gate on the device.
func (g *gated) install(t *testing.T) {
	t.Helper()
	r := g.rocec(t, 0, "", "gate", "--install", "-y", "--target", g.o.device, "--gates", gateFolder, "--policy", g.dir+"/policy.hcl")
	require.Contains(t, r.out, g.o.device+"  gate installed\n")
}

// shut installs the gate, and leaves only the gate's line of sudoers to the login.
func (g *gated) shut(t *testing.T) {
	t.Helper()
	g.install(t)
	require.NoError(t, g.d.RevokeSudo().Fired())
}

// ssh runs a script as a login of the device, over a connection that stays open. It returns everything that the script prints.
func (g *gated) ssh(ctx context.Context, stdin []byte, script string) (said string, status int) {
	cmd := exec.CommandContext(ctx, "ssh", "-F", "none", "-i", g.d.Key.Path, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
		"-o", "UserKnownHostsFile="+g.d.Known, "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=600",
		"-o", "ControlMaster=auto", "-o", "ControlPersist=60", "-o", "ControlPath="+g.socket, g.d.User+"@"+g.d.Addr, script)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		return err.Error(), -1
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// exec runs a script as root, from outside of the device.
func (g *gated) exec(t *testing.T, script string) string {
	t.Helper()
	out, err := g.d.Exec(script)
	require.NoError(t, err)
	return string(out)
}

// look returns what the device has and uses.
func (g *gated) look(t *testing.T) *side {
	t.Helper()
	h, err := look(g.d, g.ref.paths)
	require.NoError(t, err)
	return sideOf(h)
}

// listed are all files of the device's disk, but for logs and for files of programs that run.
func (g *gated) listed(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for line := range strings.Lines(g.exec(t, `find / -xdev -path /var/log -prune -o -path /tmp -prune -o -path /var/tmp -prune -o \
		-path /var/lib/systemd -prune -o -path /run -prune -o -path /home -prune -o -printf '%p %M %u %g\n'`)) {
		all[strings.TrimSpace(line)] = true
	}
	return all
}

// TestGateOnDevices leads a device with a gate through every verb. The login has only the gate's line of sudoers. A run needs a signature
// to begin, and none to end. The removal leaves the folder of rocec's state and an empty folder.
func TestGateOnDevices(t *testing.T) {
	t.Parallel()
	refs := references()
	if slice() {
		refs = refs[1:2]
	}
	for _, r := range refs {
		t.Run(r.kind.Name, func(t *testing.T) {
			t.Parallel()
			newGated(t, r, map[string]string{}).life(t)
		})
	}
}

func (g *gated) life(t *testing.T) {
	name := g.o.device
	apply := func(more ...string) []string { return g.o.apply(append([]string{"--soak", "0s"}, more...)...) }
	signed := func(more ...string) []string { return apply(append(more, g.signs())...) }
	unsigned := func(r *ran) { require.Contains(t, r.errs+r.out, "takes only a signed run", "%s", r) }
	gate := func() string { return g.rocec(t, 0, "", "gate", "--target", name).out }
	old, at := &g.ref.old, func(s *side) { t.Helper(); g.holds(t, s) }
	*old = *g.look(t)
	before := g.listed(t)

	require.Equal(t, name+"  no gate: the login becomes root\n", gate())
	require.Contains(t, g.rocec(t, 2, "", g.o.plan()...).out, "Rights: root, without a gate, on "+name+".")
	g.install(t)
	require.Equal(t, name+"  gate dev, and the login becomes root without it: remove its other lines of sudoers\n", gate())
	require.NoError(t, g.d.RevokeSudo().Fired())
	require.Equal(t, name+"  gate dev\n", gate())
	said, _ := g.ssh(t.Context(), nil, "sudo -n -l")
	_, may, _ := strings.Cut(said, "may run the following commands")
	_, may, _ = strings.Cut(may, "\n")
	require.Equal(t, "(root) NOPASSWD: "+order.Gate, strings.TrimSpace(may), "the login has one line")

	require.Contains(t, g.rocec(t, 2, "", g.o.plan()...).out, "Rights: a signed run, through the gate, on "+name+".")
	unsigned(g.rocec(t, 64, "", apply()...))
	at(old)
	require.Equal(t, "none", strings.TrimSpace(g.exec(t, "test -e /var/lib/rocec && echo some || echo none")), "nothing was prepared")

	g.rocec(t, 0, "applied", signed()...)
	g.ref.new = *g.look(t)
	require.NotEqual(t, old.files, g.ref.new.files)
	at(&g.ref.new)
	kept := last(t, g.o)
	closed := g.ref.paths[len(g.ref.paths)-1]
	g.exec(t, "chmod 600 "+closed) // the gate reads it
	g.rocec(t, 0, "", g.o.plan()...)
	verified, err := g.o.run(t.Context(), "verify", "--target", name)
	require.NoError(t, err)
	require.NotContains(t, verified.out+verified.errs, closed+" ", "it reads as the plan does, and finds no drift: %s", verified)
	g.exec(t, "chmod 644 "+closed)
	checked, err := g.o.run(t.Context(), "runs", "--check", "--devices")
	require.NoError(t, err)
	require.Contains(t, checked.out, "1 record of these runs there", "%s", checked)

	unsigned(g.rocec(t, 64, "", g.rollback(kept)...))
	at(&g.ref.new)
	g.rocec(t, 0, "applied", append(g.rollback(kept), g.signs())...)
	at(old)

	g.rocec(t, 0, "unconfirmed", signed("--confirm", "10m")...)
	g.rocec(t, 0, "applied", "confirm", "--format", "json", last(t, g.o))
	at(&g.ref.new)
	g.rocec(t, 0, "applied", append(g.rollback(last(t, g.o)), g.signs())...)
	at(old)

	g.rocec(t, 0, "unconfirmed", signed("--confirm", "10m")...)
	g.rocec(t, 0, "restored", g.rollback(last(t, g.o))...)
	at(old)

	g.rocec(t, 0, "unconfirmed", signed("--confirm", g.d.Slowed(5*time.Second).String())...)
	h, err := quiet(t.Context(), g.d, g.ref.paths)
	require.NoError(t, err)
	require.Equal(t, "undone", h.mark, "the device goes back without rocec")
	g.rocec(t, exitIncomplete, "reverted", "confirm", "--format", "json", last(t, g.o))
	at(old)

	g.dies(t, "mkdir /var/lib/rocec/txn-", signed()) // in prepare
	run := last(t, g.o)
	require.Contains(t, g.locked(t, signed()...).out, run)
	g.rocec(t, 0, "", g.o.unlock()...)
	at(old)

	g.dies(t, "setsid sh /var/lib/rocec/txn-", signed()) // in commit
	resumed, err := g.o.run(t.Context(), g.resume(last(t, g.o))...)
	require.NoError(t, err)
	f, err := resumed.fate()
	require.NoError(t, err)
	switch f.Outcome { // the steps may have ended, or not
	case "applied":
		at(&g.ref.new)
		g.rocec(t, 0, "applied", append(g.rollback(last(t, g.o)), g.signs())...)
	default:
		require.Equal(t, "restored", f.Outcome, "%s", resumed)
	}
	at(old)

	g.rocec(t, 0, "unconfirmed", signed("--confirm", "10m")...)
	require.NoError(t, g.d.Reboot().Fired())
	require.NoError(t, ready(g.d))
	g.rocec(t, exitIncomplete, "reverted", "confirm", "--format", "json", last(t, g.o))
	at(old)

	require.Contains(t, g.rocec(t, exitMachines, "", "gate", "--remove", "-y", "--target", name).errs, "there is no key to sign with")
	require.Equal(t, name+"  gate dev\n", gate())
	require.Contains(t, g.rocec(t, 0, "", "gate", "--remove", "-y", "--target", name, g.signs()).out, name+"  gate removed\n")
	require.Equal(t, name+"  no gate, and the login does not become root without a password\n", gate())
	require.NoError(t, g.d.GrantSudo())
	var left []string
	for file := range g.listed(t) {
		if path, _, _ := strings.Cut(file, " "); !before[file] && !strings.HasPrefix(path, "/var/lib/rocec/") {
			left = append(left, path)
		}
	}
	stays := []string{"/etc/rocec", "/var/lib/rocec"}
	if g.d.Kind == nspawn.Host {
		stays = append(stays, "/etc/rocec/host")
	}
	require.ElementsMatch(t, stays, left)
	require.Empty(t, strings.TrimSpace(g.exec(t, "cd /var/lib/rocec && ls -d lock txn-* 2>/dev/null || :")))
}

// dies kills rocec while a command of the device whose line begins with prefix waits.
func (g *gated) dies(t *testing.T, prefix string, args []string) {
	t.Helper()
	hangs := g.d.StepHangs(prefix)
	u, err := g.o.start(t.Context(), args...)
	require.NoError(t, err)
	for hangs.Fired() != nil {
		select {
		case <-u.done:
			t.Fatalf("it ended before %s\n%s", prefix, u.ran)
		case <-time.After(20 * time.Millisecond):
		}
	}
	require.NoError(t, u.signal(syscall.SIGKILL))
	<-u.done
	g.d.Release()
}
