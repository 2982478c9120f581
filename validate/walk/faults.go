package walk

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// What breaks losslessness, and what risks it. Mend and At are the same for all hops with one cause.

// lossless tells whether packets in the group are promised to be lossless.
func (f *follower) lossless(g *ir.CosGroup) bool { return f.Promised && g != nil && g.Lossless }

// paused tells whether the fabric is lossless by link pause: then classes do not matter for it.
func (f *follower) paused() bool { return f.Fabric.FlowControl == ir.Pause }

// judge finds what is wrong with a device as a whole.
func (f *follower) judge(h *Hop, p *passing) {
	d := p.device
	f.sorting(h, p)
	if hand := d.ByHand; hand != nil && d.Host != nil && (h.Far == 0 || p.ends) {
		if hand.Firmware && f.Promised {
			h.risk(hand.FirmwareAt, "Let the host decide (dcbx = \"host\"), and the firmware's LLDP agent off.",
				"The firmware of %s decides its PFC and trust with what its neighbour advertises; rocec does not see what came out.",
				d.Name)
		}
		if marks := f.Intent.Group.ECN != nil && f.Intent.Version == 2; p.ends && marks && !hand.DCQCN {
			does := "answers no marks with CNPs, so senders are not told of congestion and only pauses hold them"
			if f.CNP {
				does = "does not slow down when CNPs tell it to, so only pauses hold it"
			}
			h.risk(hand.DCQCNAt, "Switch DCQCN on for the NIC, notification point and reaction point.", "%s %s.", d.Name, does)
		}
	}
	f.unwritten(h, p)
	to := f.To[0].Device.Name
	switch {
	case p.drop && f.Intent.Version == 1:
		h.breaks(f.Intent.VersionAt, "RoCEv1 frames do not pass an IP hop: use version 2, or bridge the links between the members.",
			"%s has no bridged way on to %s: what comes there is dropped.", d.Name, to)
	case p.drop && h.Far == 0:
		h.breaks(f.Fabric.RoutingAt, cutOff, "There is no way from %s to %s that the routing allows.", d.Name, to)
	case p.drop && f.Cables < 0:
		h.breaks(f.Fabric.RoutingAt, cutOff, "%s has no way on to %s: what comes there is dropped.", d.Name, to)
	case p.drop:
		h.breaks(f.Fabric.RoutingAt, "Give it a route, or do not send it the traffic.",
			"%s has no way on to %s: what comes there is dropped.", d.Name, to)
	case p.turn:
		h.breaks(f.Fabric.RoutingAt, "Mend the next hops.",
			"From %s on traffic for %s can run in a circle until its TTL ends.", d.Name, to)
	}
}

// unwritten reports a host that passes lossless packets on by a NIC that nobody sets up: it is in no intent, and no by_hand
// block speaks of it.
func (f *follower) unwritten(h *Hop, p *passing) {
	if p.device.Host == nil || p.device.ByHand != nil || !f.lossless(p.group) {
		return
	}
	ports := slices.Clone(p.ins)
	for _, l := range p.outs {
		ports = append(ports, l.Out)
	}
	for _, port := range ports {
		if len(port.NIC.Carries()) == 0 {
			h.risk(port.NIC.At, "Make the NIC a member of an intent, or say in a by_hand block how it is set.",
				"%s is in no intent, so rocec does not set it up: whether it pauses and obeys pauses, and what it goes by, is not known.", port)
			return
		}
	}
}

const cutOff = "Look at the cables, at the links that are down and at the routing."

// sorting judges into which group the device puts the packet.
func (f *follower) sorting(h *Hop, p *passing) {
	d, s, want := p.device, h.Sort, h.Group
	is := landing(s)
	switch {
	case f.CNP && !f.paused() && s.Group != nil && s.Group.Lossless:
		at, mend := f.cause(h, p)
		if want != nil && want.Lossless {
			at, mend = want.LosslessAt, "Give CNPs a lossy cos group that is served first."
		}
		h.breaks(at, mend, "%s puts CNPs (by %s) into %s, which is lossless: they wait behind the packets they are about, and can be "+
			"paused.", d.Name, s.By, is)
	case want == nil:
		if h.Far == 0 {
			h.risk(f.Intent.At, "Write cnp = cos_group.NAME in the roce block.",
				"Nobody says in which cos group CNPs of %q are; %s puts them (by %s) into %s.", f.Intent.Name, d.Name, s.By, is)
		}
	case s.Cos == want.Cos:
	case f.CNP:
		at, mend := f.cause(h, p)
		h.risk(at, mend, "%s puts CNPs (by %s) into %s, not into %s: they can come late when it matters.", d.Name, s.By, is, group(want))
	case f.lossless(want) && !f.paused():
		at, mend := f.cause(h, p)
		h.breaks(at, mend, "%s goes by %s, and puts the packet into %s, not into the lossless %s: it is dropped when its queue is full.",
			d.Name, s.By, is, group(want))
	default:
		at, mend := f.cause(h, p)
		h.risk(at, mend, "%s goes by %s, and puts the packet into %s, not into %s: its share and its marks are not those of its group.",
			d.Name, s.By, is, group(want))
	}
}

// cause says why a device sorts a packet into another group than that of the hop, and what to do.
func (f *follower) cause(h *Hop, p *passing) (at diag.Range, mend string) {
	nic, want, hand := f.From[0].NIC, h.Group, p.device.ByHand
	if want == nil {
		return f.Intent.At, "Write cnp = cos_group.NAME in the roce block."
	}
	byDSCP := h.Packet.IP && len(want.DSCP) > 0
	claimed := slices.ContainsFunc(want.DSCP, func(c ir.Claim) bool { return c.Value == h.Packet.DSCP })
	switch {
	case byDSCP && !claimed && !f.CNP && h.Packet.DSCP == f.Packet.DSCP && nic.Exception(f.To[0].NIC) != nil:
		return nic.Exception(f.To[0].NIC).TOSAt, fmt.Sprintf("Give the traffic_class tos = %d, or take these addresses out.", want.DSCP[0].Value*4)
	case byDSCP && !claimed && !f.CNP:
		return diag.FirstPlace(nic.TOSAt, want.At), fmt.Sprintf("Send with DSCP %d: tos = %d in the nic block, or leave tos out.",
			want.DSCP[0].Value, want.DSCP[0].Value*4)
	case byDSCP && !claimed:
		return want.At, fmt.Sprintf("Let %q claim DSCP %d, or let NICs mark CNPs with DSCP %d.",
			want.Name, h.Packet.DSCP, want.DSCP[0].Value)
	case byDSCP && !h.Trust.DSCP:
		if hand != nil && hand.Trust != nil {
			return hand.TrustAt, "Let it trust the DSCP."
		}
		return f.Intent.Group.At, fmt.Sprintf("Give %q a dscp: its packets are told by their PCP, so that is what devices go by.",
			f.Intent.Group.Name)
	case byDSCP:
		return diag.FirstPlace(h.Sort.At, want.At), fmt.Sprintf("Let its map send DSCP %d to cos %d.", h.Packet.DSCP, want.Cos)
	case !h.Packet.Tagged && f.Packet.Tagged:
		return want.At, "The VLAN tag ended at an IP hop, and the PCP with it: give the cos group a dscp."
	case !h.Packet.Tagged && f.CNP:
		return want.At, "The CNP has no VLAN tag, so no PCP: give the cos group a dscp."
	case !h.Packet.Tagged:
		return f.Intent.At, "The packet has no VLAN tag, so no PCP: give the cos group a dscp, or the roce block a vlan."
	case !h.Trust.PCP:
		if hand != nil && hand.Trust != nil {
			return hand.TrustAt, "Let it trust the PCP."
		}
		return want.At, "Give the cos group a dscp: devices there go by the DSCP."
	}
	return diag.FirstPlace(h.Sort.At, want.At), fmt.Sprintf("Let its map send PCP %d to cos %d.", h.Packet.PCP, want.Cos)
}

// judgeIn finds what is wrong where packets come in.
func (f *follower) judgeIn(l *Lane) {
	p := l.Ports[0]
	if l.MTU > 0 && l.MTU < f.Size && (p.NIC != nil || p.Peer().NIC != nil) {
		f.large(l, p)
	}
	if !f.lossless(l.Group) {
		return
	}
	hand := p.Device.ByHand
	switch {
	case l.Pauses:
	case !l.Buffered:
		l.breaks(p.Link.At, "Let the way end elsewhere, or make the NICs behind the link members.",
			"%s is not on any way between members as rocec counts them, so it has no buffer for %s.", p, group(l.Group))
	case deaf(p):
		l.breaks(p.NIC.ModelAt, hardware, "%s is a NIC made of software, which sends no pauses.", p)
	case l.odd:
		l.breaks(hand.FlowControlAt, oneKind, "%s is lossless by %s, %s by %s: the one does not understand the other's pauses.",
			p, kind(p), p.Peer(), kind(p.Peer()))
	default:
		at := hand.FlowControlAt
		if hand.FlowControl == "" || hand.FlowControl == ir.PFC {
			at = hand.PFCAt
		}
		l.breaks(at, fmt.Sprintf("Let it send pauses for %s.", priority(f, l.Group)),
			"%s sends no pauses for %s, so %s goes on sending when the buffer is full.", p, priority(f, l.Group), p.Peer().Device.Name)
	}
	if !l.Sized {
		return
	}
	at, mend := l.Group.At, fmt.Sprintf("Leave pfc.buffer out, so that it is derived, or make it at least %d B.", l.Xoff+l.Need)
	if l.Group.PFC != nil {
		at = l.Group.PFC.At
	}
	switch {
	case l.Headroom() < l.Floor:
		l.breaks(at, mend, "%s keeps %d B of headroom for %s, and %d B can arrive after the pause: frames are lost.",
			p, l.Headroom(), group(l.Group), l.Need)
	case l.Headroom() < l.Need:
		l.risk(at, mend, "%s keeps %d B of headroom for %s, and %d B can arrive after the pause when packets are small.",
			p, l.Headroom(), group(l.Group), l.Need)
	}
}

const (
	hardware = "Use a NIC that knows PFC, or a lossy cos group."
	oneKind  = "Use one kind of flow control in the whole fabric."
)

// judgeOut finds what is wrong where packets leave.
func (f *follower) judgeOut(h *Hop, l *Lane) {
	p := l.Ports[0]
	if l.MTU > 0 && l.MTU < f.Size && p.NIC == nil {
		f.large(l, p)
	}
	if g := h.Group; f.lossless(g) && l.Group != g && !l.Group.Lossless {
		l.risk(g.At, "Let it bounce into a lossless group, or take bounce out.",
			"Packets that go up again at %s are in the lossy %s from there on.", p.Device.Name, group(l.Group))
	}
	if f.lossless(l.Group) && !l.Pauses && f.buffer(p, l.Group) != nil {
		hand := p.Device.ByHand
		switch {
		case deaf(p):
			l.breaks(p.NIC.ModelAt, hardware, "%s is a NIC made of software, which obeys no pauses.", p)
		case l.odd:
			l.breaks(hand.FlowControlAt, oneKind, "%s is lossless by %s, %s by %s: the one does not understand the other's pauses.",
				p, kind(p), p.Peer(), kind(p.Peer()))
		default:
			at := hand.FlowControlAt
			if hand.FlowControl == "" || hand.FlowControl == ir.PFC {
				at = hand.PFCAt
			}
			l.breaks(at, fmt.Sprintf("Let it obey pauses for %s.", priority(f, l.Group)),
				"%s does not obey pauses for %s, so it goes on sending when the buffer of %s is full.", p, priority(f, l.Group), p.Peer())
		}
	}
	if g := l.Group; !f.CNP && g != nil && g.ECN != nil && f.Intent.Version == 2 && p.Device.Switch != nil && !l.Marks {
		at, mend := g.ECN.At, "Let it mark the cos group."
		if p.Device.ByHand != nil {
			at = p.Device.ByHand.ECNAt
		}
		l.risk(at, mend, "%s does not mark %s, so congestion there stays unseen until it pauses.", p, group(g))
	}
}

// large reports a port that takes smaller frames than the sender sends.
func (f *follower) large(l *Lane, p *ir.Port) {
	at, mend := p.Link.At, fmt.Sprintf("Make the MTU at least %d there, or lower that of the sending NIC.", f.Size)
	if p.NIC != nil {
		at, mend = diag.FirstPlace(p.NIC.MTUAt, p.NIC.At), "Give all members of the intent one MTU."
	} else if from := p.Link.MTU.From; len(from) > 0 {
		at = diag.FirstPlace(from[0].At, at)
	}
	l.breaks(at, mend, "%s takes frames of %d B, and the sender sends up to %d B: larger frames are dropped.", p, l.MTU, f.Size)
}

func (h *Hop) breaks(at diag.Range, mend, format string, args ...any) {
	h.Faults = append(h.Faults, &Fault{true, fmt.Sprintf(format, args...), mend, at})
}

func (h *Hop) risk(at diag.Range, mend, format string, args ...any) {
	h.Faults = append(h.Faults, &Fault{false, fmt.Sprintf(format, args...), mend, at})
}

func (l *Lane) breaks(at diag.Range, mend, format string, args ...any) {
	l.Faults = append(l.Faults, &Fault{true, fmt.Sprintf(format, args...), mend, at})
}

func (l *Lane) risk(at diag.Range, mend, format string, args ...any) {
	l.Faults = append(l.Faults, &Fault{false, fmt.Sprintf(format, args...), mend, at})
}

// landing is the group a device sorts a packet into, in words.
func landing(s ir.Sorting) string {
	switch {
	case s.Group != nil:
		return group(s.Group)
	case s.Cos >= 0:
		return fmt.Sprintf("cos %d, which is of no cos group", s.Cos)
	}
	return "no cos group"
}

func group(g *ir.CosGroup) string { return fmt.Sprintf("cos group %q (cos %d)", g.Name, g.Cos) }

// priority is what pauses are for.
func priority(f *follower, g *ir.CosGroup) string {
	if f.paused() {
		return "the link"
	}
	return fmt.Sprintf("priority %d", g.Cos)
}

// kind names how a port is lossless.
func kind(p *ir.Port) string {
	if byPause(p) {
		return "link pause"
	}
	return "PFC"
}
