package ir

import (
	"time"
	"unique"
)

// Knowledge is how a value of a device is known.
type Knowledge uint8

// The kinds of knowledge.
const (
	NotKnown Knowledge = iota
	Stated             // the configuration states it
	Default            // the configuration leaves it out, and the system has this value then
)

// Setting is one value of a device, and how it is known. The zero value is not known.
type Setting[T comparable] struct {
	Value T
	Is    Knowledge
}

// Of returns a value that the configuration states.
func Of[T comparable](v T) Setting[T] { return Setting[T]{v, Stated} }

// ByDefault returns a value that the system has where the configuration states none.
func ByDefault[T comparable](v T) Setting[T] { return Setting[T]{v, Default} }

// Known reports whether there is a value.
func (s Setting[T]) Known() bool { return s.Is != NotKnown }

// Detail is the settings of a port beside those that packets notice hop by hop: its buffers, queues, limits and watchdog. Equal details
// are ==, whatever device they come from, so that alike ports stay one. The zero value is a port of which none is known.
type Detail struct{ of unique.Handle[PortDetail] }

// NewDetail returns the detail with some values.
func NewDetail(d PortDetail) Detail {
	if d == UnknownDetail() {
		return Detail{}
	}
	return Detail{unique.Make(d)}
}

// Get returns the values.
func (d Detail) Get() PortDetail {
	if d == (Detail{}) {
		return UnknownDetail()
	}
	return d.of.Value()
}

// PortDetail is the values of a [Detail]. Indices are of cos, of priority groups, or of queues, 0 to 7.
type PortDetail struct {
	Queue [8]int8 // by cos: the queue that it leaves by; -1: not known
	Group [8]int8 // by cos: the priority group that buffers it; -1: not known

	DefaultCos Setting[int8] // the cos of packets that have no trusted field

	Groups [8]GroupSettings
	Queues [8]QueueSettings

	Shaper        Setting[int64] // the most that the port sends, in bit/s; 0: it has no shaper
	RewriteDSCP   Setting[bool]  // it changes the DSCP of packets that leave
	RewritePCP    Setting[bool]  // it changes their PCP
	AsymmetricPFC Setting[bool]  // it obeys all priorities, and asks for those that are lossless (SONiC: pfc_asym)
	Speed         Setting[int64] // bit/s, where the configuration states it
	Cable         Setting[int]   // metres, where the configuration states them
	MTU           Setting[int]   // bytes of a frame's payload, where the configuration states them
	Watchdog      WatchdogSettings

	PFC     Setting[uint8]   // of a NIC: priorities with PFC, also where it is not known whether it has link pause instead
	VLANMap Setting[[8]int8] // of a NIC, by socket priority: the PCP that its VLAN interface gives packets
}

// UnknownDetail is the values of a port of which none is known.
func UnknownDetail() PortDetail {
	var d PortDetail
	for cos := range 8 {
		d.Queue[cos], d.Group[cos] = -1, -1
	}
	return d
}

// GroupSettings is a priority group of a port: the buffer of packets that came in.
type GroupSettings struct {
	Buffer    Setting[int]    // bytes that it has for itself
	Xoff      Setting[int]    // bytes that fill it before the port asks for a pause, where that is a number
	Xon       Setting[int]    // bytes at which the pause ends
	XonOffset Setting[int]    // bytes below Limit at which the pause ends, where that is more than Xon
	Headroom  Setting[int]    // bytes that it takes after it has asked for a pause
	Limit     Setting[Limit]  // of the shared memory that it takes
	Pool      Setting[string] // the pool of the shared memory
	Lossless  Setting[bool]   // the system treats it so
}

// QueueSettings is an egress queue of a port.
type QueueSettings struct {
	Strict           Setting[bool]
	Share            Setting[int]   // DWRR weight, or percent
	MinRate, MaxRate Setting[int64] // bit/s; 0: no limit
	ECN              Setting[bool]  // it marks packets
	MarkMin, MarkMax Setting[int]   // bytes of the queue, as the configuration states them
	Probability      Setting[int]   // percent at MarkMax
	Unmarkable       Setting[Fate]  // of packets that ask for no marks, where others are marked
	Drop             Setting[bool]  // WRED drops packets of this queue
	DropMin, DropMax Setting[int]   // bytes, of packets that WRED drops
	Limit            Setting[Limit] // of the shared memory that it takes
	Pool             Setting[string]
}

// Fate is what becomes of a packet.
type Fate uint8

// The fates.
const (
	Passed  Fate = iota // it is queued as others are
	Dropped             // WRED drops it
)

// LimitKind is how a limit of shared memory is stated.
type LimitKind uint8

// The kinds of limits.
const (
	LimitNone    LimitKind = iota // it takes all that there is
	LimitAlpha                    // N is the binary logarithm of the part of the free memory: alpha 1/128 is -7
	LimitZero                     // alpha 0: it takes no shared memory
	LimitBytes                    // N is in bytes
	LimitPercent                  // N is percent of the pool
)

// Limit is the most shared memory that a group or a queue takes.
type Limit struct {
	Kind LimitKind
	N    int
}

// WatchdogAction is the action of a watchdog on a queue that stays paused.
type WatchdogAction uint8

// The actions.
const (
	WatchdogOff     WatchdogAction = iota
	WatchdogDrop                   // packets of the queue are dropped until it moves again
	WatchdogForward                // pauses for the queue are ignored until it moves again
	WatchdogAlert                  // a message, and nothing else
)

// WatchdogSettings is the watchdog of a port that ends pauses which never end.
type WatchdogSettings struct {
	Action  Setting[WatchdogAction]
	Watches Setting[uint8] // priorities
	Poll    Setting[time.Duration]
	Detect  Setting[time.Duration]
	Restore Setting[time.Duration]
}

// PoolMode is how limits of a pool are counted.
type PoolMode uint8

// The modes.
const (
	PoolStatic  PoolMode = iota // limits are bytes
	PoolDynamic                 // limits are fractions of the free memory
)

// Pool is a pool of the memory of a switch.
type Pool struct {
	Ingress, Egress bool         // packets of which side it counts
	Size            Setting[int] // bytes
	Percent         Setting[int] // of the memory
	Mode            Setting[PoolMode]
	Shared          Setting[int] // bytes of headroom that ports share
	Infinite        Setting[bool]
}

// Moment is when the settings of a device hold.
type Moment uint8

// The moments.
const (
	MomentUnknown Moment = iota
	Stored               // in a file that the system reads when it starts
	Running              // the system has taken them over
	Loaded               // the chip works by them
)

// String names the moment.
func (m Moment) String() string {
	return [...]string{"at an unknown moment", "stored", "running", "loaded by the chip"}[min(int(m), 3)]
}

// System is the part of a device's configuration about the device itself.
type System struct {
	OS, Release, Model, Chip Setting[string]
	Driver, Firmware         Setting[string] // of the NICs of a host; where they differ, all of them, in order, parted by ", "
	Preset                   Setting[string] // an opaque name, such as that of a vendor's RoCE mode
	SKU                      Setting[string] // the vendor's name of the hardware and its ports, where it is more than the model (SONiC: hwsku)
}

// transition is the value during a change: known where both are alike.
func transition[T comparable](a, b Setting[T]) Setting[T] {
	if a.Value == b.Value && a.Known() && b.Known() {
		return b
	}
	return Setting[T]{}
}

// least is the smaller value during a change, most the greater: a bound that holds for both sides.
func least[T int | int64 | time.Duration](a, b Setting[T]) Setting[T] {
	if !a.Known() || !b.Known() {
		return Setting[T]{}
	}
	if a.Value < b.Value {
		return a
	}
	return b
}

func most[T int | int64 | time.Duration](a, b Setting[T]) Setting[T] {
	if !a.Known() || !b.Known() {
		return Setting[T]{}
	}
	if a.Value > b.Value {
		return a
	}
	return b
}

// Transition returns the detail while a device is between two. Where a bound holds for both sides it returns that bound: the smaller
// buffer, headroom and shaper, the earlier pause. Other values it returns only if both sides have them.
func (d Detail) Transition(next Detail) Detail {
	if d == next {
		return d
	}
	a, b := d.Get(), next.Get()
	out := PortDetail{
		DefaultCos: transition(a.DefaultCos, b.DefaultCos),
		Shaper:     slower(a.Shaper, b.Shaper), RewriteDSCP: transition(a.RewriteDSCP, b.RewriteDSCP),
		RewritePCP: transition(a.RewritePCP, b.RewritePCP), AsymmetricPFC: transition(a.AsymmetricPFC, b.AsymmetricPFC),
		Speed: transition(a.Speed, b.Speed), Cable: transition(a.Cable, b.Cable), MTU: least(a.MTU, b.MTU),
		PFC: transition(a.PFC, b.PFC), VLANMap: transition(a.VLANMap, b.VLANMap),
		Watchdog: WatchdogSettings{
			Action: transition(a.Watchdog.Action, b.Watchdog.Action), Watches: transition(a.Watchdog.Watches, b.Watchdog.Watches),
			Poll: most(a.Watchdog.Poll, b.Watchdog.Poll), Detect: most(a.Watchdog.Detect, b.Watchdog.Detect),
			Restore: most(a.Watchdog.Restore, b.Watchdog.Restore),
		},
	}
	for i := range 8 {
		out.Queue[i], out.Group[i] = same(a.Queue[i], b.Queue[i]), same(a.Group[i], b.Group[i])
		out.Groups[i] = a.Groups[i].transition(b.Groups[i])
		out.Queues[i] = a.Queues[i].transition(b.Queues[i])
	}
	return NewDetail(out)
}

// same is the number that both sides have; -1: they differ.
func same(a, b int8) int8 {
	if a == b {
		return b
	}
	return -1
}

// slower is the lower of two rates, of which 0 bounds nothing.
func slower(a, b Setting[int64]) Setting[int64] {
	if a.Known() && b.Known() {
		if a.Value == 0 {
			return b
		}
		if b.Value == 0 {
			return a
		}
	}
	return least(a, b)
}

func (g GroupSettings) transition(next GroupSettings) GroupSettings {
	return GroupSettings{
		Buffer: least(g.Buffer, next.Buffer), Xoff: least(g.Xoff, next.Xoff), Xon: least(g.Xon, next.Xon),
		Headroom: least(g.Headroom, next.Headroom), Limit: tighter(g.Limit, next.Limit), Pool: transition(g.Pool, next.Pool),
		Lossless: transition(g.Lossless, next.Lossless), XonOffset: most(g.XonOffset, next.XonOffset),
	}
}

func (q QueueSettings) transition(next QueueSettings) QueueSettings {
	return QueueSettings{
		Strict: transition(q.Strict, next.Strict), Share: transition(q.Share, next.Share), MinRate: least(q.MinRate, next.MinRate),
		MaxRate: slower(q.MaxRate, next.MaxRate), ECN: transition(q.ECN, next.ECN), MarkMin: transition(q.MarkMin, next.MarkMin),
		MarkMax: transition(q.MarkMax, next.MarkMax), Probability: transition(q.Probability, next.Probability),
		Unmarkable: transition(q.Unmarkable, next.Unmarkable), Drop: transition(q.Drop, next.Drop), DropMin: least(q.DropMin, next.DropMin),
		DropMax: least(q.DropMax, next.DropMax), Limit: tighter(q.Limit, next.Limit), Pool: transition(q.Pool, next.Pool),
	}
}

// tighter is the smaller one of two limits that are stated in one unit.
func tighter(a, b Setting[Limit]) Setting[Limit] {
	switch {
	case !a.Known() || !b.Known() || a.Value.Kind != b.Value.Kind:
		return Setting[Limit]{}
	case a.Value.N < b.Value.N:
		return a
	}
	return b
}

// transition is a pool of both sides: it has at least the smaller size.
func (p Pool) transition(next Pool) Pool {
	return Pool{
		Ingress: p.Ingress, Egress: p.Egress, Size: least(p.Size, next.Size), Percent: least(p.Percent, next.Percent),
		Mode: transition(p.Mode, next.Mode), Shared: least(p.Shared, next.Shared), Infinite: transition(p.Infinite, next.Infinite),
	}
}

// transition returns the values that a device states about itself on both sides.
func (s *System) transition(next *System) System {
	return System{
		OS: transition(s.OS, next.OS), Release: transition(s.Release, next.Release), Model: transition(s.Model, next.Model),
		Chip: transition(s.Chip, next.Chip), Driver: transition(s.Driver, next.Driver), Firmware: transition(s.Firmware, next.Firmware),
		Preset: transition(s.Preset, next.Preset), SKU: transition(s.SKU, next.SKU),
	}
}
