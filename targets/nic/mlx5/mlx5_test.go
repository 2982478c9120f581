package mlx5

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

func rendered(t testing.TB, d *ir.Device) []target.File {
	files, ds := Target.Render(d)
	require.Empty(t, ds)
	return files
}

func content(t testing.TB, f target.File) string {
	b, ds := f.Edit(nil)
	require.Empty(t, ds)
	return string(b)
}

// TestGolden compares all files of a host, except those that are equal on every host.
func TestGolden(t *testing.T) {
	for name, d := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			fmt.Fprintf(&b, "about: %s\n", Target.About(d))
			files := rendered(t, d)
			for _, f := range files {
				fmt.Fprintf(&b, "\n== %s %04o", f.Path, f.Mode)
				if f.Live != nil {
					fmt.Fprintf(&b, " read by: %s", f.Live.Cmd)
				}
				b.WriteString("\n")
				if !same(f) {
					b.WriteString(content(t, f))
				}
			}
			step := files[0].Activate
			fmt.Fprintf(&b, "\n== step, at most %s: %s\n%s\n-- until\n%s\n", step.Timeout, step.Disrupts, step.Cmd, step.Loaded.Cmd)
			fmt.Fprintf(&b, "-- undo\n%s", step.Undo.Cmd)
			golden(t, filepath.Join("testdata/golden", name+".txt"), b.String())
		})
	}
}

// same reports whether a file is equal on every host: the script, the unit or the rules.
func same(f target.File) bool {
	return f.Live == nil && !strings.HasPrefix(f.Path, "/etc/rocec/host/")
}

func golden(t *testing.T, path, got string) {
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run: go test ./targets/nic/mlx5 -update")
	assert.Equal(t, string(want), got)
}

// TestLaws checks the contract of target.File for every file of every fixture.
func TestLaws(t *testing.T) {
	for name, d := range fixtures(t) {
		files := rendered(t, d)
		for i, f := range files {
			fresh := content(t, f)
			assert.True(t, strings.HasSuffix(fresh, "\n"), f.Path)
			again, _ := f.Edit([]byte(fresh))
			assert.Equal(t, fresh, string(again), f.Path)
			assert.Equal(t, files[0].Activate, f.Activate, "every file of a host carries the same step")
			second, _ := Target.Render(d)
			assert.Equal(t, fresh, content(t, second[i]), name)
			if f.Keys == nil {
				continue
			}
			keys := f.Keys([]byte(fresh))
			assert.NotEmpty(t, keys, f.Path)
			var names []string
			for _, k := range keys {
				assert.True(t, k.Ours, k.Name)
				assert.NotEmpty(t, k.Value, k.Name)
				if vf, ok := strings.CutPrefix(k.Name, "vf_roce_"); ok {
					k.Name = fmt.Sprintf("vf_roce_%3s", vf) // virtual functions are sorted by number
				}
				names = append(names, k.Name)
			}
			assert.True(t, slices.IsSorted(names), "%s: %v", f.Path, names)
			assert.Len(t, slices.Compact(slices.Clone(names)), len(names))
		}
	}
}

// TestWhy requires a reason for every key that rocec sets. The rows of the DSCP map may have none, since no group claims the DSCP of most
// priorities.
func TestWhy(t *testing.T) {
	for name, d := range fixtures(t) {
		for _, f := range rendered(t, d) {
			if f.Keys == nil {
				continue
			}
			for _, k := range f.Keys([]byte(content(t, f))) {
				why := f.Why(k.Name)
				if strings.HasPrefix(k.Name, "dscp_prio") || k.Name == "pfc" && name == "pause" {
					continue
				}
				if assert.NotEmpty(t, why, "%s: %s", name, k.Name) {
					assert.NotEmpty(t, why[0].Why, k.Name)
					assert.NotZero(t, why[0].At, k.Name)
				}
			}
			assert.Empty(t, f.Why("nonsense"))
			assert.Empty(t, f.Why("vf_roce_77"))
		}
	}
	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	s := rendered(t, f.host("h", f.nic(t, "ens1f0", f.v2())))[3]
	assert.Equal(t, []ir.Origin{origin(3, "cos group rdma is lossless")}, s.Why("pfc"))
	assert.Equal(t, []ir.Origin{origin(4, "DSCP 26 of cos group rdma, times 4")}, s.Why("tos"))
	assert.Equal(t, []ir.Origin{origin(4, "cos group rdma claims DSCP 26")}, s.Why("dscp_prio4"))
	assert.Equal(t, []ir.Origin{origin(60, "cable of 2.5 m")}, s.Why("cable"))
	assert.Empty(t, s.Why("vlan"), "a key that is not set has no reason")
}

// A setting that only helps may be impossible: the host is accepted with a note of the effect. A required or requested setting that is
// impossible is an error.
func TestStateJudgesWhatCannotBe(t *testing.T) {
	d := fixtures(t)["v2"]
	state := rendered(t, d)[4]
	require.Equal(t, "nic/ens1f0", state.Path)
	old := "bond=none\ncnp_dscp=unsupported: mount debugfs\necn_np_prio4=unsupported: no\necn_np_prio5=on\nmtu=1500\npfc=0,0,0,1,0,0,0,0\n" +
		"roce_mode=unread\ntraffic_class=unsupported: no\nttl=64\nsomething new\n"
	got, ds := state.Edit([]byte(old))
	var said []string
	for _, one := range ds {
		code := "host-setting"
		if strings.Contains(one.Detail, "no default of its RDMA device") {
			code = "host-sender"
		}
		require.Equal(t, code, one.Code)
		said = append(said, one.Detail)
	}
	assert.Equal(t, []string{
		"cnp_dscp of the nic ens1f0 of the host group gpu: mount debugfs. Without it the NIC does not carry the intent training.",
		"ens1f0 of the host group gpu: its driver cannot switch DCQCN, so the firmware decides whether it answers marked " +
			"packets and slows down (ROCE_CC_PRIO_MASK; factory setting: every priority).",
		"mtu of the nic ens1f0 of the host group gpu: it is 1500, and the fabric says 9000. Change the network configuration of the host, " +
			"or the fabric.",
		"ens1f0 of the host group gpu: connections without RDMA-CM get DSCP 0, as its driver has no traffic_class. Start NCCL with " +
			"NCCL_IB_TC=104, perftest with --tclass=104; or install MLNX_OFED.",
		"ens1f0 of the host group gpu: no default of its RDMA device (tos, traffic_class) reaches queue pairs that a GPU creates (DevX: GDAKI " +
			"of NCCL, IBGDA of NVSHMEM) and those of virtual functions, which containers use. They travel in priority 0, unless their programs " +
			"have NCCL_IB_TC=104 NCCL_GIN_IB_TC=104 UCX_IB_TRAFFIC_CLASS=104 NVSHMEM_IB_TRAFFIC_CLASS=104.",
	}, said)
	lines := strings.Split(string(got), "\n")
	assert.Equal(t, []string{
		"bond=none", "cnp_dscp=unsupported: mount debugfs", "ecn_np_prio4=unsupported: no", "ecn_np_prio5=on", "mtu=1500",
		"pfc=0,0,0,0,1,0,0,0", "roce_mode=RoCE v2", "traffic_class=unsupported: no", "ttl=64", "something new",
	}, lines[:10])
	assert.Contains(t, lines[10:], "tos=104", "what is missing is added")
	assert.NotContains(t, lines[10:], "cnp_dscp=48")
	again, _ := state.Edit(got)
	assert.Equal(t, string(got), string(again))

	ours := map[string]bool{}
	for _, k := range state.Keys(got) {
		ours[k.Name] = k.Ours
	}
	assert.True(t, ours["pfc"])
	assert.False(t, ours["ecn_np_prio5"])
	assert.False(t, ours["ttl"])
}

// On a host that matches the fabric, the notice names the queue pairs outside of the class, with the numbers of the fabric.
func TestUnreached(t *testing.T) {
	said := func(d *ir.Device, nth int) string {
		state := rendered(t, d)[nth]
		require.NotNil(t, state.Live)
		_, ds := state.Edit([]byte(content(t, state)))
		require.Len(t, ds, 1)
		require.Equal(t, diag.Notice, ds[0].Severity)
		return ds[0].Detail
	}
	f := newFabric()
	f.groups(f.rest, f.rdma, f.storage, f.cnp)
	f.rdma.DSCP[0].Value = 24
	assert.Contains(t, said(f.host("h", f.nic(t, "ens1f0", f.v2())), 4), "They travel in priority 0, unless their programs have "+
		"NCCL_IB_TC=96 NCCL_GIN_IB_TC=96 UCX_IB_TRAFFIC_CLASS=96 NVSHMEM_IB_TRAFFIC_CLASS=96. UCX alone marks DSCP 26 (106) by "+
		"default, which is priority 0.")
	assert.Contains(t, said(f.host("h", f.nic(t, "ens1f0", f.v1())), 4), "They travel in priority 0, unless their programs have "+
		"NCCL_IB_SL=3 UCX_IB_SL=3 NVSHMEM_IB_SL=3.")

	bulk := &ir.CosGroup{Name: "bulk", Cos: 1, DSCP: []ir.Claim{{Value: 8}}}
	f.groups(f.rest, bulk, f.rdma, f.cnp)
	n := f.nic(t, "ens1f0", f.v2(), &ir.Intent{Name: "backup", Version: 2, Group: bulk})
	n.TOS = 96
	assert.Contains(t, said(f.host("h", n), 4),
		"have training: NCCL_IB_TC=96 NCCL_GIN_IB_TC=96 UCX_IB_TRAFFIC_CLASS=96 NVSHMEM_IB_TRAFFIC_CLASS=96; backup: NCCL_IB_TC=32 ")

	f.rdma.DSCP[0].Value = 0 // unmarked packets belong to the class
	state := rendered(t, f.host("h", f.nic(t, "ens1f0", f.v2())))[4]
	_, ds := state.Edit([]byte(content(t, state)))
	assert.Empty(t, ds)
}

// TestEditLaws passes text to the editor of the state that rocec's scripts never print.
func TestEditLaws(t *testing.T) {
	state := rendered(t, fixtures(t)["v2"])[4]
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"pfc=unsupported", "pfc=1", "pfc", "=", "tos=3", "x=y", "trust=\r"}))
		old := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(r, "lines"), "\n")
		once, ds := state.Edit([]byte(old))
		require.Equal(r, strings.Contains("\n"+old, "\npfc=unsupported"), ds.HasErrors())
		twice, _ := state.Edit(once)
		require.Equal(r, string(once), string(twice))
		require.True(r, strings.HasSuffix(string(once), "\n"))
		want := content(t, state)
		rest := func(text string) (out []string) {
			for l := range strings.Lines(text) {
				key, _, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "=")
				if !strings.Contains("\n"+want, "\n"+key+"=") {
					out = append(out, strings.TrimSuffix(l, "\n"))
				}
			}
			return out
		}
		if old != "" {
			require.Equal(r, rest(old), rest(string(once)), "lines that are not ours keep every byte")
		}
	})
}

// The rows of the DSCP map contain all 64 values, for any claims of the groups.
func TestDSCPMapCoversAll(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.storage, f.rdma, f.cnp)
	values := content(t, rendered(t, f.host("h", f.nic(t, "ens1f0", f.v2())))[3])
	var got [8]string
	for p := range got {
		_, rest, _ := strings.Cut(values, fmt.Sprintf("\ndscp_prio%d=", p))
		got[p], _, _ = strings.Cut(rest, "\n")
	}
	// By number, 24-31 would go to cos 3 and 32-39 to cos 4. Both are lossless, so the unclaimed values among them go to the default group.
	assert.Equal(t, [8]string{"0-7,24-25,27-39", "8-15", "16-23", "none", "26", "40-47", "48-55", "56-63"}, got)
}

func TestScriptIsShared(t *testing.T) {
	hosts := fleet(t, 2)
	a, b := rendered(t, hosts[0]), rendered(t, hosts[1])
	one, _ := a[0].Edit(nil)
	two, _ := b[0].Edit([]byte("anything"))
	assert.Same(t, &one[0], &two[0])
	assert.Same(t, &one[0], &a[4].Live.Stdin[0])
}

func BenchmarkRender(b *testing.B) {
	hosts := fleet(b, 32_000)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		for _, d := range hosts {
			files, _ := Target.Render(d)
			for i := range files {
				files[i].Edit(nil)
			}
		}
	}
}

// docs/hosts.md contains every setting.
func TestHostsPageHasEverySetting(t *testing.T) {
	page, err := os.ReadFile("../../../docs/hosts.md")
	require.NoError(t, err)
	for _, row := range rows() {
		key := regexp.MustCompile(`prio\d$`).ReplaceAllString(row.Key, "prioN")
		for _, prefix := range []string{steps.DCQCNKey, steps.StoredKey} { // the tables of parameters have their names
			key = strings.TrimPrefix(key, prefix)
		}
		if key != "vlan" { // the page covers vlan with vlan_map
			assert.Regexp(t, "`("+key+"|"+strings.ToLower(key)+")`", string(page))
		}
	}
}
