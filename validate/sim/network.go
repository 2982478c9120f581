package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

const (
	// frameAround counts the bytes of a RoCEv2 frame beyond its payload: Ethernet 14, IPv4 20, UDP 8, base transport header 12, invariant
	// CRC 4, frame check 4. Source: InfiniBand specification, annex A17, and volume 1, chapter 9. A frame of RoCEv1 has 12 bytes more.
	frameAround = 14 + 20 + 8 + 12 + 4 + 4

	// AssumedXoff is the threshold of a buffer whose sizes are not known, in bytes, and assumedDelta the bytes below it at which the pause
	// ends. They are those with which the compiler begins.
	AssumedXoff, assumedDelta = 18_000, 2_000

	// lossyRoom is the assumed size of the buffer of a lossy group at a port. No source states it: it depends on the memory that is free.
	lossyRoom = 200_000

	// psPerMetre is the time of light in a cable, as the headroom of the compiler assumes it: 198 m/us.
	psPerMetre = 1e6 / 198

	// beforePause counts the bytes that the round trip of the compiler leaves out: the headers of the frame in the way, and the pause frame,
	// each with the gap behind it.
	beforePause = 14 + 4 + 4 + platform.Gap + platform.MinFrame + platform.Gap

	// assumedSpeed is the speed of a cable whose speed the fabric does not know, in Mb/s. Only fabrics of tests have such cables.
	assumedSpeed = 100_000
)

// frame is a frame of a flow, on the leg of this number or in the queue before it.
type frame struct{ flow, leg int32 }

// leg is one cable of a flow.
type leg struct {
	queue  int32
	buffer int32 // behind the cable; -1: the flow ends there
	cost   int   // bytes of that buffer that a frame takes, in whole cells
	pair   int32 // the pair of the buffer before the queue and the queue; -1: the flow begins there
}

type flow struct {
	legs     []leg
	size     int   // bytes of a frame
	own      int   // frames in the sender's queue
	most     int   // own frames that the sender's queue takes
	interval int64 // between two frames; 0: the line alone limits the rate
	next     int64 // the earliest time of the next frame
	due      bool  // an event for that is on its way
}

// queue is an egress queue of a port.
type queue struct {
	channel int32
	waits   int32 // the buffer at the other end that stops it; -1: none does
	fifo[frame]
	bytes          int
	group          *ir.CosGroup
	min, max, rate int // of marking; rate 0: it marks nothing
}

// channel is one direction of a cable, with the queues before it.
type channel struct {
	out     *ir.Port
	rate    int64 // Mb/s x percent
	delay   int64
	queues  []int32
	turn    int // the queue that is served first
	busy    bool
	sending frame
	wire    fifo[frame]
}

// time returns the time that bytes take on the channel.
func (c *channel) time(bytes int) int64 { return int64(bytes) * 8 * 1e6 * 100 / c.rate }

// pair counts the bytes of a buffer that are in a queue.
type pair struct {
	buffer, queue int32
	bytes         int
}

// fifo is a queue that reuses its memory.
type fifo[T any] struct {
	ring    []T
	head, n int
}

func (q *fifo[T]) push(v T) {
	if q.n == len(q.ring) {
		bigger := make([]T, max(16, 2*q.n))
		k := copy(bigger, q.ring[q.head:])
		copy(bigger[k:], q.ring[:q.head])
		q.ring, q.head = bigger, 0
	}
	at := q.head + q.n
	if at >= len(q.ring) {
		at -= len(q.ring)
	}
	q.ring[at] = v
	q.n++
}

func (q *fifo[T]) pop() T {
	v := q.ring[q.head]
	if q.head++; q.head == len(q.ring) {
		q.head = 0
	}
	q.n--
	return v
}

// builder makes the network of a scenario.
type builder struct {
	*engine
	channels map[*ir.Port]int32
	queues   map[queueOf]int32
	buffers  map[bufferOf]int32
	devices  map[*ir.Device]int32
	pairs    map[[2]int32]int32
}

type queueOf struct {
	out   *ir.Port
	group *ir.CosGroup
}

// bufferOf is the key of a buffer. Where a port joins its lossless groups, lossy ones still have a buffer of their own.
type bufferOf struct {
	Buffer
	lossless bool
}

// newRun makes the network of the scenario's flows, empty.
func newRun(s Scenario) *engine {
	r := &engine{Scenario: s, random: rand.New(rand.NewPCG(s.Seed, 0x5eed))}
	b := builder{
		engine: r, channels: map[*ir.Port]int32{}, queues: map[queueOf]int32{}, buffers: map[bufferOf]int32{},
		devices: map[*ir.Device]int32{}, pairs: map[[2]int32]int32{},
	}
	for _, l := range s.Loads {
		b.add(l)
	}
	r.Observed.Delivered = make([]int, len(s.Loads))
	return r
}

// add adds a flow with its queues, channels and buffers.
func (b *builder) add(l Load) {
	ports, groups := l.Flow.Ports, l.Flow.Groups
	f := flow{size: cmp.Or(groups[0].RDMAMTU, ir.LargestRDMA) + frameAround, most: 2}
	for i := 0; i < len(ports); i += 2 {
		out, in, g := ports[i], ports[i+1], groups[i/2]
		last := i+2 >= len(ports)
		to := leg{buffer: -1, pair: -1, queue: b.queue(out, g)}
		if in.Device().Forwards() {
			behind := b.buffer(in, g)
			if stops(out, g) {
				b.engine.buffers[behind].stops, b.engine.queues[to.queue].waits = true, behind
			}
			if !last {
				to.buffer, to.cost = behind, cells(in.Device(), f.size)
			}
		}
		if i > 0 {
			to.pair = b.pair(f.legs[i/2-1].buffer, to.queue)
		}
		f.legs = append(f.legs, to)
	}
	first := &b.engine.channels[b.engine.queues[f.legs[0].queue].channel]
	if ports[0].Device().Forwards() { // its queues hold frames of its own beside those that it forwards
		f.most = AssumedXoff/f.size + 1
	}
	if l.Percent < 100 {
		f.interval = first.time(f.size+platform.Gap) * 100 / int64(max(l.Percent, 1))
	}
	f.next = b.random.Int64N(first.time(f.size+platform.Gap) + 1)
	b.engine.flows = append(b.engine.flows, f)
}

// cells returns the bytes of a device's memory that a frame takes.
func cells(d *ir.Device, size int) int {
	if d.Switch == nil || d.Switch.Model.ASIC.Cell == 0 {
		return size
	}
	c := d.Switch.Model.ASIC.Cell
	return (size + c - 1) / c * c
}

// lossless reports whether a port counts a group in a buffer that may pause.
func lossless(p *ir.Port, g *ir.CosGroup) bool { return p.ByPause() || p.Carries(g) != nil }

// stops reports whether the port at the other end can stop traffic of g that leaves by out.
func stops(out *ir.Port, g *ir.CosGroup) bool {
	in := out.Peer()
	if !lossless(in, g) || !lossless(out, g) {
		return false
	}
	if !out.ByPause() || g.Lossless {
		sends, _ := in.Pauses(g.Cos)
		_, obeys := out.Pauses(g.Cos)
		return sends && obeys
	}
	return slices.ContainsFunc(in.Buffers(), func(b *ir.Buffer) bool { // link pause stops lossy groups with the others
		sends, _ := in.Pauses(b.Group.Cos)
		_, obeys := out.Pauses(b.Group.Cos)
		return sends && obeys
	})
}

func (b *builder) queue(out *ir.Port, g *ir.CosGroup) int32 {
	q, known := b.queues[queueOf{out, g}]
	if known {
		return q
	}
	c, known := b.channels[out]
	if !known {
		c = int32(len(b.engine.channels))
		b.channels[out] = c
		speed, percent := cmp.Or(out.Speed(), out.Link().Speed.N, assumedSpeed), 100
		if slow, is := b.Receivers[out.Peer()]; is {
			percent = min(max(slow, 1), 100)
		}
		b.engine.channels = append(b.engine.channels, channel{
			out: out, rate: int64(speed) * int64(percent), delay: int64(out.Link().Length.Metres * psPerMetre),
		})
	}
	q = int32(len(b.engine.queues))
	b.queues[queueOf{out, g}] = q
	made := queue{channel: c, waits: -1, group: g}
	if out.Device().Switch != nil {
		for _, m := range out.Marks() {
			if m.Group == g {
				made.min, made.max, made.rate = m.Min.N, m.Max.N, m.Probability.N
			}
		}
	}
	b.engine.queues = append(b.engine.queues, made)
	b.engine.channels[c].queues = append(b.engine.channels[c].queues, q)
	return q
}

func (b *builder) pair(from, to int32) int32 {
	key := [2]int32{from, to}
	i, known := b.pairs[key]
	if !known {
		i = int32(len(b.engine.pairs))
		b.pairs[key] = i
		b.engine.pairs = append(b.engine.pairs, pair{buffer: from, queue: to})
	}
	return i
}

// buffer returns the buffer that counts traffic of g which comes in by a port.
func (b *builder) buffer(in *ir.Port, g *ir.CosGroup) int32 {
	d := in.Device()
	key := bufferOf{Buffer{in, g}, lossless(in, g)}
	joined := in.ByPause() || d.SharesBuffer()
	if joined && key.lossless {
		key.Group = nil
	}
	i, known := b.buffers[key]
	if known {
		return i
	}
	i = int32(len(b.engine.buffers))
	b.buffers[key] = i
	made := buffer{Buffer: key.Buffer, device: b.device(d), from: b.channels[in.Peer()], lossless: key.lossless, xoff: lossyRoom, first: -1}
	if key.lossless {
		made.size(in, g, joined)
		if made.room < 0 {
			b.Observed.Assumed = append(b.Observed.Assumed, key.Buffer)
		}
	}
	b.engine.buffers = append(b.engine.buffers, made)
	at := &b.engine.devices[made.device]
	at.buffers = append(at.buffers, i)
	return i
}

// size sets the sizes of a lossless buffer, and the time from the decision to pause to the moment when the peer obeys.
func (b *buffer) size(in *ir.Port, g *ir.CosGroup, joined bool) {
	own := in.Carries(g)
	if own == nil && len(in.Buffers()) > 0 {
		own = in.Buffers()[0]
	}
	b.xoff, b.delta, b.room = AssumedXoff, assumedDelta, -1
	round := 0
	if own != nil {
		if round = own.RoundTrip; own.Size.Set() && own.Xoff.Set() {
			b.xoff, b.delta, b.room = own.Xoff.N, own.XonDelta.N, max(own.Headroom(), 0)
			if all := ir.Joined(in); joined {
				b.xoff, b.delta, b.room = all.Xoff, all.XonDelta, max(all.Size-all.Xoff, 0)
			}
		}
	}
	speed := cmp.Or(in.Speed(), in.Link().Speed.N, assumedSpeed)
	line := channel{rate: int64(speed) * 100}
	delay := int64(in.Link().Length.Metres * psPerMetre)
	b.least = delay + line.time(platform.MinFrame+platform.Gap)
	if round > 0 { // the way of the data is a part of the round trip
		b.latency = max(line.time(round+beforePause)-delay, b.least)
		return
	}
	response := platform.PauseQuanta(speed) * platform.QuantumBytes
	b.latency = line.time(cmp.Or(in.MTU(), in.Link().MTU.N, ir.LargestRDMA)+beforePause+response) + delay
}

func (b *builder) device(d *ir.Device) int32 {
	i, known := b.devices[d]
	if known {
		return i
	}
	i = int32(len(b.engine.devices))
	b.devices[d] = i
	made := pool{alpha: ir.Alpha{Num: 0, Den: 1}}
	if d.Switch != nil {
		made.headPool = d.Switch.HeadroomPool.N
		if m := d.Memory(); !m.Model.Absolute {
			made.free, made.alpha = m.MarkPool(), m.Model.Alpha
		}
	}
	b.engine.devices = append(b.engine.devices, made)
	return i
}
