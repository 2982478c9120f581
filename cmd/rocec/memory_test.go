package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
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
		case <-done: // the process continues
		}
	})
	for range 3 {
		for again := true; again; {
			runtime.GC()
			select {
			case <-seen:
				again = false
			default: // it reacts a little later
				runtime.Gosched()
			}
		}
	}
	close(done)
}

// A run on a small fabric ends before the first collection. After the first collection, the collector works with its defaults.
func TestUntilFirst(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) }()
	held := func() uint64 {
		now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(now)
		return now[0].Value.Uint64()
	}
	boundMemory(func(name string) string { return map[string]string{"GOGC": "77"}[name] })
	assert.Equal(t, uint64(100), held(), "GOGC set by the person has priority")
	unbound := boundMemory(func(string) string { return "" })
	defer unbound() // otherwise every later test of the process runs near the limit
	assert.Equal(t, uint64(untilFirst), held())
	for held() != 100 { // it reacts a little after the collection
		runtime.GC()
		runtime.Gosched()
	}
	unbound()
	debug.SetMemoryLimit(math.MaxInt64)
	again := make(chan bool)
	afterEachCollection(sync.OnceFunc(func() { close(again) }))
	for waits := true; waits; {
		runtime.GC()
		select {
		case <-again:
			waits = false
		default:
			runtime.Gosched()
		}
	}
	assert.Equal(t, int64(math.MaxInt64), debug.SetMemoryLimit(-1), "an ended bound sets no limit")
}
