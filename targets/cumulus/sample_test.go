package cumulus

import (
	"fmt"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// at invents a place, so that notes and origins differ.
func at(line int) diag.Range {
	return diag.Range{
		Filename: "fabric.hcl", Start: hcl.Pos{Line: line, Column: 1, Byte: 100 * line},
		End: hcl.Pos{Line: line, Column: 5, Byte: 100*line + 4},
	}
}

func num(n int, why string) ir.Derived {
	return ir.Told(ir.Num{N: n, From: []ir.Origin{{At: at(n % 97), Why: why}}})
}

// sample builds one switch.
type sample struct {
	fabric *ir.Fabric
	sw     *ir.Device
}

func newSample(t testing.TB, model, version string) *sample {
	t.Helper()
	m, ok := platform.FindSwitch(model)
	require.True(t, ok, model)
	f := &ir.Fabric{Name: "sample", MTU: 9216, FlowControl: ir.PFC}
	d := &ir.Device{
		Name: "leaf1", Group: "leaf", DevicePlaces: &ir.DevicePlaces{At: at(1), Decl: at(1)}, Fabric: f,
		Switch: &ir.Switch{
			Model: m, ModelAt: at(2), OS: OS.Name, OSAt: at(3), Can: OS.Can(m.ASIC, version), Version: version, VersionAt: at(4),
			Tier: 1,
		},
	}
	f.Devices = []*ir.Device{d}
	return &sample{f, d}
}

func (s *sample) group(g ir.CosGroup) *ir.CosGroup {
	g.At, g.CosAt, g.LosslessAt = at(10+g.Cos), at(20+g.Cos), at(30+g.Cos)
	if g.PCP == nil {
		g.PCP = claims(g.Cos)
	}
	if g.ECN != nil {
		g.ECN.At = at(40 + g.Cos)
	}
	s.fabric.CosGroups = append(s.fabric.CosGroups, &g)
	return &g
}

func claims(values ...int) []ir.Claim {
	out := make([]ir.Claim, len(values))
	for i, v := range values {
		out[i] = ir.Claim{Value: v, At: at(50 + v)}
	}
	return out
}

func (s *sample) intent(name string, version int, g, cnp *ir.CosGroup) *ir.Intent {
	in := &ir.Intent{
		Name: name, At: at(60 + len(s.fabric.Intents)), Version: version, VersionAt: at(70 + len(s.fabric.Intents)), Group: g,
		CNP: cnp,
	}
	s.fabric.Intents = append(s.fabric.Intents, in)
	return in
}

// cable connects a port of the switch with a host that is a member of the intents.
func (s *sample) cable(name string, metres float64, intents ...*ir.Intent) *ir.Port {
	f := s.fabric
	host := &ir.Device{ID: len(f.Devices), Name: fmt.Sprintf("host%d", len(f.Devices)), Host: &ir.Host{}, Fabric: f}
	nic := &ir.NIC{NICPlaces: &ir.NICPlaces{}, Name: "eth2", Device: host, RoCE: true, Intents: intents}
	host.Host.NICs = []*ir.NIC{nic}
	f.Devices = append(f.Devices, host)
	a := ir.NewPort(s.sw, ir.PortSpec{ID: len(f.Ports), Index: len(s.sw.Ports), Name: name, At: at(80), Speed: 25_000, MTU: 9216})
	b := ir.NewPort(host, ir.PortSpec{ID: len(f.Ports) + 1, Name: "eth2", NIC: nic, Speed: 25_000, MTU: 9000})
	nic.Port = b
	l := ir.NewLink(a, b, ir.Link{ID: len(f.Links), LinkFacts: &ir.LinkFacts{
		At: at(81), Length: ir.Length{Metres: metres, From: ir.Origin{At: at(82), Why: "cable"}},
	}})
	f.Ports = append(f.Ports, a, b)
	f.Links = append(f.Links, l)
	s.sw.Ports = append(s.sw.Ports, a)
	host.Ports = []*ir.Port{b}
	s.sw.Switch.Intents = irtest.Sees(s.sw)
	return a
}

func carry(p *ir.Port, g *ir.CosGroup, size, xoff, delta int) {
	p.SetBuffers(append(p.Buffers(), &ir.Buffer{Group: g, Size: num(size, "size"), Xoff: num(xoff, "xoff"), XonDelta: num(delta, "xon")}))
	p.Device().Switch.Intents = irtest.Sees(p.Device())
}

func marked(p *ir.Port, g *ir.CosGroup, min, max, probability int) {
	p.SetMarks(append(p.Marks(), &ir.Mark{Group: g, Min: num(min, "min"), Max: num(max, "max"), Probability: num(probability, "probability")}))
	p.Device().Switch.Intents = irtest.Sees(p.Device())
}

// canonical is a fabric like that in the manual: four hosts, two uplinks, and lossless cos 4, which PCP identifies. With RoCEv2, DSCP 26
// identifies the cos and DSCP 48 its CNPs, and the cos has ECN.
func canonicalSample(t testing.TB, model, version string, roce int) *sample {
	t.Helper()
	s := newSample(t, model, version)
	rdma := ir.CosGroup{Name: "rdma", Cos: 4, Lossless: true}
	cnp := ir.CosGroup{Name: "cnp", Cos: 6, Strict: true}
	if roce == 2 {
		rdma.DSCP, cnp.DSCP, rdma.ECN = claims(26), claims(48), &ir.ECN{}
	}
	g, c := s.group(rdma), s.group(cnp)
	in := s.intent("storage", roce, g, nil)
	if roce == 2 {
		in.CNP = c
	}
	for _, name := range []string{"swp1", "swp2", "swp3", "swp4", "swp31", "swp32"} {
		p := s.cable(name, 3, in)
		carry(p, g, 70000, 18000, 2000)
		if roce == 2 {
			marked(p, g, 153600, 1536000, 100)
		}
	}
	return s
}

// file renders the switch. It expects no errors, and only the classification file, beside qos_infra.conf where the release has one.
func (s *sample) file(t testing.TB) func(old string) string {
	t.Helper()
	files, ds := Target.Render(s.sw)
	require.False(t, ds.HasErrors(), "%v", text(ds))
	if isSplit(s.sw.Switch.Version) {
		require.Len(t, files, 2)
		require.Equal(t, infraPath, files[0].Path)
	} else {
		require.Len(t, files, 1)
	}
	last := files[len(files)-1]
	return func(old string) string {
		var in []byte
		if old != "" {
			in = []byte(old)
		}
		out, ds := last.Edit(in)
		require.Empty(t, text(ds))
		return string(out)
	}
}

func text(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%s[%s] %d: %s", d.Severity, d.Code, d.At.Start.Line, d.Detail))
	}
	return out
}
