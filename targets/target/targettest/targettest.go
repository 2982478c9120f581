//go:build unix

// Package targettest measures, for tests of targets, the processor time for reading a text, without other load on the machine.
package targettest

import (
	"syscall"
	"testing"
	"time"
)

// ProcessorTime returns the processor time that do uses, in this process and in those it starts and waits for. Tests that run in parallel
// count, too.
func ProcessorTime(t testing.TB, do func()) time.Duration {
	t.Helper()
	before := used(t)
	do()
	return used(t) - before
}

func used(t testing.TB) (sum time.Duration) {
	t.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
