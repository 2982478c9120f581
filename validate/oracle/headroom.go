package oracle

import "math"

// PortPair is a port that pauses its peer, to the byte. The peer sends frames of one size back to back at line rate, and
// nothing drains.
type PortPair struct {
	Speed      int     // Mb/s
	Metres     float64 // of cable
	Interfaces int     // what MAC and PHY of both ends delay by, in bytes at line rate
	Response   int     // what the peer may send after the pause has arrived, in bytes
	OwnFrame   int     // bytes, frame check included, of the frame the port is sending itself when it wants to pause
	Sent       int     // how many bytes of it, gap included, are sent by then
	Frame      int     // bytes, frame check included, of the peer's frames
	Cell       int     // the buffer is given out in cells of so many bytes
	Xoff       int     // bytes; beyond them the port pauses
}

const (
	gap        = 20      // preamble and gap between frames, bytes
	pauseFrame = 64      // bytes
	lightSpeed = 5.05e-9 // seconds a metre of cable takes
)

// Headroom returns the bytes of buffer beyond Xoff that are taken when the last frame has come.
func (p PortPair) Headroom() int {
	cable := int(math.Ceil(p.Metres * lightSpeed * float64(p.Speed) * 1e6 / 8))
	count, stop := 0, math.MaxInt
	for start := 0; start < stop; start += p.Frame + gap { // in byte times, when a frame begins to arrive
		for at := 0; at < p.Frame; at += p.Cell {
			if count += p.Cell; count > p.Xoff && stop == math.MaxInt {
				// The peer begins no frame any more that would arrive from here on.
				stop = start + at + p.OwnFrame + gap - p.Sent + pauseFrame + gap + p.Interfaces + 2*cable + p.Response
			}
		}
	}
	return count - p.Xoff
}
