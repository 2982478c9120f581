package deploy

import (
	"slices"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// Order is the order in which a change reaches the devices of a plan, wave after wave. Another package decides it.
type Order struct {
	Waves []*Wave

	// Recheck returns why a wave may no longer begin, given the found state of the devices that it watches. A nil result: the wave may
	// begin. A nil Recheck: every wave may begin.
	Recheck func(w *Wave, found []*Have) error

	// Blocked returns why no wave of a later phase may begin while devices of earlier phases keep their old settings. An empty result, or
	// a nil Blocked: the phase may begin.
	Blocked func(stay []*DevicePlan) string
}

// Wave is a set of devices that are changed at the same time. The next wave begins when all of them have ended.
type Wave struct {
	Phase   int              // switches of one phase are prepared before the first of them is changed
	Devices []*DevicePlan    // in the order of their changes
	Last    []*DevicePlan    // the part of Devices that begins when the others have ended
	Stream  bool             // the devices do not wait for each other
	Watch   []*target.Device // devices that are read directly before and after: the wave counts as the cause of their losses
	Takes   time.Duration    // longest time from begin to end without failures; Last needs this time again

	// Marks contains the switches that must carry the mark of the run while the run goes on. They are the switches of the wave, and the
	// switches whose simultaneous loss would break the promise of the wave. Near contains other switches whose settings the wave relies
	// on. They carry the mark if they answer.
	Marks, Near []*target.Device
}

// Longest returns the longest duration of the wave without failures. The devices that begin last take as long as the others.
func (w *Wave) Longest() time.Duration {
	if !w.Stream && len(w.Last) > 0 && len(w.Last) < len(w.Devices) {
		return 2 * w.Takes
	}
	return w.Takes
}

// First returns the devices that do not begin last.
func (w *Wave) First() []*DevicePlan {
	if len(w.Last) == 0 {
		return w.Devices
	}
	return slices.DeleteFunc(slices.Clone(w.Devices), func(d *DevicePlan) bool { return slices.Contains(w.Last, d) })
}

// Reverse returns the order for an undo: the last wave first.
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

// PlainOrder returns the order for devices whose fabric is not known. It goes phase by phase, with at most the given number of devices at
// the same time; 0: any number.
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
