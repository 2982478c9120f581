package nic

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// gidAnswer contains the GIDs of a NIC: a link-local one, three others without VLAN, and one in VLAN 100. One GID belongs to another
// interface.
const gidAnswer = `at ens1f0 rocep3s0f0
gid rocep3s0f0 1 0 ens1f0 fe80:0000:0000:0000:5054:00ff:fe00:0002 IB/RoCE v1
gid rocep3s0f0 1 1 ens1f0 fe80:0000:0000:0000:5054:00ff:fe00:0002 RoCE v2
gid rocep3s0f0 1 10 ens1f0 0000:0000:0000:0000:0000:ffff:0a00:0009 RoCE v2
gid rocep3s0f0 1 2 ens1f0 2001:0db8:0000:0000:0000:0000:0000:0001 IB/RoCE v1
gid rocep3s0f0 1 3 ens1f0 2001:0db8:0000:0000:0000:0000:0000:0001 RoCE v2
gid rocep3s0f0 1 4 ens1f0 0000:0000:0000:0000:0000:ffff:0a00:0001 IB/RoCE v1
gid rocep3s0f0 1 5 ens1f0 0000:0000:0000:0000:0000:ffff:0a00:0001 RoCE v2
gid rocep3s0f0 1 6 storage 0000:0000:0000:0000:0000:ffff:0a64:0001 IB/RoCE v1
gid rocep3s0f0 1 7 storage 0000:0000:0000:0000:0000:ffff:0a64:0001 RoCE v2
gid rocep3s0f0 1 8 br0 0000:0000:0000:0000:0000:ffff:0a65:0001 RoCE v2
gid rocep3s0f0 1
gid rocep3s0f0 x 1 ens1f0 fe80::1 RoCE v2
gid rocep3s0f0 1 11 ens1f0 nonsense RoCE v2
vlan storage 100 ens1f0
`

func TestChooseGID(t *testing.T) {
	without := func(lines ...string) string {
		answer := gidAnswer
		for _, l := range lines {
			i := strings.Index(answer, l)
			answer = answer[:strings.LastIndex(answer[:i], "\n")+1] + answer[i+strings.Index(answer[i:], "\n")+1:]
		}
		return answer
	}
	for _, c := range []struct {
		name, answer, ip string
		version, vlan    int
		index            int
		wrong            string
	}{
		{"the first of version 4", gidAnswer, "", 2, 0, 5, ""},
		{"of version 1", gidAnswer, "", 1, 0, 4, ""},
		{"the address stated", gidAnswer, "10.0.0.9", 2, 0, 10, ""},
		{"the address stated, of version 6", gidAnswer, "2001:db8::1", 2, 0, 3, ""},
		{"of the VLAN", gidAnswer, "", 1, 100, 6, ""},
		{"of the VLAN, the address is that of the interface", gidAnswer, "10.0.0.1", 1, 100, 6, ""},
		{"of version 6 where there is no other", without(" 10 ens1f0", " 5 ens1f0"), "", 2, 0, 3, ""},
		{"no address stated fits", gidAnswer, "10.0.0.2", 2, 0, 0, "ens1f0 on h1 has no GID of type RoCE v2 for 10.0.0.2, the address"},
		{"another VLAN", gidAnswer, "", 2, 200, 0, "no GID of type RoCE v2 on an interface of VLAN 200, in which the intent training travels"},
		{"only on the VLAN", gidAnswer, "10.100.0.1", 2, 0, 0, "has its address only on a VLAN interface"},
		{"only link-local", without(" 10 ens1f0", " 3 ens1f0", " 5 ens1f0", " 7 storage"), "", 2, 0, 0, "RoCE v2, apart from link-local ones"},
		{"of another interface", "gid mlx5_9 1 0 ens9 ::ffff:10.0.0.1 RoCE v2\n", "", 2, 0, 0, "ens1f0 on h1 has no GID at all"},
		{"nobody says whose", "at ens1f0 mlx5_0\ngid mlx5_0 1 1 - ::ffff:10.0.0.1 RoCE v2\n", "", 2, 0, 1, ""},
		{"the list of VLANs is hidden", "gid mlx5_0 1 1 ens1f0.7 ::ffff:10.0.0.1 RoCE v2\n", "", 2, 7, 1, ""},
		{"nothing", "", "", 2, 0, 0, "no RDMA device belongs to it"},
	} {
		n := &ir.NIC{Name: "ens1f0", Device: &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "h1"}}
		if c.ip != "" {
			n.IP = netip.PrefixFrom(netip.MustParseAddr(c.ip), 24)
		}
		g, wrong := ReadGIDs([]byte(c.answer)).Choose(n, &ir.Intent{Name: "training", Version: c.version, VLAN: c.vlan})
		if c.wrong == "" {
			assert.Empty(t, wrong, c.name)
			assert.Equal(t, c.index, g.Index, c.name)
		} else {
			assert.Contains(t, wrong, c.wrong, c.name)
		}
	}
}

// For a NIC with several addresses, the test checks which GID is chosen and why, and which other GIDs fit. It also checks the settings by
// which NCCL finds the GID at any index.
func TestSeveralAddresses(t *testing.T) {
	n := &ir.NIC{Name: "ens1f0", Device: &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "h1"}}
	table := ReadGIDs([]byte(gidAnswer))
	for _, c := range []struct {
		stated string
		vlan   int
		index  int
		why    string
		others []int
		by     string
	}{
		{"", 0, 5, "the first of IPv4", []int{3, 10}, "NCCL_IB_ROCE_VERSION_NUM=2 NCCL_IB_ADDR_FAMILY=AF_INET"},
		{
			"10.0.0.9/29", 0, 10, "the address that the fabric states",
			[]int{3, 5},
			"NCCL_IB_ROCE_VERSION_NUM=2 NCCL_IB_ADDR_FAMILY=AF_INET NCCL_IB_ADDR_RANGE=10.0.0.8/29",
		},
		{"10.0.0.9/24", 0, 10, "the address that the fabric states", []int{3, 5}, ""}, // both are in the subnet
		{
			"2001:db8::1/64", 0, 3, "the address that the fabric states",
			[]int{5, 10},
			"NCCL_IB_ROCE_VERSION_NUM=2 NCCL_IB_ADDR_FAMILY=AF_INET6",
		},
		{"10.0.0.9/24", 100, 7, "the first of IPv4", nil, ""}, // the subnet of the VLAN is not stated
	} {
		n.IP = netip.Prefix{}
		if c.stated != "" {
			n.IP = netip.MustParsePrefix(c.stated)
		}
		in := &ir.Intent{Name: "training", Version: 2, VLAN: c.vlan}
		g, wrong := table.Choose(n, in)
		require.Empty(t, wrong, c.stated)
		assert.Equal(t, c.index, g.Index, c.stated)
		assert.Equal(t, c.why, g.Why(n), c.stated)
		var indices []int
		for _, o := range table.Others(n, in, &g) {
			indices = append(indices, o.Index)
		}
		assert.Equal(t, c.others, indices, c.stated)
		assert.Equal(t, c.by, strings.Join(table.ByAddress(n, in, &g), " "), c.stated)
	}
}

// The netdev of a RoCE LAG is the bond, and its RDMA device belongs to one port of the bond.
func TestChooseGIDOfBond(t *testing.T) {
	b := &ir.Bond{Name: "bond0"}
	n := &ir.NIC{Name: "ens1f1", Device: &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "h1"}, Bond: b}
	table := ReadGIDs([]byte("at ens1f0 mlx5_bond_0\ngid mlx5_bond_0 1 3 bond0 ::ffff:10.0.0.1 RoCE v2\n"))
	g, wrong := table.Choose(n, &ir.Intent{Version: 2})
	assert.Empty(t, wrong)
	assert.Equal(t, "mlx5_bond_0", g.Dev)
}

// The command runs in a POSIX shell, and its output lists neither empty slots nor RDMA devices of other NICs.
func TestGIDQuery(t *testing.T) {
	root := t.TempDir()
	file := func(path, text string) {
		path = filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o644))
	}
	slot := func(dev, n, gid, netdev string) {
		port := "sys/class/infiniband/" + dev + "/ports/1/"
		file(port+"gids/"+n, gid)
		if netdev != "" {
			file(port+"gid_attrs/types/"+n, "RoCE v2")
			file(port+"gid_attrs/ndevs/"+n, netdev)
		}
	}
	slot("mlx5_0", "0", "fe80:0000:0000:0000:0000:0000:0000:0001", "ens1f0")
	slot("mlx5_0", "1", "0000:0000:0000:0000:0000:ffff:0a00:0001", "ens1f0.5")
	slot("mlx5_0", "2", "0000:0000:0000:0000:0000:0000:0000:0000", "")
	slot("mlx5_1", "0", "fe80:0000:0000:0000:0000:0000:0000:0002", "ens2f0")
	slot("mlx5_bond_0", "0", "fe80:0000:0000:0000:0000:0000:0000:0003", "bond0")
	file("sys/class/net/ens1f0/device/infiniband/mlx5_0/node_type", "1: CA")
	file("proc/net/vlan/config", "VLAN Dev name | VLAN ID\nName-Type: X\nens1f0.5       | 5  | ens1f0")
	q := GIDQuery([]*ir.NIC{{Name: "ens1f0"}, {Name: "ens3f0", Bond: &ir.Bond{Name: "bond0"}}})
	cmd := exec.Command(machinetest.Need(t, "dash"), "-c", strings.NewReplacer("/sys/", root+"/sys/", "/proc/", root+"/proc/").Replace(q.Cmd))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, `at ens1f0 mlx5_0
gid mlx5_0 1 0 ens1f0 fe80:0000:0000:0000:0000:0000:0000:0001 RoCE v2
gid mlx5_0 1 1 ens1f0.5 0000:0000:0000:0000:0000:ffff:0a00:0001 RoCE v2
gid mlx5_bond_0 1 0 bond0 fe80:0000:0000:0000:0000:0000:0000:0003 RoCE v2
vlan ens1f0.5 5 ens1f0
`, string(out))
}

// An address with a zone is no GID: a zone may be any text, also one that changes the terminal.
func TestGIDWithZone(t *testing.T) {
	table := ReadGIDs([]byte("at ens1f0 m\ngid m 1 0 ens1f0 2001:db8::1%\x1b[31m RoCE v2\ngid m 1 1 ens1f0 2001:db8::2 RoCE v2\n"))
	require.Len(t, table.GIDs, 1)
	assert.Equal(t, 1, table.GIDs[0].Index)
}

func FuzzReadGIDs(f *testing.F) {
	f.Add([]byte(gidAnswer))
	f.Add([]byte("gid m 1 0 ens1f0 2001:db8::1%\x1b[31m RoCE v2\n"))
	n := &ir.NIC{Name: "ens1f0", Device: &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "h1"}}
	f.Fuzz(func(t *testing.T, answer []byte) {
		g, wrong := ReadGIDs(answer).Choose(n, &ir.Intent{Name: "x", Version: 2})
		require.True(t, (wrong == "") == g.Addr.IsValid())
		require.False(t, g.Default())
		require.Empty(t, g.Addr.Zone())
	})
}
