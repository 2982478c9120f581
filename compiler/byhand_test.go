package compiler

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// A by_hand block sets what a device does. For settings that the block omits, the device does what the fabric needs.
func TestByHand(t *testing.T) {
	src := clos(2, 1, 2)
	a := &author{line: 5000}
	src.Switches[0].ByHand = &lang.ByHand{
		Decl: a.at(), FlowControl: val(a, "pfc-tx"), Trust: val(a, "pcp"), ECN: val(a, false),
		DSCP: []lang.Mapped{{From: 26, To: val(a, 6)}}, PCP: []lang.Mapped{{From: 3, To: val(a, 4)}},
	}
	src.Hosts[0].ByHand = &lang.ByHand{
		Decl: a.at(), PFC: []lang.Value[int]{val(a, 3)}, PFCSet: true, DCQCN: val(a, false),
		DCBX: val(a, "firmware"),
	}
	f := compiled(t, src)

	leaf := device(f, "leaf1")
	p := leaf.Ports[0]
	assert.Equal(t, ir.PFCTx, p.FlowControl())
	sends, obeys := p.Pauses(4)
	assert.True(t, sends)
	assert.False(t, obeys)
	assert.Equal(t, ir.Trust{PCP: true}, p.Trust())
	assert.Empty(t, p.Marks(), "it does not mark")
	assert.NotEmpty(t, p.Buffers(), "and is still lossless")
	assert.Equal(t, "rdma", p.Sort(ir.Packet{IP: true, DSCP: 26, Tagged: true, PCP: 3}).Group.Name, "DSCP is not trusted")
	assert.Nil(t, p.Sort(ir.Packet{IP: true, DSCP: 26}).Group, "an untagged packet has no PCP")

	nic := f.Devices[0].Ports[0]
	assert.True(t, nic.Device().ByHand.Firmware)
	assert.False(t, nic.Device().ByHand.DCQCN)
	sends, obeys = nic.Pauses(4)
	assert.False(t, sends || obeys, "its mask holds 3 alone")
	sends, obeys = nic.Pauses(3)
	assert.True(t, sends && obeys)
	assert.Equal(t, ir.Trust{DSCP: true}, nic.Trust(), "as the intent needs")

	other := device(f, "leaf2").Ports[0]
	assert.Nil(t, other.Device().ByHand)
	assert.NotEmpty(t, other.Marks())
	sends, obeys = other.Pauses(4)
	assert.True(t, sends && obeys)
	sends, obeys = other.Pauses(6)
	assert.False(t, sends || obeys, "a lossy group")
}

// Another system has other port names. The speed of such a link is the speed of its other end, or the stated speed.
func TestByHandPorts(t *testing.T) {
	src := clos(2, 1, 2)
	a := &author{line: 5000}
	for _, s := range src.Switches {
		if s.Name == "leaf1" {
			s.ByHand = &lang.ByHand{Decl: a.at()}
		}
	}
	renamed := 0
	for _, l := range src.Links {
		for _, e := range []*lang.Endpoint{&l.A, &l.B} {
			if e.Device == "leaf1" {
				e.Port = "Ethernet" + strings.TrimPrefix(e.Port, "swp")
				renamed++
			}
		}
	}
	f := compiled(t, src)
	leaf := device(f, "leaf1")
	require.Len(t, leaf.Ports, renamed)
	for _, p := range leaf.Ports {
		assert.True(t, strings.HasPrefix(p.Name, "Ethernet"))
		assert.Positive(t, p.Speed())
	}

	for _, s := range src.Switches {
		s.ByHand = nil
	}
	_, ds := Compile(src, targets.Known)
	assert.True(t, ds.HasErrors(), "Cumulus Linux has no such ports")
}

// TestSort follows the table of the Cumulus manual: a packet is sorted by DSCP if the port trusts DSCP and the packet has one, else by PCP
// if the port trusts PCP and the packet has one, else by the port's default.
func TestSort(t *testing.T) {
	f := compiled(t, clos(2, 1, 2))
	p := device(f, "leaf1").Ports[0]
	for _, tt := range []struct {
		trust ir.Trust
		pkt   ir.Packet
		group string
		by    string
	}{
		{ir.Trust{DSCP: true}, ir.Packet{IP: true, DSCP: 26}, "rdma", "DSCP 26"},
		{ir.Trust{DSCP: true}, ir.Packet{IP: true, DSCP: 48, Tagged: true, PCP: 4}, "cnp", "DSCP 48"},
		{ir.Trust{DSCP: true}, ir.Packet{IP: true, DSCP: 27}, "", "DSCP 27"},
		{ir.Trust{DSCP: true}, ir.Packet{Tagged: true, PCP: 4}, "", "its default, as there is no DSCP"},
		{ir.Trust{PCP: true}, ir.Packet{IP: true, DSCP: 26, Tagged: true, PCP: 4}, "rdma", "PCP 4"},
		{ir.Trust{PCP: true}, ir.Packet{IP: true, DSCP: 26}, "", "its default, as there is no PCP"},
		{ir.Trust{PCP: true, DSCP: true}, ir.Packet{IP: true, DSCP: 48, Tagged: true, PCP: 4}, "cnp", "DSCP 48"},
		{ir.Trust{PCP: true, DSCP: true}, ir.Packet{Tagged: true, PCP: 4}, "rdma", "PCP 4"},
	} {
		p.Device().ByHand = &ir.ByHand{Trust: &tt.trust}
		got := p.Sort(tt.pkt)
		name := ""
		if got.Group != nil {
			name = got.Group.Name
		}
		assert.Equal(t, []string{tt.group, tt.by}, []string{name, got.By}, "%s, %+v", tt.trust, tt.pkt)
	}
}

// A NIC sends an intent with the tos that is written, unless another intent of the NIC claims that DSCP.
func TestPackets(t *testing.T) {
	src := clos(2, 1, 2)
	a := &author{line: 5000}
	src.CosGroups = append(src.CosGroups, &lang.CosGroup{Name: "bulk", Decl: a.at(), Cos: val(a, 2), DSCP: []lang.Value[int]{val(a, 18)}})
	src.Roces = append(src.Roces, &lang.Roce{
		Name: "second", Decl: a.at(), Version: val(a, 2), CosGroup: val(a, "bulk"), CNP: val(a, "cnp"),
		Members: []lang.Member{{Group: "gpu", At: a.at()}},
	})
	nic := func(tos int) *ir.NIC {
		for _, n := range src.Hosts[0].NICs {
			n.TOS = lang.Value[int]{}
			if tos >= 0 {
				n.TOS = val(a, tos)
			}
		}
		f, ds := Compile(src, targets.Known)
		require.False(t, ds.HasErrors(), "%v", diag.List(ds))
		return f.Devices[0].Host.NICs[0]
	}
	dscps := func(n *ir.NIC) []int {
		return []int{n.Packet(n.Intents[0]).DSCP, n.Packet(n.Intents[1]).DSCP}
	}
	assert.Equal(t, []int{26, 18}, dscps(nic(-1)))
	assert.Equal(t, []int{26, 18}, dscps(nic(18<<2)), "the default tos belongs to the second intent; applications of the first set their own")
	assert.Equal(t, []int{7, 7}, dscps(nic(7<<2)), "meant for neither")
	n := nic(-1)
	assert.Equal(t, ir.Packet{IP: true, DSCP: 48, PCP: 6}, n.CNP(n.Intents[0]))

	src.Roces[0].CNP = val(a, "rdma")
	n = nic(-1)
	assert.Equal(t, 26, n.CNP(n.Intents[0]).DSCP)
	assert.Equal(t, 26, n.CNP(n.Intents[1]).DSCP, "a NIC marks all its CNPs the same")
}

// A switch has the intents whose traffic passes it. An intent within one rack does not reach the spine, but another intent of its group
// does.
func TestVisible(t *testing.T) {
	src := clos(2, 1, 2)
	a := &author{line: 5000}
	src.Roces = append(src.Roces, &lang.Roce{
		Name: "rack", Decl: a.at(), Version: val(a, 2), CosGroup: val(a, "rdma"), CNP: val(a, "cnp"),
		Members: []lang.Member{{Host: "gpu1", At: a.at()}, {Host: "gpu2", At: a.at()}},
	})
	src.Switches[2].ByHand = &lang.ByHand{Decl: a.at(), ECN: val(a, false)}
	src.CosGroups[0].Lossless.V = false
	f := compiled(t, src)
	names := func(d *ir.Device) (out []string) {
		for _, in := range d.Switch.Intents {
			out = append(out, in.Name)
		}
		return out
	}
	assert.Len(t, names(device(f, "leaf1")), 2)
	assert.Equal(t, names(device(f, "leaf2")), names(device(f, "spine1")), "spine1 marks nothing and nothing is lossless")
	assert.NotContains(t, names(device(f, "spine1")), "rack")
	assert.NotEmpty(t, names(device(f, "spine1")))
}
