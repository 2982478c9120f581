package routes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// circular reports whether the buffers wait for each other in a cycle.
func circular(f *ir.Fabric, t *ir.Turns) bool {
	waits := make([]int, len(f.Ports)) // by in-port: the number of buffers that it waits for
	before := make([][]int, len(f.Ports))
	left := 0
	for turn := range turnsOf(f, t) {
		waits[turn.In.ID]++
		next := turn.Out.Peer().ID
		before[next] = append(before[next], turn.In.ID)
		left++
	}
	var free []int
	for i, n := range waits {
		if n == 0 {
			free = append(free, i)
		}
	}
	for ; len(free) > 0; free = free[1:] {
		for _, i := range before[free[0]] {
			left--
			if waits[i]--; waits[i] == 0 {
				free = append(free, i)
			}
		}
	}
	return left > 0
}

// rises reports whether some turn goes up again after coming down.
func rises(f *ir.Fabric, t *ir.Turns) bool {
	for turn := range turnsOf(f, t) {
		at := turn.In.Device().Switch.Tier
		if turn.In.Peer().Device().Switch.Tier > at && turn.Out.Peer().Device().Switch.Tier > at {
			return true
		}
	}
	return false
}

// between returns the cables between switches.
func between(f *ir.Fabric) []*ir.Link {
	var out []*ir.Link
	for _, l := range f.Links {
		if l.A().Device().Switch != nil && l.B().Device().Switch != nil {
			out = append(out, l)
		}
	}
	return out
}

// failing calls each with every set of at most the given number of links.
func failing(links []*ir.Link, most int, each func(down []*ir.Link)) {
	var choose func(down []*ir.Link, from int)
	choose = func(down []*ir.Link, from int) {
		each(down)
		for i := from; i < len(links) && len(down) < most; i++ {
			choose(append(slices.Clone(down), links[i]), i+1)
		}
	}
	choose(nil, 0)
}

func turnsIn(t require.TestingT, f *ir.Fabric, s ir.State) *ir.Turns {
	turns, err := f.Routes.Turns(f.CosGroups[0], s)
	require.NoError(t, err)
	return turns
}

// T17 and T19: with the AS numbers of RFC 7938, no failure makes a valley. With different numbers for all switches (T15, T18) the same
// failures make a PFC loop.
func TestEBGPPlans(t *testing.T) {
	leafSpine := func(r ir.Routing) *irtest.Cabling { return irtest.LeafSpine(r, 4, 2).UniqueASNs() }
	for _, c := range []struct {
		name     string
		plan     *irtest.Cabling
		most     int
		circular bool
	}{
		{"T17 spines share an AS", leafSpine(ir.EBGP).ASN("S", 65000), 4, false},
		{"T15 every switch is an AS", leafSpine(ir.EBGP), 2, true},
		{"T19 RFC 7938", irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1), 2, false},
		{"T18 every switch is an AS", irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1).UniqueASNs(), 2, true},
		{"cores share an AS, aggs do not", irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1).UniqueASNs().ASN("C", 65000), 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := routed(c.plan)
			found, states := false, 0
			failing(between(f), c.most, func(down []*ir.Link) {
				states++
				turns := turnsIn(t, f, ir.State{Down: down})
				found = found || circular(f, turns)
				if !c.circular {
					require.False(t, rises(f, turns), "%v", down)
					require.Empty(t, turns.Mixed)
				}
			})
			assert.Equal(t, c.circular, found)
			assert.Greater(t, states, 30)
		})
	}
}

// d is reached over a1 (AS 10) and a2 (AS 20). v uses both and passes one of them on. w is also in AS 10, so it accepts only the route over
// a2.
func tiedCabling() *irtest.Cabling {
	c := irtest.New(ir.EBGP)
	c.Links("a1-d a2-d v-a1 v-a2 w-v").Hosts("d", "w")
	return c.UniqueASNs().ASN("a1", 10).ASN("w", 10).ASN("a2", 20)
}

func TestEBGPTies(t *testing.T) {
	c := tiedCabling()
	f := routed(c)
	in := c.Between("w", "v").B()
	turns := turnsIn(t, f, ir.State{})
	assert.Equal(t, ir.MixedTies, turns.Mixed)
	assert.True(t, turns.Has(in, c.Between("v", "a1").A()))
	flow := turns.Witness([]ir.Turn{{In: in, Out: c.Between("v", "a1").A()}})[0]
	require.NotNil(t, flow)
	assert.True(t, flow.Takes(c.Group, in, c.Between("v", "a1").A()))
	assert.Len(t, flow.Ports, 10)

	first := turnsIn(t, f, ir.State{Ties: ir.FirstTie})
	assert.Empty(t, first.Mixed)
	assert.False(t, first.Has(in, c.Between("v", "a1").A()), "w refuses the path over its own AS")
	last := turnsIn(t, f, ir.State{Ties: ir.LastTie})
	assert.Empty(t, last.Mixed)
	assert.True(t, last.Has(in, c.Between("v", "a1").A()))

	down := ir.State{Down: c.Cables("v-a2"), Converging: true}
	assert.Equal(t, ir.MixedTies, turnsIn(t, f, down).Mixed, "before the failure ties mattered")
	down.Ties = ir.LastTie
	assert.Empty(t, turnsIn(t, f, down).Mixed)
}

func TestEBGPConverging(t *testing.T) {
	c := irtest.LeafSpine(ir.EBGP, 4, 4).UniqueASNs().ASN("S", 65000)
	f := routed(c)
	s := ir.State{Down: c.Cables("L0-S1"), Converging: true}
	turns := turnsIn(t, f, s)
	assert.Empty(t, turns.Mixed)
	assert.False(t, circular(f, turns), "a spine that lost its leaf has no other path")
	for turn := range turnsOf(f, turnsIn(t, f, ir.State{Down: s.Down})) {
		require.True(t, turns.Has(turn.In, turn.Out))
	}
}

func TestEBGPErrors(t *testing.T) {
	wide := irtest.New(ir.EBGP)
	for i := range maxPaths + 1 {
		wide.Links(fmt.Sprintf("d-a%d a%d-v x%d-a%d", i, i, i, i))
	}
	wide.Links("v-w").Hosts("d", "w").UniqueASNs()
	for i := range maxPaths + 1 { // every AS occurs twice, so that every AS matters
		wide.Device(fmt.Sprint("x", i)).Switch.ASN = wide.Device(fmt.Sprint("a", (i+1)%(maxPaths+1))).Switch.ASN
	}
	bridge := irtest.LeafSpine(ir.EBGP, 2, 2).UniqueASNs().ASN("S", 1)
	bridge.Link("L0", "L1").Routed = false
	v1 := irtest.LeafSpine(ir.EBGP, 2, 2).UniqueASNs().ASN("S", 1)
	for _, c := range []struct {
		c    *irtest.Cabling
		want string
	}{
		{wide, "many-as-paths v"},
		{irtest.Ring(ir.EBGP, 4), "no-asn R0"},
		{bridge, "bridged-link L0:p3 - L1:p3"},
		{v1, ""},
	} {
		f := routed(c.c)
		if c.c == v1 {
			f.Intents[0].Version = 1
			turns := turnsIn(t, f, ir.State{})
			assert.Empty(t, turnsOf(f, turns), "RoCEv1 crosses no routed link")
			continue
		}
		_, err := f.Routes.Turns(f.CosGroups[0], ir.State{})
		require.EqualError(t, err, `routing "ebgp" cannot be followed: `+c.want)
	}
	for _, ends := range [][2]string{{"L0", "S0"}, {"S0", "L1"}, {"L1", "S1"}, {"S1", "L0"}} {
		l := v1.Link(ends[0], ends[1]) // the group is lossy, because a lossless bridged link is another error
		l.Routed = false
		l.A().SetBuffers(nil)
		l.B().SetBuffers(nil)
	}
	f := routed(v1)
	f.Intents[0].Version = 1
	_, err := f.Routes.Turns(f.CosGroups[0], ir.State{})
	require.EqualError(t, err, `routing "ebgp" cannot be followed: bridged-ring`)
	f = routed(tiedCabling())
	_, err = f.Routes.Turns(f.CosGroups[0], ir.State{Budget: ir.NewBudget(3)})
	require.ErrorIs(t, err, ir.ErrBudget)
}

// If every switch has a different AS number, eBGP takes the shortest paths: with bonds, hosts that forward, groups that bounce, and while
// it converges.
func TestEBGPWithUniqueNumbersIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomCabling(t, ir.EBGP).UniqueASNs()
		converging := rapid.Bool().Draw(t, "converging")
		if !converging && rapid.Bool().Draw(t, "bounce") {
			c.Bounce()
		}
		for _, l := range between(c.F) {
			l.Routed = true
		}
		f := routed(c)
		s := ir.State{Down: failurestest.Down(t, f, 3), Converging: converging}
		for _, g := range f.CosGroups {
			v := f.Routes.(*Router).views[g]()
			vector, err := v.pathVector(s)
			require.NoError(t, err)
			require.Empty(t, vector.Mixed)
			shortest, err := v.shortestPaths(s)
			require.NoError(t, err)
			require.Equal(t, turnNames(f, shortest.Rows), turnNames(f, vector.Rows))
			require.Equal(t, turnNames(f, shortest.Bounced), turnNames(f, vector.Bounced))
		}
	})
}

// turnNames writes turns in the form "h0:p0 > s1:p2", in order of ports.
func turnNames(f *ir.Fabric, rows [][]uint64) []string {
	var out []string
	if rows == nil {
		return nil
	}
	for _, in := range f.Ports {
		for _, o := range in.Device().Ports {
			if (&ir.Turns{Rows: rows}).Has(in, o) {
				out = append(out, fmt.Sprint(in.Peer(), " > ", in.Device().Name, " > ", o.Peer()))
			}
		}
	}
	return out
}

// On every fabric the router returns turns or an error, a flow for every turn, and the same turns on a second call.
func TestEveryRoutingOnAnyFabric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]ir.Routing{ir.EBGP, ir.SpanningTree, ir.Flooding, ir.TablePath}).Draw(t, "routing")
		c := randomCabling(t, r)
		if rapid.Bool().Draw(t, "bounce") {
			c.Bounce()
		}
		if kind := rapid.IntRange(0, 2).Draw(t, "links"); kind > 0 {
			for _, l := range between(c.F) {
				l.Routed = kind == 1
			}
		}
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.ASN = rapid.IntRange(1, 5).Draw(t, "asn")
			}
		}
		f := routed(c)
		randomIntents(t, f)
		if r == ir.TablePath {
			randomTable(t, f)
		}
		s := ir.State{
			Down: failurestest.Down(t, f, 3), Converging: rapid.Bool().Draw(t, "converging"),
			Ties: rapid.SampledFrom([]ir.Ties{ir.AnyTie, ir.FirstTie, ir.LastTie}).Draw(t, "ties"),
		}
		for _, g := range f.CosGroups {
			turns, err := f.Routes.Turns(g, s)
			if err != nil {
				require.NotEmpty(t, err.Error())
				continue
			}
			again, err := New(f).Turns(g, s)
			require.NoError(t, err)
			require.Equal(t, turns.Rows, again.Rows)
			require.Equal(t, turns.Mixed, again.Mixed)
			if s.Converging || s.Ties != ir.AnyTie { // there may be more turns during convergence, and with all ways of breaking ties
				wider := s
				wider.Converging, wider.Ties = true, ir.AnyTie
				more, err := f.Routes.Turns(g, wider)
				if _, before := f.Routes.Turns(g, ir.State{}); before != nil && !s.Converging {
					require.Equal(t, before, err, "if routing cannot be followed with all links up, it cannot be followed during convergence")
					continue
				}
				require.NoError(t, err)
				for _, s := range []ir.State{s, {Down: s.Down, Ties: s.Ties}, {Down: s.Down}} {
					less, err := f.Routes.Turns(g, s)
					require.NoError(t, err)
					for turn := range turnsOf(f, less) {
						require.True(t, more.Has(turn.In, turn.Out), "%s to %s", turn.In, turn.Out)
					}
				}
			}
			var all []ir.Turn
			for _, in := range f.Ports {
				for _, out := range in.Device().Ports {
					if turns.Has(in, out) {
						all = append(all, ir.Turn{In: in, Out: out})
					}
				}
			}
			for i, flow := range turns.Witness(all) {
				require.NotNil(t, flow)
				require.True(t, flow.Takes(g, all[i].In, all[i].Out))
				for j := 1; j < len(flow.Ports); j += 2 {
					require.Same(t, flow.Ports[j-1].Peer(), flow.Ports[j])
				}
			}
		}
	})
}

// randomTable makes every NIC or bond a target, and gives every forwarding device random entries.
func randomTable(t *rapid.T, f *ir.Fabric) {
	table := &ir.Table{Hops: make([][]ir.Entry, len(f.Devices)), Ports: make([][][]*ir.Port, len(f.Devices))}
	seen := map[*ir.NIC]bool{}
	for _, d := range f.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			nics := []*ir.NIC{n}
			if n.Bond != nil {
				nics = n.Bond.NICs
			}
			if !seen[n] {
				table.Targets = append(table.Targets, &ir.Target{NICs: nics})
			}
			for _, n := range nics {
				seen[n] = true
			}
		}
	}
	for _, d := range f.Devices {
		if !d.Forwards() {
			continue
		}
		table.Hops[d.ID] = make([]ir.Entry, len(table.Targets))
		for i := range table.Targets {
			var ports []*ir.Port
			for _, p := range d.Ports {
				if rapid.IntRange(0, 2).Draw(t, "next hop") == 0 {
					ports = append(ports, p)
				}
			}
			table.Hops[d.ID][i] = ir.NewEntry(i, rapid.Bool().Draw(t, "exact"))
			table.Ports[d.ID] = append(table.Ports[d.ID], ports)
		}
	}
	f.Table = table
}

// randomSwitches draws up to 8 switches with up to 16 cables, some parallel, some lossy, and up to 5 hosts.
func randomSwitches(t *rapid.T, r ir.Routing) *irtest.Cabling {
	c := irtest.New(r)
	n := rapid.IntRange(2, 8).Draw(t, "switches")
	name := func(what string) string { return fmt.Sprint("s", rapid.IntRange(0, n-1).Draw(t, what)) }
	for range rapid.IntRange(n-1, 2*n).Draw(t, "cables") {
		if a, b := name("a"), name("b"); a != b {
			l := c.Link(a, b)
			if rapid.IntRange(0, 7).Draw(t, "lossy") == 0 {
				l.A().SetBuffers(nil)
			}
		}
	}
	for range rapid.IntRange(1, 5).Draw(t, "hosts") {
		c.Hosts(name("at"))
	}
	return c
}

// randomLayers draws 4 or 5 layers of 2 switches, most of which are cabled to the next layer, so that many paths are equally long. Hosts
// are attached to the first and the last.
func randomLayers(t *rapid.T) *irtest.Cabling {
	c := irtest.New(ir.EBGP)
	layers := rapid.IntRange(4, 5).Draw(t, "layers")
	for i := range layers - 1 {
		for _, pair := range []string{"s%d.0-s%d.0", "s%d.0-s%d.1", "s%d.1-s%d.0", "s%d.1-s%d.1"} {
			if rapid.IntRange(0, 3).Draw(t, "cable") > 0 {
				c.Links(fmt.Sprintf(pair, i, i+1))
			}
		}
	}
	return c.Hosts("s0.0", "s0.1", fmt.Sprintf("s%d.0", layers-1))
}

// turnBetween reports whether the turn is between lossless cables of forwarding devices.
func turnBetween(turn ir.Turn, g *ir.CosGroup) bool {
	for _, p := range []*ir.Port{turn.In, turn.Out} {
		if !p.Peer().Device().Forwards() || p.Carries(g) == nil || p.Peer().Carries(g) == nil {
			return false
		}
	}
	return true
}

// up reports whether the cable of a port is up.
func up(down []*ir.Link, p *ir.Port) bool { return !slices.Contains(down, p.Link()) }

// simulation runs eBGP message by message, for one destination. An activated device compares the routes of its neighbours and keeps one of
// the shortest paths.
type simulation struct {
	f    *ir.Fabric
	down []*ir.Link
	path map[*ir.Device][]int // by device: its AS path; absent: none
	from map[*ir.Device]*ir.Device
	pick func(n int) int // chooses one of n equal neighbours, which are in the order of devices
}

func (s *simulation) neighbours(d *ir.Device) []*ir.Device {
	var out []*ir.Device
	for _, p := range d.Ports {
		n := p.Peer().Device()
		if n.Switch != nil && !slices.Contains(s.down, p.Link()) && n.Switch.ASN != d.Switch.ASN && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *ir.Device) int { return a.ID - b.ID })
	return out
}

// best returns the neighbours with the shortest paths that d accepts, and the number of ASes of these paths.
func (s *simulation) best(d *ir.Device) (best []*ir.Device, length int) {
	for _, n := range s.neighbours(d) {
		path, ok := s.path[n]
		if !ok || slices.Contains(path, d.Switch.ASN) {
			continue
		}
		switch l := len(path) + 1; {
		case len(best) == 0 || l < length:
			best, length = []*ir.Device{n}, l
		case l == length:
			best = append(best, n)
		}
	}
	return best, length
}

// activate lets d decide again, and reports whether its choice changed. It keeps paths that are still among the best.
func (s *simulation) activate(d *ir.Device) bool {
	best, _ := s.best(d)
	old, had := s.path[d]
	if len(best) == 0 {
		delete(s.path, d)
		delete(s.from, d)
		return had
	}
	from := s.from[d]
	if !slices.Contains(best, from) {
		from = best[s.pick(len(best))]
	}
	path := append([]int{from.Switch.ASN}, s.path[from]...)
	s.path[d], s.from[d] = path, from
	return !had || !slices.Equal(old, path)
}

// settle activates devices in random order until no choice changes, and returns the next hops of every device.
func (s *simulation) settle(t require.TestingT, to *ir.Device, random *rand.Rand) map[*ir.Device][]*ir.Device {
	s.path, s.from = map[*ir.Device][]int{to: {}}, map[*ir.Device]*ir.Device{}
	var others []*ir.Device
	for _, d := range s.f.Devices {
		if d.Switch != nil && d != to {
			others = append(others, d)
		}
	}
	for round := 0; ; round++ {
		require.Less(t, round, 200, "eBGP that prefers short paths settles")
		changed := false
		for _, i := range random.Perm(len(others)) {
			changed = s.activate(others[i]) || changed
		}
		if !changed {
			break
		}
	}
	hops := map[*ir.Device][]*ir.Device{}
	for _, d := range others {
		hops[d], _ = s.best(d)
	}
	return hops
}

// turns adds to out the turns of traffic from all other members to receiver, with the next hops of a settled state.
func (s *simulation) turns(g *ir.CosGroup, receiver *ir.Port, hops map[*ir.Device][]*ir.Device, out map[ir.Turn]bool) {
	seen := map[*ir.Port]bool{}
	var send func(in *ir.Port)
	send = func(in *ir.Port) {
		for _, p := range in.Device().Ports {
			if !up(s.down, p) || !slices.Contains(hops[in.Device()], p.Peer().Device()) {
				continue
			}
			if turn := (ir.Turn{In: in, Out: p}); turnBetween(turn, g) {
				out[turn] = true
			}
			if !seen[p.Peer()] {
				seen[p.Peer()] = true
				send(p.Peer())
			}
		}
	}
	for _, m := range s.f.Intents[0].Members {
		if src := m.NIC.Port; src != receiver && up(s.down, src) && up(s.down, receiver) {
			send(src.Peer())
		}
	}
}

// AnyTie includes every turn of every settled state. If nothing is mixed, it includes no other turns. For FirstTie and LastTie the turns
// are exact.
func TestEBGPCoversEverySimulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomSwitches(t, ir.EBGP)
		if rapid.Bool().Draw(t, "layers") {
			c = randomLayers(t)
		}
		numbers := rapid.IntRange(2, 7).Draw(t, "numbers")
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.ASN = rapid.IntRange(1, numbers).Draw(t, "asn")
			}
		}
		f := routed(c)
		s := ir.State{Down: failurestest.Down(t, f, 3)}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for _, way := range []struct {
			ties ir.Ties
			pick func(n int) int
			runs int
		}{
			{ir.AnyTie, random.IntN, 20},
			{ir.FirstTie, func(int) int { return 0 }, 1},
			{ir.LastTie, func(n int) int { return n - 1 }, 1},
		} {
			s.Ties = way.ties
			turns := turnsIn(t, f, s)
			want := map[ir.Turn]bool{}
			for range way.runs {
				for _, m := range f.Intents[0].Members {
					receiver := m.NIC.Port
					sim := &simulation{f: f, down: s.Down, pick: way.pick}
					if way.ties == ir.AnyTie {
						sim.turns(c.Group, receiver, sim.settle(t, receiver.Peer().Device(), random), want)
					} else {
						sim.turns(c.Group, receiver, sim.named(t, receiver.Peer().Device(), random), want)
					}
				}
			}
			got := turnsOf(f, turns)
			if turns.Mixed == "" {
				require.Equal(t, want, got)
			} else {
				require.Equal(t, ir.AnyTie, way.ties)
				for turn := range want {
					require.True(t, got[turn], "%s to %s", turn.In, turn.Out)
				}
			}
			var all []ir.Turn
			for turn := range got {
				all = append(all, turn)
			}
			for i, flow := range turns.Witness(all) {
				require.NotNil(t, flow)
				require.True(t, flow.Takes(c.Group, all[i].In, all[i].Out))
			}
		}
	})
}

// named settles with ties broken by the order of devices: a device changes to the first, or last, of its best neighbours even if its
// current choice is equally good.
func (s *simulation) named(t require.TestingT, to *ir.Device, random *rand.Rand) map[*ir.Device][]*ir.Device {
	hops := s.settle(t, to, random)
	for round, changed := 0, true; changed; round++ {
		require.Less(t, round, 200)
		changed = false
		for _, d := range s.f.Devices {
			if d.Switch == nil || d == to {
				continue
			}
			if best, _ := s.best(d); len(best) > 0 && s.from[d] != best[s.pick(len(best))] {
				delete(s.from, d)
			}
			changed = s.activate(d) || changed
		}
	}
	for d := range hops {
		hops[d], _ = s.best(d)
	}
	return hops
}
