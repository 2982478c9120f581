package nvue_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/lint"
)

func tree(t require.TestingT, text string) *grammar.Tree {
	cfg, err := grammar.Read([]byte(text))
	require.NoError(t, err, "%s", text)
	return cfg.Set
}

func factory(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile("testdata/factory.yaml")
	require.NoError(t, err)
	return string(b)
}

// valid requires that a release has every path of a tree, and accepts every value. Combinations of settings are checked elsewhere.
func valid(t require.TestingT, release, text string) {
	r, ok := grammar.ParseRelease(release)
	require.True(t, ok)
	for _, d := range lint.Check("nvue.yaml", []byte(text), r) {
		require.NotContains(t, []string{"conf-nvue-tree", "conf-nvue-path", "conf-nvue-value", "conf-nvue-word"}, d.Code, d.Detail)
	}
}

// nvCommands writes a patch as lines of nv.
func nvCommands(d grammar.Doc) []byte {
	if d.Unset {
		return grammar.Commands("unset", d.Tree)
	}
	return grammar.Commands("set", d.Tree)
}

// TestGolden: the configuration of a rack, from nothing and into the tree of a factory, at releases with different spellings, and the
// requests to a switch.
func TestGolden(t *testing.T) {
	for _, release := range []string{"5.4.0", "5.9.0", "5.17.0"} {
		d := device(t, strings.Replace(rack, "5.9.0", release, 1), "tor1")
		w := wish(t, d, nvue.AskPreset)
		for name, old := range map[string]string{"fresh": "", "factory": factory(t)} {
			got := edit(t, w, old)
			valid(t, release, got)
			docs, err := nvue.Patch([]byte(old), []byte(got))
			require.NoError(t, err)
			var b strings.Builder
			for _, doc := range docs {
				b.Write(nvCommands(doc))
			}
			if name == "fresh" {
				golden(t, "rack-"+release+".yaml", got)
			} else {
				golden(t, "rack-"+release+".commands", b.String())
			}
		}
	}
}

var (
	update = flag.Bool("update", false, "rewrite testdata")
	whole  = flag.Bool("whole", false, "100 pairs of fabrics for a round trip, rather than 25")
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// everything returns the switches in the examples that rocec can configure.
func everything(t testing.TB, release string) []*ir.Device {
	var out []*ir.Device
	all := examples(t, release)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, d := range all[name].Devices {
			if d.Switch == nil || d.ByHand != nil || d.Switch.Version != release {
				continue
			}
			if ds := nvue.Check(d); ds.HasErrors() {
				require.Equal(t, "nvue-chip", ds[0].Code, "%s: %s", d.Name, ds[0].Detail)
				continue
			}
			out = append(out, d)
		}
	}
	require.Greater(t, len(out), 20)
	return out
}

// TestEditLaws: editing twice equals editing once, settings of others stay, and the result is valid for the release. The patch changes
// the switch to this result, and the next patch is empty.
func TestEditLaws(t *testing.T) {
	for i, release := range []string{"5.4.0", "5.14.0", "5.15.0"} {
		for n, d := range everything(t, release) {
			if n%3 != i {
				continue
			}
			w := wish(t, d, nvue.ReplacePreset)
			for _, old := range []string{"", factory(t), "qos: {roce: {}}", "- set: {qos: {roce: {mode: lossy, enable: 'on'}}}"} {
				laws(t, w, release, old)
			}
		}
	}
}

func laws(t require.TestingT, w *nvue.Wish, release, old string) {
	out, ds := w.Edit([]byte(old))
	require.Empty(t, ds)
	again, ds := w.Edit(out)
	require.Empty(t, ds)
	require.Equal(t, string(out), string(again))
	valid(t, release, string(out))

	before, after := tree(t, old), tree(t, string(out))
	ours, mentioned := map[string]bool{}, map[string]bool{}
	for _, k := range append(w.Keys([]byte(old)), w.Keys(out)...) {
		mentioned[k.Name] = true
		ours[k.Name] = ours[k.Name] || k.Ours
	}
	after.Leaves(func(l grammar.Leaf) { require.True(t, mentioned[grammar.Spell(l.Path)]) })
	before.Leaves(func(l grammar.Leaf) {
		name := grammar.Spell(l.Path)
		if got := after.Get(l.Path...); !ours[name] && !(got.IsMap() && l.IsMap()) {
			require.True(t, l.Equal(got), "%s is not rocec's, and was %s", name, l.Shown())
		}
	})
	after.Leaves(func(l grammar.Leaf) {
		if name := grammar.Spell(l.Path); !ours[name] {
			require.True(t, l.Equal(before.Get(l.Path...)), "%s is not rocec's, and came", name)
		}
	})

	docs, err := nvue.Patch([]byte(old), out)
	require.NoError(t, err)
	for _, doc := range docs {
		if doc.Unset {
			doc.Tree.Leaves(func(l grammar.Leaf) { before.Delete(l.Path, len(l.Path)) })
			continue
		}
		doc.Tree.Leaves(func(l grammar.Leaf) { require.True(t, before.Put(l.Path, l.Clone())) })
	}
	require.Equal(t, string((&grammar.Config{Set: after}).YAML()), string((&grammar.Config{Set: before}).YAML()))
}

// TestEditForeign: settings of others stay byte for byte in canonical form, anywhere in the tree.
func TestEditForeign(t *testing.T) {
	d := device(t, rack, "tor1")
	w := wish(t, d, nvue.AskPreset)
	rapid.Check(t, func(t *rapid.T) {
		set := tree(t, "{}")
		for range rapid.IntRange(0, 12).Draw(t, "settings") {
			path := strings.Fields(rapid.SampledFrom([]string{
				"system hostname", "interface swp1 link mtu", "interface swp1 qos egress-shaper profile", "interface swp9 qos pfc profile",
				"qos pfc others tx", "qos pfc rocec-old tx", "qos pfc default-global cable-length", "qos congestion-control default-global x",
				"qos egress-shaper a b", "interface swp9 qos mapping profile", "interface swp10 qos remark profile", "acl a rule 10 action",
				"qos mapping rocec-old trust", "interface swp2 qos pfc profile", "qos mapping default-global dscp 26 switch-priority",
			}).Draw(t, "path"))
			value := rapid.SampledFrom([]string{"a", "rocec-old", "9000", "on", "both", "it's", "4"}).Draw(t, "value")
			set.Put(path, grammar.Text(value))
		}
		old := string((&grammar.Config{Set: set}).YAML())
		out, ds := w.Edit([]byte(old))
		require.Empty(t, ds)
		after := tree(t, string(out))
		foreign := map[string]string{}
		for _, k := range w.Keys([]byte(old)) {
			if !k.Ours {
				foreign[k.Name] = k.Value
			}
		}
		after.Leaves(func(l grammar.Leaf) {
			if v, ok := foreign[grammar.Spell(l.Path)]; ok {
				require.Equal(t, v, l.Shown())
				delete(foreign, grammar.Spell(l.Path))
			}
		})
		require.Empty(t, foreign)
		after.Leaves(func(l grammar.Leaf) {
			require.NotContains(t, l.Path, "rocec-old", "objects that rocec once declared are gone")
			if l.Path[0] == "interface" && l.Path[len(l.Path)-1] == "profile" && l.Path[3] != "egress-shaper" {
				require.NotEqual(t, "rocec-old", l.Value, "nothing is bound to them")
			}
		})
		again, _ := w.Edit(out)
		require.Equal(t, string(out), string(again))
	})
}

// TestEditOrder: the order in which cables and groups are declared does not affect the result.
func TestEditOrder(t *testing.T) {
	parts := strings.Split(strings.TrimSpace(rack), "\n\n")
	want := edit(t, wish(t, device(t, rack, "tor1"), nvue.AskPreset), factory(t))
	slices.Reverse(parts)
	assert.Equal(t, want, edit(t, wish(t, device(t, strings.Join(parts, "\n\n"), "tor1"), nvue.AskPreset), factory(t)))
}

// TestPitfalls: known pitfalls of NVUE's trees, one by one.
func TestPitfalls(t *testing.T) {
	d := device(t, rack, "tor1")
	w := wish(t, d, nvue.AskPreset)
	fresh := edit(t, w, "")
	t.Run("numbers and on in quotes", func(t *testing.T) {
		assert.NotRegexp(t, `(?m)^ +[0-9]+:`, fresh, "a key that is a number is in quotes")
		out := edit(t, w, "qos: {}\nsystem: {config: {auto-save: {enable: on}}}")
		assert.Contains(t, out, "enable: 'on'")
	})
	t.Run("the cable length is always set", func(t *testing.T) {
		set := tree(t, fresh)
		for _, p := range set.Get("qos", "pfc").Keys() {
			n, ok := grammar.Whole(set.Get("qos", "pfc", p, "cable-length"))
			assert.True(t, ok && n >= 3, p)
		}
		assert.Equal(t, "rocec-5m", set.Get("interface", "swp1", "qos", "pfc", "profile").Value, "3 m")
		assert.Equal(t, "rocec-40m", set.Get("interface", "swp10", "qos", "pfc", "profile").Value, "32 m")
		assert.NotContains(t, fresh, "roce:")
	})
	t.Run("pools before PFC", func(t *testing.T) {
		set := tree(t, edit(t, w, factory(t)))
		assert.Len(t, set.Get("qos", "traffic-pool", "default-lossy", "switch-priority").Keys(), 8, "in the form of the switch")
		assert.Equal(t, "50", set.Get("qos", "traffic-pool", "default-lossy", "memory-percent").Value)
		assert.Equal(t, "50", set.Get("qos", "traffic-pool", "default-lossless", "memory-percent").Value)
	})
	t.Run("nothing unmarked is lossless", func(t *testing.T) {
		zero := strings.Replace(rack, "cos      = 3", "cos      = 0", 1)
		m := tree(t, edit(t, wish(t, device(t, zero, "tor1"), nvue.AskPreset), "")).Get("qos", "mapping", "default-global")
		assert.Equal(t, "0", m.Get("dscp", "26", "switch-priority").Value)
		assert.NotEqual(t, "0", m.Get("dscp", "0", "switch-priority").Value)
		assert.NotEqual(t, "0", m.Get("port-default-sp").Value)
	})
	t.Run("every key is a single one", func(t *testing.T) {
		set := tree(t, edit(t, w, factory(t)))
		queues := set.Get("qos", "egress-queue-mapping", "default-global", "switch-priority")
		for _, k := range append(set.Get("interface").Keys(), queues.Keys()...) {
			assert.NotContains(t, k, ",")
			assert.NotContains(t, k, "-")
		}
	})
	t.Run("members of bonds", func(t *testing.T) {
		old := "interface: {bond1: {bond: {member: {swp1-2: {}}}, type: bond}, swp1: {qos: {pfc: {profile: others}}}}"
		set := tree(t, edit(t, w, old))
		assert.Equal(t, "rocec-5m", set.Get("interface", "bond1", "qos", "pfc", "profile").Value)
		assert.Equal(t, "rocec-ecn", set.Get("interface", "bond1", "qos", "congestion-control", "profile").Value)
		assert.Nil(t, set.Get("interface", "bond1", "qos", "pfc-watchdog"), "the watchdog belongs to ports")
		for _, member := range []string{"swp1", "swp2"} {
			assert.Equal(t, []string{"pfc-watchdog"}, set.Get("interface", member, "qos").Keys(), "NVUE refuses anything else on a member")
		}
	})
	t.Run("a bond with cables of two lengths", func(t *testing.T) {
		for _, member := range []string{"swp1,swp10", "swp10,swp1"} {
			set := tree(t, edit(t, w, "interface: {bond1: {bond: {member: {'"+member+"': {}}}}}"))
			assert.Equal(t, "rocec-40m", set.Get("interface", "bond1", "qos", "pfc", "profile").Value, "headroom for the longer one")
		}
	})
	t.Run("a set is not joined", func(t *testing.T) {
		old := strings.Replace(fresh, "'3': {}", "'2': {}", 1)
		require.NotEqual(t, fresh, old)
		docs, err := nvue.Patch([]byte(old), []byte(edit(t, w, old)))
		require.NoError(t, err)
		require.Len(t, docs, 2)
		assert.Equal(t, "nv unset qos pfc rocec-5m switch-priority 2\n", string(nvCommands(docs[0])))
		assert.Equal(t, "nv set qos pfc rocec-5m switch-priority 3\n", string(nvCommands(docs[1])))
	})
	t.Run("xon is a difference", func(t *testing.T) {
		sized := strings.Replace(rack, "  ecn {", "  pfc {\n    buffer    = 150000\n    xoff      = 40000\n    xon_delta = 2016\n  }\n  ecn {", 1)
		d := device(t, sized, "tor1")
		set := tree(t, edit(t, wish(t, d, nvue.AskPreset), ""))
		p := set.Get("qos", "pfc", set.Get("interface", "swp1", "qos", "pfc", "profile").Value)
		b := d.Ports[0].Buffers()[0]
		assert.Equal(t, fmt.Sprint(b.Size.N), p.Get("port-buffer").Value)
		assert.Equal(t, fmt.Sprint(b.Xoff.N), p.Get("xoff-threshold").Value)
		assert.Equal(t, fmt.Sprint(b.XonDelta.N), p.Get("xon-threshold").Value)
		ds := nvue.Check(d)
		require.Len(t, ds, 1)
		assert.Equal(t, "nvue-xon", ds[0].Code)
	})
	t.Run("the existing spelling", func(t *testing.T) {
		old := strings.ReplaceAll(fresh, ": enable\n", ": enabled\n")
		assert.Equal(t, old, edit(t, w, old), "enabled is enable")
		set := tree(t, edit(t, w, "qos: {congestion-control: {default-global: {traffic-class: {'0': {ecn: enabled}}}}}"))
		assert.Equal(t, "enabled", set.Get("qos", "pfc", "rocec-5m", "tx").Value, "as elsewhere on the switch")
	})
	t.Run("no adaptive routing", func(t *testing.T) {
		old := "router: {adaptive-routing: {enable: 'on'}}\ninterface: {swp1: {router: {adaptive-routing: {enable: 'on'}}}}"
		set := tree(t, edit(t, w, old))
		assert.Equal(t, "on", set.Get("router", "adaptive-routing", "enable").Value)
		assert.Equal(t, "on", set.Get("interface", "swp1", "router", "adaptive-routing", "enable").Value)
		assert.NotContains(t, fresh, "adaptive")
	})
	t.Run("unwanted settings of rocec are removed", func(t *testing.T) {
		old := "qos: {pfc: {default-global: {switch-priority: {5: {}}}, rocec-9m: {tx: enable}}, remark: {default-global: {rewrite: l3}}}\n" +
			"interface: {swp7: {qos: {pfc: {profile: rocec-9m}}}, swp8: {qos: {pfc: {profile: others}}}, swp1: {qos: {remark: {profile: x}}}}"
		set := tree(t, edit(t, w, old))
		assert.Nil(t, set.Get("qos", "pfc", "default-global"))
		assert.Nil(t, set.Get("qos", "pfc", "rocec-9m"))
		assert.Nil(t, set.Get("qos", "remark"))
		assert.Empty(t, set.Get("interface", "swp7").Keys())
		assert.NotNil(t, set.Get("interface", "swp7"), "an interface is a setting by itself")
		assert.Nil(t, set.Get("interface", "swp1", "qos", "remark"))
		assert.Equal(t, "others", set.Get("interface", "swp8", "qos", "pfc", "profile").Value)
	})
	t.Run("both fields trusted", func(t *testing.T) {
		set := tree(t, edit(t, w, "qos: {mapping: {default-global: {trust: both}}}"))
		assert.Equal(t, "both", set.Get("qos", "mapping", "default-global", "trust").Value, "nothing changes for RoCE")
		assert.Equal(t, "l3", tree(t, fresh).Get("qos", "mapping", "default-global", "trust").Value)
	})
}

// TestEditRefuses: if the tree cannot be edited, the switch stays unchanged.
func TestEditRefuses(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"), nvue.AskPreset)
	keep := wish(t, device(t, rack, "tor1"), nvue.KeepPreset)
	apart := strings.Replace(rack, `length = "32m"`, "length = \"32m\"\n  flow_control = \"pause\"", 1)
	for name, c := range map[string]struct {
		w               *nvue.Wish
		text, code, say string
	}{
		"not YAML":     {w, "a: *x", "nvue-tree", "cannot be edited"},
		"twice":        {w, "qos: {}\nqos: {}", "nvue-tree", "line 2: qos occurs twice, first in line 1"},
		"a patch":      {w, "- set: {}\n- unset: {interface: {swp1: {qos: {}}}}", "nvue-tree", "unsets interface.swp1.qos"},
		"a value":      {w, "qos: {pfc: hello}", "nvue-tree", "something above qos.pfc"},
		"a pool":       {w, "qos: {traffic-pool: {mc-lossy: {memory-percent: 20}}}", "nvue-pools", "mc-lossy with 20 %"},
		"lossy preset": {w, "qos: {roce: {mode: lossy}}", "nvue-preset", "which pauses nothing. Change the fabric to fit the preset"},
		"kept lossy":   {keep, "qos: {roce: {mode: lossy}}", "nvue-preset", `the switch block has preset = "keep"`},
		"a bond": {
			wish(t, device(t, apart, "tor1"), nvue.AskPreset), "interface: {bond1: {bond: {member: {'swp1,swp10': {}}}}}",
			"nvue-bond", "swp1 and swp10",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, ds := c.w.Edit([]byte(c.text))
			assert.Nil(t, out)
			require.Len(t, ds, 1)
			assert.Equal(t, c.code, ds[0].Code)
			assert.Contains(t, ds[0].Detail, c.say)
			assert.True(t, ds.HasErrors())
		})
	}
}

// TestPreset: the preset stays if the fabric fits it, is removed if it must be replaced, and is otherwise refused.
func TestPreset(t *testing.T) {
	fits := device(t, rack, "tor1")
	other := device(t, strings.Replace(strings.Replace(rack, "cos      = 3", "cos      = 4", 1), "[26]", "[34]", 1), "tor1")
	const on = "qos: {roce: {enable: 'on', mode: lossless}}"
	set := tree(t, edit(t, wish(t, fits, nvue.AskPreset), on))
	assert.Equal(t, []string{"roce"}, set.Get("qos").Keys(), "nothing in addition to the preset")
	assert.Equal(t, "enable", set.Get("interface", "swp1", "qos", "pfc-watchdog", "state").Value)
	assert.Equal(t, []string{"pfc-watchdog"}, set.Get("interface", "swp1", "qos").Keys())

	set = tree(t, edit(t, wish(t, fits, nvue.KeepPreset), "qos: {roce: {}, pfc: {default-global: {switch-priority: {5: {}}}}}"))
	assert.Equal(t, []string{"roce"}, set.Get("qos").Keys(), "exceptions go")

	set = tree(t, edit(t, wish(t, fits, nvue.ReplacePreset), on))
	assert.Nil(t, set.Get("qos", "roce"), "qos roce: {} would still be on")
	assert.NotNil(t, set.Get("qos", "pfc", "rocec-5m"))

	set = tree(t, edit(t, wish(t, other, nvue.ReplacePreset), on))
	assert.Nil(t, set.Get("qos", "roce"))
	const pool = "qos: {roce: {}, traffic-pool: {roce-lossless: {memory-percent: 50, switch-priority: {3: {}}}}}"
	set = tree(t, edit(t, wish(t, other, nvue.ReplacePreset), pool))
	assert.Equal(t, []string{"default-lossless", "default-lossy"}, set.Get("qos", "traffic-pool").Keys(), "NVUE has one lossless pool")
	for _, p := range []nvue.Preset{nvue.AskPreset, nvue.KeepPreset} {
		out, ds := wish(t, other, p).Edit([]byte(on))
		assert.Nil(t, out)
		require.Len(t, ds, 1)
		assert.Equal(t, "nvue-preset", ds[0].Code)
		assert.Contains(t, ds[0].Detail, "Differences: Lossless priorities are 4; the preset's is 3. ", "plan shows only the detail")
	}
	off := "qos: {roce: {enable: 'off'}}"
	assert.NotContains(t, edit(t, wish(t, other, nvue.AskPreset), off), "roce:\n")
	assert.False(t, grammar.PresetIsOn(tree(t, off)))
	assert.True(t, grammar.PresetIsOn(tree(t, "qos: {roce: {state: enabled}}")))

	var breaks, says int
	for _, x := range wish(t, fits, nvue.AskPreset).Deviations() {
		assert.Regexp(t, `^[A-Z].*\.$`, x.Says)
		says++
		if x.Breaks {
			breaks++
		}
	}
	assert.Zero(t, breaks)
	assert.Equal(t, 5, says)
}

// TestKeys: the settings of a tree that rocec owns, with the reasons for their values.
func TestKeys(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"), nvue.AskPreset)
	f := w.File()
	out, _ := f.Edit([]byte(factory(t)))
	keys := map[string]string{}
	for _, k := range f.Keys(out) {
		keys[k.Name] = fmt.Sprint(k.Value, " ", k.Ours)
	}
	for name, want := range map[string]string{
		"qos.pfc.rocec-5m.cable-length":                      "5 true",
		"qos.pfc.rocec-5m.switch-priority.3":                 "{} true",
		"qos.pfc.others.cable-length":                        "100 false",
		"interface.swp1.qos.pfc.profile":                     "rocec-5m true",
		"interface.swp1.link.mtu":                            "9216 false",
		"interface.swp20.qos.pfc.profile":                    "others false",
		"system.hostname":                                    "tor1 false",
		"interface.lo.ip.address.'10.10.10.1/32'":            "{} false",
		"qos.mapping.default-global.dscp.26.switch-priority": "3 true",
	} {
		assert.Equal(t, want, keys[name], name)
	}
	var why []string
	for _, o := range f.Why("qos.pfc.rocec-5m.cable-length") {
		why = append(why, o.Why)
	}
	assert.Contains(t, why, "rdma is lossless")
	assert.Contains(t, why, "cable of 3 m")
}

// TestLint: mistakes in the tree on a switch are reported, except those that the fabric causes.
func TestLint(t *testing.T) {
	before, rest, _ := strings.Cut(rack, "  ecn {")
	_, after, _ := strings.Cut(rest, "  }\n")
	for _, text := range []string{rack, before + after} {
		f := wish(t, device(t, text, "tor1"), nvue.AskPreset).File()
		fresh, ds := f.Edit(nil)
		require.Empty(t, ds)
		found, foreign := f.Lint(fresh)
		assert.Empty(t, found)
		assert.Empty(t, foreign)
		found, _ = f.Lint([]byte(factory(t)))
		require.Len(t, found, 1)
		assert.Equal(t, "conf-nvue-pool", found[0].Code, "the profile of another person has no pool")
		after, _ := f.Edit([]byte(factory(t)))
		found, _ = f.Lint(after)
		assert.Empty(t, found, "another rule, which plan and verify also run, reports a queue of others without marks")
	}
}

// TestCheck: a setting that the release, the model or the fabric rules out is reported at its line.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct{ old, new, code string }{
		"sound":         {"", "", ""},
		"an old one":    {"5.9.0", "5.3.1", "nvue-release"},
		"a later one":   {"5.9.0", "6.0.0", "nvue-release"},
		"the next one":  {"5.9.0", "5.19.0", "nvue-newer"},
		"another chip":  {`model   = "sn4700"`, `model   = "z9100"`, "nvue-chip"},
		"another group": {"  strict = true\n", "  lossless = true\n", "nvue-lossless-groups"},
		"no delta":      {"  ecn {", "  pfc {\n    buffer    = 150000\n    xoff      = 40000\n    xon_delta = 0\n  }\n  ecn {", "nvue-xon"},
	} {
		t.Run(name, func(t *testing.T) {
			text := rack
			if c.old != "" {
				text = strings.Replace(rack, c.old, c.new, 1)
				require.NotEqual(t, rack, text)
			}
			var codes []string
			ds := nvue.Check(device(t, text, "tor1"))
			for _, d := range ds {
				codes = append(codes, d.Code)
				assert.NotZero(t, d.At.Start.Line)
			}
			if name == "no delta" {
				assert.True(t, ds.HasErrors(), "the switch would refuse the whole revision")
			}
			if c.code == "" {
				assert.Empty(t, codes)
			} else {
				assert.Contains(t, codes, c.code)
			}
		})
	}
}
