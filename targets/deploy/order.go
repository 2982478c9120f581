package deploy

import (
	"slices"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// Order is how a change goes over the devices of a plan, wave after wave. What decided it is not for this package to know.
type Order struct {
	Waves []*Wave

	// Recheck reports why a wave may not begin any more, now that the devices it watches were found so; nil: it may. A nil Recheck: every
	// wave may.
	Recheck func(w *Wave, found []*Have) error

	// Blocked returns why no wave of a later phase may begin while devices of earlier ones stay as they are; empty: it may. A nil
	// Blocked: it may.
	Blocked func(stay []*DevicePlan) string
}

// Wave is a set of devices that are changed at the same time. The next wave begins when all of them have ended.
type Wave struct {
	Phase   int              // switches of one phase are prepared before the first of them is changed
	Devices []*DevicePlan    // in the order they begin
	Last    []*DevicePlan    // of these, those that begin when the others have ended
	Stream  bool             // they do not wait for each other
	Watch   []*target.Device // are read right before and after: the wave has caused their losses
	Takes   time.Duration    // from begin to end, at most, without failures

	// Marks are the switches that carry the mark of the run while it goes on. They are those of the wave, and those whose loss together
	// with them would break the promise of the wave. Near are other switches whose settings the wave relies on. They carry the mark if
	// they answer.
	Marks, Near []*target.Device
}

// Longest returns how long the wave takes from begin to end, at most, without failures: those that begin last take as long as the others.
func (w *Wave) Longest() time.Duration {
	if !w.Stream && len(w.Last) > 0 && len(w.Last) < len(w.Devices) {
		return 2 * w.Takes
	}
	return w.Takes
}

// First are the devices that do not come last.
func (w *Wave) First() []*DevicePlan {
	if len(w.Last) == 0 {
		return w.Devices
	}
	return slices.DeleteFunc(slices.Clone(w.Devices), func(d *DevicePlan) bool { return slices.Contains(w.Last, d) })
}

// Reverse is the order of going back: the last wave first.
func (o *Order) Reverse() *Order {
	r := *o
	r.Waves = slices.Clone(o.Waves)
	slices.Reverse(r.Waves)
	return &r
}

// PhaseOf returns the phase of a device: first switches, then hosts, then switches that remove a lossless class. In this order every
// mixture of old and new settings is lossless.
func PhaseOf(d *DevicePlan) int {
	switch {
	case d.Device.Role == target.Host:
		return 1
	case d.Removing:
		return 2
	}
	return 0
}

// PlainOrder is the order of devices whose fabric is not known: phase by phase, so many at the same time; 0: any number.
func PlainOrder(p *Plan, parallel int) *Order {
	o := &Order{}
	for phase := range 3 {
		var of []*DevicePlan
		for _, d := range p.Devices {
			if d.Status == StatusChange && PhaseOf(d) == phase {
				of = append(of, d)
			}
		}
		if len(of) == 0 {
			continue
		}
		if parallel <= 0 {
			parallel = len(of)
		}
		for batch := range slices.Chunk(of, parallel) {
			o.Waves = append(o.Waves, &Wave{Phase: phase, Devices: batch})
		}
	}
	return o
}
