package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// boundMemory asks the garbage collector to keep the process near roomy bytes, or near one and a half times what is in use
// where that is more; by itself it lets a heap double before it looks. A fabric of 100,000 links then takes 300 MiB instead
// of 450, for the same time within what can be measured, and a small one never notices. Who sets GOGC or GOMEMLIMIT
// knows better.
func boundMemory(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(roomy)
	afterEachCollection(func() {
		inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(inUse)
		if inUse[0].Value.Kind() == metrics.KindUint64 && inUse[1].Value.Kind() == metrics.KindUint64 {
			debug.SetMemoryLimit(memoryLimit(inUse[0].Value.Uint64(), inUse[1].Value.Uint64()))
		}
	})
}

const roomy = 256 << 20

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
