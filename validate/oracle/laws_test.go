package oracle_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
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

var routings = []ir.Routing{ir.ShortestPath, ir.UpDown, ir.AnyPath, ir.EBGP, ir.Flooding, ir.SpanningTree}

// some returns at most n random flows.
func some(r *rand.Rand, fs []*ir.Flow, n int) []*ir.Flow {
	fs = slices.Clone(fs)
	r.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
	return fs[:min(n, len(fs))]
}

// state returns the fabric with links down, one choice between equal routes, and one possible spanning tree.
func state(f *ir.Fabric, down []*ir.Link, r *rand.Rand) *oracle.Brute {
	b := &oracle.Brute{Fabric: f, Down: down, Random: r}
	if f.Routing == ir.SpanningTree {
		b.Tree = oracle.SpanningTree(f, f.Root, down)
	}
	return b
}

// failed draws a set of at most most links between switches.
func failed(r *rand.Rand, f *ir.Fabric, most int) []*ir.Link {
	var between []*ir.Link
	for _, l := range f.Links {
		if l.A().Device().Switch != nil && l.B().Device().Switch != nil {
			between = append(between, l)
		}
	}
	r.Shuffle(len(between), func(i, j int) { between[i], between[j] = between[j], between[i] })
	return between[:min(r.IntN(most+1), len(between))]
}

// check checks a law on the fabrics that rapid draws. It repeats that up to 20 times, until every kind of fabric was drawn.
func check(t *testing.T, met func() bool, law func(t *rapid.T)) {
	t.Helper()
	for range 20 {
		if rapid.Check(t, law); met() {
			break
		}
	}
}

// A free fabric has no circle in any state that the verdict covers, and never locks.
func TestFreeNeverLocks(t *testing.T) {
	t.Parallel()
	free := map[proof.Certificate]int{}
	check(t, func() bool { return free[proof.ByForest] > 0 && free[proof.ByUpDown] > 0 && free[proof.ByExact] > 0 }, func(t *rapid.T) {
		routing := rapid.SampledFrom(routings).Draw(t, "routing")
		failures := rapid.IntRange(0, 2).Draw(t, "failures")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 11))
		var f *ir.Fabric
		if rapid.IntRange(0, 2).Draw(t, "larger") == 0 {
			f = larger(t, routing)
		} else {
			f = drawnFabric(r, routing, failures)
		}
		p := judged(t, f)
		if p.Verdict != validate.Free {
			return
		}
		free[p.Certificate]++
		covered := p.Failures
		if p.Any {
			covered = 4
		}
		for i := range 6 {
			var down []*ir.Link
			if i > 0 {
				down = failed(r, f, covered)
			}
			b := state(f, down, r)
			require.False(t, b.Whole().Cyclic(), "%s, free by %s, makes a circle with %s down", routing, p.Certificate, names(down))
			all := b.Flows(f.CosGroups[0])
			if len(all) == 0 {
				continue
			}
			runs := 4
			if p.Certificate == proof.ByForest { // that is no surprise
				runs = 1
			}
			for range runs {
				require.Empty(t, random(some(r, all, 12), 2000, r.Uint64()).Run().Locked,
					"%s, free by %s, locks with %s down", routing, p.Certificate, names(down))
			}
		}
	})
	t.Log("free by certificate:", free)
	for _, c := range []proof.Certificate{proof.ByForest, proof.ByUpDown, proof.ByExact} {
		assert.NotZero(t, free[c], "no drawn fabric is free by %s", c)
	}
}

// proneCase is a fabric with the verdict prone.
type proneCase struct {
	name string
	f    *ir.Fabric
	p    validate.GroupProof
}

// proneCases returns the prone topologies of the literature, and prone drawn fabrics of fixed seeds.
func proneCases(t *testing.T) []proneCase {
	var out []proneCase
	for _, tt := range topologies {
		if tt.verdict == validate.Prone {
			f := tt.build()
			if p := judged(t, f); assert.Equal(t, validate.Prone, p.Verdict, tt.id) {
				out = append(out, proneCase{tt.id, f, p})
			}
		}
	}
	known := len(out)
	for seed := range uint64(300) {
		routing := []ir.Routing{ir.ShortestPath, ir.ShortestPath, ir.AnyPath, ir.EBGP, ir.Flooding, ir.TablePath}[seed%6]
		r := rand.New(rand.NewPCG(seed, 1))
		var f *ir.Fabric
		if routing == ir.TablePath {
			f = tabled(r)
		} else {
			f = drawnFabric(r, routing, int(seed/6)%3)
		}
		if p := judged(t, f); p.Verdict == validate.Prone {
			out = append(out, proneCase{fmt.Sprintf("seed %d, %s, %d down", seed, routing, len(p.Loops[0].Down)), f, p})
		}
	}
	assert.GreaterOrEqual(t, len(out)-known, 60, "drawn fabrics that are prone")
	return out
}

// locks tries at most 200 simulations of a witness's flows until one locks.
func locks(c proneCase) (tries int, found bool) {
	l := c.p.Loops[0]
	fill := slices.Clone(l.Flows)
	for _, h := range l.Circle { // in addition to the flows of the witness, one flow for every turn
		if turns, err := c.f.Routes.Turns(h.Group, ir.State{Down: l.Down}); err == nil {
			if flow := turns.Witness([]ir.Turn{{In: h.In, Out: h.Out}})[0]; flow != nil {
				fill = append(fill, flow)
			}
		}
	}
	for try := range 200 {
		fs := l.Flows
		if try%2 == 1 {
			fs = fill
		}
		if len(random(fs, 10_000, uint64(try)).Run().Locked) > 0 {
			return try, true
		}
	}
	return 200, false
}

// The flows of a prone verdict can lock the fabric. The few cases in which no simulation locks are listed.
func TestProneLocks(t *testing.T) {
	cases := proneCases(t)
	var unlocked []string
	tries := 0
	for _, c := range cases {
		assertWitness(t, c.f, c.p)
		n, found := locks(c)
		tries += n
		if !found {
			unlocked = append(unlocked, c.name)
		}
	}
	t.Logf("%d of %d locked, after %d tries in vain", len(cases)-len(unlocked), len(cases), tries)
	assert.LessOrEqual(t, 20*len(unlocked), len(cases), "at least 95 %% lock")
	want, err := os.ReadFile("testdata/unlocked.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), strings.Join(append(unlocked, ""), "\n"))
}

// Every witness is real, in any fabric.
func TestWitnesses(t *testing.T) {
	prone := 0
	check(t, func() bool { return prone > 0 }, func(t *rapid.T) {
		f := drawnFabric(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 13)), rapid.SampledFrom(routings).Draw(t, "routing"),
			rapid.IntRange(0, 2).Draw(t, "failures"))
		if p := judged(t, f); p.Verdict == validate.Prone {
			prone++
			assertWitness(t, f, p)
		}
	})
	assert.NotZero(t, prone)
}

// A smaller budget can leave a verdict unknown, or whether the shown failures are the fewest. It does not change a verdict.
func TestBudgetLeavesOpen(t *testing.T) {
	verdicts, guessed := map[validate.Verdict]int{}, 0
	check(t, func() bool { return verdicts[validate.Unknown] > 0 && verdicts[validate.Free] > 0 }, func(t *rapid.T) {
		f := drawnFabric(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 41)), rapid.SampledFrom(routings).Draw(t, "routing"),
			rapid.IntRange(0, 3).Draw(t, "failures"))
		whole := judged(t, f)
		p := gravest(t, validate.Run(f, ir.NewBudget(rapid.Int64Range(0, 30_000).Draw(t, "budget"))))
		verdicts[p.Verdict]++
		if p.Verdict == validate.Unknown {
			require.NotEmpty(t, p.Why())
			return
		}
		require.Equal(t, whole.Verdict, p.Verdict, p.Why())
		switch {
		case p.Verdict == validate.Free:
			require.Equal(t, whole.Failures, p.Failures)
		default:
			assertWitness(t, f, p)
			require.Len(t, p.Loops[0].Down, p.Failures)
			require.True(t, whole.Fewest)
			if p.Fewest {
				require.Equal(t, whole.Failures, p.Failures)
			} else {
				guessed++
				require.GreaterOrEqual(t, p.Failures, whole.Failures)
				require.LessOrEqual(t, p.Failures, f.Failures)
			}
		}
	})
	t.Log(verdicts, guessed)
	assert.NotZero(t, verdicts[validate.Unknown])
	assert.NotZero(t, verdicts[validate.Free])
}

// shown is the content of a proof, with names instead of pointers.
type shown struct {
	Verdict             validate.Verdict
	Circle, Flows, Down []string
}

func show(p validate.GroupProof) shown {
	s := shown{Verdict: p.Verdict}
	if len(p.Loops) == 0 {
		return s
	}
	for _, h := range p.Loops[0].Circle {
		s.Circle = append(s.Circle, fmt.Sprint(h.In, " ", h.Out, " ", h.Group.Name))
	}
	for _, f := range p.Loops[0].Flows {
		s.Flows = append(s.Flows, fmt.Sprint(f.Ports))
	}
	for _, l := range p.Loops[0].Down {
		s.Down = append(s.Down, fmt.Sprint(l.A(), " ", l.B()))
	}
	return s
}

// A second fabric that cannot lock and does not talk with the first changes nothing in the proof of the first.
func TestFreeNeighbourChangesNothing(t *testing.T) {
	assertNeighbourChangesNothing(t, ir.EBGP, 0xfdc, 2, 1) // two failures make a circle, and the other one was shown
	rapid.Check(t, func(t *rapid.T) {
		assertNeighbourChangesNothing(t, rapid.SampledFrom(routings).Draw(t, "routing"), rapid.Uint64().Draw(t, "seed"),
			rapid.IntRange(0, 2).Draw(t, "failures"), 1+rapid.IntRange(0, 2).Draw(t, "leaves"))
	})
}

// assertNeighbourChangesNothing judges the fabric of a seed alone, and together with a free one of so many leaves.
func assertNeighbourChangesNothing(t require.TestingT, routing ir.Routing, seed uint64, failures, leaves int) {
	spines := 1
	if routing == ir.ShortestPath || routing == ir.UpDown {
		spines = 3
	}
	alone := routed(drawn(rand.New(rand.NewPCG(seed, 17)), routing).Failures(failures))
	c := drawn(rand.New(rand.NewPCG(seed, 17)), routing).Failures(failures)
	own := len(c.F.Devices)
	for l := range leaves { // names that sort after all others
		for s := range spines {
			link := c.Link(fmt.Sprint("neighbouringLeaf", l), fmt.Sprint("neighbouringSpine", s))
			link.Routed = routing != ir.Flooding && routing != ir.SpanningTree
		}
		c.Hosts(fmt.Sprint("neighbouringLeaf", l), fmt.Sprint("neighbouringLeaf", l))
	}
	c.Tier("neighbouringSpine", 2)
	for i, d := range c.F.Devices {
		if d.Switch != nil && i >= own {
			d.Switch.ASN = 65_500 + i
		}
	}
	both := c.Fabric()
	in := *both.Intents[0]
	in.Name, in.Members = "neighbours", nil
	theirs := func(m *ir.Member) bool { return strings.Contains(m.NIC.Device.Name, "neighbouring") }
	for _, m := range both.Intents[0].Members {
		if theirs(m) {
			in.Members = append(in.Members, m)
			m.NIC.Intents = []*ir.Intent{&in}
		}
	}
	both.Intents[0].Members = slices.DeleteFunc(both.Intents[0].Members, theirs)
	both.Intents = append(both.Intents, &in)
	both.Routes = routes.New(both)
	require.Equal(t, show(judged(t, alone)), show(judged(t, both)))
}

// renamed is the drawn fabric with new names for the devices.
func renamed(seed uint64, routing ir.Routing, failures int, names map[string]string) *ir.Fabric {
	c := drawn(rand.New(rand.NewPCG(seed, 19)), routing).Failures(failures)
	if names != nil {
		c.Rename(func(old string) string { return names[old] })
	}
	return routed(c)
}

// text returns the complete text of a report, in lower case.
func text(f *ir.Fabric) string {
	var b strings.Builder
	r := validate.Run(f, ir.NewBudget(smallBudget))
	for _, p := range r.Proofs {
		fmt.Fprintln(&b, p.Verdict, p.Certificate, p.Failures, p.Any, p.Why(), p.NoteTexts(), show(p))
	}
	for _, d := range r.Diagnostics {
		fmt.Fprintln(&b, d.Code, d.Detail, d.Text, d.Loop)
		if d.Fix != nil {
			fmt.Fprintln(&b, d.Fix.Message)
		}
	}
	return strings.ToLower(b.String())
}

// New names in the same order change the names and nothing else. (The new names have the same numbers and lengths, because messages fold
// names into nodesets by length.) With any names, the verdict, the number of failed links and the length of the circle stay equal.
func TestNamesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routing := rapid.SampledFrom(routings).Draw(t, "routing")
		seed := rapid.Uint64().Draw(t, "seed")
		failures := rapid.IntRange(0, 2).Draw(t, "failures")
		f := renamed(seed, routing, failures, nil)
		same, any := map[string]string{}, map[string]string{}
		order := rand.New(rand.NewPCG(seed, 23)).Perm(len(f.Devices))
		for i, d := range f.Devices {
			same[d.Name] = strings.ToUpper(d.Name)
			any[d.Name] = fmt.Sprintf("q%03d", order[i])
		}
		require.Equal(t, text(f), text(renamed(seed, routing, failures, same)))
		p, q := judged(t, f), judged(t, renamed(seed, routing, failures, any))
		require.Equal(t, p.Verdict, q.Verdict)
		require.Equal(t, p.Failures, q.Failures)
		require.Equal(t, p.Any, q.Any)
		if p.Verdict == validate.Prone {
			require.Len(t, q.Loops[0].Down, len(p.Loops[0].Down))
			require.Len(t, q.Loops[0].Circle, len(p.Loops[0].Circle))
		}
	})
}

// A fabric has the same report in every run, on any number of processors.
func TestTheSameEveryTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routing := rapid.SampledFrom(routings).Draw(t, "routing")
		seed := rapid.Uint64().Draw(t, "seed")
		report := func() string {
			return text(drawnFabric(rand.New(rand.NewPCG(seed, 47)), routing, 2))
		}
		before := runtime.GOMAXPROCS(1)
		defer runtime.GOMAXPROCS(before)
		want := report()
		runtime.GOMAXPROCS(4)
		require.Equal(t, want, report())
	})
}

// The verdicts on the topologies of the literature do not depend on names.
func TestNamesDoNotMatterInTopologies(t *testing.T) {
	for _, n := range []int{4, 5, 6} {
		c := irtest.Ring(sp, n)
		names := map[string]string{}
		for i, d := range c.F.Devices {
			names[d.Name] = fmt.Sprintf("q%03d", (7*i)%len(c.F.Devices))
		}
		require.Len(t, slices.Collect(maps.Keys(names)), 2*n)
		p := judged(t, routed(c.Rename(func(s string) string { return names[s] })))
		assert.Equal(t, validate.Prone, p.Verdict)
		assert.Len(t, p.Loops[0].Circle, n)
	}
}
