package change_test

import (
	"fmt"
	"math/rand/v2"
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

// worst is the gravest verdict on a fabric.
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

// TestBeside: a ring that is lossless on all cables but one, and then on all but another one: while the change goes over it, on all.
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

		beside := change.NewMixtures(f).Beside(held(old, next))
		require.NotNil(t, beside)
		assert.Equal(t, proof.Prone, worst(beside.Joined))
		assert.Equal(t, proof.Free, worst(beside.Before()))
		assert.Empty(t, beside.Ended)
		assert.Nil(t, c.Between("R0", "R1").A().Buffers(), "the fabric stays as it was")
		for _, of := range []*ir.Fabric{beside.Joined, beside.Before()} {
			for i, p := range of.Ports {
				require.Same(t, p, p.Peer().Peer())
				require.Same(t, of, p.Device().Fabric)
				require.Equal(t, f.Ports[i].String(), p.String())
			}
		}

		for name, before := range map[string][]*ir.Settings{"the same": next, "more": whole} {
			assert.Nil(t, change.NewMixtures(f).Beside(held(before, next)), "%s was lossless before: nothing begins", name)
		}
	}
}

// TestBesideTalkers: who was lossless before still sends beside who joins, though no intent names it any more.
func TestBesideTalkers(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 3, 2)
	f := c.Fabric()
	in := f.Intents[0]
	joins, leaves := in.Members[0].NIC, in.Members[2].NIC
	old := settings(f)
	for _, p := range []*ir.Port{joins.Port, joins.Port.Peer()} {
		buffers := p.Buffers()
		p.SetBuffers(nil)
		old[p.Device().ID] = p.Device().Wanted()
		p.SetBuffers(buffers)
	}
	in.Members, leaves.Intents = in.Members[:2], nil
	beside := change.NewMixtures(f).Beside(held(old, settings(f)))
	require.NotNil(t, beside)
	members := func(f *ir.Fabric) (out []string) {
		for _, m := range f.Intents[0].Members {
			out = append(out, m.NIC.Device.Name)
			require.Equal(t, []*ir.Intent{f.Intents[0]}, m.NIC.Intents)
		}
		return out
	}
	first, second, third := joins.Device.Name, in.Members[1].NIC.Device.Name, leaves.Device.Name
	assert.Equal(t, []string{first, second, third}, members(beside.Joined))
	assert.Equal(t, []string{second, third}, members(beside.Before()))
	assert.Equal(t, []string{first, second}, members(f))
}

// classes is who uses which lossless class of a fabric, by cos, and where: on every cable that their packets may take.
type classes map[int][]int // indexes of hosts

// set gives a fabric those classes, and its routes.
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
		users, is := c[cos]
		if !is {
			continue
		}
		g := &ir.CosGroup{Name: fmt.Sprint("group", cos), Cos: cos, DSCP: []ir.Claim{{Value: 8 * cos}}, Lossless: true}
		in := &ir.Intent{Name: g.Name, Version: 2, Group: g}
		for _, i := range users {
			in.Members = append(in.Members, &ir.Member{NIC: hosts[i]})
			hosts[i].Intents = append(hosts[i].Intents, in)
		}
		f.CosGroups, f.Intents = append(f.CosGroups, g), append(f.Intents, in)
		for _, p := range f.Ports {
			uses := func(p *ir.Port) bool {
				return p.NIC == nil || len(p.NIC.Intents) > 0 && p.NIC.Intents[len(p.NIC.Intents)-1] == in
			}
			if uses(p) && uses(p.Peer()) {
				p.SetBuffers(append(p.Buffers(), &ir.Buffer{Group: g}))
			}
		}
	}
	f.Routes = routes.New(f)
}

// TestBesideCovers: whatever settings devices hold while classes end, begin and go on, a loop of them is one of the fabric, of what was
// there before, or of both side by side.
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
			return rapid.MapOfN(rapid.SampledFrom([]int{3, 4}), rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 2, 3, rapid.ID[int]), 1, 2).Draw(t, label)
		}
		f, shared, before, after := ring(), rapid.Bool().Draw(t, "one buffer"), draw("before"), draw("after")
		before.set(f, shared)
		old, was := settings(f), worst(f)
		after.set(f, shared)
		next, is := settings(f), worst(f)
		covered := was == proof.Prone || is == proof.Prone
		if beside := change.NewMixtures(f).Beside(held(old, next)); beside != nil {
			covered = covered || worst(beside.Joined) == proof.Prone
			require.Equal(t, was, worst(beside.Before()), "what was there before is known")
			ended += len(beside.Ended)
		}

		// The fabric with both, less what some device does not hold.
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
			known := map[*ir.NIC]bool{}
			var members []*ir.Member
			for _, m := range in.Members {
				if !known[m.NIC] && m.NIC.Port.Carries(in.Group) != nil {
					members = append(members, m)
				}
				known[m.NIC] = true
			}
			in.Members = members
		}
		f.Routes = routes.New(f)
		if worst(f) == proof.Prone {
			if was != proof.Prone && is != proof.Prone {
				loops++
			}
			require.True(t, covered, "before %v, after %v, stages %v", before, after, stage)
		}
	}
	for round := 0; round < 4 || round < 100 && (loops == 0 || ended == 0); round++ {
		rapid.Check(t, one)
	}
	t.Logf("%d loops stand only on the way, %d classes that end fill the buffers of others", loops, ended)
	assert.NotZero(t, loops)
	assert.NotZero(t, ended)
}
