package oracle_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
	"github.com/rocec/rocec/validate/proof"
)

var whole = flag.Bool("whole", false, "2,000 fabrics with planned cables and 3,000 with bridged subnets, rather than a few")

// mostPlanned bounds the planned cables of a drawn fabric, because the test judges every set of them.
const mostPlanned = 5

// plannedFabric draws a fabric with up to mostPlanned planned cables: between switches, to hosts, and legs of bonds.
func plannedFabric(r *rand.Rand, routing ir.Routing, failures int) *ir.Fabric {
	c := drawn(r, routing)
	shape := r.IntN(6)
	if routing != ir.ShortestPath && routing != ir.EBGP {
		shape = 5
	}
	switch shape {
	case 0:
		c = irtest.LeafSpine(routing, 3+r.IntN(2), 2).UniqueASNs()
	case 1:
		c = irtest.FullMesh(routing, 4+r.IntN(2)).UniqueASNs()
	case 2: // some pairs of its cables have no safe order
		c = irtest.New(routing).Links("s0-s1 s1-s2 s0-s3 s3-s4 s4-s5 s5-s6 s6-s0 s1-s3 s0-s2 s2-s5").
			Hosts("s2", "s3", "s4", "s5", "s6").UniqueASNs()
	}
	c.Failures(failures)
	var switches, bonded []string
	for _, d := range c.F.Devices {
		if d.Switch != nil {
			switches = append(switches, d.Name)
		}
	}
	for _, name := range []string{"hb0", "hb1", "hb2"}[:r.IntN(4)] {
		bonded = append(bonded, name)
		for range 2 {
			c.Link(name, switches[r.IntN(len(switches))])
		}
	}
	f := routed(c)
	for _, name := range bonded {
		d := c.Device(name)
		if bond(d); r.IntN(5) == 0 {
			d.Host.Bonds[0].Mode = "active-backup"
		}
	}
	links := slices.Clone(f.Links)
	r.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
	slices.SortStableFunc(links, func(a, b *ir.Link) int { // first links whose absence moves traffic
		weight := func(l *ir.Link) int {
			if l.A().Device().Switch != nil && l.B().Device().Switch != nil || l.A().NIC != nil && l.A().NIC.Bond != nil {
				return 0
			}
			return 1
		}
		return weight(a) - weight(b)
	})
	planned := links[:min(len(links), 1+r.IntN(mostPlanned))]
	if len(links) > len(planned) && r.IntN(4) == 0 {
		planned[len(planned)-1] = links[len(links)-1]
	}
	for _, l := range planned {
		l.Planned = true
	}
	f.Routes = routes.New(f)
	return f
}

// sets judges states of a fabric, and keeps each verdict in known.
type sets struct {
	f       *ir.Fabric
	random  *rand.Rand
	planned []*ir.Link
	known   map[string]bool
}

// prone reports whether the fabric without some links has a circle with at most most other links down.
func (s *sets) prone(without []*ir.Link, most int) bool {
	var others []*ir.Link
	for down := range oracle.Sets(s.f, 1) {
		if len(down) == 1 && !slices.Contains(without, down[0]) {
			others = append(others, down[0])
		}
	}
	var fail func(down []*ir.Link, from, left int) bool
	fail = func(down []*ir.Link, from, left int) bool {
		key := names(slices.SortedFunc(slices.Values(down), func(a, b *ir.Link) int { return a.ID - b.ID }))
		if _, judged := s.known[key]; !judged {
			s.known[key] = state(s.f, down, s.random).Whole().Cyclic()
		}
		if s.known[key] {
			return true
		}
		for i := from; i < len(others) && left > 0; i++ {
			if fail(append(slices.Clip(down), others[i]), i+1, left-1) {
				return true
			}
		}
		return false
	}
	return fail(without, 0, most)
}

// missing returns the planned cables of a bit set.
func (s *sets) missing(mask int) (out []*ir.Link) {
	for i, l := range s.planned {
		if mask&(1<<i) != 0 {
			out = append(out, l)
		}
	}
	return out
}

// anyProne reports whether the fabric is prone while some set of the planned cables is missing.
func (s *sets) anyProne(most int) bool {
	for mask := range 1 << len(s.planned) {
		if s.prone(s.missing(mask), most) {
			return true
		}
	}
	return false
}

// ordered reports whether some order of laying the cables has no prone state.
func (s *sets) ordered(most int) bool {
	n := len(s.planned)
	reached := make([]bool, 1<<n)
	reached[1<<n-1] = !s.prone(s.planned, most)
	for mask := 1<<n - 2; mask >= 0; mask-- {
		for i := range n {
			if mask&(1<<i) == 0 && reached[mask|1<<i] {
				reached[mask] = !s.prone(s.missing(mask), most)
				break
			}
		}
	}
	return reached[0]
}

// assertOrder requires that no state of an order is prone.
func (s *sets) assertOrder(t require.TestingT, c *proof.Cabling) {
	free := func(down ...[]*ir.Link) {
		require.False(t, s.prone(slices.Concat(down...), c.Down), "without %s", names(slices.Concat(down...)))
	}
	missing := func(from []*ir.Link, l *ir.Link) []*ir.Link {
		require.Contains(t, from, l)
		return slices.DeleteFunc(slices.Clone(from), func(m *ir.Link) bool { return m == l })
	}
	left := slices.DeleteFunc(slices.Clone(s.planned), func(l *ir.Link) bool { return slices.Contains(c.Shut, l) })
	if c.Order == nil {
		require.NotEmpty(t, c.Shut)
		for mask := range 1 << len(left) {
			free(c.Shut, (&sets{planned: left}).missing(mask))
		}
		left = nil
	}
	for _, l := range c.Order {
		left = missing(left, l)
		free(c.Shut, left)
	}
	for _, l := range c.Last {
		left = missing(left, l)
		free(left)
	}
	require.Empty(t, left)
	for mask := range 1 << len(c.Shut) {
		free((&sets{planned: c.Shut}).missing(mask))
	}
}

// assertCabling compares the proof's answer about planned cables with the verdicts on all sets of missing ones. It returns the kind of
// answer.
func assertCabling(t require.TestingT, f *ir.Fabric, seed uint64) string {
	s := &sets{f: f, random: rand.New(rand.NewPCG(seed, 3)), known: map[string]bool{}}
	for _, l := range f.Links {
		if l.Planned {
			s.planned = append(s.planned, l)
		}
	}
	p := gravest(t, validate.Run(f, ir.NewBudget(100*smallBudget)))
	if p.Verdict == validate.Unknown {
		return "unknown"
	}
	if s.prone(nil, f.Failures) || s.prone(s.planned, f.Failures) {
		require.Equal(t, validate.Prone, p.Verdict, p.Why())
		return "prone"
	}
	require.Equal(t, validate.Free, p.Verdict, p.Why())
	require.NotNil(t, p.Cabling)
	require.Equal(t, s.planned, p.Cabling.Planned)
	prone := s.anyProne(f.Failures)
	switch c := p.Cabling; c.Outcome {
	case proof.AnyOrder:
		require.False(t, prone, "a set of planned cables that is missing makes a circle")
		return "any order"
	case proof.OneOrder:
		require.True(t, prone)
		require.True(t, state(f, c.Half.Down, s.random).Whole().Cyclic())
		s.assertOrder(t, c)
		switch {
		case c.Shut != nil:
			return "hosts are shut"
		case c.Down < f.Failures:
			require.False(t, s.ordered(c.Down+1), "an order tolerates more than %d down", c.Down)
			return "an order with fewer down"
		}
		return "an order"
	case proof.NoOrder:
		require.True(t, prone)
		require.False(t, s.ordered(0), "there is an order")
		return "no order"
	}
	require.Fail(t, "not judged")
	return ""
}

// The answer about the order of planned cables agrees with brute force over all sets of missing ones.
func TestPlannedCables(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	routings := []ir.Routing{ir.ShortestPath, ir.ShortestPath, ir.ShortestPath, ir.EBGP, ir.UpDown, ir.AnyPath, ir.Flooding, ir.SpanningTree}
	least, most := 150, 2000
	if *whole {
		least = most
	}
	kinds := []string{"any order", "an order", "an order with fewer down", "hosts are shut", "no order", "prone"}
	met, byRouting := map[string]int{}, map[ir.Routing]int{}
	n := 0
	for seed := uint64(0); n < least || n < most && slices.ContainsFunc(kinds, func(k string) bool { return met[k] == 0 }); seed++ {
		routing := routings[seed%uint64(len(routings))]
		f := plannedFabric(rand.New(rand.NewPCG(seed, 97)), routing, int(seed/8)%2)
		if routing == ir.EBGP && !uniqueASNs(f) {
			continue // the brute force draws which of several equal routes a router advertises
		}
		n++
		byRouting[routing]++
		met[assertCabling(t, f, seed)]++
		if t.Failed() {
			t.Fatal("seed", seed, routing)
		}
	}
	t.Log(n, met, byRouting)
	for _, k := range kinds {
		assert.NotZero(t, met[k], k)
	}
}
