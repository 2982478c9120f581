package ir_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/platform"
)

// Pointers to ports and links stay valid while a fabric grows over several chunks, with and without a call of Reserve.
func TestPortsAndLinksStayWhereTheyAre(t *testing.T) {
	for _, reserved := range []int{0, 10, 1000} {
		f := &ir.Fabric{}
		f.Reserve(reserved)
		d := &ir.Device{Name: "leaf1", Switch: &ir.Switch{Model: &platform.Switch{}}, Fabric: f}
		var ends [][2]*ir.Port
		var links []*ir.Link
		for i := range 700 {
			a, b := ir.NewPort(d, ir.PortSpec{Name: fmt.Sprint("a", i)}), ir.NewPort(d, ir.PortSpec{Name: fmt.Sprint("b", i)})
			assert.Nil(t, a.Link())
			assert.Nil(t, a.Peer())
			ends = append(ends, [2]*ir.Port{a, b})
			links = append(links, ir.NewLink(a, b, ir.Link{ID: i}))
		}
		for i, e := range ends {
			require.Equal(t, [2]string{fmt.Sprint("a", i), fmt.Sprint("b", i)}, [2]string{e[0].Name, e[1].Name})
			require.Same(t, e[1], e[0].Peer())
			require.Same(t, e[0], e[1].Peer())
			require.Same(t, links[i], e[0].Link())
			require.Same(t, links[i], e[1].Link())
			require.Same(t, e[0], links[i].A())
			require.Same(t, e[1], links[i].B())
			require.Equal(t, i, links[i].ID)
		}
	}
}

func TestCableBetweenTwoFabrics(t *testing.T) {
	a, b := ir.NewPort(&ir.Device{}, ir.PortSpec{}), ir.NewPort(&ir.Device{}, ir.PortSpec{})
	assert.Panics(t, func() { ir.NewLink(a, b, ir.Link{}) })
}

// Setting values of one port does not change ports that share them, nor the fabric that was copied.
func TestSizesAreSharedAndNotWrittenThrough(t *testing.T) {
	f := irtest.New(ir.UpDown).Links("L0-S0 L1-S0").Hosts("L0", "L1").Fabric()
	shared := &ir.PortSizes{Buffers: f.Ports[0].Buffers()}
	f.Ports[0].SetSizes(shared)
	f.Ports[1].SetSizes(shared)
	f.Ports[0].SetMarks([]*ir.Mark{{}})
	assert.Len(t, f.Ports[0].Marks(), 1)
	assert.Len(t, f.Ports[0].Buffers(), 1)
	assert.Empty(t, f.Ports[1].Marks())

	copied := f.Copy()
	copied.Ports[1].SetBuffers(nil)
	assert.Len(t, f.Ports[1].Buffers(), 1)
	for i, p := range f.Ports {
		own := copied.Ports[i]
		require.NotSame(t, p, own)
		require.Equal(t, p.String(), own.String())
		require.Same(t, copied.Ports[p.Peer().ID], own.Peer())
		require.Same(t, copied.Links[p.Link().ID], own.Link())
		require.Same(t, copied.Devices[p.Device().ID], own.Device())
	}
	for i, l := range f.Links {
		require.Same(t, copied.Ports[l.A().ID], copied.Links[i].A())
		require.Same(t, copied.Ports[l.B().ID], copied.Links[i].B())
	}
}
