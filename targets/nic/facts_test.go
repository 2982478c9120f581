package nic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// cabled returns the NIC ens1f0 of h1, with a 100G link to swp1 of leaf1. The fabric also has leaf2.
func cabled() *ir.NIC {
	f := &ir.Fabric{}
	n := &ir.NIC{Name: "ens1f0", Device: &ir.Device{Name: "h1", Fabric: f}}
	leaf1, leaf2 := &ir.Device{Name: "leaf1", Fabric: f}, &ir.Device{Name: "leaf2", Fabric: f}
	n.Port = ir.NewPort(n.Device, ir.PortSpec{Name: n.Name, NIC: n, Speed: 100_000})
	peer := ir.NewPort(leaf1, ir.PortSpec{Name: "swp1", Speed: 100_000})
	ir.NewLink(n.Port, peer, ir.Link{})
	leaf1.Ports = []*ir.Port{peer, ir.NewPort(leaf1, ir.PortSpec{Name: "swp2"})}
	leaf2.Ports = []*ir.Port{ir.NewPort(leaf2, ir.PortSpec{Name: "swp1"})}
	f.Devices = []*ir.Device{n.Device, leaf1, leaf2}
	return n
}

func TestJudgeFacts(t *testing.T) {
	const good = "carrier 1\nspeed 100000\nmtu 9000\nkernel 6.1.0\nrdma mlx5_0/1\nnetdev ens1f0\nstate 4: ACTIVE\nlink_layer Ethernet\n" +
		"firmware 16.35.4030\nactive_mtu 4096\n"
	with := func(key, value string) string {
		var b strings.Builder
		for line := range strings.Lines(good) {
			if strings.HasPrefix(line, key+" ") {
				line = key + " " + value + "\n"
			}
			b.WriteString(line)
		}
		return b.String()
	}
	for _, c := range []struct{ answer, want string }{
		{good, ""},
		{"", ""},
		{with("speed", "25000"), "ens1f0 on h1 runs at 25G; the fabric has a link of 100G to leaf1:swp1."},
		{with("speed", "-1"), ""},
		{with("speed", "fast"), ""},
		{strings.Replace(with("speed", "10"), "carrier 1", "carrier 0", 1), ""},
		{with("link_layer", "InfiniBand"), "The port of ens1f0 on h1 is an InfiniBand port"},
		{with("state", "1: DOWN"), "The RDMA port of ens1f0 on h1 is 1: DOWN, although the interface has a link"},
		{strings.Replace(with("state", "1: DOWN"), "carrier 1", "carrier 0", 1), ""}, // carrier 0 reports it already
		{with("active_mtu", "1024"), "has an active MTU of 1024; with the MTU 9000 of the interface it should be 4096."},
		{with("active_mtu", "x"), ""},
		{with("mtu", "100"), ""},
		{with("state", "\x1b[2J"), `is \x1b[2J, although`},
		{with("state", strings.Repeat("x", 300)), ""}, // too long for a state
	} {
		wrong := judgeFacts(&Settings{NIC: cabled()}, ReadFacts([]byte(c.answer)))
		if c.want == "" {
			assert.Empty(t, wrong, c.answer)
		} else if assert.Len(t, wrong, 1, c.answer) {
			assert.Contains(t, wrong[0], c.want)
		}
	}
}

// TestJudgeLAG: a bond is a RoCE LAG if the RDMA device belongs to the bond.
func TestJudgeLAG(t *testing.T) {
	n, other := cabled(), &ir.NIC{Name: "ens1f1", Device: &ir.Device{Name: "h1"}}
	n.Bond = &ir.Bond{Name: "bond0", NICs: []*ir.NIC{n, other}}
	other.Bond = n.Bond
	judge := func(n *ir.NIC, answer string) string {
		return strings.Join(judgeFacts(&Settings{NIC: n}, ReadFacts([]byte(answer))), "|")
	}
	assert.Empty(t, judge(n, "kernel 4.4.0\nrdma mlx5_bond_0/1\nnetdev bond0\n"))
	assert.Empty(t, judge(other, "rdma mlx5_1/1\nnetdev ens1f1\n"), "it is said once")
	alone := judge(n, "kernel 6.1.0-18-amd64\nrdma mlx5_0/1\nnetdev ens1f0\n")
	assert.Contains(t, alone, "bond0 on h1 is not a RoCE LAG: the RDMA device mlx5_0/1 belongs to ens1f0 alone")
	assert.NotContains(t, alone, "4.9")
	for kernel, is := range map[string]bool{"4.8.17": true, "3.10.0-1160.el7": true, "4.9": false, "4.18.0": false, "x": false, "4": false} {
		said := judge(n, "kernel "+kernel+"\nrdma mlx5_0/1\nnetdev ens1f0\n")
		assert.Equal(t, is, strings.Contains(said, "older than 4.9"), kernel)
	}
}

func FuzzJudgeFacts(f *testing.F) {
	f.Add([]byte("carrier 1\nspeed 1\nactive_mtu 9\nmtu 1500\nstate \x1b\n"))
	n := cabled()
	f.Fuzz(func(t *testing.T, answer []byte) {
		facts := ReadFacts(answer)
		for _, said := range judgeFacts(&Settings{NIC: n}, facts) {
			require.NotContains(t, said, "\x1b")
			require.NotContains(t, said, "\n")
		}
		for key, v := range facts {
			require.LessOrEqual(t, len(key)+len(v), mostFact)
		}
	})
}
