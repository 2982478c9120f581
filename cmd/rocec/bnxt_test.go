package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/nic/bnxt"
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
	all := rendered(t, makersHCL)
	fleet := newFleet(t, all)
	host := fleet.Device("gpu1")
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
	first := fleet.apply(t, all, "txn-1")
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
	for _, d := range fleet.plan(t, all).Devices {
		assert.Equal(t, deploy.StatusSame, d.Status, d.Device.Name)
	}

	// Only the ConnectX-5 changes: its plan needs no acceptance, and the step of the other family stops nothing.
	other := strings.Replace(makersHCL, `nic "ens1f0" { model = "connectx-5" }`, `nic "ens1f0" {
    model = "connectx-5"
    tos   = 105
  }`, 1)
	plan := fleet.plan(t, rendered(t, other))
	require.Equal(t, deploy.StatusChange, plan.Devices[0].Status)
	assert.Empty(t, plan.Unaccepted(evidence.Reported))

	fleet.apply(t, rendered(t, strings.Replace(makersHCL, `, "gpu[1-2]:ens2f0"`, "", 1)), "txn-2")
	assert.Equal(t, before, run("sh -s -- show ens2f0", script), "leaving is the identity")
}
