//go:build linux

package nspawn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// session runs commands on a device over SSH.
type session struct{ d *Device }

// Run runs a command as the login user.
func (s session) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	c := login(ctx, s.d, s.d.User, cmd)
	c.Stdin = bytes.NewReader(stdin)
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out, &target.ExitError{Status: exit.ExitCode(), Stderr: string(exit.Stderr)}
	}
	return out, err
}

// HostKey returns an empty host key.
func (s session) HostKey() string { return "" }

// Close does nothing.
func (s session) Close() error { return nil }

// TestRights: a login user of a host owns the script and a folder of rocec, and has the script open for writing. The apply makes root the
// owner of both. Later writes of the user have no effect, neither after a kept run nor after a run that a restart of the host undoes.
func TestRights(t *testing.T) {
	t.Parallel()
	Image(t)
	d := Start(t, Host, Options{Name: "gpu1", Ports: []Port{{Name: "ens1f0"}}})
	const script, values = "/usr/local/sbin/rocec-host", "/etc/rocec/host/ens1f0.conf"
	whole := func(path, content string, step target.Step) target.File {
		return target.File{Path: path, Mode: 0o644, Edit: func([]byte) ([]byte, diag.List) { return []byte(content), nil }, Activate: step}
	}
	tree := func(content string) *target.Tree {
		step := target.Step{Cmd: "echo >>/run/steps", Soak: time.Millisecond}
		return &target.Tree{Devices: []*target.Device{{
			Name: "gpu1", Role: target.Host, Target: &target.Target{Name: "test"}, Login: target.Login{User: d.User},
			Files: []target.File{whole(script, "# "+content+"\n", step), whole(values, "tos=104\n", step)},
		}}}
	}
	dial := func(context.Context, *target.Device) (target.Conn, error) { return session{d}, nil }
	runs := 0
	plan := func(content string) *deploy.Plan {
		tree := tree(content)
		return deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{}))
	}
	apply := func(p *deploy.Plan, hold time.Duration) deploy.Outcome {
		runs++
		run := deploy.Run{Name: fmt.Sprintf("txn-%d", runs), Key: "abcd", Owner: "alice@ws7"}
		r, err := rollout.Apply(t.Context(), dial, p, rollout.ApplyOptions{
			Clock: rollout.Clock{Now: time.Now, Wait: time.After}, Run: run, Hold: hold, Soak: new(time.Duration),
		})
		require.NoError(t, err)
		require.Nil(t, r.Devices[0].Err)
		return r.Devices[0].Outcome
	}
	spoil := func() {
		execute(t, d, "chown -R nobody /etc/rocec; chmod 777 /etc/rocec/host "+script+"; chown nobody "+script)
		execute(t, d, "ln -f "+script+" /opt/other")
		execute(t, d, "setsid su nobody -s /bin/sh -c 'exec 9>>"+script+"; while :; do echo evil >&9; sleep 0.1; done' "+
			"</dev/null >/dev/null 2>&1 & sleep 0.5; pkill -STOP -u nobody; printf '# one\\n' >"+script)
	}
	own := func() string {
		return execute(t, d, "stat -c '%u:%g %a' "+script+" "+values+" /etc/rocec /etc/rocec/host")
	}
	const roots = "0:0 755\n0:0 644\n0:0 755\n0:0 755"

	require.Equal(t, deploy.Applied, apply(plan("one"), 0))
	require.True(t, plan("one").Empty())
	steps := execute(t, d, "wc -l </run/steps")

	spoil()
	p := plan("one")
	require.Len(t, p.Devices[0].Changes, 2)
	require.True(t, p.Devices[0].Changes[0].OnlyRights())
	require.Equal(t, deploy.Applied, apply(p, 0))
	execute(t, d, "pkill -CONT -u nobody; sleep 0.5; pkill -STOP -u nobody")
	require.Equal(t, roots, own())
	require.Equal(t, "# one", execute(t, d, "cat "+script))
	require.Contains(t, execute(t, d, "cat /opt/other"), "evil", "the user writes on, into the file from before")
	require.Equal(t, steps, execute(t, d, "wc -l </run/steps"), "nothing is put to use")
	require.True(t, plan("one").Empty())

	execute(t, d, "pkill -KILL -u nobody")
	spoil()
	require.Equal(t, deploy.Unconfirmed, apply(plan("two"), time.Hour))
	execute(t, d, "pkill -CONT -u nobody; sleep 0.3")
	require.Equal(t, "# two", execute(t, d, "cat "+script))
	require.NoError(t, d.Reboot().Fired())
	require.Equal(t, "# one", execute(t, d, "cat "+script), "the host went back at boot")
	require.Equal(t, roots, own())
}
