package oracle

import "math"

// PortPair models a port that pauses its peer, exact to the byte. The peer sends frames back to back at line rate, and the port's buffer
// does not drain.
type PortPair struct {
	Speed      int     // Mb/s
	Metres     float64 // of cable
	Interfaces int     // delay of MAC and PHY at both ends, in bytes at line rate
	Response   int     // bytes that the peer may send after the pause has arrived
	OwnFrame   int     // bytes, with frame check, of the frame that the port is sending when it wants to pause
	Sent       int     // bytes of OwnFrame, with gap, that are sent by then
	Frame      int     // bytes, with frame check, of the peer's frames; for [PortPair.Worst], the largest size
	Cell       int     // bytes of a cell: the buffer is allocated in cells
	Xoff       int     // bytes; with more the port pauses

	Full  int // bytes of the smallest frame that does not count as small
	Small int // percent of the bytes on the wire that are in frames smaller than Full
}

const (
	gap        = 20      // preamble and gap between frames, bytes
	pauseFrame = 64      // bytes; no frame is smaller
	lightSpeed = 5.05e-9 // seconds per metre of cable
)

// until returns the byte times from the moment the port wants to pause to the moment after which no further frame begins to arrive.
func (p PortPair) until() int {
	cable := int(math.Ceil(p.Metres * lightSpeed * float64(p.Speed) * 1e6 / 8))
	return p.OwnFrame + gap - p.Sent + pauseFrame + gap + p.Interfaces + 2*cable + p.Response
}

// Headroom returns the bytes of buffer beyond Xoff that are in use when the last frame has arrived, if all frames have one size.
func (p PortPair) Headroom() int {
	count, stop := 0, math.MaxInt
	for start := 0; start < stop; start += p.Frame + gap { // the byte time at which a frame begins to arrive
		for at := 0; at < p.Frame; at += p.Cell {
			if count += p.Cell; count > p.Xoff && stop == math.MaxInt {
				stop = start + at + p.until()
			}
		}
	}
	return count - p.Xoff
}

// Worst returns the most bytes of buffer beyond Xoff that any sequence of frames needs, with sizes from the smallest to Frame. At most
// Small percent of the arriving bytes are in frames smaller than Full.
//
// It tries all sequences: every remaining length of the frame in progress when its cell exceeds Xoff, and all combinations of whole frames
// that follow. The last frame begins at the last moment and is the largest. Among frames with the same number of cells it tries only the
// smallest, which leaves the most time to others.
func (p PortPair) Worst() int {
	end := p.until()
	takes := func(size int) int { return (size + p.Cell - 1) / p.Cell * p.Cell }
	// most[b] is the most bytes of buffer that whole frames of the sizes fill in b byte times.
	fill := func(from, to, times int) []int {
		var sizes []int
		for s := from; s <= to; s = takes(s) + 1 {
			sizes = append(sizes, s)
		}
		most := make([]int, times+1)
		for b := range most {
			if b > 0 {
				most[b] = most[b-1]
			}
			for _, s := range sizes {
				if rest := b - s - gap; rest >= 0 {
					most[b] = max(most[b], most[rest]+takes(s))
				}
			}
		}
		return most
	}
	var small, full []int
	if p.Small == 100 {
		small, full = []int{0}, fill(pauseFrame, p.Frame, end)
	} else {
		small, full = fill(pauseFrame, min(p.Full-1, p.Frame), end*p.Small/100), fill(p.Full, p.Frame, end)
	}
	worst := 0
	for rest := 1; rest <= p.Frame; rest += p.Cell { // the remaining bytes of the frame in progress, from the first cell beyond Xoff
		worst = max(worst, takes(rest))
		for b, n := range small {
			if left := end - 1 - rest - gap - b; left >= 0 {
				worst = max(worst, takes(rest)+n+full[left]+takes(p.Frame))
			}
		}
	}
	return worst
}
