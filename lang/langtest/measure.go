//go:build unix

package langtest

import (
	"runtime"
	"runtime/metrics"
	"syscall"
	"time"
)

// Measure runs f, alone, and returns the CPU time that the process used meanwhile and the bytes by which the objects on the heap grew at
// most.
func Measure(f func()) (cpu time.Duration, bytes uint64) {
	runtime.GC()
	before := heap()
	peak := before
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			peak = max(peak, heap())
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	start := used()
	f()
	cpu = used() - start
	close(done)
	<-watched
	return cpu, peak - before
}

// used returns the CPU time of the process.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// heap returns the bytes of all objects on the heap.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
