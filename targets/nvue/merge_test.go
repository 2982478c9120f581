package nvue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/sim"
	"github.com/rocec/rocec/targets/target"
)

// theirs is a simulated switch that another tool configures.
type theirs struct {
	t *testing.T
	*lab.Device
}

func bootTheirs(t *testing.T, release string) theirs {
	var ports []sim.Port
	for i := range 12 {
		ports = append(ports, sim.Port{Name: fmt.Sprintf("swp%d", i+1), SpeedMbps: 100_000, MTU: 9216, Meters: 3})
	}
	image := func(*ir.Device) target.Image {
		n := sim.New(sim.Config{Release: release, Model: "SN4700", Spectrum: 3, Ports: ports})
		img := target.Image{Files: n.Files(), Sims: []target.Sim{n}}
		for _, p := range ports {
			img.Netdevs = append(img.Netdevs, target.Netdev{Name: p.Name, MTU: p.MTU})
		}
		return img
	}
	return theirs{t, lab.NewDevice(&target.Device{Name: "tor1", Role: target.Switch, Target: &target.Target{User: "cumulus", Image: image}})}
}

// nv runs a command. It returns the output, or the message of a command that failed.
func (b theirs) nv(cmd string) (out, failed string) {
	out, errs, status := b.Run(b.t.Context(), "cumulus", "nv "+cmd, "")
	if status != 0 {
		return out, out + errs
	}
	return out, ""
}

// merge loads and applies a patch as other tools do. failed: the patch is not applied, and nothing is pending.
func (b theirs) merge(text []byte) (failed string) {
	b.WriteFile("/tmp/patch", text, 0o644)
	if _, failed = b.nv("config patch /tmp/patch"); failed == "" {
		_, failed = b.nv("config apply -y")
	}
	if failed != "" {
		b.nv("config detach")
	}
	return failed
}

func (b theirs) show() string {
	out, failed := b.nv("config show")
	require.Empty(b.t, failed)
	return out
}

// canonical returns a tree in the form of a live state.
func canonical(t require.TestingT, text string) []byte {
	return (&grammar.Config{Set: tree(t, text)}).YAML()
}

// alike reports whether two values of a setting are equal for a switch: on has two spellings, and rocec keeps an existing trust in both
// fields.
func alike(path string, a, b *grammar.Tree) bool {
	if a.Equal(b) {
		return true
	}
	x, ok := grammar.On(a)
	y, is := grammar.On(b)
	both := path == "qos.mapping.default-global.trust" && (a.Shown() == "both" || b.Shown() == "both")
	return ok && is && x == y || both
}

// foreign are settings of others, each with the words of nv set. None of them excludes another.
var foreign = []string{
	"system hostname tor1", "system config auto-save MODE", "acl a rule 10 action permit", "interface swp1 link mtu 9216",
	"interface swp9 qos pfc profile others", "interface swp1 qos pfc profile others", "interface swp1 qos egress-shaper profile slow",
	"interface swp3 qos mapping profile theirs", "interface swp1 qos remark profile theirs", "interface swp9 qos remark profile theirs",
	"qos pfc rocec-5m switch-priority 2", "qos pfc rocec-9m tx enable", "qos pfc default-global cable-length 7",
	"qos pfc default-global switch-priority 5", "qos mapping default-global trust both",
	"qos mapping default-global dscp 26 switch-priority 4",
	"qos mapping default-global dscp 63 switch-priority 1", "qos remark default-global rewrite l3",
	"qos congestion-control theirs traffic-class 2 ecn enable",
	"qos congestion-control rocec-ecn traffic-class 7 ecn enable", "qos egress-scheduler rocec-egress traffic-class 5 mode strict",
	"qos egress-queue-mapping default-global switch-priority 3 traffic-class 1", "qos traffic-pool default-lossy memory-percent 60",
	"qos roce", "interface bond1 bond member swp1", "qos traffic-pool mc-lossy memory-percent 20",
}

// base declares the objects that the settings above refer to.
const base = "nv set qos pfc others switch-priority 4\nnv set qos mapping theirs trust l2\nnv set qos remark theirs rewrite l2\n" +
	"nv set qos egress-shaper slow traffic-class 3 max-rate 1000\n"

// TestMerge: other tools can merge either form of rocec's settings by NVUE's own patch. The switch then has the settings of apply,
// whatever others have set before. The test lists the settings that a merge cannot remove, and no other setting differs.
func TestMerge(t *testing.T) {
	merged, stale, refused := 0, 0, 0
	one := func(rt *rapid.T) {
		text, release := random(rt)
		d := find(t, compilertest.Compile(t, text), "tor1")
		w, ds := nvue.For(d, nvue.ReplacePreset)
		require.False(rt, ds.HasErrors())
		f := w.File()
		b := bootTheirs(t, release)
		mode := "enable on"
		if r, _ := grammar.ParseRelease(release); r.AtLeast(5, 15) {
			mode = "state enabled"
		}
		var old strings.Builder
		old.WriteString(base)
		for _, line := range rapid.SliceOfNDistinct(rapid.SampledFrom(foreign), 0, 8, rapid.ID).Draw(rt, "foreign") {
			old.WriteString("nv set " + strings.Replace(line, "MODE", mode, 1) + "\n")
		}
		if b.merge([]byte(old.String())) != "" {
			return // they contradict each other
		}
		before := b.show()
		fragment, ds := f.Edit(nil)
		require.Empty(rt, ds)
		form := f.Forms[rapid.IntRange(0, len(f.Forms)-1).Draw(rt, "form")]
		if failed := b.merge(form.Of(fragment)); failed != "" {
			refused++
			require.Equal(rt, before, b.show(), "no part is applied")
			require.Regexp(rt, `member of bond1|sum of memory-percent|lossless pool|exclude each other`, failed, old.String())
			out, ds := w.Edit([]byte(before))
			require.True(rt, ds.HasErrors() || string(out) != string(canonical(rt, before)), "plan lists the difference")
			return
		}
		merged++
		after := canonical(rt, b.show())
		want, ds := w.Edit(after)
		require.Empty(rt, ds, "%v", ds)
		is, should := tree(rt, string(after)), tree(rt, string(want))
		should.Leaves(func(l grammar.Leaf) {
			have := is.Get(l.Path...)
			require.True(rt, have != nil && alike(grammar.Spell(l.Path), have, l.Tree), "%s differs from apply's result", grammar.Spell(l.Path))
		})
		was, differs := tree(rt, before), deploy.Differs(&f, after)
		require.Equal(rt, differs != "", string(after) != string(want))
		is.Leaves(func(l grammar.Leaf) {
			if should.Get(l.Path...) != nil || l.IsMap() && len(l.Kids) == 0 && l.Path[0] == "interface" && len(l.Path) == 2 {
				return
			}
			stale++
			require.NotNil(rt, was.Get(l.Path...), "%s is in the fragment, and apply would remove it", grammar.Spell(l.Path))
			require.Contains(rt, differs, grammar.Spell(l.Path)+" is there")
		})

		direct, ds := w.Edit([]byte(before)) // apply would have removed the setting
		require.Empty(rt, ds)
		applied := tree(rt, string(direct))
		for _, of := range [][2]*grammar.Tree{{applied, should}, {should, applied}} {
			of[0].Leaves(func(l grammar.Leaf) {
				have := of[1].Get(l.Path...)
				require.True(rt, have != nil && alike(grammar.Spell(l.Path), have, l.Tree), "%s", grammar.Spell(l.Path))
			})
		}
	}
	for round := 0; round < 1 || round < 20 && (merged <= 40 || stale <= 20 || refused == 0); round++ { // with -short only a few
		rapid.Check(t, one)
	}
	require.Greater(t, merged, 40)
	require.Greater(t, stale, 20)
	require.Positive(t, refused)
}

// TestForms: both forms of the rendered tree have the same settings.
func TestForms(t *testing.T) {
	for _, release := range []string{"5.4.0", "5.15.0"} {
		f := wish(t, device(t, strings.Replace(rack, "5.9.0", release, 1), "tor1"), nvue.AskPreset).File()
		whole, ds := f.Edit(nil)
		require.Empty(t, ds)
		require.Equal(t, []string{nvue.TreePath, nvue.CommandsPath}, []string{f.Forms[0].Path, f.Forms[1].Path})
		require.Equal(t, string(whole), string(f.Forms[0].Of(whole)))
		for line := range strings.Lines(string(f.Forms[1].Of(whole))) {
			require.Regexp(t, `^nv set (qos|interface) [a-z0-9 -]+\n$`, line)
		}
		data, err := json.Marshal(f.Data(whole))
		require.NoError(t, err)
		var doc map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &doc))
		assert.Equal(t, string(whole), string(canonical(t, string(doc["nvue"]))), "numbers are numbers, and texts are texts")
	}
	f := wish(t, device(t, rack, "tor1"), nvue.AskPreset).File()
	assert.Empty(t, f.Forms[1].Of([]byte("a: *x")), "a text that is not a tree has no lines")
	assert.Empty(t, f.Data([]byte("a: *x")))
}

// TestBuiltForBonds: if a port is in a bond, and the host at its other end balances too, the built tree has settings for the port, which
// NVUE refuses. rocec reports that before the merge.
func TestBuiltForBonds(t *testing.T) {
	const card = "    model = \"connectx-6\"\n  }\n"
	const bonded = card + "  nic \"ens1f1\" {\n" + card + "  bond \"bond0\" {\n    nics = [\"ens1f0\", \"ens1f1\"]\n    mode = MODE\n  }\n"
	const second = "link \"second\" {\n  a = \"store[1-4]:ens1f1\"\n  b = \"tor1:swp3-6\"\n  speed  = \"100G\"\n  length = \"3m\"\n}\n"
	for mode, bonds := range map[string]bool{`"802.3ad"`: true, `"balance-xor"`: true, `"active-backup"`: false} {
		text := strings.Replace(rack, card, strings.Replace(bonded, "MODE", mode, 1), 1) + second
		d := device(t, text, "tor1")
		var codes []string
		for _, found := range nvue.Check(d) {
			codes = append(codes, found.Code)
		}
		f := wish(t, d, nvue.AskPreset).File()
		whole, ds := f.Edit(nil)
		require.Empty(t, ds)
		b := bootTheirs(t, "5.9.0")
		require.Empty(t, b.merge([]byte("nv set interface bond1 bond member swp1\nnv set interface bond1 bond member swp3\n")))
		assert.Contains(t, b.merge(f.Forms[0].Of(whole)), "QoS is not supported on a member of bond1")
		if bonds {
			assert.Equal(t, []string{"nvue-bond-name"}, codes, mode)
		} else {
			assert.Empty(t, codes, mode)
		}
	}
}
