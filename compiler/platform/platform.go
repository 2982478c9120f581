// Package platform holds the facts about silicon, switch models and NICs as tables, each row with its source.
//
// Nothing here decides anything: the compiler sizes buffers from these numbers, validate judges by them, targets look
// up what a chip can do. Speeds are in Mb/s, sizes in bytes, lengths in metres throughout the house.
package platform

// Vendor names who makes a switch chip; Cumulus Linux keeps different files and keys for each.
type Vendor string

// The vendors of switch silicon Cumulus Linux ran on.
const (
	Mellanox Vendor = "mellanox"
	Broadcom Vendor = "broadcom"
)

// ASIC is one switch chip.
type ASIC struct {
	Name        string // as written in HCL: "spectrum", "trident2"
	Title       string // as people say it: "Spectrum", "Trident II"
	Vendor      Vendor
	Cell        int  // buffer cell, bytes
	Buffer      int  // usable packet buffer, bytes
	MaxSpeed    int  // fastest port, Mb/s
	PFC         bool // Cumulus Linux offers PFC on it
	ECN         bool // Cumulus Linux offers ECN on it
	ECNDrops    bool // enabling ECN also enables RED drops of non-ECT packets (Trident II)
	MaxLossless int  // lossless cos groups a port can carry
	SharedPG    bool // all lossless cos of a port share one priority group
	Gearbox     int  // extra delay per direction, nanoseconds (SN3800)
	Extra       int  // further bytes of delay per Gb/s of port speed (Spectrum-4: 15)
	MarkStep    int  // ECN thresholds are rounded up to multiples of so many bytes; 0: of a cell
	Response    int  // peer's pause response its vendor's static headroom table counts, bytes; 0: the per-speed one
	Aliases     []string
	Source      string
}

// PortRange is a run of front-panel ports swpFirst..swpLast that are alike.
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

	// PairSplit: only odd ports split into four, and such a port takes the next even one with it.
	PairSplit bool

	Aliases []string
	Source  string
}

// Family says which driver, and so which tools and files, a NIC has.
type Family string

// The NIC families.
const (
	MLX5     Family = "mlx5"
	MLX4     Family = "mlx4"
	BNXT     Family = "bnxt"
	ICE      Family = "ice"
	QEDE     Family = "qede"
	SoftRoCE Family = "rxe"
)

// NIC is one NIC model.
type NIC struct {
	Name   string // as written in HCL: "connectx-5"
	Title  string // "NVIDIA ConnectX-5"
	Family Family
	Speed  int  // fastest port, Mb/s; 0: that of the netdev below it
	Ports  int  // most ports of one card
	V1, V2 bool // RoCE versions it speaks
	Buffer int  // receive buffer of a port, bytes; 0: no figure is published

	Aliases []string
	Source  string
}
