package ir

import (
	"time"
	"unique"
)

// Knowledge tells how a value of a device is known.
type Knowledge uint8

// The kinds of knowledge.
const (
	NotKnown Knowledge = iota
	Stated             // the configuration states it
	Default            // the configuration omits the value, and the system then has this one
)

// Setting is one value of a device, and how it is known. The zero Setting is unknown.
type Setting[T comparable] struct {
	Value T
	Is    Knowledge
}

// Of returns a value that the configuration states.
func Of[T comparable](v T) Setting[T] { return Setting[T]{v, Stated} }

// ByDefault returns a value that the system has if the configuration omits it.
func ByDefault[T comparable](v T) Setting[T] { return Setting[T]{v, Default} }

// Known reports whether there is a value.
func (s Setting[T]) Known() bool { return s.Is != NotKnown }

// Detail contains the settings of a port that do not change how a packet is sorted and paused at each hop: its buffers, queues, limits and
// watchdog. Equal details are ==, even from different devices, so that equal ports share one value. In the zero Detail no value is known.
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

// PortDetail contains the values of a [Detail]. Arrays are indexed by cos, priority group or queue, 0 to 7.
type PortDetail struct {
	Queue [8]int8 // by cos: its egress queue; -1: unknown
	Group [8]int8 // by cos: the priority group that buffers it; -1: unknown

	DefaultCos Setting[int8] // the cos of packets without a trusted field

	Groups [8]GroupSettings
	Queues [8]QueueSettings

	Shaper        Setting[int64] // the port's rate limit in bit/s; 0: no shaper
	RewriteDSCP   Setting[bool]  // the port changes the DSCP of outgoing packets
	RewritePCP    Setting[bool]  // the port changes the PCP of outgoing packets
	AsymmetricPFC Setting[bool]  // the port obeys all priorities, and sends pauses for the lossless ones (SONiC: pfc_asym)
	Speed         Setting[int64] // bit/s, if the configuration states it
	Cable         Setting[int]   // metres, if the configuration states it
	MTU           Setting[int]   // bytes of a frame's payload, if the configuration states it
	Watchdog      WatchdogSettings

	PFC     Setting[uint8]   // for a NIC: priorities with PFC, even if it is unknown whether the NIC uses link pause instead
	VLANMap Setting[[8]int8] // for a NIC, by socket priority: the PCP that its VLAN interface gives packets
}

// UnknownDetail returns a detail in which no value is known.
func UnknownDetail() PortDetail {
	var d PortDetail
	for cos := range 8 {
		d.Queue[cos], d.Group[cos] = -1, -1
	}
	return d
}

// GroupSettings is a priority group of a port: the buffer of incoming packets.
type GroupSettings struct {
	Buffer    Setting[int]    // bytes reserved for the group
	Xoff      Setting[int]    // bytes in the group at which the port sends a pause, if that is a number
	Xon       Setting[int]    // bytes at which the pause ends
	XonOffset Setting[int]    // bytes below Limit at which the pause ends, if that is more than Xon
	Headroom  Setting[int]    // bytes that the group accepts after sending a pause
	Limit     Setting[Limit]  // of the shared memory that the group uses
	Pool      Setting[string] // the pool of the shared memory
	Lossless  Setting[bool]   // the system treats the group as lossless
}

// QueueSettings is an egress queue of a port.
type QueueSettings struct {
	Strict           Setting[bool]
	Share            Setting[int]   // DWRR weight, or percent
	MinRate, MaxRate Setting[int64] // bit/s; 0: no limit
	ECN              Setting[bool]  // the queue marks packets
	MarkMin, MarkMax Setting[int]   // queue lengths in bytes, as the configuration states them
	Probability      Setting[int]   // percent at MarkMax
	Unmarkable       Setting[Fate]  // for packets without ECN bits, if other packets are marked
	Drop             Setting[bool]  // WRED drops packets of this queue
	DropMin, DropMax Setting[int]   // queue lengths in bytes, for packets that WRED drops
	Limit            Setting[Limit] // of the shared memory that the queue uses
	Pool             Setting[string]
}

// Fate tells what happens to a packet.
type Fate uint8

// The fates.
const (
	Passed  Fate = iota // the packet is queued like others
	Dropped             // WRED drops the packet
)

// LimitKind is the unit of a limit of shared memory.
type LimitKind uint8

// The kinds of limits.
const (
	LimitNone    LimitKind = iota // no limit
	LimitAlpha                    // N is the binary logarithm of the usable part of the free memory: alpha 1/128 is -7
	LimitZero                     // alpha 0: no shared memory
	LimitBytes                    // N is in bytes
	LimitPercent                  // N is percent of the pool
)

// Limit is the largest amount of shared memory that a group or a queue may use.
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
	WatchdogAlert                  // only a message
)

// WatchdogSettings is the watchdog of a port, which ends stuck pauses.
type WatchdogSettings struct {
	Action  Setting[WatchdogAction]
	Watches Setting[uint8] // priorities
	Poll    Setting[time.Duration]
	Detect  Setting[time.Duration]
	Restore Setting[time.Duration]
}

// Ends reports whether a watchdog ends the pauses of a priority; not known: the settings do not say it. A watchdog that only reports does
// not end them.
func (w *WatchdogSettings) Ends(cos int) (ends, known bool) {
	switch {
	case !w.Action.Known():
		return false, false
	case w.Action.Value != WatchdogDrop && w.Action.Value != WatchdogForward:
		return false, true
	case !w.Watches.Known():
		return false, false
	}
	return w.Watches.Value>>cos&1 == 1, true
}

// PoolMode is the way in which limits of a pool are counted.
type PoolMode uint8

// The modes.
const (
	PoolStatic  PoolMode = iota // limits are bytes
	PoolDynamic                 // limits are fractions of the free memory
)

// Pool is a pool of the memory of a switch.
type Pool struct {
	Ingress, Egress bool         // the direction of the packets that the pool counts
	Size            Setting[int] // bytes
	Percent         Setting[int] // of the memory
	Mode            Setting[PoolMode]
	Shared          Setting[int] // bytes of headroom that ports share
	Infinite        Setting[bool]
}

// Moment is the state of a device in which settings were read.
type Moment uint8

// The moments.
const (
	MomentUnknown Moment = iota
	Stored               // in a file that the system reads at its start
	Running              // the running system has loaded them
	Loaded               // the chip uses them
)

// String names the moment.
func (m Moment) String() string {
	return [...]string{"at an unknown moment", "stored", "running", "loaded by the chip"}[min(int(m), 3)]
}

// System contains the settings of the device as a whole.
type System struct {
	OS, Release, Model, Chip Setting[string]
	Driver, Firmware         Setting[string] // for the NICs of a host; if they differ, all of them, in order, separated by ", "
	Preset                   Setting[string] // an opaque name, such as that of a vendor's RoCE mode
	SKU                      Setting[string] // the vendor's name of the hardware and its ports, if it is more than the model (SONiC: hwsku)
}

// transition returns the value during a change: it is known if both sides have the same value.
func transition[T comparable](a, b Setting[T]) Setting[T] {
	if a.Value == b.Value && a.Known() && b.Known() {
		return b
	}
	return Setting[T]{}
}

// least returns the smaller of two values and most the larger, as a bound for both sides of a change.
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

// Transition returns the detail of a device during a change from d to next. For sizes and rates it returns a bound for both sides: the
// smaller buffer, headroom and shaper, the earlier pause. Other values are known only if both sides have the same.
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

// same returns the number that both sides have; -1: they differ.
func same(a, b int8) int8 {
	if a == b {
		return b
	}
	return -1
}

// slower returns the lower of two rates; 0 means no limit.
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

// tighter returns the smaller of two limits with the same unit.
func tighter(a, b Setting[Limit]) Setting[Limit] {
	switch {
	case !a.Known() || !b.Known() || a.Value.Kind != b.Value.Kind:
		return Setting[Limit]{}
	case a.Value.N < b.Value.N:
		return a
	}
	return b
}

// transition returns a pool during a change: it has at least the smaller size.
func (p Pool) transition(next Pool) Pool {
	return Pool{
		Ingress: p.Ingress, Egress: p.Egress, Size: least(p.Size, next.Size), Percent: least(p.Percent, next.Percent),
		Mode: transition(p.Mode, next.Mode), Shared: least(p.Shared, next.Shared), Infinite: transition(p.Infinite, next.Infinite),
	}
}

// transition returns the settings of the device as a whole that are equal on both sides.
func (s *System) transition(next *System) System {
	return System{
		OS: transition(s.OS, next.OS), Release: transition(s.Release, next.Release), Model: transition(s.Model, next.Model),
		Chip: transition(s.Chip, next.Chip), Driver: transition(s.Driver, next.Driver), Firmware: transition(s.Firmware, next.Firmware),
		Preset: transition(s.Preset, next.Preset), SKU: transition(s.SKU, next.SKU),
	}
}
