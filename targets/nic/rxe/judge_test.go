package rxe

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// TestJudge covers the interfaces that Soft-RoCE does not support. A supported interface gets only the notice that Soft-RoCE is deprecated.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name string
		bond bool
		want string
	}{
		{name: "eth1"},
		{name: "eth1.4095"},
		{name: "eth1.0"},
		{name: "br.x"},
		{name: "eth1.99999999999999999999"},
		{name: "eth1.100", want: "the interface of VLAN 100 on eth1, but rdma_rxe supports no VLAN interfaces. Name eth1"},
		{name: "eth1", bond: true, want: "a port of the bond bond0, but Soft-RoCE does not support bonds"},
	} {
		n := &ir.NIC{
			NICPlaces: &ir.NICPlaces{}, Name: c.name, Model: driver.Models[0], TTL: -1, TOS: -1, RoCE: true,
			Device: &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Group: "lab", Fabric: &ir.Fabric{}},
		}
		if c.bond {
			n.Bond = &ir.Bond{Name: "bond0", NICs: []*ir.NIC{n}}
		}
		var ds diag.List
		judge(&ds, n)
		assert.Equal(t, 1, ds.Count(diag.Notice), c.name)
		if c.want == "" {
			assert.False(t, ds.HasErrors(), c.name)
			continue
		}
		require.Equal(t, 1, ds.Count(diag.Error), c.name)
		for _, d := range ds {
			if d.Severity == diag.Error {
				assert.Contains(t, d.Detail, c.want)
			}
		}
	}
}

// The rules ignore events of RDMA devices, since this family creates the devices itself. A VLAN interface that is created anew has lost its
// map.
func TestRules(t *testing.T) {
	host := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Fabric: &ir.Fabric{}, Host: &ir.Host{}}
	n := &ir.NIC{
		NICPlaces: &ir.NICPlaces{}, Name: "eth1", Model: driver.Models[0], TTL: -1, TOS: -1, RoCE: true, Device: host,
		Intents: []*ir.Intent{{Version: 2, Group: &ir.CosGroup{}}},
	}
	host.Host.NICs = []*ir.NIC{n}
	files, ds := Target.Render(host)
	require.False(t, ds.HasErrors())
	rules, _ := files[2].Edit(nil)
	assert.NotContains(t, string(rules), "infiniband")
	assert.Contains(t, string(rules), `ENV{DEVTYPE}=="vlan", RUN+="/bin/sh -fc '`+
		`PATH=/usr/bin:/bin; exec systemctl --no-block reload-or-restart rocec-host-rxe@*.service'"`)
}
