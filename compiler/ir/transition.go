package ir

// Transition returns settings for a device that has the old and the new settings at once: old lossless priorities stay lossless, and new
// ones are already lossless. A transition from s to s is s, and a second transition to the same settings changes nothing. Nil: one of the
// two is unknown.
func (s *Settings) Transition(next *Settings) *Settings {
	if s == nil || next == nil || s == next {
		return map[bool]*Settings{true: s}[s == next]
	}
	type pair struct{ a, b *PortSettings }
	joined, alike := map[pair]*PortSettings{}, map[PortSettings]*PortSettings{}
	join := func(a, b *PortSettings) *PortSettings {
		of := pair{a, b}
		if joined[of] == nil {
			p := a.Transition(b)
			if alike[p] == nil {
				alike[p] = &p
			}
			joined[of] = alike[p]
		}
		return joined[of]
	}
	out := &Settings{
		Ports: make(map[string]*PortSettings, len(next.Ports)), System: s.System.transition(&next.System), Moment: next.Moment,
	}
	if s.Pools != nil && next.Pools != nil {
		out.Pools = map[string]Pool{}
		for name, pool := range next.Pools {
			if was, is := s.Pools[name]; is && was.Ingress == pool.Ingress && was.Egress == pool.Egress {
				out.Pools[name] = was.transition(pool)
			}
		}
	}
	for _, ports := range []map[string]*PortSettings{s.Ports, next.Ports} {
		for name := range ports {
			out.Ports[name] = join(s.Port(name), next.Port(name))
		}
	}
	if s.Rest != nil || next.Rest != nil {
		out.Rest = join(s.Rest, next.Rest)
	}
	return out
}

// Equal reports whether two devices have equal settings; values unknown in both count as equal.
func (s *Settings) Equal(other *Settings) bool {
	if s == other || s == nil || other == nil {
		return s == other
	}
	same := func(a, b *PortSettings) bool { return a == b || a != nil && b != nil && *a == *b }
	if !same(s.Rest, other.Rest) {
		return false
	}
	for _, ports := range []map[string]*PortSettings{s.Ports, other.Ports} {
		for name := range ports {
			if !same(s.Port(name), other.Port(name)) {
				return false
			}
		}
	}
	return true
}

// Transition is [Settings.Transition] for one port. A value gets its new cos if that is lossless, else its old cos if that was lossless,
// else its new cos. So if a class changes its cos but keeps its value, no port has both. If link pause and PFC meet, the pauses are
// unknown: no device documents which of them such a port obeys. The buffers of two classes add up.
func (p *PortSettings) Transition(next *PortSettings) PortSettings {
	if p == nil || next == nil {
		return UnknownPort()
	}
	if *p == *next {
		return *p
	}
	out := *next
	was, is := p.Lossless(), next.Lossless()
	join := func(to, before, after []int8) {
		for v := range to {
			if cos := before[v]; cos >= 0 && was>>cos&1 == 1 && (after[v] < 0 || is>>after[v]&1 == 0) {
				to[v] = cos
			}
		}
	}
	join(out.DSCP[:], p.DSCP[:], next.DSCP[:])
	join(out.PCP[:], p.PCP[:], next.PCP[:])
	out.Trust = Trust{PCP: p.Trust.PCP || next.Trust.PCP, DSCP: p.Trust.DSCP || next.Trust.DSCP}
	out.TrustKnown = p.TrustKnown && next.TrustKnown
	out.PausesKnown = p.PausesKnown && next.PausesKnown && (p.LinkPause == next.LinkPause || was == 0 || is == 0)
	out.LinkPause = p.LinkPause && was != 0 || next.LinkPause && is != 0 // link pause that is off in both directions does not count
	out.Sends, out.Obeys = p.Sends|next.Sends, p.Obeys|next.Obeys
	if out.Headroom = max(p.Headroom, next.Headroom); was&^is != 0 && is&^was != 0 {
		out.Headroom = p.Headroom + next.Headroom
	}
	if out.Marks |= p.Marks; next.Marks == 0 {
		out.Marking = p.Marking
	}
	for cos := range 8 {
		if next.Share[cos] == 0 && next.Strict>>cos&1 == 0 { // not known
			out.Share[cos] = p.Share[cos]
			out.Strict |= p.Strict & bit(true, cos)
		}
	}
	out.Stamps = p.Stamps
	out.Detail = p.Detail.Transition(next.Detail)
	return out
}

// JoinMaps changes the device's single map so that a value that was lossless on a port keeps its cos, unless the map gives it a priority
// that is lossless after the change; lossless contains those priorities. ok is false if ports need different priorities for one value.
func JoinMaps(dscp *[64]int, pcp *[8]int, lossless uint8, kept map[string]*PortSettings) (ok bool) {
	next, nextPCP := *dscp, *pcp
	join := func(to, next []int, before []int8, had uint8) bool {
		for v, cos := range before {
			if cos < 0 || had>>cos&1 == 0 || lossless>>next[v]&1 == 1 {
				continue
			}
			if to[v] != next[v] && to[v] != int(cos) {
				return false
			}
			to[v] = int(cos)
		}
		return true
	}
	for _, have := range kept {
		if !join(dscp[:], next[:], have.DSCP[:], have.Lossless()) || !join(pcp[:], nextPCP[:], have.PCP[:], have.Lossless()) {
			return false
		}
	}
	return true
}

// Lossless returns the priorities for which the port is lossless in either direction.
func (p *PortSettings) Lossless() uint8 { return p.Sends | p.Obeys }

// Sort returns the cos of a packet that comes in by the port, or that a NIC sends by it; -1: unknown. A DSCP or PCP below 0 is unknown.
func (p *PortSettings) Sort(pkt Packet) int {
	value, of := -1, []int8(nil)
	switch {
	case !p.TrustKnown:
		return -1
	case p.Trust.DSCP && pkt.IP:
		value, of = pkt.DSCP, p.DSCP[:]
	case p.Trust.PCP && pkt.Tagged:
		value, of = pkt.PCP, p.PCP[:]
	default:
		return 0
	}
	if value < 0 {
		return -1
	}
	return int(of[value])
}

// Unstamped returns the settings without [PortSettings.Stamps].
func (s *Settings) Unstamped() *Settings {
	out := &Settings{Ports: make(map[string]*PortSettings, len(s.Ports)), Rest: s.Rest}
	for name, p := range s.Ports {
		own := *p
		own.Stamps = 0
		out.Ports[name] = &own
	}
	return out
}
