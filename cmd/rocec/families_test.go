package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/forms"
	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/nic/mlx5"
	"github.com/rocec/rocec/targets/nic/nictest"
	"github.com/rocec/rocec/targets/target"
)

// mixed compiles and renders judgetest.TwoFamilies with a table that writes both families, or only the first.
func mixed(t *testing.T, table targets.Table, known targets.Table) (*target.Tree, []string) {
	src, ds := lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(judgetest.TwoFamilies)}}, ".", lang.Options{})
	require.Empty(t, ds)
	f, ds := compiler.Compile(src, known.Known())
	require.Empty(t, ds)
	tree, ds := table.Render(f)
	require.Equal(t, ds, table.Check(f))
	var codes []string
	for _, d := range ds {
		codes = append(codes, d.Code+" "+string(d.At.SliceBytes([]byte(judgetest.TwoFamilies))))
	}
	return tree, codes
}

// On a host with NICs of two families, each family writes its own NICs with its own script and unit, and one plan applies both.
func TestTwoFamiliesOnOneHost(t *testing.T) {
	t.Parallel()
	table := targets.Table{cumulus.Target, mlx5.Target, nictest.Target}
	tree, codes := mixed(t, table, table)
	require.Empty(t, codes)
	host := tree.Devices[0]
	require.Equal(t, "gpu1", host.Name)
	assert.Equal(t, "ConnectX-5, ens1f0; 1, ens2f0", host.About)
	assert.Equal(t, "mlx5 sample", host.Target.Name)
	var paths []string
	for _, f := range host.Files {
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{
		"/usr/local/sbin/rocec-host", "/etc/systemd/system/rocec-host@.service", "/etc/udev/rules.d/99-rocec.rules",
		"/etc/rocec/host/ens1f0.conf", "nic/ens1f0",
		"/usr/local/sbin/rocec-host-sample", "/etc/systemd/system/rocec-host-sample@.service", "/etc/udev/rules.d/99-rocec-sample.rules",
		"/etc/rocec/host/ens2f0.conf", "nic/ens2f0",
	}, paths)

	// the files of the first family equal those of a host with only this family
	alone := *host.Source
	only := *alone.Host
	only.NICs = only.NICs[:1]
	alone.Host = &only
	files, ds := mlx5.Target.Render(&alone)
	require.Empty(t, ds)
	for i, f := range files {
		want, _ := f.Edit(nil)
		got, _ := host.Files[i].Edit(nil)
		assert.Equal(t, f.Path, host.Files[i].Path)
		assert.Equal(t, string(want), string(got), f.Path)
	}
	unit, _ := host.Files[6].Edit(nil)
	assert.Contains(t, string(unit), "ExecStart=/bin/sh /usr/local/sbin/rocec-host-sample apply %I\n")

	var folders []string
	folded := forms.Fold(tree)
	require.Empty(t, folded.Index)
	for _, f := range folded.Files {
		folders = append(folders, f.Name)
	}
	slices.Sort(folders)
	assert.Equal(t, []string{
		"gpu[1-2]/etc/rocec/host/ens1f0.conf", "gpu[1-2]/etc/rocec/host/ens2f0.conf",
		"gpu[1-2]/etc/systemd/system/rocec-host-sample@.service", "gpu[1-2]/etc/systemd/system/rocec-host@.service",
		"gpu[1-2]/etc/udev/rules.d/99-rocec-sample.rules", "gpu[1-2]/etc/udev/rules.d/99-rocec.rules",
		"gpu[1-2]/usr/local/sbin/rocec-host", "gpu[1-2]/usr/local/sbin/rocec-host-sample",
		"leaf1/etc/cumulus/datapath/traffic.conf",
	}, folders)

	devices, dial := labtest.Start(t, tree)
	plan := func() *deploy.Plan {
		return deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{}))
	}
	first := plan()
	for _, d := range first.Devices {
		require.Equal(t, deploy.StatusChange, d.Status, "%s: %v", d.Device.Name, d.Err)
	}
	clock := rollout.Clock{Now: time.Now, Wait: time.After}
	rep, err := rollout.Apply(t.Context(), dial, first, rollout.ApplyOptions{
		Clock: clock, Run: deploy.Run{Name: "txn-1", Key: "abcd"}, Soak: new(time.Duration),
	})
	require.NoError(t, err)
	for _, d := range rep.Devices {
		require.Equal(t, deploy.Applied, d.Outcome, "%s: %v %s", d.Device.Name, d.Err, d.Text())
	}
	for _, name := range []string{"gpu1", "gpu2"} {
		sims := devices.Device(name).Sims()
		i := slices.IndexFunc(sims, func(s target.Sim) bool { _, ok := s.(*nictest.NICs); return ok })
		assert.Equal(t, "pfc=0,0,0,1,0,0,0,0 after 1", sims[i].(*nictest.NICs).PFC("ens2f0"))
	}
	assert.True(t, plan().Empty())
	v := rollout.Verify(t.Context(), dial, tree, rollout.VerifyOptions{Clock: clock, Interval: time.Millisecond})
	assert.True(t, v.Sound(), "%+v", v)
}

// threeHCL has hosts with one NIC of each family that rocec writes. Each NIC is in a separate intent.
const threeHCL = `
fabric "three" { cable_length = "5m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
cos_group "storage" {
  cos      = 4
  lossless = true
}
cos_group "trial" {
  cos  = 1
  dscp = [8]
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["gpu[1-2]:ens1f0"]
}
roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  vlan      = 100
  members   = ["gpu[1-2]:ens2"]
}
roce "soft" {
  version   = 2
  cos_group = cos_group.trial
  members   = ["gpu[1-2]:eth1"]
}
switch "leaf" {
  names   = "leaf1"
  model   = "sn2700"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
  nic "ens2" { model = "connectx-3" }
  nic "eth1" { model = "soft-roce" }
}
link "first" {
  a = "gpu[1-2]:ens1f0"
  b = "leaf1:swp[1-2]"
}
link "second" {
  a     = "gpu[1-2]:ens2"
  b     = "leaf1:swp[3-4]"
  speed = "40G"
}
link "third" {
  a     = "gpu[1-2]:eth1"
  b     = "leaf1:swp[5-6]"
  speed = "10G"
}
`

// rendered returns the tree of a fabric.
func rendered(t *testing.T, text string) *target.Tree {
	t.Helper()
	src, ds := lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".", lang.Options{})
	require.Empty(t, ds)
	f, ds := compiler.Compile(src, targets.Known)
	require.False(t, ds.HasErrors(), "%v", ds)
	tree, ds := targets.Render(f)
	require.False(t, ds.HasErrors(), "%v", ds)
	return tree
}

// fleet is the devices of a tree in a lab.
type fleet struct {
	*lab.Lab
	tree *target.Tree
	dial target.Dial
}

func newFleet(t *testing.T, tree *target.Tree) *fleet {
	devices, dial := labtest.Start(t, tree)
	return &fleet{devices, tree, dial}
}

// plan compares the devices with a tree.
func (f *fleet) plan(t *testing.T, tree *target.Tree) *deploy.Plan {
	have := rollout.Observe(t.Context(), f.dial, tree, rollout.ObserveOptions{})
	return deploy.Diff(have.Tree(), have)
}

// apply changes the devices as a tree says. Every change must hold, and the devices must be sound.
func (f *fleet) apply(t *testing.T, tree *target.Tree, name string) *deploy.Plan {
	t.Helper()
	clock, plan := rollout.Clock{Now: time.Now, Wait: time.After}, f.plan(t, tree)
	rep, err := rollout.Apply(t.Context(), f.dial, plan, rollout.ApplyOptions{
		Clock: clock, Run: deploy.Run{Name: name, Key: "abcd"}, Soak: new(time.Duration),
	})
	require.NoError(t, err)
	for _, d := range rep.Devices {
		require.Equal(t, deploy.Applied, d.Outcome, "%s: %v %s", d.Device.Name, d.Err, d.Text())
	}
	v := rollout.Verify(t.Context(), f.dial, tree, rollout.VerifyOptions{Clock: clock, Interval: time.Millisecond})
	require.True(t, v.Sound(), "%+v", v)
	return plan
}

// unreported is the evidence without any report of a user.
func unreported(string, string, string) bool { return false }

// The three families of one host are applied together, are active after a restart, have one report, and are removed completely.
func TestThreeFamiliesOnOneHost(t *testing.T) {
	t.Parallel()
	fleet := newFleet(t, rendered(t, threeHCL))
	host := fleet.Device("gpu1")
	show := func(tool, netdev string, args string) string {
		out, errs, status := host.Run(t.Context(), "root", "if [ -e /usr/local/sbin/"+tool+" ]; then "+tool+" show "+netdev+args+"; fi", "")
		require.Zero(t, status, errs)
		return out
	}
	fleet.apply(t, fleet.tree, "txn-1")
	assert.Contains(t, show("rocec-host", "ens1f0", ""), "\npfc=0,0,0,1,0,0,0,0\n")
	assert.Contains(t, show("rocec-host-mlx4", "ens2", ""), "\nvlan_map=0:4,2:4,4:4,6:4\n")
	assert.Contains(t, show("rocec-host-rxe", "eth1", ""), "\nrxe=on\ntos=32\n")
	host.Reboot()
	for _, tool := range []string{"rocec-host", "rocec-host-mlx4", "rocec-host-rxe"} {
		out, errs, status := host.Run(t.Context(), "root", tool+" check --json", "")
		require.Zero(t, status, out+errs)
		report, err := target.ParseReport([]byte(out))
		require.NoError(t, err, out)
		for _, name := range []string{"ens1f0", "ens2", "eth1"} {
			require.NotNil(t, report.NIC(name), "%s of %s", name, tool)
			assert.Empty(t, report.NIC(name).Differs)
		}
	}
	out, errs, status := host.Run(t.Context(), "root", "rdma link show", "")
	require.Zero(t, status, errs)
	assert.Equal(t, 3, strings.Count(out, "link "), out)

	alone := strings.Replace(threeHCL, `  nic "eth1" { model = "soft-roce" }`, "", 1) // no NIC of that family stays
	i := strings.Index(alone, `link "third"`)
	alone = alone[:i]
	for _, intent := range []string{"training", "nvme", "soft"} { // the other NICs stay, but are in no intent
		i := strings.Index(alone, "roce \""+intent)
		alone = alone[:i] + alone[i+strings.Index(alone[i:], "\n}\n")+3:]
	}
	fleet.apply(t, rendered(t, strings.ReplaceAll(alone, "  lossless = true\n", "")), "txn-2")
	out, errs, status = host.Run(t.Context(), "root", "rdma link show", "")
	require.Zero(t, status, errs)
	assert.NotContains(t, out, "eth1")
}

// A host with an E810 gets its settings from the state of the factory, where the agent of the firmware decides. After a restart they are
// active again, and a NIC that leaves has the agent again.
func TestIntelHost(t *testing.T) {
	t.Parallel()
	hcl := strings.Replace(strings.Replace(threeHCL, `"connectx-5"`, `"e810"`, 1), "  cos      = 4\n  lossless = true\n", "  cos = 4\n", 1)
	for _, part := range []string{`roce "nvme" {`, `roce "soft" {`, `link "second" {`, `link "third" {`} {
		i := strings.Index(hcl, part)
		hcl = hcl[:i] + hcl[i+strings.Index(hcl[i:], "\n}\n")+3:]
	}
	hcl = strings.NewReplacer(`  nic "ens2" { model = "connectx-3" }`, "", `  nic "eth1" { model = "soft-roce" }`, "").Replace(hcl)
	fleet := newFleet(t, rendered(t, hcl))
	host := fleet.Device("gpu1")
	run := func(cmd string) string {
		out, errs, status := host.Run(t.Context(), "root", cmd, "")
		require.Zero(t, status, errs)
		return out
	}
	assert.Contains(t, run("ethtool --show-priv-flags ens1f0"), "fw-lldp-agent: on\n")
	plan := fleet.apply(t, fleet.tree, "txn-1")
	assert.NotEmpty(t, plan.Unaccepted(unreported), "no user has reported on such a NIC")
	for _, again := range []bool{false, true} {
		if again {
			host.Reboot()
		}
		out := run("rocec-host-ice show ens1f0")
		assert.Contains(t, out, "\nets_tc=0,1,2,3,4,5,6,7\n")
		assert.Contains(t, out, "\niwarp=off\nlldp_agent=off\n")
		assert.Contains(t, out, "\npfc=0,0,0,1,0,0,0,0\nroce=on\n")
		assert.Contains(t, out, "\ndcqcn=unsupported: ", "the irdma of Linux has no switch")
		run("rocec-host-ice check ens1f0")
	}
	i := strings.Index(hcl, `roce "training" {`)
	left := hcl[:i] + hcl[i+strings.Index(hcl[i:], "\n}\n")+3:]
	plan = fleet.apply(t, rendered(t, strings.ReplaceAll(left, "  lossless = true\n", "")), "txn-2")
	assert.Empty(t, plan.Unaccepted(unreported), "a NIC may always leave")
	assert.Contains(t, run("ethtool --show-priv-flags ens1f0"), "fw-lldp-agent: on\n")
	assert.Empty(t, run("dcb -N app show dev ens1f0"))
}

// A NIC of a family that no target writes is an error at that NIC; the other NICs of its host are judged and rendered.
func TestFamilyThatNobodyWrites(t *testing.T) {
	known := targets.Table{cumulus.Target, mlx5.Target, nictest.Target}
	facts := &target.Target{Name: "sample", Doc: "Facts of sample NICs.", Driver: nictest.Target.Driver}
	tree, codes := mixed(t, targets.Table{cumulus.Target, mlx5.Target, facts}, known)
	assert.Equal(t, []string{`host-family "sample-1"`}, codes)
	require.Equal(t, "gpu1", tree.Devices[0].Name)
	require.Len(t, tree.Devices[0].Files, 5, "the ConnectX-5 is rendered")
}
