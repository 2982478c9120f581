package ir

import (
	"maps"
	"math"
	"slices"
)

// Settings is how one device is set, as far as lossless traffic notices: as its files and live states say it, or as the
// fabric means it ([Device.Wanted]). Both sides of a change are compared in these terms, whatever the vendor's words.
type Settings struct {
	Ports  map[string]*PortSettings // by name, also ports the fabric does not have; ports set alike share one
	Rest   *PortSettings            // every other port; nil: not known
	Pools  map[string]Pool          // of the memory, by name; nil: not known
	System System
	Moment Moment
}

// Port gives how a port is set; nil: not known.
func (s *Settings) Port(name string) *PortSettings {
	if s == nil {
		return nil
	}
	if p := s.Ports[name]; p != nil {
		return p
	}
	return s.Rest
}

// PortSettings is how one port is set. Bits and indices are of cos, as priorities 0 to 7. Two that are set alike are ==.
type PortSettings struct {
	Trust       Trust
	TrustKnown  bool
	DSCP        [64]int8 // the cos a value is put in where DSCP is trusted; -1: not known
	PCP         [8]int8  // the same of PCP
	PausesKnown bool     // of the next three
	Sends       uint8    // priorities it sends pauses for; all under link pause
	Obeys       uint8    // priorities whose pauses it obeys; all under link pause
	LinkPause   bool     // 802.3x instead of PFC
	Headroom    int      // bytes its lossless buffer holds beyond the lowest xoff; 0: not known (NICs), or none
	Marks       uint8    // priorities it marks by ECN on the way out; of a NIC none
	Marking     Marking  // from which queue lengths on; zero: it marks none, or not known
	Strict      uint8    // priorities with strict priority
	Share       [8]uint8 // DWRR weight, or percent, of the priority's class; 0 and not strict: not known
	Stamps      uint64   // of a NIC, as bits: the DSCP it gives RoCEv2 packets whose applications state none; 0: not known
	Detail      Detail   // buffers, queues, limits and the watchdog
}

// Marking is when packets are marked: queue lengths in bytes, and percent at the upper one.
type Marking struct{ Min, Max, Probability int }

// UnknownPort is a port of which nothing is known.
func UnknownPort() PortSettings {
	var p PortSettings
	for v := range p.DSCP {
		p.DSCP[v] = -1
	}
	for v := range p.PCP {
		p.PCP[v] = -1
	}
	return p
}

// Set notes how a port is set; ports that are alike share the settings.
func (s *Settings) Set(name string, p PortSettings) {
	if s.Ports == nil {
		s.Ports = map[string]*PortSettings{}
	}
	for _, have := range s.Ports { // a device has few kinds of ports
		if *have == p {
			s.Ports[name] = have
			return
		}
	}
	s.Ports[name] = &p
}

// WithoutDetail returns the settings without the details of ports: what packets notice hop by hop, in which more ports are alike. The
// settings stay as they are.
func (s *Settings) WithoutDetail() *Settings {
	has := func(p *PortSettings) bool { return p != nil && p.Detail != (Detail{}) }
	if s == nil || !has(s.Rest) && !slices.ContainsFunc(slices.Collect(maps.Values(s.Ports)), has) {
		return s
	}
	bare := map[*PortSettings]*PortSettings{nil: nil}
	alike := map[PortSettings]*PortSettings{}
	strip := func(p *PortSettings) *PortSettings {
		if one, known := bare[p]; known {
			return one
		}
		one := *p
		one.Detail = Detail{}
		if alike[one] == nil {
			alike[one] = &one
			if p.Detail == (Detail{}) {
				alike[one] = p
			}
		}
		bare[p] = alike[one]
		return bare[p]
	}
	out := &Settings{Rest: strip(s.Rest), Ports: make(map[string]*PortSettings, len(s.Ports))}
	for name, p := range s.Ports {
		out.Ports[name] = strip(p)
	}
	return out
}

// Wanted is how the fabric means the device: what rocec writes, or what a by_hand block states. Values that no group claims
// are not known: those are each target's to fill in. Each cos has the queue and, if it is lossless, the priority group of its number.
func (d *Device) Wanted() *Settings {
	s := &Settings{Ports: make(map[string]*PortSettings, len(d.Ports))}
	base := UnknownPort()
	d.maps(&base)
	var shares [8]QueueShare
	if d.Switch != nil && d.ByHand == nil {
		shares = Schedule(d.Fabric, 0)
	}
	alike := map[PortSettings]*PortSettings{}
	for _, p := range d.Ports {
		w := base
		p.wanted(&w)
		w.Detail = detailOf(p, &shares)
		if alike[w] == nil {
			alike[w] = &w
		}
		s.Ports[p.Name] = alike[w]
	}
	if d.Switch != nil && d.ByHand == nil {
		rest := base
		rest.trust(NewPort(d, PortSpec{}).Trust())
		rest.PausesKnown = true
		s.Rest = &rest
	}
	return s
}

// maps fills in where the device puts the values of header fields.
func (d *Device) maps(p *PortSettings) {
	unclaimed := func(int) int { return -1 }
	for v, cos := range MapDSCP(d.Fabric.CosGroups, unclaimed) {
		p.DSCP[v] = int8(cos)
	}
	for v, cos := range MapPCP(d.Fabric.CosGroups, unclaimed) {
		p.PCP[v] = int8(cos)
	}
	if d.ByHand != nil {
		for v, to := range d.ByHand.DSCP {
			p.DSCP[v] = int8(to.Value)
		}
		for v, to := range d.ByHand.PCP {
			p.PCP[v] = int8(to.Value)
		}
	}
}

// trust notes which fields are trusted. A device no intent crosses, in a fabric without intents, may trust any.
func (p *PortSettings) trust(t Trust) { p.Trust, p.TrustKnown = t, t != Trust{} }

// wanted fills in what differs from port to port.
func (p *Port) wanted(s *PortSettings) {
	s.trust(p.Trust())
	h := p.Device().ByHand
	if h != nil && h.Trust != nil {
		s.TrustKnown = true // also that it trusts none
	}
	s.PausesKnown = true
	if len(p.Buffers()) > 0 || h != nil {
		s.LinkPause = p.FlowControl() == Pause
		for cos := range 8 {
			sends, obeys := p.Pauses(cos)
			s.Sends |= bit(sends, cos)
			s.Obeys |= bit(obeys, cos)
		}
	}
	size, xoff := 0, 0
	for i, b := range p.Buffers() {
		size += b.Size.N
		if i == 0 || b.Xoff.N < xoff {
			xoff = b.Xoff.N
		}
	}
	s.Headroom = size - xoff
	if h != nil && !h.ECN {
		return
	}
	for i, m := range p.Marks() {
		s.Marks |= bit(true, m.Group.Cos)
		if i == 0 {
			s.Marking = Marking{m.Min.N, m.Max.N, m.Probability.N}
		}
	}
}

// detailOf returns the buffers, queues, speed and cable of a port as the fabric means them; by_hand blocks state none.
func detailOf(p *Port, shares *[8]QueueShare) Detail {
	d := p.Device()
	if d.Switch == nil || d.ByHand != nil {
		return Detail{}
	}
	out := UnknownDetail()
	out.Speed, out.MTU = Of(int64(p.Speed())*1e6), Of(p.MTU())
	if l := p.Link(); l != nil && l.Length.Known() {
		out.Cable = Of(int(math.Ceil(l.Length.Metres)))
	}
	for cos, share := range shares {
		out.Queue[cos] = int8(cos)
		q := &out.Queues[cos]
		if q.Strict = Of(share.Strict); !share.Strict {
			q.Share = Of(share.Percent)
		}
		q.ECN = Of(false)
	}
	for _, b := range p.Buffers() {
		cos := b.Group.Cos
		out.Group[cos] = int8(cos)
		out.Groups[cos] = GroupSettings{
			Buffer: Of(b.Size.N), Xoff: Of(b.Xoff.N), Xon: Of(max(b.Xoff.N-b.XonDelta.N, 0)), Headroom: Of(max(b.Size.N-b.Xoff.N, 0)),
			Lossless: Of(true),
		}
	}
	for _, m := range p.Marks() {
		q := &out.Queues[m.Group.Cos]
		q.ECN, q.MarkMin, q.MarkMax, q.Probability = Of(true), Of(m.Min.N), Of(m.Max.N), Of(m.Probability.N)
	}
	return NewDetail(out)
}

func bit(on bool, cos int) uint8 {
	if on {
		return 1 << cos
	}
	return 0
}

// Loses reports whether a port stops sending or obeying pauses for a priority from one state of a device to another. What is
// not known of either tells nothing.
func (s *Settings) Loses(next *Settings) bool {
	if s == nil || next == nil {
		return false
	}
	loses := func(a, b *PortSettings) bool {
		return a != nil && b != nil && a.PausesKnown && b.PausesKnown && (a.Sends&^b.Sends|a.Obeys&^b.Obeys) != 0
	}
	for name, p := range s.Ports {
		if loses(p, next.Port(name)) {
			return true
		}
	}
	for name, p := range next.Ports {
		if s.Ports[name] == nil && loses(s.Rest, p) {
			return true
		}
	}
	return loses(s.Rest, next.Rest)
}
