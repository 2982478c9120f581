package deploy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	switchsim "github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/judge"
	nicsim "github.com/rocec/rocec/targets/nic/mlx5/sim"
	"github.com/rocec/rocec/targets/target"
)

// closHCL is a small Clos: switches of a release that restarts switchd and of one that reloads it, hosts with one NIC,
// and one with a bond.
const closHCL = `
fabric "train" {
  routing      = "up-down"
  cable_length = "5m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  weight   = 60
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 40
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu, host.dual]
}

switch "leaf" {
  names   = "leaf[01-02]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "3.7.16"
  tier    = 1
}

switch "spine" {
  names   = "spine1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}

host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

host "dual" {
  names = "dual1"
  nic "ens1f0" { model = "connectx-5" }
  nic "ens1f1" { model = "connectx-5" }
  bond "bond0" {
    nics = ["ens1f0", "ens1f1"]
    mode = "802.3ad"
  }
}

link "hosts" {
  a     = "gpu[1-4]:ens1f0"
  b     = "leaf[01-02]:swp[1-2]"
  speed = "25G"
}

link "dual" {
  a     = "dual1:ens1f[0-1]"
  b     = "leaf01:swp[3-4]"
  speed = "25G"
}

mesh "uplinks" {
  lower = "leaf[01-02]:swp31"
  upper = "spine1:swp[1-2]"
  speed = "100G"
}
`

// rackHCL is a rack of RoCEv1 on a VLAN, switches of the oldest dialect.
const rackHCL = `
fabric "rack" {
  routing      = "spanning-tree"
  cable_length = "3m"
}

cos_group "storage" {
  cos      = 3
  lossless = true
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  members   = [host.node]
  vlan      = 100
}

switch "tor" {
  names   = "tor1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "3.4.3"
}

host "node" {
  names = "n[1-3]"
  nic "ens1f0" { model = "connectx-4" }
}

link "hosts" {
  a     = "n[1-3]:ens1f0"
  b     = "tor1:swp[1-3]"
  speed = "25G"
}
`

// rehearsal of a whole fabric: from HCL to the lab.
func rehearseHCL(t *testing.T, text string) *rehearsal {
	j := judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".", judge.Options{})
	require.False(t, j.Diags.HasErrors(), "%s", said(j.Diags))
	tree := j.Tree()
	l, err := lab.Start(tree)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	dialer, err := ssh.New(ssh.Config{Keys: [][]byte{l.Key()}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dialer.Close()) })
	return &rehearsal{Lab: l, t: t, tree: tree, dial: func(ctx context.Context, d *target.Device) (target.Conn, error) {
		there := *d
		there.Login = l.Login(d.Name)
		return dialer.Dial(ctx, &there)
	}}
}

// The whole road with the real targets: HCL to a tree, a plan that shows changes and makes none, an apply, an empty
// plan, and a verification that finds nothing.
func TestFromHCLToVerified(t *testing.T) {
	for name, text := range map[string]string{"clos": closHCL, "rack": rackHCL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rehearseHCL(t, text)
			for _, d := range r.tree.Devices {
				r.Device(d.Name).FailWrites()
			}
			p := r.plan()
			require.Len(t, p.Devices, len(r.tree.Devices))
			for _, d := range p.Devices {
				dev := r.Device(d.Device.Name)
				require.Equal(t, deploy.StatusChange, d.Status, "%s: %+v", dev.Name, d.Err)
				require.NotEmpty(t, d.Changes)
				require.Empty(t, dev.Writes(), "a plan changes nothing")
				require.NotEmpty(t, dev.Commands(), "but it looked")
				dev.AllowWrites()
			}

			rep, err := deploy.Apply(t.Context(), r.dial, p, deploy.ApplyOptions{Clock: realTime, Txn: "txn-1", Owner: "alice@ws7"})
			require.NoError(t, err)
			for _, d := range rep.Devices {
				require.Equal(t, deploy.Applied, d.Outcome, "%s: %v %s", d.Device.Name, d.Err, d.Detail)
			}
			for _, d := range r.tree.Devices {
				dev := r.Device(d.Name)
				if d.Role == target.Host {
					for _, n := range d.Source.Host.NICs {
						require.Equal(t, 1, nicsim.Of(dev.Sims()).Flaps(n.Name), "%s: PFC was written once", d.Name)
					}
					continue
				}
				onDisk, err := dev.ReadFile("/etc/cumulus/datapath/traffic.conf")
				require.NoError(t, err)
				loaded, times := switchsim.Of(dev.Sims()).Loaded()
				require.Equal(t, string(onDisk), string(loaded), "switchd runs with what was written")
				require.Equal(t, 2, times, "once from the factory, once now")
			}

			again := r.plan()
			for _, d := range again.Devices {
				for _, c := range d.Changes {
					t.Errorf("%s: %s still differs:\n%s", d.Device.Name, c.File.Path, c.Unified())
				}
				require.Nil(t, d.Err)
			}
			require.True(t, again.Empty())

			v := deploy.Verify(t.Context(), r.dial, r.tree, deploy.ObserveOptions{})
			require.True(t, v.Sound(), "%s", fmt.Sprintf("%+v", v))
		})
	}
}

func said(ds diag.List) string {
	var lines []string
	for _, d := range ds {
		lines = append(lines, d.Code+": "+d.Detail)
	}
	return strings.Join(lines, "\n")
}
