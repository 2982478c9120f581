package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
)

// sonicBox is a simulated switch of SONiC with a rack behind it.
type sonicBox struct {
	*lab.Device
	*sim.Switch
	tree *target.Tree
	dial target.Dial
	cut  int // the command before which a connection breaks; 0: none
}

// sonicRack is the rack of the tests of switches, behind a switch of SONiC.
func sonicRack(version string) string {
	hcl := strings.Replace(byFilesHCL, "SWITCH", "os = \"sonic\"\n  version = \""+version+"\"", 1)
	return strings.Replace(hcl, `"tor:swp[1-3]"`, `"tor:Ethernet[0,4,8]"`, 1)
}

func bySONiC(t *testing.T, hcl string) *sonicBox {
	t.Helper()
	tree := switchOf(t, hcl)
	require.Equal(t, "sonic", tree.Devices[0].Target.Name)
	devices, dial := inLab(t, tree)
	d := devices.Device(tree.Devices[0].Name)
	b := &sonicBox{Device: d, Switch: sim.Of(d.Sims()), tree: tree}
	b.dial = func(ctx context.Context, d *target.Device) (target.Conn, error) { return dial(ctx, d) }
	return b
}

func (b *sonicBox) root(t *testing.T, cmd string) string {
	t.Helper()
	out, stderr, status := b.Run(t.Context(), "root", cmd, "")
	require.Zero(t, status, "%s: %s%s", cmd, out, stderr)
	return string(out)
}

func (b *sonicBox) plan(t *testing.T) *deploy.DevicePlan {
	t.Helper()
	return deploy.Diff(b.tree, rollout.Observe(t.Context(), b.dial, b.tree, rollout.ObserveOptions{Probes: rollout.Every})).Devices[0]
}

// TestBySONiC: a switch of any release is planned, changed by patches, saved, verified, and holds it after a restart.
func TestBySONiC(t *testing.T) {
	for _, release := range sim.Releases() {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			b := bySONiC(t, sonicRack(release))
			p := b.plan(t)
			require.Equal(t, deploy.StatusChange, p.Status, "%v", p.Err)
			want := string(p.Changes[0].After)
			r := applied(t, b.tree, b.dial).Devices[0]
			if !assert.Equal(t, deploy.Applied, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text()) {
				t.Log(want)
				return
			}
			b.Reboot()
			p = b.plan(t)
			require.Equal(t, deploy.StatusSame, p.Status, "%v", p.Err)
		})
	}
}
