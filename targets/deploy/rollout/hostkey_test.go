package rollout_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// TestSavedPlanHoldsHostKey: two real servers are trusted under the name of one device. A plan that was made with one server is refused
// with the other server, by both transports. A change that has to connect again is refused, too.
func TestSavedPlanHoldsHostKey(t *testing.T) {
	for _, transport := range []string{"native", "openssh"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, "leaf01")
			env := map[string]string{"PATH": b.Root + "/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
			first, other := sshdtest.Start(t, sshdtest.Options{Env: env}), sshdtest.Start(t, sshdtest.Options{Env: env})
			home := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
			for name, text := range map[string]string{
				"known_hosts": first.KnownHostsLine("ed25519") + other.KnownHostsLine("ed25519"),
				"config": fmt.Sprintf("IdentityAgent none\nIdentitiesOnly yes\nIdentityFile %s\nIdentityFile %s\n",
					first.ClientKey.Path, other.ClientKey.Path),
			} {
				require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", name), []byte(text), 0o600))
			}
			dialer, err := ssh.New(ssh.Config{User: first.User, Home: home, OpenSSH: "ssh", Environ: os.Environ()})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, dialer.Close()) })
			dial := func(ctx context.Context, d *target.Device) (target.Conn, error) {
				conn, err := dialer.Dial(ctx, d)
				if err != nil {
					return nil, err
				}
				return b.Over(conn), nil
			}
			at := func(s *sshdtest.Server) {
				b.Dev.Login = target.Login{Address: s.Host, Port: s.Port, Transport: transport}
			}
			plan := func() *deploy.Plan {
				return deploy.Diff(b.tree(), rollout.Observe(t.Context(), dial, b.tree(), rollout.ObserveOptions{}))
			}

			at(first)
			p := plan()
			require.Equal(t, deploy.StatusChange, p.Devices[0].Status, "%v", p.Devices[0].Err)
			var file bytes.Buffer
			require.NoError(t, deploy.SavePlan(&file, p, deploy.Meta{Tool: "1"}))
			saved, err := deploy.LoadPlan(&file)
			require.NoError(t, err)
			require.Equal(t, first.HostKeyPin(), saved.Devices[0].HostKey)
			require.NoError(t, plan().Matches(saved))

			at(other)
			require.ErrorContains(t, plan().Matches(saved), fmt.Sprintf(
				"leaf01: answers with another host key than when the plan was made (%s, then %s)", other.HostKeyPin(), first.HostKeyPin()))

			rep, err := rollout.Apply(t.Context(), dial, p, rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak})
			require.NoError(t, err)
			require.Equal(t, deploy.Refused, rep.Devices[0].Outcome)
			require.Equal(t, deploy.HostKey, rep.Devices[0].Err.Kind)
			require.Contains(t, rep.Devices[0].Err.Detail, "answers with another host key than before")
			require.Equal(t, boxtest.OldConf, b.Read("/etc/app/conf"))
			require.NoDirExists(t, b.Root+boxtest.State)
		})
	}
}

// A plan without the host key of a device is neither saved nor accepted.
func TestSavedPlanWithoutHostKey(t *testing.T) {
	b := newBox(t, "leaf01")
	var file bytes.Buffer
	require.NoError(t, deploy.SavePlan(&file, b.plan(t), deploy.Meta{}))
	saved, err := deploy.LoadPlan(&file)
	require.NoError(t, err)

	key := b.Key
	b.Key = ""
	require.ErrorContains(t, deploy.SavePlan(&file, b.plan(t), deploy.Meta{}), "the host key of leaf01 is not known")
	require.ErrorContains(t, b.plan(t).Matches(saved), "its host key is not known now")
	b.Key = key
	saved.Devices[0].HostKey = ""
	require.ErrorContains(t, b.plan(t).Matches(saved), "the plan does not say which host key it answered with")

	b.Dead = true
	require.NoError(t, deploy.SavePlan(&file, b.plan(t), deploy.Meta{}), "a device that was not reached has no host key")
}
