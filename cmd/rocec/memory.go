package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// boundMemory asks the garbage collector to keep the process near roomy bytes, or near one and a half times the memory in use if
// that is more. By default the collector lets a heap double before it runs. A small fabric never notices. A user who sets GOGC
// or GOMEMLIMIT decides instead.
//
// The limit saves a fifth of the memory and costs some time; no simpler setting saves as much. The table has ratios to this limit, which
// uses 300 to 345 MiB. They are medians of five whole processes each, run in turn, on two cores. The processes validate 100,000 links,
// each with its own block.
//
//	                               peak memory   CPU time
//	nothing                        1.24          0.95
//	SetGCPercent(75)               1.17          1.02
//	SetGCPercent(50)               1.09          1.11
//	SetMemoryLimit(320 MiB), once  1.08          0.98
//
// A fixed limit would have to fit the fabric. With 250,000 links this limit uses 800 MiB. No limit uses 1.30 times the memory and 0.79
// times the CPU time. A fixed limit of 320 MiB is exceeded, and uses 1.85 times the CPU time.
//
// The function that it returns ends this: the limits stay as they are.
func boundMemory(getenv func(string) string) (end func()) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	var mu sync.Mutex
	ended := false
	debug.SetMemoryLimit(roomy)
	debug.SetGCPercent(untilFirst)
	first := sync.OnceFunc(func() { debug.SetGCPercent(100) })
	afterEachCollection(func() {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		first()
		inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(inUse)
		if inUse[0].Value.Kind() == metrics.KindUint64 && inUse[1].Value.Kind() == metrics.KindUint64 {
			debug.SetMemoryLimit(memoryLimit(inUse[0].Value.Uint64(), inUse[1].Value.Uint64()))
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
	}
}

const roomy = 256 << 20

// untilFirst delays the first collection to 16 MiB, four times the default, so a small fabric needs none. Without the delay a few
// kilobytes would decide about a collection that costs a tenth of the CPU time.
const untilFirst = 400

// memoryLimit returns the limit for the bytes of heap and stacks in use. A third of the heap's share is free: with less, the collector
// would run too often. Stacks get no reserve: they are small, except in a walk of a long chain of needs.
func memoryLimit(live, stacks uint64) int64 {
	const beside = 32 << 20 // tables of the runtime, and fragmentation
	return max(roomy, int64(live)/2*3+int64(stacks)+beside)
}

// afterEachCollection arranges that do is called some time after every garbage collection.
func afterEachCollection(do func()) {
	sign := new(*int) // the next collection frees it; a pointer, since small values without pointers share memory
	runtime.AddCleanup(sign, func(int) {
		do()
		afterEachCollection(do)
	}, 0)
}
