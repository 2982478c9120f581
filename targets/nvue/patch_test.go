package nvue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/sim"
	"github.com/rocec/rocec/targets/nvue/steps"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// simulated is a switch with nv. If a set is set again, it is joined or replaced, as configured.
func simulated(release string, replaces bool) *lab.Device {
	image := func(*ir.Device) target.Image {
		c := sim.Config{Release: release, Model: "SN4700", Spectrum: 3, SetsReplace: replaces}
		var devs []target.Netdev
		for i := range 32 {
			name := fmt.Sprintf("swp%d", i+1)
			c.Ports = append(c.Ports, sim.Port{Name: name, SpeedMbps: 100_000, MTU: 9216, Meters: 3})
			devs = append(devs, target.Netdev{Name: name, MTU: 9216})
		}
		n := sim.New(c)
		return target.Image{Files: n.Files(), Sims: []target.Sim{n}, Netdevs: devs}
	}
	return lab.NewDevice(&target.Device{Name: "tor1", Role: target.Switch, Target: &target.Target{User: "cumulus", Image: image}})
}

// nv runs a command, which must succeed.
func nv(t *rapid.T, d *lab.Device, cmd string) string {
	out, errs, status := d.Run(t.Context(), "cumulus", "nv "+cmd, "")
	require.Equal(t, 0, status, "%s\n%s%s", cmd, out, errs)
	return out
}

// stage patches a switch with documents, as YAML or as commands.
func stage(t *rapid.T, d *lab.Device, docs []grammar.Doc, commands bool) {
	for _, doc := range docs {
		text := doc.YAML()
		if commands {
			text = nvCommands(doc)
		}
		d.WriteFile("/tmp/patch", text, 0o644)
		nv(t, d, "config patch /tmp/patch")
	}
}

// shows compares the tree that a switch shows with another one.
func shows(t *rapid.T, d *lab.Device, revision, want string) {
	got := nv(t, d, "config show -r "+revision)
	require.Equal(t, string((&grammar.Config{Set: tree(t, want)}).YAML()), string((&grammar.Config{Set: tree(t, got)}).YAML()))
}

// drawn returns a random tree of profiles and pools, with foreign parts.
func drawn(t *rapid.T, name string) *grammar.Tree {
	root := grammar.Map()
	put := func(value *grammar.Tree, path string) {
		if rapid.IntRange(0, 2).Draw(t, name+" has "+path) > 0 {
			root.Put(strings.Split(path, "."), value)
		}
	}
	priorities := func(path string) {
		set := grammar.Map()
		for _, p := range rapid.SliceOfNDistinct(rapid.IntRange(0, 7), 0, 4, rapid.ID[int]).Draw(t, name+" "+path) {
			set.Kids[fmt.Sprint(p)] = grammar.Map()
		}
		put(set, path)
	}
	for _, p := range []string{"default-global", "rocec-5m", "others"} {
		priorities("qos.pfc." + p + ".switch-priority")
		put(grammar.Number(fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "metres"))), "qos.pfc."+p+".cable-length")
		put(grammar.Text("enable"), "qos.pfc."+p+".tx")
	}
	for _, p := range []string{"default-lossy", "default-lossless", "roce-lossless"} {
		priorities("qos.traffic-pool." + p + ".switch-priority")
		put(grammar.Number("50"), "qos.traffic-pool."+p+".memory-percent")
	}
	for _, r := range []string{"0-3", "4,5", "6"} {
		put(grammar.Number(fmt.Sprint(len(r))), "qos.egress-queue-mapping.default-global.switch-priority."+r+".traffic-class")
	}
	put(grammar.Text("both"), "interface.swp3-5.qos.mapping.profile")
	put(grammar.Text("swp"), "interface.swp3-5.type")
	put(grammar.Text("swp"), "interface.swp4.type")
	put(grammar.Map(), "qos.roce")
	put(grammar.Text("both"), "qos.mapping.default-global.trust")
	put(grammar.Text("rocec-5m"), "interface.swp1.qos.pfc.profile")
	put(grammar.Text("swp"), "interface.swp1.type")
	put(grammar.Map(), "interface.swp2")
	put(grammar.Text("tor1"), "system.hostname")
	return root
}

// TestPatchBySwitch: for any two trees, the documents of their patch turn one into the other. It does not matter whether the switch joins
// or replaces sets, and whether the documents are loaded as YAML or as commands.
func TestPatchBySwitch(t *testing.T) {
	switches := map[bool]*lab.Device{false: simulated("5.9.0", false), true: simulated("5.9.0", true)}
	rapid.Check(t, func(t *rapid.T) {
		text := func(set *grammar.Tree) string { return string((&grammar.Config{Set: set}).YAML()) }
		before, after := tree(t, text(drawn(t, "before"))), tree(t, text(drawn(t, "after")))
		commands := rapid.Bool().Draw(t, "as commands")
		for _, d := range switches {
			d.WriteFile("/tmp/before", []byte(text(before)), 0o644)
			nv(t, d, "config replace /tmp/before")
			docs := grammar.Patch(before, after)
			stage(t, d, docs, commands)
			shows(t, d, "pending", text(after))
			require.Empty(t, grammar.Patch(tree(t, nv(t, d, "config show -r pending")), after), "nothing is left to patch")
			nv(t, d, "config detach")
		}
	})
}

// TestRoundTrip: a switch with a factory's tree gets the patch of one fabric and then the patch of another. It then shows the wanted tree
// with all settings of others, and the next patch is empty. Without -whole the test ends after 25 pairs, if each kind of patch was among
// them.
func TestRoundTrip(t *testing.T) {
	fact := factory(t)
	pairs, kinds := 0, map[string]int{}
	enough := func() bool { return !*whole && pairs >= 25 && len(kinds) == 8 }
	one := targettest.Until(enough, func(rt *rapid.T) {
		replaced := rapid.Bool().Draw(rt, "sets are replaced")
		d := simulated("5.9.0", replaced)
		d.WriteFile("/tmp/factory", []byte(fact), 0o644)
		nv(rt, d, "config patch /tmp/factory")
		nv(rt, d, "config apply -y")
		ours := map[string]bool{}
		for range 2 {
			text, release := random(rt)
			text = strings.Replace(text, release, "5.9.0", 1)
			w, ds := nvue.For(find(t, compilertest.Compile(t, text), "tor1"), nvue.ReplacePreset)
			require.False(rt, ds.HasErrors())
			form := rapid.SampledFrom([]string{"yaml", "json"}).Draw(rt, "form")
			have := nv(rt, d, "config show -o "+form)
			want, ds := w.Edit([]byte(have))
			require.Empty(rt, ds)
			docs, err := nvue.Patch([]byte(have), want)
			require.NoError(rt, err)
			step, _ := w.File().Choose([]byte(have), want, nil)
			require.NoError(rt, steps.Check(commands.Sum([]byte(have)), []byte(step.Stdin)), step.Stdin)
			asCommands := rapid.Bool().Draw(rt, "as commands")
			stage(rt, d, docs, asCommands)
			if len(docs) > 0 {
				nv(rt, d, "config apply -y")
			}
			shows(rt, d, "applied", string(want))
			again, ds := w.Edit([]byte(nv(rt, d, "config show")))
			require.Empty(rt, ds)
			require.True(rt, tree(rt, string(want)).Equal(tree(rt, string(again))))
			require.Empty(rt, nv(rt, d, "config diff"))
			for _, k := range w.Keys([]byte(fact)) {
				ours[k.Name] = ours[k.Name] || k.Ours
			}
			keepsForeign(rt, d, fact, ours)
			kinds[fmt.Sprint(replaced, form, asCommands)]++
		}
		pairs++
	})
	for round := 0; round < 1 || round < 20 && len(kinds) < 8; round++ { // with -short there are only a few rounds
		rapid.Check(t, one)
	}
	require.Len(t, kinds, 8)
}

// keepsForeign checks that a switch shows every setting of a tree that is not rocec's.
func keepsForeign(t *rapid.T, d *lab.Device, before string, ours map[string]bool) {
	now := tree(t, nv(t, d, "config show"))
	kept := 0
	tree(t, before).Leaves(func(l grammar.Leaf) {
		if !ours[grammar.Spell(l.Path)] {
			kept++
			have := now.Get(l.Path...)
			table := l.IsMap() && len(l.Path) == 2 && l.Path[0] == "qos" // an empty table of profiles equals a missing one
			require.True(t, l.Equal(have) || table, grammar.Spell(l.Path))
		}
	})
	require.Greater(t, kept, 20)
}
