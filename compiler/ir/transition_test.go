package ir_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// anyPort draws settings of a port.
func anyPort(t *rapid.T) ir.PortSettings {
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	mask := func(name string) uint8 { return rapid.SampledFrom([]uint8{0, 8, 16, 24, 40, 0xff}).Draw(t, name) }
	p := ir.UnknownPort()
	p.Trust, p.TrustKnown, p.PausesKnown = ir.Trust{PCP: flag("PCP"), DSCP: flag("DSCP")}, flag("trust known"), flag("pauses known")
	for v := range 8 {
		p.DSCP[v] = int8(rapid.IntRange(-1, 7).Draw(t, "cos"))
		p.PCP[v] = int8(rapid.IntRange(-1, 7).Draw(t, "cos"))
		p.Share[v] = uint8(rapid.IntRange(0, 2).Draw(t, "share"))
	}
	p.Sends, p.Obeys, p.LinkPause = mask("sends"), mask("obeys"), rapid.IntRange(0, 5).Draw(t, "pause") == 0
	p.Headroom = rapid.IntRange(0, 3).Draw(t, "headroom")
	p.Marks, p.Strict = mask("marks"), mask("strict")
	p.Marking.Min = rapid.IntRange(0, 2).Draw(t, "marking")
	p.Stamps = uint64(rapid.IntRange(0, 3).Draw(t, "stamps"))
	p.Detail = ir.NewDetail(irtest.AnyDetail(t))
	return p
}

// TestTransitionOfDetail: values of both sides stay, bounds apply to both sides, and no other value is known.
func TestTransitionOfDetail(t *testing.T) {
	of := func(buffer int, shaper int64, pool string, limit ir.Setting[ir.Limit]) ir.Detail {
		d := ir.UnknownDetail()
		d.Groups[3] = ir.GroupSettings{Buffer: ir.Of(buffer), Pool: ir.Of(pool), Limit: limit}
		d.Shaper = ir.Of(shaper)
		return ir.NewDetail(d)
	}
	alpha := func(n int) ir.Setting[ir.Limit] { return ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: n}) }
	a, b := of(100, 0, "p", alpha(-1)), of(50, 1000, "p", alpha(-3))
	got := a.Transition(b).Get()
	assert.Equal(t, ir.GroupSettings{Buffer: ir.Of(50), Pool: ir.Of("p"), Limit: alpha(-3)}, got.Groups[3])
	assert.Equal(t, ir.Of(int64(1000)), got.Shaper, "a port without a shaper is bound by the other side's")
	assert.Equal(t, ir.UnknownDetail(), a.Transition(ir.Detail{}).Get())
	assert.Equal(t, a, of(100, 0, "p", alpha(-1)), "equal details share one value")
	assert.Zero(t, a.Transition(of(100, 0, "p", ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 5}))).Get().Groups[3].Limit)
}

// TestTransitionLaws: a port in transition keeps the old lossless values unless they become lossless in another cos, and has the new
// lossless values. A second transition does not change it.
func TestTransitionLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPort(t), anyPort(t)
		both := a.Transition(&b)
		require.Equal(t, a, a.Transition(&a))
		require.Equal(t, both, both.Transition(&b), "the transition includes the new settings")
		twice := a.Transition(&both)
		require.Equal(t, both.DSCP, twice.DSCP, "the transition includes the old settings")
		require.Equal(t, both.Headroom, twice.Headroom)
		require.Equal(t, both.Lossless(), a.Lossless()|b.Lossless())
		require.Equal(t, both.Stamps, a.Stamps, "it marks as before")
		for v, cos := range both.DSCP {
			lossless := func(p ir.PortSettings) bool { return p.DSCP[v] >= 0 && p.Lossless()>>p.DSCP[v]&1 == 1 }
			switch {
			case lossless(b):
				require.Equal(t, b.DSCP[v], cos)
			case lossless(a):
				require.Equal(t, a.DSCP[v], cos)
			default:
				require.Equal(t, b.DSCP[v], cos)
			}
		}
	})
}

// TestTransitionFields: the transition is defined for every field. A value that both sides have is kept, whatever else differs. A value
// that neither side has is unknown, except pauses, maps and shares, which have special rules.
func TestTransitionFields(t *testing.T) {
	loose := map[ir.Field]bool{ // these have special rules, which TestTransitionLaws checks
		ir.FieldDSCP: true, ir.FieldPCP: true, ir.FieldPauses: true, ir.FieldLinkPause: true, ir.FieldMarking: true, ir.FieldShare: true,
		ir.FieldStrict: true, ir.FieldHeadroom: true, ir.FieldStamps: true,
	}
	met := map[ir.Field]bool{}
	one := func(t *rapid.T) {
		a, b := anyPort(t), anyPort(t)
		both := a.Transition(&b)
		old, next, got := irtest.PortValues(&a), irtest.PortValues(&b), irtest.PortValues(&both)
		compare := func(name string, x, y, z irtest.Value) {
			switch {
			case x.Of != nil && y.Of != nil && x.Of == y.Of:
				if !loose[x.Field] || strings.HasPrefix(name, "Queues") || strings.HasPrefix(name, "Groups") {
					require.Equal(t, x.Of, z.Of, "%s is equal on both sides", name)
					met[x.Field] = true
				}
			case (x.Of == nil || y.Of == nil) && !loose[x.Field] && x.Field != ir.FieldTrust:
				require.Nil(t, z.Of, "%s is unknown on one side", name)
			case !loose[x.Field] && z.Of != nil && x.Field != ir.FieldTrust:
				require.Contains(t, []any{x.Of, y.Of}, z.Of, name)
			}
			met[x.Field] = met[x.Field] || loose[x.Field] && z.Of != nil
		}
		for name := range got {
			compare(name, old[name], next[name], got[name])
		}
		s, u := anyDevice(t), anyDevice(t)
		between := s.Transition(u)
		was, is, dev := irtest.DeviceValues(s), irtest.DeviceValues(u), irtest.DeviceValues(between)
		for name := range is {
			if of, there := was[name]; there {
				compare(name, of, is[name], dev[name])
			}
		}
	}
	missing := func() (out []string) {
		for _, f := range ir.Fields() {
			if !met[f] {
				out = append(out, f.String())
			}
		}
		return out
	}
	for round := 0; round < 1 || round < 50 && len(missing()) > 0; round++ {
		rapid.Check(t, one)
	}
	assert.Empty(t, missing(), "no transition is defined")
}

// anyDevice draws the pools and the system of a device.
func anyDevice(t *rapid.T) *ir.Settings {
	var of struct {
		Pool   ir.Pool
		System ir.System
	}
	irtest.Fill(t, &of)
	of.Pool.Ingress, of.Pool.Egress = true, false
	return &ir.Settings{Pools: map[string]ir.Pool{"p": of.Pool}, System: of.System}
}

func TestBoth(t *testing.T) {
	pfc := func(cos uint8, headroom int) ir.PortSettings {
		p := ir.UnknownPort()
		p.PausesKnown, p.Sends, p.Obeys, p.Headroom = true, 1<<cos, 1<<cos, headroom
		return p
	}
	none := ir.UnknownPort()
	none.PausesKnown = true
	var old, next ir.Settings
	old.Set("swp1", pfc(3, 100))
	old.Set("swp2", pfc(3, 100))
	old.Rest = &none
	next.Set("swp1", pfc(4, 200))
	next.Set("swp3", pfc(4, 200))
	next.Rest = &none

	both := old.Transition(&next)
	assert.Equal(t, [2]int{24, 300}, [2]int{int(both.Port("swp1").Sends), both.Port("swp1").Headroom}, "each class needs its own headroom")
	assert.Equal(t, [2]int{8, 100}, [2]int{int(both.Port("swp2").Sends), both.Port("swp2").Headroom})
	assert.Equal(t, [2]int{16, 200}, [2]int{int(both.Port("swp3").Sends), both.Port("swp3").Headroom})
	assert.Equal(t, none, *both.Port("swp9"))
	assert.True(t, both.Transition(&next).Equal(both))
	assert.False(t, both.Equal(&next))
	assert.Same(t, &old, old.Transition(&old))
	assert.Nil(t, old.Transition(nil))
	assert.Nil(t, (*ir.Settings)(nil).Transition(&old))

	old.Rest = nil
	assert.Equal(t, ir.UnknownPort(), *old.Transition(&next).Port("swp3"), "a port that was unknown stays unknown")
	pause := pfc(3, 1)
	pause.LinkPause, pause.Sends = true, 0xff
	other := pfc(3, 1)
	assert.False(t, pause.Transition(&other).PausesKnown, "no document states which of them the port obeys")
	assert.True(t, pause.Transition(&none).PausesKnown)
}

func TestSortOfSettings(t *testing.T) {
	p := ir.UnknownPort()
	p.DSCP[26], p.PCP[3] = 4, 5
	v2 := ir.Packet{IP: true, DSCP: 26, Tagged: true, PCP: 3}
	assert.Equal(t, -1, p.Sort(v2), "trust is not known")
	p.TrustKnown = true
	assert.Equal(t, 0, p.Sort(v2))
	p.Trust = ir.Trust{PCP: true, DSCP: true}
	assert.Equal(t, 4, p.Sort(v2))
	assert.Equal(t, 5, p.Sort(ir.Packet{Tagged: true, PCP: 3}))
	assert.Equal(t, -1, p.Sort(ir.Packet{IP: true, DSCP: -1}), "a value that is not known")
	assert.Equal(t, 0, p.Sort(ir.Packet{}))
}
