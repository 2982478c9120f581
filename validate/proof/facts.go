package proof

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// The results of a proof are typed: stable words with their values. Package validate makes sentences of them; --format json prints the
// words.

// Verdict is the outcome of the proof.
type Verdict string

// The verdicts. There is no "will deadlock": a circle of waiting buffers is necessary, never sufficient.
const (
	Free    Verdict = "free"
	Prone   Verdict = "prone"
	Unknown Verdict = "unknown"
)

// Certificate is the kind of proof that a fabric is free.
type Certificate string

// The certificates.
const (
	ByForest       Certificate = "forest"        // the lossless links form no circle
	ByUpDown       Certificate = "up-down"       // every path rises, takes at most one peer step and falls
	ByASPlan       Certificate = "as-plan"       // the AS numbers forbid every turn from down or across to across or up
	ByBounce       Certificate = "bounce"        // every turn from down to up changes the group, at last into a lossy one
	BySpanningTree Certificate = "spanning-tree" // one tree of the links forwards at a time
	ByExact        Certificate = "exact"         // the graph has been searched
)

// Certificates are all certificates, in the order in which they are tried.
var Certificates = []Certificate{ByForest, ByUpDown, ByASPlan, ByBounce, BySpanningTree, ByExact}

// Reason is the reason for a verdict: [Certified] or [Searched] of Free, [InCircle] of Prone, [MixedStates], [NotFollowed] or
// [OutOfBudget] of Unknown. Other results are in the [Proof].
type Reason interface {
	// Code is a stable word in kebab-case.
	Code() string
}

// Reasons holds a value of every type of reason.
var Reasons = []Reason{Certified{}, Searched{}, InCircle{}, MixedStates{}, NotFollowed{}, OutOfBudget{}}

// Certified is the reason if a certificate other than ByExact holds. Its numbers belong to the rank function.
type Certified struct {
	Links int            // for ByForest: the number of lossless links; without any there is no circle
	Top   int            // for ByUpDown, ByASPlan and ByBounce: the highest tier
	Chain []*ir.CosGroup // for ByBounce: the groups, each before the one it bounces into
}

// Searched is the reason if the turns between the buffers of the graph close no circle, also with links down.
type Searched struct {
	Down     int // links down at once; 0 where failures only take turns away, or are not judged
	Followed int // sets of failed links whose turns were followed: those that remove every shortest path of some pair
	Alike    int // sets that these represent, themselves included; -1: not known
}

// InCircle is the reason if buffers wait for each other in a circle: the first of the proof's Loops.
type InCircle struct{}

// MixedStates is the reason if turns of states that exclude each other close a circle together, and it is not known whether one state
// alone closes it. The budget ran out, or the routing does not separate the states.
type MixedStates struct {
	Mixture ir.Mixture // in what the states differ
	Circle  []Wait     // buffers of the circle
	Down    []*ir.Link // in all of the states
}

// NotFollowed is the reason if the routing cannot be followed.
type NotFollowed struct {
	Err error // of [ir.Routes]
}

// OutOfBudget is the reason if the budget ran out. All states with fewer than Down links down are free.
type OutOfBudget struct {
	Down   int // links down in the states that were not all judged; 0: the healthy fabric
	Found  int // sets of Down links whose failure adds turns, equal ones counted once; -1: not all were found
	Judged int // sets of these that are free

	// Circle is a circle that the turns of several failure sets, Conflict, close together, and that no judged set closes alone; nil: not
	// found.
	Circle   []Wait
	Conflict [][]*ir.Link
}

// Code returns "certificate".
func (Certified) Code() string { return "certificate" }

// Code returns "search".
func (Searched) Code() string { return "search" }

// Code returns "circle".
func (InCircle) Code() string { return "circle" }

// Code returns "mixed-states".
func (MixedStates) Code() string { return "mixed-states" }

// Code returns "not-followed".
func (NotFollowed) Code() string { return "not-followed" }

// Code returns "budget".
func (OutOfBudget) Code() string { return "budget" }

// Note is an additional fact about a free verdict.
type Note struct {
	Code  NoteCode
	Links []*ir.Link // for FewestFailures and SomeFailures: the links down; for notes on cabling: planned cables
	Down  int        // for SamePaths, FreeBeyond, SearchEnded and notes on cabling: the number of links down

	// Ended is true if the search for fewer failed links, or more, ended early: a larger budget continues it.
	Ended bool

	// Mixture, for TransientUnknown, states in what the turns of a circle exclude each other; empty: the budget ran out.
	Mixture ir.Mixture
}

// NoteCode is a stable word in kebab-case.
type NoteCode string

// The notes.
const (
	FewestFailures   NoteCode = "fewest-failures"   // the failure of Links makes the fabric prone, and no smaller set does
	SomeFailures     NoteCode = "some-failures"     // the failure of Links makes the fabric prone; whether a smaller set does is not known
	NeverProne       NoteCode = "never-prone"       // no number of links down makes the fabric prone
	SamePaths        NoteCode = "same-paths"        // if any Down links fail, no traffic gets a new path
	FreeBeyond       NoteCode = "free-beyond"       // the fabric is also free with any Down links down
	SearchEnded      NoteCode = "search-ended"      // how many failed links make it prone is not known; Down or fewer do not
	TransientUnknown NoteCode = "transient-unknown" // circles while routing converges are not ruled out: the budget ran out, or see Mixture
	AnyCablingOrder  NoteCode = "any-cabling-order" // no set of missing planned Links makes the fabric prone
	CablingOrder     NoteCode = "cabling-order"     // some set does, and the order of Proof.Cabling avoids all such sets
	NoCablingOrder   NoteCode = "no-cabling-order"  // every order of laying Links passes such a set
	CablingUnknown   NoteCode = "cabling-unknown"   // whether the fabric is free while Links are laid is not known
)

// NoteCodes are all notes, in the order of their declaration.
var NoteCodes = []NoteCode{
	FewestFailures, SomeFailures, NeverProne, SamePaths, FreeBeyond, SearchEnded, TransientUnknown,
	AnyCablingOrder, CablingOrder, NoCablingOrder, CablingUnknown,
}

// Assumption is an assumption of a free verdict.
type Assumption struct {
	Code   AssumptionCode
	Group  *ir.CosGroup // of NoSender
	System string       // for ChipAlone: the os of the switches
	Chips  []string     // for ChipAlone: the names of their chips, in the order of the switches
	Hand   []*ir.Device // for SetByHand: the devices
	Pairs  []*ir.Device // for NoMLAGDetour: the switches of the pairs, in their order
}

// AssumptionCode is a stable word in kebab-case.
type AssumptionCode string

// The assumptions.
const (
	HostsDrain        AssumptionCode = "hosts-drain"          // hosts drain what they receive; only hosts with forwards forward it
	PausesWork        AssumptionCode = "pauses-work"          // ports obey pauses in time, and headroom is as checked
	GuaranteedBuffer  AssumptionCode = "guaranteed-buffer"    // every lossless priority group keeps buffer for at least one frame
	NoMulticast       AssumptionCode = "no-multicast"         // no multicast frame is lossless
	NoFlooding        AssumptionCode = "no-flooding"          // no flooded, multicast or unknown-unicast frame is lossless
	Classified        AssumptionCode = "classified"           // the switches classify as the cos groups state
	MembersOnly       AssumptionCode = "members-only"         // only members of the roce blocks send in the cos group
	NoSender          AssumptionCode = "no-sender"            // no host sends in Group: it has only traffic that bounced
	NoTurningBack     AssumptionCode = "no-turning-back"      // no switch sends a frame back to the device it came from
	NeverUpAgain      AssumptionCode = "never-up-again"       // routing never sends traffic up again after it came down
	ASNumbers         AssumptionCode = "as-numbers"           // the AS numbers are as written, and no route bypasses the AS-path check
	Converged         AssumptionCode = "converged"            // the states judged are those after routing has converged
	BounceMoves       AssumptionCode = "bounce-moves"         // switches move traffic that goes up again into the bounce group
	SpanningTreeRuns  AssumptionCode = "spanning-tree-runs"   // one spanning tree for all VLANs runs on every bridged link
	EqualCosts        AssumptionCode = "equal-costs"          // every link costs the same, and routing has converged
	NoIBGP            AssumptionCode = "no-ibgp"              // switches of one AS exchange no routes
	ByTable           AssumptionCode = "by-table"             // the switches forward as the tables state
	BondsFormed       AssumptionCode = "bonds-formed"         // the cables of a bond between switches are one bond on both of them
	ChipAlone         AssumptionCode = "chip-alone"           // switches with System, which no target knows, can do what Chips can do
	SetByHand         AssumptionCode = "set-by-hand"          // the devices of Hand, which rocec does not read, are set as by_hand states
	NoPrepending      AssumptionCode = "no-prepending"        // no policy makes AS paths longer
	LinksFailBothWays AssumptionCode = "links-fail-both-ways" // a link that fails carries nothing in either direction
	NoMLAGDetour      AssumptionCode = "no-mlag-detour"       // a switch of Pairs that lost its own port to a host does not use the peer link
	NoTunnels         AssumptionCode = "no-tunnels"           // no switch puts lossless packets into tunnels
	Aggregates        AssumptionCode = "aggregates-discard"   // a switch that announces an aggregate drops packets that no longer prefix has
)

// AssumptionCodes are all assumptions, in the order of their declaration.
var AssumptionCodes = []AssumptionCode{
	HostsDrain, PausesWork, GuaranteedBuffer, NoMulticast, NoFlooding, Classified, MembersOnly, NoSender, NoTurningBack, NeverUpAgain,
	ASNumbers, Converged, BounceMoves, SpanningTreeRuns, EqualCosts, NoIBGP, ByTable, BondsFormed, ChipAlone, SetByHand, NoPrepending,
	LinksFailBothWays, NoMLAGDetour, NoTunnels, Aggregates,
}

// assumptions returns the assumptions under which a free verdict holds.
func (p *Proof) assumptions() []Assumption {
	var out []Assumption
	add := func(codes ...AssumptionCode) {
		for _, c := range codes {
			out = append(out, Assumption{Code: c})
		}
	}
	add(HostsDrain, PausesWork, GuaranteedBuffer)
	if p.Fabric.Routing == ir.Flooding && p.Certificate == ByExact {
		add(NoMulticast)
	} else {
		add(NoFlooding)
	}
	add(Classified)
	if p.Certificate == ByExact && p.Fabric.FlowControl != ir.Pause {
		add(MembersOnly)
	}
	for _, g := range p.Groups {
		if p.Fabric.OnlyBounced(g) {
			out = append(out, Assumption{Code: NoSender, Group: g})
		}
	}
	add(p.aboutRouting()...)
	if bonded(p.Fabric) {
		add(BondsFormed)
	}
	out = append(out, chipAlone(p.Fabric)...)
	if hand := setByHand(p.Fabric); hand != nil {
		out = append(out, Assumption{Code: SetByHand, Hand: hand})
	}
	if p.Certificate == ByUpDown {
		// A tunnel that sends traffic up again contradicts NeverUpAgain. A detour over the peer link of a pair goes from there only down to
		// the host, so an order exists in which it rises, too: links up, then for each tier from the top those down into it and those across.
		return out
	}
	if pairs := pairsOf(p.Fabric); pairs != nil && p.Certificate != ByForest && p.Certificate != BySpanningTree {
		out = append(out, Assumption{Code: NoMLAGDetour, Pairs: pairs})
	}
	if joined(p.Fabric) {
		add(NoTunnels)
	}
	return out
}

// aboutRouting returns the assumptions about routing on which the certificate, or the search, depends.
func (p *Proof) aboutRouting() []AssumptionCode {
	switch p.Certificate {
	case ByForest:
		return []AssumptionCode{NoTurningBack}
	case ByUpDown:
		return []AssumptionCode{NeverUpAgain}
	case ByASPlan:
		return []AssumptionCode{ASNumbers, Converged, NoPrepending, Aggregates}
	case ByBounce:
		return []AssumptionCode{BounceMoves}
	case BySpanningTree:
		return []AssumptionCode{SpanningTreeRuns}
	}
	var out []AssumptionCode
	switch p.Fabric.Routing {
	case ir.ShortestPath:
		out = append(out, EqualCosts, Aggregates)
	case ir.EBGP:
		out = append(out, ASNumbers, EqualCosts, NoIBGP, NoPrepending, Aggregates)
	case ir.TablePath:
		out = append(out, ByTable)
	case ir.UpDown:
		out = append(out, NeverUpAgain)
	}
	if p.Failures > 0 && !p.Any {
		out = append(out, LinksFailBothWays)
	}
	return out
}

// joined reports whether a cable between two switches carries a lossless group.
func joined(f *ir.Fabric) bool {
	return slices.ContainsFunc(f.Links, func(l *ir.Link) bool {
		return l.A().Device().Switch != nil && l.B().Device().Switch != nil && len(l.A().Buffers())+len(l.B().Buffers()) > 0
	})
}

// pairsOf returns the switches of MLAG pairs between which a cable carries a lossless group: the peer link, over which a switch that lost
// its own port to a host can send. The routings do not know such paths.
func pairsOf(f *ir.Fabric) (out []*ir.Device) {
	for _, d := range f.Devices {
		if d.Switch == nil || d.Switch.MLAG == "" {
			continue
		}
		if slices.ContainsFunc(d.Ports, func(p *ir.Port) bool {
			if p.Link() == nil || len(p.Buffers()) == 0 {
				return false
			}
			o := p.Peer().Device().Switch
			return o != nil && o != d.Switch && o.MLAG == d.Switch.MLAG
		}) {
			out = append(out, d)
		}
	}
	return out
}

// bonded reports whether two bridged cables of one bond carry a lossless group. The proof counts the cables of such a bond as one.
func bonded(f *ir.Fabric) bool {
	some := map[int]bool{}
	for _, l := range f.Links {
		if l.Bond == 0 || l.Routed || len(l.A().Buffers())+len(l.B().Buffers()) == 0 {
			continue
		}
		if some[l.Bond] {
			return true
		}
		some[l.Bond] = true
	}
	return false
}

// setByHand returns the devices that rocec does not read and that carry a lossless group.
func setByHand(f *ir.Fabric) (out []*ir.Device) {
	for _, d := range f.Devices {
		if d.ByHand != nil && slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return len(p.Buffers()) > 0 }) {
			out = append(out, d)
		}
	}
	return out
}

// chipAlone returns one assumption for each operating system without a target, if a switch with that system carries a lossless group.
func chipAlone(f *ir.Fabric) []Assumption {
	var out []Assumption
	for _, d := range f.Devices {
		lossless := func(p *ir.Port) bool { return len(p.Buffers()) > 0 }
		if d.Switch == nil || d.Switch.Can.System != "" || d.Switch.OS == "" || !slices.ContainsFunc(d.Ports, lossless) {
			continue
		}
		i := slices.IndexFunc(out, func(a Assumption) bool { return a.System == d.Switch.OS })
		if i < 0 {
			i = len(out)
			out = append(out, Assumption{Code: ChipAlone, System: d.Switch.OS})
		}
		if chip := d.Switch.Model.ASIC.Title; !slices.Contains(out[i].Chips, chip) {
			out[i].Chips = append(out[i].Chips, chip)
		}
	}
	return out
}
