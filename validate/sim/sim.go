// Package sim sends traffic through a compiled fabric, frame by frame, and reports what its buffers do. A [Scenario] has flows, the rates
// of their senders and of slow receivers. Its outcome has the first mark, the pauses, the lost frames, and the buffers that lock each
// other.
//
// Sizes are bytes and times are picoseconds. Every cable has its speed and its length, every lossless buffer the xoff, xon and headroom of
// the fabric, every switch its pool of memory, and every queue its ECN thresholds. A pause takes effect after the time that the fabric's
// headroom assumes. Only the devices on the paths of the flows are simulated, so the size of the fabric does not matter. Equal scenarios
// have equal outcomes.
//
// The model leaves out: congestion control (senders keep their rate), cut-through, the weights of queues, other traffic, the buffers of
// hosts, losses of frames and pauses on cables, and watchdogs. So "locks in this simulation" is no prediction, and no run proves that a
// fabric is free: only package proof does that. The simulator of package oracle judges the same question for tests, in slots of one packet.
// The two share no code.
package sim

import (
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// Load is a flow and the rate at which its sender offers frames.
type Load struct {
	Flow    *ir.Flow
	Percent int // of the line rate of the flow's first cable, 1 to 100
}

// Full returns a load for every flow, at line rate.
func Full(flows []*ir.Flow) []Load {
	out := make([]Load, len(flows))
	for i, f := range flows {
		out[i] = Load{f, 100}
	}
	return out
}

// Scenario is the input of one simulation.
type Scenario struct {
	Loads     []Load
	Receivers map[*ir.Port]int // by port of a receiving host: percent of line rate at which it takes frames; without an entry, 100
	Sends     time.Duration    // the hosts stop sending after this time, or when buffers lock; 0: [Scenario.Long]
	Seed      uint64           // of the marks, of the times at which flows begin, and of the jitter

	// Jitter lets a message of a pause take effect at any time up to the one that headroom assumes, and lets senders below line rate send at
	// uneven times. Without it every message takes the longest time, which is the worst case for headroom.
	Jitter bool

	Work int // events after which the simulation ends; 0: DefaultWork
}

// DefaultWork is the bound on the events of one run: sending, arrival, pause and resume.
const DefaultWork = 20_000_000

// Buffer is the ingress buffer that counts frames of a group that come in by a port. Group is nil if the port counts all groups in one.
type Buffer struct {
	In    *ir.Port
	Group *ir.CosGroup
}

// Moment is the first mark.
type Moment struct {
	At    time.Duration
	Out   *ir.Port
	Group *ir.CosGroup
	Queue int // bytes in the queue
}

// Pause has the pauses of one buffer.
type Pause struct {
	Buffer
	At       time.Duration // when the port decides to send the first one
	Times    int
	For      time.Duration // the sum of the times from a pause to its end
	Xoff     int           // bytes in the buffer when it first paused
	Fill     int           // the most bytes in the buffer
	Headroom int           // the most bytes of headroom in use
	Room     int           // bytes of headroom; -1: not known, and without a bound in the simulation
}

// Drop has the frames that a buffer had no room for.
type Drop struct {
	Buffer
	At       time.Duration // the first one
	Frames   int
	Lossless bool // false: the group is lossy there
	Obeyed   bool // the other end obeys the pauses of the buffer
}

// Observed is the result of a simulation.
type Observed struct {
	Mark      *Moment
	Marked    int     // frames with a mark
	Pauses    []Pause // by the time of the first
	Drops     []Drop  // by the time of the first
	Delivered []int   // frames that reached the receiver, by load

	Locked   []Buffer // buffers that wait for each other for ever, in order of ports; empty: none
	LockedAt time.Duration

	Stopped time.Duration // when the hosts stopped sending
	Empty   time.Duration // when the last frame had left the devices, after that; not set unless Drained
	Drained bool          // every frame has left the devices
	Left    int           // bytes that stay in buffers

	Assumed []Buffer // lossless buffers whose sizes are not known: they pause at AssumedXoff, and lose nothing
	Events  int
	Ended   bool // Work ended the simulation: the other members have what happened before
}
