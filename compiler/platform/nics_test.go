package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is said of a family holds for its models, those of nic_model blocks too, and has a source.
func TestFamilyFacts(t *testing.T) {
	for f, limit := range pfcLimits {
		assert.Contains(t, Families, f)
		assert.NotEmpty(t, limit.Source, f)
		assert.GreaterOrEqual(t, limit.Classes, 0, f)
	}
	for f, fact := range versionFacts {
		assert.Contains(t, Families, f)
		assert.NotEmpty(t, fact, f)
	}
	for name, want := range map[string]struct {
		classes int
		known   bool
		usual   bool
		speaks1 bool
	}{
		"connectx-5": {speaks1: true}, "connectx-3": {speaks1: true}, "fastlinq-45000": {speaks1: true},
		"e810": {1, true, false, false}, "bcm57508": {1, true, true, false}, "soft-roce": {0, true, false, false},
	} {
		n, ok := FindNIC(name)
		require.True(t, ok, name)
		limit, known := n.PFCLimit()
		assert.Equal(t, want.known, known, name)
		assert.Equal(t, want.classes, limit.Classes, name)
		assert.Equal(t, want.usual, limit.Usual, name)
		assert.Equal(t, want.speaks1, n.V1, name)
		assert.Equal(t, n.V1 != n.V2 && n.V2, n.VersionFact() != "", "%s speaks one version for a reason", name)
	}
}
