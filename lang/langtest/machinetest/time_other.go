//go:build !unix

package machinetest

import "time"

// start is the time at which the process began.
var start = time.Now()

// processorTime returns the wall time, as if the process had a whole processor.
func processorTime() time.Duration { return time.Since(start) }
