package oracle

// Filling simulates a switch that packets enter one by one and cannot leave, to find which comes first, a mark or a pause. It uses only
// the thresholds, and none of the bounds that package ir derives from them. All sizes are in packets.
type Filling struct {
	Pool     int // shared by the ingress buffers
	Num, Den int // a buffer may use the pool while it has less than Num/Den of the free part; Den 0: while some is free
	Xoff     int // beyond its share, a buffer with more than this pauses its sender; with Absolute, in all
	Absolute bool
	Mark     int // a longer queue marks

	Buffers [][]int // for each ingress buffer the queues that its packets enter, in turn
}

// First adds packets, one to each buffer in turn, until a queue marks or a buffer pauses, and reports whether the mark was first. If one
// packet does both, the mark is first, because the packet carries it.
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
