package mlx5

import (
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

var (
	update = flag.Bool("update", false, "write the golden files")
	whole  = flag.Bool("whole", false, "every case in every shell, and every cell of the matrix, rather than some")
)

// TestMain lets the test binary replace mlnx_qos.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mlnx_qos" {
		os.Exit(fakeMlnxQos(os.Args[1:]))
	}
	flag.Parse()
	os.Exit(hosttest.Main(m))
}

// script is shared by all hosts and never modified.
var script = family.Script

func place(line int) diag.Range {
	r := diag.Range{Filename: "fabric.hcl"}
	r.Start.Line, r.Start.Byte = line, line
	r.End.Line, r.End.Byte = line, line+1
	return r
}

func origin(line int, why string) ir.Origin { return ir.Origin{At: place(line), Why: why} }

func nicModel(t testing.TB, name string) *ir.NICModel {
	m := ir.Known{Drivers: []*ir.Driver{Driver}}.FindNIC(name)
	require.NotNil(t, m, name)
	return m
}

// fabric is shared by the fixtures. It has a lossless group with a DSCP, one with only a PCP, one for CNPs, and a default group.
type fabric struct {
	*ir.Fabric
	rdma, storage, cnp, rest *ir.CosGroup
}

func newFabric() *fabric {
	f := &fabric{Fabric: &ir.Fabric{Name: "test", MTU: 9216, FlowControl: ir.PFC}}
	f.rest = &ir.CosGroup{Name: "default", At: place(1), Cos: 0, CosAt: place(1), Weight: 40}
	f.rdma = &ir.CosGroup{
		Name: "rdma", At: place(2), Cos: 4, CosAt: place(2), Lossless: true, LosslessAt: place(3), Weight: 60,
		DSCP: []ir.Claim{{Value: 26, At: place(4)}}, PCP: []ir.Claim{{Value: 4, At: place(2)}}, ECN: &ir.ECN{At: place(5)},
	}
	f.storage = &ir.CosGroup{
		Name: "storage", At: place(6), Cos: 3, CosAt: place(6), Lossless: true, LosslessAt: place(7),
		PCP: []ir.Claim{{Value: 3, At: place(6)}},
	}
	f.cnp = &ir.CosGroup{
		Name: "cnp", At: place(8), Cos: 6, CosAt: place(8), Strict: true,
		DSCP: []ir.Claim{{Value: 48, At: place(9)}}, PCP: []ir.Claim{{Value: 6, At: place(8)}},
	}
	return f
}

func (f *fabric) groups(g ...*ir.CosGroup) *fabric { f.CosGroups = g; return f }

func (f *fabric) v2() *ir.Intent {
	return &ir.Intent{Name: "training", At: place(20), Version: 2, VersionAt: place(21), Group: f.rdma, CNP: f.cnp}
}

func (f *fabric) v1() *ir.Intent {
	return &ir.Intent{Name: "nvme", At: place(30), Version: 1, VersionAt: place(31), Group: f.storage, VLAN: 100}
}

func (f *fabric) host(name string, nics ...*ir.NIC) *ir.Device {
	d := &ir.Device{
		Name: name, Group: "gpu", DevicePlaces: &ir.DevicePlaces{At: place(40), Decl: place(40)}, Fabric: f.Fabric,
		Host: &ir.Host{NICs: nics},
	}
	for _, n := range nics {
		n.Device = d
		if n.Port != nil {
			f.cable(d, n)
			d.Ports = append(d.Ports, n.Port)
		}
	}
	return d
}

// nic returns a cabled ConnectX-5 that carries the intents.
func (f *fabric) nic(t testing.TB, name string, intents ...*ir.Intent) *ir.NIC {
	n := &ir.NIC{
		NICPlaces: &ir.NICPlaces{At: place(50), ModelAt: place(51), MTUAt: place(52)},
		Name:      name, Model: nicModel(t, "connectx-5"), MTU: 9000, TTL: -1, TOS: -1, RoCE: true, Intents: intents,
	}
	var buffers []*ir.Buffer
	for _, in := range intents {
		if in.Group.Lossless {
			buffers = append(buffers, &ir.Buffer{Group: in.Group})
		}
	}
	n.Port = ir.NewPort(&ir.Device{DevicePlaces: &ir.DevicePlaces{}, Fabric: f.Fabric}, ir.PortSpec{Name: name, NIC: n, Buffers: buffers})
	f.cable(n.Port.Device(), n)
	return n
}

// cable replaces the port of a NIC by a copy that is cabled to a leaf.
func (f *fabric) cable(d *ir.Device, n *ir.NIC) {
	old := n.Port
	n.Port = ir.NewPort(d, ir.PortSpec{Name: old.Name, NIC: n, Speed: old.Speed(), MTU: old.MTU(), Buffers: old.Buffers(), Marks: old.Marks()})
	leaf := ir.NewPort(&ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "leaf1", Switch: &ir.Switch{}, Fabric: f.Fabric},
		ir.PortSpec{Name: "swp1"})
	ir.NewLink(n.Port, leaf, ir.Link{LinkFacts: &ir.LinkFacts{Length: ir.Length{Metres: 2.5, From: origin(60, "cable of 2.5 m")}}})
}

// fixtures returns the hosts of the golden files and of TestLaws.
func fixtures(t testing.TB) map[string]*ir.Device {
	hosts := map[string]*ir.Device{}

	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	hosts["v2"] = f.host("v2", f.nic(t, "ens1f0", f.v2()))

	f = newFabric()
	f.groups(f.rest, f.storage)
	hosts["v1"] = f.host("v1", f.nic(t, "ens1f0", f.v1()))

	f = newFabric()
	f.groups(f.rest, f.storage, f.rdma, f.cnp)
	hosts["both"] = f.host("both", f.nic(t, "ens1f0", f.v1()), f.nic(t, "ens2f0", f.v2()))

	f = newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	in := f.v2()
	a, b := f.nic(t, "ens1f0", in), f.nic(t, "ens1f1")
	d := f.host("bond", a, b)
	bond := &ir.Bond{Name: "bond0", At: place(70), NICs: []*ir.NIC{a, b}, Mode: "802.3ad"}
	a.Bond, b.Bond = bond, bond
	d.Host.Bonds = []*ir.Bond{bond}
	hosts["bond"] = d

	f = newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	n := f.nic(t, "enp3s0f0np0", f.v2())
	n.TTL, n.TOS, n.IP = 32, 106, netip.MustParsePrefix("192.0.2.7/24")
	n.VFRoCE = map[int]bool{0: false, 10: true, 2: false}
	n.TrafficClasses = []ir.TrafficClass{
		{TOS: 16, Src: netip.MustParsePrefix("192.0.2.7/32"), Dst: netip.MustParsePrefix("198.51.100.9/24")},
		{TOS: 8, Dst: netip.MustParsePrefix("2001:db8::1/128")},
	}
	off := f.nic(t, "enp3s0f1np1")
	off.RoCE, off.MTU, off.Port = false, 0, nil
	hosts["options"] = f.host("options", n, off)

	f = newFabric()
	f.FlowControl = ir.Pause
	f.groups(f.rest, f.rdma, f.cnp)
	hosts["pause"] = f.host("pause", f.nic(t, "ens1f0", f.v2()))
	return hosts
}

// fleet returns many hosts of one group.
func fleet(t testing.TB, count int) []*ir.Device {
	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	one := f.nic(t, "ens1f0", f.v2())
	out := make([]*ir.Device, count)
	for i := range out {
		nic := *one
		out[i] = f.host("gpu"+strconv.Itoa(i), &nic)
	}
	return out
}
