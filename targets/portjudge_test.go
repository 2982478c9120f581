package targets_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// judgedPort judges a port of the first leaf after an edit.
func judgedPort(p *ir.Port, g *ir.CosGroup, in bool, edit func(*ir.PortSettings, *ir.PortDetail)) (codes []string, is *ir.PortSettings) {
	set := *p.Device().Wanted().Port(p.Name)
	detail := set.Detail.Get()
	edit(&set, &detail)
	set.Detail = ir.NewDetail(detail)
	u := &target.Understood{
		Settings: &ir.Settings{Ports: map[string]*ir.PortSettings{p.Name: &set}},
		Where:    func(string, ir.Field, int) (diag.Range, bool) { return diag.Range{}, false },
	}
	packet := ir.Packet{Tagged: true, PCP: 4}
	if g.Name == "rdma" {
		packet = ir.Packet{IP: true, DSCP: 26}
	}
	passing := targets.Passing{Packet: packet, Group: g, In: in, Sender: p.NIC != nil && !in}
	for _, d := range new(targets.PortJudge).Judge(p, u, at(1), passing) {
		codes = append(codes, d.Severity.String()+" "+d.Code)
	}
	return codes, &set
}

// A port is judged for the packets of a class in one direction: values that only affect other classes or the other direction do not count.
func TestJudgePort(t *testing.T) {
	f := clos{leaves: 2, spines: 2, hosts: 2, model: "sn2700", version: "4.3.0", v1: true, v2: true}.compile(t)
	d := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil && d.Switch.Tier == 1 })]
	p := d.Ports[0]
	storage, rdma := f.CosGroups[0], f.CosGroups[1]
	const lossless, headroom = "error conf-fabric-lossless", "error conf-headroom"
	keeps := func(cos, n int) func(*ir.PortSettings, *ir.PortDetail) {
		return func(_ *ir.PortSettings, d *ir.PortDetail) { d.Groups[d.Group[cos]].Headroom = ir.Of(n) }
	}
	for name, c := range map[string]struct {
		edit    func(*ir.PortSettings, *ir.PortDetail)
		in, out []string // of rdma
		other   []string // of storage, incoming
	}{
		"as wanted":           {edit: func(*ir.PortSettings, *ir.PortDetail) {}},
		"sends no pauses":     {edit: func(p *ir.PortSettings, _ *ir.PortDetail) { p.Sends &^= 1 << 5 }, in: []string{lossless}},
		"obeys no pauses":     {edit: func(p *ir.PortSettings, _ *ir.PortDetail) { p.Obeys &^= 1 << 5 }, out: []string{lossless}},
		"in another class":    {edit: func(p *ir.PortSettings, _ *ir.PortDetail) { p.DSCP[26] = 1 }, in: []string{lossless}},
		"another mark":        {edit: func(p *ir.PortSettings, _ *ir.PortDetail) { p.PCP[5] = 1 }},
		"too little headroom": {edit: keeps(5, 1000), in: []string{headroom}, other: []string{headroom}}, // one buffer
		"WRED drops": {edit: func(_ *ir.PortSettings, d *ir.PortDetail) {
			q := &d.Queues[d.Queue[5]]
			q.Drop, q.ECN, q.DropMin = ir.Of(true), ir.Of(false), ir.Of(1000)
		}, out: []string{"error conf-red-lossless"}},
		"pauses are not known": {edit: func(p *ir.PortSettings, d *ir.PortDetail) { *p, *d = ir.UnknownPort(), ir.UnknownDetail() }},
	} {
		t.Run(name, func(t *testing.T) {
			errors := func(g *ir.CosGroup, in bool) (out []string) {
				codes, _ := judgedPort(p, g, in, c.edit)
				for _, code := range codes {
					if code[0] == 'e' {
						out = append(out, code)
					}
				}
				return out
			}
			assert.Equal(t, c.in, errors(rdma, true), "in")
			assert.Equal(t, c.out, errors(rdma, false), "out")
			assert.Equal(t, c.other, errors(storage, true), "another class, in")
			assert.Empty(t, errors(storage, false), "another class, out")
		})
	}
}

// A drop at a port is found in one of the two directions of a class, and no other value is an error there.
func TestJudgePortDrops(t *testing.T) {
	f := clos{leaves: 2, spines: 2, hosts: 2, model: "sn2700", version: "4.3.0", v1: true, v2: true}.compile(t)
	met := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := f.Devices[rapid.IntRange(0, len(f.Devices)-1).Draw(t, "device")]
		p := d.Ports[rapid.IntRange(0, len(d.Ports)-1).Draw(t, "port")]
		drawn := *d.Wanted().Port(p.Name)
		drawn.Sends &= rapid.SampledFrom([]uint8{0xff, 0xff, 1 << 4, 1 << 5, 0}).Draw(t, "sends")
		drawn.Obeys &= rapid.SampledFrom([]uint8{0xff, 0xff, 1 << 4, 1 << 5, 0}).Draw(t, "obeys")
		drawn.DSCP[26] = rapid.SampledFrom([]int8{5, 5, 1}).Draw(t, "DSCP 26")
		drawn.PCP[4] = rapid.SampledFrom([]int8{4, 4, 2}).Draw(t, "PCP 4")
		drawn.Trust.DSCP = drawn.Trust.DSCP && rapid.Bool().Draw(t, "trust")
		var set *ir.PortSettings
		found := 0
		for _, g := range f.CosGroups {
			for _, in := range []bool{true, false} {
				var codes []string
				codes, set = judgedPort(p, g, in, func(p *ir.PortSettings, _ *ir.PortDetail) { *p = drawn })
				for _, c := range codes {
					if c == diag.Error.String()+" conf-fabric-lossless" {
						found++
					}
				}
			}
		}
		u := &target.Understood{
			Settings: &ir.Settings{Ports: map[string]*ir.PortSettings{p.Name: set}},
			Where:    func(string, ir.Field, int) (diag.Range, bool) { return diag.Range{}, false },
		}
		drops := new(targets.PortJudge).Drops(p, u)
		met[drops]++
		assert.Equal(t, drops, found > 0)
	})
	require.NotZero(t, met[true])
	require.NotZero(t, met[false])
}
