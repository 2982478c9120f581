package targettest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/target/targettest"
)

// Until skips every case after enough is true. A failed case is still run, and fails again.
func TestUntil(t *testing.T) {
	tried := 0
	rapid.Check(t, targettest.Until(func() bool { return tried == 3 }, func(*rapid.T) { tried++ }))
	require.Equal(t, 3, tried)

	tried = 0
	fail := targettest.Until(func() bool { return tried > 1 }, func(int) {
		tried++
		if tried > 1 {
			panic("fails")
		}
	})
	fail(0)
	for range 3 {
		require.Panics(t, func() { fail(0) })
	}
	require.Equal(t, 4, tried)
}
