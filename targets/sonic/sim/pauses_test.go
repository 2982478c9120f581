package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic/sim"
)

// TestPause: a port pauses a priority with PFC and a lossless group. It drops packets of any other.
func TestPause(t *testing.T) {
	t.Parallel()
	b := boot(t, sim.Box{QoS: sim.Template})
	b.ok("config interface startup Ethernet0")
	count := func(cos int) (n uint64, pfc, drops string) {
		n = b.Pause("Ethernet0", cos, 7)
		return n, b.ok("show pfc counters"), b.ok("show priority-group drop counters")
	}
	n, pfc, drops := count(3)
	require.Equal(t, uint64(7), n)
	require.Regexp(t, `(?m)^ *Ethernet0 .* 7\b`, pfc)
	require.NotRegexp(t, `(?m)^ *Ethernet0 .* 7\b`, drops)
	n, _, drops = count(0)
	require.Zero(t, n)
	require.Regexp(t, `(?m)^ *Ethernet0 +7\b`, drops)
}
