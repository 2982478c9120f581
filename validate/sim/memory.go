package sim

import "github.com/rocec/rocec/compiler/ir"

// buffer is an ingress buffer. Its bytes are in three places: its reserve up to xoff, the pool of the device, and its headroom. It pauses
// its peer once bytes are in the headroom.
type buffer struct {
	Buffer
	device   int32
	from     int32 // the channel that leads to it
	lossless bool
	stops    bool // the peer obeys its pauses
	xoff     int
	delta    int   // it ends the pause at so many bytes below the threshold
	room     int   // of the headroom; -1: without a bound
	latency  int64 // the longest time until a message takes effect
	least    int64 // the shortest
	last     int64 // when the last message takes effect

	reserve, pool, head int

	asked  bool // the last message is a pause
	held   bool // the last message that arrived at the peer is a pause
	flying int  // messages on their way
	since  int64
	first  int32 // index in Observed.Pauses; -1: it has never paused
}

// pool has the memory that the buffers of one device share.
type pool struct {
	alpha    ir.Alpha // limits the part of a buffer in the pool: so many times the free bytes
	free     int      // bytes of the pool
	headPool int      // bytes that all headrooms share; 0: each has its own
	headUsed int
	buffers  []int32
}

// share returns the bytes of the pool that a buffer with so many bytes there may have if so many more are free.
func share(a ir.Alpha, has, free int) int {
	switch {
	case a.Den == 0:
		return has + free
	case a.Num == 0 || free <= 0:
		return 0
	}
	return a.Num * free / a.Den
}

func (b *buffer) count() int { return b.reserve + b.pool + b.head }

// take counts a frame that came in. It returns false if there is no room for it.
func (b *buffer) take(d *pool, bytes int) bool {
	reserve := min(bytes, max(b.xoff-b.reserve, 0))
	rest := bytes - reserve
	pool := 0
	if b.lossless {
		pool = min(rest, d.free, max(share(d.alpha, b.pool, d.free)-b.pool, 0))
	}
	head := rest - pool
	if head > 0 && (b.room >= 0 && b.head+head > b.room || d.headPool > 0 && d.headUsed+head > d.headPool) {
		return false
	}
	b.reserve += reserve
	b.pool += pool
	b.head += head
	d.free -= pool
	d.headUsed += head
	return true
}

// release counts a frame that left. It returns whether bytes of the pool became free.
func (b *buffer) release(d *pool, bytes int) bool {
	head := min(bytes, b.head)
	pool := min(bytes-head, b.pool)
	b.head -= head
	b.pool -= pool
	b.reserve -= bytes - head - pool
	d.headUsed -= head
	d.free += pool
	return pool > 0
}

// settle moves bytes from the headroom to the reserve and the pool, as far as there is room. When other bytes leave, the share of a buffer
// grows.
func (b *buffer) settle(d *pool) {
	reserve := min(b.head, max(b.xoff-b.reserve, 0))
	room := d.free
	if a := d.alpha; a.Den > 0 {
		room = max(a.Num*d.free-a.Den*b.pool, 0) / (a.Den + a.Num)
	}
	moved := min(b.head-reserve, room)
	b.head -= reserve + moved
	b.reserve += reserve
	b.pool += moved
	d.free -= moved
	d.headUsed -= reserve + moved
}

// ends reports whether a pause ends: the buffer is below its threshold by so much as the fabric states.
func (b *buffer) ends(d *pool) bool {
	return b.head == 0 && b.reserve+b.pool <= max(b.xoff+share(d.alpha, b.pool, d.free)-b.delta, 0)
}
