package lab

import (
	"net/netip"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// crowd is a queue at the last cable: a port of a switch, and a cos.
type crowd struct {
	port *ir.Port
	cos  int
}

// sender is the last interface that has sent to a crowd, at a time of the switch's clock.
type sender struct {
	from *ir.Port
	at   time.Duration
}

// together is the time within which two senders to a port count as simultaneous. Commands on several devices start at different times.
const together = 20 * time.Second

// paused reports packets to the switch next to their receiver. A second sender within a short time fills the port, because all cables of
// hosts have the same speed. The switch then pauses the port at which the second sender's packets enter. A pause reaches the sender only
// if its cable ends at the same switch.
func (e *entry) paused(netdev string, peer netip.Addr, cos int, packets uint64) uint64 {
	to, at := e.lab.holder(peer)
	if to == nil {
		return 0
	}
	from, last := portOf(e.tree.Source, netdev), portOf(to.tree.Source, at)
	if from == nil || last == nil || from.Peer() == nil || last.Peer() == nil {
		return 0
	}
	out := last.Peer()
	next := e.lab.byName[out.Device().Name]
	if next == nil {
		return 0
	}
	// The caller holds the lock of a host. A switch never waits for such a lock.
	next.mu.Lock()
	defer next.mu.Unlock()
	d, err := next.device()
	if err != nil {
		return 0
	}
	if !e.lab.second(crowd{out, cos}, sender{from, d.machine.Clock.Now()}) {
		return 0
	}
	in := from.Peer()
	for _, p := range out.Device().Ports {
		if in.Device() != out.Device() && p.Peer() != nil && p.Peer().Device().Switch != nil {
			in = p
		}
	}
	if in.Device() != out.Device() {
		return 0
	}
	d.fs.Lock()
	defer d.fs.Unlock()
	for _, sim := range d.image.Sims {
		if s, ok := sim.(target.Pauser); ok {
			n := s.Pause(in.Name, cos, packets)
			if in == from.Peer() {
				return n
			}
		}
	}
	return 0
}

// second reports whether another sender has sent to a crowd within a short time. Two senders are one crowd, and the next begins another.
func (l *Lab) second(c crowd, s sender) bool {
	l.crowdMu.Lock()
	defer l.crowdMu.Unlock()
	was, there := l.crowds[c]
	if there && was.from != s.from && s.at-was.at <= together {
		delete(l.crowds, c)
		return true
	}
	l.crowds[c] = s
	return false
}

// portOf returns the port of a device with a name; nil: it has none.
func portOf(d *ir.Device, name string) *ir.Port {
	for _, p := range d.Ports {
		if p.Name == name {
			return p
		}
	}
	return nil
}
