// Package platform contains the facts about silicon and switch models ([Switch]) as tables, each row with its source.
//
// This package makes no decisions: the compiler derives sizes of buffers from these numbers, validate checks with them, and targets look up
// the abilities of a chip. In all of rocec, speeds are in Mb/s, sizes in bytes and lengths in metres.
package platform

// Vendor is the maker of a switch chip; operating systems have different files and keys for each.
type Vendor string

// The vendors of switch silicon.
const (
	Mellanox Vendor = "mellanox"
	Broadcom Vendor = "broadcom"
)

// ASIC is one switch chip.
type ASIC struct {
	Name     string // as written in HCL: "spectrum", "trident2"
	Title    string // the name for people: "Spectrum", "Trident II"
	Vendor   Vendor
	Cell     int // buffer cell, bytes
	Buffer   int // usable packet buffer, bytes
	MaxSpeed int // fastest port, Mb/s
	Gearbox  int // extra delay per direction, nanoseconds (SN3800)
	Extra    int // further bytes of delay per Gb/s of port speed (Spectrum-4: 15)
	MarkStep int // the chip rounds ECN thresholds up to multiples of this many bytes; 0: its rounding is not published
	Response int // peer's pause response in its vendor's static headroom table, bytes; 0: the per-speed response
	Aliases  []string
	Source   string
}

// SizeHasHeadroom reports whether the size of a lossless priority group includes xon and headroom if ports share no headroom. This is so in
// the published tables of Spectrum. In the tables of other chips sizes are below xon, and headroom is separate.
func (a *ASIC) SizeHasHeadroom() bool { return a.Vendor == Mellanox }

// Threshold returns the chip's value for an ECN threshold, in bytes: the next multiple of its step, if that is published.
func (a *ASIC) Threshold(n int) int {
	if a.MarkStep == 0 {
		return n
	}
	return (n + a.MarkStep - 1) / a.MarkStep * a.MarkStep
}

// WholeSteps rounds an ECN threshold down to a value that the chip supports: to its step, or to whole cells if no step is published.
func (a *ASIC) WholeSteps(n int) int {
	step := max(a.MarkStep, a.Cell)
	return n / step * step
}

// PortRange is a run of equal front-panel ports with consecutive numbers.
type PortRange struct {
	First, Last int
	Speed       int // native, Mb/s
	Lanes       int // a port splits into at most this many parts (s0..s{Lanes-1})
}

// Switch is one switch model.
type Switch struct {
	Name  string // as written in HCL: "sn2700"
	Title string // "Mellanox SN2700"
	ASIC  *ASIC
	Ports []PortRange

	// PairSplit is the number of parts from which a split port disables its neighbour (1 and 2 are neighbours, 3 and 4); 0: no port does, or
	// it is unknown. OddSplit: only odd ports can be split into so many parts.
	PairSplit int
	OddSplit  bool

	Aliases []string
	Parts   []string // patterns of its part numbers, see [Ordered]
	Source  string
}

// UsualLossless is the number of lossless cos groups that a port usually carries on every chip. It is common practice, not a limit from a
// manual. LosslessSource is its source, as part of a sentence.
const (
	UsualLossless  = 2
	LosslessSource = "SONiC ships no more on any chip"
)
