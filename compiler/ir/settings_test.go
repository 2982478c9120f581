package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
)

// TestWantedByHand: a device set by hand has the settings of its block, and no values for ports outside the fabric.
func TestWantedByHand(t *testing.T) {
	rdma := &ir.CosGroup{Name: "rdma", Cos: 3, DSCP: []ir.Claim{{Value: 26}}, Lossless: true, ECN: &ir.ECN{}}
	f := &ir.Fabric{FlowControl: ir.PFC, CosGroups: []*ir.CosGroup{rdma}, Intents: []*ir.Intent{{Version: 2, Group: rdma}}}
	d := &ir.Device{Name: "leaf1", Fabric: f, Switch: &ir.Switch{}}
	p := ir.NewPort(d, ir.PortSpec{
		Name: "swp1", Buffers: []*ir.Buffer{{Group: rdma, Size: ir.Derived{N: 70000}, Xoff: ir.Derived{N: 18000}}},
		Marks: []*ir.Mark{{Group: rdma, Min: ir.Derived{N: 1}, Max: ir.Derived{N: 2}, Probability: ir.Derived{N: 3}}},
	})
	d.Ports = []*ir.Port{p}
	wanted := func() *ir.PortSettings { return d.Wanted().Port("swp1") }

	w := wanted()
	assert.Equal(t, ir.Trust{DSCP: true}, w.Trust)
	assert.Equal(t, []int8{4, 3}, w.DSCP[25:27], "next to a lossless cos, for unclaimed values")
	assert.Equal(t, [3]uint8{8, 8, 8}, [3]uint8{w.Sends, w.Obeys, w.Marks})
	assert.Equal(t, 52000, w.Headroom)
	assert.Equal(t, ir.Marking{Min: 1, Max: 2, Probability: 3}, w.Marking)
	assert.Zero(t, d.Wanted().Port("swp2").Sends)
	detail := w.Detail.Get()
	assert.Equal(t, ir.GroupSettings{
		Buffer: ir.Of(70000), Xoff: ir.Of(18000), Xon: ir.Of(18000), Headroom: ir.Of(52000), Lossless: ir.Of(true),
	}, detail.Groups[3])
	assert.Equal(t, ir.QueueSettings{
		Strict: ir.Of(false), Share: ir.Of(50), ECN: ir.Of(true), MarkMin: ir.Of(1), MarkMax: ir.Of(2), Probability: ir.Of(3),
		Drop: ir.Of(false), Unmarkable: ir.Of(ir.Passed),
	}, detail.Queues[3])
	assert.Equal(t, ir.QueueSettings{Strict: ir.Of(true), ECN: ir.Of(false)}, detail.Queues[ir.ControlCos])
	assert.Equal(t, [2]int8{3, -1}, [2]int8{detail.Group[3], detail.Group[4]})
	assert.Equal(t, ir.Setting[int]{}, detail.Cable, "no link states it")
	bare := d.Wanted().WithoutDetail()
	assert.Zero(t, bare.Port("swp1").Detail)
	assert.Same(t, bare, bare.WithoutDetail())

	d.ByHand = &ir.ByHand{
		FlowControl: ir.PFCRx, PFC: []ir.Claim{{Value: 4}}, Trust: &ir.Trust{},
		DSCP: map[int]ir.Claim{26: {Value: 4}}, PCP: map[int]ir.Claim{1: {Value: 2}},
	}
	w = wanted()
	assert.True(t, w.TrustKnown)
	assert.Equal(t, ir.Trust{}, w.Trust)
	assert.Equal(t, int8(4), w.DSCP[26])
	assert.Equal(t, int8(2), w.PCP[1])
	assert.Equal(t, [3]uint8{0, 16, 0}, [3]uint8{w.Sends, w.Obeys, w.Marks})
	assert.Nil(t, d.Wanted().Port("swp2"))
	assert.Zero(t, w.Detail, "the block states none")
}

func TestLoses(t *testing.T) {
	port := func(sends, obeys uint8) ir.PortSettings {
		return ir.PortSettings{PausesKnown: true, Sends: sends, Obeys: obeys}
	}
	of := func(rest ir.PortSettings, swp1 ...ir.PortSettings) *ir.Settings {
		s := &ir.Settings{Rest: &rest}
		for _, p := range swp1 {
			s.Set("swp1", p)
		}
		return s
	}
	for _, c := range []struct {
		name     string
		old, new *ir.Settings
		want     bool
	}{
		{"not known before", nil, of(port(0, 0)), false},
		{"not known after", of(port(8, 8)), nil, false},
		{"of the unknown port", of(port(0, 0), port(8, 8)), of(port(0, 0), ir.PortSettings{}), false},
		{"same", of(port(0, 0), port(8, 8)), of(port(0, 0), port(8, 8)), false},
		{"more", of(port(0, 0), port(8, 8)), of(port(0, 0), port(24, 24)), false},
		{"sends no more", of(port(0, 0), port(8, 8)), of(port(0, 0), port(0, 8)), true},
		{"obeys no more", of(port(0, 0), port(8, 8)), of(port(0, 0), port(8, 0)), true},
		{"one of several priorities", of(port(8, 8)), of(port(8, 8), port(8, 0)), true},
		{"the other priorities", of(port(8, 8), port(8, 8)), of(port(0, 0), port(8, 8)), true},
	} {
		assert.Equal(t, c.want, c.old.Loses(c.new), c.name)
	}
}
