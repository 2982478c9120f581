package oracle

import "math"

// PortPair is a port that pauses its peer, to the byte. The peer sends frames back to back at line rate, and nothing drains.
type PortPair struct {
	Speed      int     // Mb/s
	Metres     float64 // of cable
	Interfaces int     // what MAC and PHY of both ends delay by, in bytes at line rate
	Response   int     // what the peer may send after the pause has arrived, in bytes
	OwnFrame   int     // bytes, frame check included, of the frame the port is sending itself when it wants to pause
	Sent       int     // how many of its bytes, gap included, are sent by then
	Frame      int     // bytes, frame check included, of the peer's frames; of [PortPair.Worst], the largest of them
	Cell       int     // the buffer is given out in cells of so many bytes
	Xoff       int     // bytes; beyond them the port pauses

	Full  int // bytes of the smallest frame that does not count as small
	Small int // percent of the bytes on the wire that come in frames smaller than Full
}

const (
	gap        = 20      // preamble and gap between frames, bytes
	pauseFrame = 64      // bytes; no frame is smaller
	lightSpeed = 5.05e-9 // seconds a metre of cable takes
)

// until returns how many byte times go by from when the port wants to pause until the peer begins no frame any more that would arrive from
// then on.
func (p PortPair) until() int {
	cable := int(math.Ceil(p.Metres * lightSpeed * float64(p.Speed) * 1e6 / 8))
	return p.OwnFrame + gap - p.Sent + pauseFrame + gap + p.Interfaces + 2*cable + p.Response
}

// Headroom returns the bytes of buffer beyond Xoff that are taken when the last frame has come, if all are of one size.
func (p PortPair) Headroom() int {
	count, stop := 0, math.MaxInt
	for start := 0; start < stop; start += p.Frame + gap { // in byte times, when a frame begins to arrive
		for at := 0; at < p.Frame; at += p.Cell {
			if count += p.Cell; count > p.Xoff && stop == math.MaxInt {
				stop = start + at + p.until()
			}
		}
	}
	return count - p.Xoff
}

// Worst returns the most buffer beyond Xoff that any sequence of frames takes, of all sizes from the smallest to Frame. At most Small
// percent of the arriving bytes come in frames smaller than Full.
//
// It tries them all: how much of the frame in progress is still to come when it takes the cell that is one too many, and which whole
// frames follow. The last frame, which begins at the last moment, is the largest. Among frames that take equally many cells it tries only
// the smallest, which leaves the most time to others.
func (p PortPair) Worst() int {
	end := p.until()
	takes := func(size int) int { return (size + p.Cell - 1) / p.Cell * p.Cell }
	// most[b] is the most that whole frames of the sizes take in b byte times.
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
	for rest := 1; rest <= p.Frame; rest += p.Cell { // bytes of the frame in progress from the cell on that was one too many
		worst = max(worst, takes(rest))
		for b, n := range small {
			if left := end - 1 - rest - gap - b; left >= 0 {
				worst = max(worst, takes(rest)+n+full[left]+takes(p.Frame))
			}
		}
	}
	return worst
}
