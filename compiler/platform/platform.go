// Package platform holds the facts about silicon and switch models ([Switch]) as tables, each row with its source.
//
// Nothing here decides anything: the compiler sizes buffers from these numbers, validate judges by them, targets look
// up what a chip can do. Speeds are in Mb/s, sizes in bytes, lengths in metres throughout the house.
package platform

// Vendor names who makes a switch chip; operating systems keep different files and keys for each.
type Vendor string

// The vendors of switch silicon.
const (
	Mellanox Vendor = "mellanox"
	Broadcom Vendor = "broadcom"
)

// ASIC is one switch chip.
type ASIC struct {
	Name     string // as written in HCL: "spectrum", "trident2"
	Title    string // as people say it: "Spectrum", "Trident II"
	Vendor   Vendor
	Cell     int // buffer cell, bytes
	Buffer   int // usable packet buffer, bytes
	MaxSpeed int // fastest port, Mb/s
	Gearbox  int // extra delay per direction, nanoseconds (SN3800)
	Extra    int // further bytes of delay per Gb/s of port speed (Spectrum-4: 15)
	MarkStep int // the chip rounds ECN thresholds up to multiples of so many bytes; 0: how it rounds is not published
	Response int // peer's pause response its vendor's static headroom table counts, bytes; 0: the per-speed one
	Aliases  []string
	Source   string
}

// SizeHasHeadroom reports whether the size of a lossless priority group contains xon and headroom, where ports share no headroom. The
// published tables of Spectrum have it so. Those of other chips have sizes below xon, and headroom of its own.
func (a *ASIC) SizeHasHeadroom() bool { return a.Vendor == Mellanox }

// Threshold returns the chip's value for an ECN threshold, in bytes: where its step is published, the next multiple of it.
func (a *ASIC) Threshold(n int) int {
	if a.MarkStep == 0 {
		return n
	}
	return (n + a.MarkStep - 1) / a.MarkStep * a.MarkStep
}

// WholeSteps rounds an ECN threshold down to what the chip can be set to: to its step, or where none is published to whole cells.
func (a *ASIC) WholeSteps(n int) int {
	step := max(a.MarkStep, a.Cell)
	return n / step * step
}

// PortRange is a run of front-panel ports, by their numbers, that are alike.
type PortRange struct {
	First, Last int
	Speed       int // native, Mb/s
	Lanes       int // a port splits into at most this many (s0..s{Lanes-1})
}

// Switch is one switch model.
type Switch struct {
	Name  string // as written in HCL: "sn2700"
	Title string // "Mellanox SN2700"
	ASIC  *ASIC
	Ports []PortRange

	// PairSplit is the number of parts from which on a split port takes its neighbour with it, 1 with 2, 3 with 4; 0: no port does, or it
	// is not known. OddSplit: then only odd ports split so.
	PairSplit int
	OddSplit  bool

	Aliases []string
	Parts   []string // patterns of its part numbers, see [Ordered]
	Source  string
}

// UsualLossless is how many lossless cos groups a port is known to carry, on every chip: a practice, no limit that a manual
// states. LosslessSource is where it comes from, as a part of a sentence.
const (
	UsualLossless  = 2
	LosslessSource = "SONiC ships no more on any chip"
)
