package compiler

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

func chip(t require.TestingT, name string) *platform.ASIC {
	a, ok := platform.FindASIC(name)
	require.True(t, ok, name)
	return a
}

// unrounded returns the formula's headroom without rounding to cells, as in the published tables.
func unrounded(terms []ir.Term) int {
	sum := 0
	for _, t := range terms {
		if t.Name != "rounding" && t.Name != "published for the chip" {
			sum += t.Bytes
		}
	}
	return sum
}

// chipHeadroom returns the headroom of a switch whose model has no tables.
func chipHeadroom(a *platform.ASIC, w wire) (need, floor int, terms []ir.Term) {
	need, floor, terms, _ = headroom(a, a.Published(), w)
	return need, floor, terms
}

func kib(n int) int { return (n + 1023) / 1024 * 1024 }

// The expected values are the worst case of SONiC's published formula, computed independently for MTU 9100: bytes, rounded up to KiB.
func TestHeadroomWorstCaseTable(t *testing.T) {
	metres := []float64{5, 40, 100, 300}
	for _, c := range []struct {
		asic  string
		speed int
		want  [4]int
	}{
		{"spectrum", 10_000, [4]int{29696, 30720, 32768, 37888}},
		{"spectrum", 25_000, [4]int{31744, 33792, 37888, 50176}},
		{"spectrum", 40_000, [4]int{36864, 40960, 46080, 66560}},
		{"spectrum", 50_000, [4]int{40960, 45056, 53248, 77824}},
		{"spectrum", 100_000, [4]int{72704, 81920, 97280, 147456}},
		{"spectrum2", 10_000, [4]int{44032, 46080, 48128, 55296}},
		{"spectrum2", 25_000, [4]int{47104, 50176, 56320, 74752}},
		{"spectrum2", 40_000, [4]int{54272, 60416, 68608, 99328}},
		{"spectrum2", 50_000, [4]int{60416, 67584, 78848, 116736}},
		{"spectrum3", 100_000, [4]int{108544, 121856, 144384, 220160}},
	} {
		for i, m := range metres {
			_, _, terms := chipHeadroom(chip(t, c.asic), wire{c.speed, m, 9100, allSmall, 4096})
			assert.Equal(t, c.want[i], kib(unrounded(terms)), "%s %s %g m", c.asic, platform.SpeedText(c.speed), m)
		}
	}
	// The same formula for MTU 1500 on Spectrum, at 5 m and 40 m.
	for speed, want := range map[int][2]int{
		10_000: {15360, 15360}, 25_000: {16384, 18432}, 40_000: {21504, 25600}, 50_000: {25600, 29696}, 100_000: {58368, 66560},
	} {
		for i, m := range []float64{5, 40} {
			_, _, terms := chipHeadroom(chip(t, "spectrum"), wire{speed, m, 1500, allSmall, 4096})
			assert.Equal(t, want[i], kib(unrounded(terms)), "%s %g m", platform.SpeedText(speed), m)
		}
	}
}

// Rows of SONiC's static tables (pg_profile_lookup.ini, column xoff): Floor is their formula. Where they differ, the vendor's figure is one
// KiB larger.
func TestHeadroomFloorIsTheStaticTable(t *testing.T) {
	for _, c := range []struct {
		asic   string
		speed  int
		metres float64
		want   int
	}{
		{"spectrum", 10_000, 5, 29696},
		{"spectrum", 25_000, 40, 31744},
		{"spectrum", 40_000, 40, 32768},
		{"spectrum", 50_000, 40, 33792},
		{"spectrum", 100_000, 5, 30720},
		{"spectrum", 100_000, 40, 38912},
		{"spectrum", 100_000, 300, 104448},
		{"spectrum2", 200_000, 5, 35840},
		{"spectrum2", 200_000, 40, 55296},
		{"spectrum2", 200_000, 300, 203776},
		{"spectrum2gearbox", 100_000, 5, 56320},
		{"spectrum2gearbox", 100_000, 40, 66560},
		{"spectrum2gearbox", 100_000, 300, 140288},
		{"spectrum4", 100_000, 5, 113664},
		{"spectrum4", 100_000, 40, 126976},
		{"spectrum4", 100_000, 300, 225280},
	} {
		_, floor, _ := chipHeadroom(chip(t, c.asic), wire{c.speed, c.metres, 9100, allSmall, 4096})
		name := fmt.Sprintf("%s %s %g m: %d", c.asic, platform.SpeedText(c.speed), c.metres, floor)
		assert.LessOrEqual(t, floor, c.want+chip(t, c.asic).Cell, name)
		assert.Greater(t, floor, c.want-2*1024, name)
	}
}

// Need is never below the raw sum of frames, cable, interfaces and per-speed response without waste in cells. It is also never below the
// result of the dynamic model with half of the packets small.
func TestHeadroomIsAboveTheRawSum(t *testing.T) {
	for _, c := range []struct {
		speed, mtu int
		want       [3]int // 5, 40, 300 m
	}{
		{10_000, 1500, [3]int{8331, 8772, 12055}},
		{25_000, 1500, [3]int{9257, 10362, 18568}},
		{40_000, 1500, [3]int{11784, 13551, 26681}},
		{50_000, 1500, [3]int{13703, 15912, 32325}},
		{100_000, 1500, [3]int{29827, 34245, 67070}},
		{200_000, 1500, [3]int{34234, 43071, 108721}},
		{400_000, 1500, [3]int{64424, 82099, 213399}},
		{10_000, 9216, [3]int{23763, 24204, 27487}},
		{25_000, 9216, [3]int{24689, 25794, 34000}},
		{100_000, 9216, [3]int{45259, 49677, 82502}},
		{200_000, 9216, [3]int{49666, 58503, 124153}},
		{400_000, 9216, [3]int{79856, 97531, 228831}},
		{25_000, 9100, [3]int{24576, 25600, 37888}},
		{100_000, 9100, [3]int{55296, 61440, 108544}}, // half small
	} {
		for _, a := range platform.ASICs {
			for i, m := range []float64{5, 40, 300} {
				need, floor, _ := chipHeadroom(a, wire{c.speed, m, c.mtu, allSmall, 4096})
				assert.GreaterOrEqual(t, need, c.want[i], "%s %s %g m MTU %d", a.Name, platform.SpeedText(c.speed), m, c.mtu)
				assert.LessOrEqual(t, floor, need)
			}
		}
	}
}

func TestHeadroomBy100G300m(t *testing.T) {
	need, floor, terms := chipHeadroom(chip(t, "spectrum"), wire{100_000, 300, 9216, allSmall, 4096})
	var got []string
	for _, x := range terms {
		got = append(got, fmt.Sprintf("%d %s (%s)", x.Bytes, x.Name, x.Why))
	}
	assert.Equal(t, []string{
		"9216 frame this port is sending (MTU 9216; a pause frame cannot cut in)",
		"37879 on the cable, there and back (2 x 300 m at 198 m/us and 100 Gb/s)",
		"819 interfaces at both ends (MAC and PHY, 0.8 KiB)",
		"25216 peer's response to the pause (394 quanta of 64 B at 100 Gb/s)",
		"73130 room small packets waste (the sum so far x (2 - 1), for cells of 96 B)",
		"1024 frame the peer had begun (of the lossless group)",
		"76 rounding (up to whole cells of 96 B)",
	}, got)
	assert.Equal(t, 147_360, need)
	assert.Equal(t, 103_584, floor)
}

func TestHeadroomLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(platform.Switches).Draw(t, "model")
		a := s.ASIC
		if rapid.Bool().Draw(t, "no model") {
			a = rapid.SampledFrom(platform.ASICs).Draw(t, "asic")
			s = &platform.Switch{Name: "another", ASIC: a}
		}
		tables, _ := s.Published()
		payload := rapid.SampledFrom([]int{0, 256, 512, 1024, 2048, 4096}).Draw(t, "payload")
		w := wire{
			speed:  rapid.SampledFrom(platform.Speeds).Draw(t, "speed"),
			metres: rapid.Float64Range(0, 2000).Draw(t, "metres"),
			mtu:    rapid.IntRange(1280, 16384).Draw(t, "mtu"),
			small:  rapid.IntRange(1, 100).Draw(t, "small"),
			rdma:   payload,
		}
		need, floor, terms, public := headroom(a, tables, w)
		for _, x := range terms {
			require.GreaterOrEqual(t, x.Bytes, 0, x.Name)
		}
		require.Equal(t, need, total(terms), "the terms are the sum")
		require.Zero(t, need%a.Cell, "whole cells")
		require.LessOrEqual(t, floor, need)
		require.LessOrEqual(t, public.Bytes, need)

		never := func(what string, change func(*wire)) {
			more := w
			change(&more)
			n, f, _, _ := headroom(a, tables, more)
			require.GreaterOrEqual(t, n, need, "never falls with %s", what)
			require.GreaterOrEqual(t, f, floor, "nor does the floor")
		}
		never("length", func(w *wire) { w.metres += rapid.Float64Range(0, 500).Draw(t, "longer") })
		never("MTU", func(w *wire) { w.mtu += rapid.IntRange(0, 2000).Draw(t, "larger") })
		never("small packets", func(w *wire) { w.small = rapid.IntRange(w.small, 100).Draw(t, "smaller packets") })
		never("payload", func(w *wire) {
			if w.rdma > 0 {
				w.rdma = rapid.SampledFrom([]int{0, w.rdma, 2 * w.rdma}).Draw(t, "larger payload")
			}
		})
		never("speed", func(w *wire) {
			w.speed = rapid.SampledFrom(platform.Speeds).Filter(func(s int) bool { return s >= w.speed }).Draw(t, "faster")
		})
	})
}

func TestEqualRowsAreOne(t *testing.T) {
	r := rows[int]{}
	known := map[string]*int{}
	var row []int
	for i := range 5000 {
		row = row[:0]
		for j := range i % 4 {
			row = append(row, i%8/4+j)
		}
		kept := r.share(row)
		if len(row) == 0 {
			require.Nil(t, kept)
			continue
		}
		require.Equal(t, row, kept)
		require.Equal(t, len(kept), cap(kept), "an append must not change the shared row")
		name := fmt.Sprint(row)
		if known[name] == nil {
			known[name] = &kept[0]
		}
		require.Same(t, known[name], &kept[0])
	}
	require.Len(t, known, 6)
}
