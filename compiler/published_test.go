package compiler

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/platform"
)

// Published figures, each against what it can be held to.

// slip is the SONiC script's own: it counts the bytes on the cable with 1e9/1024 where 1e6 is right, and so 2.3 % low.
func slip(n int) int { return int(float64(n) * 1e3 / 1024) }

// The sums without any waste in cells, 5, 40 and 300 m, worked out by somebody else for frames of MTU + 18: with the
// response per speed, and with the old one of 60 quanta.
func TestRawSums(t *testing.T) {
	none := &platform.ASIC{Cell: 1}
	const old = 60 * platform.QuantumBytes
	for _, c := range []struct {
		mtu, speed int
		now, then  [3]int
	}{
		{1500, 10_000, [3]int{8331, 8772, 12055}, [3]int{7883, 8324, 11607}},
		{1500, 25_000, [3]int{9257, 10362, 18568}, [3]int{7977, 9082, 17288}},
		{1500, 40_000, [3]int{11784, 13551, 26681}, [3]int{8072, 9839, 22969}},
		{1500, 50_000, [3]int{13703, 15912, 32325}, [3]int{8135, 10344, 26757}},
		{1500, 100_000, [3]int{29827, 34245, 67070}, [3]int{8451, 12869, 45694}},
		{1500, 200_000, [3]int{34234, 43071, 108721}, [3]int{9082, 17919, 83569}},
		{1500, 400_000, [3]int{64424, 82099, 213399}, [3]int{10344, 28019, 159319}},
		{9216, 10_000, [3]int{23763, 24204, 27487}, [3]int{23315, 23756, 27039}},
		{9216, 25_000, [3]int{24689, 25794, 34000}, [3]int{23409, 24514, 32720}},
		{9216, 40_000, [3]int{27216, 28983, 42113}, [3]int{23504, 25271, 38401}},
		{9216, 50_000, [3]int{29135, 31344, 47757}, [3]int{23567, 25776, 42189}},
		{9216, 100_000, [3]int{45259, 49677, 82502}, [3]int{23883, 28301, 61126}},
		{9216, 200_000, [3]int{49666, 58503, 124153}, [3]int{24514, 33351, 99001}},
		{9216, 400_000, [3]int{79856, 97531, 228831}, [3]int{25776, 43451, 174751}},
	} {
		for i, m := range []float64{5, 40, 300} {
			raw := total(arriving(none, wire{c.speed, m, c.mtu, 0}))
			response := platform.PauseQuanta(c.speed) * platform.QuantumBytes
			// Theirs has two frames of the MTU with all their headers, and a pause frame of 84 B.
			frames := c.mtu + 2*(18+20) + 84
			assert.InDelta(t, c.now[i], raw+frames, 20, "MTU %d, %s, %g m", c.mtu, platform.SpeedText(c.speed), m)
			assert.InDelta(t, c.then[i], raw-response+old+frames, 20, "MTU %d, %s, %g m, old response", c.mtu, platform.SpeedText(c.speed), m)
		}
	}
}

// What SONiC's headroom script prints for MTU 9100 with half of the packets small, in bytes: with its slip our sum is that,
// without it at most 2.3 % of the cable more. Need counts the waste rounded up, and is never less.
func TestHeadroomScriptHalfSmall(t *testing.T) {
	for _, c := range []struct {
		asic  string
		speed int
		want  [3]int // 5, 40, 300 m
	}{
		{"spectrum", 25_000, [3]int{24576, 25600, 37888}},
		{"spectrum", 100_000, [3]int{55296, 61440, 108544}},
		{"spectrum2", 25_000, [3]int{26624, 27648, 40960}},
		{"spectrum2", 100_000, [3]int{59392, 66560, 118784}},
		{"spectrum2", 200_000, [3]int{66560, 80896, 185344}},
		{"spectrum3", 25_000, [3]int{26624, 27648, 40960}},
		{"spectrum3", 400_000, [3]int{115712, 143360, 352256}},
		{"spectrum4", 25_000, [3]int{31744, 33792, 50176}}, // without its 15 B per Gb/s
		{"spectrum4", 100_000, [3]int{72704, 81920, 145408}},
		{"spectrum4", 200_000, [3]int{81920, 99328, 227328}},
		{"spectrum4", 400_000, [3]int{142336, 177152, 433152}},
	} {
		for i, m := range []float64{5, 40, 300} {
			a := *chip(t, c.asic)
			a.Extra = 0
			w := wire{c.speed, m, 9100, 50}
			_, likely := a.CellWaste()
			raw, cable := total(arriving(&a, w)), onCable(c.speed, m)
			name := fmt.Sprintf("%s %s %g m", c.asic, platform.SpeedText(c.speed), m)

			theirs := kib(swollen(raw-cable+slip(cable), likely, 50) + lastFrame)
			assert.Equal(t, c.want[i], theirs, name)
			ours := kib(swollen(raw, likely, 50) + lastFrame)
			assert.GreaterOrEqual(t, ours, c.want[i], name)
			assert.LessOrEqual(t, ours, c.want[i]+kib(swollen(cable-slip(cable), likely, 50)), name)
			need, _, _ := headroom(&a, w)
			assert.GreaterOrEqual(t, need, swollen(raw, likely, 50)+lastFrame, name)
		}
	}
}

// Every row of the Spectrum tables up to Spectrum-4 is our sum with all packets small, the waste not rounded up and the
// response its maker counted, in KiB; some rows have one KiB more.
func TestStaticTablesAreTheFormula(t *testing.T) {
	rows, exact := 0, 0
	for _, name := range []string{"spectrum", "spectrum2", "spectrum2gearbox", "spectrum3", "spectrum4"} {
		a := chip(t, name)
		table := a.Published()
		for _, r := range table.Rows {
			for i, m := range table.Metres {
				w := wire{r.Speed, m, platform.PublishedMTU, allSmall}
				response := platform.PauseQuanta(r.Speed) * platform.QuantumBytes
				counted := response
				if a.Response > 0 {
					counted = min(response, a.Response)
				}
				_, likely := a.CellWaste()
				sum := kib(swollen(total(arriving(a, w))-response+counted, likely, allSmall) + lastFrame)
				assert.Contains(t, []int{sum, sum + 1024}, r.Bytes[i], "%s %s %g m", name, platform.SpeedText(r.Speed), m)
				if rows++; r.Bytes[i] == sum {
					exact++
				}
			}
		}
	}
	assert.Equal(t, [2]int{93, 64}, [2]int{rows, exact})
}

// The table of Spectrum-5 counts no small packets, and up to a third more than our sum then: it is of its size, not the same.
func TestSpectrum5TableCountsNoSmallPackets(t *testing.T) {
	a := chip(t, "spectrum5")
	table := a.Published()
	for _, r := range table.Rows {
		for i, m := range table.Metres {
			sum := total(arriving(a, wire{r.Speed, m, platform.PublishedMTU, allSmall})) + lastFrame
			assert.Greater(t, r.Bytes[i], sum, "%s %g m", platform.SpeedText(r.Speed), m)
			assert.Less(t, r.Bytes[i], sum*4/3, "%s %g m", platform.SpeedText(r.Speed), m)
		}
	}
}

// What is published is never undercut, and a row that is larger than the sum is a term of its own.
func TestNeedHoldsWhatIsPublished(t *testing.T) {
	binding := map[string]int{}
	for _, a := range platform.ASICs {
		table := a.Published()
		if table == nil {
			continue
		}
		for _, r := range table.Rows {
			for i, m := range table.Metres {
				need, _, terms := headroom(a, wire{r.Speed, m, platform.PublishedMTU, allSmall})
				assert.GreaterOrEqual(t, need, r.Bytes[i], "%s %s %g m", a.Name, platform.SpeedText(r.Speed), m)
				if last := terms[len(terms)-1]; last.Name == "published for the chip" {
					binding[a.Name]++
					assert.Equal(t, cells(a, r.Bytes[i]), need)
					assert.Contains(t, last.Why, table.Source)
				}
			}
		}
	}
	// On Spectrum and Spectrum-4 by the rounding to KiB; on Broadcom's chips by what their makers know.
	assert.Equal(t, map[string]int{"spectrum": 1, "spectrum4": 24, "tomahawk": 13, "tomahawk2": 6, "tomahawk4": 3, "tomahawk5": 3, "trident2": 6}, binding)
}

func TestPublishedHeadroom(t *testing.T) {
	th := chip(t, "tomahawk")
	worst, _ := th.CellWaste()
	for _, c := range []struct {
		name string
		w    wire
		want int
	}{
		{"a row", wire{100_000, 40, 9100, 100}, 177_632},
		{"shorter than the table", wire{100_000, 1, 9100, 100}, 165_568},
		{"between two lengths", wire{100_000, 22.5, 9100, 100}, 171_600},
		{"a larger MTU takes more", wire{100_000, 40, 9216, 100}, cells(th, 177_632+scaled(116, worst))},
		{"a smaller one less", wire{100_000, 40, 1500, 100}, cells(th, 177_632-scaled(7600, worst))},
		{"longer than the table", wire{100_000, 400, 9100, 100}, cells(th, 268_736+scaled(12_627, worst))},
		{"slower than the table", wire{1_000, 40, 9100, 100}, 0},
		{"a speed without a row takes a slower one's", wire{200_000, 40, 9100, 100}, 177_632},
	} {
		got, source := publishedHeadroom(th, c.w, worst)
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, "SONiC, Dell S6100 and Arista 7060CX", source)
	}
	none, _ := publishedHeadroom(chip(t, "trident3"), wire{100_000, 40, 9100, 100}, worst)
	assert.Zero(t, none, "nothing is published")
}

// The tables rise with length and name chips there are.
func TestPublishedTables(t *testing.T) {
	found := 0
	for _, a := range platform.ASICs {
		table := a.Published()
		if table == nil {
			continue
		}
		found++
		assert.NotEmpty(t, table.Source)
		assert.IsIncreasing(t, table.Metres)
		last := 0
		for _, r := range table.Rows {
			assert.Greater(t, r.Speed, last)
			last = r.Speed
			assert.Len(t, r.Bytes, len(table.Metres))
			assert.IsNonDecreasing(t, r.Bytes)
		}
	}
	assert.Equal(t, 11, found)
}
