package compiler

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
)

func TestHeadroomFollowsTheLinksMTU(t *testing.T) {
	a := &author{line: 8500}
	s := pair("sn2700", "100G", 300)
	s.Links[0].Block.MTU = val(a, 4200)
	p := port(compiled(t, s), "s0:swp1")
	b := p.Buffers()[0]
	assert.Equal(t, 4200, b.Terms[0].Bytes)
	assert.Equal(t, 137_280, b.Need, "(4200 + 37,879 + 819 + 25,216) x 2 + 1024 in cells")
	assert.Equal(t, "mtu = 4200", b.Size.On(p.Link()).From[2].Why)
	assert.Equal(t, s.Links[0].Block.MTU.At, b.Size.On(p.Link()).From[2].At)

	s = pair("sn2700", "10G", 5)
	s.Links[0].Block.MTU = val(a, 4200)
	p = port(compiled(t, s), "s0:swp1")
	m := p.Marks()[0]
	assert.Equal(t, 18_432, m.Min.N, "more than three frames of 4200 B, so the speed decides")
	s.Links[0].Block.MTU = val(a, 7000)
	p = port(compiled(t, s), "s0:swp1")
	m = p.Marks()[0]
	assert.Equal(t, 24_576, m.Min.N, "three frames in steps of 6,144 B")
	assert.Equal(t, "at least 3 frames of 7000 B", m.Min.On(p.Link()).From[2].Why)
	assert.Equal(t, s.Links[0].Block.MTU.At, m.Min.On(p.Link()).From[2].At)
}

func TestSmallPackets(t *testing.T) {
	a := &author{line: 8500}
	s := pair("sn2700", "100G", 300)
	s.CosGroups[0].PFC = &lang.PFC{Decl: a.at(), SmallPackets: val(a, 50)}
	b := port(compiled(t, s), "s0:swp1").Buffers()[0]
	assert.Equal(t, 110_784, b.Need, "(9216 + 37,879 + 819 + 25,216) x 1.5 + 1024 in cells")
	assert.Equal(t, "50 % of the sum so far x (2 - 1), for cells of 96 B", b.Terms[4].Why)
	assert.Equal(t, 36_565, b.Terms[4].Bytes)
	assert.Equal(t, "pfc.small_packets = 50", b.Size.From[3].Origin.Why)
	assert.LessOrEqual(t, b.Floor, b.Need)
}

// A published row is a separate term.
func TestPublishedRowBinds(t *testing.T) {
	b := port(compiled(t, pair("z9100", "100G", 5)), "s0:swp1").Buffers()[0]
	assert.Equal(t, 165_984, b.Need)
	last := b.Terms[len(b.Terms)-1]
	assert.Equal(t, "published for the chip", last.Name)
	assert.Equal(t, "72176 B more than the sum: 165984 B, Force10-Z9100, 100G at 5 m: 165568 B, MTU 9100, for MTU 9216 "+
		"(SONiC device/dell/x86_64-dell_z9100_c2538-r0/Force10-Z9100/pg_profile_lookup.ini)", last.Why)
	assert.Equal(t, 165_984+18_096, b.Size.N)

	s := pair("z9100", "100G", 5)
	s.Links[0].Block.MTU = val(&author{line: 8500}, 4200)
	b = port(compiled(t, s), "s0:swp1").Buffers()[0]
	last = b.Terms[len(b.Terms)-1]
	assert.Equal(t, 153_504, b.Need, "4900 B less, in small packets")
	assert.Contains(t, last.Why, "153504 B, Force10-Z9100, 100G at 5 m: 165568 B, MTU 9100, for MTU 4200 (SONiC")
}

// Spectrum has thresholds in steps of 64 cells, and rounds up.
func TestMarksInTheStepsOfTheChip(t *testing.T) {
	a := &author{line: 8500}
	for model, c := range map[string]struct{ step, fast, slow int }{
		"sn2700": {6144, 153_600, 30_720},
		"sn3700": {9216, 156_672, 27_648}, "sn3800": {9216, 156_672, 27_648}, "sn4700": {9216, 156_672, 27_648},
		"sn5600": {12_288, 159_744, 36_864}, "sn5640": {12_288, 159_744, 36_864}, "sn6600": {16_384, 163_840, 32_768},
	} {
		m := port(compiled(t, pair(model, "100G", 5)), "s0:swp1").Marks()[0]
		assert.Equal(t, c.fast, m.Min.N, "150 KiB, as the chip of %s rounds", model)
		assert.Equal(t, 10*c.fast, m.Max.N, model)
		assert.Contains(t, m.Min.From[len(m.Min.From)-1].Origin.Why, fmt.Sprintf("steps of %d B", c.step))
		assert.Equal(t, c.slow, port(compiled(t, pair(model, "10G", 5)), "s0:swp1").Marks()[0].Min.N, "three frames of 9216 B at %s", model)

		// Below a bound of 100,000 B, min is the next lower step.
		s := pair(model, "100G", 5)
		memory := device(compiled(t, s), "s0").Memory()
		left := 2 * 2 * 100_000 * 100 / memory.Model.Percent // n is 2, and alpha 1
		s.CosGroups[0].PFC = &lang.PFC{Decl: a.at(), Buffer: val(a, (memory.Chip-left)/2)}
		f := compiled(t, s)
		bound := device(f, "s0").Memory().MarkBound()
		assert.InDelta(t, 100_000, bound, 1, model)
		assert.Equal(t, (bound-1)/c.step*c.step, port(f, "s0:swp1").Marks()[0].Min.N, model)
	}
}

// A min that rocec derives is a whole number of the chip's steps. Marks at min come before pauses if any whole number of steps with room
// for two frames does so.
func TestDerivedMinHoldsAfterRounding(t *testing.T) {
	met := map[string]int{}
	law := func(t *rapid.T) {
		asic := rapid.SampledFrom(platform.ASICs).Draw(t, "chip")
		step := max(asic.MarkStep, asic.Cell)
		k := markKey{
			asic: asic, mbps: rapid.SampledFrom(platform.Speeds).Draw(t, "speed"), mtu: rapid.IntRange(1000, 9216).Draw(t, "mtu"), bound: -1,
		}
		bound := rapid.IntRange(0, 400_000).Draw(t, "bound")
		if rapid.Bool().Draw(t, "near the frames") {
			bound = rapid.IntRange(0, 5*k.mtu).Draw(t, "bound in frames")
		}
		if freeMin(k) >= bound { // as mark decides
			k.bound = bound
		}
		n := deriveMin(k, ir.Origin{}).N
		if n <= 0 || n%step != 0 || asic.Threshold(n) != n {
			t.Fatalf("%s at %d Mb/s: min is %d, in steps of %d", asic.Name, k.mbps, n, step)
		}
		least := (2*k.mtu + step - 1) / step * step // the first whole number of steps with room for two frames
		kind := "no bound"
		switch {
		case k.bound < 0:
		case least < bound:
			kind = "a bound that can be kept"
		default:
			kind = "a bound that cannot"
		}
		met[kind]++
		if least < bound && n >= bound {
			t.Fatalf("%s at %d Mb/s, MTU %d: min %d is not below %d", asic.Name, k.mbps, k.mtu, n, bound)
		}
		if n < least {
			t.Fatalf("%s at %d Mb/s, MTU %d: min %d is less than two frames", asic.Name, k.mbps, k.mtu, n)
		}
	}
	for round := 0; round < 20 && len(met) < 3; round++ { // -short draws only a few
		rapid.Check(t, law)
	}
	for _, kind := range []string{"no bound", "a bound that can be kept", "a bound that cannot"} {
		assert.NotZero(t, met[kind], kind)
	}
}

// NICs with equal inputs share a buffer; another length, speed or MTU gives another buffer.
func TestNICBuffersAreShared(t *testing.T) {
	f := compiled(t, clos(2, 2, 3))
	first := port(f, "gpu1:ens1f0").Buffers()[0]
	assert.Same(t, first, port(f, "gpu6:ens1f0").Buffers()[0])
	assert.Equal(t, first.Need, total(first.Terms))
	assert.False(t, first.Size.Set(), "its driver sizes it")

	a := &author{line: 8500}
	s := pair("sn2700", "100G", 100)
	for _, h := range s.Hosts {
		h.NICs = []*lang.NIC{{Name: h.NICs[0].Name, Decl: a.at(), Model: val(a, "connectx-5"), MTU: val(a, 9000)}}
	}
	f = compiled(t, s)
	assert.Equal(t, 85_524, f.Links[0].A().Buffers()[0].Need+f.Links[0].B().Buffers()[0].Need-port(f, "s0:swp1").Buffers()[0].Need)
	for _, h := range s.Hosts {
		h.NICs[0].Model = val(a, "e810")
	}
	s.CosGroups[0].DSCP = []lang.Value[int]{val(a, 26)}
	f = compiled(t, s)
	for _, p := range f.Ports {
		if p.NIC != nil {
			require.Len(t, p.Buffers(), 1)
			assert.Zero(t, p.Buffers()[0].Need, "its driver publishes no formula")
			assert.Empty(t, p.Buffers()[0].Terms)
		}
	}
}
