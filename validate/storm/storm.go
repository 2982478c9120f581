// Package storm finds where the [Pauses] of a network begin, from counters of pauses that were read several times.
//
// A pause travels against the traffic: a buffer that cannot drain pauses the port that fills it. So the ports that wait form a tree. Its
// root is the origin: a device that pauses for nearly the whole time, although no port by which it would drain is itself paused. A host
// takes packets off the network, so a host that pauses for so long is always an origin. A switch is an origin only if one of its queues
// holds packets, sends none and is not paused. A queue that sends is congestion, which is what pauses are for: it accuses no device.
//
// The counters of both ends of a cable count the same pauses, so one end is enough. If neither end was read, the origin may be there, and
// the result is that it is not known. A name needs two windows that agree. The package is pure: its input is a fabric and readings.
package storm

import (
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// Reading contains the counters of the devices of a fabric, read at nearly the same time. A device that is missing was not asked.
type Reading map[*ir.Device]*Counters

// Counters contains the counters of one device, at one moment.
type Counters struct {
	Asked  time.Time     // before they were read; zero: not known
	When   time.Time     // after they were read; zero: not known
	Uptime time.Duration // the time since the device started, by its own clock; 0: not known
	From   string        // the address that answered; empty: not known
	Every  time.Duration // the interval in which the device renews its counters; 0: they are those of the moment
	Queues time.Duration // the interval in which it renews the counters of queues, if that is longer than Every; 0: it is not
	Ports  []ir.PauseCounters
	Failed string // why the device was not read, as part of a sentence; empty: it was read
	Unread string // why counters are missing, as part of a sentence; empty: no reason is known

	// Watchdogs are the watchdogs of the ports, by the configuration of the device. Nil: it was not read.
	Watchdogs map[string]ir.WatchdogSettings
}

// Conclusion is the result for a whole fabric.
type Conclusion string

// The conclusions, from the gravest.
const (
	Storm   Conclusion = "storm"     // a device pauses for nearly the whole time, and is the origin
	Lock    Conclusion = "lock"      // buffers wait for each other in a circle, and none of its queues sends
	Unknown Conclusion = "not-known" // ports are paused for nearly the whole time, and the origin may be where nothing was read
	Short   Conclusion = "short"     // ports are paused, but the pauses are short or the queues behind them send
	Quiet   Conclusion = "quiet"     // no port that was read is paused
	Unread  Conclusion = "unread"    // no port was read in two readings
)

// Nearly is the share of a window from which a pause counts as a storm. A congested port with n senders pauses each for 1-1/n of the time,
// so a share alone never accuses a switch.
const Nearly = 0.9

// Pauses is the result: who pauses whom, and where that begins.
type Pauses struct {
	Verdict   Conclusion
	Windows   int           // between readings
	Length    time.Duration // of the shortest window of any device; 0: unknown
	Origins   []OriginPort
	Locks     []Circle
	Hidden    []Hidden
	Congested []*ir.Port   // ports that send and are not paused, where pauses of the whole time begin
	Waits     []PausedPort // every paused port and priority
	Cut       []PausedPort // ports whose watchdog has cut the queue in a window
	Cutting   []PausedPort // ports whose watchdog cuts the queue in the last reading
	More      int          // further origins, whose ports that wait were not counted

	Ports, Judged int        // lossless priorities of ports that can be paused, and those whose pauses were read
	Missing       []*ir.Port // ports of Ports that are not in Judged
	Silent        []*ir.Device
	Why           map[*ir.Device]string // why a device is in Silent, or has no counters
	Untimed       map[*ir.Device]string // why the readings of a device make no window, as part of a sentence
}

// PausedPort is a port that is paused in a priority by the other end of its cable.
type PausedPort struct {
	Port *ir.Port
	Cos  int

	Least, Most float64 // bounds of the share of the time in which it was paused, in every window
	Frames      float64 // received frames of PFC per second, in the busiest window; -1: not known
	By          Source
}

// Source is how the share of a [PausedPort] is known.
type Source string

// The sources.
const (
	ByTime   Source = "time"   // a counter of time
	ByFrames Source = "frames" // frames alone: the bound is the longest time that so many frames can pause
	ByStall  Source = "stall"  // frames arrive, the queue holds packets, and it sends none
)

// Sample is a counter with its values in the readings.
type Sample struct {
	Port   *ir.Port // where it was read
	Name   string   // such as "received pause time"
	Unit   string   // "us", "frames", "packets", "B"
	Values []uint64
}

// OriginKind is how a port is an origin.
type OriginKind string

// The kinds of origins.
const (
	HostPauses   OriginKind = "host"   // a host pauses its switch
	QueueHolds   OriginKind = "queue"  // a queue of a switch holds packets, sends none, and is not paused
	SwitchPauses OriginKind = "switch" // a switch pauses, and its queues neither send nor are paused
)

// OriginPort is a port where a storm begins.
type OriginPort struct {
	Kind      OriginKind
	Port      *ir.Port // a host: its port. A queue: the port of the queue. A switch: the port that pauses
	Cos       int
	Least     float64      // the share for which it pauses, in every window
	Waits     []PausedPort // the ports that wait behind it, the nearest first
	Hosts     []*ir.Device
	Watchdogs []Watchdog // of Waits: ports with a watchdog on the priority, the nearest first
	Counters  []Sample
}

// Watchdog is a port that waits and has a watchdog on the priority. It would cut the queue there.
type Watchdog struct {
	Port *ir.Port
	By   WatchdogSource
}

// WatchdogSource is how a [Watchdog] is known.
type WatchdogSource string

// The sources, from the surest.
const (
	ByCounter       WatchdogSource = "counter"       // the device counts its cuts
	ByConfiguration WatchdogSource = "configuration" // the configuration of the device turns it on
	ByFabric        WatchdogSource = "fabric"        // rocec writes it, and the configuration of the device was not read
)

// Circle is a circle of buffers that wait for each other.
type Circle struct {
	Cos   int
	Waits []PausedPort // each waits for the next one, and the last one for the first
	Ports int          // ports that wait behind the circle, without its own
	Hosts []*ir.Device
}

// Hidden is a place where an origin may be.
type Hidden struct {
	Why    Doubt
	Device *ir.Device // that may be the origin, or has the ports
	Ports  []*ir.Port
	Cos    int
}

// Doubt is why a place is hidden.
type Doubt string

// The doubts.
const (
	NoAnswer   Doubt = "no-answer"   // the device did not answer, and pauses other ports
	NoPauses   Doubt = "no-pauses"   // neither end of the cables has counters of pauses
	NoTime     Doubt = "no-time"     // frames are counted and time is not, so the pause may be long
	NoProgress Doubt = "no-progress" // whether the queues of the ports send was not read
	Differs    Doubt = "differs"     // the port is paused for nearly the whole time in one window and not in the other
	OneWindow  Doubt = "one-window"  // a name needs two windows that agree
)
