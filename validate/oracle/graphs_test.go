package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
	"github.com/rocec/rocec/validate/proof"
)

// graph is a set of links between up to 5 switches: bit i*5+j for i < j.
type graph uint32

func (g graph) has(i, j int) bool { return g>>(min(i, j)*5+max(i, j))&1 != 0 }

// connectedGraphs returns one graph of each isomorphism class of connected graphs with n switches.
func connectedGraphs(n int) []graph {
	var pairs [][2]int
	for i := range n {
		for j := i + 1; j < n; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	var orders [][]int
	var permute func(order []int, k int)
	permute = func(order []int, k int) {
		if k == n {
			orders = append(orders, append([]int(nil), order...))
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			permute(order, k+1)
			order[k], order[i] = order[i], order[k]
		}
	}
	first := make([]int, n)
	for i := range first {
		first[i] = i
	}
	permute(first, 0)
	smallest := func(g graph) graph {
		best := ^graph(0)
		for _, order := range orders {
			var h graph
			for _, p := range pairs {
				if g.has(p[0], p[1]) {
					a, b := order[p[0]], order[p[1]]
					h |= 1 << (min(a, b)*5 + max(a, b))
				}
			}
			best = min(best, h)
		}
		return best
	}
	var out []graph
	seen := map[graph]bool{}
	for set := range 1 << len(pairs) {
		var g graph
		for i, p := range pairs {
			if set>>i&1 != 0 {
				g |= 1 << (p[0]*5 + p[1])
			}
		}
		reached := 1
		for range n {
			for i := range n {
				for j := range n {
					if i != j && g.has(i, j) && reached>>i&1 != 0 {
						reached |= 1 << j
					}
				}
			}
		}
		if canonical := smallest(g); reached == 1<<n-1 && !seen[canonical] {
			seen[canonical] = true
			out = append(out, canonical)
		}
	}
	return out
}

func (g graph) cabling(r ir.Routing, n int) *irtest.Cabling {
	c := irtest.New(r)
	for i := range n {
		c.Device(fmt.Sprint("s", i))
		for j := range i {
			if g.has(i, j) {
				c.Link(fmt.Sprint("s", j), fmt.Sprint("s", i))
			}
		}
	}
	return c.UniqueASNs()
}

// sides returns the tiers, 1 and 2, of a bipartite graph; nil if the graph is not bipartite.
func (g graph) sides(n int) []int {
	tier := make([]int, n)
	tier[0] = 1
	for range n {
		for i := range n {
			for j := range n {
				if i != j && g.has(i, j) && tier[i] > 0 {
					if tier[j] == tier[i] {
						return nil
					}
					tier[j] = 3 - tier[i]
				}
			}
		}
	}
	return tier
}

// assertAgrees compares the proof with brute force: the verdict, and how many links must be down.
func assertAgrees(t require.TestingT, f *ir.Fabric) {
	j := oracle.Judge(f, f.Failures)
	p := judged(t, f)
	if !j.Prone {
		require.Equal(t, validate.Free, p.Verdict, p.Why())
		return
	}
	require.Equal(t, validate.Prone, p.Verdict, "%s; a circle with %s down", p.Why(), names(j.Down))
	require.Len(t, p.Loops[0].Down, len(j.Down))
	require.Equal(t, len(j.Down), p.Failures)
	assertWitness(t, f, p)
}

func TestAllSmallGraphs(t *testing.T) {
	for n, kinds := range []int{0, 1, 1, 2, 6, 21} {
		if n == 0 {
			continue
		}
		graphs := connectedGraphs(n)
		require.Len(t, graphs, kinds, "kinds of connected graphs of %d", n)
		for _, g := range graphs {
			for failures := range 3 {
				for _, r := range []ir.Routing{ir.ShortestPath, ir.EBGP} {
					t.Run(fmt.Sprintf("%d switches %x, %s, %d down", n, g, r, failures), func(t *testing.T) {
						c := g.cabling(r, n).Failures(failures)
						for i := range n {
							c.Hosts(fmt.Sprint("s", i))
						}
						assertAgrees(t, routed(c))
					})
				}
				tiers := g.sides(n)
				if tiers == nil {
					continue
				}
				for side := 1; side <= 2; side++ {
					for _, r := range []ir.Routing{ir.ShortestPath, ir.UpDown} {
						t.Run(fmt.Sprintf("%d switches %x, %s, hosts on side %d, %d down", n, g, r, side, failures), func(t *testing.T) {
							c := g.cabling(r, n).Failures(failures)
							for i, tier := range tiers {
								if s := fmt.Sprint("s", i); tier == side {
									c.Hosts(s, s)
								} else {
									c.Device(s).Switch.Tier = 2
								}
							}
							f := routed(c)
							if r == ir.UpDown {
								require.Equal(t, validate.Free, judged(t, f).Verdict)
								return
							}
							assertAgrees(t, f)
						})
					}
				}
			}
		}
	}
}

// larger draws 6 or 7 switches with parallel, lossy and bridged links, hosts on some of them, hosts with bonds, and hosts
// that forward.
func larger(t *rapid.T, r ir.Routing) *ir.Fabric {
	c := irtest.New(r)
	n := rapid.IntRange(6, 7).Draw(t, "switches")
	name := func(i int) string { return fmt.Sprint("s", i) }
	for i := 1; i < n; i++ {
		c.Link(name(rapid.IntRange(0, i-1).Draw(t, "below")), name(i))
	}
	for range rapid.IntRange(1, 5).Draw(t, "more links") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		if a != b {
			c.Link(name(a), name(b))
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "bonds between switches") == 0 {
		bonds(t, c, 3)
	}
	for _, l := range c.F.Links {
		if rapid.IntRange(0, 11).Draw(t, "lossy") == 0 {
			l.A().SetBuffers(nil)
		}
	}
	c.UniqueASNs()
	for i := range n {
		for range rapid.IntRange(0, 2).Draw(t, "hosts") {
			c.Hosts(name(i))
		}
	}
	c.Hosts(name(0))
	for i := range rapid.IntRange(0, 2).Draw(t, "hosts with two cables") {
		h := fmt.Sprint("hh", i)
		a := rapid.IntRange(0, n-1).Draw(t, "first")
		b := (a + rapid.IntRange(1, n-1).Draw(t, "second")) % n
		c.Link(h, name(a))
		c.Link(h, name(b))
		switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
		case kind == 0: // a host of two NICs
		case kind == 1 && r != ir.UpDown: // a switch between two others would be a valley
			c.Device(h).Host.Forwards = true
		default:
			bond(c.Device(h))
			if kind == 4 {
				c.Device(h).Host.Bonds[0].Mode = "active-backup"
			}
		}
	}
	switch r {
	case ir.Flooding, ir.SpanningTree:
		bridged(c)
	case ir.UpDown, ir.EBGP:
		plan := rapid.Bool().Draw(t, "one AS number a tier")
		for i := range n {
			s := c.Device(name(i)).Switch
			s.Tier = rapid.IntRange(1, 3).Draw(t, "tier")
			if plan && s.Tier > 1 {
				s.ASN = 65_000 + s.Tier
			}
		}
		for _, l := range c.F.Links {
			a, b := l.A().Device().Switch, l.B().Device().Switch
			l.Peer = a != nil && b != nil && a.Tier == b.Tier
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "some by hand") == 0 {
		byHand(t, c, 4, ir.PFC, ir.NoFlowControl, ir.Pause, "")
	}
	return routed(c.Failures(rapid.IntRange(0, 2).Draw(t, "failures")))
}

// A switch that sends no pauses, or obeys none, breaks a circle of waiting buffers. A free fabric with such switches never locks if each
// switch does what its by_hand block states. A prone one has a circle without them.
func TestSwitchesSetByHand(t *testing.T) {
	verdicts, fixed := map[validate.Verdict]int{}, 0
	check(t, func() bool { return verdicts[validate.Prone] > 0 && fixed > 0 }, func(t *rapid.T) {
		r := rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.AnyPath, ir.Flooding}).Draw(t, "routing")
		seed := rapid.Uint64().Draw(t, "seed")
		c := drawn(rand.New(rand.NewPCG(seed, 53)), r)
		if rapid.IntRange(0, 3).Draw(t, "link pause") == 0 {
			paused(c)
		}
		if r == ir.ShortestPath && rapid.IntRange(0, 1).Draw(t, "a detour") == 0 {
			c.Bounce()
		}
		if rapid.IntRange(0, 2).Draw(t, "one buffer") == 0 {
			shared(c)
		}
		byHand(t, c, 3, ir.PFC, ir.PFCTx, ir.PFCRx, ir.NoFlowControl, ir.Pause, "")
		f := routed(c)
		assertAgrees(t, f)
		p := judged(t, f)
		verdicts[p.Verdict]++
		if p.Verdict != validate.Free {
			return
		}
		all := state(f, nil, rand.New(rand.NewPCG(seed, 59))).Flows(c.Group)
		for i := range 4 {
			fs := some(rand.New(rand.NewPCG(seed, uint64(i))), all, 12)
			require.Empty(t, random(fs, 2000, uint64(i)).Run().Locked)
		}
		for _, d := range f.Devices {
			d.ByHand = nil
		}
		f.Routes = routes.New(f)
		if judged(t, f).Verdict == validate.Prone {
			fixed++
		}
	})
	t.Log(verdicts, fixed, "free only by by_hand blocks")
	assert.NotZero(t, verdicts[validate.Prone])
	assert.NotZero(t, fixed)
}

func TestLargerGraphs(t *testing.T) {
	t.Parallel()
	prone := 0
	check(t, func() bool { return prone > 0 }, func(t *rapid.T) {
		r := rapid.SampledFrom([]ir.Routing{
			ir.ShortestPath, ir.ShortestPath, ir.EBGP, ir.AnyPath, ir.Flooding, ir.SpanningTree,
			ir.UpDown,
		}).Draw(t, "routing")
		f := larger(t, r)
		if r == ir.EBGP && !uniqueASNs(f) { // the brute force tries one choice between equal routes
			if oracle.Judge(f, f.Failures).Prone {
				require.NotEqual(t, validate.Free, judged(t, f).Verdict)
			}
			return
		}
		assertAgrees(t, f)
		if judged(t, f).Verdict == validate.Prone {
			prone++
		}
	})
	t.Log(prone, "prone")
	assert.NotZero(t, prone)
}

// twinned draws leaves under spines that are mostly equal, so that many failures differ by names only. It draws 1 or 2 hosts on most
// leaves, sometimes a host on a spine, two talks, and a few links that are missing, lossy or double.
func twinned(t *rapid.T, r ir.Routing) *ir.Fabric {
	c := irtest.New(r)
	leaves, spines := rapid.IntRange(3, 5).Draw(t, "leaves"), rapid.IntRange(2, 3).Draw(t, "spines")
	for l := range leaves {
		for s := range spines {
			a, b := fmt.Sprint("s", l), fmt.Sprint("s", leaves+s)
			switch rapid.IntRange(0, 19).Draw(t, "link") {
			case 0: // missing
			case 1:
				c.Link(a, b)
				c.Link(a, b)
			case 2:
				c.Link(a, b).A().SetBuffers(nil)
			default:
				c.Link(a, b)
			}
		}
	}
	for l := range leaves {
		c.Device(fmt.Sprint("s", l)).Switch.Tier = 1
		for range rapid.SampledFrom([]int{1, 1, 1, 2, 0}).Draw(t, "hosts") {
			c.Hosts(fmt.Sprint("s", l))
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "a host on a spine") == 0 {
		c.Hosts(fmt.Sprint("s", leaves))
	}
	if rapid.IntRange(0, 3).Draw(t, "a bond") == 0 {
		c.Links("hh-s0 hh-s1")
		bond(c.Device("hh"))
	}
	for i := range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "bonds with a port in reserve") { // a leaf may have no other hosts
		h := fmt.Sprint("hr", i)
		a := rapid.IntRange(0, leaves-1).Draw(t, "active on")
		b := (a + rapid.IntRange(0, leaves-1).Draw(t, "and in reserve")) % leaves
		c.Link(h, fmt.Sprint("s", a))
		c.Link(h, fmt.Sprint("s", b))
		bond(c.Device(h))
		c.Device(h).Host.Bonds[0].Mode = "active-backup"
	}
	if rapid.IntRange(0, 2).Draw(t, "one more host") > 0 {
		c.Hosts("s0")
	}
	c.UniqueASNs()
	failures := rapid.IntRange(0, 3).Draw(t, "failures")
	if leaves*spines > 12 {
		failures = min(failures, 2)
	}
	f := routed(c.Failures(failures))
	if rapid.IntRange(0, 3).Draw(t, "two talks") == 0 {
		all := f.Intents[0]
		other := &ir.Intent{Name: "other", At: all.At, Version: 2, Group: c.Group}
		half := len(all.Members) / 2
		all.Members, other.Members = all.Members[:half], all.Members[half:]
		for _, m := range other.Members {
			m.NIC.Intents = []*ir.Intent{other}
		}
		f.Intents = append(f.Intents, other)
		f.Routes = routes.New(f)
	}
	return f
}

func TestTwins(t *testing.T) {
	t.Parallel()
	prone := 0
	check(t, func() bool { return prone > 0 }, func(t *rapid.T) {
		f := twinned(t, rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.EBGP}).Draw(t, "routing"))
		assertAgrees(t, f)
		p := judged(t, f)
		if p.Verdict != validate.Prone {
			return
		}
		prone++
		circles := 0 // failure sets of that size that make a circle
		for down := range oracle.Sets(f, len(p.Loops[0].Down)) {
			if len(down) == len(p.Loops[0].Down) && (&oracle.Brute{Fabric: f, Down: down, Random: rand.New(rand.NewPCG(1, 2))}).Whole().Cyclic() {
				circles++
			}
		}
		require.LessOrEqual(t, p.Loops[0].Alike, circles, "sets like %s", names(p.Loops[0].Down))
	})
	t.Log(prone, "prone")
	assert.NotZero(t, prone)
}

// The notes about failures beyond fabric.failures are true.
func TestFewestFailures(t *testing.T) {
	t.Parallel()
	const most = 3
	said := map[proof.NoteCode]int{}
	check(t, func() bool { return len(said) > 0 }, func(t *rapid.T) {
		var f *ir.Fabric
		if rapid.Bool().Draw(t, "twinned") {
			f = twinned(t, ir.ShortestPath)
		} else {
			f = larger(t, ir.ShortestPath)
		}
		f.Failures = 0
		p := judged(t, f)
		if p.Verdict != validate.Free || p.Any {
			return
		}
		j := oracle.Judge(f, most)
		smallest := most + 1 // or more
		if j.Prone {
			smallest = len(j.Down)
		}
		for i, note := range p.Notes {
			said[note.Code]++
			text := p.NoteTexts()[i]
			switch note.Code {
			case proof.FewestFailures:
				require.Equal(t, min(len(note.Links), most+1), smallest, text)
			case proof.SomeFailures:
				require.LessOrEqual(t, smallest, max(len(note.Links), most+1), text)
			case proof.FreeBeyond, proof.SamePaths:
				require.Greater(t, smallest, min(note.Down, most), text)
			case proof.NeverProne:
				require.False(t, j.Prone, "%s; a circle with %s down", text, names(j.Down))
			}
		}
	})
	t.Log(said)
	assert.NotEmpty(t, said)
}

// The proof agrees with brute force on fabrics with bounces, link pause, shared priority groups, RoCEv1 and several talks.
func TestDrawnFabricsAgree(t *testing.T) {
	prone := 0
	check(t, func() bool { return prone > 0 }, func(t *rapid.T) {
		routing := rapid.SampledFrom([]ir.Routing{
			ir.ShortestPath, ir.ShortestPath, ir.ShortestPath, ir.EBGP, ir.UpDown, ir.AnyPath,
			ir.Flooding,
		}).Draw(t, "routing")
		f := drawnFabric(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 53)), routing, rapid.IntRange(0, 2).Draw(t, "failures"))
		if routing == ir.EBGP && !uniqueASNs(f) {
			return
		}
		assertAgrees(t, f)
		if judged(t, f).Verdict == validate.Prone {
			prone++
		}
	})
	t.Log(prone, "prone")
	assert.NotZero(t, prone)
}
