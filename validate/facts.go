package validate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// What checks ask of a fabric.

// byHand is the devices that one by_hand block describes, and so behave alike: they are judged once.
type byHand struct {
	*ir.ByHand
	devices []*ir.Device
}

// byHands gives the by_hand blocks of the fabric, in order of their first devices. What for_each made of one block is one
// again where it states the same.
func byHands(f *ir.Fabric) []*byHand {
	var out []*byHand
	known := map[*ir.ByHand]*byHand{}
	alike := map[string]*byHand{}
	var last *byHand
	for _, d := range f.Devices {
		if d.ByHand == nil {
			continue
		}
		if last == nil || last.ByHand != d.ByHand {
			last = known[d.ByHand]
		}
		if last == nil {
			said := statement(d.ByHand)
			if last = alike[said]; last == nil {
				last = &byHand{ByHand: d.ByHand}
				alike[said] = last
				out = append(out, last)
			}
			known[d.ByHand] = last
		}
		last.devices = append(last.devices, d)
	}
	return out
}

// statement is the text that two blocks share if they are in one place and state the same.
func statement(h *ir.ByHand) string {
	var trust string
	if h.Trust != nil {
		trust = h.Trust.String()
	}
	return fmt.Sprintf("%v %q %t %v %q %v %v %t %t %t",
		h.At, h.FlowControl, h.PFC == nil, h.PFC, trust, h.DSCP, h.PCP, h.ECN, h.Firmware, h.DCQCN)
}

// passing is the traffic of one intent at the devices of one block.
type passing struct {
	intent  *ir.Intent
	port    *ir.Port // one it passes, of the first device
	devices []*ir.Device
}

// passings gives the intents whose traffic passes the devices of the block, in order of declaration.
func (b *byHand) passings() []*passing {
	var out []*passing
	index := map[*ir.Intent]*passing{}
	add := func(p *ir.Port, in *ir.Intent) {
		at := index[in]
		if at == nil {
			at = &passing{intent: in, port: p}
			index[in] = at
			out = append(out, at)
		}
		if n := len(at.devices); n == 0 || at.devices[n-1] != p.Device() {
			at.devices = append(at.devices, p.Device())
		}
	}
	for _, d := range b.devices {
		for _, p := range d.Ports {
			if d.Switch != nil {
				for _, in := range d.Switch.Intents {
					add(p, in)
				}
				break // it sorts alike at every port
			}
			for _, in := range p.NIC.Carries() {
				add(p, in)
			}
			if !d.Host.Forwards || len(p.Buffers()) == 0 {
				continue
			}
			for _, in := range d.Fabric.Intents { // what the host only passes on
				if p.Carries(in.Group) != nil {
					add(p, in)
				}
			}
		}
	}
	return out
}

// carrying gives the lossless groups the devices of the block carry, by cos, each with the first port that does.
func (b *byHand) carrying() (groups []*ir.CosGroup, at map[*ir.CosGroup]*ir.Port) {
	at = map[*ir.CosGroup]*ir.Port{}
	var last **ir.Buffer // of the port before: alike ports share their rows
	for _, d := range b.devices {
		for _, p := range d.Ports {
			if len(p.Buffers()) == 0 || &p.Buffers()[0] == last {
				continue
			}
			last = &p.Buffers()[0]
			for _, buffer := range p.Buffers() {
				if at[buffer.Group] == nil {
					at[buffer.Group] = p
					groups = append(groups, buffer.Group)
				}
			}
		}
	}
	slices.SortFunc(groups, func(a, b *ir.CosGroup) int { return a.Cos - b.Cos })
	return groups, at
}

// beside gives the first port of the devices that carries a lossless group and whose stated flow control is not that of its cable, and the
// place that states it; nil: no port does.
func (b *byHand) beside() (*ir.Port, *diag.Range) {
	for _, d := range b.devices {
		for _, p := range d.Ports {
			if len(p.Buffers()) == 0 {
				continue
			}
			if at := walk.PauseBeside(p); at != nil {
				return p, at
			}
		}
	}
	return nil, nil
}

// packetOf is a packet of an intent as its members send it.
func packetOf(in *ir.Intent) ir.Packet {
	if len(in.Members) == 0 {
		return ir.Packet{IP: in.Version == 2, Tagged: in.VLAN > 0}
	}
	p := in.Members[0].NIC.Packet(in)
	if in.ByDSCP() {
		p.DSCP = in.Group.DSCP[0].Value // whatever a tos of the first member says
	}
	return p
}

// grade returns how to report that packets of an intent are in the wrong group; nil where it does no harm.
func (p *Pass) grade(in *ir.Intent) func(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return p.report(walk.Harm(p.Fabric, in))
}

// untoldGrade is grade of RoCEv2 that no mark identifies.
func (p *Pass) untoldGrade(in *ir.Intent) func(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return p.report(walk.UntoldHarm(p.Fabric, in))
}

// overRouted gives the RoCEv2 intents identified by PCP whose members are in several broadcast domains. They have a check of their own, so
// other checks do not report what happens to them on the way.
func overRouted(f *ir.Fabric) map[*ir.Intent]bool {
	out := map[*ir.Intent]bool{}
	domains := walk.DomainsOf(f)
	for _, in := range f.Intents {
		if in.Version == 2 && !in.ByDSCP() && walk.HasMark(in) {
			_, other := walk.TwoDomains(in, domains())
			out[in] = other != nil
		}
	}
	return out
}

// dataGroups returns the groups that carry the data of intents, with the first such intent.
func dataGroups(f *ir.Fabric) map[*ir.CosGroup]*ir.Intent {
	out := map[*ir.CosGroup]*ir.Intent{}
	for _, in := range f.Intents {
		if out[in.Group] == nil {
			out[in.Group] = in
		}
	}
	return out
}

// cnpGroups returns the groups that carry CNPs, with the first intent that sends some there.
func cnpGroups(f *ir.Fabric) map[*ir.CosGroup]*ir.Intent {
	out := map[*ir.CosGroup]*ir.Intent{}
	for _, in := range f.Intents {
		if in.CNP != nil && out[in.CNP] == nil {
			out[in.CNP] = in
		}
	}
	return out
}

// twice is a value that two cos groups claim: where it is written first, and where again.
type twice struct {
	value            int
	first, again     *ir.CosGroup
	firstAt, againAt diag.Range
}

// claimedTwice returns the values that two groups claim, one for every later place.
func claimedTwice(f *ir.Fabric, claims func(*ir.CosGroup) []ir.Claim) []twice {
	type claim struct {
		group *ir.CosGroup
		at    diag.Range
	}
	var all []claim
	var values []int
	for _, g := range f.CosGroups {
		for _, c := range claims(g) {
			all, values = append(all, claim{g, c.At}), append(values, c.Value)
		}
	}
	first := map[int]claim{}
	for i, c := range all {
		if f, taken := first[values[i]]; !taken || diag.ComparePlace(c.at, f.at) < 0 {
			first[values[i]] = c
		}
	}
	var out []twice
	told := map[claim]bool{}
	for i, c := range all {
		f := first[values[i]]
		if c.group == f.group || told[c] {
			continue
		}
		told[c] = true
		out = append(out, twice{values[i], f.group, c.group, f.at, c.at})
	}
	return out
}

// firstLossless returns the first lossless intent of a NIC, or nil.
func firstLossless(n *ir.NIC) *ir.Intent {
	for _, in := range n.Intents {
		if in.Group.Lossless {
			return in
		}
	}
	return nil
}

// routedBetween returns the routed links of a shortest way from a to b, or nil without a way.
func routedBetween(a, b *ir.Device) []*ir.Link {
	by := map[*ir.Device]*ir.Port{a: nil} // the port a device was first reached by
	for queue := []*ir.Device{a}; len(queue) > 0; queue = queue[1:] {
		for _, port := range queue[0].Ports {
			q := port.Peer()
			if _, known := by[q.Device()]; !known && q.Device().Forwards() {
				by[q.Device()] = q
				queue = append(queue, q.Device())
			}
		}
	}
	if _, reached := by[b]; !reached {
		return nil
	}
	var out []*ir.Link
	for d := b; by[d] != nil; d = by[d].Peer().Device() {
		if l := by[d].Link(); l.Routed {
			out = append(out, l)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// marking is one port's thresholds for a group, with the memory of its switch.
type marking struct {
	port *ir.Port
	mark *ir.Mark
	mem  ir.Memory
}

// markings calls do for every mark with a threshold that a person wrote or fabric.lock pins, if the mark is a ramp on a switch whose
// memory fits. Other checks report the rest.
func markings(f *ir.Fabric, do func(marking)) {
	if !slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.ECN != nil && (g.ECN.Min.Set() || g.ECN.Max.Set()) }) &&
		!slices.ContainsFunc(f.Sizes, func(s *ir.Sizing) bool { return s.Pinned != nil }) {
		return
	}
	everyMarking(f, func(m marking) {
		if given := m.mark.Group.ECN; given.Min.Set() || given.Max.Set() || m.mark.Pinned.Filename != "" {
			do(m)
		}
	})
}

// everyMarking calls do for every such mark, also where rocec derived both thresholds.
func everyMarking(f *ir.Fabric, do func(marking)) {
	if !slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.ECN != nil }) {
		return
	}
	for _, d := range f.Devices {
		if d.Switch == nil {
			continue
		}
		mem, known := ir.Memory{}, false
		for _, p := range d.Ports {
			for _, m := range p.Marks() {
				if !ramp(d.Switch.Model.ASIC, m) || m.Min.N >= d.Switch.Model.ASIC.Buffer {
					continue
				}
				if !known {
					mem, known = d.Memory(), true
				}
				if mem.Fits() {
					do(marking{p, m, mem})
				}
			}
		}
	}
}

// ramp reports whether marking begins above an empty queue and before its end, as written and as the chip rounds it.
func ramp(a *platform.ASIC, m *ir.Mark) bool {
	return m.Min.N > 0 && m.Min.N < m.Max.N && a.Threshold(m.Min.N) < a.Threshold(m.Max.N)
}

// min is the queue length from which on the chip marks, and max that from which on it marks all it can. Both are rounded as the chip
// rounds them.
func (m marking) min() int { return m.asic().Threshold(m.mark.Min.N) }
func (m marking) max() int { return m.asic().Threshold(m.mark.Max.N) }

// below is the largest threshold that the chip keeps below a bound.
func (m marking) below(bound int) int { return m.asic().WholeSteps(max(bound-1, 0)) }

// minText and maxText are the thresholds as they are asked for, and what the chip makes of them where that is another number.
func (m marking) minText() string { return m.thresholdText(m.mark.Min.N) }
func (m marking) maxText() string { return m.thresholdText(m.mark.Max.N) }

func (m marking) thresholdText(n int) string {
	has := m.asic().Threshold(n)
	if has == n {
		return diag.Bytes(n)
	}
	return fmt.Sprintf("%s (%s makes it %s)", diag.Bytes(n), m.asic().Title, diag.Bytes(has))
}

func (m marking) asic() *platform.ASIC { return m.port.Device().Switch.Model.ASIC }

// written reports whether a person or fabric.lock gives min.
func (m marking) written() bool { return m.mark.Group.ECN.Min.Set() || m.pinned(m.mark.Min) }

// xoff is the threshold of pausing at the port, of the group that is marked.
func (m marking) xoff() int {
	if b := m.port.Carries(m.mark.Group); b != nil {
		return b.Xoff.N
	}
	return 0
}

// late reports whether min lets pauses come before marks. It does where one port fills all queues, or, where thresholds are absolute, even
// if all ports that can fill one queue do. A derived min is late where no min that holds two frames comes first.
func (m marking) late() bool {
	if !m.mark.Group.Lossless {
		return false
	}
	if !m.mem.Model.Absolute {
		return m.min() >= m.mem.MarkBound()
	}
	senders := m.port.Device().Senders(m.mark.Group)
	return m.written() && senders > 1 && m.xoff() > 0 && m.min() >= m.mem.IncastBound(senders, m.xoff())
}

// pinned reports whether fabric.lock holds another threshold than this rocec derives.
func (m marking) pinned(n ir.Derived) bool {
	first := n.From[0]
	return m.mark.Pinned.Filename != "" && first.Link == ir.NoLinkValue && first.Origin.At.Filename == m.mark.Pinned.Filename
}

// fix is what to do about a threshold, unless fabric.lock pins it.
func (m marking) fix(n ir.Derived, written string) string {
	if m.pinned(n) {
		return "Take the thresholds of this rocec with `rocec build --lock --refresh`"
	}
	return written
}

// writtenAs gives the threshold a person wrote, or fabric.lock pins, that n is or was derived from, "min" or "max", and its place.
func (m marking) writtenAs(n ir.Derived) (name string, at diag.Range, ok bool) {
	given := m.mark.Group.ECN
	at = n.On(m.port.Link()).From[0].At
	if m.pinned(n) {
		if at == m.mark.Min.On(m.port.Link()).From[0].At {
			return "min", m.mark.Pinned, true
		}
		return "max", m.mark.Pinned, true
	}
	switch at {
	case given.Min.At():
		return "min", given.Min.At(), given.Min.Set()
	case given.Max.At():
		return "max", given.Max.At(), given.Max.Set()
	}
	return "", diag.Range{}, false
}

// worst gives the marking with the smallest value, of equals that of the first port.
func worst(all []marking, value func(marking) int) marking {
	return slices.MinFunc(all, func(a, b marking) int {
		return cmp.Or(cmp.Compare(value(a), value(b)), cmp.Compare(a.port.Device().ID, b.port.Device().ID),
			cmp.Compare(a.port.Index, b.port.Index))
	})
}

// routingAt is the line that states how traffic is forwarded.
func (p *Pass) routingAt() diag.Range { return diag.FirstPlace(p.Fabric.RoutingAt, p.Fabric.At) }

// speedAt is the line a link has its speed from.
func speedAt(l *ir.Link) diag.Range { return diag.FirstPlace(l.Speed.At(), l.At) }

// mlagAt is the line that makes a switch one of a pair, or its block.
func mlagAt(d *ir.Device) diag.Range { return diag.FirstPlace(d.Switch.MLAGAt, d.Decl) }

// folds gathers what one cause makes many of, so that it is reported once: by key, in the order the keys came.
type folds[K comparable, T any] struct {
	order []K
	of    map[K][]T
}

func (f *folds[K, T]) add(k K, v T) {
	if f.of == nil {
		f.of = map[K][]T{}
	}
	if _, known := f.of[k]; !known {
		f.order = append(f.order, k)
	}
	f.of[k] = append(f.of[k], v)
}

// each calls do for every key.
func (f *folds[K, T]) each(do func(K, []T)) {
	for _, k := range f.order {
		do(k, f.of[k])
	}
}

// losslessCable reports whether a lossless cos group passes a cable.
func losslessCable(l *ir.Link) bool { return len(l.A().Buffers())+len(l.B().Buffers()) > 0 }

// pauseText names the way in which the fabric means a cable to be lossless.
func pauseText(l *ir.Link) string {
	if l.ByPause() {
		return byPause
	}
	return byPFC
}

// The words for the two.
const (
	byPause = "link pause"
	byPFC   = "PFC"
)

// flowControlAt is the place that states it for a cable, or else the cable's place.
func flowControlAt(l *ir.Link) diag.Range { return diag.FirstPlace(l.FlowControlAt, l.At) }
