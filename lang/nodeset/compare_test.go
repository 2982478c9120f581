package nodeset

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestCompare(t *testing.T) {
	want := []string{"", "1", "a", "leaf01", "leaf1", "leaf2", "leaf10", "leaf10s1", "leaf10s2", "leaf10s10", "swp"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Compare)
	assert.Equal(t, want, got)
}

func TestCompareIsAnOrder(t *testing.T) {
	name := rapid.StringMatching(`[a1]{0,3}[0-9]{0,3}[ab]{0,2}[0-9]{0,2}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if Compare(a, b) != -Compare(b, a) {
			t.Fatalf("not antisymmetric: %q %q", a, b)
		}
		if Compare(a, b) == 0 && a != b {
			t.Fatalf("different names compare equal: %q %q", a, b)
		}
		if Compare(a, b) <= 0 && Compare(b, c) <= 0 && Compare(a, c) > 0 {
			t.Fatalf("not transitive: %q %q %q", a, b, c)
		}
	})
}
