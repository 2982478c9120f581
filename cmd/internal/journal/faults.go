//go:build faults

package journal

import (
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
)

// A binary built with the tag "faults" is for tests. ROCEC_TEST_CRASH_AT=n kills it with SIGKILL at the n-th moment of its journal. Each
// write has three moments: before, half way through, and after it.
var moments atomic.Int64

// writing runs before every write.
func writing(f *os.File, text []byte) {
	at, err := strconv.ParseInt(os.Getenv("ROCEC_TEST_CRASH_AT"), 10, 64)
	if err != nil {
		return // the variable is not set
	}
	written := 0
	switch at - moments.Add(3) + 3 {
	case 1:
	case 2:
		written = len(text) / 2
	case 3:
		written = len(text)
	default:
		return
	}
	if _, err := f.Write(text[:written]); err != nil {
		panic(err)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
