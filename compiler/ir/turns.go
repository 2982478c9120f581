package ir

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"
)

// Routes finds the turns that the lossless traffic of one fabric takes. The methods are pure and safe for concurrent use. Their errors are
// [*RoutingError], if the fabric does not determine the path of traffic, or [ErrBudget].
type Routes interface {
	// Turns returns the turns traffic of group g takes in a state of the fabric.
	Turns(g *CosGroup, s State) (*Turns, error)

	// Changed returns at least the turns of Turns(g, s) that are not in Turns(g, State{}). It may return further turns of Turns(g, s). It
	// follows only destinations whose paths change, so it is much cheaper than Turns.
	Changed(g *CosGroup, s State) (*Turns, error)

	// Cuts returns the sets of at most most links that matter when they fail in addition to the links in down. For every failure set of that
	// size that adds a turn for traffic of the groups, the list contains a subset of it, or a set that differs from such a subset only by
	// names (Cut.Alike). Links that are not listed only remove turns. Sets come smallest first. A cable that is not laid is no failure: links
	// of unlaid do not count towards the size of a set.
	Cuts(groups []*CosGroup, down []*Link, most int, unlaid []*Link, b *Budget) ([]Cut, error)

	// Outcomes separates the mixed turns of a state ([Turns.Mixed]) for each destination. Outcomes that differ only in turns outside of among
	// count once, and an outcome whose turns are contained in another outcome is left out. Nil: the states cannot be separated.
	Outcomes(groups []*CosGroup, s State, among func(GroupTurn) bool) (*Outcomes, error)

	// Of returns routes of the same kind for another fabric.
	Of(f *Fabric) Routes

	// Ways returns the paths of the traffic of one trip after routing has converged in a state; State.Converging is ignored.
	Ways(t Trip, s State) (*Ways, error)

	// Unrouted returns two of the NICs, in their order, between which no route exists although links connect them and no link is down, because
	// AS numbers refuse it. It returns nil if there is no such pair. Their traffic is in group g and crosses IP hops.
	Unrouted(g *CosGroup, nics []*NIC, b *Budget) (one, other *NIC, err error)
}

// State is a state of the fabric.
type State struct {
	// Down lists the links that have failed.
	Down []*Link

	// Converging: every device may still forward as it did before Down failed, or already as it will when routing has converged. Frames may
	// return by the port where they came in.
	Converging bool

	// Ties selects how routers choose between routes that they consider equally good, of which they pass on only one. AnyTie combines the
	// turns of all choices.
	Ties Ties

	// Budget bounds the work; nil: no bound.
	Budget *Budget
}

// Ties is a way of breaking ties between equal routes.
type Ties int

// The tie-breaks. Which route a router prefers (the oldest, the lowest router ID) is unknown before it runs.
const (
	AnyTie Ties = iota
	FirstTie
	LastTie
)

// Mixture is a stable word for the difference between states that exclude each other. Empty: there is no difference.
type Mixture string

// MixedTies states that the states differ in which of several equally long AS paths a switch advertises; see [Ties].
const MixedTies Mixture = "ties"

// GroupTurn is a turn of traffic with the group in which it comes in and the group in which it leaves.
type GroupTurn struct {
	Turn
	From, To *CosGroup
}

// Outcomes describes the turns that traffic can take if routers choose between equal routes: the turns of Always, and for each destination
// the turns of one of its outcomes.
type Outcomes struct {
	Always       []*Turns // by group: the turns that do not depend on a choice
	Destinations []*Destination
}

// Destination is one or several members to which traffic can take different turns. Routers choose separately for each member: two members
// can have different outcomes.
type Destination struct {
	Members  []*Port // the first port of each
	Outcomes []*Outcome
}

// Outcome contains the turns of traffic after routers have chosen.
type Outcome struct {
	Turns   []GroupTurn
	Choices []Choice // that lead to the outcome

	// Flow returns a flow to a member of the destination, by its index, that takes the turn; nil if none does. It is safe
	// for concurrent use.
	Flow func(t GroupTurn, member int) *Flow
}

// Choice is the decision of a device to pass on the route to the member with the port To that came from Via, and none of the equally good
// routes.
type Choice struct {
	Device, Via *Device
	To          *Port
}

// Cut is a set of links whose failure matters. Alike is the number of sets that differ from it only by names, itself included.
type Cut struct {
	Links []*Link
	Alike int
	Whole bool // the cuts also include the larger sets that contain Links, so the state without Links needs no search
}

// ErrBudget is the error of work that was not finished within its [Budget].
var ErrBudget = errors.New("the budget for the PFC-loop check ran out")

// Budget limits work. It counts steps rather than time, so that a verdict is the same on every machine. Parallel code spends steps before
// it starts its goroutines.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget with the given number of steps.
func NewBudget(steps int64) *Budget {
	b := &Budget{}
	b.left.Store(steps)
	return b
}

// Spend subtracts steps from the budget, and reports whether it was sufficient. A nil Budget is always sufficient.
func (b *Budget) Spend(steps int) bool { return b == nil || b.left.Add(-int64(steps)) >= 0 }

// Left returns the number of remaining steps, at least 0; for a nil Budget, the largest int.
func (b *Budget) Left() int64 {
	if b == nil {
		return math.MaxInt64
	}
	return max(b.left.Load(), 0)
}

// Turns is the set of turns (in-port, out-port) at switches, and at hosts that forward.
//
// Together with the cabling it is the buffer dependency graph. The vertex of an in-port p is p's ingress buffer. A turn (p, q) is the edge
// to the buffer of the port at the other end of q's cable. Turns from or to the ports of hosts that do not forward are left out: such hosts
// neither wait for nor pass on a pause.
type Turns struct {
	Group *CosGroup

	// Rows contains one bit row per in-port, indexed by Port.ID. Bit i of a row is port i of the same device (Port.Index). A nil row: no
	// traffic that came in there leaves again.
	Rows [][]uint64

	// Bounced contains, in the same form, the turns at which traffic of Group changes to Group.Bounce because it goes up again after coming
	// down. Nil: there are no such turns, or Group.Bounce is lossy.
	Bounced [][]uint64

	// Open is the reason why traffic may also take turns that the routing does not determine; nil: it takes no others.
	Open *RoutingError

	// Mixed is set if the turns combine states that exclude each other, and names their difference. Empty: all turns can be taken at the same
	// time. A cycle of mixed turns may be impossible in reality.
	Mixed Mixture

	// Witness returns, for each of the given turns, a flow that takes it; nil if it is not in the set. It is computed on demand, is safe for
	// concurrent use, and is the same on every run.
	Witness func(turns []Turn) []*Flow
}

// Flow is traffic from one host to another.
type Flow struct {
	// Ports lists the passed ports, from the sending host's port to the receiving host's port, including the two ports at each forwarding host
	// between them. Ports 2i and 2i+1 are the two ends of one cable.
	Ports []*Port

	// Groups[i] is the group the traffic is in on the cable of ports 2i and 2i+1.
	Groups []*CosGroup
}

// Takes reports whether the flow comes into a device by in, in group g, and leaves it by out.
func (f *Flow) Takes(g *CosGroup, in, out *Port) bool {
	for i := 1; i+1 < len(f.Ports); i += 2 {
		if f.Ports[i] == in && f.Ports[i+1] == out && f.Groups[i/2] == g {
			return true
		}
	}
	return false
}

// Turn is a path of traffic through a device: in by In and out by Out.
type Turn struct{ In, Out *Port }

// Has reports whether traffic that comes in by the port in may leave by the port out.
func (t *Turns) Has(in, out *Port) bool {
	row := t.Rows[in.ID]
	return row != nil && row[out.Index/64]&(1<<(out.Index%64)) != 0
}

// Add records the turn (in, out).
func (t *Turns) Add(in, out *Port) {
	row := t.Rows[in.ID]
	if row == nil {
		row = make([]uint64, (len(in.Device().Ports)+63)/64)
		t.Rows[in.ID] = row
	}
	row[out.Index/64] |= 1 << (out.Index % 64)
}

// Path returns one shortest path of g's traffic from a sending host's port to a receiving host's port, as the ports that it passes, both
// ends included. It returns nil if there is no path. may reports which turns between switches are allowed ([Turns.Has]). A host's traffic
// may leave its first switch by every port that carries g.
func Path(g *CosGroup, from, to *Port, may func(in, out *Port) bool) []*Port {
	start, goal := from.Peer(), to.Peer()
	came := map[*Port]*Port{start: nil} // from an in-port to the previous in-port
	for queue := []*Port{start}; len(queue) > 0; queue = queue[1:] {
		in := queue[0]
		if in.Device() == goal.Device() {
			path := []*Port{to, goal, in}
			for p := in; came[p] != nil; p = came[p] {
				path = append(path, p.Peer(), came[p])
			}
			path = append(path, from)
			slices.Reverse(path)
			return path
		}
		for _, out := range in.Device().Ports {
			next := out.Peer()
			if _, seen := came[next]; seen || next.Device().Switch == nil || g.Lossless && next.Carries(g) == nil || in != start && !may(in, out) {
				continue
			}
			came[next] = in
			queue = append(queue, next)
		}
	}
	return nil
}
