package targets

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target/lint"
)

// collect keeps the counters of an answer and no other line, and a file that is too large is not kept.
func TestKeepCounters(t *testing.T) {
	const good = "uptime 5.00 1.00\nport swp1\n     HwIfInPfc3Pkt: 12\nunread 94\n"
	const rows = "port:Ethernet0 {'SAI_PORT_STAT_PFC_3_RX_PKTS': '12'}\nmark:Ethernet0:3 {}\n"
	kept, dropped, err := Keep(lint.File{Name: "leaf01/counters.txt", Data: []byte(good + "password: hunter2\nport swp1 of leaf\nuptime x\n")})
	require.NoError(t, err)
	require.Equal(t, good, string(kept))
	require.Equal(t, 3, dropped)
	kept, _, err = Keep(lint.File{Name: "leaf01/counters-db.txt", Data: []byte(rows)})
	require.NoError(t, err)
	require.Equal(t, rows, string(kept))
	_, _, err = Keep(lint.File{Name: "leaf01/counters.txt", Data: bytes.Repeat([]byte("a: 1\n"), 2<<20)})
	require.ErrorContains(t, err, "larger than 8 MiB")
}

// Counters beside a configuration are no configuration: the judgement of the device stays the same.
func TestCountersAreNoSettings(t *testing.T) {
	conf := lint.File{Name: "leaf01/traffic.conf", Data: []byte("traffic.packet_priority_source_set = [dscp]\n")}
	alone := JudgeFiles([]lint.File{conf})
	with := JudgeFiles([]lint.File{conf, {Name: "leaf01/counters.txt", Data: []byte(strings.Repeat("port swp1\n", 3))}})
	require.Equal(t, alone.Diagnostics, with.Diagnostics)
}
