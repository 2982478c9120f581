package mlx5

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/nic"
)

// Driver describes NICs with the driver mlx5.
//
// Sources of models: "RHEL" is Red Hat's RoCE documentation, "vendor" the maker's product page or release notes.
var Driver = ir.NewDriver(ir.Driver{
	Name: "mlx5", Title: "ConnectX-4 and later, BlueField",
	Can: ir.NICCan{
		OwnECN: true,
		Storm:  "set pfc-prevention-tout (ethtool --set-tunable), so that at least a stuck host does not block the fabric",
	},
	Bonds:  nic.BondModes,
	Buffer: buffer,
	Cable:  longestCable,
	Models: models,

	Parameters: parameters,
})

// models is a separate variable, so that the compiler stores the models as data.
var models = []*ir.NICModel{
	{
		Name: "connectx-4", Title: "Mellanox ConnectX-4", Speed: 100_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"MCX4[0-9][0-9]A*"},
		Aliases: []string{"cx4"}, Source: "RHEL; vendor: two ports of 100G",
	},
	{
		Name: "connectx-4-lx", Title: "Mellanox ConnectX-4 Lx", Speed: 50_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"MCX4[0-9][0-9][0-9][AM]*"},
		Aliases: []string{"cx4lx"}, Source: "RHEL; vendor: one port of 50G or two of 25G",
	},
	{
		Name: "connectx-5", Title: "NVIDIA ConnectX-5", Speed: 100_000, Ports: 2, V1: true, V2: true, Buffer: 262_016,
		Parts:   []string{"MCX5[0-9][0-9][A-Z]*"},
		Aliases: []string{"cx5", "connectx-5-ex"}, Source: "RHEL; vendor: two ports of 100G; buffer: total of dcb buffer show",
	},
	{
		Name: "connectx-6", Title: "NVIDIA ConnectX-6", Speed: 200_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"MCX61[0-9][0-9][0-9][0-9]A*", "MCX65[134][0-9][0-9][0-9]A*"},
		Aliases: []string{"cx6"}, Source: "vendor: two ports of 200G",
	},
	{
		Name: "connectx-6-dx", Title: "NVIDIA ConnectX-6 Dx", Speed: 200_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"MCX62[0-9][0-9][0-9][0-9][A-Z]*"},
		Aliases: []string{"cx6dx"}, Source: "vendor: one port of 200G or two of 100G",
	},
	{
		Name: "connectx-6-lx", Title: "NVIDIA ConnectX-6 Lx", Speed: 50_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"MCX631[0-9][0-9][0-9][A-Z]*"},
		Aliases: []string{"cx6lx"}, Source: "vendor: one port of 50G or two of 25G",
	},
	{
		Name: "connectx-7", Title: "NVIDIA ConnectX-7", Speed: 400_000, Ports: 4, V1: true, V2: true,
		Parts:   []string{"MCX7[15][0-9][0-9][0-9]*"},
		Aliases: []string{"cx7"}, Source: "vendor: one port of 400G to four of 100G",
	},
	{
		Name: "connectx-8", Title: "NVIDIA ConnectX-8", Speed: 800_000, Ports: 8, V1: true, V2: true,
		Parts:   []string{"900-9X81*"},
		Aliases: []string{"cx8"}, Source: "vendor: up to 800G on up to eight ports, user manual and Hot Chips 2025",
	},
	{
		Name: "connectx-9", Title: "NVIDIA ConnectX-9", Speed: 800_000, Ports: 8, V1: true, V2: true,
		Aliases: []string{"cx9"}, Source: "vendor: nicType 1025 of the NIC configuration operator; speed and ports of ConnectX-8 are assumed",
	},
	{
		Name: "bluefield-2", Title: "NVIDIA BlueField-2", Speed: 200_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"MBF2[HM][0-9]*"},
		Aliases: []string{"bf2"}, Source: "vendor: one port of 200G or two of 100G",
	},
	{
		Name: "bluefield-3", Title: "NVIDIA BlueField-3", Speed: 400_000, Ports: 2, V1: true, V2: true,
		Parts:   []string{"900-9D3[A-Z][0-9]*"},
		Aliases: []string{"bf3"}, Source: "vendor: one port of 400G or two of 200G",
	},
}

// longestCable is the longest cable that the driver accepts, in metres. Source: its check of pfc.delay.
const longestCable = 999

// The buffer of a NIC.
//
// The driver (port_buffer.c) requires room in a lossless buffer for the packets after a pause and for a cell. Between the two thresholds it
// requires room for a frame of the interface's largest MTU:
//
//	xoff = (301 + 2.16 x metres) x Gb/s + 2.72 x MTU        speed 40G at least
//	buffer >= xoff + 9216 + 128
//
// in whole numbers, with each product rounded down. The same limit applies while the NIC's firmware sizes the buffers.
const (
	perGbps     = 301
	perMetre    = 216 // hundredths of a byte per Gb/s
	perMTU      = 272 // hundredths
	leastSpeed  = 40_000
	largestMTU  = 9216
	cell        = 128
	usualLength = 7 // metres, if the fabric states no length
)

// buffer returns the smallest lossless buffer that the driver accepts, and its terms. Without a length it uses the driver's default.
func buffer(speed int, metres float64, mtu int) (need int, terms []ir.Term) {
	length := int(math.Ceil(metres))
	if length == 0 {
		length = usualLength
	}
	counted := max(speed, leastSpeed)
	text := platform.SpeedText(counted)
	if counted != speed {
		text += ", the driver's minimum"
	}
	link := perGbps * counted / 1000
	cable := (perGbps+perMetre*length/100)*counted/1000 - link
	terms = []ir.Term{
		{Name: "until the peer has stopped", Bytes: link, Why: fmt.Sprintf("%d B per Gb/s at %s", perGbps, text)},
		{Name: "on the cable, there and back", Bytes: cable, Why: fmt.Sprintf("2.16 B per metre and Gb/s, %d m", length)},
		{Name: "frames that cannot be interrupted", Bytes: perMTU * mtu / 100, Why: fmt.Sprintf("2.72 x MTU %d", mtu)},
		{Name: "largest frame", Bytes: largestMTU, Why: "between xoff and xon"},
		{Name: "cell", Bytes: cell, Why: "of the NIC's memory"},
	}
	for _, t := range terms {
		need += t.Bytes
	}
	return need, terms
}
