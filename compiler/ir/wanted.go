package ir

import "slices"

// Wanted is how the fabric means the device: what rocec writes, or what a by_hand block states. It speaks about every value that a target
// writes: values that no group claims have a cos, too. What it says nothing of stays on the device as it is. Each cos has the queue of its
// number. A lossless cos has the priority group of its number, or that of the lowest lossless cos where a port counts all of them in one.
//
// A value by default holds where nothing on the device states another one. A by_hand block makes known what it states alone.
func (d *Device) Wanted() *Settings { return new(Wishes).Of(d) }

// Wishes is how one fabric means its devices ([Device.Wanted]). Switches that are written alike share what all their ports have, and the
// settings of their kinds of ports.
type Wishes struct{ known map[writtenAlike]*wanting }

// writtenAlike has the values of a switch, other than its ports, that [wanting] compares.
type writtenAlike struct {
	can   SwitchCan
	added *Added
}

// Of returns how the fabric means a device.
func (all *Wishes) Of(d *Device) *Settings {
	written := d.Switch != nil && d.ByHand == nil
	w := all.begin(d, written)
	s := &Settings{Ports: make(map[string]*PortSettings, len(d.Ports))}
	for _, p := range d.Ports {
		s.Ports[p.Name] = w.port(p)
	}
	if !written {
		return s
	}
	rest := w.base
	rest.trust(w.idle(d.Switch.Trust(d.Fabric)))
	rest.PausesKnown = true
	s.Rest = &rest
	if a := d.Switch.Added; a != nil && a.Pools != nil && (a.Pools.Idle || slices.ContainsFunc(d.Ports, isLossless)) {
		s.Pools = a.Pools.Pools
	}
	return s
}

// begin returns what all ports of a device have.
func (all *Wishes) begin(d *Device, written bool) wanting {
	if !written {
		return newWanting(d, false)
	}
	key := writtenAlike{d.Switch.Can, d.Switch.Added}
	if all.known[key] == nil {
		if all.known == nil {
			all.known = map[writtenAlike]*wanting{}
		}
		w := newWanting(d, true)
		all.known[key] = &w
	}
	w := *all.known[key]
	w.Device = d
	return w
}

func newWanting(d *Device, written bool) wanting {
	w := wanting{Device: d, base: UnknownPort(), alike: map[PortSettings]*PortSettings{}, seen: map[portKind]*PortSettings{}}
	d.claims(&w.base)
	if written {
		w.ofSwitch()
	}
	return w
}

// wanting is a device whose ports are found out.
type wanting struct {
	*Device
	base   PortSettings // what all ports have
	detail PortDetail   // as above
	class  [8]ShareClass
	alike  map[PortSettings]*PortSettings
	seen   map[portKind]*PortSettings
}

// portKind is all that ports of one switch differ in: those of one kind are set alike.
type portKind struct {
	sizes  *PortSizes
	trust  Trust
	flow   FlowControl
	speed  int32
	mtu    int32
	metres int
}

func (w *wanting) port(p *Port) *PortSettings {
	kind := portKind{sizes: p.sizes, trust: p.Trust(), flow: p.FlowControl(), speed: p.speed, mtu: p.mtu}
	if l := p.Link(); l != nil {
		kind.metres = l.Length.Whole()
	}
	if of := w.seen[kind]; of != nil && p.NIC == nil {
		return of
	}
	one := w.base
	one.trust(w.idle(kind.trust))
	p.wanted(&one)
	switch {
	case w.ByHand != nil:
	case w.Switch != nil:
		one.Detail = NewDetail(w.detailOf(p, &one, kind.metres))
	default:
		p.NIC.wanted(&one)
	}
	if w.alike[one] == nil {
		w.alike[one] = &one
	}
	w.seen[kind] = w.alike[one]
	return w.alike[one]
}

// claims fills in where the device puts the values of header fields that a group or a by_hand block claims.
func (d *Device) claims(p *PortSettings) {
	for _, g := range slices.Backward(d.Fabric.CosGroups) {
		for _, c := range g.DSCP {
			p.DSCP[c.Value] = int8(g.Cos)
		}
		for _, c := range g.PCP {
			p.PCP[c.Value] = int8(g.Cos)
		}
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

// ofSwitch fills in what all ports of a switch have.
func (w *wanting) ofSwitch() {
	f := w.Fabric
	m := MapsOf(f.CosGroups, w.Switch.Can.OwnCos)
	for v, cos := range m.DSCP {
		w.base.DSCP[v] = int8(cos)
	}
	for v, cos := range m.PCP {
		w.base.PCP[v] = int8(cos)
	}
	w.class, _ = ShareClasses(f)
	w.detail = UnknownDetail()
	w.detail.DefaultCos = Of(int8(m.Plain))
	w.detail.RewriteDSCP, w.detail.RewritePCP = Of(false), Of(false)
	for cos, share := range Schedule(f, 0) {
		w.detail.Queue[cos] = int8(cos)
		q := &w.detail.Queues[cos]
		if q.Strict = Of(share.Strict); share.Strict {
			w.base.Strict |= bit(true, cos)
		} else {
			q.Share, w.base.Share[cos] = Of(share.Percent), uint8(share.Percent)
		}
		q.ECN = Of(false)
	}
}

// idle is the fields that are trusted: where no intent needs any, those that the system is given then. A device no intent crosses, in a
// fabric without intents, may trust any. A port that needs both and trusts one goes by DSCP.
func (w *wanting) idle(t Trust) Trust {
	switch {
	case w.Switch == nil || w.ByHand != nil:
	case t == (Trust{}):
		return w.Switch.Can.IdleTrust
	case t == Trust{PCP: true, DSCP: true} && w.Switch.Can.OneTrust:
		return Trust{DSCP: true}
	}
	return t
}

// trust notes which fields are trusted.
func (p *PortSettings) trust(t Trust) { p.Trust, p.TrustKnown = t, t != Trust{} }

func isLossless(p *Port) bool { return len(p.Buffers()) > 0 }

// wanted fills in what packets notice hop by hop.
func (p *Port) wanted(s *PortSettings) {
	h := p.Device().ByHand
	if h != nil && h.Trust != nil {
		s.TrustKnown = true // also that it trusts none
	}
	s.PausesKnown = true
	if isLossless(p) || h != nil {
		s.LinkPause = p.FlowControl() == Pause
		for cos := range 8 {
			sends, obeys := p.Pauses(cos)
			s.Sends |= bit(sends, cos)
			s.Obeys |= bit(obeys, cos)
		}
	}
	one := Joined(p)
	s.Headroom = one.Size - one.Xoff
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

// detailOf returns the buffers, queues, speed and cable of a port of a switch.
func (w *wanting) detailOf(p *Port, s *PortSettings, metres int) PortDetail {
	out := w.detail
	out.Speed, out.MTU = Of(int64(p.Speed())*1e6), Of(p.MTU())
	if metres > 0 {
		out.Cable = Of(metres)
	}
	w.groups(&out, p, s)
	marks := Marked(p)
	for cos := range out.Queues {
		if q := &out.Queues[cos]; s.Marks>>cos&1 == 1 {
			q.marked(marks[cos], w.Switch.Can.Drops != "")
		}
	}
	if a := w.Switch.Added; a != nil {
		switch {
		case !a.Watchdog.Action.Known():
		case s.Lossless() == 0:
			out.Watchdog.Action = Of(WatchdogOff)
		default:
			out.Watchdog = a.Watchdog
			out.Watchdog.Watches = Of(s.Lossless())
		}
		if a.Pools != nil {
			a.Pools.give(&out, s.Lossless())
		}
	}
	return out
}

// marked notes how a queue marks. Where the system drops what it cannot mark, it does so between the same thresholds.
func (q *QueueSettings) marked(at Marking, drops bool) {
	q.ECN, q.MarkMin, q.MarkMax, q.Probability = Of(true), Of(at.Min), Of(at.Max), Of(at.Probability)
	q.Drop, q.Unmarkable = Of(false), Of(Passed)
	if drops {
		q.Unmarkable, q.DropMin, q.DropMax = Of(Dropped), q.MarkMin, q.MarkMax
	}
}

// groups notes the priority groups: those of lossless cos, and of the others as the system lays them.
func (w *wanting) groups(out *PortDetail, p *Port, s *PortSettings) {
	lossless := s.Lossless()
	joined, elsewhere := s.LinkPause || w.Switch.Can.Shared, uint8(0)
	if a := w.Switch.Added; a != nil && a.Lossy == LossyAlike {
		elsewhere = LosslessCos(w.Fabric.CosGroups)
	}
	lowest := [stages]int{-1, -1, -1, -1} // of the lossless group, and of those by class
	for cos := range 8 {
		n := &lowest[0]
		switch own := lossless>>cos&1 == 1; {
		case own && !joined, !own && elsewhere>>cos&1 == 1:
			out.Group[cos] = int8(cos)
			continue
		case own:
		case w.Switch.Added == nil || w.Switch.Added.Lossy == LossyUnsaid:
			continue
		case w.Switch.Added.Lossy == LossyByClass:
			n = &lowest[1+w.class[cos]]
		default:
			n = &lowest[1]
		}
		if *n < 0 {
			*n = cos
			if n != &lowest[0] {
				out.Groups[cos].Lossless = Of(false)
			}
		}
		out.Group[cos] = int8(*n)
	}
	if one := Joined(p); joined && lowest[0] >= 0 {
		out.Groups[lowest[0]] = sized(one.Size, one.Xoff, one.XonDelta)
		return
	}
	for _, b := range p.Buffers() {
		out.Groups[b.Group.Cos] = sized(b.Size.N, b.Xoff.N, b.XonDelta.N)
	}
}

// stages is one lossless group, and three classes of shares.
const stages = 4

// sized is a lossless group with a buffer.
func sized(size, xoff, delta int) GroupSettings {
	return GroupSettings{
		Buffer: Of(size), Xoff: Of(xoff), Xon: Of(max(xoff-delta, 0)), Headroom: Of(max(size-xoff, 0)), Lossless: Of(true),
	}
}

// give notes what groups and queues take of the pools.
func (a *AddedPools) give(out *PortDetail, lossless uint8) {
	for cos := range 8 {
		group, queue := a.LossyGroup, a.LossyQueue
		if lossless>>cos&1 == 1 {
			group, queue = a.LosslessGroup, a.LosslessQueue
		}
		if g := out.Group[cos]; g >= 0 {
			out.Groups[g].Pool, out.Groups[g].Limit = group.Pool, group.Limit
		}
		out.Queues[cos].Pool, out.Queues[cos].Limit = queue.Pool, queue.Limit
	}
}

// wanted fills in what a NIC is given. It has the map of the one field that it trusts: the PCP is the priority.
func (n *NIC) wanted(s *PortSettings) {
	intents := n.Carries()
	if len(intents) == 0 {
		return
	}
	c := CardOf(n, intents)
	for v := range s.DSCP {
		if s.DSCP[v] = -1; c.ByDSCP {
			s.DSCP[v] = int8(c.DSCP[v])
		}
	}
	for v := range s.PCP {
		if s.PCP[v] = int8(v); c.ByDSCP {
			s.PCP[v] = -1
		}
	}
	d := UnknownDetail()
	for prio, tc := range c.TC {
		d.Queue[prio] = int8(tc)
		if c.ETS[tc] {
			s.Share[prio] = c.Share[tc]
		} else {
			s.Strict |= bit(true, prio)
		}
	}
	pfc := uint8(0)
	for i, ets := range c.ETS {
		if d.Queues[i].Strict = Of(!ets); ets {
			d.Queues[i].Share = Of(int(c.Share[i]))
		}
		pfc |= bit(c.PFC[i], i)
	}
	d.PFC = Of(pfc)
	if c.Cable > 0 {
		d.Cable = Of(c.Cable)
	}
	if n.MTU > 0 {
		d.MTU = Of(n.MTU)
	}
	if c.VLAN > 0 {
		var m [8]int8
		for sk := 0; sk < len(m); sk += 2 { // those that Linux makes of a type of service
			m[sk] = int8(c.Egress)
		}
		d.VLANMap = Of(m)
	}
	if c.TOS >= 0 {
		s.Stamps |= 1 << (c.TOS >> 2)
	}
	for _, t := range n.TrafficClasses {
		s.Stamps |= 1 << (t.TOS >> 2)
	}
	s.Detail = NewDetail(d)
}
