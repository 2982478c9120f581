package proof

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// The verdicts on topologies of the literature, with the shortest circle and the number of links that must fail for it.
func TestVerdicts(t *testing.T) {
	const sp, ud = ir.ShortestPath, ir.UpDown
	tests := []struct {
		name        string
		c           *irtest.Cabling
		verdict     Verdict
		certificate Certificate
		circle      int // buffers
		failures    int
	}{
		{"two switches, one cable", irtest.New(sp).Links("A-B").Hosts("A", "B").Failures(1), Free, ByForest, 0, 1},
		{"daisy chain of 6, any", irtest.New(ir.AnyPath).Links("A-B B-C C-D D-E E-F").Hosts("A", "F"), Free, ByForest, 0, 0},
		{"daisy chain, ebgp", irtest.New(ir.EBGP).Links("A-B B-C").Hosts("A", "C"), Free, ByForest, 0, 0},
		{"parallel cables", irtest.New(sp).Links("A-B A-B").Hosts("A", "B"), Free, ByForest, 0, 0},
		{"triangle", irtest.Ring(sp, 3).Failures(1), Free, ByExact, 0, 1},
		{"ring of 4", irtest.Ring(sp, 4), Prone, "", 4, 0},
		{"ring of 5", irtest.Ring(sp, 5), Prone, "", 5, 0},
		{"ring of 6", irtest.Ring(sp, 6), Prone, "", 6, 0},
		{"ring of 7", irtest.Ring(sp, 7), Prone, "", 7, 0},
		{"LS4x2, healthy", irtest.LeafSpine(sp, 4, 2), Free, ByExact, 0, 0},
		{"LS4x2, any one down", irtest.LeafSpine(sp, 4, 2).Failures(1), Free, ByExact, 0, 1},
		{"LS4x2, any two down", irtest.LeafSpine(sp, 4, 2).Failures(2), Prone, "", 4, 2},
		{"LS5x2, any two down", irtest.LeafSpine(sp, 5, 2).Failures(2), Prone, "", 4, 2},
		{"LS4x3, any two down", irtest.LeafSpine(sp, 4, 3).Failures(2), Free, ByExact, 0, 2},
		{"LS4x3, any three down", irtest.LeafSpine(sp, 4, 3).Failures(3), Prone, "", 4, 3},
		{"LS4x4, any three down", irtest.LeafSpine(sp, 4, 4).Failures(3), Free, ByExact, 0, 3},
		{"LS4x4, any four down", irtest.LeafSpine(sp, 4, 4).Failures(4), Prone, "", 4, 4},
		{"LS3x3, any number " +
			"down", irtest.LeafSpine(sp, 3, 3).Failures(9), Free, ByExact, 0, 9}, // traffic of two leaves that bounces needs two other leaves
		{"LS4x2, up-down, any number down", irtest.LeafSpine(ud, 4, 2).Failures(8), Free, ByUpDown, 0, 8},
		{"LS4x2, any path", irtest.LeafSpine(ir.AnyPath, 4, 2), Prone, "", 4, 0},
		{"LS2x2, hosts on both spines", irtest.LeafSpine(sp, 2, 2).Hosts("S0", "S1"), Prone, "", 4, 0},
		{"LS3x2, hosts on one spine", irtest.LeafSpine(sp, 3, 2).Hosts("S0"), Free, ByExact, 0, 0},
		{"LS4x2 and a ring of leaves", irtest.LeafSpine(sp, 4, 2).Links("L0-L1 L1-L2 L2-L3 L3-L0"), Prone, "", 4, 0},
		{"full mesh of 4", irtest.FullMesh(sp, 4).Failures(1), Free, ByExact, 0, 1},
		{"full mesh of 4, two down", irtest.FullMesh(sp, 4).Failures(2), Prone, "", 4, 2},
		{"full mesh of 5, two down", irtest.FullMesh(sp, 5).Failures(2), Prone, "", 4, 2},
		{"torus 3x3", irtest.Torus(sp, 3), Prone, "", 4, 0},
		{"torus 4x4", irtest.Torus(sp, 4), Prone, "", 4, 0},
		{"dragonfly a=2 h=1 g=3", irtest.New(sp).Links("A0-A1 B0-B1 C0-C1 A1-B0 B1-C0 C1-A0").
			Hosts("A0", "A1", "B0", "B1", "C0", "C1"), Prone, "", 6, 0},
		{"5 stages, one down", irtest.Clos(sp, 2, 2, 2, 2, 1).Failures(1), Free, ByExact, 0, 1},
		{"5 stages, two down", irtest.Clos(sp, 2, 2, 2, 2, 1).Failures(2), Prone, "", 4, 2},
		{"5 stages of 3 planes, two down", irtest.Clos(sp, 2, 2, 3, 1, 1).Failures(2), Free, ByExact, 0, 2},
		{"5 stages of 3 planes, three down", irtest.Clos(sp, 2, 2, 3, 1, 1).Failures(3), Prone, "", 4, 3},
		{"5 stages, up-down", irtest.Clos(ud, 2, 2, 2, 2, 1).Failures(4), Free, ByUpDown, 0, 4},
		{"5 stages, RFC 7938", irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1).Failures(4), Free, ByASPlan, 0, 4},
		{"LS4x2, ebgp, spines share an AS", irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().ASN("S", 65000).Failures(4), Free, ByASPlan, 0, 4},
		{"LS4x2, ebgp, unique, one down", irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().Failures(1), Free, ByExact, 0, 1},
		{"LS4x2, ebgp, unique, two down", irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().Failures(2), Prone, "", 4, 2},
		{"up-down without tiers", irtest.Ring(ud, 4), Unknown, "", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fabric(tt.c)
			p := prove(t, f)
			require.Equal(t, tt.verdict, p.Verdict, p.Reason)
			assert.Equal(t, tt.certificate, p.Certificate)
			assert.Equal(t, tt.failures, p.Failures)
			assert.IsType(t, reasonOf(p), p.Reason)
			assert.Equal(t, tt.verdict == Free, len(p.Assumptions) > 0)
			if tt.verdict == Prone {
				assert.Len(t, p.Loops[0].Circle, tt.circle)
				assert.Len(t, p.Loops[0].Down, tt.failures)
				assert.True(t, p.Fewest)
				for _, l := range p.Loops {
					assertCircle(t, f, l)
				}
			} else {
				assert.Empty(t, p.Loops)
			}
			q := prove(t, f)
			assert.Equal(t, p.Reason, q.Reason)
			assert.Equal(t, p.Notes, q.Notes)
			assert.Equal(t, p.Loops, q.Loops)
		})
	}
}

// The fewest failures that make a fabric prone.
func TestFewestFailures(t *testing.T) {
	const sp = ir.ShortestPath
	tests := []struct {
		name string
		c    *irtest.Cabling
		code NoteCode
		down int
	}{
		{"LS4x2", irtest.LeafSpine(sp, 4, 2), FewestFailures, 2},
		{"LS4x3", irtest.LeafSpine(sp, 4, 3), FewestFailures, 3},
		{"LS4x4", irtest.LeafSpine(sp, 4, 4).Failures(2), FewestFailures, 4},
		{"LS12x8", irtest.LeafSpine(sp, 12, 8).Failures(1), FewestFailures, 8},
		{"5 stages, 2 planes", irtest.Clos(sp, 2, 2, 2, 2, 1), FewestFailures, 2},
		{"5 stages, 3 planes", irtest.Clos(sp, 2, 2, 3, 1, 1).Failures(1), FewestFailures, 3},
		{"full mesh of 4", irtest.FullMesh(sp, 4).Failures(1), FewestFailures, 2},
		{"LS2x2", irtest.LeafSpine(sp, 2, 2), NeverProne, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := prove(t, fabric(tt.c))
			require.Equal(t, Free, p.Verdict, p.Reason)
			require.Len(t, p.Notes, 1)
			assert.Equal(t, tt.code, p.Notes[0].Code)
			assert.Len(t, p.Notes[0].Links, tt.down)
		})
	}
	p := prove(t, fabric(irtest.LeafSpine(sp, 4, 2)))
	assert.Equal(t, "L0:p0 - S0:p0, L1:p1 - S1:p1", names(p.Notes[0].Links))
}

// The notes with smaller and smaller budgets.
func TestNotesOverBudget(t *testing.T) {
	codes := map[NoteCode]bool{}
	for _, c := range []*irtest.Cabling{irtest.LeafSpine(ir.ShortestPath, 12, 8), irtest.LeafSpine(ir.ShortestPath, 3, 3)} {
		f := fabric(c)
		covered := 0
		for steps := int64(1); steps < 1<<36; steps *= 4 {
			p := verdicts(f, enough())[0]
			notes := p.fewest(p.followed.anew(ir.NewBudget(steps)), 0)
			require.LessOrEqual(t, len(notes), 1)
			for _, n := range notes {
				codes[n.Code] = true
				switch n.Code {
				case FewestFailures, SomeFailures:
					assert.Len(t, n.Links, 8)
				case SamePaths, FreeBeyond:
					assert.GreaterOrEqual(t, n.Down, covered, "a larger budget shows no less")
					covered = n.Down
				}
			}
		}
	}
	want := map[NoteCode]bool{}
	for _, c := range NoteCodes {
		switch c {
		case TransientUnknown, AnyCablingOrder, CablingOrder, NoCablingOrder, CablingUnknown: // transients and cabling write these notes
		default:
			want[c] = true
		}
	}
	assert.Equal(t, want, codes)
}

// T47 and T48: traffic that goes up again moves into a separate group, which helps only if that group has a separate buffer.
func TestBounce(t *testing.T) {
	build := func(change func(*irtest.Cabling)) *Proof {
		c := irtest.New(ir.ShortestPath).Links("L0-S0 L1-S1 L2-S0 L2-S1 L3-S0 L3-S1").Tier("S", 2).Hosts("L0", "L1", "L2", "L3").Bounce()
		for _, l := range c.F.Links { // hosts do not send in it
			if l.A().Device().Host != nil || l.B().Device().Host != nil {
				l.A().SetBuffers(l.A().Buffers()[:1])
				l.B().SetBuffers(l.B().Buffers()[:1])
			}
		}
		change(c)
		return prove(t, fabric(c))
	}
	p := build(func(*irtest.Cabling) {})
	assert.Equal(t, Free, p.Verdict, p.Reason)
	assert.Len(t, p.Groups, 2, "judged together")
	p = build(func(c *irtest.Cabling) {
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.Can.Shared = true
			}
		}
	})
	assert.Equal(t, Prone, p.Verdict, p.Reason)
	assert.Len(t, p.Loops[0].Circle, 4)
	p = build(func(c *irtest.Cabling) { c.F.FlowControl = ir.Pause })
	assert.Equal(t, Prone, p.Verdict, p.Reason)
	p = build(func(c *irtest.Cabling) {
		bulk := &ir.CosGroup{Name: "bulk", Cos: 0}
		c.F.CosGroups = append(c.F.CosGroups, bulk)
		c.Group.Bounce.Bounce = bulk
	})
	assert.Equal(t, ByBounce, p.Certificate, p.Reason)
	assert.True(t, p.Any)
}

// T49 and T50: while routing converges.
func TestTransients(t *testing.T) {
	p := prove(t, fabric(irtest.LeafSpine(ir.ShortestPath, 4, 4)))
	require.Equal(t, Free, p.Verdict)
	require.NotNil(t, p.Transient)
	assert.Equal(t, "L0:p0 - S0:p0", names(p.Transient.Down))
	assert.Len(t, p.Transient.Circle, 2)
	for _, h := range p.Transient.Circle {
		assert.Same(t, h.In, h.Out, "a micro-loop")
	}
	assert.Nil(t, prove(t, fabric(irtest.LeafSpine(ir.UpDown, 4, 4))).Transient)
	assert.Nil(t, prove(t, fabric(irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1))).Transient)
	assert.Nil(t, prove(t, fabric(irtest.Ring(ir.ShortestPath, 3))).Transient, "every switch still has the direct path, or just lost it")
}

// A router with two states that exclude each other, each of which makes half of a circle.
type halves struct {
	ir.Routes // for the methods that a proof does not call

	f    *ir.Fabric
	half map[*ir.Link][]ir.Turn
	err  error // when only one state is followed
}

func (h halves) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	if len(s.Down) > 0 && h.err != nil {
		return nil, h.err
	}
	return h.Changed(g, s)
}

func (h halves) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	t := &ir.Turns{Group: g, Rows: make([][]uint64, len(h.f.Ports))}
	for _, l := range s.Down {
		for _, turn := range h.half[l] {
			t.Add(turn.In, turn.Out)
		}
	}
	return t, nil
}

func (h halves) Cuts(_ []*ir.CosGroup, down []*ir.Link, most int, _ []*ir.Link, _ *ir.Budget) (cuts []ir.Cut, _ error) {
	for _, l := range h.f.Links {
		if h.half[l] != nil && len(down) == 0 && most > 0 {
			cuts = append(cuts, ir.Cut{Links: []*ir.Link{l}, Alike: 1})
		}
	}
	return cuts, nil
}

// T53: a circle of turns from states that exclude each other is not a circle.
func TestStatesThatExcludeEachOther(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	f := fabric(c.Failures(1))
	all, err := f.Routes.Turns(c.Group, ir.State{})
	require.NoError(t, err)
	h := halves{f: f, half: map[*ir.Link][]ir.Turn{}}
	for _, in := range f.Ports {
		for _, out := range in.Device().Ports {
			if all.Has(in, out) {
				l := f.Links[in.Device().ID%2]
				h.half[l] = append(h.half[l], ir.Turn{In: in, Out: out})
			}
		}
	}
	require.Len(t, h.half, 2)
	f.Routes = h
	p := prove(t, f)
	assert.Equal(t, Free, p.Verdict, p.Reason)
	assert.Equal(t, 1, p.Failures)

	h.err = ir.ErrBudget
	f.Routes = h
	p = prove(t, f)
	assert.Equal(t, Unknown, p.Verdict, p.Reason)
	assert.Equal(t, 0, p.Failures)
	why, ok := p.Reason.(OutOfBudget)
	require.True(t, ok, p.Reason)
	assert.Equal(t, [3]int{1, 2, 0}, [3]int{why.Down, why.Found, why.Judged})
	assert.Len(t, why.Circle, 4)
	require.Len(t, why.Conflict, 2)
	assert.Equal(t, "R0:p0 - R1:p0", names(why.Conflict[0]))
	assert.Equal(t, "R1:p1 - R2:p0", names(why.Conflict[1]))
}

func TestBudget(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 8, 4).Failures(8))
	seen := map[Verdict]bool{}
	for steps := int64(10); steps < 1e11; steps *= 10 {
		p := All(f, ir.NewBudget(steps))[0]
		seen[p.Verdict] = true
		again := All(f, ir.NewBudget(steps))[0]
		assert.Equal(t, p.Reason, again.Reason)
		assert.Equal(t, p.Verdict, again.Verdict)
		if p.Verdict == Unknown {
			assert.IsType(t, OutOfBudget{}, p.Reason)
		} else {
			assert.Equal(t, Prone, p.Verdict)
			assert.Equal(t, 4, p.Failures)
			assert.True(t, p.Fewest)
		}
	}
	assert.Len(t, seen, 2, "too little, and enough")
}

func TestLinkPauseJudgesAllGroupsTogether(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	f := fabric(c)
	f.FlowControl = ir.Pause
	f.CosGroups = append(f.CosGroups, &ir.CosGroup{Name: "storage", Cos: 4, Lossless: true})
	p := prove(t, f)
	assert.Equal(t, Prone, p.Verdict)
	assert.Len(t, p.Groups, 2)
}

// Two groups, each free alone: one uses three quarters of the ring, and the other the rest.
func TestSharedBuffersAreJudgedTogether(t *testing.T) {
	half := func(shared bool) []*Proof {
		c := irtest.New(ir.ShortestPath)
		c.Links("R0-R1 R1-R2 R2-R3 R3-R4 R4-R0")
		c.Hosts("R0", "R1", "R2", "R3", "R4")
		f := fabric(c)
		g := c.Group
		other := &ir.CosGroup{Name: "storage", Cos: 4, Lossless: true}
		all, err := f.Routes.Turns(g, ir.State{})
		require.NoError(t, err)
		f.CosGroups = append(f.CosGroups, other)
		for _, p := range f.Ports {
			p.SetBuffers(append(p.Buffers(), &ir.Buffer{Group: other}))
		}
		for _, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.Can.Shared = shared
			}
		}
		f.Routes = router(func(want *ir.CosGroup, _ ir.State) (*ir.Turns, error) {
			part := &ir.Turns{Group: want, Rows: make([][]uint64, len(f.Ports)), Witness: all.Witness}
			for _, in := range f.Ports {
				for _, out := range in.Device().Ports {
					if all.Has(in, out) && (in.Device().Name == "R0") == (want == other) {
						part.Add(in, out)
					}
				}
			}
			return part, nil
		})
		return All(f, enough())
	}
	apart := half(false)
	require.Len(t, apart, 2)
	assert.Equal(t, Free, apart[0].Verdict)
	assert.Equal(t, Free, apart[1].Verdict)
	together := half(true)
	require.Len(t, together, 1)
	assert.Equal(t, Prone, together[0].Verdict)
	assert.Len(t, together[0].Loops[0].Circle, 5)
	names := map[string]bool{}
	for _, h := range together[0].Loops[0].Circle {
		names[h.Group.Name] = true
	}
	assert.Len(t, names, 2)
}

// T45: a table may send traffic back, so a tree of links proves nothing, and the table after a failure is not known.
func TestTables(t *testing.T) {
	build := func(flows ...string) *Proof {
		c := irtest.New(ir.TablePath).Links("A-B B-C").Hosts("A", "C").Failures(1)
		f := c.Fabric()
		f.Routes = &irtest.Explicit{Fabric: f, Flows: func(ir.State) []*ir.Flow {
			var out []*ir.Flow
			for _, s := range flows {
				out = append(out, c.Flow(s))
			}
			return out
		}}
		return prove(t, f)
	}
	p := build("A B C", "C B A")
	assert.Equal(t, Free, p.Verdict)
	assert.Equal(t, ByExact, p.Certificate)
	assert.Zero(t, p.Failures)
	assert.False(t, p.Any)
	p = build("A B A B")
	assert.Equal(t, Prone, p.Verdict)
	assert.Len(t, p.Loops[0].Circle, 2)
}

// TestCut: a ring is free without one of its cables, a torus is not.
func TestCut(t *testing.T) {
	f := fabric(irtest.Ring(ir.ShortestPath, 5))
	assert.Equal(t, "R0:p0 - R1:p0", names([]*ir.Link{prove(t, f).Cut}))
	f = fabric(irtest.Ring(ir.ShortestPath, 5).Failures(2))
	assert.NotNil(t, prove(t, f).Cut, "nor with two more down")
	assert.Nil(t, prove(t, fabric(irtest.Torus(ir.ShortestPath, 4))).Cut)
	assert.Nil(t, prove(t, fabric(irtest.LeafSpine(ir.ShortestPath, 5, 2).Failures(2))).Cut)
}

// TestFailuresAgreeWithTryingAll: the verdict, the fewest failures and their note agree with judging every set of failed links.
func TestFailuresAgreeWithTryingAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomFabric(rt, "R")
		if c.F.Routing = rapid.SampledFrom([]ir.Routing{ir.ShortestPath, ir.EBGP}).Draw(rt, "routing"); c.F.Routing == ir.EBGP {
			c.UniqueASNs()
			for _, d := range c.F.Devices {
				if d.Switch != nil && rapid.IntRange(0, 3).Draw(rt, "shared AS") == 0 {
					d.Switch.ASN = 65000
				}
			}
		}
		f := fabric(c.Failures(rapid.IntRange(0, 3).Draw(rt, "failures")))
		plans := rapid.Bool().Draw(rt, "cables are planned")
		var links, planned []*ir.Link
		for _, l := range f.Links {
			if l.A().Device().Forwards() && l.B().Device().Forwards() {
				links = append(links, l)
				if l.Planned = plans && rapid.IntRange(0, 2).Draw(rt, "planned") == 0; l.Planned {
					planned = append(planned, l)
				}
			}
		}
		p := All(f, enough())[0]
		if p.Certificate != ByExact && p.Verdict != Prone {
			rt.Skip()
		}
		j := newJudge(newLine(f), p.Groups, nil)
		fewest, mixed, k := -1, false, 0
		set := func(down []*ir.Link) []*ir.Link {
			return slices.Compact(slices.SortedFunc(slices.Values(down), func(a, b *ir.Link) int { return a.ID - b.ID }))
		}
		var try func(down []*ir.Link, from, left int)
		try = func(down []*ir.Link, from, left int) {
			if left == 0 {
				if r := j.state(set(down)); r.mixed != "" && r.parts != nil {
					mixed = true
				} else if r.parts != nil {
					fewest = k
				}
				return
			}
			for i := from; i < len(links) && fewest < 0; i++ {
				try(append(down, links[i]), i+1, left-1)
			}
		}
		const most = 4
		for ; k <= most && fewest < 0 && !mixed; k++ {
			try(nil, 0, k)
			if fewest < 0 && planned != nil { // while they are not laid
				try(slices.Clip(planned), 0, k)
			}
			if fewest >= 0 {
				break
			}
		}
		switch {
		case mixed: // whether it is a circle is not known
		case fewest >= 0 && fewest <= f.Failures:
			require.Equal(rt, Prone, p.Verdict, p.Reason)
			if planned == nil {
				require.Equal(rt, fewest, p.Failures)
			}
			require.LessOrEqual(rt, p.Failures, fewest)
			require.True(rt, j.state(p.Loops[0].Down).prone())
		default:
			require.Equal(rt, Free, p.Verdict, p.Reason)
			require.Equal(rt, f.Failures, p.Failures)
			if planned != nil {
				return // the notes count failures from either state
			}
			told := slices.IndexFunc(p.Notes, func(n Note) bool { return n.Code == FewestFailures })
			if fewest >= 0 {
				require.GreaterOrEqual(rt, told, 0, "%d make it prone: %+v", fewest, p.Notes)
				require.Len(rt, p.Notes[told].Links, fewest)
			} else if told >= 0 {
				require.Greater(rt, len(p.Notes[told].Links), most)
			}
		}
	})
}

// cutless is a router whose cuts cannot be found within any budget.
type cutless struct{ ir.Routes }

func (cutless) Cuts([]*ir.CosGroup, []*ir.Link, int, []*ir.Link, *ir.Budget) ([]ir.Cut, error) {
	return nil, ir.ErrBudget
}

// TestGuess: if the cuts cannot be found, the proof tries likely failure sets. The circle is real, and the proof claims nothing about
// fewer failures.
func TestGuess(t *testing.T) {
	f := fabric(irtest.Clos(ir.ShortestPath, 2, 4, 6, 2, 1).Failures(6))
	f.Routes = cutless{f.Routes}
	p := prove(t, f)
	require.Equal(t, Prone, p.Verdict, p.Reason)
	assert.Equal(t, 6, p.Failures)
	assert.False(t, p.Fewest)
	assertCircle(t, f, p.Loops[0])
	f.Failures = 5
	p = prove(t, f)
	assert.Equal(t, Unknown, p.Verdict)
	assert.Equal(t, OutOfBudget{Down: 1, Found: -1}, p.Reason)
	f.Failures = 0
	p = prove(t, f)
	require.Equal(t, Free, p.Verdict)
	require.NotEmpty(t, p.Notes)
	assert.Equal(t, SomeFailures, p.Notes[0].Code)
	assert.Len(t, p.Notes[0].Links, 6)
}

// TestThinned: thinned removes failures that the circle does not need.
func TestThinned(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 5, 2).Failures(2))
	few := prove(t, f).Loops[0].Down
	require.Len(t, few, 2)
	j := newJudge(newLine(f), f.CosGroups[:1], ir.NewBudget(1<<40))
	require.False(t, j.state(nil).prone())
	fs := j.newFailures(ir.NewBudget(1<<40), nil)
	more := slices.Clone(few)
	for _, l := range f.Links { // one more failed link that does not break the circle
		if !slices.Contains(few, l) && fs.state(append(slices.Clone(few), l)).prone() {
			more = append([]*ir.Link{l}, few...)
			break
		}
	}
	require.Len(t, more, 3)
	assert.ElementsMatch(t, few, fs.thinned(fs.state(more), 1).down)
	assert.Len(t, fs.thinned(fs.state(more), 3).down, 3, "no fewer than least")
	all := fs.state(more)
	fs.budget = ir.NewBudget(0)
	assert.Equal(t, more, fs.thinned(all, 1).down, "without a budget the result is unchanged")
}
