package change_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate/proof"
)

// worst returns the worst verdict on a fabric.
func worst(f *ir.Fabric) proof.Verdict {
	of := proof.Free
	for _, p := range proof.All(f, ir.NewBudget(1e9)) {
		if p.Verdict != proof.Free && of != proof.Prone {
			of = p.Verdict
		}
	}
	return of
}

func settings(f *ir.Fabric) (out []*ir.Settings) {
	for _, d := range f.Devices {
		out = append(out, d.Wanted())
	}
	return out
}

func held(old, next []*ir.Settings) []change.Held {
	out := make([]change.Held, len(old))
	for i := range out {
		out[i] = change.Held{Old: old[i], New: next[i]}
	}
	return out
}

// TestBeside: before the change one cable of a ring is lossy, after it another one. During the change all cables can be lossless.
func TestBeside(t *testing.T) {
	for _, routing := range []ir.Routing{ir.ShortestPath, ir.AnyPath} {
		c := irtest.Ring(routing, 5)
		f := c.Fabric()
		without := func(l *ir.Link) []*ir.Settings {
			if l != nil {
				a, b := l.A().Buffers(), l.B().Buffers()
				defer func() { l.A().SetBuffers(a); l.B().SetBuffers(b) }()
				l.A().SetBuffers(nil)
				l.B().SetBuffers(nil)
			}
			return settings(f)
		}
		old, next := without(c.Between("R2", "R3")), without(c.Between("R0", "R1"))
		whole := without(nil)
		for _, p := range []*ir.Port{c.Between("R0", "R1").A(), c.Between("R0", "R1").B()} {
			p.SetBuffers(nil)
		}
		f.Routes = routes.New(f)
		require.Equal(t, proof.Free, worst(f))

		joined, ended := change.NewMixtures(f).Beside(held(old, next))
		require.NotNil(t, joined)
		assert.Equal(t, proof.Prone, worst(joined))
		assert.Empty(t, ended)
		assert.Nil(t, c.Between("R0", "R1").A().Buffers(), "the fabric stays as it was")
		for i, p := range joined.Ports {
			require.Same(t, p, p.Peer().Peer())
			require.Same(t, joined, p.Device().Fabric)
			require.Equal(t, f.Ports[i].String(), p.String())
		}

		for name, before := range map[string][]*ir.Settings{"the same": next, "more": whole} {
			joined, _ := change.NewMixtures(f).Beside(held(before, next))
			assert.Nil(t, joined, "%s was lossless before: the change adds nothing", name)
		}
	}
}

// TestBesideUnread: an unread switch is assumed to have the settings of its neighbours. A class ends in one half of a ring, and another
// class begins in the other half. Together they form a loop, whether or not the switch between the halves answers.
func TestBesideUnread(t *testing.T) {
	for _, away := range [][]string{nil, {"R0"}, {"R5", "R0"}} {
		c := irtest.Ring(ir.ShortestPath, 6)
		f := c.Fabric()
		f.Failures = 0
		before, after := classes{3: {{4, 0}, {5, 1}, {0, 2}}}, classes{4: {{1, 3}, {2, 4}, {3, 5}}}
		before.set(f, true)
		old := settings(f)
		require.Equal(t, proof.Free, worst(f))
		after.set(f, true)
		require.Equal(t, proof.Free, worst(f))
		h := held(old, settings(f))
		for i, d := range f.Devices {
			if slices.Contains(away, d.Name) {
				h[i] = change.Held{Away: true}
			}
		}
		joined, ended := change.NewMixtures(f).Beside(h)
		require.NotNil(t, joined)
		assert.Equal(t, proof.Prone, worst(joined), "%v does not answer", away)
		assert.Equal(t, []int{3}, ended)
	}
}

// TestBesideTalkers: a host that was lossless before still sends, although no intent contains it any more, to the members of an intent in
// which another host was lossless.
func TestBesideTalkers(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 5, 2)
	f := c.Fabric()
	in := f.Intents[0]
	var nics []*ir.NIC
	for _, m := range in.Members {
		nics = append(nics, m.NIC)
	}
	old := settings(f)
	for _, n := range nics[2:4] { // these join
		for _, p := range []*ir.Port{n.Port, n.Port.Peer()} {
			buffers := p.Buffers()
			p.SetBuffers(nil)
			old[p.Device().ID] = p.Device().Wanted()
			p.SetBuffers(buffers)
		}
	}
	leaves := nics[4]
	fresh := &ir.Intent{Name: "fresh", Version: 2, Group: in.Group, Members: in.Members[2:4]}
	in.Members, leaves.Intents = in.Members[:2], nil
	for _, n := range nics[2:4] {
		n.Intents = []*ir.Intent{fresh}
	}
	f.Intents = append(f.Intents, fresh)
	joined, _ := change.NewMixtures(f).Beside(held(old, settings(f)))
	require.NotNil(t, joined)
	members := func(in *ir.Intent) (out []string) {
		for _, m := range in.Members {
			out = append(out, m.NIC.Device.Name)
			require.Equal(t, []*ir.Intent{in}, m.NIC.Intents)
		}
		return out
	}
	names := func(of ...*ir.NIC) (out []string) {
		for _, n := range of {
			out = append(out, n.Device.Name)
		}
		return out
	}
	assert.Equal(t, names(nics[0], nics[1], leaves), members(joined.Intents[0]))
	assert.Equal(t, names(nics[2:4]...), members(joined.Intents[1]))
	assert.Equal(t, names(nics[:2]...), members(in))
}

// classes contains the lossless classes of a fabric by cos: for each intent its members, as indexes of hosts. A class is lossless on all
// cables between switches.
type classes map[int][][]int

// set adds the classes to a fabric, and computes its routes.
func (c classes) set(f *ir.Fabric, shared bool) {
	f.CosGroups, f.Intents = nil, nil
	var hosts []*ir.NIC
	for _, d := range f.Devices {
		if d.Switch != nil {
			d.Switch.Can.Shared = shared
			continue
		}
		hosts = append(hosts, d.Host.NICs[0])
		d.Host.NICs[0].Intents = nil
	}
	for _, p := range f.Ports {
		p.SetBuffers(nil)
	}
	for cos := range 8 {
		intents, is := c[cos]
		if !is {
			continue
		}
		g := &ir.CosGroup{Name: fmt.Sprint("group", cos), Cos: cos, DSCP: []ir.Claim{{Value: 8 * cos}}, Lossless: true}
		f.CosGroups = append(f.CosGroups, g)
		users := map[*ir.NIC]bool{}
		for n, of := range intents {
			in := &ir.Intent{Name: fmt.Sprint(g.Name, n), Version: 2, Group: g}
			for _, i := range of {
				in.Members = append(in.Members, &ir.Member{NIC: hosts[i]})
				hosts[i].Intents = append(hosts[i].Intents, in)
				users[hosts[i]] = true
			}
			f.Intents = append(f.Intents, in)
		}
		for _, p := range f.Ports {
			uses := func(p *ir.Port) bool { return p.NIC == nil || users[p.NIC] }
			if uses(p) && uses(p.Peer()) {
				p.SetBuffers(append(p.Buffers(), &ir.Buffer{Group: g}))
			}
		}
	}
	f.Routes = routes.New(f)
}

// TestBesideCovers: while classes begin, end and continue, every loop of a mixture is in the new fabric, in the old settings, or in the
// joined fabric.
func TestBesideCovers(t *testing.T) {
	loops, ended := 0, 0
	one := func(t *rapid.T) {
		n := rapid.IntRange(4, 6).Draw(t, "switches")
		ring := func() *ir.Fabric {
			c := irtest.Ring(ir.ShortestPath, n)
			if rapid.Bool().Draw(t, "chord") {
				c.Link("R0", fmt.Sprint("R", n/2))
			}
			return c.Fabric()
		}
		draw := func(label string) classes {
			talk := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 2, 3, rapid.ID[int])
			return rapid.MapOfN(rapid.SampledFrom([]int{3, 4}), rapid.SliceOfN(talk, 1, 1), 1, 2).Draw(t, label)
		}
		f, shared, before, after := ring(), rapid.Bool().Draw(t, "one buffer"), draw("before"), draw("after")
		before.set(f, shared)
		old, was := settings(f), worst(f)
		after.set(f, shared)
		next, is := settings(f), worst(f)
		joined, of := change.NewMixtures(f).Beside(held(old, next))
		covered := is == proof.Prone || joined == nil && was == proof.Prone || joined != nil && worst(joined) == proof.Prone
		ended += len(of)

		// The fabric with both, without the classes that a device does not have in its stage.
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		both := classes{}
		for _, of := range []classes{before, after} {
			for cos, users := range of {
				both[cos] = append(both[cos], users...)
			}
		}
		both.set(f, shared)
		stage := make([]int, len(f.Devices))
		for i := range stage {
			stage[i] = r.IntN(3)
		}
		holds := func(p *ir.Port, g *ir.CosGroup) bool {
			of := [][]*ir.Settings{{old[p.Device().ID]}, {next[p.Device().ID]}, {old[p.Device().ID], next[p.Device().ID]}}
			for _, s := range of[stage[p.Device().ID]] {
				if s.Port(p.Name).Sends>>g.Cos&1 == 1 {
					return true
				}
			}
			return false
		}
		for _, l := range f.Links {
			var a, b []*ir.Buffer
			for _, g := range f.CosGroups {
				if holds(l.A(), g) && holds(l.B(), g) {
					a, b = append(a, &ir.Buffer{Group: g}), append(b, &ir.Buffer{Group: g})
				}
			}
			l.A().SetBuffers(a)
			l.B().SetBuffers(b)
		}
		for _, in := range f.Intents {
			in.Members = slices.DeleteFunc(in.Members, func(m *ir.Member) bool { return m.NIC.Port.Carries(in.Group) == nil })
		}
		f.Routes = routes.New(f)
		if worst(f) == proof.Prone {
			if was != proof.Prone && is != proof.Prone {
				loops++
			}
			require.True(t, covered, "before %v, after %v, stages %v", before, after, stage)
		}
	}
	for round := 0; round < 1 || round < 100 && (loops == 0 || ended == 0); round++ {
		rapid.Check(t, one)
	}
	t.Logf("%d loops exist only during the change, %d ended classes fill the buffers of others", loops, ended)
	assert.NotZero(t, loops)
	assert.NotZero(t, ended)
}
