// Package proof judges whether lossless buffers can wait for each other in a circle: the PFC-loop proof.
//
// The input is a compiled fabric, which knows from its [ir.Routes] which turns its lossless traffic takes. The output is a [Proof] for
// every set of cos groups that must be judged together: free, prone or unknown, with the reason. A circle of waiting buffers is necessary
// for a deadlock (Dally & Seitz 1987), not sufficient: hence "prone".
//
// Three engines run in this order, until one of them has a verdict:
//
//  1. Certificates, linear in the links, valid whatever fails: each link gets a number, and every turn leads to a higher number. So no
//     chain of turns returns to its first link (certificate.go).
//  2. Exact: the turns of the healthy fabric (exact.go).
//  3. Failures: the sets of failed links that can change the verdict. The turns of many sets are judged together. Sets whose turns
//     close a circle together are judged one by one (failures.go).
//
// The results are typed (facts.go): stable codes with numbers and names. Package validate turns them into sentences.
package proof

import (
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// Proof is the verdict for a set of cos groups that must be judged together; nearly always the set is one group.
type Proof struct {
	Fabric      *ir.Fabric
	Groups      []*ir.CosGroup // groups that can fill one another's buffers, with the groups they bounce into
	Verdict     Verdict
	Certificate Certificate  // of a free verdict; empty otherwise
	Failures    int          // number of failed links that the verdict covers; for a prone verdict: links down in the state shown
	Any         bool         // the verdict covers any failures
	Reason      Reason       // the reason for the verdict
	Assumptions []Assumption // of a free verdict
	Loops       []Loop       // for a prone verdict: the shortest circle of each part, the shortest first, at most 64
	Parts       int          // for a prone verdict: the number of strongly connected parts with circles
	Fewest      bool         // for a prone verdict: no state with fewer failed links has a circle; false: not known
	Notes       []Note       // additional facts about a free verdict
	Enough      int64        // an estimate of the needed steps if the budget ran out; 0: it did not
	Buffers     int          // buffers in the judged graph; 0: a certificate needs no graph
	Turns       int          // turns between these buffers

	// Transient is a circle that can exist while routing converges after one failed link. Some devices still forward by the routes from
	// before the failure, others by the routes after it. Transient is nil if no such circle was found, or if the proof did not search for
	// one.
	Transient *Loop

	// Cabling, for a free verdict, describes the states in which some planned cables are laid and others are not. nil: no cable is
	// planned.
	Cabling *Cabling

	// Cut, for a prone verdict, is a link of the first circle. Without this link the fabric is free, also with as many failed links as it
	// has to survive. nil: no link that was tried has this property.
	Cut *ir.Link

	// Rank is the rank function of a certificate: every turn leads to a higher rank. in is the port of the ranked ingress buffer. nil: the
	// certificate needs none.
	Rank func(in *ir.Port, g *ir.CosGroup) int

	lossless []*ir.Link // see LosslessLinks; nil: not known, or none
}

// Loop is one circle of buffers that can only drain into each other.
type Loop struct {
	Circle   []Wait
	Flows    []*ir.Flow  // few flows that together take every turn of the circle; nil for loops far down the list
	Down     []*ir.Link  // the failed links; nil: none
	Alike    int         // the number of failure sets that differ from Down by names only, with Down; 0: not known
	Choices  []ir.Choice // the choices of routers between equal routes; nil: any choices
	Ties     ir.Ties     // the rule for all choices, if single choices are not known
	Buffers  int         // buffers of the strongly connected part that contains the circle
	Reversed bool        // the circle also exists in the other direction
	More     int         // other circles of this length with the same turns from down to up, at most MostMore; -1: not counted
	Ended    bool        // the search for the shortest circle ended early: a shorter one may exist
}

// Wait is one buffer of a circle, the ingress buffer of port In, and the turn by which it waits for the next buffer to drain.
type Wait struct {
	In, Out *ir.Port
	Group   *ir.CosGroup
}

// Up reports whether the cable from a to b leads to a higher tier (+1), a lower (-1) or the same (0).
func Up(a, b *ir.Port) int {
	switch x, y := a.Device().Height(), b.Device().Height(); {
	case x < y:
		return +1
	case x > y:
		return -1
	}
	return 0
}

// Valley reports whether the traffic came down and goes up again.
func (h Wait) Valley() bool { return Up(h.In.Peer(), h.In) < 0 && Up(h.Out, h.Out.Peer()) > 0 }

// prover works out a proof.
type prover struct {
	*Proof
	budget   *ir.Budget
	had      int64     // the initial budget, in steps
	judge    *judge    // nil: a certificate holds
	followed *failures // for a free verdict on shortest paths
}

// All proves facts about f within the budget. It returns a proof for every set of lossless groups to be judged together, in the order of
// their first groups.
func All(f *ir.Fabric, budget *ir.Budget) []*Proof {
	var out []*Proof
	for _, p := range verdicts(f, budget) {
		p.beside()
		out = append(out, p.Proof)
	}
	return out
}

// verdicts returns the proofs of All, before notes, transients and cuts are added.
func verdicts(f *ir.Fabric, budget *ir.Budget) []*prover {
	var out []*prover
	var t *graph.Line
	had := budget.Left()
	for _, groups := range together(f) {
		p := &prover{Proof: &Proof{Fabric: f, Groups: groups}, budget: budget, had: had}
		if !p.certify() {
			if t == nil {
				t = newLine(f)
			}
			p.judge = newJudge(t, groups, budget)
			p.follow()
		}
		if p.Verdict == Free {
			p.Assumptions = p.assumptions()
		}
		p.cabling()
		out = append(out, p)
	}
	return out
}

// together groups the lossless groups into sets. Groups are in one set if their traffic can fill one another's buffers
// ([ir.Fabric.SharesBuffers]), or if one bounces into the other.
func together(f *ir.Fabric) [][]*ir.CosGroup {
	var lossless []*ir.CosGroup
	set := map[*ir.CosGroup]int{}
	for _, g := range f.CosGroups {
		if g.Lossless {
			set[g] = len(lossless)
			lossless = append(lossless, g)
		}
	}
	join := func(a, b int) {
		for g, i := range set {
			if i == max(a, b) {
				set[g] = min(a, b)
			}
		}
	}
	one := f.SharesBuffers()
	for i, g := range lossless {
		if one {
			join(set[lossless[0]], set[g])
		}
		if g.Bounce != nil && g.Bounce.Lossless {
			join(set[lossless[i]], set[g.Bounce])
		}
	}
	var out [][]*ir.CosGroup
	for i := range lossless {
		var s []*ir.CosGroup
		for _, g := range lossless {
			if set[g] == i {
				s = append(s, g)
			}
		}
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

// follow judges the turns that routing makes.
func (p *prover) follow() {
	r := p.judge.state(nil)
	p.Buffers, p.Turns = r.buffers, r.turns
	if p.settle(r) {
		return
	}
	p.Certificate = ByExact
	switch p.Fabric.Routing {
	case ir.ShortestPath, ir.EBGP:
		if down := planned(p.Fabric); !slices.ContainsFunc(down, reroutes) || !p.settle(p.judge.state(down)) {
			p.failures()
		}
	case ir.TablePath: // the tables after a failure are not known
		p.Verdict, p.Reason = Free, Searched{}
	default: // failed links only remove turns
		p.Verdict, p.Any, p.Reason = Free, true, Searched{}
	}
}

// planned returns the cables that are not laid yet. They are down until they are laid, so the fabric is judged with them and without.
func planned(f *ir.Fabric) (out []*ir.Link) {
	for _, l := range f.Links {
		if l.Planned {
			out = append(out, l)
		}
	}
	return out
}

// reroutes reports whether traffic uses other paths while a link is down: the link joins two forwarding devices, or is a leg of a bond.
// The failure of any other link only removes turns.
func reroutes(l *ir.Link) bool {
	return l.A().Device().Forwards() && l.B().Device().Forwards() || leg(l)
}

// leg reports whether a link belongs to a bond that sends and receives on several links at once.
func leg(l *ir.Link) bool {
	balances := func(p *ir.Port) bool { return p.NIC != nil && p.NIC.Bond != nil && p.NIC.Bond.Mode != "active-backup" }
	return balances(l.A()) || balances(l.B())
}

// Failed returns the links in down that are laid. The others are planned cables.
func Failed(down []*ir.Link) (out []*ir.Link) {
	for _, l := range down {
		if !l.Planned {
			out = append(out, l)
		}
	}
	return out
}

// settle copies a result that is not free into the proof, and reports whether it did so.
func (p *prover) settle(r result) bool {
	switch {
	case r.err == ir.ErrBudget:
		p.Verdict, p.Certificate, p.Reason, p.Enough = Unknown, "", OutOfBudget{}, p.enough(0, 0)
	case r.err != nil:
		p.Verdict, p.Certificate, p.Reason = Unknown, "", NotFollowed{r.err}
	case r.parts == nil:
		return false
	case r.mixed != "":
		circle := r.graph.show(r.parts[:1], r.down)[0].Circle
		p.Verdict, p.Certificate, p.Reason = Unknown, "", MixedStates{r.mixed, circle, r.down}
		if r.spent {
			p.Enough = p.enough(0, 0)
		}
	default:
		p.prone(r)
	}
	return true
}

// enough estimates how many steps the proof needs, after the budget ran out with judged of the found states done. It scales the budget by
// found to judged, at most a thousandfold. If found is unknown, it returns ten times the budget.
func (p *prover) enough(judged, found int) int64 {
	const most = 1000
	times := int64(10)
	if judged > 0 && found > judged {
		times = min(most, int64(found/judged)+1)
	}
	return p.had * times
}

// prone copies the circles of a result into the proof.
func (p *prover) prone(r result) {
	p.Verdict, p.Certificate, p.Failures, p.Fewest, p.Reason = Prone, "", len(Failed(r.down)), true, InCircle{}
	p.Buffers, p.Turns = r.graph.extent()
	p.Parts = len(r.parts)
	p.Loops = r.graph.show(r.parts, r.down)
	r.graph.fill(p.Loops)
	for i := range p.Loops {
		p.Loops[i].Alike = r.alike
		p.Loops[i].Ties = r.ties
		p.Loops[i].Ended = p.Loops[i].Ended || r.ended
		if r.choices != nil {
			p.Loops[i].Choices = r.choices(p.Loops[i].Circle)
		}
	}
	first := &p.Loops[0]
	first.Reversed = r.graph.reversed(first.Circle)
	first.More = r.graph.more(first.Circle)
}
