package ir_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
)

// TestOver: the result has every known value of the upper settings, and the values of the base elsewhere.
func TestOver(t *testing.T) {
	values := func(p *ir.PortSettings) map[ir.Value]string {
		out := map[ir.Value]string{}
		for v := range p.Values() {
			text := v.Text
			v.Text = ""
			out[v] = text
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPort(t), anyPort(t)
		s, base := &ir.Settings{}, &ir.Settings{}
		s.Set("swp1", a)
		base.Set("swp1", b)
		base.Set("swp2", b)
		got := s.Over(base)
		want := values(&b)
		maps.Copy(want, values(&a))
		is := values(got.Port("swp1"))
		for v, text := range values(&a) {
			require.Equal(t, text, is[v], v)
		}
		for v, text := range is {
			require.Equal(t, want[v], text, v)
		}
		require.Equal(t, &b, got.Port("swp2"), "another port stays")
		require.Equal(t, got.Port("swp1"), s.Over(got).Port("swp1"), "a second time changes nothing")
		require.Equal(t, &b, base.Port("swp1"), "the base stays")
	})
	var none *ir.Settings
	assert.Nil(t, new(ir.Settings).Over(none))
	pool := &ir.Settings{Pools: map[string]ir.Pool{"lossless": {Ingress: true, Size: ir.Of(5)}}}
	under := &ir.Settings{Pools: map[string]ir.Pool{"lossless": {Egress: true, Size: ir.Of(3), Percent: ir.Of(7)}, "lossy": {Size: ir.Of(1)}}}
	got := pool.Over(under)
	assert.Equal(t, ir.Pool{Ingress: true, Egress: true, Size: ir.Of(5), Percent: ir.Of(7)}, got.Pools["lossless"])
	assert.Equal(t, ir.Of(1), got.Pools["lossy"].Size)
	assert.Equal(t, ir.Of(3), under.Pools["lossless"].Size, "the base stays")
}
