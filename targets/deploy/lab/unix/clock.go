package unix

import (
	"math"
	"slices"
	"sync"
	"time"
)

// Clock is the time of a device. It runs at the speed of the machine's clock. It runs a thousand times faster while a command that a
// client waits for sleeps and no process on the device computes. So the sleeps of a script take no time, and a dead-man's switch beside
// it counts the seconds that the script has slept. While a process computes, the clock runs at a twentieth of the speed, so that scripts
// on a busy machine do not reach their time-outs.
//
// A fast clock stops at every alarm on its way, so that exactly a minute has passed for a script that sleeps a minute.
type Clock struct {
	mu      sync.Mutex
	sim     time.Duration // device's time when the machine's was real
	real    time.Time
	fast    bool
	busy    int      // processes that compute
	alarms  []*Alarm // those that are set, in the order they go off
	timer   *time.Timer
	stopped bool
}

// sleepScale is how much faster a fast clock runs than the machine's, and workScale how much slower one runs while a process computes.
const (
	sleepScale = 1000
	workScale  = 20
)

// Alarm is something to happen at a moment of the device's time.
type Alarm struct {
	Due    time.Duration
	urgent func() bool // reports whether a client waits for it; nil: no client does
	ring   func()
}

func newClock(sim time.Duration) *Clock { return &Clock{sim: sim, real: time.Now()} }

// Now is the device's time since its birth.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at()
}

// at is now, called with c.mu held.
func (c *Clock) at() time.Duration {
	if c.stopped {
		return c.sim
	}
	gone := time.Since(c.real)
	switch {
	case c.busy > 0:
		return c.sim + gone/workScale
	case !c.fast:
		return c.sim + gone
	}
	at := c.sim + gone*sleepScale
	if len(c.alarms) > 0 {
		at = min(at, max(c.alarms[0].Due, c.sim))
	}
	return at
}

// settle takes the time and looks again how fast the clock should run. It is called with c.mu held, after anything has
// changed.
func (c *Clock) settle() {
	if c.stopped {
		return
	}
	c.sim, c.real = c.at(), time.Now()
	for len(c.alarms) > 0 && c.alarms[0].Due <= c.sim {
		a := c.alarms[0]
		c.alarms = c.alarms[1:]
		c.busy++ // the clock does not run off until its process has started
		go func() {
			a.ring()
			c.Work(-1)
		}()
	}
	c.fast = c.busy == 0 && slices.ContainsFunc(c.alarms, func(a *Alarm) bool { return a.urgent != nil && a.urgent() })
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if len(c.alarms) > 0 {
		wait := c.alarms[0].Due - c.sim
		switch {
		case c.busy > 0:
			wait = min(wait, math.MaxInt64/workScale) * workScale
		case c.fast:
			wait = (wait + sleepScale - 1) / sleepScale
		}
		c.timer = time.AfterFunc(wait, c.tick)
	}
}

func (c *Clock) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
}

// Work adds n to the number of processes that compute.
func (c *Clock) Work(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	turns := (c.busy == 0) != (c.busy+n == 0)
	if turns {
		c.sim, c.real = c.at(), time.Now() // until now it ran at the other speed
	}
	c.busy += n
	if turns && len(c.alarms) > 0 {
		c.settle()
	}
}

// Set makes ring be called, in a goroutine of its own, when d has passed.
func (c *Clock) Set(d time.Duration, urgent func() bool, ring func()) *Alarm {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &Alarm{Due: c.at() + d, urgent: urgent, ring: ring}
	i, _ := slices.BinarySearchFunc(c.alarms, a, func(x, a *Alarm) int {
		if x.Due <= a.Due {
			return -1
		}
		return 1
	})
	c.alarms = slices.Insert(c.alarms, i, a)
	c.settle()
	return a
}

// Drop takes an alarm away and reports whether it was still to come.
func (c *Clock) Drop(a *Alarm) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.alarms, a)
	if i < 0 {
		return false
	}
	c.alarms = slices.Delete(c.alarms, i, i+1)
	c.settle()
	return true
}

// Pass advances the clock by d at once, and rings the alarms that were due meanwhile.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sim, c.real = c.at()+d, time.Now()
	c.fast = false
	c.settle()
}

// Hold makes time stand still, with the alarms that are set.
func (c *Clock) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sim, c.stopped = c.at(), true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// Stop ends all alarms, and time with them.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sim, c.stopped, c.alarms = c.at(), true, nil
	if c.timer != nil {
		c.timer.Stop()
	}
}

// idle reports whether no process computes and no alarm is set.
func (c *Clock) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.alarms) == 0 && c.busy == 0
}
