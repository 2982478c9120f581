package view

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// GIDs prints the row of each intent, the ports of a bond once, and a note if NICs of an intent need different rows.
func TestGIDs(t *testing.T) {
	t.Parallel()
	row := func(nic, dev string, index int) *GIDRow {
		return &GIDRow{NIC: nic, Dev: dev, Port: 1, Index: index, GID: "::ffff:10.0.0.1", IPv4: "10.0.0.1", Type: "RoCE v2", Netdev: "eth0"}
	}
	use := func(nic, dev string, index int) GIDUse {
		return GIDUse{Intent: "storage", NIC: nic, GID: row(nic, dev, index), Settings: &GIDSettings{
			Environment: []string{"NCCL_IB_GID_INDEX=3"}, ByAddress: []string{"NCCL_IB_ADDR_FAMILY=AF_INET"}, Perftest: "-d " + dev,
		}}
	}
	two := use("a", "m0", 3)
	two.Why = "the address that the fabric states"
	two.Others = []GIDRow{{Index: 5, GID: "2001:db8::1"}, {Index: 7, GID: "::ffff:a00:9", IPv4: "10.0.0.9"}}
	doc := GIDsDocument{Hosts: []GIDsHost{
		{Name: "h1", Status: VerifyGood, GIDs: []GIDRow{*row("a", "m0", 3), *row("b", "m0", 3)}, Use: []GIDUse{
			two, use("b", "m1", 5),
		}},
		{Name: "h2", Status: gidsMissing, Use: []GIDUse{{Intent: "storage", NIC: "a", Reason: "no address"}}},
	}}
	require.False(t, doc.Unread())
	var out strings.Builder
	NewScreen(&out, 40, false).GIDs(doc)
	require.Equal(t, `h1
  DEV  PORT  INDEX  GID              IPV4      TYPE     NETDEV
  m0   1     3      ::ffff:10.0.0.1  10.0.0.1  RoCE v2  eth0
  storage on a: index 3 (10.0.0.1, the address that the fabric states); 5 (2001:db8::1), 7 (10.0.0.9) fit, too
    NCCL_IB_GID_INDEX=3
    instead of the index of NCCL: NCCL_IB_ADDR_FAMILY=AF_INET
    ib_write_bw -d m0
  storage on b: index 5
    NCCL_IB_GID_INDEX=3
    instead of the index of NCCL: NCCL_IB_ADDR_FAMILY=AF_INET
    ib_write_bw -d m1
  The NICs of storage need different indices, but NCCL and UCX use one for all NICs of a process: give every interface as many addresses of each kind, or let NCCL choose by address.
h2
  DEV  PORT  INDEX  GID  IPV4  TYPE  NETDEV
  storage on a: no address
`, out.String())

	doc.Hosts = append(doc.Hosts, GIDsHost{Name: "h3", Status: "unreachable", Reason: "no route"})
	require.True(t, doc.Unread())
	out.Reset()
	NewScreen(&out, 40, false).GIDs(doc)
	require.Contains(t, out.String(), "h3\n  unreachable: no route\n")
}
