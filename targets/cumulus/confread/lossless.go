package confread

import (
	"math/bits"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// pauses reads a port group of PFC or link pause. The lowest cos in its list is used as the number of its priority group: the switch picks
// the real number, and no file states it.
func (c *Conf) pauses(n *node, f grammar.Feature, group string) {
	cos := uint8(0xff)
	if f == grammar.PFC {
		cos = c.mask(f, grammar.GroupCos, group)
	} else {
		n.LinkPause = true
	}
	sends, obeys := c.on(f, grammar.SendsPause, group), c.on(f, grammar.ObeysPause, group)
	if sends {
		n.Sends |= cos
	}
	if obeys {
		n.Obeys |= cos
	}
	for _, m := range []grammar.Meaning{grammar.GroupCos, grammar.SendsPause, grammar.ObeysPause} {
		n.vague = n.vague || c.slipped(f, m, -1, group)
	}
	size, hasSize := c.number(f, grammar.Buffer, group)
	xoff, hasXoff := c.number(f, grammar.Xoff, group)
	delta, hasDelta := c.number(f, grammar.XonDelta, group)
	n.Headroom = max(size-xoff, 0)
	if !c.lenient && (!hasSize || !hasXoff) {
		n.Headroom = 0
	}
	if metres, ok := c.number(f, grammar.CableLength, group); ok || c.slipped(f, grammar.CableLength, -1, group) {
		put(n, bitPort, &n.d.Cable, stated(metres, ok))
	}
	if cos == 0 {
		return
	}
	own := bits.TrailingZeros8(cos)
	n.buffers++
	n.several = n.several || cos&(cos-1) != 0
	for i := range n.buffer {
		if cos>>i&1 == 1 {
			n.buffer[i] = int8(own)
		}
	}
	at := &n.d.Groups[own]
	put(n, bitBuffer+own, &at.Buffer, stated(size, hasSize))
	put(n, bitXoff+own, &at.Xoff, stated(xoff, hasXoff))
	put(n, bitXon+own, &at.Xon, stated(xoff-delta, hasXoff && hasDelta && delta <= xoff))
	put(n, bitHeadroom+own, &at.Headroom, stated(max(size-xoff, 0), hasSize && hasXoff))
	put(n, bitLossless+own, &at.Lossless, ir.Of(sends))
}

// stated returns a value that a file states; not ok: an unknown value.
func stated[T comparable](v T, ok bool) ir.Setting[T] {
	if !ok {
		return ir.Setting[T]{}
	}
	return ir.Of(v)
}

// buffers determines the priority group that buffers each cos. All lossless cos of a port share one group on Spectrum, as a draft of the
// manual of 5.0 states. On another chip, and where a port is in several groups of a feature, the group of several cos is unknown.
func (c *Conf) buffers(n *node) {
	shared := c.chip.Spectrum || c.is(grammar.QoSFeatures)
	for cos, own := range n.buffer {
		switch {
		case own < 0:
			n.d.Group[cos] = c.lossyOf(n, cos)
		case n.buffers > 1 || n.several && !shared:
			n.d.Group[cos] = -1
		default:
			n.d.Group[cos] = own
		}
	}
	for cos, own := range n.buffer {
		if g := n.d.Group[cos]; own < 0 && g >= 0 && !n.d.Groups[g].Lossless.Known() {
			n.d.Groups[g].Lossless = ir.ByDefault(false)
		}
	}
}

// lossyOf returns the priority group of a cos that is not lossless: the lowest such cos in its group.
func (c *Conf) lossyOf(n *node, cos int) int8 {
	for other, of := range c.lossy {
		if of >= 0 && of == c.lossy[cos] && n.buffer[other] < 0 {
			return int8(other)
		}
	}
	return -1
}

// marks reads a port group that marks, or drops early.
func (c *Conf) marks(n *node, f grammar.Feature, group string) {
	of := c.mask(f, grammar.GroupCos, group)
	queues := c.mask(f, grammar.GroupQueues, group)
	on := c.on(f, grammar.Marks, group)
	vague := c.slipped(f, grammar.Marks, -1, group) || c.slipped(f, grammar.GroupCos, -1, group) ||
		c.slipped(f, grammar.GroupQueues, -1, group)
	if on && !vague {
		n.Marks |= of
		for cos, by := range c.queue {
			if by >= 0 {
				n.Marks |= queues >> by & 1 << cos
			}
		}
		n.Marking = ir.Marking{
			Min: c.Size(f, grammar.MinThreshold, group), Max: c.Size(f, grammar.MaxThreshold, group),
			Probability: c.Size(f, grammar.Probability, group),
		}
	}
	for cos, by := range c.queue {
		if of>>cos&1 == 1 && by >= 0 {
			queues |= 1 << by
		}
	}
	if c.slipped(f, grammar.GroupCos, -1, group) || c.slipped(f, grammar.GroupQueues, -1, group) {
		queues = 0xff
	}
	want := c.marking(f, group)
	if vague {
		want = ir.QueueSettings{}
	}
	for q := range n.d.Queues {
		if queues>>q&1 == 0 {
			continue
		}
		at := &n.d.Queues[q]
		put(n, bitECN+q, &at.ECN, want.ECN)
		put(n, bitDrop+q, &at.Drop, want.Drop)
		put(n, bitUnmarkable+q, &at.Unmarkable, want.Unmarkable)
		put(n, bitMarkMin+q, &at.MarkMin, want.MarkMin)
		put(n, bitMarkMax+q, &at.MarkMax, want.MarkMax)
		put(n, bitProbability+q, &at.Probability, want.Probability)
		put(n, bitDropMin+q, &at.DropMin, want.DropMin)
		put(n, bitDropMax+q, &at.DropMax, want.DropMax)
	}
}

// marking returns the settings that a group states for its queues. A listed group of ecn marks. A group of ecn_red, and the profile of the
// whole switch, mark unless they turn marking off: the templates of all releases have it on.
//
// RED is off by default, except on Trident II, where marking also drops packets that ask for no marks. Source: the chapter of 3.4.3.
func (c *Conf) marking(f grammar.Feature, group string) (q ir.QueueSettings) {
	spectrum := c.is(grammar.QoSFeatures) // these releases run on Spectrum only
	if v, ok := c.Value(f, grammar.Marks, -1, group); ok {
		on, is := grammar.Bool(v)
		q.ECN = stated(on, is)
	} else if len(grammar.Find(f, grammar.Marks)) == 0 {
		q.ECN = ir.Of(true)
	} else {
		q.ECN = ir.ByDefault(true)
	}
	v, ok := c.Value(f, grammar.DropsEarly, -1, group)
	switch drop, is := grammar.Bool(v); {
	case ok:
		q.Drop = stated(drop, is)
	case c.slipped(f, grammar.DropsEarly, -1, group):
	case c.chip.Known || spectrum:
		q.Drop = ir.ByDefault(c.chip.ECNDrops)
	}
	marks, known := q.ECN.Value, q.ECN.Known()
	switch {
	case !known || !marks || !q.Drop.Known():
	case q.Drop.Value || c.chip.ECNDrops:
		q.Unmarkable = ir.Setting[ir.Fate]{Value: ir.Dropped, Is: q.Drop.Is}
	case c.chip.Known || spectrum:
		q.Unmarkable = ir.Setting[ir.Fate]{Value: ir.Passed, Is: q.Drop.Is}
	}
	low, hasLow := c.number(f, grammar.MinThreshold, group)
	high, hasHigh := c.number(f, grammar.MaxThreshold, group)
	percent, hasPercent := c.number(f, grammar.Probability, group)
	if known && marks {
		q.MarkMin, q.MarkMax, q.Probability = stated(low, hasLow), stated(high, hasHigh), stated(percent, hasPercent)
	}
	if q.Drop.Value || q.Unmarkable.Value == ir.Dropped {
		q.DropMin, q.DropMax = stated(low, hasLow), stated(high, hasHigh)
	}
	return q
}
