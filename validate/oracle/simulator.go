package oracle

import (
	"math/rand/v2"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Line is the rate of one packet per slot, which every cable has.
const Line = 1 << 10

// Load is a flow and the rate at which its host offers packets, in 1/Line of line rate.
type Load struct {
	Flow *ir.Flow // of two cables or more; if its last port is at a switch, packets are dropped there (TTL)
	Rate int
}

// Simulation is one run of flows through switches that pause each other. Time runs in slots of one packet.
//
// Every ingress buffer counts the packets that came in by it and are still in the switch, in whatever egress queue. It pauses its peer
// when it holds more than Xoff packets, and ends the pause at Xon. There is one FIFO queue per egress port and cos group.
type Simulation struct {
	Loads     []Load
	Receivers map[*ir.Port]int // by host port: the rate at which the host receives, in 1/Line of line rate; without an entry, line rate
	Delay     int              // one way, in slots, at least 1
	Xoff, Xon int              // packets
	Headroom  int              // packets that fit into a buffer beyond Xoff; more are lost. Negative: no bound
	Slots     int
	Seed      uint64
}

// Outcome is the result of a run.
type Outcome struct {
	Locked    []Buffer // the buffers that wait for each other for ever, in order of ports; empty: none
	Slot      int      // the slot the run ended in
	Fill      int      // the most packets that a lossless buffer held
	Delivered int      // packets that reached their hosts
	Lost      int      // packets for which a lossless buffer had no room
}

// leg is one cable of a flow: the egress queue before it, and the ingress buffer behind it.
type leg struct {
	queue  int32
	buffer int32 // -1: the leg ends at the receiver
}

// packet is a flow and the leg it is on, flow<<8 | leg.
type packet uint32

type queue struct {
	waitsFor int32 // the buffer at the other end that pauses it; -1: none does
	ring     []packet
	head, n  int
	own      int // packets in it that the host itself sends
}

func (q *queue) push(p packet) {
	if q.n == len(q.ring) {
		bigger := make([]packet, max(16, 2*len(q.ring)))
		for i := range q.n {
			bigger[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = p
	q.n++
}

func (q *queue) pop() packet {
	p := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return p
}

// channel is one direction of a cable.
type channel struct {
	queues       []int32
	rate, tokens int
}

type buffer struct {
	Buffer
	lossless bool
	count    int
	asked    bool // the last message it sent was a pause
	since    int  // the slot of that message
	paused   bool // the last message that arrived at its peer was a pause
}

type message struct {
	buffer int32
	pause  bool
}

type run struct {
	Simulation
	random   *rand.Rand
	flows    [][]leg
	tokens   []int // by flow
	own      []int // by flow: unsent packets in its host
	queues   []queue
	channels []channel
	buffers  []buffer
	messages [][]message // on their way, by the slot they are due in, modulo Delay+1
	wire     [][]packet  // as above
	orders   [][]int32   // of the channels
	out      Outcome
}

// Run runs the simulation until buffers are locked, or to the last slot. Equal Simulations have equal Outcomes.
func (s Simulation) Run() Outcome {
	r := s.start()
	for t := range s.Slots {
		r.out.Slot = t
		r.receive(t)
		r.offer()
		r.send(t)
		r.signal(t)
		if t%16 == 15 {
			if r.out.Locked = r.locked(t); len(r.out.Locked) > 0 {
				break
			}
		}
	}
	return r.out
}

func (s Simulation) start() *run {
	r := &run{Simulation: s, random: rand.New(rand.NewPCG(s.Seed, 1)), tokens: make([]int, len(s.Loads))}
	r.messages, r.wire = make([][]message, s.Delay+1), make([][]packet, s.Delay+1)
	type queueKey struct {
		out   *ir.Port
		group *ir.CosGroup
	}
	type bufferKey struct {
		Buffer
		lossy bool // a lossy group does not count in the shared buffer of the lossless groups
	}
	queues, channels, buffers := map[queueKey]int32{}, map[*ir.Port]int32{}, map[bufferKey]int32{}
	for _, l := range s.Loads {
		var legs []leg
		for i := 0; i < len(l.Flow.Ports); i += 2 {
			out, in, g := l.Flow.Ports[i], l.Flow.Ports[i+1], l.Flow.Groups[i/2]
			h := leg{buffer: -1}
			waitsFor := int32(-1)
			if forwards(in.Device()) && (i+2 < len(l.Flow.Ports) || in.Device().Switch != nil) {
				key := bufferKey{BufferOf(in, g), !charged(in, g)}
				b, known := buffers[key]
				if !known {
					b = int32(len(r.buffers))
					buffers[key] = b
					r.buffers = append(r.buffers, buffer{Buffer: BufferOf(in, g)})
				}
				if Holds(out, g) {
					r.buffers[b].lossless = true
					waitsFor = b
				}
				if i+2 < len(l.Flow.Ports) {
					h.buffer = b
				}
			}
			c, known := channels[out]
			if !known {
				c = int32(len(r.channels))
				channels[out] = c
				rate := Line
				if slow, ok := s.Receivers[in]; ok {
					rate = slow
				}
				r.channels = append(r.channels, channel{rate: rate})
			}
			q, known := queues[queueKey{out, g}]
			if !known {
				q = int32(len(r.queues))
				queues[queueKey{out, g}] = q
				r.queues = append(r.queues, queue{waitsFor: -1})
				r.channels[c].queues = append(r.channels[c].queues, q)
			}
			r.queues[q].waitsFor = max(r.queues[q].waitsFor, waitsFor)
			h.queue = q
			legs = append(legs, h)
		}
		r.flows = append(r.flows, legs)
		if forwards(l.Flow.Ports[0].Device()) {
			r.own = append(r.own, s.Xoff)
		} else {
			r.own = append(r.own, 2)
		}
	}
	for range 16 {
		order := make([]int32, len(r.channels))
		for i, c := range r.random.Perm(len(order)) {
			order[i] = int32(c)
		}
		r.orders = append(r.orders, order)
	}
	return r
}

// receive delivers the messages and the packets that are due.
func (r *run) receive(t int) {
	due := t % (r.Delay + 1)
	for _, m := range r.messages[due] {
		r.buffers[m.buffer].paused = m.pause
	}
	arrived := r.wire[due]
	r.messages[due], r.wire[due] = r.messages[due][:0], arrived[:0]
	for _, p := range arrived {
		f, h := p>>8, p&0xff
		at := r.flows[f][h].buffer
		if at < 0 {
			r.out.Delivered++
			continue
		}
		b := &r.buffers[at]
		if b.lossless {
			if r.Headroom >= 0 && b.count >= r.Xoff+r.Headroom {
				r.out.Lost++
				continue
			}
			r.out.Fill = max(r.out.Fill, b.count+1)
		} else if b.count >= 2*r.Xoff { // a lossy buffer drops
			continue
		}
		b.count++
		r.queues[r.flows[f][h+1].queue].push(p + 1)
	}
}

// offer lets the hosts put packets into their NICs, which hold two packets of each group. A host that forwards acts as a switch with a
// host behind it: its queues hold as many own packets as forwarded ones.
func (r *run) offer() {
	if len(r.flows) == 0 {
		return
	}
	first := r.random.IntN(len(r.flows))
	for i := range r.flows {
		f := (first + i) % len(r.flows)
		r.tokens[f] = min(r.tokens[f]+r.Loads[f].Rate, 2*Line)
		if q := &r.queues[r.flows[f][0].queue]; r.tokens[f] >= Line && q.own < r.own[f] {
			r.tokens[f] -= Line
			q.own++
			q.push(packet(f << 8))
		}
	}
}

// send sends at most one packet over every cable.
func (r *run) send(t int) {
	wire := &r.wire[(t+r.Delay)%(r.Delay+1)]
	for _, c := range r.orders[r.random.IntN(len(r.orders))] {
		ch := &r.channels[c]
		if ch.tokens = min(ch.tokens+ch.rate, Line); ch.tokens < Line {
			continue
		}
		first := 0
		if len(ch.queues) > 1 {
			first = r.random.IntN(len(ch.queues))
		}
		for i := range ch.queues {
			if i += first; i >= len(ch.queues) {
				i -= len(ch.queues)
			}
			q := &r.queues[ch.queues[i]]
			if q.n == 0 || q.waitsFor >= 0 && r.buffers[q.waitsFor].paused {
				continue
			}
			p := q.pop()
			if h := p & 0xff; h > 0 {
				r.buffers[r.flows[p>>8][h-1].buffer].count--
			} else {
				q.own--
			}
			*wire = append(*wire, p)
			ch.tokens -= Line
			break
		}
	}
}

// signal lets every buffer send a pause or its end.
func (r *run) signal(t int) {
	for i := range r.buffers {
		b := &r.buffers[i]
		if b.lossless && (!b.asked && b.count > r.Xoff || b.asked && b.count <= r.Xon) {
			b.asked, b.since = !b.asked, t
			due := (t + r.Delay) % (r.Delay + 1)
			r.messages[due] = append(r.messages[due], message{int32(i), b.asked})
		}
	}
}

// locked returns the largest set of paused buffers in which each keeps more than Xon packets that wait for buffers of the set. None of
// these packets can ever move, because a pause ends only at Xon.
func (r *run) locked(t int) []Buffer {
	in := make([]bool, len(r.buffers))
	left := 0
	for i, b := range r.buffers {
		if in[i] = b.asked && b.paused && t-b.since >= r.Delay; in[i] {
			left++
		}
	}
	for changed := true; changed && left > 0; {
		changed = false
		stuck := make([]int, len(r.buffers))
		for _, q := range r.queues {
			if q.waitsFor < 0 || !in[q.waitsFor] {
				continue
			}
			for i := range q.n {
				if p := q.ring[(q.head+i)%len(q.ring)]; p&0xff > 0 {
					stuck[r.flows[p>>8][p&0xff-1].buffer]++
				}
			}
		}
		for i := range in {
			if in[i] && stuck[i] <= r.Xon {
				in[i], changed = false, true
				left--
			}
		}
	}
	var out []Buffer
	for i, b := range r.buffers {
		if in[i] {
			out = append(out, b.Buffer)
		}
	}
	slices.SortFunc(out, func(a, b Buffer) int { return a.In.ID - b.In.ID })
	return out
}
