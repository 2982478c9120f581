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
// The limit saves a fifth of the memory for some of the time, and no simpler setting does. The table has ratios to this limit,
// which takes 300 to 345 MiB. They are medians of five whole processes each, run in turn, on two cores. The processes validate
// 100,000 links, each with a block of its own.
//
//	                               peak memory   CPU time
//	nothing                        1.24          0.95
//	SetGCPercent(75)               1.17          1.02
//	SetGCPercent(50)               1.09          1.11
//	SetMemoryLimit(320 MiB), once  1.08          0.98
//
// A limit that is set once has to fit the fabric. With 250,000 links this one takes 800 MiB. Without a limit it is 1.30 times
// the memory in 0.79 of the CPU time. A limit of 320 MiB cannot be kept, and trying takes 1.85 times the CPU time.
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

// memoryLimit returns the limit for the bytes of heap and stacks in use. It leaves a third of the heap's share free: with less the
// collector would take more and more of the time. Stacks get no reserve: they are small, except for those that walk a long chain of needs.
func memoryLimit(live, stacks uint64) int64 {
	const beside = 32 << 20 // tables of the runtime, and gaps
	return max(roomy, int64(live)/2*3+int64(stacks)+beside)
}

// afterEachCollection calls do some time after every garbage collection.
func afterEachCollection(do func()) {
	sign := new(*int) // unreferenced, so the next collection frees it; a pointer, as other small values share their memory
	runtime.AddCleanup(sign, func(int) {
		do()
		afterEachCollection(do)
	}, 0)
}
