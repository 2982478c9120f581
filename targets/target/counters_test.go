package target

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// known is a counter with a value.
func known(n uint64) ir.Counter { return ir.Counter{Value: n, Known: true} }

// query reads two interfaces of a NIC.
func query() CounterQuery {
	return EthtoolCounters([]Counted{{"ens1", "'ens1'", "p1"}, {"ens2", "'ens2'", "p2"}}, "prio", func() map[string]CounterName {
		return CounterNames(map[string]func(*ir.PauseCounters) *ir.Counter{
			"rx_prioN_pause": ReceivedFrames, "rx_prioN_pause_duration": ReceivedTime, "tx_prioN_packets": SentPackets,
		})
	})
}

// An answer gives the counters that it has. Others are not known, and the reason is stated.
func TestEthtoolCounters(t *testing.T) {
	const none = "ethtool -S prints no counter of pauses by priority for "
	one := ir.PauseCounters{Port: "p1", Priority: 3, Received: known(7), ReceivedTime: known(0)}
	two := ir.PauseCounters{Port: "p2", Priority: 0, Packets: known(18446744073709551615)}
	for _, c := range []struct {
		name, answer string
		want         []ir.PauseCounters
		unread       string
		uptime       time.Duration
	}{
		{
			"both", "uptime 12.50 40.00\nport ens1\n     rx_prio3_pause: 7\n rx_prio3_pause_duration: 0\nport ens2\n tx_prio0_packets: " +
				"18446744073709551615\n", []ir.PauseCounters{one, two}, "", 12500 * time.Millisecond,
		},
		{"nothing", "", nil, none + "ens1 and ens2", 0},
		{
			"one fails", "port ens1\nunread 94\nport ens2\ntx_prio0_packets: 18446744073709551615\n",
			[]ir.PauseCounters{two},
			"ethtool -S fails, with status 94 for ens1", 0,
		},
		{"no ethtool", "port ens1\nunread 127\nport ens2\nunread 127\n", nil, "ethtool is not installed for ens1 and ens2", 0},
		{
			"other values", "port ens1\nrx_prio3_pause: -1\nrx_prio3_pause: 99999999999999999999\nrx_prio9_pause: 4\nport ens3\nrx_prio3_pause: 4\n",
			nil, none + "ens1 and ens2", 0,
		},
		{"twice", "port ens1\nrx_prio3_pause: 7\nrx_prio3_pause_duration: 0\nport ens1\nrx_prio3_pause: 9\nport ens2\ntx_prio0_packets: " +
			"18446744073709551615\n", []ir.PauseCounters{one, two}, "", 0},
		{"no time", "uptime\nuptime x\nuptime -4 3\nuptime NaN 1\nuptime 1e300 1\nport ens1\n", nil, none + "ens1 and ens2", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, unread := query().Read(nil, []byte(c.answer))
			require.Equal(t, c.want, got)
			require.Equal(t, c.unread, unread)
			require.Equal(t, c.uptime, CounterTime([]byte(c.answer)))
		})
	}
}

// The counters of a joined target are those of each part.
func TestJoinCounters(t *testing.T) {
	part := func(file string) *Target {
		return &Target{Counters: func(*ir.Device) []CounterQuery { return []CounterQuery{{File: file}} }}
	}
	got := Join(part("a"), &Target{}, part("b")).Counters(nil)
	require.Len(t, got, 2)
	require.Equal(t, "b", got[1].File)
}

// Any answer gives at most eight priorities of each interface, and a short reason.
func FuzzEthtoolCounters(f *testing.F) {
	f.Add("uptime 12.50 40.00\nport ens1\n     rx_prio3_pause: 7\nport ens2\nunread 1\n")
	f.Add(strings.Repeat("port ens1\nrx_prio3_pause: 7\n", 9))
	f.Fuzz(func(t *testing.T, answer string) {
		got, unread := query().Read(nil, []byte(answer))
		require.LessOrEqual(t, len(got), 16)
		require.Less(t, len(unread), 400+len(answer))
		require.GreaterOrEqual(t, CounterTime([]byte(answer)), time.Duration(0))
	})
}
