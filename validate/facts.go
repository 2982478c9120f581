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

// Facts about a fabric that several checks use.

// byHand has the devices of one by_hand block. They behave equally, so checks judge them once.
type byHand struct {
	*ir.ByHand
	devices []*ir.Device
}

// byHands returns the by_hand blocks of the fabric, in order of their first devices. Blocks that for_each made from one block are merged
// if they state the same values.
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

// statement returns a text that is equal for two blocks if they have the same place and state the same values.
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
	port    *ir.Port // a port of the first device that the traffic passes
	devices []*ir.Device
}

// passings returns the intents whose traffic passes the devices of the block, in order of declaration.
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
				break // a switch classifies equally at every port
			}
			for _, in := range p.NIC.Carries() {
				add(p, in)
			}
			if !d.Host.Forwards || len(p.Buffers()) == 0 {
				continue
			}
			for _, in := range d.Fabric.Intents { // intents that the host only forwards
				if p.Carries(in.Group) != nil {
					add(p, in)
				}
			}
		}
	}
	return out
}

// carrying returns the lossless groups that the devices of the block carry, by cos, each with the first port that carries it.
func (b *byHand) carrying() (groups []*ir.CosGroup, at map[*ir.CosGroup]*ir.Port) {
	at = map[*ir.CosGroup]*ir.Port{}
	var last **ir.Buffer // of the previous port: equal ports share their rows
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

// beside returns the first port that carries a lossless group and whose stated flow control differs from that of its cable, and the place
// of the statement. It returns nil if there is no such port.
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

// packetOf returns a packet of an intent as its members send it.
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

// grade returns the function that reports packets of an intent in the wrong group, with the severity of the harm; nil: no harm.
func (p *Pass) grade(in *ir.Intent) func(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return p.report(walk.Harm(p.Fabric, in))
}

// untoldGrade is grade for RoCEv2 that no mark identifies.
func (p *Pass) untoldGrade(in *ir.Intent) func(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return p.report(walk.UntoldHarm(p.Fabric, in))
}

// overRouted returns the RoCEv2 intents identified by PCP whose members are in several broadcast domains. The check pcp-over-routed
// reports them, so other checks do not report wrong groups of their packets.
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

// twice is a value that two cos groups claim, with its first and its second place.
type twice struct {
	value            int
	first, again     *ir.CosGroup
	firstAt, againAt diag.Range
}

// claimedTwice returns the values that two groups claim, one entry for every later place.
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

// routedBetween returns the routed links of a shortest path from a to b, or nil without a path.
func routedBetween(a, b *ir.Device) []*ir.Link {
	by := map[*ir.Device]*ir.Port{a: nil} // the ingress port by which a device was first reached
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

// markings calls do for every mark with a threshold that is written or that fabric.lock pins, if the mark is a ramp and the memory of its
// switch fits. Other checks report the other marks.
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

// everyMarking calls do for these marks and also for those whose thresholds rocec derived.
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

// ramp reports whether min is more than 0 and less than max, as written and as the chip rounds them.
func ramp(a *platform.ASIC, m *ir.Mark) bool {
	return m.Min.N > 0 && m.Min.N < m.Max.N && a.Threshold(m.Min.N) < a.Threshold(m.Max.N)
}

// min is the queue length at which the chip begins to mark. At max it marks with full probability. Both are rounded as on the chip.
func (m marking) min() int { return m.asic().Threshold(m.mark.Min.N) }
func (m marking) max() int { return m.asic().Threshold(m.mark.Max.N) }

// below returns the largest threshold of the chip that is less than a bound.
func (m marking) below(bound int) int { return m.asic().WholeSteps(max(bound-1, 0)) }

// minText and maxText return the wanted threshold, and the chip's rounded threshold if it differs.
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

// written reports whether the configuration or fabric.lock states min.
func (m marking) written() bool { return m.mark.Group.ECN.Min.Set() || m.pinned(m.mark.Min) }

// xoff returns the port's xoff threshold for the group that is marked.
func (m marking) xoff() int {
	if b := m.port.Carries(m.mark.Group); b != nil {
		return b.Xoff.N
	}
	return 0
}

// late reports whether pauses come before marks with this min. The worst case is one port that fills all queues. With absolute thresholds,
// min is late if pauses come first even when all ports that can fill a queue do so. A derived min is late if no min of two frames or more
// comes first.
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

// pinned reports whether fabric.lock contains another threshold than this rocec derives.
func (m marking) pinned(n ir.Derived) bool {
	first := n.From[0]
	return m.mark.Pinned.Filename != "" && first.Link == ir.NoLinkValue && first.Origin.At.Filename == m.mark.Pinned.Filename
}

// fix returns the advice for a threshold: written, unless fabric.lock pins the threshold.
func (m marking) fix(n ir.Derived, written string) string {
	if m.pinned(n) {
		return "Take the thresholds of this rocec with `rocec build --lock --refresh`"
	}
	return written
}

// writtenAs returns the name and place of the threshold, "min" or "max", that is written or that fabric.lock pins, and from which n is
// derived. It may be n itself.
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

// worst returns the marking with the smallest value. Of equal markings it returns that of the first port.
func worst(all []marking, value func(marking) int) marking {
	return slices.MinFunc(all, func(a, b marking) int {
		return cmp.Or(cmp.Compare(value(a), value(b)), cmp.Compare(a.port.Device().ID, b.port.Device().ID),
			cmp.Compare(a.port.Index, b.port.Index))
	})
}

// routingAt returns the line that sets the routing.
func (p *Pass) routingAt() diag.Range { return diag.FirstPlace(p.Fabric.RoutingAt, p.Fabric.At) }

// speedAt returns the line that sets the speed of a link.
func speedAt(l *ir.Link) diag.Range { return diag.FirstPlace(l.Speed.At(), l.At) }

// mlagAt returns the line that sets mlag on a switch, or its block.
func mlagAt(d *ir.Device) diag.Range { return diag.FirstPlace(d.Switch.MLAGAt, d.Decl) }

// folds groups values by their cause, so that each cause is reported once. Keys keep their order of arrival.
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

// pauseText returns how a cable is configured to be lossless, by link pause or by PFC.
func pauseText(l *ir.Link) string {
	if l.ByPause() {
		return byPause
	}
	return byPFC
}

// The results of pauseText.
const (
	byPause = "link pause"
	byPFC   = "PFC"
)

// flowControlAt returns the place of a cable's flow_control, or the place of the cable.
func flowControlAt(l *ir.Link) diag.Range { return diag.FirstPlace(l.FlowControlAt, l.At) }
