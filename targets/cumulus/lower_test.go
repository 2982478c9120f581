package cumulus

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target/targettest"
)

// TestMapLaws: every value gets exactly one cos, for any claims of groups. A claimed value gets the cos of its group. Any other value gets
// neither a lossless cos nor the CPU's cos.
func TestMapLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cos := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "cos")[:rapid.IntRange(0, 7).Draw(t, "groups")]
		slices.Sort(cos)
		dscp := rapid.Permutation(upTo(64)).Draw(t, "dscp")
		pcp := rapid.Permutation(upTo(8)).Draw(t, "pcp")
		var groups []*ir.CosGroup
		owner := map[int]*ir.CosGroup{}
		claimedPCP, claimedDSCP := map[int]int{}, map[int]int{}
		for _, c := range cos {
			g := &ir.CosGroup{Cos: c, Lossless: rapid.Bool().Draw(t, "lossless"), Strict: rapid.Bool().Draw(t, "strict")}
			n := rapid.IntRange(0, 3).Draw(t, "claims")
			g.DSCP, dscp = claims(dscp[:n]...), dscp[n:]
			g.PCP, pcp = claims(pcp[0]), pcp[1:]
			claimedPCP[g.PCP[0].Value] = c
			for _, v := range g.DSCP {
				claimedDSCP[v.Value] = c
			}
			groups = append(groups, g)
			owner[c] = g
		}
		s := ir.MapsOf(groups, CosCPU)
		verify := func(name string, to []int, claimed map[int]int) {
			for v, c := range to {
				require.True(t, c >= 0 && c < 8)
				if want, ok := claimed[v]; ok {
					require.Equal(t, want, c, "%s %d is claimed", name, v)
					continue
				}
				if g := owner[c]; g != nil {
					require.False(t, g.Lossless, "%s %d got a lossless cos", name, v)
				} else {
					require.NotEqual(t, CosCPU, c, "%s %d got the CPU's cos", name, v)
				}
			}
		}
		free := slices.ContainsFunc(upTo(8), func(c int) bool { return owner[c] == nil && c != CosCPU || owner[c] != nil && !owner[c].Lossless })
		if free {
			verify("PCP", s.PCP[:], claimedPCP)
			verify("DSCP", s.DSCP[:], claimedDSCP)
		}
	})
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestMapChoices(t *testing.T) {
	cosGroups := func(lossless []int, strict []int) []*ir.CosGroup {
		var out []*ir.CosGroup
		for c := range 8 {
			if l, s := slices.Contains(lossless, c), slices.Contains(strict, c); l || s {
				out = append(out, &ir.CosGroup{Cos: c, Lossless: l, Strict: s, PCP: claims(c)})
			}
		}
		return out
	}
	for _, tt := range []struct {
		name             string
		lossless, strict []int
		pcp              [8]int
	}{
		{"one lossless: PCP 3 avoids it and the CPU", []int{4}, []int{6}, [8]int{0, 1, 2, 5, 4, 5, 6, 7}},
		{"two lossless: a lower cos rather than a strict queue", []int{4, 5}, []int{6}, [8]int{0, 1, 2, 2, 4, 5, 6, 7}},
		{"cos 3 lossless", []int{3}, nil, [8]int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"no groups", nil, nil, [8]int{0, 1, 2, 4, 4, 5, 6, 7}},
	} {
		assert.Equal(t, tt.pcp, ir.MapsOf(cosGroups(tt.lossless, tt.strict), CosCPU).PCP, tt.name)
	}
	assert.Equal(t, 5, ir.MapsOf(cosGroups([]int{4}, []int{6}), CosCPU).DSCP[32], "no group claims DSCP 32-39: they must not be lossless")
	assert.Equal(t, [8]int{0, 1, 2, 3, 4, 5, 6, 7}, ir.MapsOf(cosGroups([]int{0, 1, 2, 3, 4, 5, 6, 7}, nil), CosCPU).PCP)
}

// TestPortSetLaw: the result of PortSet names the same ports, each once.
func TestPortSetLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ports := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) grammar.Port {
			return grammar.Port{N: rapid.IntRange(1, 40).Draw(t, "n"), Sub: rapid.IntRange(-1, 3).Draw(t, "sub")}
		}), 1, 40, func(p grammar.Port) grammar.Port { return p }).Draw(t, "ports")
		slices.SortFunc(ports, grammar.Port.Compare)
		var names []string
		for _, p := range ports {
			names = append(names, p.String())
		}
		require.Equal(t, names, grammar.Expand(grammar.PortSet(ports)))
		rest, ok := without(grammar.PortSet(ports), ports[:1])
		require.True(t, ok)
		require.Equal(t, grammar.PortSet(ports[1:]), grammar.PortSet(parsed(t, rest)))
	})
}

// parsed reads a port_set.
func parsed(t require.TestingT, set string) (ports []grammar.Port) {
	for _, name := range grammar.Expand(set) {
		p, ok := grammar.ParsePort(name)
		require.True(t, ok, name)
		ports = append(ports, p)
	}
	return ports
}

// TestWithout: a port_set without some ports names exactly its other ports. It keeps its spelling if it loses none.
func TestWithout(t *testing.T) {
	for _, c := range []struct{ set, taken, rest string }{
		{" swp1 - swp4 , swp6", "swp9", " swp1 - swp4 , swp6"},
		{"swp1-swp32", "swp5,swp6", "swp1-swp4,swp7-swp32"},
		{"swp1-swp32, swp40", "swp1,swp32", "swp2-swp31,swp40"},
		{"swp5,swp7-swp8", "swp5,swp7,swp8", ""},
		{"swp6s0-swp6s3", "swp6s1", "swp6s0,swp6s2-swp6s3"},
		{"swp1-swp8", "swp6s1", "cannot be taken apart"},
		{"swp1-swp6s3", "swp2", "cannot be taken apart"},
		{"swp1-swp6s3", "swp7", "swp1-swp6s3"},
		{"everything", "swp7", "cannot be taken apart"},
		{"", "swp7", ""},
	} {
		rest, ok := without(strings.Replace(c.set, " - ", "-", 1), parsed(t, c.taken))
		assert.Equal(t, c.rest != "cannot be taken apart", ok, "%q without %s", c.set, c.taken)
		if ok {
			assert.Equal(t, strings.Replace(c.rest, " - ", "-", 1), rest, "%q without %s", c.set, c.taken)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, 30), 1, 30, rapid.ID)
		var items []string
		want := map[int]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "items") {
			a := rapid.IntRange(1, 30).Draw(t, "from")
			b := rapid.IntRange(a, 30).Draw(t, "to")
			items = append(items, grammar.Span{A: grammar.Port{N: a, Sub: -1}, B: grammar.Port{N: b, Sub: -1}}.String())
			for n := a; n <= b; n++ {
				want[n] = true
			}
		}
		var taken []grammar.Port
		for _, n := range numbers.Draw(t, "taken") {
			taken = append(taken, grammar.Port{N: n, Sub: -1})
			delete(want, n)
		}
		slices.SortFunc(taken, grammar.Port.Compare)
		rest, ok := without(strings.Join(items, ","), taken)
		require.True(t, ok)
		got := map[int]bool{}
		for _, p := range parsed(t, rest) {
			got[p.N] = true
		}
		require.Equal(t, want, got)
	})
}

// TestDeterminism: the order of declarations does not matter.
func TestDeterminism(t *testing.T) {
	a, b := canonicalSample(t, "sn2700", "4.3.0", 2), canonicalSample(t, "sn2700", "4.3.0", 2)
	slices.Reverse(b.sw.Ports)
	slices.Reverse(b.fabric.Links)
	assert.Equal(t, a.file(t)(""), b.file(t)(""))
}

func TestIdentity(t *testing.T) {
	s := canonicalSample(t, "sn2700", "3.4.3", 1)
	judge := func(answer string) []string { return Target.Identity(s.sw)[0].Judge([]byte(answer)) }
	release := Target.Image(s.sw).Files["/etc/os-release"]
	lsb := Target.Image(s.sw).Files["/etc/lsb-release"]
	assert.Empty(t, judge(release))
	assert.Empty(t, judge(release+lsb+"chip mlx\n"))
	assert.Empty(t, judge(release+"chip mlx\nchip bcm\n"), "with both folders the family is unknown")
	assert.Equal(t, []string{"leaf1 has a chip of the family bcm, but Mellanox SN2700, the model in the fabric, has one of the family " +
		"mlx."}, judge(lsb+"chip bcm\n"))
	assert.Equal(t, []string{"leaf1 runs Cumulus Linux 4.2.1 (VERSION_ID), but the fabric says 3.4.3."},
		judge("ID=cumulus-linux\nVERSION_ID=\"4.2.1\"\n"))
	assert.Equal(t, []string{"leaf1 runs debian, not Cumulus Linux."}, judge("ID=debian\nVERSION_ID=\"12\"\n"))
	assert.Len(t, judge(""), 1)
	assert.NotContains(t, judge("ID=\x1b[31mx\n")[0], "\x1b")
	s.sw.Switch.Version = "4.3"
	assert.Empty(t, judge("ID=cumulus-linux\nVERSION_ID=4.3.0\n"))
}

// TestShell: every command for a switch is POSIX shell.
func TestShell(t *testing.T) {
	s := canonicalSample(t, "sn2700", "4.3.0", 2)
	files, _ := Target.Render(s.sw)
	cmds := []string{files[0].Precheck, files[0].Activate.Cmd, files[0].Activate.Loaded.Cmd, Target.Identity(s.sw)[0].Cmd}
	for _, p := range Target.Probes(s.sw) {
		cmds = append(cmds, p.Cmd)
	}
	for _, cmd := range cmds {
		_, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(cmd), "")
		assert.NoError(t, err, cmd)
	}
}

func TestImage(t *testing.T) {
	s := canonicalSample(t, "sn2410", "4.3.0", 1)
	s.sw.Ports[0].Name = "swp50s1"
	im := Target.Image(s.sw)
	assert.Contains(t, im.Files[Path], ".priority_source.8021p")
	var names []string
	for _, n := range im.Netdevs {
		names = append(names, n.Name)
	}
	assert.Equal(t, "eth0", names[0])
	assert.Equal(t, []string{"swp48", "swp49", "swp50s0", "swp50s1", "swp51", "swp52"}, names[48:54],
		"split in two, which is enough for s1")
	assert.Contains(t, im.Files[portsConf], "\n50=2x\n")
	s.sw.Ports[0].Name = "swp50s2"
	assert.Contains(t, Target.Image(s.sw).Files[portsConf], "\n50=4x\n")
	s.sw.Ports[0].Name = "swp50s1"
	assert.Equal(t, sim.Config{Conf: Path, Unit: "switchd.service", Reload: steps.ReloadNode, Checker: true},
		targettest.Sim[*sim.Switchd](im.Sims).Config)
	for _, tt := range []struct{ version, has, hasNot string }{
		{"3.4.3", "traffic.packet_priority_source = ", "source_set"},
		{"3.7.16", "packet_priority_source_set = [802.1p,dscp]", "cable_length"},
	} {
		im := Target.Image(canonicalSample(t, "sn2700", tt.version, 1).sw)
		assert.Contains(t, im.Files[Path], tt.has)
		assert.NotContains(t, im.Files[Path], tt.hasNot)
		assert.Equal(t, sim.Config{Conf: Path, Unit: "switchd.service"}, targettest.Sim[*sim.Switchd](im.Sims).Config)
	}
	for tag, want := range map[string]string{"t1": "T1", "t2": "T2", "t3": "T3", "t4": "T3"} {
		lines, err := grammar.Parse([]byte(factoryFile(tag)))
		require.NoError(t, err)
		_, doc, _ := documented("3.4.3")
		assert.Equal(t, want, doc.Shown(lines).Dialect(), "the file of the factory shows its dialect")
	}
	assert.Equal(t, "Cumulus Linux 4.3.0, Spectrum", Target.About(s.sw))
}
