package proof

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// tied is a router with mixed turns. Its Outcomes separate them by destination.
type tied struct {
	ir.Routes
	mixed  *ir.Turns
	out    *ir.Outcomes
	err    error
	circle ir.Ties // the rule for all choices that has the circle; AnyTie: none
}

func (r tied) Turns(_ *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	if s.Ties != ir.AnyTie && s.Ties != r.circle {
		return &ir.Turns{Group: r.mixed.Group, Rows: make([][]uint64, len(r.mixed.Rows))}, nil
	}
	return r.mixed, nil
}

func (r tied) Changed(*ir.CosGroup, ir.State) (*ir.Turns, error) { return r.mixed, nil }

func (r tied) Unrouted(*ir.CosGroup, []*ir.NIC, *ir.Budget) (one, other *ir.NIC, err error) {
	return nil, nil, nil
}

func (r tied) Outcomes([]*ir.CosGroup, ir.State, func(ir.GroupTurn) bool) (*ir.Outcomes, error) {
	return r.out, r.err
}

// TestTies: routers advertise one of several equal routes, so the turns of all choices together may be more than any choice makes. In a
// ring of 4, every outcome of a destination takes some of the turns; together they take all.
func TestTies(t *testing.T) {
	for _, tt := range []struct {
		name     string
		always   string     // turns of the circle that are always taken, by the number of the switch
		members  []int      // of each destination
		outcomes [][]string // of each destination
		want     Verdict
		choices  string
	}{
		{"one outcome has the circle", "", []int{1}, [][]string{{"01", "0123"}}, Prone, "R0 by R2"},
		{"what is always taken closes it", "0123", []int{1}, [][]string{{"01", "23"}}, Prone, ""},
		{"no outcome has it", "", []int{1}, [][]string{{"01", "23"}}, Free, ""},
		{"two members, an outcome each", "", []int{2}, [][]string{{"01", "23"}}, Prone, "R0 by R1, R0 by R2"},
		{"three outcomes, two members", "", []int{2}, [][]string{{"01", "2", "3"}}, Free, ""},
		{"three outcomes, two members that are enough", "", []int{2}, [][]string{{"1", "230", "2"}}, Prone, "R0 by R2, R0 by R1"},
		{"two destinations, each with a half", "", []int{1, 1}, [][]string{{"01", "23"}, {"01", "23"}}, Prone, "R0 by R1, R0 by R2"},
		{"two destinations, one cannot", "", []int{1, 1}, [][]string{{"013", "12"}, {"01", "3"}}, Free, ""},
		{"they share what is always", "3", []int{1, 1}, [][]string{{"0", "2"}, {"1", "2"}}, Free, ""},
		{"they complete what is always", "03", []int{1, 1}, [][]string{{"0", "1"}, {"1", "2"}}, Prone, "R0 by R2, R0 by R2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := irtest.Ring(ir.EBGP, 4).UniqueASNs().ASN("R0", 65000).ASN("R1", 65000)
			f := fabric(c)
			turn := func(at rune) ir.GroupTurn {
				n := int(at - '0')
				name := func(i int) string { return fmt.Sprint("R", (i+4)%4) }
				in, out := c.Between(name(n-1), name(n)), c.Between(name(n), name(n+1))
				return ir.GroupTurn{Turn: ir.Turn{In: end(in, name(n)), Out: end(out, name(n))}, From: c.Group, To: c.Group}
			}
			turns := func(of string) *ir.Turns {
				out := &ir.Turns{Group: c.Group, Rows: make([][]uint64, len(f.Ports))}
				for _, at := range of {
					out.Add(turn(at).In, turn(at).Out)
				}
				out.Witness = func(turns []ir.Turn) []*ir.Flow { return make([]*ir.Flow, len(turns)) }
				return out
			}
			out := &ir.Outcomes{Always: []*ir.Turns{turns(tt.always)}}
			for i, ways := range tt.outcomes {
				d := &ir.Destination{Members: f.Ports[i*2 : i*2+tt.members[i]]}
				for k, way := range ways {
					o := &ir.Outcome{
						Choices: []ir.Choice{{Device: c.Device("R0"), Via: c.Device(fmt.Sprint("R", k+1))}},
						Flow:    func(ir.GroupTurn, int) *ir.Flow { return nil },
					}
					for _, at := range way {
						o.Turns = append(o.Turns, turn(at))
					}
					d.Outcomes = append(d.Outcomes, o)
				}
				out.Destinations = append(out.Destinations, d)
			}
			all := turns("0123")
			all.Mixed = ir.MixedTies
			f.Routes = tied{Routes: f.Routes, mixed: all, out: out}
			p := verdicts(f, ir.NewBudget(1e9))[0]
			require.Equal(t, tt.want, p.Verdict, p.Reason)
			if tt.want == Prone {
				assert.Len(t, p.Loops[0].Circle, 4)
				var choices []string
				for _, c := range p.Loops[0].Choices {
					choices = append(choices, c.Device.Name+" by "+c.Via.Name)
				}
				assert.Equal(t, tt.choices, strings.Join(choices, ", "))
			}

			f.Routes = tied{Routes: f.Routes, mixed: all} // for a routing that cannot separate the states
			p = verdicts(f, ir.NewBudget(1e9))[0]
			mixed, ok := p.Reason.(MixedStates)
			require.True(t, ok, p.Reason)
			assert.Equal(t, Unknown, p.Verdict)
			assert.Equal(t, ir.MixedTies, mixed.Mixture)
			assert.Len(t, mixed.Circle, 4)
			assert.Empty(t, mixed.Down)
			assert.Zero(t, p.Enough)

			f.Routes = tied{Routes: f.Routes, mixed: all, err: ir.ErrBudget}
			p = verdicts(f, ir.NewBudget(1e9))[0]
			assert.Equal(t, Unknown, p.Verdict)
			assert.IsType(t, MixedStates{}, p.Reason)
			assert.NotZero(t, p.Enough)

			f.Routes = tied{Routes: f.Routes, mixed: all, err: ir.ErrBudget, circle: ir.LastTie}
			p = verdicts(f, ir.NewBudget(1e9))[0]
			require.Equal(t, Prone, p.Verdict)
			assert.Equal(t, ir.LastTie, p.Loops[0].Ties)
		})
	}
}

// end is the port of a link at a device.
func end(l *ir.Link, device string) *ir.Port {
	if l.A().Device().Name == device {
		return l.A()
	}
	return l.B()
}
