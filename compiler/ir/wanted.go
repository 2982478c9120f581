package ir

import "slices"

// Wanted returns the settings that the fabric wants on the device: those that rocec writes, or those of a by_hand block. It contains every
// value that a target writes, including the cos of values that no group claims. Values that are unknown here stay unchanged on the device.
// Each cos has the queue of its number. A lossless cos has the priority group of its number, or of the lowest lossless cos if a port counts
// all of them in one group.
//
// A default value applies if the device does not state another one. With a by_hand block, only the values that it states are known.
func (d *Device) Wanted() *Settings { return new(Wishes).Of(d) }

// Wishes computes the wanted settings of the devices of one fabric ([Device.Wanted]). Switches with equal values share the common settings
// of their ports and the settings of each kind of port.
type Wishes struct{ known map[writtenAlike]*wanting }

// writtenAlike has the values of a switch, other than its ports, that [wanting] compares.
type writtenAlike struct {
	can   SwitchCan
	added *Added
}

// Of returns the wanted settings of a device.
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

// begin returns the settings that all ports of a device have in common.
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

// wanting computes the settings of a device's ports.
type wanting struct {
	*Device
	base   PortSettings // the settings that all ports have
	detail PortDetail   // as above
	class  [8]ShareClass
	alike  map[PortSettings]*PortSettings
	seen   map[portKind]*PortSettings
}

// portKind contains the values in which ports of one switch differ: ports of one kind have equal settings.
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

// claims fills in the cos of the header values that a group or a by_hand block claims.
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

// ofSwitch fills in the settings that all ports of a switch have.
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

// idle returns the fields that are trusted if t contains the fields that intents need. If none is needed, the system's IdleTrust applies. A
// port that needs both fields but can trust only one trusts DSCP.
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

// trust records the trusted fields.
func (p *PortSettings) trust(t Trust) { p.Trust, p.TrustKnown = t, t != Trust{} }

func isLossless(p *Port) bool { return len(p.Buffers()) > 0 }

// wanted fills in the settings that affect packets at each hop: trust, pauses, headroom and marks.
func (p *Port) wanted(s *PortSettings) {
	h := p.Device().ByHand
	if h != nil && h.Trust != nil {
		s.TrustKnown = true // even if it trusts no field
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

// marked records how a queue marks. If the system drops packets that it cannot mark, it uses the same thresholds.
func (q *QueueSettings) marked(at Marking, drops bool) {
	q.ECN, q.MarkMin, q.MarkMax, q.Probability = Of(true), Of(at.Min), Of(at.Max), Of(at.Probability)
	q.Drop, q.Unmarkable = Of(false), Of(Passed)
	if drops {
		q.Unmarkable, q.DropMin, q.DropMax = Of(Dropped), q.MarkMin, q.MarkMax
	}
}

// groups records the priority groups of lossless cos, and of the other cos in the way of the system.
func (w *wanting) groups(out *PortDetail, p *Port, s *PortSettings) {
	lossless := s.Lossless()
	joined, elsewhere := s.LinkPause || w.Switch.Can.Shared, uint8(0)
	if a := w.Switch.Added; a != nil && a.Lossy == LossyAlike {
		elsewhere = LosslessCos(w.Fabric.CosGroups)
	}
	lowest := [stages]int{-1, -1, -1, -1} // cos of the lossless group, and of the group of each class
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

// stages counts one lossless group and three classes of shares.
const stages = 4

// sized returns a lossless group with a buffer.
func sized(size, xoff, delta int) GroupSettings {
	return GroupSettings{
		Buffer: Of(size), Xoff: Of(xoff), Xon: Of(max(xoff-delta, 0)), Headroom: Of(max(size-xoff, 0)), Lossless: Of(true),
	}
}

// give records the pools of groups and queues, and their limits.
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

// wanted fills in the settings of a NIC. Only the map of its trusted field is known; if that is the PCP, the PCP is the priority.
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
		for sk := 0; sk < len(m); sk += 2 { // the priorities that Linux derives from a type of service
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
