//go:build !unix

package machinetest

import "time"

// start is when the process began.
var start = time.Now()

// processorTime returns the wall time, as if the process had a processor of its own.
func processorTime() time.Duration { return time.Since(start) }
