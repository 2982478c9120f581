package deploy_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// machine is a device behind a real OpenSSH server: the login shell and the tools of this machine, in a folder of its
// own. A daemon of ours "loads" its configuration by copying it.
type machine struct {
	t    *testing.T
	root string
	sshd *sshdtest.Server
	ssh  *ssh.Dialer
	tree *target.Tree
}

const (
	speedOld = "# set by hand: keep\nspeed = 25\nname = a b\n"
	speedNew = "# set by hand: keep\nspeed = 100\nname = a b\n"
	daemonOK = "cat etc/app/app.conf >run/loaded"
)

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, root: t.TempDir()}
	for _, dir := range []string{"bin", "etc/app", "run", "var/lib"} {
		require.NoError(t, os.MkdirAll(filepath.Join(m.root, dir), 0o755))
	}
	// Whoever runs the test is root there.
	m.put("bin/id", "#!/bin/sh\necho 0\n", 0o755)
	m.put("etc/app/app.conf", speedOld, 0o640)
	m.put("run/loaded", speedOld, 0o644)
	m.daemon(daemonOK)

	m.sshd = sshdtest.Start(t, sshdtest.Options{Env: map[string]string{"PATH": m.root + "/bin:/usr/sbin:/usr/bin:/sbin:/bin"}})
	var err error
	m.ssh, err = ssh.New(ssh.Config{User: m.sshd.User, Keys: [][]byte{m.sshd.ClientKey.PEM}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.ssh.Close()) })

	reload := target.Step{Cmd: m.root + "/bin/reload", Disrupts: "the daemon reloads", Check: "test -s " + m.root + "/run/loaded", Timeout: 20 * time.Second}
	m.tree = &target.Tree{Devices: []*target.Device{{
		Name: "leaf01", Role: target.Switch, Target: &target.Target{Name: "app"}, About: "App 1",
		Login: target.Login{Address: m.sshd.Host, Port: m.sshd.Port, HostKey: m.sshd.HostKeyPin()},
		Identity: []target.Probe{{Name: "release", Query: target.Query{Cmd: "uname -s"}, Judge: func(answer []byte) []string {
			if string(answer) != "Linux\n" {
				return []string{"It is no Linux."}
			}
			return nil
		}}},
		Files: []target.File{
			{Path: m.root + "/etc/app/app.conf", Mode: 0o644, Edit: setSpeed, Activate: reload},
			{Path: m.root + "/etc/app/extra.conf", Mode: 0o600, Edit: func([]byte) ([]byte, diag.List) { return []byte("extra = 1\n"), nil }, Activate: reload},
			{Path: "daemon/loaded", Edit: setSpeed, Live: &target.Query{Cmd: "cat " + m.root + "/run/loaded"}, Activate: reload},
		},
		Probes: []target.Probe{{Name: "daemon", Query: target.Query{Cmd: "cat " + m.root + "/run/loaded"}, Judge: func(answer []byte) []string {
			if string(answer) != speedNew {
				return []string{"The daemon runs with something else."}
			}
			return nil
		}}},
	}}}
	return m
}

// setSpeed replaces one line and keeps the others.
func setSpeed(old []byte) ([]byte, diag.List) {
	if old == nil {
		return []byte("speed = 100\n"), nil
	}
	return bytes.Replace(old, []byte("speed = 25\n"), []byte("speed = 100\n"), 1), nil
}

// daemon makes the daemon run a script when it is told to reload.
func (m *machine) daemon(script string) {
	m.put("bin/reload", "#!/bin/sh\ncd "+m.root+" || exit 1\necho reload >>run/reloads\n"+script+"\n", 0o755)
}

func (m *machine) put(name, text string, mode os.FileMode) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(filepath.Join(m.root, name), []byte(text), mode))
}

// get returns a file's content, or "" where there is none.
func (m *machine) get(name string) string {
	m.t.Helper()
	data, err := os.ReadFile(filepath.Join(m.root, name))
	if !os.IsNotExist(err) {
		require.NoError(m.t, err)
	}
	return string(data)
}

// dial logs in over SSH. What is /var/lib/rocec on a device lies below the machine's folder.
func (m *machine) dial(ctx context.Context, d *target.Device) (target.Conn, error) {
	conn, err := m.ssh.Dial(ctx, d)
	if err != nil {
		return nil, err
	}
	return &movedConn{conn, m.root}, nil
}

type movedConn struct {
	target.Conn
	root string
}

func (c *movedConn) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	const state = "/var/lib/rocec"
	return c.Conn.Run(ctx, strings.ReplaceAll(cmd, state, c.root+state), bytes.ReplaceAll(stdin, []byte(state), []byte(c.root+state)))
}

func (m *machine) plan() *deploy.Plan {
	return deploy.Diff(m.tree, deploy.Observe(m.t.Context(), m.dial, m.tree, deploy.ObserveOptions{}))
}

func (m *machine) apply(txn string, event func(deploy.Event)) *deploy.Result {
	m.t.Helper()
	p := m.plan()
	require.Equal(m.t, deploy.StatusChange, p.Devices[0].Status, "%v", p.Devices[0].Err)
	rep, err := deploy.Apply(m.t.Context(), m.dial, p,
		deploy.ApplyOptions{Clock: realTime, Txn: txn, Owner: "alice@ws7", Reconnect: 20 * time.Second, Event: event})
	require.NoError(m.t, err)
	require.Len(m.t, rep.Devices, 1)
	return rep.Devices[0]
}

// left lists what a transaction leaves behind only when it could not end.
func (m *machine) left() []string {
	var names []string
	require.NoError(m.t, filepath.WalkDir(m.root, func(path string, d os.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasPrefix(name, ".rocec-") || name == "lock" || name == "pending" {
			names = append(names, path)
		}
		return err
	}))
	return names
}

// The whole road over a real OpenSSH server: plan, apply, verify, and a plan that is empty.
func TestOpenSSH(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	before := m.sshd.Connections()
	require.False(t, m.plan().Empty())
	assert.Equal(t, before+1, m.sshd.Connections(), "a device is read over one connection")
	assert.NoDirExists(t, filepath.Join(m.root, "var/lib/rocec"), "a plan writes nothing")
	assert.False(t, deploy.Verify(t.Context(), m.dial, m.tree, deploy.ObserveOptions{}).Sound())

	r := m.apply("txn-1", nil)
	require.Equal(t, deploy.Applied, r.Outcome, "%v %s", r.Err, r.Detail)
	assert.Equal(t, speedNew, m.get("etc/app/app.conf"))
	assert.Equal(t, speedNew, m.get("run/loaded"))
	assert.Equal(t, "extra = 1\n", m.get("etc/app/extra.conf"))
	assert.Equal(t, "reload\n", m.get("run/reloads"), "equal steps run once")
	assert.Equal(t, speedOld, m.get("var/lib/rocec/backup/txn-1/0"))
	assert.Empty(t, m.left())
	for name, mode := range map[string]os.FileMode{"etc/app/app.conf": 0o640, "etc/app/extra.conf": 0o600} {
		info, err := os.Stat(filepath.Join(m.root, name))
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), name)
	}

	assert.True(t, m.plan().Empty())
	assert.True(t, deploy.Verify(t.Context(), m.dial, m.tree, deploy.ObserveOptions{}).Sound())
}

// A daemon that refuses the new file gets the old one back.
func TestOpenSSHActivationFails(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.daemon("if grep -q 'speed = 100' etc/app/app.conf; then echo 'bad speed \033[2J' >&2; exit 3; fi\n" + daemonOK)
	r := m.apply("txn-1", nil)
	require.Equal(t, deploy.Restored, r.Outcome, "%v %s", r.Err, r.Detail)
	require.NotNil(t, r.Err)
	assert.Equal(t, deploy.Activation, r.Err.Kind)
	assert.Contains(t, r.Err.Error(), `bad speed \x1b[2J`)
	assert.Equal(t, speedOld, m.get("etc/app/app.conf"))
	assert.Equal(t, speedOld, m.get("run/loaded"))
	assert.NoFileExists(t, filepath.Join(m.root, "etc/app/extra.conf"))
	assert.Empty(t, m.left())

	m.daemon(daemonOK)
	r = m.apply("txn-2", nil)
	require.Equal(t, deploy.Applied, r.Outcome, "%v %s", r.Err, r.Detail)
	assert.True(t, m.plan().Empty())
}

// The connection breaks while the daemon reloads: rocec waits for the daemon, and the device is as planned in the end.
func TestOpenSSHCut(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.daemon("until test -e run/go; do sleep 0.05; done\n" + daemonOK)
	go func() {
		for m.get("run/reloads") == "" {
			time.Sleep(5 * time.Millisecond)
		}
		m.sshd.Cut()
	}()
	r := m.apply("txn-1", func(e deploy.Event) {
		if e.Step == "reconnect" && e.State == deploy.Done {
			m.put("run/go", "", 0o644)
		}
	})
	require.Equal(t, deploy.Applied, r.Outcome, "%v %s", r.Err, r.Detail)
	assert.Equal(t, "reload\n", m.get("run/reloads"), "a step whose end was not seen is not run again")
	assert.True(t, m.plan().Empty())
	assert.Empty(t, m.left())
}

// Everything that runs on the device for us dies as a step begins: the files are old or new in full, and what the
// report says is true.
func TestOpenSSHKilled(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"upload", "commit", "activate", "verify", "release"} {
		t.Run(step, func(t *testing.T) {
			m := newMachine(t)
			killed := false
			r := m.apply("txn-1", func(e deploy.Event) {
				if e.Step == step && e.State == deploy.Begin && !killed {
					killed = true
					m.sshd.Kill()
				}
			})
			require.True(t, killed)
			require.GreaterOrEqual(t, m.sshd.Connections(), 3, "it came back: one connection to plan, two to apply")
			conf, loaded := m.get("etc/app/app.conf"), m.get("run/loaded")
			assert.Contains(t, []string{speedOld, speedNew}, conf)
			assert.Contains(t, []string{speedOld, speedNew}, loaded)
			switch r.Outcome {
			case deploy.Applied:
				assert.Equal(t, []string{speedNew, speedNew}, []string{conf, loaded})
				assert.Empty(t, m.left())
			case deploy.Restored, deploy.Refused, deploy.NotStarted:
				assert.Equal(t, []string{speedOld, speedOld}, []string{conf, loaded})
				assert.Empty(t, m.left())
			case deploy.Unknown:
				assert.NotEmpty(t, r.Detail)
			default:
				t.Errorf("outcome %q", r.Outcome)
			}
			t.Logf("%s: %v %s", r.Outcome, r.Err, r.Detail)
		})
	}
}
