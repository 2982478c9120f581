package nic

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// A slot that moved is named with its earlier index, the time, and the present meaning of the earlier index.
func TestMovedGID(t *testing.T) {
	n := &ir.NIC{Name: "ens1f0", Device: &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "h1"}}
	in := &ir.Intent{Name: "storage", Version: 2}
	at := time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
	clock := func(t time.Time) string { return t.Format("2 Jan 15:04") }
	const other = "at ens2f0 mlx5_7\ngid mlx5_7 1 3 ens2f0 ::ffff:10.9.0.1 RoCE v2\n"
	slot := func(dev string, port, index int) KeptGID {
		return KeptGID{"h1", "ens1f0", "storage", at, dev, port, index, netip.MustParseAddr("::ffff:10.0.0.1")}
	}
	for _, c := range []struct {
		name, answer string
		was          KeptGID
		moved        []string
	}{
		{"the same", gidAnswer, slot("rocep3s0f0", 1, 5), nil},
		{"to an empty slot", gidAnswer, slot("rocep3s0f0", 1, 9), []string{
			"h1:ens1f0: the GID index of storage was 9 at 27 Nov 10:02 and is 5 now. NCCL_IB_GID_INDEX=9 in a job is wrong: slot 9 of " +
				"rocep3s0f0 is empty now.",
		}},
		{"to another version", gidAnswer, slot("rocep3s0f0", 1, 4), []string{
			"h1:ens1f0: the GID index of storage was 4 at 27 Nov 10:02 and is 5 now. NCCL_IB_GID_INDEX=4 in a job is wrong: slot 4 of " +
				"rocep3s0f0 has 10.0.0.1 of type IB/RoCE v1 on ens1f0 now, and storage needs RoCE v2.",
		}},
		{"to a VLAN", gidAnswer, slot("rocep3s0f0", 1, 7), []string{
			"h1:ens1f0: the GID index of storage was 7 at 27 Nov 10:02 and is 5 now. NCCL_IB_GID_INDEX=7 in a job is wrong: slot 7 of " +
				"rocep3s0f0 has 10.100.0.1 of type RoCE v2 on storage now, and storage does not travel there.",
		}},
		{"to another address", gidAnswer, slot("rocep3s0f0", 1, 3), []string{
			"h1:ens1f0: the GID index of storage was 3 at 27 Nov 10:02 and is 5 now. NCCL_IB_GID_INDEX=3 in a job is wrong: slot 3 of " +
				"rocep3s0f0 has 2001:db8::1 of type RoCE v2 on ens1f0 now, an address that also fits.",
		}},
		{"to a link-local address", gidAnswer, slot("rocep3s0f0", 1, 1), []string{
			"h1:ens1f0: the GID index of storage was 1 at 27 Nov 10:02 and is 5 now. NCCL_IB_GID_INDEX=1 in a job is wrong: slot 1 of " +
				"rocep3s0f0 has fe80::5054:ff:fe00:2 of type RoCE v2 on ens1f0 now, a link-local address.",
		}},
		{"renamed", gidAnswer, slot("mlx5_0", 1, 5), []string{
			"h1:ens1f0: the RDMA device of storage was mlx5_0 at 27 Nov 10:02 and is rocep3s0f0 now. No NIC of the fabric on this host has " +
				"a device named mlx5_0 now, so NCCL_IB_HCA and perftest -d need the new name.",
		}},
		{"exchanged names, and another index", gidAnswer + other, slot("mlx5_7", 1, 3), []string{
			"h1:ens1f0: the GID index of storage was 3 at 27 Nov 10:02 and is 5 now. NCCL_IB_GID_INDEX=3 in a job is wrong: slot 3 of " +
				"rocep3s0f0 has 2001:db8::1 of type RoCE v2 on ens1f0 now, an address that also fits.",
			"h1:ens1f0: the RDMA device of storage was mlx5_7 at 27 Nov 10:02 and is rocep3s0f0 now. The name mlx5_7 now belongs to the " +
				"device of ens2f0, so NCCL_IB_HCA and perftest -d with it use that device.",
		}},
		{"another port", gidAnswer, slot("rocep3s0f0", 2, 5), []string{
			"h1:ens1f0: the port of storage on rocep3s0f0 was 2 at 27 Nov 10:02 and is 1 now.",
		}},
		{"gone", "at ens1f0 rocep3s0f0\ngid rocep3s0f0 1 0 ens1f0 fe80::1 RoCE v2\n", slot("rocep3s0f0", 1, 5), []string{
			"h1:ens1f0: the GID index of storage was 5 (10.0.0.1) at 27 Nov 10:02, and no GID fits now: slot 5 of rocep3s0f0 is empty now.",
		}},
	} {
		table := ReadGIDs([]byte(c.answer))
		g, wrong := table.Choose(n, in)
		chosen := &g
		if wrong != "" {
			chosen = nil
		}
		assert.Equal(t, c.moved, table.Moved(n, in, &c.was, chosen, clock), c.name)
	}
}

// A record stays until the host shows another slot, or the fabric no longer has the intent on the NIC.
func TestKeepGIDs(t *testing.T) {
	in, gone := &ir.Intent{Name: "storage", Version: 2}, &ir.Intent{Name: "gone", Version: 2}
	f := &ir.Fabric{}
	for _, name := range []string{"h1", "h2", "h3", "s1"} {
		d := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: name, Fabric: f}
		if name != "s1" {
			d.Host = &ir.Host{}
			d.Host.NICs = []*ir.NIC{{Name: "ens1f0", Device: d, RoCE: true, Intents: []*ir.Intent{in}}}
		}
		f.Devices = append(f.Devices, d)
	}
	of := func(d int, in *ir.Intent, index int) KeptGID {
		g := &GID{Dev: "mlx5_0", Port: 1, Index: index, Addr: netip.MustParseAddr("10.0.0.1")}
		return KeepGID(f.Devices[d].Host.NICs[0], in, g, time.Unix(int64(index), 0))
	}
	require.NotEmpty(t, f.Devices[0].Host.NICs[0].Carries())
	old := []KeptGID{of(1, in, 3), of(0, in, 3), of(0, gone, 3)}
	assert.Equal(t, []KeptGID{of(0, in, 5), of(1, in, 3)}, KeepGIDs(f, []KeptGID{of(0, in, 5)}, old))
	assert.Empty(t, KeepGIDs(f, nil, nil))
}
