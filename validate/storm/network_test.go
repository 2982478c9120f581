package storm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/storm"
)

// This file simulates a network with PFC, packet by packet, in slots: in each slot a port sends one packet unless it is paused. It shares
// no code with the package that it judges. It has the counters of real devices, and knows the true origin.

// slot is the length of a slot.
const slot = 10 * time.Microsecond

// The thresholds of buffers in packets, and the slots after which a lasting pause is repeated.
const (
	xoff, xon = 6, 3
	nicRoom   = 2
	refresh   = 16
)

// packet is a packet in a queue.
type packet struct {
	in  int32 // the port where it came in; -1: its host made it
	dst int32 // the index of its destination
}

// port is a port with its queue and its counters.
type port struct {
	of     *ir.Port
	device int
	peer   int

	queue   []packet
	held    int  // packets of the device that came in here
	pausing bool // it pauses its peer
	paused  bool // its peer pauses it, since the slot before
	since   int  // the slot of the last frame
	stuck   bool // a fault: its queue sends nothing

	frames, time, gotFrames, gotTime, packets uint64 // sent and received
}

// network is a simulated network.
type network struct {
	f      *ir.Fabric
	r      *rand.Rand
	ports  []port
	on     [][]int // the ports of each device
	host   []bool
	dst    []int       // destinations, by device
	next   [][][]int32 // by destination and device: the ports towards it
	sends  [][]int32   // by device: destinations of a host
	rate   []float64   // by device: the share of slots in which a host wants to send
	drain  []float64   // by device: the share of slots in which a host takes a packet
	storms []bool      // by device: a host that pauses for ever
	now    int
}

func newNetwork(f *ir.Fabric, r *rand.Rand) *network {
	n := &network{f: f, r: r, ports: make([]port, len(f.Ports)), on: make([][]int, len(f.Devices)), host: make([]bool, len(f.Devices))}
	for i, p := range f.Ports {
		n.ports[i] = port{of: p, device: p.Device().ID, peer: p.Peer().ID}
		n.on[p.Device().ID] = append(n.on[p.Device().ID], i)
	}
	for i, d := range f.Devices {
		n.host[i] = d.Host != nil
	}
	n.sends, n.storms = make([][]int32, len(f.Devices)), make([]bool, len(f.Devices))
	n.rate, n.drain = make([]float64, len(f.Devices)), slices.Repeat([]float64{1}, len(f.Devices))
	return n
}

// toward returns the index of a destination, with the next hops of every switch by breadth-first search.
func (n *network) toward(device int) int32 {
	if i := slices.Index(n.dst, device); i >= 0 {
		return int32(i)
	}
	far := slices.Repeat([]int{-1}, len(n.on))
	far[device] = 0
	hops := make([][]int32, len(n.on))
	for todo := []int{device}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if n.host[at] && at != device {
			continue
		}
		for _, p := range n.on[at] {
			back := n.ports[p].peer
			d := n.ports[back].device
			if far[d] < 0 {
				far[d] = far[at] + 1
				todo = append(todo, d)
			}
			if far[d] == far[at]+1 {
				hops[d] = append(hops[d], int32(back))
			}
		}
	}
	n.dst, n.next = append(n.dst, device), append(n.next, hops)
	return int32(len(n.dst) - 1)
}

// out returns the port by which a device sends a packet; equal paths are chosen by a hash of the packet's flow.
func (n *network) out(device int, p packet, flow int) int {
	ways := n.next[p.dst][device]
	h := uint32(device)*2654435761 ^ uint32(p.dst)*40503 ^ uint32(flow)*97
	h ^= h >> 13
	h *= 0x5bd1e995
	return int(ways[int(h>>8)%len(ways)])
}

// run simulates slots.
func (n *network) run(slots int) {
	type arrival struct {
		at int
		p  packet
	}
	var arrivals []arrival
	for range slots {
		n.now++
		arrivals = arrivals[:0]
		for i := range n.ports {
			p := &n.ports[i]
			if len(p.queue) == 0 || p.paused || p.stuck {
				continue
			}
			one := p.queue[0]
			p.queue = p.queue[1:]
			p.packets++
			if one.in >= 0 {
				n.ports[one.in].held--
			}
			arrivals = append(arrivals, arrival{p.peer, one})
		}
		for _, a := range arrivals {
			p := &n.ports[a.at]
			p.held++
			if n.host[p.device] {
				continue
			}
			a.p.in = int32(a.at)
			out := n.out(p.device, a.p, a.at)
			n.ports[out].queue = append(n.ports[out].queue, a.p)
		}
		for d, all := range n.sends {
			p := n.on[d][0]
			if len(all) > 0 && len(n.ports[p].queue) < nicRoom && n.r.Float64() < n.rate[d] {
				n.ports[p].queue = append(n.ports[p].queue, packet{-1, all[n.r.IntN(len(all))]})
			}
		}
		for i := range n.ports {
			n.pause(&n.ports[i])
		}
	}
}

// pause updates the pauses of a port at the end of a slot.
func (n *network) pause(p *port) {
	if n.host[p.device] && p.held > 0 && n.r.Float64() < n.drain[p.device] {
		p.held--
	}
	was := p.pausing
	switch {
	case n.host[p.device] && n.storms[p.device]:
		p.pausing = true
	case p.held >= xoff:
		p.pausing = true
	case p.held <= xon:
		p.pausing = false
	}
	peer := &n.ports[p.peer]
	if p.pausing != was || p.pausing && n.now-p.since >= refresh {
		p.frames++
		peer.gotFrames++
		p.since = n.now
	}
	if p.pausing {
		p.time += uint64(slot / time.Microsecond)
		peer.gotTime += uint64(slot / time.Microsecond)
	}
	peer.paused = p.pausing
}

// seen is which counters a test sees.
type seen struct {
	silent map[*ir.Device]bool
	lacks  map[string]bool // PORT and a counter
	timed  bool            // switches count the time of pauses; hosts always do
}

// draws which devices are silent, and which counters are missing.
func look(f *ir.Fabric, r *rand.Rand, silent, missing float64, timed bool) *seen {
	s := &seen{silent: map[*ir.Device]bool{}, lacks: map[string]bool{}, timed: timed}
	for _, d := range f.Devices {
		s.silent[d] = r.Float64() < silent
	}
	for _, p := range f.Ports {
		for c := range 6 {
			if r.Float64() < missing {
				s.lacks[fmt.Sprint(p.ID, c)] = true
			}
		}
	}
	return s
}

// read returns a reading of the network as a test sees it.
func (n *network) read(s *seen) storm.Reading {
	out := storm.Reading{}
	for _, d := range n.f.Devices {
		if s.silent[d] {
			out[d] = &storm.Counters{Failed: "it does not answer"}
			continue
		}
		one := &storm.Counters{Uptime: time.Hour + time.Duration(n.now)*slot}
		for _, i := range n.on[d.ID] {
			p := &n.ports[i]
			get := func(c int, v uint64) ir.Counter {
				if s.lacks[fmt.Sprint(i, c)] || !s.timed && c >= 2 && c <= 3 && d.Host == nil {
					return ir.Counter{}
				}
				return ir.Counter{Value: v, Known: true}
			}
			one.Ports = append(one.Ports, ir.PauseCounters{
				Port: p.of.Name, Priority: 3,
				Received: get(0, p.gotFrames), Sent: get(1, p.frames), ReceivedTime: get(2, p.gotTime), SentTime: get(3, p.time),
				Packets: get(4, p.packets), Waiting: get(5, uint64(len(p.queue)*1500)),
			})
		}
		out[d] = one
	}
	return out
}

// readings returns three readings.
func (n *network) readings(s *seen, slots int) []storm.Reading {
	out := []storm.Reading{n.read(s)}
	for range 2 {
		n.run(slots)
		out = append(out, n.read(s))
	}
	return out
}

// clos draws a fabric of leaves and spines, or of three tiers, with at most the given number of switches.
func clos(r *rand.Rand, most int) *ir.Fabric {
	c := irtest.New(ir.ShortestPath)
	hosts := 2 + r.IntN(7)
	attach := func(leaf string) {
		for h := range hosts {
			c.Link(fmt.Sprintf("h%s-%d", leaf, h), leaf)
		}
	}
	if r.IntN(2) == 0 || most < 12 {
		spines := 1 + r.IntN(min(8, most/3+1))
		leaves := max(2, min(most-spines, 2+r.IntN(most)))
		for l := range leaves {
			for s := range spines {
				c.Link(fmt.Sprint("L", l), fmt.Sprint("S", s))
			}
			attach(fmt.Sprint("L", l))
		}
	} else {
		leaves, aggs, cores := 1+r.IntN(8), 1+r.IntN(3), 1+r.IntN(3)
		pods := max(2, (most-aggs*cores)/(leaves+aggs))
		for p := range pods {
			for a := range aggs {
				for l := range leaves {
					c.Link(fmt.Sprintf("T%d.%d", p, l), fmt.Sprintf("A%d.%d", p, a))
				}
				for k := range cores {
					c.Link(fmt.Sprintf("A%d.%d", p, a), fmt.Sprintf("C%d.%d", a, k))
				}
			}
			for l := range leaves {
				attach(fmt.Sprintf("T%d.%d", p, l))
			}
		}
	}
	return finished(c)
}

// finished numbers a fabric, and gives its ports a speed.
func finished(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	for _, p := range f.Ports {
		p.SetSpeed(100_000)
	}
	return f
}

// size draws a number of switches: mostly small, at times up to most.
func size(r *rand.Rand, most int) int {
	n := 4 + r.IntN(30)
	for n < most && r.IntN(4) == 0 {
		n *= 3
	}
	return min(n, most)
}

// traffic lets hosts send to some destinations; many send to the first one.
func (n *network) traffic(dsts []int, rate float64) {
	var all []int32
	for _, d := range dsts {
		all = append(all, n.toward(d))
	}
	for d := range n.host {
		if !n.host[d] || len(n.on[d]) == 0 || n.r.IntN(3) == 0 && d != dsts[0] {
			continue
		}
		for _, t := range all {
			if n.dst[t] != d && (t == all[0] && n.r.IntN(2) == 0 || n.r.IntN(len(all)) < 2) {
				n.sends[d] = append(n.sends[d], t)
			}
		}
		n.rate[d] = rate
	}
}

// someHosts draws different hosts.
func (n *network) someHosts(most int) []int {
	var all []int
	for d, host := range n.host {
		if host {
			all = append(all, d)
		}
	}
	n.r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all[:min(most, len(all))]
}
