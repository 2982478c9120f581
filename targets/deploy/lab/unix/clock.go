package unix

import (
	"math"
	"slices"
	"sync"
	"time"
)

// Clock is the clock of a device. It normally runs at the speed of the machine's clock. It runs a thousand times faster while a client
// waits for a sleeping command and no process on the device computes. So the sleeps of a script take almost no real time, and a parallel
// dead-man's switch counts the seconds that the script has slept. While a process computes, the clock runs at a twentieth of the speed,
// so that scripts on a busy machine do not reach their time-outs. A fast clock stops at every alarm, so that exactly a minute passes for
// a script that sleeps a minute.
type Clock struct {
	mu      sync.Mutex
	sim     time.Duration // the device's time at the moment real of the machine's clock
	real    time.Time
	fast    bool
	busy    int      // processes that compute
	alarms  []*Alarm // pending alarms, in the order of their times
	timer   *time.Timer
	stopped bool
}

// sleepScale is the speed of a fast clock relative to the machine's clock. workScale is the factor by which a clock is slower while a
// process computes.
const (
	sleepScale = 1000
	workScale  = 20
)

// Alarm is a function call at a time of the device's clock.
type Alarm struct {
	Due    time.Duration
	urgent func() bool // reports whether a client waits for it; nil: no client does
	ring   func()
}

func newClock(sim time.Duration) *Clock { return &Clock{sim: sim, real: time.Now()} }

// Now returns the device's time since its creation.
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

// settle updates the time and chooses the speed of the clock again. It is called with c.mu held, after every change.
func (c *Clock) settle() {
	if c.stopped {
		return
	}
	c.sim, c.real = c.at(), time.Now()
	for len(c.alarms) > 0 && c.alarms[0].Due <= c.sim {
		a := c.alarms[0]
		c.alarms = c.alarms[1:]
		c.busy++ // the clock stays slow until the process of the alarm has started
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
		c.sim, c.real = c.at(), time.Now() // until now the clock ran at the earlier speed
	}
	c.busy += n
	if turns && len(c.alarms) > 0 {
		c.settle()
	}
}

// Set calls ring in a new goroutine after d has passed.
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

// Drop removes an alarm and reports whether it was still pending.
func (c *Clock) Drop(a *Alarm) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.alarms, a)
	if i < 0 {
		return false
	}
	if !c.stopped {
		c.sim, c.real = c.at(), time.Now() // a fast clock stops at the alarm that goes, however late a busy machine comes here
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

// Hold stops the clock and keeps the pending alarms.
func (c *Clock) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sim, c.stopped = c.at(), true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// Stop stops the clock and removes all alarms.
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
