package main

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/nic/bnxt"
	"github.com/rocec/rocec/targets/target"
)

// makersHCL has hosts with a NIC of NVIDIA and one of Broadcom, in one intent with ECN.
const makersHCL = `
fabric "makers" { cable_length = "5m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["gpu[1-2]:ens1f0", "gpu[1-2]:ens2f0"]
}
switch "leaf" {
  names   = "leaf1"
  model   = "sn2700"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
  nic "ens2f0" { model = "bcm57508" }
}
link "first" {
  a = "gpu[1-2]:ens1f0"
  b = "leaf1:swp[1-2]"
}
link "second" {
  a     = "gpu[1-2]:ens2f0"
  b     = "leaf1:swp[3-4]"
  speed = "100G"
}
`

// TestTwoMakersOnOneHost: a host with NICs of mlx5 and bnxt gets the settings of both, is sound, keeps them over a restart, and a plan that
// changes the NIC without reports needs acceptance. Leaving restores what bnxt had.
func TestTwoMakersOnOneHost(t *testing.T) {
	t.Parallel()
	tree := func(text string) *target.Tree {
		src, ds := lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".", lang.Options{})
		require.Empty(t, ds)
		f, ds := compiler.Compile(src, targets.Known)
		require.False(t, ds.HasErrors(), "%v", ds)
		tree, ds := targets.Render(f)
		require.False(t, ds.HasErrors(), "%v", ds)
		return tree
	}
	all := tree(makersHCL)
	devices, dial := labtest.Start(t, all)
	host := devices.Device("gpu1")
	run := func(cmd, stdin string) string {
		t.Helper()
		out, errs, status := host.Run(t.Context(), "root", cmd, stdin)
		require.Zero(t, status, out+errs)
		return out
	}
	script := ""
	for _, f := range all.Devices[0].Files {
		if f.Path == "/usr/local/sbin/rocec-host-bnxt" {
			content, _ := f.Edit(nil)
			script = string(content)
		}
	}
	before := run("sh -s -- show ens2f0", script)
	clock := rollout.Clock{Now: time.Now, Wait: time.After}
	apply := func(tree *target.Tree, name string) *deploy.Plan {
		t.Helper()
		have := rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{})
		plan := deploy.Diff(have.Tree(), have)
		rep, err := rollout.Apply(t.Context(), dial, plan, rollout.ApplyOptions{
			Clock: clock, Run: deploy.Run{Name: name, Key: "abcd"}, Soak: new(time.Duration),
		})
		require.NoError(t, err)
		for _, d := range rep.Devices {
			require.Equal(t, deploy.Applied, d.Outcome, "%s: %v %s", d.Device.Name, d.Err, d.Text())
		}
		v := rollout.Verify(t.Context(), dial, tree, rollout.VerifyOptions{Clock: clock, Interval: time.Millisecond})
		require.True(t, v.Sound(), "%+v", v)
		return plan
	}
	first := apply(all, "txn-1")
	asks := first.Unaccepted(evidence.Reported)
	require.Len(t, asks, 1)
	assert.Contains(t, asks[0].Detail, "The plan changes gpu[1-2] (NICs of bnxt).")
	assert.Empty(t, first.Unaccepted(func(name, _, _ string) bool { return name == bnxt.Target.Name }), "reports about the NIC end this")

	for _, line := range []string{
		"cnp_dscp=48", "cnp_prio=6", "ecn_enable=on", "ets_bw=40,60,0,0,0,0,0,0", "ets_tc=0,0,0,1,0,0,2,0", "pause=off",
		"pfc=0,0,0,1,0,0,0,0", "roce_mode=RoCE v2", "roce_udp=3", "tos=104", "trust=dscp",
	} {
		assert.Contains(t, run("rocec-host-bnxt show ens2f0", ""), line+"\n")
	}
	assert.Contains(t, run("rocec-host show ens1f0", ""), "\nets_tc=0,0,0,3,0,0,6,0\n", "the other family keeps its numbers")
	host.Reboot()
	run("rocec-host-bnxt check ens2f0", "")
	have := rollout.Observe(t.Context(), dial, all, rollout.ObserveOptions{})
	for _, d := range deploy.Diff(have.Tree(), have).Devices {
		assert.Equal(t, deploy.StatusSame, d.Status, d.Device.Name)
	}

	// Only the ConnectX-5 changes: its plan needs no acceptance, and the step of the other family stops nothing.
	other := strings.Replace(makersHCL, `nic "ens1f0" { model = "connectx-5" }`, `nic "ens1f0" {
    model = "connectx-5"
    tos   = 105
  }`, 1)
	changed := tree(other)
	have = rollout.Observe(t.Context(), dial, changed, rollout.ObserveOptions{})
	plan := deploy.Diff(have.Tree(), have)
	require.Equal(t, deploy.StatusChange, plan.Devices[0].Status)
	assert.Empty(t, plan.Unaccepted(evidence.Reported))

	apply(tree(strings.Replace(makersHCL, `, "gpu[1-2]:ens2f0"`, "", 1)), "txn-2")
	assert.Equal(t, before, run("sh -s -- show ens2f0", script), "leaving is the identity")
}
