package validate

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

// The results of package proof, in words. Checks, text, pictures and the strings of --format json use these functions.

// Scope returns the certificate of a verdict and the number of links that may be down: ", by the certificate up-down, whatever links are
// down"; empty without a certificate.
func (p GroupProof) Scope() string {
	s := p.By()
	if s != "" {
		s = ", " + s
	}
	switch {
	case p.Any:
		s += ", whatever links are down"
	case p.Failures > 0:
		s += fmt.Sprintf(", with up to %s down", diag.Count(p.Failures, "link"))
	case p.Verdict == Free:
		s += ", with no link down"
	}
	return s
}

// By returns the certificate of a verdict: "by the certificate up-down"; empty without one.
func (p GroupProof) By() string {
	switch p.Certificate {
	case "":
		return ""
	case proof.ByExact:
		return "by following every path"
	}
	return "by the certificate " + string(p.Certificate)
}

// Why returns the reason for the verdict: the rank function, the circle, or what is missing. It is not a full sentence and has no full
// stop.
func (p GroupProof) Why() string { return whyText(p.Proof) }

// AssumptionTexts returns the assumptions of a free verdict, in the order of Assumptions.
func (p GroupProof) AssumptionTexts() []string {
	var out []string
	for _, a := range p.Assumptions {
		out = append(out, assumptionText(a))
	}
	return out
}

// NoteTexts returns the additional facts about the verdict, in the order of Notes.
func (p GroupProof) NoteTexts() []string {
	var out []string
	for _, n := range p.Notes {
		out = append(out, noteText(n))
	}
	return out
}

// Unjudged returns the notes on what the proof did not judge. Every report prints them, also a short one.
func (p GroupProof) Unjudged() []string {
	var out []string
	for _, n := range p.Notes {
		if n.Code == proof.TransientUnknown || n.Code == proof.CablingUnknown {
			out = append(out, noteText(n))
		}
	}
	return out
}

func whyText(p *proof.Proof) string {
	switch r := p.Reason.(type) {
	case proof.Certified:
		return certificateText(p.Certificate, r)
	case proof.Searched:
		return searchText(p, r)
	case proof.InCircle:
		first := p.Loops[0]
		s := fmt.Sprintf("%s wait for each other in a circle: %s", diag.Count(len(first.Circle), "buffer"), circleText(first.Circle))
		failed, unlaid := proof.Failed(first.Down), planned(first.Down)
		if len(failed) > 0 {
			s += fmt.Sprintf(", once %s %s down", linkList(failed), diag.Plural(len(failed), "is", "are"))
		}
		if len(unlaid) > 0 {
			s += fmt.Sprintf(", as long as %s %s not laid", linkList(unlaid), diag.Plural(len(unlaid), "is", "are"))
		}
		return s
	case proof.MixedStates:
		s := ""
		if len(r.Down) > 0 {
			s = fmt.Sprintf("with %s down, ", linkList(r.Down))
		}
		s += fmt.Sprintf("the turns of states that exclude each other (%s) close a circle together (%s), and whether a single state closes "+
			"one is not known", MixtureText(r.Mixture), circleText(r.Circle))
		if p.Enough > 0 {
			s += ": the budget ran out before all of them were judged; " + moreText(p)
		}
		return s
	case proof.NotFollowed:
		return RoutingText(r.Err)
	case proof.OutOfBudget:
		return budgetText(p, r)
	}
	panic(fmt.Sprintf("validate: no words for the reason %T", p.Reason))
}

func certificateText(c proof.Certificate, r proof.Certified) string {
	switch c {
	case proof.ByForest:
		if r.Links == 0 {
			return "no lossless link joins two switches, so there can be no circle"
		}
		return fmt.Sprintf("%s between switches form no circle, and no routing that does not turn back can make one. Choose a root switch in "+
			"each tree and number the links in the direction of traffic: first those towards the root, the farthest first, then those away from "+
			"it. A frame that does not turn back passes links with rising numbers only", diag.Count(r.Links, "lossless link"))
	case proof.ByUpDown:
		return fmt.Sprintf("%s. A path that rises, takes at most one peer step and falls passes rising numbers only, so no chain of turns "+
			"returns to its start", rankText(r.Top))
	case proof.ByASPlan:
		return fmt.Sprintf("the neighbours of a switch above and beside it share one AS number, so none of them accepts a route of another "+
			"over that switch: the AS path contains the number already. Links join adjacent tiers, so a path down is always shorter than one "+
			"that goes up first. So traffic that came down, or from the side, only goes down. To see that no chain of turns returns to its "+
			"start, %s; every possible turn raises the number", rankText(r.Top))
	case proof.ByBounce:
		names := make([]string, 0, len(r.Chain)+1)
		for _, g := range r.Chain {
			names = append(names, g.Name)
		}
		names = append(names, r.Chain[len(r.Chain)-1].Bounce.Name)
		return fmt.Sprintf("%s, plus %d for each earlier bounce of the frame (%s). A turn from down to up moves the frame "+
			"into the next group, after the last into a lossy one that waits for no buffer; every other turn raises the number",
			rankText(r.Top), 2*r.Top+1, strings.Join(names, ", then "))
	case proof.BySpanningTree:
		return "spanning tree forwards on one tree of links at a time, with any root and after any failures, and a tree has no circle"
	}
	panic(fmt.Sprintf("validate: no words for the certificate %q", c))
}

func rankText(top int) string {
	return fmt.Sprintf("number every lossless link in the direction of traffic: upwards the tier of its lower end (at most %d), across "+
		"%d, downwards %d minus the tier of its lower end (at least %d)", max(top-1, 0), top, 2*top, top+1)
}

func searchText(p *proof.Proof, r proof.Searched) string {
	routing := "the only paths there are"
	if p.Fabric.Routing != "" {
		routing = string(p.Fabric.Routing)
	}
	s := fmt.Sprintf("the %s of %s make no circle among %s", diag.Count(p.Turns, "turn"), routing, diag.Count(p.Buffers, "buffer"))
	if p.Turns == 0 {
		s = "no traffic passes from one lossless link between switches on to another"
	}
	switch {
	case p.Any:
		return s + ", and failed links only remove turns"
	case p.Fabric.Routing == ir.TablePath:
		return s + ". That is the verdict for the tables as they are; the tables after a failure are not known"
	case r.Down == 0:
		return s
	case r.Followed == 0:
		return s + fmt.Sprintf(". With any %s down it is the same: every pair that talks keeps one of its shortest paths, so there are no "+
			"new turns", diag.Count(r.Down, "link"))
	}
	sets := diag.Count(r.Followed, "set")
	if r.Alike > r.Followed {
		sets = fmt.Sprintf("%s, which %s all %s that differ by names only", sets, diag.Plural(r.Followed, "represents", "represent"),
			diag.Number(r.Alike))
	}
	return s + fmt.Sprintf(". With up to %s down there is no circle either: of the failures that remove every shortest path of some pair, "+
		"%s were judged; all others add no turns", diag.Count(r.Down, "link"), sets)
}

// BudgetFlag returns the flag that raises the budget, with a value that is roughly enough, if the budget ran out. Otherwise both are
// empty.
func BudgetFlag(p *Proof) (flag, value string) {
	if p.Enough == 0 {
		return "", ""
	}
	return "--budget", budgetValue(max(p.Enough, DefaultBudget))
}

// budgetValue returns the shortest of some round durations for so many steps, at most 1000h.
func budgetValue(steps int64) string {
	for _, unit := range []struct {
		name    string
		seconds int64
		most    int64
	}{{"s", 1, 60}, {"m", 60, 60}, {"h", 3600, 1000}} {
		for n := int64(1); ; n *= 10 {
			for _, k := range []int64{n, 2 * n, 3 * n, 5 * n} {
				if k <= unit.most && k*unit.seconds*StepsPerSecond >= steps {
					return fmt.Sprint(k, unit.name)
				}
			}
			if n >= unit.most {
				break
			}
		}
	}
	return "1000h"
}

// moreText returns text such as "--budget 10m may be enough".
func moreText(p *proof.Proof) string {
	flag, value := BudgetFlag(p)
	if flag == "" {
		return "a larger --budget gives it more"
	}
	return flag + " " + value + " may be enough"
}

func budgetText(p *proof.Proof, r proof.OutOfBudget) string {
	if r.Down == 0 {
		return ir.ErrBudget.Error() + " before the healthy fabric was judged; " + moreText(p)
	}
	var b strings.Builder
	b.WriteString("the healthy fabric is free")
	if r.Down > 1 {
		fmt.Fprintf(&b, ", also with any %s down", diag.Count(r.Down-1, "link"))
	}
	if r.Found < 0 {
		fmt.Fprintf(&b, ", but the budget ran out before all sets of %s that can change the verdict were found", diag.Count(r.Down, "link"))
	} else {
		fmt.Fprintf(&b, ", but of the sets of %s that can change the verdict (%s, equal ones counted once) only %s could be judged before "+
			"the budget ran out", diag.Count(r.Down, "link"), diag.Number(r.Found), diag.Number(r.Judged))
	}
	if r.Conflict != nil {
		fmt.Fprintf(&b, ". Several states together close a circle (%s) that no judged state closes alone; it needs turns of the "+
			"states with ", circleText(r.Circle))
		for i, down := range r.Conflict {
			if i > 0 {
				b.WriteString(", and with ")
			}
			fmt.Fprintf(&b, "%s down", linkList(down))
		}
	}
	return b.String() + "; " + moreText(p)
}

// assumptionTexts has the words of each assumption. NoSender has a verb for its group, ChipAlone for the system and the chips,
// SetByHand and NoMLAGDetour for their devices.
var assumptionTexts = map[proof.AssumptionCode]string{
	proof.HostsDrain: "hosts drain what they receive and forward nothing, except those with forwards = true",
	proof.PausesWork: "ports obey pauses in time, and headroom is as checked, so that a full buffer pauses and does not drop",
	proof.GuaranteedBuffer: "every lossless priority group keeps a guaranteed minimum of at least one frame, and the egress pool of " +
		"lossless traffic is not limited",
	proof.NoMulticast:   "no multicast frame is classified lossless",
	proof.NoFlooding:    "no flooded, multicast or unknown-unicast frame is classified lossless",
	proof.Classified:    "the switches classify as the cos groups state, at every hop",
	proof.MembersOnly:   "only the members of the roce blocks send in the cos group",
	proof.NoSender:      "no host sends in cos group %q: it has only traffic that bounced",
	proof.NoTurningBack: "no switch sends a frame back to the device it came from, as in a routing loop",
	proof.NeverUpAgain:  "the switches' routing never sends traffic up again after it came down, also while it converges",
	proof.ASNumbers: "every switch has the AS number written here and refuses routes that contain its own (no allowas-in), and no static " +
		"or redistributed route bypasses that",
	proof.Converged: "the state judged is the one after routing has converged",
	proof.BounceMoves: "every switch moves traffic that came down and goes up again into the bounce group: queue, priority and marking, " +
		"so that the next buffer counts it there",
	proof.SpanningTreeRuns: "one spanning tree for all VLANs runs on every bridged link, also of hosts that forward, and a port blocks " +
		"until it is known to forward (with a tree for each VLAN, as PVRST has, traffic of several VLANs can close a circle together)",
	proof.EqualCosts:  "every link costs the same, and the states judged are those after routing has converged",
	proof.NoIBGP:      "switches of one AS exchange no routes (no iBGP)",
	proof.ByTable:     "the switches forward exactly as the tables state",
	proof.BondsFormed: "the cables that bond = true joins are one bond on both of their switches",
	proof.ChipAlone: "switches with os = %q, which rocec does not know, do what their chips can do (%s): PFC, and a separate buffer for " +
		"each lossless group of a port",
	proof.SetByHand:    "%s set by hand and not read are set as by_hand states",
	proof.NoPrepending: "no policy makes AS paths longer",
	proof.LinksFailBothWays: "a link that fails carries nothing in either direction (routing on both ends sees it, as with BFD or a loss of " +
		"carrier)",
	proof.NoMLAGDetour: "a switch of an MLAG pair that lost its own port to a host does not send over the peer link to the host (%s)",
	proof.NoTunnels:    "no switch tunnels lossless packets",
	proof.Aggregates:   "aggregates are announced with a discard route",
}

func assumptionText(a proof.Assumption) string {
	s, ok := assumptionTexts[a.Code]
	switch {
	case !ok:
		panic(fmt.Sprintf("validate: no words for the assumption %q", a.Code))
	case a.Group != nil:
		return fmt.Sprintf(s, a.Group.Name)
	case a.Hand != nil:
		return fmt.Sprintf(s, Devices(a.Hand))
	case a.Pairs != nil:
		return fmt.Sprintf(s, deviceNames(a.Pairs))
	case a.System != "":
		return fmt.Sprintf(s, a.System, diag.And(a.Chips))
	}
	return s
}

// Devices returns a count of devices: "4 switches and 1 host".
func Devices(all []*ir.Device) string {
	switches, hosts := 0, 0
	for _, d := range all {
		if d.Switch != nil {
			switches++
		} else {
			hosts++
		}
	}
	var parts []string
	if switches > 0 {
		parts = append(parts, diag.Count(switches, "switch"))
	}
	if hosts > 0 {
		parts = append(parts, diag.Count(hosts, "host"))
	}
	return diag.And(parts)
}

func noteText(n proof.Note) string {
	down := func() string {
		failed, more := len(proof.Failed(n.Links)), ""
		if failed < len(n.Links) {
			more = "as long as planned cables are not laid, "
		}
		return fmt.Sprintf("%s%s down at once %s it prone", more, diag.Count(failed, "link"), diag.Plural(failed, "makes", "make"))
	}
	cables := diag.Count(len(n.Links), "planned cable")
	ended := ""
	if n.Ended {
		ended = "; the search ended there, and a larger --budget goes on"
	}
	switch n.Code {
	case proof.AnyCablingOrder:
		s := fmt.Sprintf("cable in any order: with any of the %s missing there is no circle", cables)
		if n.Down > 0 {
			s += fmt.Sprintf(", also with up to %s down", diag.Count(n.Down, "link"))
		}
		return s
	case proof.CablingOrder:
		return fmt.Sprintf("the %s are safe in one order, but not in every order: pfc-loop-cabling prints it", cables)
	case proof.NoCablingOrder:
		return fmt.Sprintf("no order of cabling is safe: some of the %s make it prone while others are missing", cables)
	case proof.CablingUnknown:
		return fmt.Sprintf("not judged: whether the %s can be laid in any order", cables)
	case proof.FewestFailures:
		return fmt.Sprintf("%s, and no fewer: %s", down(), linkList(n.Links))
	case proof.SomeFailures:
		return fmt.Sprintf("%s: %s; whether fewer do is not known", down(), linkList(n.Links)) + ended
	case proof.NeverProne:
		return "no number of links down makes it prone"
	case proof.SamePaths:
		return fmt.Sprintf("no fewer than %s failed links change any path", diag.Number(n.Down+1)) + ended
	case proof.FreeBeyond:
		return fmt.Sprintf("it is free also with any %s down", diag.Count(n.Down, "link")) + ended
	case proof.SearchEnded:
		return fmt.Sprintf("whether more than %s down %s it prone is not judged", diag.Count(n.Down, "link"),
			diag.Plural(n.Down, "makes", "make")) + ended
	case proof.TransientUnknown:
		if n.Mixture != "" {
			return "whether circles can come and go while routing converges is not judged: one is closed by turns that exclude each other (" +
				MixtureText(n.Mixture) + "), and these are not distinguished while routing converges"
		}
		return "not judged: whether circles come and go while routing converges, as the budget ran out; a larger --budget goes on"
	}
	panic(fmt.Sprintf("validate: no words for the note %q", n.Code))
}

// planned returns the links that are not laid yet.
func planned(links []*ir.Link) (out []*ir.Link) {
	for _, l := range links {
		if l.Planned {
			out = append(out, l)
		}
	}
	return out
}

// linkList returns the names of links, at most six: "a:p1 - b:p2 and c:p1 - d:p2".
func linkList(links []*ir.Link) string {
	const most = 6
	var names []string
	for i, l := range links {
		if i == most {
			names = append(names, diag.Count(len(links)-most, "more link"))
			break
		}
		names = append(names, fmt.Sprintf("%s - %s", l.A(), l.B()))
	}
	return diag.And(names)
}

// circleText returns the links of a circle: "sw1>sw2, sw2>sw3, ...".
func circleText(circle []Wait) string {
	s := ""
	for i, h := range circle {
		if i == 8 {
			return s + ", ..."
		}
		if i > 0 {
			s += ", "
		}
		s += h.In.Peer().Device().Name + ">" + h.In.Device().Name
	}
	return s
}
