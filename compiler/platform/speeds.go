package platform

import (
	"fmt"
	"slices"
)

// Speeds lists the Ethernet speeds a link may have, ascending, in Mb/s.
var Speeds = []int{100, 1_000, 10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000}

// SpeedText spells a speed as HCL does: "25G", "100M".
func SpeedText(mbps int) string {
	if mbps%1000 == 0 {
		return fmt.Sprintf("%dG", mbps/1000)
	}
	return fmt.Sprintf("%dM", mbps)
}

// pauseQuanta is how long a peer may go on sending after a pause frame has arrived, in pause quanta. Source: IEEE 802.3
// Annex 31B (per-speed values of later editions) as the SONiC headroom script uses them; 800G repeats 400G, as there.
var pauseQuanta = map[int]int{
	100: 1, 1_000: 2, 10_000: 67, 25_000: 80, 40_000: 118, 50_000: 147,
	100_000: 394, 200_000: 453, 400_000: 905, 800_000: 905,
}

// QuantumBytes is one pause quantum: 512 bit times.
const QuantumBytes = 64

// PauseQuanta returns how many quanta a peer may go on sending at a speed. A speed between two standard ones takes the
// value of the faster.
func PauseQuanta(mbps int) int {
	i, _ := slices.BinarySearch(Speeds, mbps)
	return pauseQuanta[Speeds[min(i, len(Speeds)-1)]]
}

// CellWaste tells by how much packets of the worst size swell when they are stored in cells, as a fraction.
//
// Broadcom's published headrooms follow the exact maximum over packet sizes s of cells(s) / (s + 20), with preamble and
// gap credited. For Spectrum the SONiC headroom script uses cell/64 above 128 B and 2 cell/(cell+1) below; worst is
// that factor rounded up to a whole number, likely is the factor itself.
func (a *ASIC) CellWaste() (worst, likely Ratio) {
	c := a.Cell
	if a.Vendor == Broadcom {
		r := Ratio{c * ((64 + c - 1) / c), 84} // the smallest frame
		if two := (Ratio{2 * c, c + 1 + 20}); c >= 64 && two.Num*r.Den > r.Num*two.Den {
			r = two // one byte more than a cell
		}
		return r, r
	}
	likely = Ratio{c, 64}
	if c <= 128 {
		likely = Ratio{2 * c, c + 1}
	}
	return Ratio{(likely.Num + likely.Den - 1) / likely.Den, 1}, likely
}

// Ratio is an exact fraction.
type Ratio struct{ Num, Den int }

// String writes the fraction with three decimals at most: "2", "1.979".
func (r Ratio) String() string {
	if r.Num%r.Den == 0 {
		return fmt.Sprint(r.Num / r.Den)
	}
	return fmt.Sprintf("%.3f", float64(r.Num)/float64(r.Den))
}
