package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// boundMemory asks the garbage collector to keep the process near roomy bytes, or near one and a half times what is in use
// where that is more; by itself it lets a heap double before it looks. A small fabric never notices. Who sets GOGC or
// GOMEMLIMIT knows better.
//
// It buys a fifth of the memory for some of the time, and nothing simpler does. Validating 100,000 links, each with a
// block of its own, on two cores: ratios of the medians of five whole processes each, run in turn with this limit, which
// takes 300 to 345 MiB.
//
//	                               peak memory   CPU time
//	nothing                        1.24          0.95
//	SetGCPercent(75)               1.17          1.02
//	SetGCPercent(50)               1.09          1.11
//	SetMemoryLimit(320 MiB), once  1.08          0.98
//
// A limit that is set once has to fit the fabric. With 250,000 links this one takes 800 MiB, and nothing 1.30 times the memory
// in 0.79 of the CPU time; one of 320 MiB cannot be kept, and trying takes 1.85 times the CPU time.
func boundMemory(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(roomy)
	debug.SetGCPercent(untilFirst)
	first := sync.OnceFunc(func() { debug.SetGCPercent(100) })
	afterEachCollection(func() {
		first()
		inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(inUse)
		if inUse[0].Value.Kind() == metrics.KindUint64 && inUse[1].Value.Kind() == metrics.KindUint64 {
			debug.SetMemoryLimit(memoryLimit(inUse[0].Value.Uint64(), inUse[1].Value.Uint64()))
		}
	})
}

const roomy = 256 << 20

// untilFirst makes the first collection wait for 16 MiB, four times as much as by itself: a small fabric ends without one. A collection
// is a tenth of the CPU time there, and whether it comes would depend on a few kilobytes.
const untilFirst = 400

// memoryLimit is the limit while so many bytes of the heap are in use. It keeps a third of what it allows free: a
// collector that has to work for less would take more and more of the time.
// Stacks count as they are: they are small, but for those that walk a long chain of needs.
func memoryLimit(live, stacks uint64) int64 {
	const beside = 32 << 20 // tables of the runtime, and gaps
	return max(roomy, int64(live)/2*3+int64(stacks)+beside)
}

// afterEachCollection calls do some time after every garbage collection.
func afterEachCollection(do func()) {
	sign := new(*int) // nobody holds it, so it goes with the next collection; a pointer, as others would share its memory
	runtime.AddCleanup(sign, func(int) {
		do()
		afterEachCollection(do)
	}, 0)
}
