package target

import (
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/commands"
)

// Queries returns the queries for counters without their readers.
func Queries(all []CounterQuery) (out []commands.Query) {
	for _, q := range all {
		out = append(out, q.Query)
	}
	return out
}

// CounterQuery is a query whose answer has counters. Read never fails for any bytes: unread is the reason why counters are missing, as part
// of a sentence; empty: none are missing.
type CounterQuery struct {
	commands.Query
	File  string        // the base name of the answer in a snapshot
	Every time.Duration // the interval in which the device renews the counters; 0: they are those of the moment
	Queue time.Duration // the interval in which it renews the counters of queues, if that is longer than Every; 0: it is not

	// Watchdogs asks for the states of PFC watchdogs alone. Nil: the answers show none.
	Watchdogs *CounterQuery

	Read func(d *ir.Device, answer []byte) (found []ir.PauseCounters, unread string)
}
