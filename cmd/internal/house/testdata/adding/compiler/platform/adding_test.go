package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAdded finds the added switch model, by its name and by its part number.
func TestAdded(t *testing.T) {
	s, ok := FindSwitch("Sample 32")
	require.True(t, ok)
	assert.Equal(t, "sample-32", s.Name)
	r, ok := s.Port(32, -1)
	require.True(t, ok)
	assert.Equal(t, 100_000, r.Speed)
}
