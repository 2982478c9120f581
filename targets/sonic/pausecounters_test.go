package sonic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// ports returns two ports of a switch.
func countedPorts() []*ir.Port {
	d := &ir.Device{Fabric: &ir.Fabric{}}
	return []*ir.Port{
		ir.NewPort(d, ir.PortSpec{Name: "Ethernet0"}), ir.NewPort(d, ir.PortSpec{ID: 1, Index: 1, Name: "Ethernet4"}),
	}
}

// Rows of COUNTERS_DB give the counters of their priority. A field that is missing, "N/A" or no number is not known.
func TestReadCounters(t *testing.T) {
	got, unread := readCounters([]byte(`uptime 5.00 1.00
port:Ethernet0 {'SAI_PORT_STAT_PFC_3_RX_PKTS': '12', 'SAI_PORT_STAT_PFC_3_TX_PKTS': 'N/A', 'SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US': '99'}
queue:Ethernet0:3 {'SAI_QUEUE_STAT_PACKETS': '7', 'PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED': '1', 'PFC_WD_STATUS': 'stormed'}
group:Ethernet0:3 {'SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS': '0'}
mark:Ethernet0:3 {'SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES': '4096'}
port:Ethernet4 {}
`), countedPorts())
	known := func(n uint64) ir.Counter { return ir.Counter{Value: n, Known: true} }
	require.Len(t, got, 8)
	require.Equal(t, ir.PauseCounters{
		Port: "Ethernet0", Priority: 3, Received: known(12), ReceivedTime: known(99), Packets: known(7), Peak: known(4096), Dropped: known(0),
		Cut: known(1), Cutting: known(1),
	}, got[3])
	require.Equal(t, ir.PauseCounters{Port: "Ethernet0", Priority: 4}, got[4])
	require.Equal(t, "COUNTERS_DB has no counters of Ethernet4", unread)
}

// The part of the query about watchdogs has the same reader. A whole row of a queue without a state shows that no watchdog watches it.
func TestReadWatchdogs(t *testing.T) {
	ports := countedPorts()
	for _, p := range ports {
		p.SetBuffers([]*ir.Buffer{{Group: &ir.CosGroup{Cos: 3, Lossless: true}}})
	}
	for _, c := range []struct {
		row       string
		cutting   ir.Counter
		unwatched bool
	}{
		{"{'SAI_QUEUE_STAT_PACKETS': '7', 'PFC_WD_STATUS': 'operational'}", ir.Counter{Known: true}, false},
		{"{'PFC_WD_STATUS': 'stormed', 'SAI_QUEUE_STAT_PACKETS': '7'}", ir.Counter{Value: 1, Known: true}, false},
		{"{'SAI_QUEUE_STAT_PACKETS': '7', 'PFC_WD_STATUS': 'other'}", ir.Counter{}, false},
		{"{'SAI_QUEUE_STAT_PACKETS': '7'}", ir.Counter{}, true},
		{"{'SAI_QUEUE_STAT_PACKETS': '7', 'PFC_WD", ir.Counter{}, false},
		{"{}", ir.Counter{}, false},
	} {
		got, _ := readCounters([]byte("queue:Ethernet0:3 "+c.row+"\n"), ports)
		require.Len(t, got, 8, "the other port has no row")
		require.Equal(t, c.cutting, got[3].Cutting, c.row)
		require.Equal(t, c.unwatched, got[3].Unwatched, c.row)
		require.False(t, got[4].Unwatched)
	}
}

// Counters that are not renewed are not known: a queue with an old value would look like one that sends nothing.
func TestStaleCounters(t *testing.T) {
	const rows = `port:Ethernet0 {'SAI_PORT_STAT_PFC_3_RX_PKTS': '12', 'SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US': '99'}
queue:Ethernet0:3 {'SAI_QUEUE_STAT_PACKETS': '7', 'PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED': '1'}
port:Ethernet4 {'SAI_PORT_STAT_PFC_3_RX_PKTS': '12'}
`
	for _, c := range []struct {
		poll, unread string
		port, queue  bool
	}{
		{"", "", true, true},
		{"poll:PORT {}\npoll:QUEUE {'FLEX_COUNTER_STATUS': 'enable', 'POLL_INTERVAL': '10000'}\n", "", true, true},
		{"poll:QUEUE {'POLL_INTERVAL': 'x'}\n", "", true, true},
		{"poll:QUEUE {'FLEX_COUNTER_STATUS': 'disable'}\n", "counterpoll does not renew its counters of kind queue", true, false},
		{
			"poll:QUEUE {'FLEX_COUNTER_STATUS': 'enable', 'POLL_INTERVAL': '30000'}\n",
			"counterpoll renews its counters of kind queue every 30s, and rocec waits for 10s", true, false,
		},
		{"poll:PORT {'FLEX_COUNTER_STATUS': 'disable'}\n", "counterpoll does not renew its counters of kind port", false, true},
	} {
		got, unread := readCounters([]byte(c.poll+rows), countedPorts())
		require.Equal(t, c.unread, unread)
		require.Equal(t, c.port, got[3].Received.Known)
		require.Equal(t, c.port, got[3].ReceivedTime.Known)
		require.Equal(t, c.queue, got[3].Packets.Known)
		require.True(t, got[3].Cut.Known)
	}
}

// Any answer gives at most eight priorities of each port.
func FuzzReadCounters(f *testing.F) {
	f.Add("port:Ethernet0 {'SAI_PORT_STAT_PFC_3_RX_PKTS': '12'")
	f.Add("port:Ethernet0 ")
	ports := countedPorts()
	f.Fuzz(func(t *testing.T, answer string) {
		got, _ := readCounters([]byte(answer), ports)
		require.LessOrEqual(t, len(got), 16)
	})
}
