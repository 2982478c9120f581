// Package rollout leads many devices: it reads them ([Observe]), compares them with the fabric (a [Verification]), changes them in waves
// ([Apply]), and ends runs that others began ([Resume]). Package txn decides the next step of one device, and package device executes it.
package rollout

import (
	"time"

	"github.com/rocec/rocec/targets/deploy"
)

// ReadAtOnce is the default number of devices that are read at the same time. It exceeds the number of concurrent logins through a jump
// host.
const ReadAtOnce = 96

// Defaults and bounds.
const (
	applyAtOnce   = 8                // devices changed at the same time
	observeTime   = time.Minute      // time limit for the read of one device
	reconnectTime = 30 * time.Second // time until a lost device must answer again, beyond the time of its steps
	verifyEvery   = 5 * time.Second  // between two reads of one verification
	settleEvery   = time.Second
	deadManFloor  = 2 * time.Minute // shortest time until a device undoes a change by itself
	deadManSlack  = 30 * time.Second
)

// MaxHold is the longest time that a device soaks or waits for a confirm. Without a limit, a mistyped year would overflow the device's
// timer.
const MaxHold = deploy.MaxHold
