package ir

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/rocec/rocec/lang/diag"
)

// This file describes how packets are marked, and how devices sort them into cos groups.

// Trust contains the header fields that a device trusts. A packet with an IP header is sorted by its DSCP if that is trusted. Otherwise a
// tagged packet is sorted by its PCP if that is trusted. Every other packet gets the port's default, cos 0. Source: Cumulus Linux 4.4, the
// table of trust modes.
type Trust struct{ PCP, DSCP bool }

// String names the fields as people do: "PCP and DSCP".
func (t Trust) String() string {
	switch t {
	case Trust{PCP: true, DSCP: true}:
		return "PCP and DSCP"
	case Trust{DSCP: true}:
		return "DSCP"
	case Trust{PCP: true}:
		return "PCP"
	}
	return "no field"
}

// Packet is the part of a packet that a device sorts by.
type Packet struct {
	IP     bool // it has an IP header, and therefore a DSCP
	DSCP   int
	Tagged bool // it has a VLAN tag, and therefore a PCP
	PCP    int
}

// Sorting is the cos that a device gives a packet.
type Sorting struct {
	Cos   int        // -1: the device's cos for values that no group claims
	Group *CosGroup  // nil: none; if several groups have the cos, a lossless one
	By    string     // the field that decided: "DSCP 26", "PCP 4", "its default, as there is no PCP"
	At    diag.Range // the line that maps the value to the cos; no place if there is none
}

// ByHand contains the settings of a device that rocec does not write. For values that the person omits, the device has those that the
// fabric needs.
type ByHand struct {
	At            diag.Range
	FlowControl   FlowControl // for all ports; empty: as the fabric states for each cable
	FlowControlAt diag.Range
	PFC           []Claim // the priorities with PFC; nil: the lossless groups
	PFCAt         diag.Range
	Trust         *Trust // nil: the fields that the intents need
	TrustAt       diag.Range
	DSCP, PCP     map[int]Claim // value to cos, if the map differs from the fabric's
	ECN           bool          // for a switch: it marks packets
	ECNAt         diag.Range
	Firmware      bool // a NIC's firmware decides, by DCBX
	FirmwareAt    diag.Range
	DCQCN         bool // for NICs: they answer marks and slow down
	DCQCNAt       diag.Range
	System        string // for a host, as written; empty: not stated
	SystemAt      diag.Range
	Confirmed     string // why the person vouches for these settings; empty: no vouching
}

// ByHand returns the devices that rocec does not write, and therefore does not read.
func (f *Fabric) ByHand() (switches, hosts []*Device) {
	for _, d := range f.Devices {
		switch {
		case d.ByHand == nil:
		case d.Switch != nil:
			switches = append(switches, d)
		default:
			hosts = append(hosts, d)
		}
	}
	return switches, hosts
}

// ByDSCP reports whether DSCP identifies the intent's packets. RoCEv1 has no IP header, so only PCP is left; DSCP identifies RoCEv2 if its
// cos group claims one.
func (in *Intent) ByDSCP() bool { return in.Version == 2 && len(in.Group.DSCP) > 0 }

// TrustOf returns the fields that must be trusted to identify the packets of intents.
func TrustOf(intents []*Intent) Trust {
	var t Trust
	for _, in := range intents {
		if in.ByDSCP() {
			t.DSCP = true
		} else {
			t.PCP = true
		}
	}
	return t
}

// SlowsDown reports whether the NIC answers marked packets with CNPs, and slows down on CNPs.
func (n *NIC) SlowsDown() bool {
	h := n.Device.ByHand
	return !n.Can().NoDCQCN && (h == nil || h.DCQCN)
}

// Markable reports whether switches can mark the packets of an intent that the NIC sends. Such packets have an IP header with the ECT bits
// set. A NIC sets these bits if it controls its rate.
func (n *NIC) Markable(in *Intent) bool { return in.Version == 2 && n.SlowsDown() }

// Subnets returns the subnets of the addresses that the fabric states for the NIC and its VLAN.
func (n *NIC) Subnets() []netip.Prefix {
	var out []netip.Prefix
	for _, p := range []netip.Prefix{n.IP, n.VLANIP} {
		if p.IsValid() {
			out = append(out, p.Masked())
		}
	}
	return out
}

// Carries returns the intents of a NIC: those that it is a member of, and those of the other ports of its bond.
func (n *NIC) Carries() []*Intent {
	all := n.Intents
	if n.Bond == nil {
		return all
	}
	for _, other := range n.Bond.NICs {
		if slices.Equal(other.Intents, n.Intents) {
			continue // the usual case; a port can carry thousands of intents
		}
		for _, in := range other.Intents {
			if !slices.Contains(all, in) {
				all = append(slices.Clip(all), in)
			}
		}
	}
	return all
}

// Packet returns a data packet of an intent as the NIC sends it. A tos written in the nic block marks the packets, unless another intent of
// the NIC, in another group, claims that DSCP.
func (n *NIC) Packet(in *Intent) Packet {
	p := Packet{IP: in.Version == 2, Tagged: in.VLAN > 0}
	if !in.ByDSCP() {
		p.PCP = in.Group.priority()
	}
	if !p.IP {
		return p
	}
	if n.TOS >= 0 && !n.meant(in) {
		p.DSCP = n.TOS >> 2
	} else if len(in.Group.DSCP) > 0 {
		p.DSCP = in.Group.DSCP[0].Value
	}
	return p
}

// Exception returns the first traffic_class of the NIC that covers its RoCEv2 packets to another NIC; nil if none is known to cover them.
func (n *NIC) Exception(to *NIC) *TrafficClass {
	covers := func(p netip.Prefix, of *NIC) bool {
		return !p.IsValid() || of.IP.IsValid() && p.Masked().Contains(of.IP.Addr())
	}
	for i := range n.TrafficClasses {
		if rule := &n.TrafficClasses[i]; covers(rule.Src, n) && covers(rule.Dst, to) {
			return rule
		}
	}
	return nil
}

// PacketTo returns a data packet of an intent as the NIC sends it to another NIC, including exceptions by address.
func (n *NIC) PacketTo(to *NIC, in *Intent) Packet {
	p := n.Packet(in)
	if rule := n.Exception(to); rule != nil && p.IP {
		p.DSCP = rule.TOS >> 2
	}
	return p
}

// meant reports whether tos marks another intent of the NIC, so that the applications of in state their own.
func (n *NIC) meant(in *Intent) bool {
	for _, other := range n.Carries() {
		if other != in && other.Group != in.Group &&
			slices.ContainsFunc(other.Group.DSCP, func(c Claim) bool { return c.Value == n.TOS>>2 }) {
			return true
		}
	}
	return false
}

// priority is the PCP that senders give the group's packets: its cos, or the first value it claims instead.
func (g *CosGroup) priority() int {
	if len(g.PCP) == 0 || slices.ContainsFunc(g.PCP, func(c Claim) bool { return c.Value == g.Cos }) {
		return g.Cos
	}
	return g.PCP[0].Value
}

// The marks of congestion notification packets if no block states others. Source: mlx5 firmware, CNP_DSCP and CNP_802P_PRIO.
const (
	DefaultCNP    = 48
	DefaultCNPPCP = 6
)

// CNPGroup returns the cos group whose marks the NIC's congestion notification packets have; nil: no intent names one. A NIC marks all
// these packets the same, so the first intent that names a group decides.
func (n *NIC) CNPGroup() *CosGroup {
	for _, in := range n.Carries() {
		if in.Version == 2 && in.CNP != nil {
			return in.CNP
		}
	}
	return nil
}

// CNP returns a congestion notification packet of an intent as the NIC sends it.
func (n *NIC) CNP(in *Intent) Packet {
	p := Packet{IP: true, DSCP: DefaultCNP, Tagged: in.VLAN > 0, PCP: DefaultCNPPCP}
	g := n.CNPGroup()
	if g == nil {
		return p
	}
	p.PCP = g.priority()
	if n.Device.ByHand == nil {
		p.PCP = g.Cos // the values that rocec writes
	}
	if len(g.DSCP) > 0 {
		p.DSCP = g.DSCP[0].Value
	}
	return p
}

// Trust returns the fields that the device trusts at the port.
func (p *Port) Trust() Trust {
	d := p.Device()
	switch {
	case d.ByHand != nil && d.ByHand.Trust != nil:
		return *d.ByHand.Trust
	case d.Switch != nil:
		if p.ByPCPAlone() {
			return Trust{PCP: true}
		}
		if d.Switch.Can.OneTrust {
			if t := TrustOf(TellingOf(p)); t != (Trust{}) {
				return t
			}
		}
		return d.Switch.Trust(d.Fabric)
	}
	if all := p.NIC.Carries(); len(all) > 0 {
		return TrustOf(all[:1]) // a NIC trusts one field
	}
	return TrustOf(d.Fabric.Intents)
}

// Trust returns the fields that the switch trusts at ports without a separate value: those that its intents need. A switch that no intent
// passes trusts the fields that all intents of the fabric need. A fabric without intents, such as one made from files, identifies lossless
// packets by DSCP if their class has one.
func (s *Switch) Trust(f *Fabric) Trust {
	t := TrustOf(s.Deciding(f))
	for _, g := range f.CosGroups {
		t.DSCP = t.DSCP || len(f.Intents) == 0 && g.Lossless && len(g.DSCP) > 0
	}
	return t
}

// Deciding returns the intents that decide which header fields a switch trusts: the intents that pass it, or all intents of the fabric if
// none does.
func (s *Switch) Deciding(f *Fabric) []*Intent {
	if len(s.Intents) == 0 {
		return f.Intents
	}
	return s.Intents
}

// TellingOf returns the intents that decide which field a port of a switch trusts. If ports trust only one field and the switch needs both,
// these are the intents whose packets come in by the port.
func TellingOf(p *Port) []*Intent {
	d := p.Device()
	if t := d.Switch.Trust(d.Fabric); d.Switch.Can.OneTrust && t.PCP && t.DSCP && !p.ByPCPAlone() {
		if entering := p.Entering(); len(entering) > 0 {
			return entering
		}
	}
	return d.Switch.Intents
}

// ByPCPAlone reports whether a switch that trusts both fields should trust only PCP at the port. This is the case if RoCEv2 identified by
// PCP comes in there, and no traffic identified by DSCP: with both fields, the DSCP would overrule the PCP. The ports of the switch must be
// able to differ ([SwitchCan.PortTrust]).
func (p *Port) ByPCPAlone() bool {
	d := p.Device()
	if d.Switch == nil || d.ByHand != nil || !d.Switch.Can.PortTrust || !slices.ContainsFunc(d.Switch.Intents, (*Intent).Overruled) ||
		!slices.ContainsFunc(d.Switch.Intents, (*Intent).ByDSCP) {
		return false
	}
	entering := p.Entering()
	return slices.ContainsFunc(entering, (*Intent).Overruled) && !slices.ContainsFunc(entering, (*Intent).ByDSCP)
}

// Overruled reports whether packets of the intent have a DSCP that does not identify them: RoCEv2 identified by PCP. A device that trusts
// both fields sorts by the DSCP.
func (in *Intent) Overruled() bool { return in.Version == 2 && !in.ByDSCP() }

// Entering returns the intents whose packets may come in by a port of a switch: the intents of the NIC at the other end, or the intents
// that pass both switches.
func (p *Port) Entering() []*Intent {
	if p.Link() == nil {
		return p.Device().Switch.Intents
	}
	peer := p.Peer()
	switch {
	case !peer.Device().Forwards() && peer.NIC != nil:
		return peer.NIC.Carries()
	case peer.Device().Switch == nil: // it may forward traffic of others
		return p.Device().Switch.Intents
	}
	var both []*Intent
	for _, in := range p.Device().Switch.Intents {
		if slices.Contains(peer.Device().Switch.Intents, in) {
			both = append(both, in)
		}
	}
	return both
}

// Sort returns the cos that the device gives a packet that comes in by the port or leaves by it.
func (p *Port) Sort(pkt Packet) Sorting {
	t := p.Trust()
	s := Sorting{Cos: -1, By: t.By(pkt)}
	switch {
	case t.DSCP && pkt.IP:
		if h := p.Device().ByHand; h != nil {
			if to, ok := h.DSCP[pkt.DSCP]; ok {
				return p.Device().Fabric.sorted(s, to)
			}
		}
		return p.Device().Fabric.claimed(s, pkt.DSCP, func(g *CosGroup) []Claim { return g.DSCP })
	case t.PCP && pkt.Tagged:
		if h := p.Device().ByHand; h != nil {
			if to, ok := h.PCP[pkt.PCP]; ok {
				return p.Device().Fabric.sorted(s, to)
			}
		}
		return p.Device().Fabric.claimed(s, pkt.PCP, func(g *CosGroup) []Claim { return g.PCP })
	}
	return p.Device().Fabric.sorted(s, Claim{})
}

// By names the field by which a device that trusts t sorts a packet: "DSCP 26", "its default, as there is no PCP".
func (t Trust) By(pkt Packet) string {
	switch {
	case t.DSCP && pkt.IP:
		return fmt.Sprintf("DSCP %d", pkt.DSCP)
	case t.PCP && pkt.Tagged:
		return fmt.Sprintf("PCP %d", pkt.PCP)
	case t.PCP == t.DSCP:
		return "its default, as there is no mark"
	}
	return "its default, as there is no " + t.String()
}

// sorted completes a sorting into a cos.
func (f *Fabric) sorted(s Sorting, to Claim) Sorting {
	s.Cos, s.At = to.Value, to.At
	for _, g := range f.CosGroups {
		if g.Cos == to.Value && (s.Group == nil || g.Lossless) {
			s.Group = g
		}
	}
	return s
}

// claimed completes a sorting by the first group that claims the value.
func (f *Fabric) claimed(s Sorting, value int, claims func(*CosGroup) []Claim) Sorting {
	for _, g := range f.CosGroups {
		for _, c := range claims(g) {
			if c.Value == value {
				s.Cos, s.Group, s.At = g.Cos, g, c.At
				return s
			}
		}
	}
	return s
}

// FlowControl returns the flow control of the port: the one in the device's by_hand block, else the one that the fabric states for the
// cable.
func (p *Port) FlowControl() FlowControl {
	if h := p.Device().ByHand; h != nil && h.FlowControl != "" {
		return h.FlowControl
	}
	return p.meant()
}

// ByPause reports whether the fabric makes the port's cable lossless by link pause. by_hand blocks do not count.
func (p *Port) ByPause() bool { return p.meant() == Pause }

// meant returns the flow control that the fabric states for the port's cable.
func (p *Port) meant() FlowControl {
	if p.Link() == nil || p.Link().FlowControl == "" {
		return p.Device().Fabric.FlowControl
	}
	return p.Link().FlowControl
}

// Pauses reports whether the port sends pauses for cos and whether it obeys them. Link pause applies to every cos.
func (p *Port) Pauses(cos int) (sends, obeys bool) {
	fc := p.FlowControl()
	switch fc {
	case Pause:
		return true, true
	case NoFlowControl:
		return false, false
	}
	on := false
	if h := p.Device().ByHand; h != nil && h.PFC != nil {
		on = slices.ContainsFunc(h.PFC, func(c Claim) bool { return c.Value == cos })
	} else {
		on = slices.ContainsFunc(p.Buffers(), func(b *Buffer) bool { return b.Group.Cos == cos })
	}
	return on && fc != PFCRx, on && fc != PFCTx
}

// Bounces reports whether traffic of a group that bounces can come down into the device and go up again. The device then has at least two
// ports that carry the group to switches of a higher tier.
func (d *Device) Bounces(g *CosGroup) bool {
	if g.Bounce == nil || g.Bounce == g {
		return false
	}
	upward := 0
	for _, p := range d.Ports {
		if top := p.Peer().Device().Switch; top != nil && top.Tier > d.Switch.Tier && p.Carries(g) != nil {
			upward++
		}
	}
	return upward > 1
}

// Stops reports whether traffic in g that comes in by the port can wait for pauses of other ports of its device. The device must both send
// and obey pauses. A device set by hand may lack either, regardless of the fabric. If one end of a cable does not stop, the cable is not
// part of a cycle of waiting buffers. Link pause stops every group.
func (p *Port) Stops(g *CosGroup) bool {
	pause := p.ByPause()
	if p.Device().ByHand == nil {
		return pause && len(p.Buffers()) > 0 || !pause && p.Carries(g) != nil
	}
	return slices.ContainsFunc(p.Buffers(), func(b *Buffer) bool {
		if !pause && b.Group != g {
			return false
		}
		sends, obeys := p.Pauses(b.Group.Cos)
		return sends && obeys
	})
}

// Fills reports whether traffic in g that comes in by the port fills a buffer whose pauses stop the other end of the cable. If both ends
// stop for g, it is the buffer of g. If a switch has one buffer for all lossless groups, and both ends stop for one of them, it is that
// buffer. If the ends disagree about g, the other end keeps sending g, and its packets keep the other groups paused.
func (p *Port) Fills(g *CosGroup) bool {
	q := p.Peer()
	if p.Stops(g) && q.Stops(g) {
		return true
	}
	return p.Device().SharesBuffer() && p.Carries(g) != nil &&
		slices.ContainsFunc(p.Buffers(), func(b *Buffer) bool { return p.Stops(b.Group) && q.Stops(b.Group) })
}

// SharesBuffer reports whether the device counts all lossless groups of a port in one buffer.
func (d *Device) SharesBuffer() bool { return d.Switch != nil && d.Switch.Can.Shared }

// SharesBuffers reports whether lossless groups can fill one another's buffers. They can under link pause, even on single cables between
// forwarding devices, and if a switch counts them in one buffer.
func (f *Fabric) SharesBuffers() bool {
	return f.FlowControl == Pause || f.Coupled() || slices.ContainsFunc(f.Devices, (*Device).SharesBuffer)
}

// Bounces returns the groups that traffic sent in g can be in, in order: g, and the groups that it bounces into, lossless or not. If the
// whole fabric uses link pause, traffic never changes its group.
func (f *Fabric) Bounces(g *CosGroup) []*CosGroup {
	out := []*CosGroup{g}
	for f.FlowControl != Pause && g.Bounce != nil && !slices.Contains(out, g.Bounce) {
		g = g.Bounce
		out = append(out, g)
	}
	return out
}

// OnlyBounced reports whether all traffic of a group bounces into it. No intent names such a group, and bounces lead to it from a group
// that an intent names or that no other group bounces into.
func (f *Fabric) OnlyBounced(g *CosGroup) bool {
	named := func(g *CosGroup) bool {
		return slices.ContainsFunc(f.Intents, func(in *Intent) bool { return in.Group == g || in.CNP == g })
	}
	into := func(g *CosGroup) bool {
		return slices.ContainsFunc(f.CosGroups, func(o *CosGroup) bool { return o.Bounce == g && o != g })
	}
	return !named(g) && slices.ContainsFunc(f.CosGroups, func(o *CosGroup) bool {
		return o != g && slices.Contains(f.Bounces(o), g) && (named(o) || !into(o))
	})
}
