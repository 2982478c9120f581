package platform

import (
	"fmt"
	"slices"
)

// Speeds lists the Ethernet speeds a link may have, ascending, in Mb/s.
var Speeds = []int{100, 1_000, 10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000}

// Unsized is an Ethernet speed for which no pause response is published. rocec allows no link at this speed, because it could not derive
// sizes of buffers. Ports with this speed run at a lower speed, whole or split.
const Unsized = 1_600_000

// SpeedText returns a speed in the form of HCL: "25G", "100M".
func SpeedText(mbps int) string {
	if mbps%1000 == 0 {
		return fmt.Sprintf("%dG", mbps/1000)
	}
	return fmt.Sprintf("%dM", mbps)
}

// pauseQuanta contains, by speed, the pause quanta during which a peer may keep sending after a pause frame arrived. Source: IEEE 802.3
// Annex 31B (per-speed values of later editions), as used in the SONiC headroom script; as there, 800G has the value of 400G.
var pauseQuanta = map[int]int{
	100: 1, 1_000: 2, 10_000: 67, 25_000: 80, 40_000: 118, 50_000: 147,
	100_000: 394, 200_000: 453, 400_000: 905, 800_000: 905,
}

// QuantumBytes is one pause quantum: 512 bit times.
const QuantumBytes = 64

// PauseQuanta returns the number of quanta during which a peer may keep sending at a speed. A speed between two standard speeds has the
// value of the faster.
func PauseQuanta(mbps int) int {
	i, _ := slices.BinarySearch(Speeds, mbps)
	return pauseQuanta[Speeds[min(i, len(Speeds)-1)]]
}

// CellWaste returns the factor by which packets of the worst size grow when they are stored in cells.
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
	// Gap is the space between frames on the wire in bytes: preamble and interframe gap.
	Gap = 20

	// MinFrame is the smallest frame, frame check included, in bytes; a pause frame has this size.
	MinFrame = 64

	// fullFrame is the smallest frame that carries a payload of 1 KiB: RoCEv2 over IPv4, untagged.
	fullFrame = 14 + 20 + 8 + 12 + 1024 + 4 + 4
)

// Swell returns the largest factor by which bytes on the wire, including preamble and gap, grow when frames are stored in whole cells. It
// is the maximum of cells(s) / (s + 20) over frames of any size, and over those that carry a payload of 1 KiB or more.
func (a *ASIC) Swell() (worst, full Ratio) { return a.swell(MinFrame), a.swell(fullFrame) }

// swell returns the maximum over frames of at least the given size. It occurs at the smallest frame, or at the next one that begins another
// cell.
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

// Arrives returns the number of bytes that can arrive after a pause was sent, at 10G, rounded up. It counts a frame in progress on either
// side, the pause frame, the cable in both directions, the interfaces, and the peer's response. Sources: the terms are those of IEEE
// 802.1Qbb annex O. The response is SONiC's 67 quanta instead of the 60 of 802.3 annex 31B, and the interfaces count SONiC's 819 bytes. A
// metre of cable takes 5.05 ns.
func Arrives(frame, metres int) int {
	const speed, preamble, pause, interfaces = 10_000, 20, 84, 819
	cable := (2*metres*speed/1000*505 + 799) / 800
	return 2*(frame+preamble) + pause + interfaces + cable + PauseQuanta(speed)*QuantumBytes
}
