package ir

import (
	"cmp"
	"fmt"

	"github.com/rocec/rocec/lang/diag"
)

// Memory describes how the packet buffer of a switch is divided: memory that lossless ports reserve, memory that the chip reserves for
// other uses, and memory that all queues share. It is comparable, so that similar switches have equal values.
type Memory struct {
	Chip     int // packet buffer of the chip
	Lossless int // reserved by lossless ports: their buffers; with a shared pool only the parts below xoff, and the pool
	Rest     int // reserved for other uses, as far as published

	Ports    int // number of ports that carry a lossless group
	Groups   int // largest number of lossless groups on a port
	Buffers  int // number of buffers: one per port and lossless group, or one per port if the switch joins them ([SwitchCan.Shared])
	Headroom int // sum of the buffers' headrooms
	Largest  int // largest headroom of a buffer
	Pool     int // memory shared by all headrooms; 0: each port has its own
	Least    int // the least that must be shared: two frames of the MTU for each buffer

	Joined bool        // all lossless groups of a port count in one buffer
	Model  MemoryModel // how the rest is shared, and which memory counts towards a pause
}

// Memory adds up the switch's packet buffer.
func (d *Device) Memory() Memory {
	asic := d.Switch.Model.ASIC
	port, chip := asic.Reserves()
	m := Memory{
		Chip: asic.Buffer, Pool: d.Switch.HeadroomPool.N, Rest: chip + port*len(d.Ports),
		Joined: d.Switch.Can.Shared, Model: cmp.Or(d.Switch.Can.Memory, ChipMemory()),
	}
	sizes := 0
	for _, p := range d.Ports {
		if len(p.Buffers()) == 0 {
			continue
		}
		m.Ports++
		m.Groups = max(m.Groups, len(p.Buffers()))
		for _, b := range p.Buffers() {
			sizes += b.Size.N
		}
		for _, h := range p.Headrooms() {
			m.Buffers++
			m.Least += 2 * p.MTU()
			m.Headroom += h
			m.Largest = max(m.Largest, h)
		}
	}
	if m.Lossless = sizes; m.Pool > 0 {
		m.Lossless = sizes - m.Headroom + m.Pool
	}
	return m
}

// Headrooms lists the headroom of each lossless buffer of the port, as the switch implements them: one buffer for each group, or one for
// all groups, as large as their sum.
func (p *Port) Headrooms() []int {
	var out []int
	for i, b := range p.Buffers() {
		h := max(b.Headroom(), 0)
		if i > 0 && p.Device().Switch.Can.Shared {
			out[0] += h
			continue
		}
		out = append(out, h)
	}
	return out
}

// Shared returns the memory that remains for all queues; it is negative if more is reserved than exists.
func (m Memory) Shared() int { return m.Chip - m.Lossless - m.Rest }

// Fits reports whether the switch can work with this division of its memory.
func (m Memory) Fits() bool { return m.Buffers == 0 || m.Shared() >= m.Least }

// SharedLeast is the percentage of a chip's memory that should remain shared: with less, ports pause at the first burst.
const SharedLeast = 30

// Tight reports whether less than SharedLeast remains shared, or too little to work.
func (m Memory) Tight() bool {
	return !m.Fits() || m.Buffers > 0 && m.Shared()*100 < m.Chip*SharedLeast
}

// MarkPool is the pool that lossless buffers share: the model's percentage of the chip's memory after their reserves.
func (m Memory) MarkPool() int { return max(m.Chip-m.Lossless, 0) * m.Model.Percent / 100 }

// buffers returns the number of lossless buffers of a port, and the number of queues, over all lossless ports, in which a packet of one
// buffer may wait.
func (m Memory) buffers() (buffers, queues int) {
	buffers, queues = max(m.Groups, 1), max(m.Ports, 1)
	if m.Joined {
		buffers, queues = 1, queues*buffers
	}
	return buffers, queues
}

// MarkBound is the queue length below which marking must begin to come before pausing, when one port fills the queues of all others
// (DCQCN, section 4). With pool, alpha, n queues that packets of one buffer wait in, and L buffers of a port:
//
//	min < alpha x pool / (n x (1 + alpha x L))
//
// A port may hold xoff bytes beyond its share of the pool before it pauses. The formula leaves them out, which makes the bound lower by
// xoff / n. If thresholds are absolute, this is the bound for the case that they are relative; [Memory.FanOutBound] is the bound for
// absolute thresholds.
func (m Memory) MarkBound() int {
	buffers, queues := m.buffers()
	return m.Model.Alpha.of(m.MarkPool(), buffers) / queues
}

// FanOutBound is the queue length below which marking must begin to come before pausing, when one port fills the queues of all others and
// pauses at xoff bytes. It is [Memory.MarkBound], or xoff / n if thresholds are absolute, because n queues share the bytes that the port
// may hold.
func (m Memory) FanOutBound(xoff int) int {
	if !m.Model.Absolute {
		return m.MarkBound()
	}
	_, queues := m.buffers()
	return xoff / queues
}

// Queues returns the number of queues, over all lossless ports, in which a packet of one buffer may wait.
func (m Memory) Queues() int {
	_, queues := m.buffers()
	return queues
}

// MarkBoundText returns the formula of the bound with numbers.
func (m Memory) MarkBoundText() string {
	buffers, queues := m.buffers()
	a := m.Model.Alpha
	if a.Den == 0 {
		return fmt.Sprintf("%d B / (%d x %d)", m.MarkPool(), queues, buffers)
	}
	return fmt.Sprintf("%s x %d B / (%d x (1 + %s x %d))", a, m.MarkPool(), queues, a, buffers)
}

// MarkBoundTerms explains n and L.
func (m Memory) MarkBoundTerms() string {
	buffers, queues := m.buffers()
	if m.Joined && m.Groups > 1 {
		return fmt.Sprintf("n %d queues: %d lossless ports with %d lossless groups in one buffer; L 1", queues, m.Ports, m.Groups)
	}
	return fmt.Sprintf("n %d lossless ports; L %d lossless groups", m.Ports, buffers)
}

// Held returns the bytes that ports hold together when they pause, if they fill one queue at the same time. Unlike [Memory.IncastBound],
// each port has its own xoff.
func (m Memory) Held(xoffs []int) int {
	held := 0
	for _, xoff := range xoffs {
		held += xoff
	}
	if !m.Model.Absolute {
		held += len(xoffs) * m.Model.Alpha.of(m.MarkPool(), len(xoffs))
	}
	return held
}

// IncastBound returns the queue length below which marking must begin to come before pausing, when only several senders, each behind its
// own port, fill that queue. Each port holds its part of the queue, and pauses at xoff bytes beyond its share of the pool. Where thresholds
// are absolute, it pauses at xoff bytes.
func (m Memory) IncastBound(senders, xoff int) int {
	if m.Model.Absolute {
		return senders * xoff
	}
	return senders * (m.Model.Alpha.of(m.MarkPool(), senders) + xoff)
}

// MarksFrom returns the least number of senders into one queue for which marks come before pauses, if each port pauses at xoff bytes.
func MarksFrom(least, xoff int) int { return least/max(xoff, 1) + 1 }

// QueueLimit returns the largest length of a queue that one port fills: the port pauses, or drops, once it holds alpha times the free part
// of the pool.
func (m Memory) QueueLimit() int { return m.Model.Alpha.of(m.MarkPool(), 1) }

// Senders counts the ports of the switch that can fill one queue of a group at once: its other lossless ports, limited by the members that
// an intent has to send. If ports are equally fast, fewer than two senders cause no lasting queue.
func (d *Device) Senders(g *CosGroup) int {
	ports, members := 0, 0
	for _, p := range d.Ports {
		if p.Carries(g) != nil {
			ports++
		}
	}
	for _, in := range d.Fabric.Intents {
		if in.Group == g {
			members = max(members, len(in.Members))
		}
	}
	return max(min(ports, members)-1, 0)
}

// Reserve is the memory that the ports of one link block reserve at a switch for one lossless group.
type Reserve struct {
	Group   *CosGroup
	Block   string
	At      diag.Range
	Buffers int
	Bytes   int // of all buffers; with a shared pool, only the parts below xoff
}

// Reserves lists the memory that lossless ports reserve at the switch, in order of its ports. The sum of its bytes and the pool of
// headrooms is [Memory.Lossless].
func (d *Device) Reserves() []Reserve {
	type key struct {
		group *CosGroup
		at    diag.Range
		block string
	}
	var out []Reserve
	index := map[key]int{}
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			k := key{b.Group, p.Link().At, p.Link().Block}
			i, known := index[k]
			if !known {
				i = len(out)
				index[k] = i
				out = append(out, Reserve{Group: b.Group, Block: k.block, At: k.at})
			}
			out[i].Buffers++
			if out[i].Bytes += b.Size.N; d.Switch.HeadroomPool.N > 0 {
				out[i].Bytes -= max(b.Headroom(), 0)
			}
		}
	}
	return out
}
