package change

import (
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// sides contains the settings of every device in every stage. Equal settings share one value, so that comparing pointers is enough.
type sides struct {
	*Mixtures
	marksAlone bool // in priorities that the fabric does not claim, hosts send only the values they are set to mark
	held       []Held
	both       []*ir.Settings // by Device.ID; nil: unknown, or not changed

	ports  map[ir.PortSettings]*ir.PortSettings // every distinct port setting once
	at     [stages][]*ir.PortSettings           // by Port.ID; nil: unknown
	values []value
	index  map[ir.Packet]int
	sent   [stages][][]int // by Port.ID: indexes of the packets a host sends
}

// value is a packet that hosts mark for a lossless class.
type value struct {
	ir.Packet
	groups []*ir.CosGroup // of the intents that mark this value; none: only existing settings mark it
}

func newSides(m *Mixtures, held []Held, marksAlone bool) *sides {
	held = slices.Clone(held)
	for i := range held {
		if h := &held[i]; h.Old == h.New {
			h.Old = h.Old.WithoutDetail()
			h.New = h.Old
		} else {
			h.Old, h.New = h.Old.WithoutDetail(), h.New.WithoutDetail()
		}
	}
	s := &sides{
		Mixtures: m, held: held, marksAlone: marksAlone, both: make([]*ir.Settings, len(held)), ports: map[ir.PortSettings]*ir.PortSettings{},
		index: map[ir.Packet]int{},
	}
	for i, h := range held {
		if h.changes() {
			s.both[i] = h.Old.Transition(h.New)
		}
	}
	for _, stage := range []Stage{Old, Both, New} {
		s.at[stage] = make([]*ir.PortSettings, len(s.fabric.Ports))
	}
	s.at[Marked] = s.at[Both]
	for _, d := range s.fabric.Devices {
		known := map[*ir.PortSettings]*ir.PortSettings{}
		for _, stage := range []Stage{Old, Both, New} {
			held := s.settings(d, stage)
			for _, p := range d.Ports {
				s.at[stage][p.ID] = s.kind(known, held.Port(p.Name), p)
			}
		}
	}
	for _, p := range s.fabric.Ports {
		s.unheard(p)
	}
	s.mark()
	return s
}

// unheard removes link pause from the settings of a NIC whose switch does not use it before the change. NICs have it on from the factory,
// and no traffic relies on it.
func (s *sides) unheard(p *ir.Port) {
	old, peer := s.at[Old][p.ID], s.at[Old][p.Peer().ID]
	if p.NIC == nil || old == nil || !old.LinkPause || peer == nil || !peer.PausesKnown || peer.LinkPause {
		return
	}
	none := *old
	none.LinkPause, none.Sends, none.Obeys = false, 0, 0
	for _, stage := range []Stage{Both, New} {
		switch of := s.at[stage][p.ID]; {
		case of == old:
			s.at[stage][p.ID] = s.kind(map[*ir.PortSettings]*ir.PortSettings{}, &none, p)
		case stage == Both && of != nil && of.LinkPause && s.at[New][p.ID] != nil:
			both := *of
			next := s.at[New][p.ID]
			both.LinkPause, both.Sends, both.Obeys = next.LinkPause, next.Sends, next.Obeys
			s.at[stage][p.ID] = s.kind(map[*ir.PortSettings]*ir.PortSettings{}, &both, p)
		}
	}
	s.at[Old][p.ID] = s.kind(map[*ir.PortSettings]*ir.PortSettings{}, &none, p)
}

// kind returns one shared value for equal port settings. [sides.mark] adds the marks.
func (s *sides) kind(known map[*ir.PortSettings]*ir.PortSettings, of *ir.PortSettings, p *ir.Port) *ir.PortSettings {
	if p.NIC != nil && p.NIC.Can().NoPFC && (of == nil || !of.PausesKnown) {
		none := ir.UnknownPort()
		none.PausesKnown = true
		of = &none
	}
	if of == nil {
		return nil
	}
	one := known[of]
	if one == nil {
		if one = s.ports[*of]; one == nil {
			one = of
			s.ports[*of] = of
		}
		known[of] = one
	}
	return one
}

// settings returns the settings of a device in a stage. An unchanged device has the same settings in all stages. If the old settings are
// unknown, the stages Both and Marked have the new ones.
func (s *sides) settings(d *ir.Device, stage Stage) *ir.Settings {
	h := s.held[d.ID]
	switch {
	case stage == Old || !h.changes():
		return h.Old
	case stage == New || s.both[d.ID] == nil:
		return h.New
	}
	return s.both[d.ID]
}

// same reports whether a device behaves the same in two stages.
func (s *sides) same(d *ir.Device, a, b Stage) bool {
	x, y := s.settings(d, a), s.settings(d, b)
	if d.Host == nil || x == nil || y == nil {
		return x.Equal(y)
	}
	for _, p := range d.Ports {
		if !slices.Equal(s.sends(p, a), s.sends(p, b)) {
			return false
		}
	}
	return x.Unstamped().Equal(y.Unstamped())
}

// sends returns the indexes of the packets a host sends by a port in a stage. A host that needs no change has the fabric's marks in every
// stage.
func (s *sides) sends(p *ir.Port, stage Stage) []int {
	if h := s.held[p.Device().ID]; stage == Old && !h.Away && h.Old != nil && !h.changes() {
		stage = New
	}
	return s.sent[stage][p.ID]
}

// mark finds the packets that hosts send for lossless classes.
func (s *sides) mark() {
	for _, stage := range []Stage{Old, Both, New} {
		s.sent[stage] = make([][]int, len(s.fabric.Ports))
	}
	s.sent[Marked] = s.sent[New]
	var claimed []int
	var nics []*ir.Port
	for _, p := range s.fabric.Ports {
		if p.NIC == nil {
			continue
		}
		nics = append(nics, p)
		for _, in := range p.NIC.Carries() {
			if !in.Group.Lossless {
				continue
			}
			s.send(p, p.NIC.Packet(in), in.Group)
			for i := range p.NIC.TrafficClasses { // for every destination
				if pkt := p.NIC.Packet(in); pkt.IP {
					pkt.DSCP = p.NIC.TrafficClasses[i].TOS >> 2
					s.send(p, pkt, in.Group)
				}
			}
		}
	}
	for i := range s.values {
		claimed = append(claimed, i)
	}
	for _, g := range s.fabric.CosGroups {
		for _, c := range g.DSCP {
			pkt := ir.Packet{IP: true, DSCP: c.Value}
			if g.Lossless && !slices.ContainsFunc(s.values, func(v value) bool { return v.IP && v.DSCP == pkt.DSCP }) {
				claimed = append(claimed, s.value(pkt))
			}
		}
	}
	type pair struct{ old, both *ir.PortSettings }
	alike := map[pair][2][]int{}
	paused := sync.OnceValue(func() []int { return s.paused(claimed) })
	unread := map[*ir.PortSettings][]int{} // by the settings of the switch port: packets that unread hosts may send
	for _, p := range nics {
		of := pair{s.at[Old][p.ID], s.at[Both][p.ID]}
		if s.notRead(p) {
			at := s.cabledTo(p)
			sent, known := unread[at]
			if !known {
				if sent = paused(); at != nil {
					sent = s.oldMarks(at, claimed, false)
				}
				unread[at] = sent
			}
			s.sent[Old][p.ID], s.sent[Both][p.ID] = sent, sent
		}
		if of.old == nil || !of.old.PausesKnown {
			continue
		}
		sent, known := alike[of]
		if !known {
			sent[0] = s.oldMarks(of.old, claimed, s.marksAlone)
			if sent[1] = sent[0]; of.both != nil { // a value that was already marked becomes lossless
				sent[1] = s.stamped(of.old.Stamps, of.both, slices.Clip(sent[0]))
			}
			alike[of] = sent
		}
		s.sent[Old][p.ID], s.sent[Both][p.ID] = sent[0], sent[1]
	}
}

// cabledTo returns the old settings of the switch port at a NIC without an intent. Only traffic that this port pauses is lossless to the
// NIC. Nil: the settings are unknown, or the NIC has an intent.
func (s *sides) cabledTo(p *ir.Port) *ir.PortSettings {
	if of := s.at[Old][p.Peer().ID]; of != nil && of.PausesKnown && len(p.NIC.Carries()) == 0 {
		return of
	}
	return nil
}

// notRead reports whether the settings of an unchanged NIC are unknown and the person has not excused its host.
func (s *sides) notRead(p *ir.Port) bool {
	of := s.at[Old][p.ID]
	h := s.held[p.Device().ID]
	return p.NIC != nil && (of == nil || !of.PausesKnown) && !h.changes() && !h.Excused
}

// paused returns the packets that switches pause before the change. Unread hosts are assumed to send them.
func (s *sides) paused(claimed []int) (out []int) {
	seen := map[*ir.PortSettings]bool{}
	for _, p := range s.fabric.Ports {
		of := s.at[Old][p.ID]
		if p.Device().Switch == nil || of == nil || !of.PausesKnown || seen[of] {
			continue
		}
		seen[of] = true
		for _, i := range s.oldMarks(of, claimed, false) {
			if !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// send notes a packet that a port sends for a lossless class. Exceptions may name values that are deliberately lossy; these are left out.
func (s *sides) send(p *ir.Port, pkt ir.Packet, g *ir.CosGroup) {
	if of := s.at[New][p.ID]; of != nil && of.PausesKnown {
		if cos := of.Sort(pkt); cos >= 0 && of.Obeys>>cos&1 == 0 {
			return
		}
	}
	i := s.value(pkt)
	if !slices.Contains(s.values[i].groups, g) {
		s.values[i].groups = append(s.values[i].groups, g)
	}
	if sent := s.sent[New]; !slices.Contains(sent[p.ID], i) {
		sent[p.ID] = append(sent[p.ID], i)
	}
}

func (s *sides) value(p ir.Packet) int {
	i, known := s.index[p]
	if !known {
		i = len(s.values)
		s.index[p] = i
		s.values = append(s.values, value{Packet: p})
	}
	return i
}

// lossless returns the priority of a packet at a port as a bit, and reports whether the port has pauses for it in either direction.
func lossless(p *ir.PortSettings, pkt ir.Packet) (cos uint8, ok bool) {
	n := p.Sort(pkt)
	if n < 0 || p.Lossless()>>n&1 == 0 {
		return 0, false
	}
	return 1 << n, true
}

// stamped adds to out those of the marked values that are in lossless priorities of the port.
func (s *sides) stamped(values uint64, p *ir.PortSettings, out []int) []int {
	for v := range 64 {
		pkt := ir.Packet{IP: true, DSCP: v}
		_, ok := lossless(p, pkt)
		if ok && values>>v&1 == 1 && !slices.ContainsFunc(out, func(i int) bool { return s.values[i].IP && s.values[i].DSCP == v }) {
			out = append(out, s.value(pkt))
		}
	}
	return out
}

// oldMarks returns the values that a host sends in its lossless priorities with its current settings: values it is set to mark, and values
// that the fabric claims. In a priority without such values it may send every value. With marksAlone, hosts send only what they are set to
// mark.
func (s *sides) oldMarks(p *ir.PortSettings, claimed []int, marksAlone bool) (out []int) {
	for _, i := range claimed {
		if _, ok := lossless(p, s.values[i].Packet); ok {
			out = append(out, i)
		}
	}
	if out = s.stamped(p.Stamps, p, out); marksAlone && !p.LinkPause {
		return out
	}
	var named uint8
	for _, i := range out {
		cos, _ := lossless(p, s.values[i].Packet)
		named |= cos
	}
	every := func(pkt ir.Packet) {
		if cos, ok := lossless(p, pkt); ok && named&cos == 0 {
			out = append(out, s.value(pkt))
		}
	}
	switch {
	case p.Trust.DSCP:
		for v := range 64 {
			every(ir.Packet{IP: true, DSCP: v})
		}
	case p.Trust.PCP:
		for v := range 8 {
			every(ir.Packet{IP: true, DSCP: -1, Tagged: true, PCP: v})
		}
	}
	return out
}
