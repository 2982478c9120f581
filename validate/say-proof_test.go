package validate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate/proof"
)

// This test has the complete text of every fact that a proof can state.
func TestProofInWords(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	f := c.Fabric()
	lossy := &ir.CosGroup{Name: "bulk"}
	detour := &ir.CosGroup{Name: "detour", Bounce: lossy}
	var circle []Wait
	for i, name := range []string{"R0", "R1", "R2", "R3"} {
		next := []string{"R1", "R2", "R3", "R0"}[i]
		l := c.Between(name, next)
		in := l.A()
		if in.Device().Name == name {
			in = l.B()
		}
		circle = append(circle, Wait{In: in})
	}
	links := func(n int) []*ir.Link { return f.Links[:n] }
	free := func(r ir.Routing, turns int, reason proof.Reason) *Proof {
		return &Proof{Fabric: &ir.Fabric{Routing: r}, Verdict: Free, Certificate: proof.ByExact, Turns: turns, Buffers: 6, Reason: reason}
	}
	certified := func(c proof.Certificate, r proof.Certified) *Proof { return &Proof{Certificate: c, Reason: r} }
	const rank = "number every lossless link in the direction of traffic: upwards the tier of its lower end (at most 2), across 3, " +
		"downwards 6 minus the tier of its lower end (at least 4)"

	said := map[string]bool{} // codes of reasons, certificates with them
	for _, tt := range []struct {
		p    *Proof
		want string
	}{
		{certified(proof.ByForest, proof.Certified{}), "no lossless link joins two switches, so there can be no circle"},
		{
			certified(proof.ByForest, proof.Certified{Links: 5}),
			"5 lossless links between switches form no circle, and no routing that does not turn back can make one. Choose a root switch in " +
				"each tree and number the links in the direction of traffic: first those towards the root, the farthest first, then those away from " +
				"it. A frame that does not turn back passes links with rising numbers only",
		},
		{
			certified(proof.ByUpDown, proof.Certified{Top: 3}),
			rank + ". A path that rises, takes at most one peer step and falls passes rising numbers only, so no chain of turns returns to its " +
				"start",
		},
		{
			certified(proof.ByASPlan, proof.Certified{Top: 3}),
			"the neighbours of a switch above and beside it share one AS number, so none of them accepts a route of another over that switch: " +
				"the AS path contains the number already. Links join adjacent tiers, so a path down is always shorter than one that goes up first. " +
				"So traffic that came down, or from the side, only goes down. To see that no chain of turns returns to its start, " + rank + "; " +
				"every possible turn raises the number",
		},
		{
			certified(proof.ByBounce, proof.Certified{Top: 3, Chain: []*ir.CosGroup{{Name: "rdma", Bounce: detour}, detour}}),
			rank + ", plus 7 for each earlier bounce of the frame (rdma, then detour, then bulk). A turn from down to up moves the " +
				"frame into the next group, after the last into a lossy one that waits for no buffer; every other turn raises the number",
		},
		{
			certified(proof.BySpanningTree, proof.Certified{}),
			"spanning tree forwards on one tree of links at a time, with any root and after any failures, and a tree has no circle",
		},
		{free(ir.ShortestPath, 0, proof.Searched{}), "no traffic passes from one lossless link between switches on to another"},
		{free(ir.ShortestPath, 12, proof.Searched{}), "the 12 turns of shortest-path make no circle among 6 buffers"},
		{free("", 1, proof.Searched{}), "the 1 turn of the only paths there are make no circle among 6 buffers"},
		{
			free(ir.EBGP, 12, proof.Searched{Down: 1}),
			"the 12 turns of ebgp make no circle among 6 buffers. With any 1 link down it is the same: every pair that talks keeps one of its " +
				"shortest paths, so there are no new turns",
		},
		{
			free(ir.EBGP, 12, proof.Searched{Down: 2, Followed: 3, Alike: -1}),
			"the 12 turns of ebgp make no circle among 6 buffers. With up to 2 links down there is no circle either: of the failures that " +
				"remove every shortest path of some pair, 3 sets were judged; all others add no turns",
		},
		{
			free(ir.EBGP, 12, proof.Searched{Down: 2, Followed: 1, Alike: 1200}),
			"the 12 turns of ebgp make no circle among 6 buffers. With up to 2 links down there is no circle either: of the failures that " +
				"remove every shortest path of some pair, 1 set, which represents all 1,200 that differ by names only were judged; all others add " +
				"no turns",
		},
		{
			free(ir.TablePath, 12, proof.Searched{}),
			"the 12 turns of table make no circle among 6 buffers. That is the verdict for the tables as they are; the tables " +
				"after a failure are not known",
		},
		{
			&Proof{Fabric: &ir.Fabric{Routing: ir.AnyPath}, Any: true, Turns: 12, Buffers: 6, Reason: proof.Searched{}},
			"the 12 turns of any make no circle among 6 buffers, and failed links only remove turns",
		},
		{
			&Proof{Reason: proof.InCircle{}, Loops: []Loop{{Circle: circle}}},
			"4 buffers wait for each other in a circle: R0>R1, R1>R2, R2>R3, R3>R0",
		},
		{
			&Proof{Reason: proof.InCircle{}, Loops: []Loop{{Circle: circle, Down: links(1)}}},
			"4 buffers wait for each other in a circle: R0>R1, R1>R2, R2>R3, R3>R0, once R0:p0 - R1:p0 is down",
		},
		{
			&Proof{Reason: proof.InCircle{}, Loops: []Loop{{Circle: append(append(circle[:4:4], circle...), circle[0]), Down: links(2)}}},
			"9 buffers wait for each other in a circle: R0>R1, R1>R2, R2>R3, R3>R0, R0>R1, R1>R2, R2>R3, R3>R0, ..., once R0:p0 - R1:p0 " +
				"and R1:p1 - R2:p0 are down",
		},
		{
			&Proof{Reason: proof.MixedStates{Mixture: ir.MixedTies, Circle: circle}},
			"the turns of states that exclude each other (which of several equally long AS paths a switch advertises) close a circle together " +
				"(R0>R1, R1>R2, R2>R3, R3>R0), and whether a single state closes one is not known",
		},
		{
			&Proof{Reason: proof.MixedStates{Mixture: ir.MixedTies, Circle: circle, Down: links(1)}, Enough: 10 * DefaultBudget},
			"with R0:p0 - R1:p0 down, the turns of states that exclude each other (which of several equally long AS paths a switch advertises) " +
				"close a circle together (R0>R1, " +
				"R1>R2, R2>R3, R3>R0), and whether a single state closes one is not known: the budget ran out before all of them were " +
				"judged; --budget 10m may be enough",
		},
		{&Proof{Reason: proof.NotFollowed{Err: errors.New("nobody knows")}}, "nobody knows"},
		{
			&Proof{Reason: proof.OutOfBudget{}, Enough: 1},
			"the budget for the PFC-loop check ran out before the healthy fabric was judged; --budget 1m may be enough",
		},
		{
			&Proof{Reason: proof.OutOfBudget{Down: 1, Found: -1}, Enough: 21 * 60 * StepsPerSecond},
			"the healthy fabric is free, but the budget ran out before all sets of 1 link that can change the verdict were found; --budget " +
				"30m may be enough",
		},
		{
			&Proof{Reason: proof.OutOfBudget{Down: 3, Found: 1200, Judged: 7}, Enough: 3 * 3600 * StepsPerSecond},
			"the healthy fabric is free, also with any 2 links down, but of the sets of 3 links that can change the verdict (1,200, equal ones " +
				"counted once) only 7 could be judged before the budget ran out; --budget 3h may be enough",
		},
		{
			&Proof{Reason: proof.OutOfBudget{Down: 1, Found: 2, Circle: circle, Conflict: [][]*ir.Link{links(1), links(2)[1:]}}},
			"the healthy fabric is free, but of the sets of 1 link that can change the verdict (2, equal ones counted once) only 0 could be " +
				"judged before the budget ran out. Several states together close a circle (R0>R1, R1>R2, R2>R3, R3>R0) that no judged state closes " +
				"alone; it needs turns of the states with R0:p0 - R1:p0 down, and with R1:p1 - R2:p0 down; a larger " +
				"--budget gives it more",
		},
	} {
		assert.Equal(t, tt.want, GroupProof{Proof: tt.p}.Why())
		said[tt.p.Reason.Code()], said[string(tt.p.Certificate)] = true, true
	}
	for _, r := range proof.Reasons {
		assert.True(t, said[r.Code()], r.Code())
	}
	for _, c := range proof.Certificates {
		assert.True(t, said[string(c)], c)
	}

	notes := map[proof.NoteCode]bool{}
	for _, tt := range []struct {
		n    proof.Note
		want string
	}{
		{proof.Note{Code: proof.FewestFailures, Links: links(1)}, "1 link down at once makes it prone, and no fewer: R0:p0 - R1:p0"},
		{
			proof.Note{Code: proof.FewestFailures, Links: links(3)},
			"3 links down at once make it prone, and no fewer: R0:p0 - R1:p0, R1:p1 - R2:p0 and R2:p1 - R3:p0",
		},
		{
			proof.Note{Code: proof.SomeFailures, Links: links(8)},
			"8 links down at once make it prone: R0:p0 - R1:p0, R1:p1 - R2:p0, R2:p1 - R3:p0, R3:p1 - R0:p1, hR0x4:p0 - R0:p2, hR1x5:p0 - R1:p2 " +
				"and 2 more links; whether fewer do is not known",
		},
		{proof.Note{Code: proof.NeverProne}, "no number of links down makes it prone"},
		{proof.Note{Code: proof.SamePaths, Down: 1}, "no fewer than 2 failed links change any path"},
		{proof.Note{Code: proof.FreeBeyond, Down: 1}, "it is free also with any 1 link down"},
		{
			proof.Note{Code: proof.SearchEnded, Down: 3, Ended: true},
			"whether more than 3 links down make it prone is not judged; the search ended there, and a larger --budget goes on",
		},
		{
			proof.Note{Code: proof.FreeBeyond, Down: 2, Ended: true},
			"it is free also with any 2 links down; the search ended there, and a larger --budget goes on",
		},
		{
			proof.Note{Code: proof.TransientUnknown, Mixture: ir.MixedTies},
			"whether circles can come and go while routing converges is not judged: one is closed by turns that exclude each other (which of " +
				"several equally long AS paths a switch advertises), and these are not distinguished while routing converges",
		},
		{
			proof.Note{Code: proof.TransientUnknown},
			"not judged: whether circles come and go while routing converges, as the budget ran out; a larger --budget goes on",
		},
		{
			proof.Note{Code: proof.AnyCablingOrder, Links: links(1)},
			"cable in any order: with any of the 1 planned cable missing there is no circle",
		},
		{
			proof.Note{Code: proof.AnyCablingOrder, Links: links(3), Down: 2},
			"cable in any order: with any of the 3 planned cables missing there is no circle, also with up to 2 links down",
		},
		{
			proof.Note{Code: proof.CablingOrder, Links: links(3)},
			"the 3 planned cables are safe in one order, but not in every order: pfc-loop-cabling prints it",
		},
		{
			proof.Note{Code: proof.NoCablingOrder, Links: links(3)},
			"no order of cabling is safe: some of the 3 planned cables make it prone while others are missing",
		},
		{proof.Note{Code: proof.CablingUnknown, Links: links(2)}, "not judged: whether the 2 planned cables can be laid in any order"},
	} {
		assert.Equal(t, []string{tt.want}, GroupProof{Proof: &Proof{Notes: []proof.Note{tt.n}}}.NoteTexts())
		notes[tt.n.Code] = true
	}
	for _, c := range proof.NoteCodes {
		assert.True(t, notes[c], c)
	}

	assumed := map[string]bool{}
	for _, c := range proof.AssumptionCodes {
		a := proof.Assumption{Code: c}
		switch c {
		case proof.NoSender:
			a.Group = detour
		case proof.ChipAlone:
			a.System, a.Chips = "plan9", []string{"Spectrum", "Tomahawk3"}
		case proof.SetByHand:
			a.Hand = []*ir.Device{{Switch: &ir.Switch{}}, {Switch: &ir.Switch{}}, {Host: &ir.Host{}}}
		case proof.NoMLAGDetour:
			a.Pairs = []*ir.Device{{Name: "leaf1"}, {Name: "leaf2"}}
		}
		text := assumptionText(a)
		assert.False(t, assumed[text], "%s has the text of another one", c)
		assert.NotContains(t, text, "%")
		assumed[text] = true
	}
	assert.Len(t, assumptionTexts, len(assumed))
	assert.True(t, assumed[`no host sends in cos group "detour": it has only traffic that bounced`])
	assert.True(t, assumed["a switch of an MLAG pair that lost its own port to a host does not send over the peer link to the host "+
		"(leaf[1-2])"])
	assert.True(t, assumed["2 switches and 1 host set by hand and not read are set as by_hand states"])
	assert.True(t, assumed[`switches with os = "plan9", which rocec does not know, do what their chips can do (Spectrum and Tomahawk3): PFC, and a `+
		`separate buffer for each lossless group of a port`])
}

// A report states that a search for circles ended early, and the flag that continues it.
func TestCirclesThatEndEarlyInWords(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	f := c.Fabric()
	f.Routes = routes.New(f)
	loops := proof.All(f, ir.NewBudget(DefaultBudget))
	require.Len(t, loops, 1)
	of := func(ended bool, more int) string {
		p := *loops[0]
		first := p.Loops[0]
		first.Ended, first.More, first.Buffers = ended, more, len(first.Circle)+2
		p.Loops = []Loop{first}
		return loopText(&p)
	}
	whole := of(false, 3)
	assert.Contains(t, whole, "circles that are joined to this one have 6 buffers in all; the shortest is shown")
	assert.Contains(t, whole, "\n3 more circles of 4 buffers take the same turns")
	assert.NotContains(t, whole, "not judged")
	ended := of(true, -1)
	assert.Contains(t, ended, "whether a shorter circle exists is not judged: the search ended early; a larger --budget goes on")
	assert.Contains(t, ended, "how many more circles of 4 buffers take the same turns from down to up is not judged: the count ended early; "+
		"a larger --budget goes on")
	assert.Contains(t, ended, "; the shortest of those found is shown")
	assert.Contains(t, of(false, proof.MostMore), "at least 999,999 more circles of 4 buffers")
}

// Every report has the notes on what the proof did not judge; other notes are optional.
func TestUnjudged(t *testing.T) {
	p := GroupProof{Proof: &proof.Proof{Notes: []proof.Note{
		{Code: proof.NeverProne}, {Code: proof.TransientUnknown}, {Code: proof.CablingUnknown},
	}}}
	require.Len(t, p.NoteTexts(), 3)
	require.Equal(t, p.NoteTexts()[1:], p.Unjudged())
	for _, text := range p.Unjudged() {
		require.Contains(t, text, "not judged: ")
	}
}
