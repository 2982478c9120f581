package platform

import (
	"math"
	"slices"
)

// Published headroom.
//
// The SONiC project ships a table of static sizes for each switch it runs on (pg_profile_lookup.ini); the column xoff is
// the room after the pause. Where the tables of two switches with one chip differ, the larger figure stands here. Two
// kinds of table are left out: those with one figure for every speed and length (Dell S6000), and those of chips with
// virtual output queues, which count another thing.

// PublishedMTU is the MTU the published figures are for, SONiC's default.
const PublishedMTU = 9100

// Published is one chip's table.
type Published struct {
	Source string    // the switches whose tables they are
	Metres []float64 // lengths of the columns, ascending
	Rows   []PublishedRow
}

// PublishedRow is the headroom for one speed.
type PublishedRow struct {
	Speed int   // Mb/s
	Bytes []int // one for each length of the table
}

var usualLengths = []float64{5, 40, 300}

var published = map[string]*Published{
	"trident2": {
		"SONiC, td2 RDMA-CENTRIC", usualLengths, []PublishedRow{
			{1_000, []int{40_560, 40_560, 40_560}},
			{10_000, []int{40_560, 40_560, 40_560}},
			{40_000, []int{45_136, 47_216, 62_816}},
			{50_000, []int{45_344, 48_048, 67_600}},
			{100_000, []int{47_216, 52_624, 91_728}},
		},
	},
	"tomahawk": {
		"SONiC, Dell S6100 and Arista 7060CX", usualLengths, []PublishedRow{
			{10_000, []int{35_776, 37_024, 46_176}},
			{25_000, []int{53_248, 56_160, 79_040}},
			{40_000, []int{66_560, 71_552, 108_160}},
			{50_000, []int{90_272, 96_096, 141_856}},
			{100_000, []int{165_568, 177_632, 268_736}},
		},
	},
	"tomahawk2": {
		"SONiC, Arista 7260CX3", usualLengths, []PublishedRow{
			{40_000, []int{29_536, 31_616, 48_256}},
			{50_000, []int{56_160, 96_096, 141_856}},
			{100_000, []int{96_928, 177_632, 268_736}},
		},
	},
	"tomahawk4": {"SONiC, Dell Z9664F", usualLengths, []PublishedRow{{400_000, []int{371_348, 424_434, 817_372}}}},
	"tomahawk5": {"SONiC, Dell Z9864F", usualLengths, []PublishedRow{{800_000, []int{729_488, 835_406, 1_621_536}}}},
	"spectrum": {
		"SONiC, SN2700", usualLengths, []PublishedRow{
			{10_000, []int{29_696, 29_696, 36_864}},
			{25_000, []int{29_696, 31_744, 48_128}},
			{40_000, []int{29_696, 32_768, 59_392}},
			{50_000, []int{29_696, 33_792, 66_560}},
			{100_000, []int{30_720, 38_912, 104_448}},
		},
	},
	"spectrum2": {"SONiC, SN3700", usualLengths, spectrum23},
	"spectrum2gearbox": {
		"SONiC, SN3800", usualLengths, []PublishedRow{
			{10_000, []int{34_816, 35_840, 44_032}},
			{25_000, []int{38_912, 40_960, 59_392}},
			{40_000, []int{41_984, 46_080, 75_776}},
			{50_000, []int{45_056, 50_176, 87_040}},
			{100_000, []int{56_320, 66_560, 140_288}},
		},
	},
	"spectrum3": {
		"SONiC, SN4700", usualLengths,
		append(slices.Clip(spectrum23), PublishedRow{400_000, []int{38_912, 77_824, 373_760}}),
	},
	"spectrum4": {
		"SONiC, SN5600", usualLengths, []PublishedRow{
			{10_000, []int{45_056, 46_080, 56_320}},
			{25_000, []int{48_128, 52_224, 76_800}},
			{40_000, []int{57_344, 62_464, 101_376}},
			{50_000, []int{63_488, 69_632, 118_784}},
			{100_000, []int{113_664, 126_976, 225_280}},
			{200_000, []int{131_072, 157_696, 355_328}},
			{400_000, []int{231_424, 283_648, 677_888}},
			{800_000, []int{257_024, 362_496, 1_150_976}},
		},
	},
	// The table counts no small packets.
	"spectrum5": {
		"SONiC, SN5640", []float64{5, 40, 300, 1000}, []PublishedRow{
			{10_000, []int{20_480, 20_480, 23_552, 33_792}},
			{25_000, []int{21_504, 22_528, 30_720, 54_272}},
			{50_000, []int{26_624, 28_672, 46_080, 93_184}},
			{100_000, []int{44_032, 49_152, 83_968, 177_152}},
			{200_000, []int{50_176, 60_416, 130_048, 317_440}},
			{400_000, []int{86_016, 104_448, 243_712, 619_520}},
		},
	},
}

// spectrum23 is common to the tables of the SN3700 and the SN4700.
var spectrum23 = []PublishedRow{
	{10_000, []int{32_768, 33_792, 40_960}},
	{25_000, []int{32_768, 35_840, 54_272}},
	{40_000, []int{33_792, 37_888, 66_560}},
	{50_000, []int{33_792, 38_912, 75_776}},
	{100_000, []int{33_792, 44_032, 117_760}},
	{200_000, []int{35_840, 55_296, 203_776}},
}

// Published returns the chip's table, or nil.
func (a *ASIC) Published() *Published { return published[a.Name] }

// Headroom returns what the table says for a speed and a length, and by how many metres the cable is longer than the
// table reaches. Between two lengths it is the straight line, below the shortest the first figure. A speed without a row
// takes the largest of the slower rows; without those it is 0.
func (p *Published) Headroom(speed int, metres float64) (bytes int, beyond float64) {
	last := len(p.Metres) - 1
	for _, r := range p.Rows {
		if r.Speed > speed {
			continue
		}
		i, _ := slices.BinarySearch(p.Metres, metres)
		switch {
		case i == 0:
			bytes = max(bytes, r.Bytes[0])
		case i > last:
			bytes = max(bytes, r.Bytes[last])
		default:
			from, to := p.Metres[i-1], p.Metres[i]
			rise := float64(r.Bytes[i]-r.Bytes[i-1]) * (metres - from) / (to - from)
			bytes = max(bytes, r.Bytes[i-1]+int(math.Ceil(rise)))
		}
	}
	return bytes, max(metres-p.Metres[last], 0)
}

// Reserves returns what the chip keeps back for everything that is not lossless: per cabled port, and once. Source for
// Spectrum: SONiC's buffer_pool_mellanox.lua, 19 KiB of pipeline latency for the lossy priority group and 10 KiB for
// mirroring per port, 256 KiB for management. Nothing is published for Broadcom's.
func (a *ASIC) Reserves() (port, chip int) {
	if a.Vendor == Mellanox {
		return (19 + 10) << 10, 256 << 10
	}
	return 0, 0
}
