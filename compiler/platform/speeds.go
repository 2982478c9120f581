package platform

import (
	"fmt"
	"slices"
)

// Speeds lists the Ethernet speeds a link may have, ascending, in Mb/s.
var Speeds = []int{100, 1_000, 10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000}

// Unsized is a speed of Ethernet for which no pause response is published: no link runs at it here, as no buffer could be sized
// for it. Ports that are so fast run at less, whole or split.
const Unsized = 1_600_000

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

// CellWaste returns by how much packets of the worst size swell when they are stored in cells, as a fraction.
//
// Broadcom's published headrooms follow the exact maximum ([ASIC.Swell]). For Spectrum the SONiC headroom script uses cell/64 above 128 B
// and 2 cell/(cell+1) below. worst is that factor rounded up to a whole number, likely is the factor itself.
func (a *ASIC) CellWaste() (worst, likely Ratio) {
	c := a.Cell
	if a.Vendor == Broadcom {
		worst, _ = a.Swell()
		return worst, worst
	}
	likely = Ratio{c, 64}
	if c <= 128 {
		likely = Ratio{2 * c, c + 1}
	}
	return Ratio{(likely.Num + likely.Den - 1) / likely.Den, 1}, likely
}

const (
	// Gap is what lies between frames on the wire, preamble and interframe gap, in bytes.
	Gap = 20

	// MinFrame is the smallest frame, frame check included, in bytes; that of a pause, too.
	MinFrame = 64

	// fullFrame is the smallest frame that carries a payload of 1 KiB: RoCEv2 over IPv4, untagged.
	fullFrame = 14 + 20 + 8 + 12 + 1024 + 4 + 4
)

// Swell returns by how much bytes on the wire swell at most when frames are stored in whole cells, preamble and gap credited. It is the
// maximum of cells(s) / (s + 20) over frames of any size, and over those that carry a payload of 1 KiB or more.
func (a *ASIC) Swell() (worst, full Ratio) { return a.swell(MinFrame), a.swell(fullFrame) }

// swell is the maximum over frames of so many bytes and more: it is at the smallest, or at the next that begins another cell.
func (a *ASIC) swell(smallest int) Ratio {
	at := func(s int) Ratio { return Ratio{(s + a.Cell - 1) / a.Cell * a.Cell, s + Gap} }
	r, next := at(smallest), at((smallest+a.Cell-1)/a.Cell*a.Cell+1)
	if next.Num*r.Den > r.Num*next.Den {
		return next
	}
	return r
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

// Arrives returns how many bytes can come in after a pause was sent, at 10G, rounded up. It counts a frame on either side that has begun,
// the pause frame, both ways of the cable, the interfaces, and the peer's answer. Sources: the shape is that of IEEE 802.1Qbb annex O. 60
// quanta in 802.3 annex 31B are 67 in SONiC, whose 819 bytes for the interfaces are taken too; 5.05 ns a metre.
func Arrives(frame, metres int) int {
	const speed, preamble, pause, interfaces = 10_000, 20, 84, 819
	cable := (2*metres*speed/1000*505 + 799) / 800
	return 2*(frame+preamble) + pause + interfaces + cable + PauseQuanta(speed)*QuantumBytes
}
