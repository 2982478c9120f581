package proof

import "github.com/rocec/rocec/compiler/ir"

// What a proof says is typed: words that stay the same whatever is printed, and what belongs to each. Package validate
// makes sentences of them; --format json prints the words.

// Verdict is the outcome of the proof.
type Verdict string

// The verdicts. There is no "will deadlock": a circle of waiting buffers is necessary, never sufficient.
const (
	Free    Verdict = "free"
	Prone   Verdict = "prone"
	Unknown Verdict = "unknown"
)

// Certificate is what shows that a fabric is free.
type Certificate string

// The certificates.
const (
	ByForest       Certificate = "forest"        // the lossless links make no circle
	ByUpDown       Certificate = "up-down"       // every path rises, takes at most one peer step and falls
	ByASPlan       Certificate = "as-plan"       // the AS numbers forbid every turn from down or across to across or up
	ByBounce       Certificate = "bounce"        // every turn from down to up changes the group, at last into a lossy one
	BySpanningTree Certificate = "spanning-tree" // one tree of the links forwards at a time
	ByExact        Certificate = "exact"         // the graph has been searched
)

// Certificates are all certificates, in the order in which they are tried.
var Certificates = []Certificate{ByForest, ByUpDown, ByASPlan, ByBounce, BySpanningTree, ByExact}

// Reason is the reason for a verdict: [Certified] or [Searched] of Free, [InCircle] of Prone, [MixedStates], [NotFollowed] or
// [OutOfBudget] of Unknown. What else belongs to it is in the [Proof].
type Reason interface {
	// Code is a stable word in kebab-case.
	Code() string
}

// Reasons holds a value of every type of reason.
var Reasons = []Reason{Certified{}, Searched{}, InCircle{}, MixedStates{}, NotFollowed{}, OutOfBudget{}}

// Certified is the reason where a certificate other than ByExact holds. The numbers are those of its rank function.
type Certified struct {
	Links int            // of ByForest: how many links are lossless; with none there is nothing to make a circle of
	Top   int            // of ByUpDown, ByASPlan and ByBounce: the highest tier
	Chain []*ir.CosGroup // of ByBounce: the groups, each before the one it bounces into
}

// Searched is the reason where the turns between the buffers of the graph close no circle, also with links down.
type Searched struct {
	Down     int // links down at once; 0 where failures only take turns away, or are not judged
	Followed int // sets of failed links whose turns were followed: those that take away every shortest path of some pair
	Alike    int // sets that it represents, itself included; -1: not known
}

// InCircle is the reason where buffers wait for each other in a circle: the first of the proof's Loops.
type InCircle struct{}

// MixedStates is the reason where turns of states that exclude each other close a circle together, and it was not found out whether one of
// them closes it alone. The budget ran out, or the routing does not separate them.
type MixedStates struct {
	Mixture ir.Mixture // what the states differ in
	Circle  []Wait     // that they close
	Down    []*ir.Link // in all of the states
}

// NotFollowed is the reason where the routing cannot be followed.
type NotFollowed struct {
	Err error // of [ir.Routes]
}

// OutOfBudget is the reason where the budget ran out. All states with fewer than Down links down have been judged free.
type OutOfBudget struct {
	Down   int // links down in the states that were being judged; 0: it was the healthy fabric
	Found  int // sets of so many links whose failure matters, alike ones counted once; -1: not all were found
	Judged int // sets of them that have been judged free

	// Circle is one that the turns of Conflict close together, a failure set each, and none of those judged closes
	// alone; nil: there was none.
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

// Assumption is an assumption of a free verdict.
type Assumption struct {
	Code   AssumptionCode
	Group  *ir.CosGroup // of NoSender
	System string       // of ChipAlone: the os that the switches name
	Chips  []string     // of ChipAlone: their chips, as people say them, in the order of the switches
	Hand   []*ir.Device // of SetByHand: the devices
}

// AssumptionCode is a stable word in kebab-case.
type AssumptionCode string

// The assumptions.
const (
	HostsDrain       AssumptionCode = "hosts-drain"        // hosts drain what they receive; only those that say so pass it on
	PausesWork       AssumptionCode = "pauses-work"        // pauses are honoured in time, and headroom is as checked
	GuaranteedBuffer AssumptionCode = "guaranteed-buffer"  // every lossless priority group keeps a frame's worth of buffer
	NoMulticast      AssumptionCode = "no-multicast"       // no multicast frame is lossless
	NoFlooding       AssumptionCode = "no-flooding"        // no flooded, multicast or unknown-unicast frame is lossless
	Classified       AssumptionCode = "classified"         // the switches classify as the cos groups say
	MembersOnly      AssumptionCode = "members-only"       // only members of the roce blocks send in the cos group
	NoSender         AssumptionCode = "no-sender"          // no host sends in Group: it has only traffic that bounced
	NoTurningBack    AssumptionCode = "no-turning-back"    // no switch sends a frame back where it came from
	NeverUpAgain     AssumptionCode = "never-up-again"     // routing never sends traffic up again after it came down
	ASNumbers        AssumptionCode = "as-numbers"         // the AS numbers are as written, and nothing goes round the AS-path check
	Converged        AssumptionCode = "converged"          // the states judged are those after routing has converged
	BounceMoves      AssumptionCode = "bounce-moves"       // switches move what goes up again into the bounce group
	SpanningTreeRuns AssumptionCode = "spanning-tree-runs" // one spanning tree for all VLANs runs on every bridged link
	EqualCosts       AssumptionCode = "equal-costs"        // every link costs the same, and routing has converged
	NoIBGP           AssumptionCode = "no-ibgp"            // no routes pass between switches of one AS
	ByTable          AssumptionCode = "by-table"           // the switches forward as the tables say
	BondsFormed      AssumptionCode = "bonds-formed"       // the cables of a bond between switches are one bond on both of them
	ChipAlone        AssumptionCode = "chip-alone"         // switches that run System, which no target knows, do what Chips can do
	SetByHand        AssumptionCode = "set-by-hand"        // the devices of Hand, which rocec does not read, are set as by_hand says
)

// AssumptionCodes are all assumptions, in the order of their declaration.
var AssumptionCodes = []AssumptionCode{
	HostsDrain, PausesWork, GuaranteedBuffer, NoMulticast, NoFlooding, Classified, MembersOnly, NoSender, NoTurningBack, NeverUpAgain,
	ASNumbers, Converged, BounceMoves, SpanningTreeRuns, EqualCosts, NoIBGP, ByTable, BondsFormed, ChipAlone, SetByHand,
}

// Note is a fact worth knowing in addition to a free verdict.
type Note struct {
	Code  NoteCode
	Links []*ir.Link // of FewestFailures and SomeFailures: those that are down; of the orders of cabling: planned cables
	Down  int        // of SamePaths, FreeBeyond, SearchEnded and the orders of cabling: how many links are down

	// Ended: the search for fewer failed links, or more, ended early: a larger budget goes on.
	Ended bool

	// Mixture, of TransientUnknown, is in what the turns exclude each other that close a circle; empty: the budget ran out.
	Mixture ir.Mixture
}

// NoteCode is a stable word in kebab-case.
type NoteCode string

// The notes.
const (
	FewestFailures   NoteCode = "fewest-failures"   // Links down at once make the fabric prone, and no fewer do
	SomeFailures     NoteCode = "some-failures"     // Links down at once make the fabric prone; whether fewer do is not known
	NeverProne       NoteCode = "never-prone"       // no number of links down makes the fabric prone
	SamePaths        NoteCode = "same-paths"        // whichever Down links fail, no traffic takes a new path
	FreeBeyond       NoteCode = "free-beyond"       // the fabric is free also with any Down links down
	SearchEnded      NoteCode = "search-ended"      // how many failed links make it prone was not found out; up to Down of them do not
	TransientUnknown NoteCode = "transient-unknown" // circles while routing converges were not ruled out: the budget ran out, or see Mixture
	AnyCablingOrder  NoteCode = "any-cabling-order" // no set of the planned Links that is missing makes the fabric prone
	CablingOrder     NoteCode = "cabling-order"     // some set does, and the order of Proof.Cabling meets none
	NoCablingOrder   NoteCode = "no-cabling-order"  // every order of laying Links meets one
	CablingUnknown   NoteCode = "cabling-unknown"   // what is true while Links are laid was not found out
)

// NoteCodes are all notes, in the order of their declaration.
var NoteCodes = []NoteCode{
	FewestFailures, SomeFailures, NeverProne, SamePaths, FreeBeyond, SearchEnded, TransientUnknown,
	AnyCablingOrder, CablingOrder, NoCablingOrder, CablingUnknown,
}
