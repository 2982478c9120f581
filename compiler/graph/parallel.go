package graph

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// InParallel splits the range from 0 to n into pieces of equal size, and calls work for each piece in parallel.
func InParallel(n, piece int, work func(from, to int)) {
	pieces := (n + piece - 1) / piece
	workers := min(runtime.GOMAXPROCS(0), pieces)
	if workers < 2 {
		work(0, n)
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				from := (int(next.Add(1)) - 1) * piece
				if from >= n {
					return
				}
				work(from, min(from+piece, n))
			}
		})
	}
	all.Wait()
}
