package view

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A counter is printed with every digit, also above the range of an int.
func TestCounted(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 1000: "1,000", 1_002_003: "1,002,003", math.MaxInt64: "9,223,372,036,854,775,807",
		math.MaxUint64: "18,446,744,073,709,551,615",
	} {
		require.Equal(t, want, counted(n))
	}
}
