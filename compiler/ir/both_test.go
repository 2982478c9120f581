package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
)

// anyPort draws how a port may be set.
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
	return p
}

// TestBothLaws: a port that holds both settings keeps what was lossless where it does not become so elsewhere, has what becomes
// lossless, and what it holds already changes nothing.
func TestBothLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPort(t), anyPort(t)
		both := a.Both(&b)
		require.Equal(t, a, a.Both(&a))
		require.Equal(t, both, both.Both(&b), "the new settings are in it")
		twice := a.Both(&both)
		require.Equal(t, both.DSCP, twice.DSCP, "so are the old ones")
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

	both := old.Both(&next)
	assert.Equal(t, [2]int{24, 300}, [2]int{int(both.Port("swp1").Sends), both.Port("swp1").Headroom}, "each needs its own")
	assert.Equal(t, [2]int{8, 100}, [2]int{int(both.Port("swp2").Sends), both.Port("swp2").Headroom})
	assert.Equal(t, [2]int{16, 200}, [2]int{int(both.Port("swp3").Sends), both.Port("swp3").Headroom})
	assert.Equal(t, none, *both.Port("swp9"))
	assert.True(t, both.Both(&next).Equal(both))
	assert.False(t, both.Equal(&next))
	assert.Same(t, &old, old.Both(&old))
	assert.Nil(t, old.Both(nil))
	assert.Nil(t, (*ir.Settings)(nil).Both(&old))

	old.Rest = nil
	assert.Equal(t, ir.UnknownPort(), *old.Both(&next).Port("swp3"), "of a port that was not known nothing is known")
	pause := pfc(3, 1)
	pause.LinkPause, pause.Sends = true, 0xff
	other := pfc(3, 1)
	assert.False(t, pause.Both(&other).PausesKnown, "which of them the port obeys is documented nowhere")
	assert.True(t, pause.Both(&none).PausesKnown)
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
