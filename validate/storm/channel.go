package storm

import (
	"fmt"
	"math"
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// is is the answer to a question about a queue.
type is uint8

// The answers.
const (
	unknown is = iota
	no
	yes
)

// channel is one direction of a cable in one priority: the queue of a port, which the other end can pause.
type channel struct {
	port *ir.Port // the port with the queue
	cos  int

	exists      bool    // traffic of the priority is lossless there
	known       bool    // the bounds of the share are known
	least, most float64 // share of a window in which the queue was paused
	frames      float64 // per second; -1: not known
	by          Source
	sends       is // packets, in every window
	holds       is // bytes, in every reading
	cut         bool
	cutting     bool // a watchdog cuts it in the last reading
	watched     bool // a watchdog counts its cuts there
}

// full reports whether the queue is paused for nearly the whole time, in every window.
func (c *channel) full() bool { return c.known && c.least >= Nearly }

// active reports whether the queue is paused at times.
func (c *channel) active() bool { return c.frames > 0 || c.known && c.most > 0 && c.by != ByFrames }

// open reports whether the queue may be paused for nearly the whole time: it is, or that is not known.
func (c *channel) open() bool { return !c.known || c.most >= Nearly }

// doubt returns why it is not known whether the queue is paused for nearly the whole time.
func (c *channel) doubt() Doubt {
	switch {
	case !c.known:
		return NoPauses
	case c.by == ByFrames:
		return NoTime
	}
	return Differs
}

// judging has the channels of a fabric.
type judging struct {
	f        *ir.Fabric
	readings []Reading
	cos      []int // the lossless priorities
	bounce   []int // by index of cos: the index of the priority into which traffic bounces; -1: none
	channels []channel
	at       [][]*ir.PauseCounters // by reading, then by channel; nil: not read
	length   [][]time.Duration     // by window, then by device; 0: not known
	untimed  map[*ir.Device]string // why a length is not known, although both readings have the device
}

// newJudging reads the channels.
func newJudging(f *ir.Fabric, readings []Reading) *judging {
	j := &judging{f: f, readings: readings, untimed: map[*ir.Device]string{}}
	for _, g := range f.CosGroups {
		if g.Lossless {
			j.cos = append(j.cos, g.Cos)
		}
	}
	for range j.cos {
		j.bounce = append(j.bounce, -1)
	}
	for _, g := range f.CosGroups {
		if g.Lossless && g.Bounce != nil && g.Bounce != g {
			if from, to := j.index(g.Cos), j.index(g.Bounce.Cos); from >= 0 && to >= 0 {
				j.bounce[from] = to
			}
		}
	}
	j.channels = make([]channel, len(f.Ports)*len(j.cos))
	for _, r := range readings {
		j.at = append(j.at, j.place(r))
	}
	for w := 1; w < len(readings); w++ {
		j.length = append(j.length, j.lengths(readings[w-1], readings[w]))
	}
	for i := range j.channels {
		j.fill(i)
	}
	return j
}

// index returns the index of a priority; -1: it is not lossless.
func (j *judging) index(cos int) int {
	for i, c := range j.cos {
		if c == cos {
			return i
		}
	}
	return -1
}

// id returns the channel of a port in a priority, by its index.
func (j *judging) id(p *ir.Port, cos int) int { return p.ID*len(j.cos) + cos }

// place puts the counters of a reading at their channels.
func (j *judging) place(r Reading) []*ir.PauseCounters {
	out := make([]*ir.PauseCounters, len(j.channels))
	for _, d := range j.f.Devices {
		of := r[d]
		if of == nil || of.Failed != "" {
			continue
		}
		ports := make(map[string]*ir.Port, len(d.Ports))
		for _, p := range d.Ports {
			ports[p.Name] = p
		}
		for i := range of.Ports {
			c := &of.Ports[i]
			if p, k := ports[c.Port], j.index(c.Priority); p != nil && k >= 0 {
				out[j.id(p, k)] = c
			}
		}
	}
	return out
}

// LeastWindow returns the shortest window for a device that renews its counters in an interval. Then every counter is renewed at least once
// in the window, and its age changes a share by less than a third.
func LeastWindow(every time.Duration) time.Duration { return every * 3 / 2 }

// lengths returns the time between two readings by device. The length is 0 for a device that has started meanwhile, and for a
// device that has not renewed its counters. Then untimed has the reason.
func (j *judging) lengths(a, b Reading) []time.Duration {
	out := make([]time.Duration, len(j.f.Devices))
	for i, d := range j.f.Devices {
		from, to := a[d], b[d]
		if from == nil || to == nil || from.Failed != "" || to.Failed != "" {
			continue
		}
		length, why := between(from, to)
		if why == "" {
			out[i] = length
		} else if j.untimed[d] == "" {
			j.untimed[d] = why
		}
	}
	return out
}

// between returns the time between two readings of a device, or why there is no window between them, as part of a sentence. The device has
// started between them if it runs for less time than has passed since it answered the first one. A slow answer adds nothing to that time.
func between(from, to *Counters) (length time.Duration, why string) {
	dated, asked := !from.When.IsZero() && !to.When.IsZero(), to.Asked
	if asked.IsZero() {
		asked = to.When
	}
	switch {
	case from.From != "" && to.From != "" && from.From != to.From:
		return 0, "two addresses gave its readings, so they may be of two devices"
	case dated && to.When.Before(from.When):
		return 0, "a reading is older than the one before"
	case from.Uptime > 0 && to.Uptime > 0:
		length = to.Uptime - from.Uptime
		if length < 0 && !dated {
			return 0, "a reading is older than the one before, or the device has started between them"
		}
		if length < 0 || dated && to.Uptime < asked.Sub(from.When) {
			return 0, "it has started between two readings"
		}
	case dated:
		length = to.When.Sub(from.When)
	default:
		return 0, "its readings have no time"
	}
	switch least := LeastWindow(to.Every); {
	case length == 0:
		return 0, "two readings have the same time"
	case length < least:
		return 0, fmt.Sprintf("two readings are %s apart; its counters are renewed every %s, so a window has at least %s",
			length.Round(time.Millisecond), to.Every, least)
	}
	return length, ""
}

// renewed reports whether a device has renewed the counters of its queues in a window. Otherwise a counter that stood still shows
// nothing.
func (j *judging) renewed(w int, d *ir.Device) bool {
	to := j.readings[w+1][d]
	return to != nil && j.length[w][d.ID] >= LeastWindow(to.Queues)
}

// cableEnd is one end of a cable in a window.
type cableEnd struct {
	from, to *ir.PauseCounters
	length   time.Duration
}

// end returns the end of a window at a port; nil counters: it was not read.
func (j *judging) end(w int, p *ir.Port, cos int) cableEnd {
	e := cableEnd{length: j.length[w][p.Device().ID]}
	if e.length > 0 {
		i := j.id(p, cos)
		e.from, e.to = j.at[w][i], j.at[w+1][i]
	}
	return e
}

// rise returns the difference of a counter. It is not known if the counter went backwards, because the device or a person has cleared it.
func (e cableEnd) rise(of func(*ir.PauseCounters) ir.Counter) (by uint64, ok bool) {
	if e.from == nil || e.to == nil {
		return 0, false
	}
	a, b := of(e.from), of(e.to)
	if !a.Known || !b.Known || b.Value < a.Value {
		return 0, false
	}
	return b.Value - a.Value, true
}

// The counters that both ends of a cable have of the same pauses.
func received(c *ir.PauseCounters) ir.Counter     { return c.Received }
func sent(c *ir.PauseCounters) ir.Counter         { return c.Sent }
func receivedTime(c *ir.PauseCounters) ir.Counter { return c.ReceivedTime }
func sentTime(c *ir.PauseCounters) ir.Counter     { return c.SentTime }
func packets(c *ir.PauseCounters) ir.Counter      { return c.Packets }
func cuts(c *ir.PauseCounters) ir.Counter         { return c.Cut }

// mostShare is the share above which a counter of time is not one of microseconds. The moments of two readings of one device differ a bit
// from the moments of its counters, so a share may be a little above 1.
const mostShare = 1.5

// share returns the share of the window by one end, and the frames per second; negative: not known. Some chips have a counter of time that
// is always 0.
func (e cableEnd) share(frames, times func(*ir.PauseCounters) ir.Counter) (share, rate float64) {
	share, rate = -1, -1
	n, counted := e.rise(frames)
	if counted {
		rate = float64(n) / e.length.Seconds()
	}
	if rate > mostRate {
		return -1, -1
	}
	if t, ok := e.rise(times); ok && (t > 0 || counted && n == 0 || times(e.to).Value > 0) {
		if s := float64(t) / float64(e.length.Microseconds()); s <= mostShare {
			share = min(s, 1)
		}
	}
	return share, rate
}

// mostRate is the number of frames in a second above which a counter does not count frames: 800 Gb/s carries fewer of 64 bytes and a gap.
const mostRate = 2e9

// longest is the longest time that one frame can pause a port of a speed: 65,535 quanta of 512 bits (IEEE 802.3, annex 31B).
func longest(mbps int) float64 { return 65535 * 512 / (float64(mbps) * 1e6) }

// window is what one window shows of a channel.
type window struct {
	known       bool
	least, most float64
	frames      float64
	by          Source
	sends       is
	cut         bool
}

// window reads a channel in one window, from the counters of both ends.
func (j *judging) window(w int, c *channel, cos int, holds is) window {
	here, there := j.end(w, c.port, cos), j.end(w, c.port.Peer(), cos)
	out := window{frames: -1}
	switch n, ok := here.rise(packets); {
	case ok && n > 0:
		out.sends = yes
	case ok && j.renewed(w, c.port.Device()):
		out.sends = no
	}
	n, _ := here.rise(cuts)
	out.cut = n > 0
	a, ra := here.share(received, receivedTime)
	b, rb := there.share(sent, sentTime)
	out.frames = max(ra, rb)
	share := max(a, b)
	switch {
	case share >= 0 && !(share == 0 && out.frames > 0):
		out.known, out.least, out.most, out.by = true, share, share, ByTime
	case out.frames == 0:
		out.known, out.by = true, ByFrames
	case out.frames > 0 && out.sends == no && holds == yes:
		out.known, out.least, out.most, out.by = true, 1, 1, ByStall
	case out.frames > 0:
		out.known, out.most, out.by = true, 1, ByFrames
		if speed := c.port.Speed(); speed > 0 {
			length := max(here.length, there.length).Seconds()
			out.most = min(1, (out.frames*length+1)*longest(speed)/length)
		}
		if out.sends == yes { // packets leave between the pauses
			out.most = min(out.most, Nearly-0.01)
		}
	}
	return out
}

// fill sets a channel from all windows.
func (j *judging) fill(i int) {
	c, k := &j.channels[i], i%len(j.cos)
	c.port, c.cos, c.frames = j.f.Ports[i/len(j.cos)], j.cos[k], -1
	l := c.port.Link()
	if l == nil || l.Planned {
		return
	}
	if sends, _ := c.port.Peer().Pauses(c.cos); !sends {
		return
	}
	c.exists, c.most = true, 1
	if c.port.FlowControl() == ir.Pause || c.port.Peer().FlowControl() == ir.Pause { // its pauses have no priority, and no counter here
		return
	}
	c.holds = j.holding(i)
	for r := range j.at {
		c.cutting = j.at[r][i] != nil && j.at[r][i].Cutting.Known && j.at[r][i].Cutting.Value > 0
		c.watched = c.watched || j.at[r][i] != nil && (j.at[r][i].Cut.Known || j.at[r][i].Cutting.Known)
	}
	for w := range j.length {
		one := j.window(w, c, k, c.holds)
		if w == 0 {
			c.known, c.least, c.most, c.by, c.sends = one.known, one.least, one.most, one.by, one.sends
		} else {
			c.known = c.known && one.known
			c.least, c.most = min(c.least, one.least), max(c.most, one.most)
			if one.sends != c.sends { // it may have sent for the last time in one window
				c.sends = unknown
			}
			if one.by == ByFrames && one.frames > 0 {
				c.by = ByFrames
			}
		}
		c.frames, c.cut = max(c.frames, one.frames), c.cut || one.cut
	}
	if !c.known {
		c.least, c.most = 0, 1
	}
}

// holding reports whether a queue holds bytes in every reading, or in none. It is not known if one value may be in two readings.
func (j *judging) holding(i int) is {
	for w := range j.length {
		if !j.renewed(w, j.f.Ports[i/len(j.cos)].Device()) {
			return unknown
		}
	}
	full, empty := len(j.at) > 0, len(j.at) > 0
	for r := range j.at {
		c := j.at[r][i]
		if c == nil || !c.Waiting.Known {
			return unknown
		}
		full, empty = full && c.Waiting.Value > 0, empty && c.Waiting.Value == 0
	}
	switch {
	case full:
		return yes
	case empty:
		return no
	}
	return unknown
}

// wait returns a channel as a result.
func (j *judging) wait(i int) PausedPort {
	c := &j.channels[i]
	return PausedPort{Port: c.port, Cos: c.cos, Least: c.least, Most: c.most, Frames: math.Round(c.frames), By: c.by}
}

// samples returns the counters on which the share of a channel rests, with their values in every reading that has them.
func (j *judging) samples(i int) (out []Sample) {
	c := &j.channels[i]
	peer := c.port.Peer()
	far := j.id(peer, i%len(j.cos))
	for _, of := range []struct {
		at         int
		port       *ir.Port
		name, unit string
		value      func(*ir.PauseCounters) ir.Counter
	}{
		{i, c.port, "received pause time", "us", receivedTime},
		{far, peer, "sent pause time", "us", sentTime},
		{i, c.port, "received frames", "frames", received},
		{far, peer, "sent frames", "frames", sent},
		{i, c.port, "sent packets", "packets", packets},
		{i, c.port, "waiting", "B", func(c *ir.PauseCounters) ir.Counter { return c.Waiting }},
	} {
		s := Sample{Port: of.port, Name: of.name, Unit: of.unit}
		for r := range j.at {
			if of.at < len(j.at[r]) && j.at[r][of.at] != nil && of.value(j.at[r][of.at]).Known {
				s.Values = append(s.Values, of.value(j.at[r][of.at]).Value)
			}
		}
		if len(s.Values) == len(j.at) {
			out = append(out, s)
		}
	}
	return out
}
