// Package rollout leads many devices: it reads them ([Observe]), compares them with the fabric (a [Verification]), changes them in waves
// ([Apply]), and ends runs that others began ([Resume]). Package txn decides the next step of one device, and package device executes it.
package rollout

import (
	"time"

	"github.com/rocec/rocec/targets/deploy"
)

// ReadAtOnce is the default number of devices that are read at the same time: more than log in together through a jump host.
const ReadAtOnce = 96

// Defaults and bounds.
const (
	applyAtOnce   = 8                // devices changed at the same time
	observeTime   = time.Minute      // one device, read in full
	reconnectTime = 30 * time.Second // until a lost device must answer again, beyond the time of its steps
	verifyEvery   = 5 * time.Second  // between two reads of one verification
	settleEvery   = time.Second
	deadManFloor  = 2 * time.Minute // the least until a device undoes a change by itself
	deadManSlack  = 30 * time.Second
)

// MaxHold is the longest that a device waits to be confirmed, or soaks: a mistyped year would overflow its timer.
const MaxHold = deploy.MaxHold
