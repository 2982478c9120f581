package compiler

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// The buffer of a NIC.
//
// The Linux driver mlx5 (port_buffer.c) refuses a lossless buffer that does not hold what may come after the pause, a
// frame of the largest MTU the interface could have, so that sending can go on below the threshold, and a cell:
//
//	xoff = (301 + 2.16 x metres) x Gb/s + 2.72 x MTU        speed 40G at least
//	buffer >= xoff + 9216 + 128
//
// in whole numbers, each product cut off. While the NIC's firmware sizes the buffers it has the same to hold.
const (
	nicPerGbps     = 301
	nicPerMetre    = 216 // hundredths of a byte per Gb/s
	nicPerMTU      = 272 // hundredths
	nicLeastSpeed  = 40_000
	nicLargestMTU  = 9216
	nicCell        = 128
	nicCableLength = 7 // metres, where none is stated
)

// nicBuffer derives the buffer of a group at a NIC's port. Of drivers that publish no formula only the group is told.
func nicBuffer(k bufferKey) *ir.Buffer {
	b := &ir.Buffer{Group: k.group}
	if k.family != platform.MLX5 {
		return b
	}
	b.Need, b.Terms = mlx5Buffer(k.mbps, k.metres, k.mtu)
	b.Floor = b.Need
	return b
}

// mlx5Buffer returns the least lossless buffer the driver takes, summand by summand. No length counts as the driver's.
func mlx5Buffer(speed int, metres float64, mtu int) (need int, terms []ir.Term) {
	length := int(math.Ceil(metres))
	if length == 0 {
		length = nicCableLength
	}
	counted := max(speed, nicLeastSpeed)
	text := platform.SpeedText(counted)
	if counted != speed {
		text += ", the least the driver counts"
	}
	link := nicPerGbps * counted / 1000
	cable := (nicPerGbps+nicPerMetre*length/100)*counted/1000 - link
	terms = []ir.Term{
		{Name: "until the peer has stopped", Bytes: link, Why: fmt.Sprintf("%d B per Gb/s at %s", nicPerGbps, text)},
		{Name: "on the cable, there and back", Bytes: cable, Why: fmt.Sprintf("2.16 B per metre and Gb/s, %d m", length)},
		{Name: "frames that cannot be cut into", Bytes: nicPerMTU * mtu / 100, Why: fmt.Sprintf("2.72 x MTU %d", mtu)},
		{Name: "largest frame", Bytes: nicLargestMTU, Why: "between xoff and xon"},
		{Name: "cell", Bytes: nicCell, Why: "of the NIC's memory"},
	}
	return total(terms), terms
}
