package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// cabledSwitch returns a switch of a model whose ports have one buffer of size bytes per group, with 18,000 bytes below xoff.
func cabledSwitch(t *testing.T, model string, ports, groups, size int) *ir.Device {
	m, ok := platform.FindSwitch(model)
	require.True(t, ok)
	d := &ir.Device{Switch: &ir.Switch{Model: m}}
	num := func(n int) ir.Derived { return ir.Told(ir.Num{N: n, From: []ir.Origin{{Why: "test"}}}) }
	var buffers []*ir.Buffer
	for range groups {
		buffers = append(buffers, &ir.Buffer{Group: &ir.CosGroup{Name: "rdma"}, Size: num(size), Xoff: num(18_000)})
	}
	for range ports {
		p := ir.NewPort(d, ir.PortSpec{MTU: 9216, Buffers: buffers})
		ir.NewLink(p, nil, ir.Link{LinkFacts: &ir.LinkFacts{Block: `link "hosts"`}})
		d.Ports = append(d.Ports, p)
	}
	return d
}

// The bounds, in KB, were computed independently. The DCQCN paper gives 21.76 for its testbed: 12 MB, 32 ports, 8 groups with 22.4 KB of
// headroom each, and beta = 8, which is alpha = 1 for each group.
func TestMarkBound(t *testing.T) {
	for _, c := range []struct {
		name                    string
		chip                    int
		reserved, ports, groups int
		want                    float64
	}{
		{"DCQCN's testbed", 12_000_000, 8 * 32 * 22_400, 32, 8, 21.76},
		{"SN2700, 5 m", 13_945_824, 32 * 50_176, 32, 1, 193},
		{"SN2700, 5 m, fan-in of 8", 13_945_824, 32 * 50_176, 8, 1, 771},
		{"SN2700, 5 m, two groups", 13_945_824, 2 * 32 * 50_176, 32, 2, 112},
		{"SN2700, 5 m, two groups, fan-in of 8", 13_945_824, 2 * 32 * 50_176, 8, 2, 447},
		{"SN3700, 5 m", 34_287_552, 32 * 55_296, 32, 1, 508},
		{"SN3700, 5 m, fan-in of 8", 34_287_552, 32 * 55_296, 8, 1, 2032},
		{"SN4700, 5 m", 60_817_392, 32 * 86_016, 32, 1, 907},
		{"SN4700, 300 m, two groups", 60_817_392, 2 * 32 * 420_864, 32, 2, 353},
		{"SN4700, 300 m, two groups, fan-in of 8", 60_817_392, 2 * 32 * 420_864, 8, 2, 1412},
		{"SN5600, 5 m", 158_229_504, 64 * 304_128, 64, 1, 1084},
		{"SN5600, 300 m, two groups", 158_229_504, 2 * 64 * 1_198_080, 64, 2, 25.4},
		{"SN5600, 300 m, two groups, fan-in of 8", 158_229_504, 2 * 64 * 1_198_080, 8, 2, 203},
	} {
		m := ir.Memory{Chip: c.chip, Lossless: c.reserved, Ports: c.ports, Groups: c.groups, Model: ir.ChipMemory()}
		assert.InDelta(t, c.want, float64(m.MarkBound())/1000, 1, c.name)
	}
	assert.Zero(t, ir.Memory{Chip: 100, Lossless: 200, Ports: 32, Groups: 1, Model: ir.ChipMemory()}.MarkBound(), "reserved beyond the chip")
	assert.Positive(t, ir.Memory{Chip: 100, Model: ir.ChipMemory()}.MarkBound(), "no lossless port")
	m := ir.Memory{Chip: 13_945_824, Lossless: 1_605_632, Ports: 32, Groups: 1, Model: ir.ChipMemory()}
	assert.Equal(t, "1 x 12340192 B / (32 x (1 + 1 x 1))", m.MarkBoundText())
	assert.Equal(t, 6_170_096, m.QueueLimit())
}

// This test has the vendor's pools and shares on an SN2700 with 32 ports of 70,000 B. The bounds were computed independently.
func TestMarkBoundOfModels(t *testing.T) {
	m := ir.Memory{
		Chip: 13_945_824, Lossless: 32 * 70_000, Ports: 32, Groups: 1,
		Model: ir.MemoryModel{Percent: 50, Alpha: ir.Alpha{Num: 2, Den: 1}},
	}
	assert.Equal(t, 121_935, m.MarkBound(), "alpha 2")
	assert.Equal(t, "2 x 5852912 B / (32 x (1 + 2 x 1))", m.MarkBoundText())
	assert.Equal(t, "n 32 lossless ports; L 1 lossless groups", m.MarkBoundTerms())
	assert.InDelta(t, 3_919_941, m.IncastBound(1, 18_000), 1)
	assert.InDelta(t, 5_508_623+8*18_000, m.IncastBound(8, 18_000), 8)
	m.Model.Alpha = ir.Alpha{Num: 1, Den: 1}
	assert.Equal(t, 91_451, m.MarkBound(), "alpha 1")
	m.Model.Alpha = ir.Alpha{Num: 1, Den: 0}
	assert.Equal(t, m.MarkPool()/32, m.MarkBound(), "no limit")
	assert.Equal(t, "5852912 B / (32 x 1)", m.MarkBoundText())
	m.Model.Alpha = ir.Alpha{Num: 0, Den: 1}
	assert.Zero(t, m.MarkBound(), "ports may hold nothing")
	m.Model.Alpha, m.Groups = ir.Alpha{Num: 1, Den: 2}, 2
	assert.Equal(t, 5_852_912/(32*(2+2)), m.MarkBound(), "a buffer for each group")
	m.Joined = true
	assert.Equal(t, 5_852_912/(64*(2+1)), m.MarkBound(), "both in one buffer")
	assert.Equal(t, "1/2 x 5852912 B / (64 x (1 + 1/2 x 1))", m.MarkBoundText())
	assert.Contains(t, m.MarkBoundTerms(), "32 lossless ports with 2 lossless groups in one buffer")
	m.Model.Absolute = true
	assert.Equal(t, 54_000, m.IncastBound(3, 18_000))
	assert.Equal(t, [3]int{9, 1, 2}, [3]int{ir.MarksFrom(153_600, 18_048), ir.MarksFrom(18_047, 18_048), ir.MarksFrom(18_048, 18_048)})
	assert.Equal(t, []string{"2", "1/8", "unlimited", "0"}, []string{
		ir.Alpha{Num: 2, Den: 1}.String(), ir.Alpha{Num: 1, Den: 8}.String(), ir.Alpha{Num: 1, Den: 0}.String(),
		ir.Alpha{Num: 0, Den: 1}.String(),
	})
}

// The sums were computed independently from SONiC's whole buffers.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		model               string
		ports, groups, size int
		lossless            float64 // MB
		fits                bool
	}{
		{"sn2700", 32, 2, 50_176, 3.2, true},
		{"sn4700", 32, 2, 420_864, 26.9, true},
		{"sn5600", 64, 2, 410_624, 52.6, true},
		{"sn5600", 64, 2, 1_198_080, 153.4, true}, // 2.7 MB remain, 2.4 are the least
		{"sn5600", 64, 2, 1_210_000, 154.9, false},
		{"sn2700", 32, 2, 220_000, 14.1, false},
	} {
		d := cabledSwitch(t, c.model, c.ports, c.groups, c.size)
		m := d.Memory()
		assert.InDelta(t, c.lossless, float64(m.Lossless)/1e6, 0.05, c.model)
		assert.Equal(t, c.fits, m.Fits(), c.model)
		assert.Equal(t, [4]int{c.ports, c.groups, c.ports * c.groups, c.size - 18_000}, [4]int{m.Ports, m.Groups, m.Buffers, m.Largest})
		assert.Equal(t, c.ports*c.groups*2*9216, m.Least)
		assert.Equal(t, m.Chip, m.Shared()+m.Lossless+m.Rest)
		assert.Equal(t, c.ports*29_696+262_144, m.Rest)
		assert.Equal(t, m.Headroom, m.Buffers*m.Largest)
	}
	assert.Zero(t, cabledSwitch(t, "z9100", 4, 1, 50_000).Memory().Rest, "nothing is published for Broadcom's chips")
	none := cabledSwitch(t, "sn2700", 4, 0, 0).Memory()
	assert.True(t, none.Fits())
	assert.Zero(t, none.Lossless)
}

func TestMemoryWithASharedPool(t *testing.T) {
	d := cabledSwitch(t, "sn2700", 32, 1, 100_000)
	d.Switch.HeadroomPool = ir.Num{N: 1_000_000, From: []ir.Origin{{At: diag.Range{Filename: "fabric.hcl"}}}}
	m := d.Memory()
	assert.Equal(t, 32*18_000+1_000_000, m.Lossless, "each port keeps its own memory below xoff")
	assert.Equal(t, 32*82_000, m.Headroom)

	r := d.Reserves()
	require.Len(t, r, 1)
	assert.Equal(t, 32*18_000, r[0].Bytes)
	assert.Equal(t, 32, r[0].Buffers)
	assert.Equal(t, m.Lossless, r[0].Bytes+m.Pool)
	d.Switch.HeadroomPool = ir.Num{}
	assert.Equal(t, d.Memory().Lossless, d.Reserves()[0].Bytes)
}

// If the system joins the lossless groups of a port, they are one buffer with the sum of their sizes.
func TestMemoryOfJoinedGroups(t *testing.T) {
	d := cabledSwitch(t, "sn2700", 4, 2, 50_000)
	apart := d.Memory()
	d.Switch.Can.Shared = true
	joined := d.Memory()
	assert.Equal(t, [2]int{8, 4}, [2]int{apart.Buffers, joined.Buffers})
	assert.Equal(t, [2]int{32_000, 64_000}, [2]int{apart.Largest, joined.Largest})
	assert.Equal(t, apart.Least, 2*joined.Least)
	joined.Joined, joined.Buffers, joined.Largest, joined.Least = apart.Joined, apart.Buffers, apart.Largest, apart.Least
	assert.Equal(t, apart, joined, "the reserve does not change")
	assert.Equal(t, []int{64_000}, d.Ports[0].Headrooms())
}

// A memory is tight below the share at which ports pause at the first burst.
func TestMemoryTight(t *testing.T) {
	m := ir.Memory{Chip: 1000, Buffers: 1, Lossless: 700, Least: 10}
	assert.False(t, m.Tight(), "30 %")
	m.Lossless = 701
	assert.True(t, m.Tight())
	assert.True(t, ir.Memory{Chip: 1000, Buffers: 1, Lossless: 100, Least: 950}.Tight(), "less than SharedLeast")
	assert.False(t, ir.Memory{Chip: 1000, Rest: 900}.Tight(), "nothing is lossless")
}
