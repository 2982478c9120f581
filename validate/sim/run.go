package sim

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/rocec/rocec/compiler/platform"
)

// eventKind is the kind of an event.
type eventKind uint8

const (
	offers  eventKind = iota // a sender may offer the next frame of flow of
	sent                     // channel of has sent its frame
	arrives                  // the first frame on the wire of channel of arrives
	pauses                   // a pause of buffer of arrives at its peer
	resumes                  // the end of a pause does
)

// event is something that happens at a time. Events of one time happen in the order in which they were made.
type event struct {
	at   int64
	made uint64
	of   int32
	kind eventKind
}

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.made < o.made }

// engine is a simulation under way.
type engine struct {
	Scenario
	Observed Observed
	random   *rand.Rand
	flows    []flow
	queues   []queue
	channels []channel
	buffers  []buffer
	devices  []pool
	pairs    []pair

	now     int64
	moved   int64 // when the last frame left a device
	heap    []event
	made    uint64
	quiet   bool // the hosts have stopped sending
	holding int  // buffers that hold their peer

	inside      []bool // scratch of locked, by buffer
	stuck, kept []int  // by buffer, by device
	pools       []int  // by device: the pool when it is empty
}

// credit is the number of frames that a sender below line rate may send at line rate after it had to wait.
const credit = 4

// checkEvery is the time between two searches for a lock, in picoseconds. In a large network the events between them are as many as the
// work of a search.
const checkEvery = 1e6

// Run simulates until every frame has left, or nothing can move, or the work ends. Hosts send until buffers lock, or until Sends.
func (s Scenario) Run() Observed {
	if s.Sends == 0 {
		s.Sends = s.Long()
	}
	s.Work = cmp.Or(s.Work, DefaultWork)
	r := newRun(s)
	r.inside, r.stuck, r.kept = make([]bool, len(r.buffers)), make([]int, len(r.buffers)), make([]int, len(r.devices))
	for i := range r.devices {
		r.pools = append(r.pools, r.devices[i].free)
	}
	for i := range r.flows {
		r.offer(int32(i))
	}
	r.until(int64(s.Sends / time.Nanosecond * 1000))
	r.quiet, r.Observed.Stopped = true, duration(r.now)
	if !r.Observed.Ended {
		r.until(1 << 62)
	}
	r.finish()
	return r.Observed
}

func duration(ps int64) time.Duration { return time.Duration(ps/1000) * time.Nanosecond }

// Long returns the time in which senders at line rate fill the memory of the switches on the paths twice. A first pause or a lock that
// takes longer is not seen.
func (s Scenario) Long() time.Duration {
	const least, most = 500 * time.Microsecond, 50 * time.Millisecond
	longest := least
	for _, l := range s.Loads {
		for i, p := range l.Flow.Ports {
			if d := p.Device(); i%2 == 1 && d.Switch != nil {
				speed := cmp.Or(p.Speed(), p.Link().Speed.N, assumedSpeed)
				fill := time.Duration(float64(d.Memory().Chip) * 8 / float64(speed) * float64(time.Microsecond))
				longest = max(longest, 2*fill)
			}
		}
	}
	return min(longest, most)
}

// until handles the events up to a time. It ends early when buffers have locked, once, or when the work ends.
func (r *engine) until(end int64) {
	next, after := r.now+checkEvery, 0
	for len(r.heap) > 0 && r.heap[0].at <= end {
		if r.Observed.Events == r.Work {
			r.Observed.Ended = true
			return
		}
		r.Observed.Events++
		e := r.pop()
		r.now = e.at
		r.handle(e)
		if r.now >= next && r.Observed.Events >= after {
			next, after = r.now+checkEvery, r.Observed.Events+4*len(r.pairs)
			if r.search() && !r.quiet {
				return
			}
		}
	}
	if len(r.heap) == 0 {
		r.search()
	}
	if !r.quiet && r.Observed.Locked == nil {
		r.now = end
	}
}

// search looks for buffers that have locked, and reports whether it finds the first.
func (r *engine) search() bool {
	if r.holding < 2 || r.Observed.Locked != nil {
		return false
	}
	if r.Observed.Locked = r.locked(); r.Observed.Locked != nil {
		r.Observed.LockedAt = duration(r.now)
	}
	return r.Observed.Locked != nil
}

// finish records the state at the end.
func (r *engine) finish() {
	for i := range r.buffers {
		b := &r.buffers[i]
		r.Observed.Left += b.count()
		if b.asked {
			r.Observed.Pauses[b.first].For += duration(r.now - b.since)
		}
	}
	if r.Observed.Ended {
		return
	}
	if r.Observed.Drained = r.Observed.Left == 0; r.Observed.Drained {
		r.Observed.Empty = max(duration(r.moved)-r.Observed.Stopped, 0)
	}
}

func (r *engine) handle(e event) {
	switch e.kind {
	case offers:
		r.flows[e.of].due = false
		r.offer(e.of)
	case sent:
		r.done(e.of)
	case arrives:
		r.arrive(e.of)
	case pauses, resumes:
		b := &r.buffers[e.of]
		b.flying--
		if held := e.kind == pauses; held != b.held {
			b.held = held
			if held {
				r.holding++
				return
			}
			r.holding--
			r.send(b.from)
		}
	}
}

// offer lets a sender put frames into the queue of its NIC.
func (r *engine) offer(of int32) {
	f := &r.flows[of]
	if r.quiet {
		return
	}
	q := f.legs[0].queue
	for f.own < f.most && r.now >= f.next {
		f.own++
		if f.interval > 0 {
			gap := f.interval
			if r.Jitter {
				gap += r.random.Int64N(gap+1) - gap/2
			}
			f.next = max(f.next, r.now-credit*f.interval) + gap
		}
		r.enqueue(frame{of, 0}, q)
	}
	if f.own < f.most && !f.due {
		f.due = true
		r.later(f.next, offers, of)
	}
	r.send(r.queues[q].channel)
}

// enqueue puts a frame into an egress queue, and marks it.
func (r *engine) enqueue(f frame, to int32) {
	q := &r.queues[to]
	q.push(f)
	q.bytes += r.flows[f.flow].size
	if q.rate == 0 || q.bytes <= q.min {
		return
	}
	if q.bytes < q.max && r.random.IntN(100*(q.max-q.min)) >= q.rate*(q.bytes-q.min) {
		return
	}
	if r.Observed.Marked++; r.Observed.Mark == nil {
		r.Observed.Mark = &Moment{At: duration(r.now), Out: r.channels[q.channel].out, Group: q.group, Queue: q.bytes}
	}
}

// send begins to send the next frame of a channel, if it is idle and a queue is not held.
func (r *engine) send(of int32) {
	c := &r.channels[of]
	if c.busy {
		return
	}
	for i := range c.queues {
		at := (c.turn + i) % len(c.queues)
		q := &r.queues[c.queues[at]]
		if q.n == 0 || q.waits >= 0 && r.buffers[q.waits].held {
			continue
		}
		f := q.pop()
		size := r.flows[f.flow].size
		q.bytes -= size
		if l := r.flows[f.flow].legs[f.leg]; l.pair >= 0 {
			r.pairs[l.pair].bytes -= r.flows[f.flow].legs[f.leg-1].cost
		}
		c.busy, c.sending, c.turn = true, f, at+1
		r.later(r.now+c.time(size+platform.Gap), sent, of)
		return
	}
}

// done ends the sending of a frame: it leaves the device.
func (r *engine) done(of int32) {
	c := &r.channels[of]
	f := c.sending
	c.busy, r.moved = false, r.now
	c.wire.push(f)
	r.later(r.now+c.delay, arrives, of)
	if f.leg == 0 {
		r.flows[f.flow].own--
		r.offer(f.flow)
	} else {
		before := r.flows[f.flow].legs[f.leg-1]
		b := &r.buffers[before.buffer]
		d := &r.devices[b.device]
		if b.release(d, before.cost) {
			for _, other := range d.buffers { // the threshold of each has risen
				r.resume(other)
			}
		} else {
			r.resume(before.buffer)
		}
	}
	r.send(of)
}

// arrive counts a frame at the buffer behind a cable, and forwards it.
func (r *engine) arrive(of int32) {
	f := r.channels[of].wire.pop()
	fl := &r.flows[f.flow]
	at := fl.legs[f.leg]
	if at.buffer < 0 {
		r.Observed.Delivered[f.flow]++
		return
	}
	b := &r.buffers[at.buffer]
	if !b.take(&r.devices[b.device], at.cost) {
		r.drop(b)
		r.pause(at.buffer)
		return
	}
	if b.head > 0 {
		r.pause(at.buffer)
	}
	if b.first >= 0 {
		p := &r.Observed.Pauses[b.first]
		p.Fill, p.Headroom = max(p.Fill, b.count()), max(p.Headroom, b.head)
	}
	next := fl.legs[f.leg+1]
	r.pairs[next.pair].bytes += at.cost
	r.enqueue(frame{f.flow, f.leg + 1}, next.queue)
	r.send(r.queues[next.queue].channel)
}

func (r *engine) drop(b *buffer) {
	for i := range r.Observed.Drops {
		if d := &r.Observed.Drops[i]; d.Buffer == b.Buffer && d.Lossless == b.lossless {
			d.Frames++
			return
		}
	}
	r.Observed.Drops = append(r.Observed.Drops, Drop{Buffer: b.Buffer, At: duration(r.now), Frames: 1, Lossless: b.lossless, Obeyed: b.stops})
}

// pause lets a buffer send a pause, if it has not.
func (r *engine) pause(of int32) {
	b := &r.buffers[of]
	if !b.stops || b.asked {
		return
	}
	b.asked, b.since = true, r.now
	if b.first < 0 {
		b.first = int32(len(r.Observed.Pauses))
		r.Observed.Pauses = append(r.Observed.Pauses, Pause{Buffer: b.Buffer, At: duration(r.now), Xoff: b.count(), Room: b.room})
	}
	r.Observed.Pauses[b.first].Times++
	r.signal(b, pauses, of)
}

// resume lets a buffer end its pause, if it has drained.
func (r *engine) resume(of int32) {
	b := &r.buffers[of]
	if !b.asked {
		return
	}
	d := &r.devices[b.device]
	if b.settle(d); !b.ends(d) {
		return
	}
	b.asked = false
	r.Observed.Pauses[b.first].For += duration(r.now - b.since)
	r.signal(b, resumes, of)
}

// signal sends a message of a buffer to its peer. Messages arrive in the order in which they were sent.
func (r *engine) signal(b *buffer, k eventKind, of int32) {
	b.flying++
	at := r.now + b.latency
	if r.Jitter {
		at -= r.random.Int64N(b.latency - b.least + 1)
	}
	b.last = max(at, b.last)
	r.later(b.last, k, of)
}

// later adds an event to the heap.
func (r *engine) later(at int64, k eventKind, of int32) {
	r.made++
	e := event{at, r.made, of, k}
	r.heap = append(r.heap, e)
	i := len(r.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(r.heap[up]) {
			break
		}
		r.heap[i] = r.heap[up]
		i = up
	}
	r.heap[i] = e
}

// pop takes the next event from the heap.
func (r *engine) pop() event {
	top := r.heap[0]
	n := len(r.heap) - 1
	e := r.heap[n]
	r.heap = r.heap[:n]
	for i := 0; n > 0; {
		down := 2*i + 1
		if down+1 < n && r.heap[down+1].before(r.heap[down]) {
			down++
		}
		if down >= n || !r.heap[down].before(e) {
			r.heap[i] = e
			break
		}
		r.heap[i] = r.heap[down]
		i = down
	}
	return top
}
