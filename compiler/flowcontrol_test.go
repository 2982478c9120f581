package compiler

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
)

// The flow control of a cable comes from its block, or else from the fabric. If all cables have the same kind, it becomes the fabric's flow
// control.
func TestFlowControlOfCables(t *testing.T) {
	for _, c := range []struct {
		name, fabric, hosts, uplinks string
		whole, host, uplink          ir.FlowControl
		coupled                      bool
	}{
		{"nothing said", "", "", "", ir.PFC, ir.PFC, ir.PFC, false},
		{"the fabric", "pause", "", "", ir.Pause, ir.Pause, ir.Pause, false},
		{"at hosts", "", "pause", "", ir.PFC, ir.Pause, ir.PFC, false},
		{"at hosts, from the other side", "pause", "", "pfc", ir.PFC, ir.Pause, ir.PFC, false},
		{"between switches", "pfc", "", "pause", ir.PFC, ir.PFC, ir.Pause, true},
		{"everywhere, block by block", "", "pause", "pause", ir.Pause, ir.Pause, ir.Pause, false},
		{"nowhere, block by block", "pause", "pfc", "pfc", ir.PFC, ir.PFC, ir.PFC, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, s := &author{}, clos(2, 2, 2)
			if c.fabric != "" {
				s.Fabric.FlowControl = val(a, c.fabric)
			}
			said := map[string]string{"hosts": c.hosts, "uplinks": c.uplinks}
			for _, l := range s.Links {
				if flow := said[l.Block.Name]; flow != "" && !l.Block.FlowControl.Set() {
					l.Block.FlowControl = val(a, flow)
				}
			}
			f, ds := Compile(s, targets.Known)
			require.False(t, ds.HasErrors(), "%v", ds)
			assert.Equal(t, c.whole, f.FlowControl)
			assert.Equal(t, c.coupled, f.Coupled())
			for _, l := range f.Links {
				want, said := c.uplink, c.uplinks
				if l.A().NIC != nil {
					want, said = c.host, c.hosts
				}
				for _, p := range []*ir.Port{l.A(), l.B()} {
					assert.Equal(t, want, p.FlowControl(), p.String())
					assert.Equal(t, want == ir.Pause, p.ByPause(), p.String())
				}
				assert.Equal(t, said != "", l.FlowControlAt.Filename != "")
			}
		})
	}
}

// The wanted settings of a device depend on the flow control of its own cables only.
func TestIntentSeesFlowControl(t *testing.T) {
	pfc, paused := clos(2, 2, 2), clos(2, 2, 2)
	for _, l := range paused.Links {
		if l.Block.Name == "hosts" {
			l.Block.FlowControl = val(&author{}, "pause")
		}
	}
	old, next := compiled(t, pfc), compiled(t, paused)
	for i, d := range old.Devices {
		same := d.Switch != nil && d.Group == "spine"
		assert.Equal(t, same, d.Intent() == next.Devices[i].Intent(), d.Name)
	}
}

// On a cable with link pause the last frame may belong to any group, so headroom includes the largest frame that the MTU allows.
func TestHeadroomUnderLinkPause(t *testing.T) {
	on := func(flow string) *ir.Fabric {
		s := clos(2, 2, 2)
		for _, sw := range s.Switches {
			sw.Model.V, sw.Version.V = "z9100", "3.7.16"
		}
		for _, l := range s.Links {
			if l.Block.Name == "hosts" {
				l.Block.FlowControl = val(&author{}, flow)
			}
		}
		return compiled(t, s)
	}
	f, with := on("pause"), on("pfc")
	at, before := port(f, "leaf1:swp1").Buffers()[0], port(with, "leaf1:swp1").Buffers()[0]
	assert.Contains(t, at.Terms, ir.Term{
		Name: "frame the peer had begun", Bytes: 9216 + frameHeaders,
		Why: "as large as the MTU allows and 22 B",
	})
	assert.Greater(t, unrounded(at.Terms), unrounded(before.Terms), "before what is published for the chip")
	assert.GreaterOrEqual(t, at.Need, before.Need)
	assert.Equal(t, port(with, "leaf1:swp3").Buffers()[0].Need, port(f, "leaf1:swp3").Buffers()[0].Need)
}
