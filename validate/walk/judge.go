package walk

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// This file applies the rules to the packets of the walk at each hop.

// lossless reports whether packets in the group must be lossless.
func (f *follower) lossless(g *ir.CosGroup) bool { return f.Promised && g != nil && g.Lossless }

// paused reports whether every cable of the fabric is lossless by link pause: then classes do not matter for losslessness.
func (f *follower) paused() bool { return f.Fabric.FlowControl == ir.Pause }

// judge finds what is wrong with a device as a whole.
func (f *follower) judge(h *Hop, c *crossing) {
	add := func(x *Finding) {
		if x != nil {
			h.Findings = append(h.Findings, x)
		}
	}
	switch { // other rules judge files that were read
	case h.Read:
	case f.CNP:
		add(f.cnpWrongClass(h, c))
	default:
		add(f.wrongClass(h, c))
	}
	add(f.host(h, c))
	add(f.nonMember(h, c))
	add(f.versionUnsupported(c))
	add(f.mtuSmaller(c))
	if c.drop {
		add(f.noPath(h, c))
	}
	if c.turn {
		x := f.finding(RoutingLoop, f.Fabric.RoutingAt, c.device)
		x.Breaks, x.Round = true, round(f.ways, f.circle)
		add(x)
	}
}

// host finds hosts whose firmware decides, and receivers that do not answer marks or slow down.
func (f *follower) host(h *Hop, c *crossing) *Finding {
	d := c.device
	if d.Host == nil {
		return nil
	}
	if !f.CNP && FirmwareDecides(d, f.Intent) {
		x := f.finding("dcbx-firmware", diag.FirstPlace(d.ByHand.FirmwareAt, d.ByHand.At), d)
		x.Breaks = true
		return x
	}
	if n := f.To[0].NIC; c.ends {
		if at, bad := Unslowed(n, f.Intent); bad {
			x := f.finding("dcqcn-off", at, d)
			x.NIC = n
			return x
		}
	}
	return nil
}

// nonMember finds a host that forwards lossless packets by a NIC without an intent, which rocec does not set up.
func (f *follower) nonMember(h *Hop, c *crossing) *Finding {
	if c.device.Host == nil || c.device.ByHand != nil || !f.lossless(c.group) {
		return nil
	}
	ports := slices.Clone(c.ins)
	for _, l := range c.outs {
		ports = append(ports, l.Out)
	}
	for _, port := range ports {
		if len(port.NIC.Carries()) == 0 {
			x := f.finding(HostNotMember, port.NIC.At, c.device)
			x.Port, x.NIC = port, port.NIC
			return x
		}
	}
	return nil
}

// versionUnsupported finds an end that does not support the version of the intent.
func (f *follower) versionUnsupported(c *crossing) *Finding {
	n := f.From[0].NIC
	if c.ends {
		n = f.To[0].NIC
	}
	if f.CNP || c.device != n.Device || Speaks(n, f.Intent.Version) {
		return nil
	}
	m, _ := InOrder(f.Intent, n, n)
	x := f.finding("roce-version-mix", m.At, c.device)
	x.NIC, x.Breaks = n, true
	return x
}

// mtuSmaller finds a receiver with a smaller RDMA MTU than the sender.
func (f *follower) mtuSmaller(c *crossing) *Finding {
	from, to := f.From[0].NIC, f.To[0].NIC
	if f.CNP || !c.ends || from.MTU == 0 || to.MTU == 0 || ir.RDMAMTU(to.MTU) >= ir.RDMAMTU(from.MTU) {
		return nil
	}
	x := f.finding("mtu-uneven", diag.FirstPlace(to.MTUAt, to.At), c.device)
	x.NIC = to
	return x
}

// noPath reports why a device has no next hop for the packets.
func (f *follower) noPath(h *Hop, c *crossing) *Finding {
	in, from, to := f.Intent, f.From[0].NIC, f.To[0].NIC
	x := f.finding("roce-members", in.At, c.device)
	x.Breaks, x.Apart = true, f.apart(from, to)
	a, b := AttachedTo(from), AttachedTo(to)
	table := f.Fabric.Table
	switch {
	case in.Version == 1 && a != nil && b != nil && f.domains()[a.ID] != f.domains()[b.ID]:
		x.Code = "roce-v1-routed"
	case f.Fabric.Routing == ir.UpDown && x.Apart[0] == nil:
		x.Code = "up-down-no-path"
	case table != nil && table.Row(c.device).Filename != "":
		x.Code, x.At = NoRoute, table.Row(c.device)
	default:
		_, later := InOrder(in, from, to)
		x.At = diag.FirstPlace(later.At, in.At)
	}
	return x
}

// apart returns the devices of two NICs if no links that are up join these devices; nil otherwise. The device of a NIC is the one it is
// attached to, or its host if its cable is down.
func (f *follower) apart(a, b *ir.NIC) [2]*ir.Device {
	up := func(l *ir.Link) bool {
		return !slices.Contains(f.down, l) && (f.Intent.Version != 1 || !l.Routed)
	}
	at := func(n *ir.NIC) *ir.Device {
		if d := AttachedTo(n); d != nil && (d == n.Device || up(n.Port.Link())) {
			return d
		}
		return n.Device
	}
	x, y := at(a), at(b)
	if island := Islands(f.Fabric, up); x.Forwards() && y.Forwards() && island[x.ID] == island[y.ID] {
		return [2]*ir.Device{}
	}
	return [2]*ir.Device{x, y}
}

// InOrder returns the members of an intent for two NICs, in the order of the intent. For a NIC of a bond, the member may be another NIC of
// the bond.
func InOrder(in *ir.Intent, a, b *ir.NIC) (first, later *ir.Member) {
	member := func(n *ir.NIC) int {
		i := slices.IndexFunc(in.Members, func(m *ir.Member) bool { return m.NIC == n })
		if i < 0 {
			i = slices.IndexFunc(in.Members, func(m *ir.Member) bool { return m.NIC.Bond != nil && m.NIC.Bond == n.Bond })
		}
		return i
	}
	i, j := member(a), member(b)
	return in.Members[min(i, j)], in.Members[max(i, j)]
}

// round returns the devices of a routing loop that begins at a stop.
func round(ways *ir.Ways, start int) []*ir.Device {
	came := map[int]int{start: -1}
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		for _, l := range ways.Stops[queue[0]].Next {
			if l.Stop == start {
				var out []*ir.Device
				for i := queue[0]; i >= 0; i = came[i] {
					out = append(out, ways.Stops[i].Device)
				}
				slices.Reverse(out)
				return out
			}
			if _, seen := came[l.Stop]; !seen {
				came[l.Stop] = queue[0]
				queue = append(queue, l.Stop)
			}
		}
	}
	return []*ir.Device{ways.Stops[start].Device} // the loop does not contain the stop
}

// wrongClass reports why a device puts data into a wrong group. Traffic that bounced is not judged: bounce states that the devices do it,
// and the proof assumes that.
func (f *follower) wrongClass(h *Hop, c *crossing) *Finding {
	in, want := f.Intent, h.Group
	if want != in.Group {
		return nil
	}
	if h.Sort.Cos == want.Cos {
		return f.claimedTwice(h, c)
	}
	x := f.mistrusted(h, c, f.Packet)
	if x == nil {
		return nil
	}
	x.Breaks = f.lossless(want) && !f.paused()
	if x.Code != "" {
		return x
	}
	n := f.From[0].NIC
	if in.ByDSCP() && !claims(in.Group.DSCP, f.Packet.DSCP) {
		x.NIC = n
		rule := n.Exception(f.To[0].NIC)
		switch {
		case rule == nil && OutsideGroup(f.Fabric, n, in):
			x.Code, x.At = "tos-not-in-group", diag.FirstPlace(n.TOSAt, n.At)
			return x
		case rule == nil:
			return nil
		}
		if _, out := LeadsOut(n, rule, Peers{}); !out {
			return nil // the exception leads into another RoCE group, as written
		}
		x.Code, x.At = "traffic-class-not-in-group", diag.FirstPlace(rule.TOSAt, n.At)
		return x
	}
	if to, ok := Remapped(c.port(f), in, value(in, h.Packet)); ok && to.Value != in.Group.Cos {
		x.Code, x.At = "map-mismatch", to.At
		return x
	}
	return f.ambiguousMark(x, h, c)
}

// mistrusted returns a finding about packets that a device puts into a wrong group, with the causes that data and CNPs share: marks that
// identify nothing, or a device that does not trust them. Its code is empty for any other cause. It returns nil if there is no harm.
func (f *follower) mistrusted(h *Hop, c *crossing, sent ir.Packet) *Finding {
	in, port := f.Intent, c.port(f)
	x := f.finding("", diag.Range{}, c.device)
	x.Port = port
	if code := Untold(f.Fabric, in, f.domains); code != "" {
		x.Code, x.At = code, untoldAt(in)
		return x
	}
	if Harm(f.Fabric, in) == 0 {
		return nil
	}
	if in.ByDSCP() && !claims(h.Group.DSCP, sent.DSCP) {
		return x // with any settings of the device
	}
	if at, bad := Mistrust(port, in); bad {
		x.Code, x.At = "trust-mismatch", at
	} else if Overruling(port, in) != nil {
		x.Code, x.At = "trust-mismatch", untoldAt(in)
	}
	return x
}

// ambiguousMark adds the remaining causes to a finding: two groups that claim one value, and NICs that cannot trust both fields.
func (f *follower) ambiguousMark(x *Finding, h *Hop, c *crossing) *Finding {
	in, n := f.Intent, x.Port.NIC
	if n != nil && !Told(in, h.Trust) {
		x.Code, x.At, x.NIC = HostMixed, n.At, n
		if mixedVersions(n) {
			x.Code, x.At, x.Breaks = "roce-version-mix", bothVersionsAt(n), !f.CNP
		}
		return x
	}
	if y := f.claimedTwice(h, c); y != nil {
		y.Breaks = x.Breaks
		return y
	}
	return nil
}

// claimedTwice finds a mark that another group claims, too: the device may then put the packet into either.
func (f *follower) claimedTwice(h *Hop, c *crossing) *Finding {
	in, port, want := f.Intent, c.port(f), h.Group
	code, of := "dscp-claimed-twice", DSCPOf
	if !in.ByDSCP() {
		code, of = "pcp-claimed-twice", PCPOf
	}
	v := value(in, h.Packet)
	if _, mapped := Remapped(port, in, v); mapped || !HasMark(in) || !Told(in, h.Trust) || !in.ByDSCP() && !h.Packet.Tagged {
		return nil
	}
	own := slices.IndexFunc(of(want), func(c ir.Claim) bool { return c.Value == v })
	if own < 0 {
		return nil
	}
	for _, g := range f.Fabric.CosGroups {
		i := slices.IndexFunc(of(g), func(c ir.Claim) bool { return c.Value == v })
		if g.Cos == want.Cos || i < 0 {
			continue
		}
		x := f.finding(code, of(want)[own].At, c.device)
		if at := of(g)[i].At; diag.ComparePlace(at, x.At) > 0 {
			x.At = at
		}
		x.Port, x.Breaks = port, f.lossless(want) && !f.paused()
		return x
	}
	return nil
}

// value returns the mark that identifies a packet of an intent.
func value(in *ir.Intent, p ir.Packet) int {
	if in.ByDSCP() {
		return p.DSCP
	}
	return p.PCP
}

// bothVersionsAt returns the later of two places that name a NIC as a member: in the first intent of each version.
func bothVersionsAt(n *ir.NIC) diag.Range {
	var places [3]diag.Range
	for _, in := range n.Device.Fabric.Intents {
		i := slices.IndexFunc(in.Members, func(m *ir.Member) bool { return m.NIC == n })
		if i >= 0 && places[in.Version].Filename == "" {
			places[in.Version] = in.Members[i].At
		}
	}
	if diag.ComparePlace(places[2], places[1]) < 0 {
		return places[1]
	}
	return places[2]
}

// cnpWrongClass reports why a device puts CNPs into a wrong group, or into a lossless one.
func (f *follower) cnpWrongClass(h *Hop, c *crossing) *Finding {
	in, s, want := f.Intent, h.Sort, h.Group
	stopped := s.Group != nil && s.Group.Lossless && !f.paused()
	x := f.finding("", diag.Range{}, c.device)
	x.Port, x.Breaks = c.port(f), stopped
	switch {
	case want == nil:
		if to, _, bad := CNPsRemapped(x.Port, f.From[0].NIC, in); bad {
			x.Code, x.At = "cnp-lost", to.At
			return x
		}
		if h.Far > 0 && !stopped {
			return nil // reported at the sender
		}
		x.Code, x.At = "roce-v2-no-cnp", in.At
		return x
	case CNPMisplaced(in):
		if s.Cos != want.Cos && !stopped {
			return nil
		}
		x.Code, x.At = "cnp-in-lossless-group", diag.FirstPlace(in.CNPAt, in.At)
		return x
	case s.Cos == want.Cos:
		return nil
	case in.ByDSCP() && len(want.DSCP) == 0:
		x.Code, x.At = "cnp-no-dscp", want.At
		return x
	}
	marks := cmp.Or(f.From[0].NIC.CNPGroup(), want)
	if in.ByDSCP() && len(marks.DSCP) == 0 {
		x.Code, x.At = "cnp-no-dscp", marks.At
		return x
	}
	if _, bad := CNPsByPCP(f.Fabric, in, marks); bad && HasMark(in) && Told(in, h.Trust) {
		x.Code, x.At = "cnp-lost", diag.FirstPlace(in.CNPAt, in.At)
		return x
	}
	if g := OtherCNPs(f.From[0].NIC, in); g != nil && s.Cos == g.Cos {
		x.Code, x.At = "cnp-lost", diag.FirstPlace(in.CNPAt, in.At)
		return x
	}
	if to, _, bad := CNPsRemapped(x.Port, f.From[0].NIC, in); bad {
		x.Code, x.At = "cnp-lost", to.At
		return x
	}
	y := f.mistrusted(h, c, f.Packet)
	if y == nil {
		return nil
	}
	if y.Breaks = stopped; y.Code != "" {
		return y
	}
	return f.ambiguousMark(y, h, c)
}

// judgeIn adds the findings about ports by which packets come in.
func (f *follower) judgeIn(l *Lane) {
	p := l.Ports[0]
	if peer := p.Peer(); !f.CNP && slices.Contains(f.From, peer) && OverPort(peer.NIC) {
		l.add(f.frameTooLarge(p, peer.NIC))
	}
	if !f.lossless(l.Group) {
		return
	}
	l.add(f.flowControl(l))
	b := buffer(p, l.Group)
	if b == nil || !b.Size.Set() || l.Read {
		return
	}
	x := f.finding("", diag.Range{}, p.Device())
	x.Port, x.Buffer = p, b
	if XoffWrong(p, b) {
		x.Code, x.At, x.Breaks = "pfc-sizes", XoffAt(b.Group), true
		l.add(x)
	} else if short, likely := HeadroomShort(p, b); short {
		x.Code, x.At, x.Breaks = "headroom-too-small", HeadroomAt(b), likely
		l.add(x)
	}
}

// judgeOut adds the findings about ports by which packets leave.
func (f *follower) judgeOut(l *Lane) {
	p := l.Ports[0]
	if f.CNP {
		return
	}
	peer := p.Peer()
	switch {
	case p.Device().Forwards() && peer.Device().Forwards():
		if TooLarge(p.Link(), f.From[0].NIC, f.To[0].NIC) {
			x := f.finding("mtu-path", diag.FirstPlace(p.Link().MTU.At(), p.Link().At), p.Device())
			x.Port, x.Breaks = p, true
			l.add(x)
		}
	case slices.Contains(f.To, peer) && OverPort(peer.NIC) && f.Size > p.Link().MTU.N:
		l.add(f.frameTooLarge(p, peer.NIC))
	}
	if f.lossless(l.Group) {
		l.add(f.flowControl(l))
		l.add(f.dropped(p, l.Group))
	}
	if in := f.Intent; l.Group == in.Group && Unmarked(p.Device(), in) {
		x := f.finding("ecn-missing-hop", diag.FirstPlace(p.Device().ByHand.ECNAt, p.Device().ByHand.At), p.Device())
		x.Port = p
		l.add(x)
	}
}

// dropped finds a queue that drops unmarkable packets.
func (f *follower) dropped(p *ir.Port, g *ir.CosGroup) *Finding {
	n := f.From[0].NIC
	at, bad := Unmarkable(n, f.Intent)
	if !bad || Drops(p, g) == nil {
		return nil
	}
	x := f.finding("ecn-drops-unmarkable", at, p.Device())
	x.Port, x.NIC, x.Breaks = p, n, true
	return x
}

// frameTooLarge returns the finding about a NIC whose switch port drops its frames.
func (f *follower) frameTooLarge(p *ir.Port, n *ir.NIC) *Finding {
	x := f.finding("mtu-mismatch", diag.FirstPlace(n.MTUAt, n.At), p.Device())
	x.Port, x.NIC, x.Breaks = p, n, true
	return x
}

// flowControl reports why a port of a lane does not send pauses, or does not obey them.
func (f *follower) flowControl(l *Lane) *Finding {
	p := l.Ports[0]
	hand := p.Device().ByHand
	x := f.finding("", diag.Range{}, p.Device())
	x.Port, x.Breaks = p, true
	if p.NIC != nil && NoPFC(p.NIC) {
		x.Code, x.At, x.NIC = "nic-no-pfc", diag.FirstPlace(p.NIC.ModelAt, p.NIC.At), p.NIC
		return x
	}
	if hand == nil || buffer(p, l.Group) == nil {
		return nil
	}
	if at := PauseBeside(p); at != nil {
		x.Code, x.At = "pause-beside-pfc", *at
		return x
	}
	switch {
	case l.Pauses:
		return nil
	case OneWay(p.FlowControl()):
		x.Code, x.At = "pfc-one-end", diag.FirstPlace(hand.FlowControlAt, hand.At)
	case Unpaused(p, l.Group):
		x.Code, x.At = "pfc-one-end", diag.FirstPlace(hand.PFCAt, hand.At)
	default:
		return nil
	}
	return x
}

func (l *Lane) add(x *Finding) {
	if x != nil {
		l.Findings = append(l.Findings, x)
	}
}
