package proof

import (
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
)

// fabric completes a fabric and sets the compiler's router.
func fabric(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	f.Routes = routes.New(f)
	return f
}

// enough is the budget of tests that do not test budgets.
func enough() *ir.Budget { return ir.NewBudget(6_000_000_000) }

func prove(t require.TestingT, f *ir.Fabric) *Proof {
	ps := All(f, enough())
	require.Len(t, ps, 1)
	return ps[0]
}

// reasonOf returns a reason of the type that a proof with this verdict must have if the budget is enough.
func reasonOf(p *Proof) Reason {
	switch {
	case p.Verdict == Prone:
		return InCircle{}
	case p.Verdict == Unknown:
		return NotFollowed{}
	case p.Certificate == ByExact:
		return Searched{}
	}
	return Certified{}
}

// names returns text such as "a:p0 - b:p1, c:p2 - d:p3".
func names(links []*ir.Link) string {
	var out []string
	for _, l := range links {
		out = append(out, l.A().String()+" - "+l.B().String())
	}
	return strings.Join(out, ", ")
}

// router is a function that returns turns; it knows no cuts.
type router func(*ir.CosGroup, ir.State) (*ir.Turns, error)

func (r router) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error)   { return r(g, s) }
func (r router) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) { return r(g, s) }

func (r router) Cuts([]*ir.CosGroup, []*ir.Link, int, []*ir.Link, *ir.Budget) ([]ir.Cut, error) {
	return nil, nil
}

func (r router) Unrouted(*ir.CosGroup, []*ir.NIC, *ir.Budget) (one, other *ir.NIC, err error) {
	return nil, nil, nil
}

func (r router) Outcomes([]*ir.CosGroup, ir.State, func(ir.GroupTurn) bool) (*ir.Outcomes, error) {
	return nil, nil
}

func (r router) Of(*ir.Fabric) ir.Routes { return r }

func (r router) Ways(ir.Trip, ir.State) (*ir.Ways, error) { panic("a proof asks for no ways") }

// assertCircle checks that a witness is a real circle of real turns, made by real flows.
func assertCircle(t require.TestingT, f *ir.Fabric, l Loop) {
	require.NotEmpty(t, l.Circle)
	for i, h := range l.Circle {
		next := l.Circle[(i+1)%len(l.Circle)]
		require.Same(t, h.Out.Peer(), next.In, "hop %d leads to the next", i)
		require.Same(t, h.In.Device(), h.Out.Device())
		turns, err := f.Routes.Turns(h.Group, ir.State{Down: l.Down})
		require.NoError(t, err)
		bounced := turns.Bounced != nil && turns.Bounced[h.In.ID] != nil && turns.Bounced[h.In.ID][h.Out.Index/64]&(1<<(h.Out.Index%64)) != 0
		require.True(t, turns.Has(h.In, h.Out) || bounced, "hop %d is a turn", i)
		if f.Routing != ir.AnyPath || len(l.Flows) > 0 {
			require.True(t, slices.ContainsFunc(l.Flows, func(f *ir.Flow) bool { return f.Takes(h.Group, h.In, h.Out) }), "a flow makes turn %d", i)
		}
	}
}
