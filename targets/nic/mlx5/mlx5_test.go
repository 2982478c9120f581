package mlx5

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

func rendered(t testing.TB, d *ir.Device) []target.File {
	files, ds := Target.Render(d)
	require.Empty(t, ds)
	return files
}

func whole(t testing.TB, f target.File) string {
	b, ds := f.Edit(nil)
	require.Empty(t, ds)
	return string(b)
}

// TestGolden compares everything a host gets, but for the files that are the same on every host.
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
				if f.Path != scriptPath && f.Path != unitPath && f.Path != rulesPath {
					b.WriteString(whole(t, f))
				}
			}
			step := files[0].Activate
			fmt.Fprintf(&b, "\n== step, at most %s: %s\n%s\n-- until\n%s\n", step.Timeout, step.Disrupts, step.Cmd, step.Check)
			golden(t, filepath.Join("testdata/golden", name+".txt"), b.String())
		})
	}
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

// TestLaws holds every file of every fixture to the contract of target.File.
func TestLaws(t *testing.T) {
	for name, d := range fixtures(t) {
		files := rendered(t, d)
		for i, f := range files {
			fresh := whole(t, f)
			assert.True(t, strings.HasSuffix(fresh, "\n"), f.Path)
			again, _ := f.Edit([]byte(fresh))
			assert.Equal(t, fresh, string(again), f.Path)
			assert.Equal(t, files[0].Activate, f.Activate, "every file of a host carries the same step")
			second, _ := Target.Render(d)
			assert.Equal(t, fresh, whole(t, second[i]), name)
			if f.Keys == nil {
				continue
			}
			keys := f.Keys([]byte(fresh))
			assert.NotEmpty(t, keys, f.Path)
			var names []string
			for _, k := range keys {
				assert.True(t, k.Ours, k.Name)
				assert.NotEmpty(t, k.Value, k.Name)
				if vf, ok := strings.CutPrefix(k.Name, vfKey); ok {
					k.Name = fmt.Sprintf("%s%3s", vfKey, vf) // virtual functions go by number
				}
				names = append(names, k.Name)
			}
			assert.True(t, slices.IsSorted(names), "%s: %v", f.Path, names)
			assert.Len(t, slices.Compact(slices.Clone(names)), len(names))
		}
	}
}

// TestWhy wants a reason for every key we set, except that nobody claims a DSCP of most priorities.
func TestWhy(t *testing.T) {
	for name, d := range fixtures(t) {
		for _, f := range rendered(t, d) {
			if f.Keys == nil {
				continue
			}
			for _, k := range f.Keys([]byte(whole(t, f))) {
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
	s := lower(f.host("h", f.nic(t, "ens1f0", f.v2())).Host.NICs[0])
	assert.Equal(t, []ir.Origin{origin(3, "cos group rdma is lossless")}, s.why("pfc"))
	assert.Equal(t, []ir.Origin{origin(4, "DSCP 26 of cos group rdma, times 4")}, s.why("tos"))
	assert.Equal(t, []ir.Origin{origin(4, "cos group rdma claims DSCP 26")}, s.why("dscp_prio4"))
	assert.Equal(t, []ir.Origin{origin(60, "cable of 2.5 m")}, s.why("cable"))
	assert.Empty(t, s.why("vlan"), "a key that is not set has no reason")
}

func TestStateKeepsWhatIsNotSupported(t *testing.T) {
	d := fixtures(t)["v2"]
	state := rendered(t, d)[3]
	require.Equal(t, "nic/ens1f0", state.Path)
	old := "bond=none\ncnp_dscp=unsupported\necn_np_prio4=unsupported\necn_np_prio5=on\nmtu=1500\npfc=0,0,0,1,0,0,0,0\nroce_mode=unread\n" +
		"traffic_class=unsupported\nttl=64\nsomething new\n"
	got, ds := state.Edit([]byte(old))
	require.Empty(t, ds)
	lines := strings.Split(string(got), "\n")
	assert.Equal(t, []string{
		"bond=none", "cnp_dscp=unsupported", "ecn_np_prio4=unsupported", "ecn_np_prio5=on", "mtu=1500", "pfc=0,0,0,0,1,0,0,0",
		"roce_mode=RoCE v2", "traffic_class=unsupported", "ttl=64", "something new",
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

// TestEditLaws feeds the editor of the state what no script of ours would print.
func TestEditLaws(t *testing.T) {
	state := rendered(t, fixtures(t)["v2"])[3]
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"pfc=unsupported", "pfc=1", "pfc", "=", "tos=3", "x=y", "trust=\r"}))
		old := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(r, "lines"), "\n")
		once, ds := state.Edit([]byte(old))
		require.Empty(r, ds)
		twice, _ := state.Edit(once)
		require.Equal(r, string(once), string(twice))
		require.True(r, strings.HasSuffix(string(once), "\n"))
		want := whole(t, state)
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

func TestRemoving(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     bool
	}{
		{"pfc=0,0,0,1,1,0,0,0\n", "pfc=0,0,0,0,1,0,0,0\n", true},
		{"pfc=0,0,0,1,0,0,0,0\n", "pfc=0,0,0,0,1,0,0,0\n", true},
		{"pfc=0,0,0,0,1,0,0,0\n", "pfc=0,0,0,1,1,0,0,0\n", false},
		{"", "pfc=0,0,0,1,1,0,0,0\n", false},
		{"pfc=unsupported\n", "pfc=unsupported\n", false},
	} {
		assert.Equal(t, c.want, removing([]byte(c.old), []byte(c.new)), "%q -> %q", c.old, c.new)
	}
	for _, f := range rendered(t, fixtures(t)["v2"])[2:] {
		require.NotNil(t, f.Removing, f.Path)
	}
}

func TestScriptIsShared(t *testing.T) {
	hosts := fleet(t, 2)
	a, b := rendered(t, hosts[0]), rendered(t, hosts[1])
	one, _ := a[0].Edit(nil)
	two, _ := b[0].Edit([]byte("anything"))
	assert.Same(t, &one[0], &two[0])
	assert.Same(t, &one[0], &a[3].Live.Stdin[0])
}

func TestSchedule(t *testing.T) {
	g := func(cos, weight int, how string) *ir.CosGroup {
		return &ir.CosGroup{Cos: cos, Weight: weight, Strict: how == "strict", Lossless: how == "lossless"}
	}
	for _, c := range []struct {
		name   string
		groups []*ir.CosGroup
		bw     string
		tc     string
	}{
		{"as written", []*ir.CosGroup{g(0, 40, ""), g(4, 60, "lossless"), g(6, 0, "strict")}, "40,0,0,0,60,0,0,0", "0,0,0,0,4,0,6,0"},
		{"the rest of a hundred", []*ir.CosGroup{g(4, 60, "lossless")}, "40,0,0,0,60,0,0,0", "0,0,0,0,4,0,0,0"},
		{"shares, not percent", []*ir.CosGroup{g(0, 1, ""), g(4, 2, "lossless")}, "33,0,0,0,67,0,0,0", "0,0,0,0,4,0,0,0"},
		{"more than a hundred", []*ir.CosGroup{g(0, 100, ""), g(4, 100, "lossless"), g(5, 100, "")}, "34,0,0,0,33,33,0,0", "0,0,0,0,4,5,0,0"},
		{"no weight where a hundred is gone", []*ir.CosGroup{g(0, 0, ""), g(4, 100, "lossless")}, "1,0,0,0,99,0,0,0", "0,0,0,0,4,0,0,0"},
		{"nothing written", []*ir.CosGroup{g(0, 0, ""), g(4, 0, "lossless")}, "50,0,0,0,50,0,0,0", "0,0,0,0,4,0,0,0"},
		{"cos 0 is lossless", []*ir.CosGroup{g(0, 50, "lossless"), g(2, 50, "")}, "50,0,50,0,0,0,0,0", "0,2,2,2,2,2,2,2"},
		{"cos 0 is lossless and alone", []*ir.CosGroup{g(0, 50, "lossless")}, "50,50,0,0,0,0,0,0", "0,1,1,1,1,1,1,1"},
		{"tiny next to huge", []*ir.CosGroup{g(0, 1, ""), g(1, 1, ""), g(2, 1000, ""), g(3, 1, "")}, "1,1,97,1,0,0,0,0", "0,1,2,3,0,0,0,0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &settings{intents: []*ir.Intent{{}}}
			s.schedule(c.groups)
			assert.Equal(t, c.bw, string(eight(nil, s, func(i int) int { return int(s.share[i]) })))
			assert.Equal(t, c.tc, string(eight(nil, s, func(i int) int { return int(s.tc[i]) })))
		})
	}
}

// TestShares: whatever is written, the driver gets a sum of 100 over the classes that share, and each at least 1.
func TestShares(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var groups []*ir.CosGroup
		for cos := range 8 {
			if rapid.Bool().Draw(r, "there") {
				groups = append(groups, &ir.CosGroup{
					Cos: cos, Weight: rapid.IntRange(0, 100).Draw(r, "weight"),
					Strict: rapid.Bool().Draw(r, "strict"), Lossless: rapid.Bool().Draw(r, "lossless"),
				})
			}
		}
		s := &settings{}
		s.schedule(groups)
		sum, shared := 0, false
		for t, ets := range s.ets {
			if ets {
				shared = true
				require.Positive(r, s.share[t])
			} else {
				require.Zero(r, s.share[t])
			}
			sum += int(s.share[t])
		}
		if shared {
			require.Equal(r, 100, sum)
		}
	})
}

func TestDSCPMapCoversAll(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.storage, f.rdma, f.cnp)
	s := lower(f.host("h", f.nic(t, "ens1f0", f.v2())).Host.NICs[0])
	var got [8]string
	for p := range uint8(8) {
		got[p] = string(appendRanges(nil, s.runs, p))
	}
	// 24-31 (cos 3) and 32-39 (cos 4) are lossless by number, so what nobody claimed of them is common traffic.
	assert.Equal(t, [8]string{"0-7,24-25,27-39", "8-15", "16-23", "none", "26", "40-47", "48-55", "56-63"}, got)
}

func TestUnitOf(t *testing.T) {
	assert.Equal(t, "rocec-host@ens1f0.service", unitOf("ens1f0"))
	assert.Equal(t, "rocec-host@enp1s0f0np0.100.service", unitOf("enp1s0f0np0.100"))
	assert.Equal(t, `rocec-host@roce\x2d0.service`, unitOf("roce-0"))
	assert.Equal(t, `'rocec-host@roce\x2d0.service'`, quote(unitOf("roce-0")))
	assert.Equal(t, `'it'\''s'`, quote("it's"))
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
