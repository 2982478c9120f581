// Package proof judges whether lossless buffers can wait for each other in a circle: the PFC-loop proof.
//
// In goes a compiled fabric, which knows from its [ir.Routes] which turns its lossless traffic takes; out comes, for
// every set of cos groups that has to be judged together, a [Proof]: free, prone or unknown, with what it rests on. A
// circle of waiting buffers is necessary for a deadlock (Dally & Seitz 1987), not sufficient: hence "prone".
//
// Three engines in this order; the first that knows answers:
//
//  1. Certificates, linear in the links, true whatever fails: a number for every link that every turn raises, so that no
//     chain of turns comes back (certificate.go).
//  2. Exact: the turns of the healthy fabric (exact.go).
//  3. Failures: of all sets of links that may be down, those that matter; the turns of many sets taken together, and
//     apart only where they close a circle together (failures.go).
package proof

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Verdict is the outcome of the proof.
type Verdict string

// The verdicts. There is no "will deadlock": a circle of waiting buffers is necessary, never sufficient.
const (
	Free    Verdict = "free"
	Prone   Verdict = "prone"
	Unknown Verdict = "unknown"
)

// Proof is the verdict for a set of cos groups that have to be judged together; nearly always that is one group.
type Proof struct {
	Fabric      *ir.Fabric
	Groups      []*ir.CosGroup // those whose traffic can fill one another's buffers, and those one bounces into
	Verdict     Verdict
	Certificate string   // by what it is free: a Certificate constant; empty otherwise
	Failures    int      // links down at once that are covered; of a prone verdict, how many are down at once in the state shown
	Any         bool     // whatever fails
	Why         string   // the rank function, the circle, or why it is not known
	Assumptions []string // of a free verdict
	Loops       []Loop   // of a prone verdict: the shortest circle of each part, the shortest first, at most 64
	Parts       int      // of a prone verdict: the strongly connected parts of the graph that hold circles
	Fewest      bool     // of a prone verdict: no fewer failed links make a circle; false: not known
	Notes       []string // how many failures would make the fabric prone
	Buffers     int      // that wait or are waited for, in the state judged; 0 where a certificate needs no graph
	Turns       int      // between them

	// Transient is a single failed link while routing converges after which the turns of the devices, some still from
	// before and some already from after, close a circle; nil: none was found, or none was looked for.
	Transient *Loop

	// Rank is the rank function of a certificate: every turn raises it. In is the port whose ingress buffer is ranked.
	Rank func(in *ir.Port, g *ir.CosGroup) int

	budget   *ir.Budget
	judge    *judge
	followed *failures // of a free verdict that rests on shortest paths
}

// The certificates.
const (
	ByForest       = "forest"
	ByUpDown       = "up-down"
	ByASPlan       = "as-plan"
	ByBounce       = "bounce"
	BySpanningTree = "spanning-tree"
	ByExact        = "exact" // the graph has been searched
)

// Loop is one circle of buffers that can only drain into each other.
type Loop struct {
	Circle   []Hop
	Flows    []*ir.Flow // few flows that together take every turn of the circle; nil for loops far down the list
	Down     []*ir.Link // what must have failed; nil: nothing
	Alike    int        // failure sets that differ from Down by names only, itself included; 0: not known
	Ties     ir.Ties    // how routers must choose between equal routes
	Buffers  int        // in the strongly connected part the circle is in
	Reversed bool       // the circle also runs the other way round
	More     int        // other circles of this length with the same turns from down to up
}

// Hop is one buffer of a circle, that of in-port In, and the turn by which it drains into the next.
type Hop struct {
	In, Out *ir.Port
	Group   *ir.CosGroup
}

// Up tells whether the cable from a to b leads to a higher tier (+1), a lower (-1) or the same (0).
func Up(a, b *ir.Port) int {
	switch x, y := a.Device.Height(), b.Device.Height(); {
	case x < y:
		return +1
	case x > y:
		return -1
	}
	return 0
}

// Valley tells whether the traffic came down and goes up again.
func (h Hop) Valley() bool { return Up(h.In.Peer(), h.In) < 0 && Up(h.Out, h.Out.Peer()) > 0 }

// All proves what can be proved of f within the budget: a proof for every set of lossless groups to be judged together,
// in the order of their first groups.
func All(f *ir.Fabric, budget *ir.Budget) []*Proof {
	proofs := verdicts(f, budget)
	for _, p := range proofs {
		p.beside()
	}
	return proofs
}

// verdicts is All without the notes and transients.
func verdicts(f *ir.Fabric, budget *ir.Budget) []*Proof {
	var out []*Proof
	var t *tables
	for _, groups := range together(f) {
		p := &Proof{Fabric: f, Groups: groups, budget: budget}
		if !p.certify() {
			if t == nil {
				t = newTables(f)
			}
			p.judge = newJudge(t, groups, budget)
			p.follow()
		}
		if p.Verdict == Free {
			p.Assumptions = p.assumptions()
		}
		out = append(out, p)
	}
	return out
}

// together sorts the lossless groups into sets whose traffic can fill one another's buffers: all of them under link
// pause, or where a chip keeps one priority group for them; and those one bounces into.
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
	one := f.FlowControl == ir.Pause || slices.ContainsFunc(f.Devices, SharesBuffer)
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

// SharesBuffer tells whether the device counts all lossless groups of a port in one buffer.
func SharesBuffer(d *ir.Device) bool {
	return d.Switch != nil && d.Switch.Model != nil && d.Switch.Model.ASIC != nil && d.Switch.Model.ASIC.SharedPG
}

// follow judges by the turns the routing makes.
func (p *Proof) follow() {
	j := p.judge
	r := j.state(nil)
	p.Buffers, p.Turns = r.buffers, r.turns
	if p.settle(r) {
		return
	}
	size := fmt.Sprintf("the %s of %s make no circle among %s", diag.Count(r.turns, "turn"), routingName(p.Fabric.Routing), diag.Count(r.buffers, "buffer"))
	if r.turns == 0 {
		size = "no traffic passes from one lossless link between switches on to another"
	}
	p.Certificate = ByExact
	switch p.Fabric.Routing {
	case ir.ShortestPath, ir.EBGP:
		p.failures(size)
	case ir.TablePath:
		p.Verdict = Free
		p.Why = size + ". That is the verdict for the tables as they are; what they would say after a failure is not known"
	default:
		p.Verdict, p.Any = Free, true
		p.Why = size + ", and fewer links only take turns away"
	}
}

// settle makes a result that is not free the proof's.
func (p *Proof) settle(r result) bool {
	switch {
	case r.err != nil:
		p.Verdict, p.Certificate, p.Why = Unknown, "", p.sayError(r.err)
	case r.parts == nil:
		return false
	case r.mixed != "":
		circle := r.graph.show(r.parts[:1], r.down, ir.AnyTie)[0].Circle
		p.Verdict, p.Certificate = Unknown, ""
		p.Why = fmt.Sprintf("the turns of states that exclude each other (%s) close a circle together (%s), and no single one "+
			"of them that was tried closes one alone", r.mixed, circleText(circle))
	default:
		p.prone(r)
	}
	return true
}

// prone makes the circles found the proof's result.
func (p *Proof) prone(r result) {
	p.Verdict, p.Certificate, p.Failures, p.Fewest = Prone, "", len(r.down), true
	p.Buffers, p.Turns = r.graph.extent()
	p.Parts = len(r.parts)
	p.Loops = r.graph.show(r.parts, r.down, r.ties)
	r.graph.fill(p.Loops)
	for i := range p.Loops {
		p.Loops[i].Alike = r.alike
	}
	first := &p.Loops[0]
	first.Reversed = r.graph.reversed(first.Circle)
	first.More = r.graph.more(first.Circle)
	p.Why = fmt.Sprintf("%s wait for each other in a circle: %s", diag.Count(len(first.Circle), "buffer"), circleText(first.Circle))
	if len(r.down) > 0 {
		p.Why += fmt.Sprintf(", once %s down", linksText(r.down))
	}
}

func (p *Proof) sayError(err error) string {
	if err == ir.ErrBudget {
		return err.Error() + " before the healthy fabric was judged; --budget gives it more"
	}
	return err.Error()
}

// assumptions are what a free verdict rests on.
func (p *Proof) assumptions() []string {
	out := []string{
		"hosts drain what they receive and, unless they say forwards = true, pass nothing on",
		"a pause is honoured in time and headroom is as checked, so that a full buffer pauses and does not drop",
		"every lossless priority group keeps a guaranteed minimum of at least one frame, and the egress pool of lossless traffic is not limited",
	}
	if p.Fabric.Routing == ir.Flooding && p.Certificate == ByExact {
		out = append(out, "no multicast frame is classified lossless")
	} else {
		out = append(out, "no flooded, multicast or unknown-unicast frame is classified lossless")
	}
	out = append(out, "the switches classify as the cos groups say, at every hop")
	if p.Certificate == ByExact && p.Fabric.FlowControl != ir.Pause {
		out = append(out, "only the members of the roce blocks send in the cos group")
	}
	for _, g := range p.Groups {
		spoken := slices.ContainsFunc(p.Fabric.Intents, func(in *ir.Intent) bool { return in.Group == g || in.CNP == g })
		if !spoken && slices.ContainsFunc(p.Groups, func(from *ir.CosGroup) bool { return from.Bounce == g }) {
			out = append(out, fmt.Sprintf("no host sends in cos group %q: only what bounced is in it", g.Name))
		}
	}
	switch p.Certificate {
	case ByForest:
		out = append(out, "no switch sends a frame back where it came from, as in a routing loop")
	case ByUpDown:
		out = append(out, "the switches' routing never sends traffic up again after it came down, also while it converges")
	case ByASPlan:
		out = append(out,
			"every switch has the AS number written here and refuses routes that name its own (no allowas-in), and no static or "+
				"redistributed route goes round that",
			"the state judged is the one after routing has converged")
	case ByBounce:
		out = append(out, "every switch moves what came down and goes up again into the bounce group: queue, priority and marking, "+
			"so that the next buffer counts it there")
	case BySpanningTree:
		out = append(out, "spanning tree runs on every bridged link, also of hosts that forward, and a port blocks until it is known to forward")
	case ByExact:
		switch p.Fabric.Routing {
		case ir.ShortestPath, ir.EBGP:
			out = append(out, "every link costs the same, and the states judged are those after routing has converged")
			if p.Fabric.Routing == ir.EBGP {
				out = append(out, "no routes pass between switches of one AS, as iBGP would let them")
			}
		case ir.TablePath:
			out = append(out, "the switches forward as the tables say, and only so")
		case ir.UpDown:
			out = append(out, "the switches' routing never sends traffic up again after it came down, also while it converges")
		}
	}
	return out
}

func routingName(r ir.Routing) string {
	if r == "" {
		return "the only paths there are"
	}
	return string(r)
}

// linksText is "a:p1 - b:p2 is", "a:p1 - b:p2 and c:p1 - d:p2 are".
func linksText(links []*ir.Link) string {
	return linkList(links) + diag.Plural(len(links), " is", " are")
}

// linkList names links, at most six of them.
func linkList(links []*ir.Link) string {
	const most = 6
	var names []string
	for i, l := range links {
		if i == most {
			names = append(names, diag.Count(len(links)-most, "more link"))
			break
		}
		names = append(names, fmt.Sprintf("%s - %s", l.A, l.B))
	}
	return diag.And(names)
}

// circleText names the links of a circle: "sw1>sw2, sw2>sw3, ...".
func circleText(circle []Hop) string {
	s := ""
	for i, h := range circle {
		if i == 8 {
			return s + ", ..."
		}
		if i > 0 {
			s += ", "
		}
		s += h.In.Peer().Device.Name + ">" + h.In.Device.Name
	}
	return s
}
