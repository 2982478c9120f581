package facts

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// The sizes that show prints: the memory of a switch, the buffers of a port and its marking, with each sum.

// describeMemory describes the packet buffer of a switch, its division, and how the system divides the memory that no port reserves. Each
// fact has its source.
func describeMemory(d *ir.Device) []Section {
	asic, m := d.Switch.Model.ASIC, d.Memory()
	s, model := Section{Title: "memory"}, Section{Title: MemoryModel}
	s.Add("packet buffer", amount(m.Chip), ir.Origin{At: d.Switch.ModelAt, Why: asic.Title})
	s.Add("lossless buffers", amount(m.Lossless), ir.Origin{Why: "the sum of:"})
	for _, r := range d.Reserves() {
		what := diag.Count(r.Buffers, "buffer")
		if m.Pool > 0 {
			what = fmt.Sprintf("%s below xoff", diag.Count(r.Buffers, "part"))
		}
		s.Add("  "+r.Group.Name+", "+r.Block, amount(r.Bytes), ir.Origin{At: r.At, Why: what})
	}
	if m.Pool > 0 {
		s.Add("  headroom_pool", amount(m.Pool), d.Switch.HeadroomPool.From...)
		s.Add("  its headrooms", amount(m.Headroom), ir.Origin{Why: "not counted: the pool provides them while it can"})
	}
	if m.Rest > 0 {
		port, chip := asic.Reserves()
		s.Add("kept for the rest", amount(m.Rest), ir.Origin{Why: fmt.Sprintf("%s: %d B, and %d B for each of %d ports",
			asic.Title, chip, port, len(d.Ports))})
	}
	s.Add("shared", amount(m.Shared()),
		append([]ir.Origin{{Why: fmt.Sprintf("%d %% of the packet buffer", m.Shared()*100/m.Chip)}}, beyondRows(d)...)...)
	s.Add("least that works", amount(m.Least), ir.Origin{Why: "two frames of the MTU for each lossless buffer"})
	if !m.Model.Absolute {
		s.Add("marks before pauses", "below "+amount(m.MarkBound()), boundOrigin(m)...)
	} else if xoff := leastXoff(d); xoff > 0 {
		s.addAbsoluteBounds(m, xoff)
	}
	pool, counts := "shared with all traffic", "the buffer of a port beyond its share of the pool"
	if m.Model.Pool {
		pool = "only for lossless traffic"
	}
	if m.Model.Absolute {
		counts = "the whole buffer of a port"
	}
	model.Add("pool", fmt.Sprintf("%d %% (%s)", m.Model.Percent, pool), ir.Origin{At: d.Switch.MemoryAt, Why: m.Model.PercentFrom})
	model.Add("alpha", m.Model.Alpha.String(), ir.Origin{At: d.Switch.MemoryAt, Why: m.Model.AlphaFrom})
	model.Add("xoff counts", counts, ir.Origin{Why: m.Model.XoffFrom})
	return []Section{s, model}
}

// leastXoff returns the lowest xoff threshold of a switch.
func leastXoff(d *ir.Device) int {
	least := 0
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			if x := b.Xoff.N; x > 0 && (least == 0 || x < least) {
				least = x
			}
		}
	}
	return least
}

// addAbsoluteBounds adds the bounds for a port that pauses at xoff bytes, independent of free memory.
func (s *Section) addAbsoluteBounds(m ir.Memory, xoff int) {
	s.Add("marks before pauses", fmt.Sprintf("below f x %d B", xoff),
		ir.Origin{Why: "f ports that fill one queue have f x xoff in their buffers when they pause"})
	s.Add("  of a single port", "below "+amount(m.FanOutBound(xoff)), ir.Origin{
		Why: fmt.Sprintf("%d B / %d: it fills all queues (%s)", xoff, m.Queues(), m.MarkBoundTerms()),
	})
}

// losslessText returns the number of lossless groups on a port of a switch, and the number of their buffers.
func losslessText(can ir.SwitchCan) string {
	switch {
	case !can.PFC:
		return "none: no PFC"
	case can.Shared:
		return fmt.Sprintf("%d at a port, in one buffer for all", can.Lossless)
	}
	return fmt.Sprintf("%d at a port, a buffer for each", can.Lossless)
}

func losslessOrigins(can ir.SwitchCan) []ir.Origin {
	var out []ir.Origin
	if can.PFC && can.Counted != "" {
		out = append(out, ir.Origin{Why: can.Counted})
	}
	if can.Joined != "" {
		out = append(out, ir.Origin{Why: "one buffer: " + can.Joined})
	}
	return out
}

// boundOrigin explains the bound below which marks come before pauses.
func boundOrigin(m ir.Memory) []ir.Origin {
	return []ir.Origin{
		{Why: m.MarkBoundText() + ": alpha x pool / (n x (1 + alpha x L))"},
		{Why: fmt.Sprintf("alpha %s; pool %d B: %d %% of the packet buffer less lossless buffers; %s", m.Model.Alpha, m.MarkPool(),
			m.Model.Percent, m.MarkBoundTerms())},
	}
}

// describeBuffer describes the buffer of one group at a port. If others configure it, the sizes are those that rocec would write.
func describeBuffer(set *walk.Settings, b *ir.Buffer, p *ir.Port) Section {
	l := p.Link()
	r, sized := set.Room(p, b)
	if !sized && !set.WasRead(p) {
		r.Size, r.Xoff, r.Xon = b.Size.N, b.Xoff.N, b.Xoff.N-b.XonDelta.N
	}
	s := Section{Title: fmt.Sprintf("lossless %s, priority %d", b.Group.Name, b.Group.Cos)}
	need := "headroom needed"
	if b.Size.Set() && !sized && set.WasRead(p) {
		value, from := stated("not known", "no file states it")
		if r.Headroom.Known() {
			value, from = stated(amount(r.Headroom.Value), "as the files state it, without the other sizes")
		}
		s.Add("headroom", value, from)
	} else if b.Size.Set() {
		s.num("buffer", ir.Num{N: r.Size, From: b.Size.On(l).From}, " B")
		s.num("xoff", ir.Num{N: r.Xoff, From: b.Xoff.On(l).From}, " B")
		s.num("xon_delta", ir.Num{N: r.Xoff - r.Xon, From: b.XonDelta.On(l).From}, " B")
		s.Add("xon", amount(r.Xon), ir.Origin{Why: "xoff - xon_delta: the sender resumes"})
		if h := p.Device().ByHand; h != nil {
			s.Add("headroom", SetByHand(b.Need), ir.Origin{At: h.At, Why: "the sizes above are those that rocec would write"})
		} else {
			s.Add("headroom", amount(r.Size-r.Xoff), ir.Origin{Why: "buffer - xoff"})
		}
		s.addCost(r, p.Device().Switch)
	} else if set.Of(p).LinkPause { // one pause for all groups, and no PFC buffer with a size
		from := ir.Origin{At: l.FlowControlAt}
		switch h := p.Device().ByHand; {
		case h != nil && h.FlowControl == ir.Pause:
			from.At = h.FlowControlAt
		case from.At.Filename == "":
			from.At = p.Device().Fabric.At
		}
		s.Add("pfc", "off", from)
		s.Add("link pause", "on", ir.Origin{At: from.At, Why: "stops every cos group of the cable"})
		return s
	} else { // a NIC: its driver sizes its own buffers
		s.Add("pfc", pfcText(set, p, b.Group.Cos), ir.Origin{At: b.Group.LosslessAt, Why: "sized by the NIC's driver"})
		need = "buffer needed"
	}
	if b.Group.PFC != nil && b.Group.PFC.SmallPackets.Set() && b.Size.Set() {
		s.num("small_packets", b.Group.PFC.SmallPackets, " %")
	}
	if len(b.Terms) == 0 {
		return s
	}
	s.Add(need, amount(b.Need), ir.Origin{Why: "the sum of:"})
	for _, t := range b.Terms {
		s.Add("  "+t.Name, amount(t.Bytes), ir.Origin{Why: t.Why})
	}
	keeps := r.Size - r.Xoff
	if set.WasRead(p) && !sized {
		keeps = r.Headroom.Value
	}
	for _, line := range published(b, p, keeps) {
		s.Add(line.name, line.value, ir.Origin{Why: line.why})
	}
	if b.Floor < b.Need {
		s.Add("loss is likely", "below "+amount(b.Floor), ir.Origin{Why: "counted in static tables of vendors"})
	}
	return s
}

// stated returns a value with the reason that is printed beside it.
func stated(value, why string) (string, ir.Origin) { return value, ir.Origin{Why: why} }

// addCost adds the share of a buffer in the memory of the chip.
func (s *Section) addCost(r walk.Room, sw *ir.Switch) {
	asic, what, takes := sw.Model.ASIC, "the buffer", r.Size
	if sw.HeadroomPool.N > 0 {
		what, takes = "the part below xoff", min(r.Xoff, r.Size)
	}
	s.Add("of the chip's memory", fmt.Sprintf("%.2f %%", float64(takes)*100/float64(asic.Buffer)), ir.Origin{
		Why: fmt.Sprintf("%s takes %d of %d B (%s)", what, takes, asic.Buffer, asic.Title),
	})
}

// addTotal adds the sum of all lossless groups of a port if there are several.
func (s *Section) addTotal(set *walk.Settings, p *ir.Port) {
	all, need := 0, 0
	for _, b := range p.Buffers() {
		switch r, sized := set.Room(p, b); {
		case r.Joined:
			all = r.Size
		case sized:
			all += r.Size
		default:
			all += b.Size.N
		}
		need += b.Need
	}
	if p.NIC != nil {
		all = need
	}
	if p.NIC != nil && set.Of(p).LinkPause {
		return // no PFC buffers
	}
	if len(p.Buffers()) > 1 && all > 0 {
		s.Add("all lossless groups", amount(all), ir.Origin{Why: fmt.Sprintf("the buffers of %d groups", len(p.Buffers()))})
	}
}

// describeMark describes the marking of one group at a port of a switch.
func describeMark(set *walk.Settings, m *ir.Mark, p *ir.Port) Section {
	d, l := p.Device(), p.Link()
	at, marks := set.Marking(p, m.Group)
	s := Section{Title: fmt.Sprintf("ECN marking of %s", m.Group.Name)}
	if own := set.Of(p).Detail.Get(); set.WasRead(p) && (!marks || at.Max == 0) {
		value, from := stated("not known", "no file states the thresholds")
		if q := own.Queue[m.Group.Cos]; !marks && q >= 0 && own.Queues[q].ECN.Known() {
			value, from = stated("none", "as the files state it")
		}
		s.Add("marks", value, from)
		return s
	}
	s.num("min", ir.Num{N: at.Min, From: m.Min.On(l).From}, " B")
	s.num("max", ir.Num{N: at.Max, From: m.Max.On(l).From}, " B")
	s.num("probability", ir.Num{N: at.Probability, From: m.Probability.On(l).From}, " %")
	asic := d.Switch.Model.ASIC
	if asic.MarkStep > 0 {
		s.Add("as the chip has them", fmt.Sprintf("%d and %d B", asic.Threshold(at.Min), asic.Threshold(at.Max)),
			ir.Origin{Why: fmt.Sprintf("%s: thresholds in steps of %d B, rounded up", asic.Title, asic.MarkStep)})
	}
	if m.Group.Lossless {
		mem := d.Memory()
		if !mem.Model.Absolute {
			s.Add("marks before pauses", "below "+amount(mem.MarkBound()), boundOrigin(mem)...)
		} else if b := p.Carries(m.Group); b != nil && b.Xoff.N > 0 {
			xoff := b.Xoff.N
			if r, sized := set.Room(p, b); sized {
				xoff = r.Xoff
			}
			s.addAbsoluteBounds(mem, xoff)
			s.addFrom(ir.MarksFrom(asic.Threshold(at.Min), xoff), d.Senders(m.Group), xoff)
		}
	}
	return s
}

// addFrom adds how many ports must send into a queue at once for marks to come before pauses.
func (s *Section) addFrom(from, senders, xoff int) {
	const name = "  of how many ports"
	above := ir.Origin{Why: fmt.Sprintf("f x %d B above min", xoff)}
	switch {
	case senders < 2:
		s.Add(name, "no queue to mark", ir.Origin{Why: "fewer than two ports can send into it, so it stays short if ports are equally fast"})
	case from > senders:
		s.Add(name, fmt.Sprintf("never, with %d ports", senders), ir.Origin{Why: fmt.Sprintf("this min needs %d ports at once", from)}, above)
	default:
		s.Add(name, fmt.Sprintf("%d or more of %d", from, senders), above)
	}
}

func amount(n int) string { return fmt.Sprintf("%d B", n) }
