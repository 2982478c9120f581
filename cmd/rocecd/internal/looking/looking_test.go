package looking

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestNextLook: looks of a site are one interval apart, also after it starts again, and two sites look at different times.
func TestNextLook(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		site := rapid.StringMatching(`[a-z][a-z0-9]{0,8}`).Draw(t, "site")
		every := time.Duration(rapid.Int64Range(1, 1e6).Draw(t, "seconds")) * time.Second
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns"))
		next := nextLook(site, every, now)
		require.True(t, next.After(now))
		require.LessOrEqual(t, next.Sub(now), every)
		require.Equal(t, next, nextLook(site, every, next.Add(-1)), "it is kept")
		require.Equal(t, next.Add(every), nextLook(site, every, next))
	})
	now := time.Unix(1_800_000_000, 0)
	assert.NotEqual(t, nextLook("dc1", time.Hour, now), nextLook("dc2", time.Hour, now))
}
