package main

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		live, stacks uint64
		want         int64
	}{
		{0, 0, 256 << 20},
		{100 << 20, 0, 256 << 20},
		{200 << 20, 0, 332 << 20},
		{200 << 20, 64 << 20, 396 << 20},
		{1 << 30, 0, 1568 << 20},
	} {
		assert.Equal(t, c.want, memoryLimit(c.live, c.stacks), c.live)
		assert.GreaterOrEqual(t, memoryLimit(c.live, c.stacks), int64(c.live)/2*3, "the collector must be able to keep it")
	}
}

// The limit follows the heap for as long as the process runs, not only once.
func TestAfterEachCollection(t *testing.T) {
	seen := make(chan bool)
	done := make(chan struct{})
	afterEachCollection(func() {
		select {
		case seen <- true:
		case <-done: // the process goes on
		}
	})
	for range 3 {
		for again := true; again; {
			runtime.GC()
			select {
			case <-seen:
				again = false
			default: // it takes notice a little later
				runtime.Gosched()
			}
		}
	}
	close(done)
}
