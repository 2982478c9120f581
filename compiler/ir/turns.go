package ir

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"
)

// Routes finds the turns that the lossless traffic of one fabric takes. The methods are pure and safe for concurrent use.
// Their errors are [*RoutingError], where the fabric does not say which way traffic goes, or [ErrBudget].
type Routes interface {
	// Turns returns the turns traffic of group g takes in a state of the fabric.
	Turns(g *CosGroup, s State) (*Turns, error)

	// Changed returns at least the turns that Turns(g, s) has and Turns(g, State{}) has not. It may return more, all of
	// them from Turns(g, s); following only the destinations whose paths change, it is much cheaper than Turns.
	Changed(g *CosGroup, s State) (*Turns, error)

	// Cuts returns the sets of at most most links that matter when they fail in addition to the links in down. Take a failure set of that
	// size that leads some traffic of the groups to a turn it does not take with only down failed. The list has a subset of it, or a set
	// that differs from such a subset only by names (Cut.Alike). Links not listed only take turns away. Sets come smallest first. A cable
	// that is not laid is no failure: links of unlaid do not count in a set.
	Cuts(groups []*CosGroup, down []*Link, most int, unlaid []*Link, b *Budget) ([]Cut, error)

	// Outcomes takes apart the turns of a state that are mixed ([Turns.Mixed]), destination by destination. Outcomes that differ only by
	// turns that are not asked for count once, and an outcome whose turns another one contains is left out. Nil: the states cannot be
	// separated.
	Outcomes(groups []*CosGroup, s State, among func(GroupTurn) bool) (*Outcomes, error)

	// Of returns the routes of another fabric, found in the same way.
	Of(f *Fabric) Routes

	// Ways returns where the traffic of one trip goes once routing has settled in a state; Converging does not matter.
	Ways(t Trip, s State) (*Ways, error)

	// Unrouted returns two NICs, in their order, that links may join and that no route joins while no link is down, because AS numbers
	// refuse it. It returns nil if no such pair exists. Their traffic is in group g and crosses IP hops.
	Unrouted(g *CosGroup, nics []*NIC, b *Budget) (one, other *NIC, err error)
}

// State is a state of the fabric.
type State struct {
	// Down lists the links that have failed.
	Down []*Link

	// Converging: every device may still forward as it did before Down failed, or already as it will when routing has
	// converged. Frames may turn back to where they came from.
	Converging bool

	// Ties is how routers choose between routes that they hold to be equally good and of which they pass only one on. The turns of AnyTie
	// are those of all ways together.
	Ties Ties

	// Budget bounds the work; nil: no bound.
	Budget *Budget
}

// Ties is a way of breaking ties between equal routes.
type Ties int

// The ways. Which one a router takes (the oldest route, the lowest router ID) is not known before it runs.
const (
	AnyTie Ties = iota
	FirstTie
	LastTie
)

// Mixture is a stable word for what states that exclude each other differ in. The zero value means that there is nothing.
type Mixture string

// MixedTies is which of several equally long AS paths a switch advertises; see [Ties].
const MixedTies Mixture = "ties"

// GroupTurn is a turn of traffic that comes in in one group and leaves in another, or the same.
type GroupTurn struct {
	Turn
	From, To *CosGroup
}

// Outcomes is what traffic can do where routers choose between equal routes: the turns of Always, and of each destination
// those of one outcome.
type Outcomes struct {
	Always       []*Turns // by group: those that no choice decides on
	Destinations []*Destination
}

// Destination is one or several members to which traffic goes in any of several ways. Each member is a route of its own, about
// which routers choose for themselves: whatever an outcome is to one member, it can be another to the next.
type Destination struct {
	Members  []*Port // of each, its first port
	Outcomes []*Outcome
}

// Outcome is what traffic does once routers have chosen.
type Outcome struct {
	Turns   []GroupTurn
	Choices []Choice // that lead to it

	// Flow returns a flow to a member of the destination, by its index, that takes the turn; nil if none does. It is safe
	// for concurrent use.
	Flow func(t GroupTurn, member int) *Flow
}

// Choice is that a device passes on the route to the member with the port To that came by Via, and none of the others that it holds to be
// as good.
type Choice struct {
	Device, Via *Device
	To          *Port
}

// Cut is a set of links whose failure matters, and how many sets are like it but for names, itself included.
type Cut struct {
	Links []*Link
	Alike int
	Whole bool // larger sets that hold Links are among the cuts, too: there are no more of them in the state without Links
}

// ErrBudget is the error of work that was not finished within its [Budget].
var ErrBudget = errors.New("the budget for the PFC-loop check ran out")

// Budget bounds work, counted in steps rather than time so that a verdict is the same on every machine. Code that
// works in parallel spends before it starts its goroutines.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of so many steps.
func NewBudget(steps int64) *Budget {
	b := &Budget{}
	b.left.Store(steps)
	return b
}

// Spend takes steps off the budget, and reports whether it holds out. The nil Budget always does.
func (b *Budget) Spend(steps int) bool { return b == nil || b.left.Add(-int64(steps)) >= 0 }

// Left returns how many steps are left, at least 0; of the nil Budget, as many as there can be.
func (b *Budget) Left() int64 {
	if b == nil {
		return math.MaxInt64
	}
	return max(b.left.Load(), 0)
}

// Turns is the set of turns (in-port, out-port) at switches, and at hosts that forward.
//
// Together with the cabling it is the buffer dependency graph. The node of an in-port p is p's ingress buffer. A turn (p, q) is the edge
// to the buffer of the port at the other end of q's cable. Turns from or to the ports of hosts that do not forward are left out: such
// hosts neither wait for nor pass on a pause.
type Turns struct {
	Group *CosGroup

	// Rows holds one bit row per in-port, indexed by Port.ID. Bit i of a row is port i of the same device (Port.Index). A nil row: nothing
	// that came in there leaves again.
	Rows [][]uint64

	// Bounced holds, in the same form, the turns by which traffic of Group leaves in Group.Bounce: up again after coming down. Nil without
	// such turns, and when Group.Bounce is lossy.
	Bounced [][]uint64

	// Open is why traffic may take other turns as well, which the routing says nothing of; nil: it takes no others.
	Open *RoutingError

	// Mixed names the difference between the states that exclude each other and whose turns were taken together. Empty: all turns can be
	// taken at the same time. A circle of mixed turns need not be a real one.
	Mixed Mixture

	// Witness returns, for each of some turns, a flow that takes it; nil for what is not a turn. It is computed on demand,
	// is safe for concurrent use, and is the same on every run.
	Witness func(turns []Turn) []*Flow
}

// Flow is traffic from one host to another.
type Flow struct {
	// Ports are those passed, from the sending host's port to the receiving host's port; of a host that forwards, those
	// it is passed by. Ports 2i and 2i+1 are the two ends of one cable.
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

// Turn is traffic that comes into a device by In and leaves it by Out.
type Turn struct{ In, Out *Port }

// Has reports whether traffic that came in by in may leave by out.
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

// Path returns one shortest way of g's traffic from a sending host's port to a receiving host's port: the ports it passes, both ends
// included. It returns nil if no way exists. may reports which turns between switches are allowed ([Turns.Has]). A host's traffic may
// leave its first switch by every port that carries g.
func Path(g *CosGroup, from, to *Port, may func(in, out *Port) bool) []*Port {
	start, goal := from.Peer(), to.Peer()
	came := map[*Port]*Port{start: nil} // in-port to the in-port before it
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
