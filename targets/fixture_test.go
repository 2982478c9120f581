package targets_test

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/sonic"
)

// clos describes a fabric for a test: every leaf is cabled to every spine, with hosts below the leaves.
type clos struct {
	leaves, spines, hosts int // hosts per leaf
	model, version        string
	v1, v2                bool           // the intents; hosts are assigned to them in turn
	flow, access          ir.FlowControl // of the fabric, and of the cables of hosts if they differ
	card                  string         // of every host; empty: connectx-5
	lossy                 bool           // all groups are lossy, and none is marked
	backwards             bool           // intents and links are declared in reverse order
}

func at(line int) diag.Range {
	return diag.Range{
		Filename: "fabric.hcl", Start: hcl.Pos{Line: line, Column: 1, Byte: 100 * line},
		End: hcl.Pos{Line: line, Column: 9, Byte: 100*line + 8},
	}
}

func num(n int) ir.Num { return ir.Num{N: n, From: []ir.Origin{{At: at(9), Why: "the fixture"}}} }

func derived(n int) ir.Derived { return ir.Told(num(n)) }

func claims(values ...int) []ir.Claim {
	var out []ir.Claim
	for _, v := range values {
		out = append(out, ir.Claim{Value: v, At: at(20 + v)})
	}
	return out
}

// compile returns the fabric in the form of the compiler.
func (c clos) compile(t testing.TB) *ir.Fabric {
	t.Helper()
	model, ok := platform.FindSwitch(c.model)
	require.True(t, ok, c.model)
	system, speed := cumulus.OS, 25_000
	if !strings.Contains(c.version, ".") { // a branch of SONiC; the lookup files of 202505 have no 25G on some switches
		system, speed = sonic.OS, 100_000
	}
	card := targets.Known.FindNIC(cmp.Or(c.card, "connectx-5"))
	require.NotNil(t, card)
	f := &ir.Fabric{Name: "clos", At: at(1), MTU: 9216, Routing: ir.UpDown, FlowControl: c.flow}
	if c.flow == "" {
		f.FlowControl = ir.PFC
	}
	storage := &ir.CosGroup{Name: "storage", At: at(2), CosAt: at(2), Cos: 4, PCP: claims(4), Lossless: true, LosslessAt: at(2), Weight: 40}
	rdma := &ir.CosGroup{
		Name: "rdma", At: at(3), CosAt: at(3), Cos: 5, PCP: claims(5), DSCP: claims(26), Lossless: true, LosslessAt: at(3),
		Weight: 40, ECN: &ir.ECN{At: at(3)},
	}
	cnp := &ir.CosGroup{Name: "cnp", At: at(4), CosAt: at(4), Cos: 6, PCP: claims(6), DSCP: claims(48), Strict: true}
	f.CosGroups = []*ir.CosGroup{storage, rdma, cnp}
	if c.lossy {
		storage.Lossless, rdma.Lossless, rdma.ECN = false, false, nil
	}
	var carried []*ir.CosGroup
	if c.v1 {
		f.Intents = append(f.Intents, &ir.Intent{
			Name: "nvme", At: at(5), Version: 1, VersionAt: at(5), Group: storage, GroupAt: at(5),
			VLAN: 100,
		})
		carried = append(carried, storage)
	}
	if c.v2 {
		f.Intents = append(f.Intents, &ir.Intent{
			Name: "training", At: at(6), Version: 2, VersionAt: at(6), Group: rdma, GroupAt: at(6), CNP: cnp,
			CNPAt: at(6),
		})
		carried = append(carried, rdma)
	}
	var buffers []*ir.Buffer
	var marks []*ir.Mark
	for _, g := range carried {
		if !g.Lossless {
			continue
		}
		buffers = append(buffers, &ir.Buffer{Group: g, Size: derived(70000), Xoff: derived(18000), XonDelta: derived(2000)})
		if g.ECN != nil {
			marks = append(marks, &ir.Mark{Group: g, Min: derived(153600), Max: derived(1536000), Probability: derived(100)})
		}
	}
	device := func(name, group string) *ir.Device {
		d := &ir.Device{ID: len(f.Devices), Name: name, Group: group, DevicePlaces: &ir.DevicePlaces{At: at(7), Decl: at(7)}, Fabric: f}
		f.Devices = append(f.Devices, d)
		return d
	}
	sw := func(name, group string, tier int) *ir.Device {
		d := device(name, group)
		d.Switch = &ir.Switch{
			Model: model, ModelAt: at(7), OS: system.Name, OSAt: at(7), Can: system.Can(model.ASIC, c.version), Version: c.version,
			VersionAt: at(7), Tier: tier,
		}
		if system.Default != nil {
			d.Switch.Config = system.Default(c.version)
		}
		return d
	}
	add := func(d *ir.Device, name string) *ir.Port {
		p := ir.NewPort(d, ir.PortSpec{
			ID: len(f.Ports), Index: len(d.Ports), Name: name, At: at(8), Speed: speed, MTU: 9216, Buffers: buffers,
		})
		if d.Switch != nil {
			p.SetMarks(marks)
		}
		d.Ports = append(d.Ports, p)
		f.Ports = append(f.Ports, p)
		return p
	}
	front := func(d *ir.Device, n int) *ir.Port {
		f := ir.Front{Number: int16(n), Sub: -1}
		p := add(d, system.Spell(model, f))
		p.Front = f
		return p
	}
	cable := func(a, b *ir.Port) {
		length := ir.Length{Metres: 3, From: ir.Origin{At: at(8), Why: "cable of 3 m"}}
		l := ir.NewLink(a, b, ir.Link{ID: len(f.Links), LinkFacts: &ir.LinkFacts{At: at(8), Speed: num(speed), Length: length}})
		f.Links = append(f.Links, l)
	}
	for i := range c.leaves * c.hosts {
		d := device(fmt.Sprintf("gpu%05d", i+1), "gpu")
		nic := &ir.NIC{
			NICPlaces: &ir.NICPlaces{At: at(7), ModelAt: at(7), MTUAt: at(7)}, Name: "ens1f0", Device: d, Model: card, MTU: 9000, TTL: -1, TOS: -1,
			RoCE: true,
			IP:   netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, byte(2 + i/250), byte(1 + i%250)}), 24),
		}
		d.Host = &ir.Host{NICs: []*ir.NIC{nic}}
		if len(f.Intents) > 0 { // a NIC uses one version
			in := f.Intents[i%len(f.Intents)]
			nic.Intents = []*ir.Intent{in}
			in.Members = append(in.Members, &ir.Member{NIC: nic, At: at(5)})
		}
	}
	for l := range c.leaves {
		leaf := sw(fmt.Sprintf("leaf%04d", l+1), "leaf", 1)
		leaf.Switch.MLAG = fmt.Sprintf("rack%d", l/2)
		for h := range c.hosts {
			host := f.Devices[l*c.hosts+h]
			p := add(host, "ens1f0")
			p.NIC, host.Host.NICs[0].Port = host.Host.NICs[0], p
			cable(p, front(leaf, h+1))
			p.Link().FlowControl = c.access
		}
	}
	for s := range c.spines {
		spine := sw(fmt.Sprintf("spine%d", s+1), "spine", 2)
		for l := range c.leaves {
			leaf := f.Devices[c.leaves*c.hosts+l]
			cable(front(leaf, c.hosts+s+1), front(spine, l+1))
		}
	}
	if c.backwards {
		slices.Reverse(f.Intents)
		slices.Reverse(f.Links)
		for _, in := range f.Intents {
			slices.Reverse(in.Members)
		}
	}
	for _, d := range f.Devices {
		if d.Switch != nil {
			d.Switch.Intents = irtest.Sees(d)
		}
	}
	return f
}
