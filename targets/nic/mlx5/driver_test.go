package mlx5

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

func total(terms []ir.Term) int {
	sum := 0
	for _, t := range terms {
		sum += t.Bytes
	}
	return sum
}

// TestNICBuffer checks the smallest buffers that the driver accepts. The figures were computed from the driver's formula, without rocec.
func TestNICBuffer(t *testing.T) {
	for _, c := range []struct {
		speed      int
		metres     float64
		mtu        int
		xoff, need int
	}{
		{25_000, 0, 9000, 37_120, 46_464}, // the driver assumes 7 m
		{25_000, 7, 9000, 37_120, 46_464},
		{100_000, 20, 1500, 38_480, 47_824},
		{100_000, 20, 9000, 58_880, 68_224},
		{100_000, 100, 9000, 76_180, 85_524},
		{200_000, 20, 9000, 93_280, 102_624},
		{400_000, 20, 9000, 162_080, 171_424},
		{400_000, 100, 9000, 231_280, 240_624},
		{100_000, 7, 1500, 35_680, 45_024},
		{100_000, 6.2, 4200, 43_024, 52_368},
		{100_000, 7, 9000, 56_080, 65_424},
		{400_000, 7, 4200, 137_824, 147_168},
	} {
		need, terms := buffer(c.speed, c.metres, c.mtu)
		assert.Equal(t, c.need, need)
		assert.Equal(t, need, total(terms))
		assert.Equal(t, c.xoff, total(terms[:3]))
	}
}

func TestNICBufferLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speed := rapid.SampledFrom(platform.Speeds).Draw(t, "speed")
		metres := rapid.Float64Range(0.1, 2000).Draw(t, "metres")
		mtu := rapid.IntRange(1280, 16384).Draw(t, "mtu")
		need, terms := buffer(speed, metres, mtu)
		for _, x := range terms {
			require.GreaterOrEqual(t, x.Bytes, 0, x.Name)
		}
		longer, _ := buffer(speed, metres+rapid.Float64Range(0, 500).Draw(t, "longer"), mtu)
		require.GreaterOrEqual(t, longer, need)
		larger, _ := buffer(speed, metres, mtu+rapid.IntRange(0, 2000).Draw(t, "larger"))
		require.GreaterOrEqual(t, larger, need)
		faster := rapid.SampledFrom(platform.Speeds).Filter(func(s int) bool { return s >= speed }).Draw(t, "faster")
		more, _ := buffer(faster, metres, mtu)
		require.GreaterOrEqual(t, more, need)
	})
}
