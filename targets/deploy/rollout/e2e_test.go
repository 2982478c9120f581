package rollout_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// machine is a box behind a real OpenSSH server, with the login shell and the tools of this machine.
type machine struct {
	box
	sshd *sshdtest.Server
	dial target.Dial
}

func newMachine(t *testing.T) *machine {
	m := &machine{box: newBox(t, "leaf01")}
	m.sshd = sshdtest.Start(t, sshdtest.Options{Env: map[string]string{"PATH": m.Root + "/bin:/usr/sbin:/usr/bin:/sbin:/bin"}})
	dialer, err := ssh.New(ssh.Config{User: m.sshd.User, Keys: [][]byte{m.sshd.ClientKey.PEM}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dialer.Close()) })
	m.dial = func(ctx context.Context, d *target.Device) (target.Conn, error) {
		conn, err := dialer.Dial(ctx, d)
		if err != nil {
			return nil, err
		}
		return m.Over(conn), nil
	}
	m.Dev.Login = target.Login{Address: m.sshd.Host, Port: m.sshd.Port, HostKey: m.sshd.HostKeyPin()}
	extra := target.File{
		Path: m.Root + "/etc/app/extra", Mode: 0o600, Activate: m.Dev.Files[0].Activate,
		Edit: func([]byte) ([]byte, diag.List) { return []byte("extra = 1\n"), nil },
	}
	m.Dev.Files = append(m.Dev.Files, extra)
	m.Dev.Probes = []target.Probe{{
		Name: "daemon", Query: target.Query{Cmd: "cat " + m.Root + "/run/loaded"},
		Judge: func(answer []byte) []string {
			if string(answer) != boxtest.NewConf {
				return []string{"The daemon runs with something else."}
			}
			return nil
		},
	}}
	return m
}

// plan observes and diffs, over links that the apply uses, too.
func (m *machine) plan(t *testing.T, links *rollout.Links) *deploy.Plan {
	return deploy.Diff(m.tree(), rollout.Observe(t.Context(), m.dial, m.tree(), rollout.ObserveOptions{Links: links}))
}

func (m *machine) verify(t *testing.T) *rollout.Verification {
	return rollout.Verify(t.Context(), m.dial, m.tree(), readTwice)
}

func (m *machine) apply(t *testing.T, name string, event func(rollout.Event)) *deploy.Result {
	t.Helper()
	links := &rollout.Links{}
	defer links.Close()
	p := m.plan(t, links)
	require.Equal(t, deploy.StatusChange, p.Devices[0].Status, "%v", p.Devices[0].Err)
	rep, err := rollout.Apply(t.Context(), m.dial, p, rollout.ApplyOptions{
		Clock: realTime, Run: deploy.Run{Name: name, Key: "abcd", Owner: "alice@ws7"}, Soak: noSoak, Links: links,
		Reconnect: 10 * time.Minute, Event: event,
	})
	require.NoError(t, err)
	return rep.Devices[0]
}

// All verbs over a real OpenSSH server: plan, apply, verify, and an empty plan. Plan and apply together need two logins.
func TestOpenSSH(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	before := m.sshd.Connections()
	require.False(t, m.plan(t, nil).Empty())
	assert.Equal(t, before+1, m.sshd.Connections(), "a device is read over one connection")
	assert.NoDirExists(t, m.Root+boxtest.State, "a plan writes nothing")
	assert.False(t, m.verify(t).Sound())

	before = m.sshd.Connections()
	r := m.apply(t, "txn-1", nil)
	require.Equal(t, deploy.Applied, r.Outcome, m.said(r))
	assert.Equal(t, before+2, m.sshd.Connections())
	m.wholly(t, r)
	assert.Equal(t, "extra = 1\n", m.Read("/etc/app/extra"))
	assert.Equal(t, "reload\n", m.Read("/run/reloads"), "equal steps run once")
	assert.Equal(t, boxtest.OldConf, m.Read(boxtest.State+"/backup/txn-1/0"))
	assert.Empty(t, m.Left())
	for name, mode := range map[string]os.FileMode{"/etc/app/conf": 0o644, "/etc/app/extra": 0o600, boxtest.State: os.ModeDir | 0o755} {
		info, err := os.Stat(m.Root + name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), name)
	}

	assert.True(t, m.plan(t, nil).Empty())
	assert.True(t, m.verify(t).Sound())
}

// If a daemon refuses the new file, the old file is restored.
func TestOpenSSHActivationFails(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.Daemon("if grep -q green etc/app/conf; then printf 'bad colour \\033[2J' >&2; exit 3; fi")
	r := m.apply(t, "txn-1", nil)
	require.Equal(t, deploy.Restored, r.Outcome, m.said(r))
	assert.Equal(t, deploy.Activation, r.Err.Kind)
	assert.Contains(t, r.Err.Error(), `bad colour \x1b[2J`)
	m.wholly(t, r)
	assert.NoFileExists(t, m.Root+"/etc/app/extra")
	assert.Empty(t, m.Left())

	m.Daemon("")
	r = m.apply(t, "txn-2", nil)
	require.Equal(t, deploy.Applied, r.Outcome, m.said(r))
	assert.True(t, m.plan(t, nil).Empty())
}

// The connection breaks while the daemon reloads. rocec waits for the daemon, and at the end the device is as planned.
func TestOpenSSHCut(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.Daemon("echo >run/begun; until test -e run/go; do sleep 0.05; done")
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for m.Read("/run/begun") == "" {
			time.Sleep(5 * time.Millisecond)
		}
		m.sshd.Cut()
	}()
	r := m.apply(t, "txn-1", func(e rollout.Event) {
		if e.Step == "reconnect" && e.State == rollout.Done {
			m.Write("/run/go", "")
		}
	})
	<-cut
	require.Equal(t, deploy.Applied, r.Outcome, m.said(r))
	assert.Equal(t, "reload\n", m.Read("/run/reloads"), "a step whose end was not seen is not run again")
	assert.True(t, m.plan(t, nil).Empty())
	assert.Empty(t, m.Left())
}

// All processes of rocec on the device die at the begin of a step. The files are completely old or new, and the result is true.
func TestOpenSSHKilled(t *testing.T) {
	t.Parallel()
	for step := range strings.FieldsSeq("prepare activate verify confirm release") {
		if !*whole && (step == "prepare" || step == "release") {
			continue // before and after the change; TestConnectionLost also loses a box at these steps
		}
		t.Run(step, func(t *testing.T) {
			m := newMachine(t)
			killed := false
			r := m.apply(t, "txn-1", func(e rollout.Event) {
				if e.Step == step && e.State == rollout.Begin && !killed {
					killed = true
					m.sshd.Kill()
				}
			})
			require.True(t, killed)
			t.Log(r.Outcome, m.said(r))
			m.wholly(t, r)
			require.NotEqual(t, deploy.Unknown, r.Outcome, "the device could be asked")
			require.Empty(t, r.Left)
			require.Empty(t, m.Left())
		})
	}
}

// The device kills the command during the daemon's reload, and the change is undone.
func TestOpenSSHKilledAtWork(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.Daemon("if grep -q green etc/app/conf; then echo >run/begun; sleep 60; fi")
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for m.Read("/run/begun") == "" {
			time.Sleep(5 * time.Millisecond)
		}
		m.sshd.Kill()
	}()
	r := m.apply(t, "txn-1", nil)
	<-killed
	require.Equal(t, deploy.Restored, r.Outcome, m.said(r))
	m.wholly(t, r)
	require.NoFileExists(t, m.Root+"/etc/app/extra")
	require.Empty(t, m.Left())
}
