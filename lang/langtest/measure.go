//go:build unix

package langtest

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Measure runs f alone. It returns the CPU time that the process used meanwhile, and the largest growth of the objects on the heap in
// bytes. It ignores GOGC and collects garbage as often as by default.
func Measure(f func()) (cpu time.Duration, bytes uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
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

// Least runs [Measure] again, up to three times in all, while f needs more CPU time than most. It returns the least CPU time, because
// other work on the machine only adds to it. The CPU time is scaled to the machine on which the ceilings were measured, see [slowness].
func Least(most time.Duration, f func()) (cpu time.Duration, bytes uint64) {
	slow := slowness()
	for try := range 3 {
		took, size := Measure(f)
		if float64(took) > float64(most)*slow { // other work may slow the machine down since slowness was measured
			slow = max(slow, pace(2))
		}
		took = time.Duration(float64(took) / slow)
		if try == 0 || took < cpu {
			cpu, bytes = took, size
		}
		if cpu <= most {
			break
		}
	}
	return cpu, bytes
}

// slowness returns how many times slower this machine is than the machine on which the ceilings were measured, at least 1.
var slowness = sync.OnceValue(func() float64 { return pace(5) })

// pace measures the current slowness. It runs a benchmark of maps and texts several times, and uses the least CPU time. That is 140 ms
// on the machine on which the ceilings were measured.
func pace(runs int) float64 {
	const reference = 140 * time.Millisecond
	least := time.Duration(math.MaxInt64)
	for range runs {
		took, _ := Measure(func() {
			texts := map[string]int{}
			for i := range 400_000 {
				texts[strconv.Itoa(i)+"-text"] += i
			}
			runtime.KeepAlive(texts)
		})
		least = min(least, took)
	}
	return max(1, float64(least)/float64(reference))
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
