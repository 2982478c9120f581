package compiler

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// This file derives the thresholds of ECN marking.
//
// Senders slow down when packets come back marked, and a queue marks from Min on. It must do so before the ingress buffers that feed it
// pause (DCQCN, section 4). With dynamic thresholds, let one port fill n queues up to Min, let L be the number of lossless buffers of a
// port, and let B be the bytes of the shared pool. Then marks come first while
//
//	Min < alpha B / (n (1 + alpha L))
//
// which is [ir.Memory.MarkBound]; alpha and the pool are those of the switch's memory model ([ir.MemoryModel]). If a port pauses at xoff
// bytes regardless of free memory, n ports that fill one queue hold n x xoff bytes. Min is kept below that for the incast of the fabric
// ([ir.Device.Senders]). No published document states how such a chip counts, so Min is kept below the first bound, too. Within both
// bounds, Min scales with the speed of the port, from 150 KiB at 100G, so that it stays in proportion to the bandwidth-delay product. Min
// is at least three frames, so that a single sender can run at full speed, or two frames below a bound. If a bound leaves less, no Min
// would help, and Min is three frames. Some switches drop packets that they cannot mark at the same thresholds ([ir.SwitchCan.Drops]).
// There the probability rises slowly over the whole queue: Max is the queue length at which one port pauses ([ir.Memory.QueueLimit]), with
// the probability of SONiC's template. Then few packets without ECN bits are lost, such as inbox traffic in the same class.
//
// Every threshold is a whole number of the chip's steps, so the switch has exactly the written value. Values from speed and frames are
// rounded up, as the chip does. A bound is rounded down, so that it is kept.

const (
	markAt100G  = 150 << 10 // bytes. Source: Cumulus Linux 3.7's RoCE preset, 153600 at every speed; rocec assumes that it is for 100G
	markSlope   = 10        // Max / Min. Source: the same, 1536000
	markFrames  = 3         // least Min, in frames of the MTU. Source: DCQCN practice, 2 to 3 MTU
	boundFrames = 2         // least Min below a bound, in frames. Source: the same
	markAlways  = 100       // percent at Max. Source: the same preset
	markGently  = 5         // percent at Max if a switch drops packets that it cannot mark. Source: SONiC's template qos_config.j2
	markAtSpeed = 100_000   // Mb/s
)

// markKey contains the inputs of a mark.
type markKey struct {
	group *ir.CosGroup
	asic  *platform.ASIC
	mbps  int
	mtu   int
	bound int    // -1: no bound applies
	limit string // the inputs of the bound, if they are inputs of the mark because of the bound or fabric.lock

	gently  int  // Max if the switch drops packets that it cannot mark; 0: it drops none
	senders int  // number of senders into one queue, if the bound is for them; 0: the bound is for one port that fills all queues
	other   bool // the bound assumes the other meaning of xoff
}

// mark sets the thresholds of every switch port that sends an ECN group. Equal ports share them.
func (c *compiler) mark() {
	var marking []*ir.CosGroup
	for _, g := range c.f.CosGroups {
		if g.ECN != nil {
			marking = append(marking, g)
		}
	}
	if len(marking) == 0 {
		return
	}
	known, joined := map[markKey]*ir.Mark{}, map[alikeKey]*ir.Mark{}
	inputs := map[ir.Memory]string{} // thousands of similar switches have equal memories
	share := rows[*ir.Mark]{}.share
	var row []*ir.Mark
	for _, d := range c.f.Devices {
		if d.Switch == nil || d.ByHand != nil && !d.ByHand.ECN {
			continue
		}
		mem := d.Memory()
		bound, loose := mem.MarkBound(), looseBound(mem)
		senders := map[*ir.CosGroup]int{}
		if mem.Model.Absolute {
			for _, g := range marking {
				senders[g] = d.Senders(g)
			}
		}
		for _, p := range d.Ports {
			row = row[:0]
			for _, g := range marking {
				if !c.marked[g].has(p.Link()) {
					continue
				}
				key := markKey{group: g, asic: d.Switch.Model.ASIC, mbps: p.Speed(), mtu: p.MTU(), bound: -1}
				if d.Switch.Can.Drops != "" && g.Lossless {
					key.gently = gentleMax(key.asic, mem)
				}
				incast, xoff := -1, 0
				if b := p.Carries(g); b != nil && senders[g] > 1 {
					xoff = b.Xoff.N
					incast = mem.IncastBound(senders[g], xoff)
				}
				switch free := freeMin(key); {
				case !g.Lossless:
				case incast >= 0 && incast < bound && free >= incast:
					key.bound, key.senders = incast, senders[g]
					key.limit = fmt.Sprintf(" senders=%d xoff=%d", key.senders, xoff)
				case free >= bound:
					key.bound, key.other = bound, mem.Model.Absolute
					key.limit = once(inputs, mem, func() string { return memoryInputs(mem) })
				default:
					key.limit = c.pins.limitOf(key, mem)
				}
				m := known[key]
				if m == nil {
					m = deriveMark(key)
					c.pinMark(m, key, p.Link(), memoryOnly(mem), loose)
					known[key] = m
				}
				row = append(row, m)
			}
			p.SetSizes(c.shared.of(p.Buffers(), share(row)))
		}
		alike(d, share, joined)
	}
}

// gentleMax returns Max for a switch that drops packets that it cannot mark. Above 1 MiB it is rounded down to whole MiB, so that the
// reserve of another cable seldom changes the thresholds of every port.
func gentleMax(a *platform.ASIC, m ir.Memory) int {
	const whole = 1 << 20
	n := m.QueueLimit()
	if n > whole {
		n -= n % whole
	}
	return a.WholeSteps(n)
}

// looseBound returns the bound of an older rocec without memory models: one pool, with a share of 1 for each lossless group. Values that
// fabric.lock pins below it were valid under those rules.
func looseBound(m ir.Memory) int {
	m.Model, m.Joined = ir.ChipMemory(), false
	return m.MarkBound()
}

// freeMin returns Min without a bound: the value for the speed, at least [markFrames].
func freeMin(k markKey) int { return max(unbound(k.asic, k.mbps), stepsUp(k.asic, markFrames*k.mtu)) }

// unbound returns Min by speed alone, rounded as by the chip if its rounding is published.
func unbound(a *platform.ASIC, speed int) int {
	return a.WholeSteps(a.Threshold(markAt100G * speed / markAtSpeed))
}

// stepsUp rounds a threshold up to a value that the chip supports.
func stepsUp(a *platform.ASIC, n int) int { return a.WholeSteps(n + max(a.MarkStep, a.Cell) - 1) }

func deriveMark(k markKey) *ir.Mark {
	given := k.group.ECN
	m := &ir.Mark{Group: k.group, Min: ir.Told(given.Min), Max: ir.Told(given.Max), Probability: ir.Told(given.Probability)}
	cell := ir.Origin{Why: fmt.Sprintf("%s: cells of %d B", k.asic.Title, k.asic.Cell)}
	if k.asic.MarkStep > 0 {
		cell.Why = fmt.Sprintf("%s: thresholds in steps of %d B", k.asic.Title, k.asic.MarkStep)
	}
	if !m.Min.Set() {
		m.Min = deriveMin(k, cell)
		if m.Max.Set() && m.Min.N >= m.Max.N {
			m.Min = ir.Told(ir.Num{N: k.asic.Threshold(max(m.Max.N/markSlope, 1)), From: []ir.Origin{
				{At: given.Max.From[0].At, Why: fmt.Sprintf("ecn.max / %d", markSlope)},
			}})
		}
	}
	if !m.Max.Set() {
		n, from, why := max(m.Min.N*markSlope, k.asic.Threshold(m.Min.N)+k.asic.MarkStep), m.Min.From, ir.Origin{}
		why.Why = fmt.Sprintf("%d x min", markSlope)
		if k.gently > 0 {
			n, from, why.At = max(k.gently, stepsUp(k.asic, m.Min.N+1)), nil, given.At
			why.Why = fmt.Sprintf("one port fills a queue to %d B or more before it pauses, and above max the switch drops what it cannot mark",
				k.gently)
		}
		m.Max = ir.Derived{N: n, From: slices.Insert(slices.Clone(from), min(len(from), 1), because(why))}
	}
	if !m.Probability.Set() {
		percent, why := markAlways, "preset: %d %% at max"
		if k.gently > 0 {
			percent, why = markGently, "%d %% at max: the switch drops as many packets without ECN bits"
		}
		m.Probability = ir.Told(ir.Num{N: percent, From: []ir.Origin{{At: given.At, Why: fmt.Sprintf(why, percent)}}})
	}
	return m
}

func deriveMin(k markKey, cell ir.Origin) ir.Derived {
	speed := platform.SpeedText(k.mbps)
	speedMin, frames := unbound(k.asic, k.mbps), markFrames
	n := speedMin
	why := []ir.Reason{
		{Link: ir.LinkSpeed},
		because(ir.Origin{Why: fmt.Sprintf("150 KiB at 100G, so %d B at %s", markAt100G*k.mbps/markAtSpeed, speed)}),
	}
	if k.bound >= 0 && k.bound <= freeMin(k) {
		n, frames = k.asic.WholeSteps(max(k.bound-1, 0)), boundFrames
		on := "on this switch"
		switch {
		case k.senders > 0:
			on = fmt.Sprintf("where %d ports fill one queue", k.senders)
		case k.other:
			on = "should xoff count what is beyond a share of the pool after all"
		}
		why = append(why, because(ir.Origin{Why: fmt.Sprintf("marking must come before pausing: below %d B %s", k.bound, on)}))
	}
	if n < frames*k.mtu {
		n, frames = stepsUp(k.asic, markFrames*k.mtu), markFrames
	}
	if n > speedMin {
		why = append(why, ir.Reason{Link: ir.LinkMTU, Origin: ir.Origin{Why: fmt.Sprintf("at least %d frames of %d B", frames, k.mtu)}})
	}
	return ir.Derived{N: n, From: append(why, because(cell))}
}

// If a switch has one set of thresholds for several queues ([ir.SwitchCan.Marks]), it gets the smallest of the values that the queues would
// have separately. So marks come before pauses on each queue, but some queues mark early ([ir.Mark.Own]). Values that a person wrote are
// never changed. Derived values follow them if marks still come before pauses.

// alikeKey is a mark with the set of thresholds that it gets.
type alikeKey struct {
	mark                  *ir.Mark
	min, max, probability int
}

// alike gives the ports of a switch common thresholds, one set for each scope of marking. If a person wrote values that contradict each
// other, the marks stay unchanged, and the target refuses them.
func alike(d *ir.Device, share func([]*ir.Mark) []*ir.Mark, known map[alikeKey]*ir.Mark) {
	switch d.Switch.Can.Marks {
	case ir.MarksOfPort:
		for _, p := range d.Ports {
			if len(p.Marks()) > 1 {
				together([]*ir.Port{p}, d.Switch.Can.MarksWhy, share, known)
			}
		}
	case ir.MarksOfSwitch:
		together(d.Ports, d.Switch.Can.MarksWhy, share, known)
	}
}

// together gives the ports one set of thresholds.
func together(ports []*ir.Port, why string, share func([]*ir.Mark) []*ir.Mark, known map[alikeKey]*ir.Mark) {
	var marks []*ir.Mark
	for _, p := range ports {
		for _, m := range p.Marks() {
			if !slices.Contains(marks, m) {
				marks = append(marks, m)
			}
		}
	}
	set, ok := oneSet(marks)
	if !ok {
		return
	}
	var row []*ir.Mark
	for _, p := range ports {
		if len(p.Marks()) == 0 {
			continue
		}
		row = row[:0]
		for _, m := range p.Marks() {
			key := alikeKey{m, set.Min.N, set.Max.N, set.Probability.N}
			if known[key] == nil {
				known[key] = withSet(m, &set, why)
			}
			row = append(row, known[key])
		}
		p.SetMarks(share(row))
	}
}

// oneSet returns thresholds that all marks can have. ok is false if the marks are already equal, or if there are no such thresholds.
func oneSet(marks []*ir.Mark) (set ir.Mark, ok bool) {
	if len(marks) == 0 {
		return set, false
	}
	least := marks[0]
	for _, m := range marks {
		if m.Min.N < least.Min.N {
			least = m
		}
	}
	set = *least
	for _, m := range marks { // a lossless queue that drops packets it cannot mark rises slowly, so the other queues do too
		if !m.Group.ECN.Probability.Set() && m.Probability.N < set.Probability.N {
			set.Max, set.Probability = m.Max, m.Probability
		}
	}
	differ := false
	for _, m := range marks {
		differ = differ || m.Min.N != set.Min.N || m.Max.N != set.Max.N || m.Probability.N != set.Probability.N
	}
	for _, f := range []struct {
		of     func(m *ir.Mark) *ir.Derived
		stated func(e *ir.ECN) ir.Num
	}{
		{func(m *ir.Mark) *ir.Derived { return &m.Min }, func(e *ir.ECN) ir.Num { return e.Min }},
		{func(m *ir.Mark) *ir.Derived { return &m.Max }, func(e *ir.ECN) ir.Num { return e.Max }},
		{func(m *ir.Mark) *ir.Derived { return &m.Probability }, func(e *ir.ECN) ir.Num { return e.Probability }},
	} {
		var written *ir.Derived
		for _, m := range marks {
			switch now := f.of(m); {
			case !f.stated(m.Group.ECN).Set():
			case written == nil:
				written = now
			case written.N != now.N:
				return set, false
			}
		}
		if written != nil {
			*f.of(&set) = *written
		}
	}
	for _, m := range marks {
		if !m.Group.ECN.Min.Set() && set.Min.N > m.Min.N {
			return set, false // marks would come after pauses
		}
	}
	return set, differ && set.Min.N < set.Max.N
}

// withSet returns a mark with the thresholds of a set. why is the reason for having one set.
func withSet(m, set *ir.Mark, why string) *ir.Mark {
	out := *m
	for _, f := range []struct{ to, from *ir.Derived }{
		{&out.Min, &set.Min}, {&out.Max, &set.Max}, {&out.Probability, &set.Probability},
	} {
		if f.to.N != f.from.N {
			f.to.N = f.from.N
			f.to.From = append([]ir.Reason{{Origin: ir.Origin{Why: "one set of thresholds: " + why}}}, f.from.From...)
		}
	}
	if out.Min.N < m.Min.N {
		out.Own = m.Min.N
	}
	return &out
}
