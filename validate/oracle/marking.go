package oracle

// Filling is packets that come into a switch and cannot leave it. It lets them come in one by one to find which comes first, a mark or a
// pause. It knows thresholds alone, and none of the bounds that package ir derives from them. Everything is counted in units of one
// packet.
type Filling struct {
	Pool     int // units that ingress buffers share
	Num, Den int // a buffer may take from the pool as long as it holds less than Num/Den of the free part; Den 0: as long as some is free
	Xoff     int // units beyond its share with which a buffer pauses its sender; with Absolute, all it holds
	Absolute bool
	Mark     int // units in a queue from which on it marks

	Buffers [][]int // for each ingress buffer the queues its packets go to, in turn
}

// First lets packets come in, one for each buffer in turn, until a queue marks or a buffer pauses. If one packet does both, the mark is
// first, because the packet carries it.
func (f *Filling) First() (marks bool) {
	queues := map[int]int{}
	shared, beyond := make([]int, len(f.Buffers)), make([]int, len(f.Buffers))
	used := 0
	for turn := 0; ; turn++ {
		for b, to := range f.Buffers {
			q := to[turn%len(to)]
			queues[q]++
			free := f.Pool - used
			if !f.Absolute && free > 0 && shared[b]*f.Den < f.Num*free {
				shared[b]++
				used++
			} else {
				beyond[b]++
			}
			if queues[q] > f.Mark {
				return true
			}
			if beyond[b] > f.Xoff {
				return false
			}
		}
	}
}
