package walk

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Judgements that walks and the checks of package validate share: a walk asks them of a hop, a check of the whole fabric. Each reports
// whether it holds, and at which line if that does not depend on more. None writes a message.

// Speaks reports whether a NIC knows a version of RoCE.
func Speaks(n *ir.NIC, version int) bool {
	if version == 1 {
		return n.Model.V1
	}
	return n.Model.V2
}

// Told reports whether a device that trusts t looks at the field that identifies the intent's packets. If both are trusted, DSCP wins.
func Told(in *ir.Intent, t ir.Trust) bool {
	if in.ByDSCP() {
		return t.DSCP
	}
	return t.PCP && (in.Version == 1 || !t.DSCP)
}

// HasMark reports whether the packets of the intent carry the field that identifies them: an intent identified by PCP needs a tag.
func HasMark(in *ir.Intent) bool { return in.ByDSCP() || in.VLAN > 0 && len(in.Group.PCP) > 0 }

// Harm returns how bad it is that packets of an intent are in the wrong group. It is an error where that loses them. Under link pause,
// which holds back every cos, it is a warning where they are to be marked. 0: no harm.
func Harm(f *ir.Fabric, in *ir.Intent) diag.Severity {
	marks := in.Version == 2 && in.Group.ECN != nil
	switch {
	case f.FlowControl == ir.Pause && marks:
		return diag.Warning
	case f.FlowControl == ir.Pause || !in.Group.Lossless && !marks:
		return 0
	}
	return diag.Error
}

// UntoldHarm is [Harm] of RoCEv2 that no mark identifies: an error also where the group promises nothing yet.
func UntoldHarm(f *ir.Fabric, in *ir.Intent) diag.Severity {
	if f.FlowControl == ir.Pause {
		return Harm(f, in)
	}
	return diag.Error
}

// Domains returns, by Device.ID, a number for the broadcast domain of every device that forwards.
type Domains func() []int

// DomainsOf returns the broadcast domains of a fabric, which are found when first asked for.
func DomainsOf(f *ir.Fabric) Domains {
	return sync.OnceValue(func() []int { return Islands(f, func(l *ir.Link) bool { return !l.Routed }) })
}

// Untold returns the code of the reason why devices cannot identify an intent's packets by their marks, whatever the devices are set to.
// The reason holds for every device, or for all behind an IP hop. It returns "" if the marks suffice.
func Untold(f *ir.Fabric, in *ir.Intent, domains Domains) string {
	if in.Version == 1 {
		if f.FlowControl != ir.Pause && (in.VLAN == 0 || len(in.Group.PCP) == 0) {
			return "roce-v1-no-vlan"
		}
		return ""
	}
	if len(in.Group.DSCP) > 0 || UntoldHarm(f, in) == 0 {
		return ""
	}
	_, other := TwoDomains(in, domains())
	switch {
	case len(in.Group.PCP) == 0 || in.VLAN == 0 && other != nil:
		return "roce-v2-no-dscp"
	case in.VLAN == 0:
		return "pcp-untagged"
	case other != nil:
		return "pcp-over-routed"
	}
	return ""
}

// untoldAt is where [Untold] is reported.
func untoldAt(in *ir.Intent) diag.Range {
	if in.Version == 1 {
		return in.At
	}
	return diag.FirstPlace(in.GroupAt, in.At)
}

// AttachedTo returns the device that forwards the NIC's traffic: its switch, or its own host; nil when it is not cabled to
// one.
func AttachedTo(n *ir.NIC) *ir.Device {
	if n.Device.Forwards() {
		return n.Device
	}
	if n.Port == nil || !n.Port.Peer().Device().Forwards() {
		return nil
	}
	return n.Port.Peer().Device()
}

// Islands returns, by Device.ID, a number for everything that usable links join.
func Islands(f *ir.Fabric, usable func(*ir.Link) bool) []int {
	out := make([]int, len(f.Devices))
	n := 0
	for _, d := range f.Devices {
		if !d.Forwards() || out[d.ID] != 0 {
			continue
		}
		n++
		out[d.ID] = n
		for todo := []*ir.Device{d}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, port := range v.Ports {
				if u := port.Peer().Device(); usable(port.Link()) && u.Forwards() && out[u.ID] == 0 {
					out[u.ID] = n
					todo = append(todo, u)
				}
			}
		}
	}
	return out
}

// TwoDomains gives two members of an intent in different broadcast domains; nil if all are in one.
func TwoDomains(in *ir.Intent, domain []int) (first, other *ir.Member) {
	for _, m := range in.Members {
		at := AttachedTo(m.NIC)
		switch {
		case at == nil:
		case first == nil:
			first = m
		case domain[at.ID] != domain[AttachedTo(first.NIC).ID]:
			return first, m
		}
	}
	return first, nil
}

// OutsideGroup reports whether the tos of a NIC takes the packets of an intent out of their group.
func OutsideGroup(f *ir.Fabric, n *ir.NIC, in *ir.Intent) bool {
	return n.TOS >= 0 && in.ByDSCP() && Harm(f, in) != 0 && !claims(in.Group.DSCP, n.Packet(in).DSCP)
}

func claims(all []ir.Claim, value int) bool {
	return slices.ContainsFunc(all, func(c ir.Claim) bool { return c.Value == value })
}

// Claimant gives the first group that claims a value; nil where none does.
func Claimant(f *ir.Fabric, value int, of func(*ir.CosGroup) []ir.Claim) *ir.CosGroup {
	for _, g := range f.CosGroups {
		if claims(of(g), value) {
			return g
		}
	}
	return nil
}

// DSCPOf is the DSCPs a group claims.
func DSCPOf(g *ir.CosGroup) []ir.Claim { return g.DSCP }

// PCPOf is the PCPs a group claims.
func PCPOf(g *ir.CosGroup) []ir.Claim { return g.PCP }

// Peers holds the sorted addresses of the members of intents that [LeadsOut] was asked of.
type Peers map[*ir.Intent][]netip.Addr

// LeadsOut reports whether an exception by address takes RoCEv2 identified by DSCP out of the cos groups, or out of the group of the
// lossless intent whose members it names. It returns that intent; nil: no group claims the DSCP.
func LeadsOut(n *ir.NIC, rule *ir.TrafficClass, peers Peers) (*ir.Intent, bool) {
	all := n.Carries()
	if !slices.ContainsFunc(all, (*ir.Intent).ByDSCP) || n.IP.IsValid() && rule.Src.IsValid() && !rule.Src.Contains(n.IP.Addr()) {
		return nil, false // identified otherwise, or never a packet of this NIC
	}
	if Harm(n.Device.Fabric, all[0]) == 0 {
		return nil, false
	}
	g := Claimant(n.Device.Fabric, rule.TOS>>2, DSCPOf)
	switch {
	case g == nil:
		return nil, true
	case g.Lossless || !n.IP.IsValid():
		return nil, false
	}
	if slices.ContainsFunc(all, func(in *ir.Intent) bool { return in.Group == g }) {
		return nil, false // another intent of the NIC has this group
	}
	for _, in := range all {
		if in.ByDSCP() && in.Group.Lossless && in.Group != g && peers.reached(n, rule.Dst, in) {
			return in, true
		}
	}
	return nil, false
}

// reached reports whether a destination covers the address of another member of the intent; none covers all.
func (p Peers) reached(n *ir.NIC, dst netip.Prefix, in *ir.Intent) bool {
	addrs, known := p[in]
	if !known {
		for _, m := range in.Members {
			if m.NIC.IP.IsValid() {
				addrs = append(addrs, m.NIC.IP.Addr())
			}
		}
		slices.SortFunc(addrs, netip.Addr.Compare)
		p[in] = addrs
	}
	own := n.IP.Addr()
	if !dst.IsValid() {
		return len(addrs) > 1
	}
	i, _ := slices.BinarySearchFunc(addrs, dst.Masked().Addr(), netip.Addr.Compare)
	for ; i < len(addrs) && dst.Contains(addrs[i]); i++ {
		if addrs[i] != own {
			return true
		}
	}
	return false
}

// Mistrust returns the line by which a device that others configure does not look at the field that identifies an intent's
// packets. Where its block states no trust, a NIC still trusts one field only.
func Mistrust(p *ir.Port, in *ir.Intent) (at diag.Range, bad bool) {
	h := p.Device().ByHand
	if h == nil || Told(in, p.Trust()) || !HasMark(in) {
		return at, false
	}
	if h.Trust != nil {
		return diag.FirstPlace(h.TrustAt, h.At), true
	}
	if p.NIC == nil || mixedVersions(p.NIC) {
		return at, false
	}
	return diag.FirstPlace(p.NIC.At, h.At), true
}

// mixedVersions reports whether a NIC is in intents of both versions, which has a check of its own.
func mixedVersions(n *ir.NIC) bool {
	all := n.Carries()
	return slices.ContainsFunc(all, func(in *ir.Intent) bool { return in.Version != all[0].Version })
}

// Overruling gives an intent identified by DSCP that a switch carries together with in, where in is RoCEv2 identified by PCP that comes in
// by the port. The switch trusts both fields there, and goes by the DSCP. It returns nil without such an intent, if in is not carried, or
// if a block states the trust.
func Overruling(p *ir.Port, in *ir.Intent) *ir.Intent {
	d := p.Device()
	stated := d.ByHand != nil && d.ByHand.Trust != nil
	if d.Switch == nil || stated || !in.Overruled() || !slices.Contains(d.Switch.Intents, in) || p.ByPCPAlone() {
		return nil
	}
	if i := slices.IndexFunc(d.Switch.Intents, (*ir.Intent).ByDSCP); i >= 0 {
		return d.Switch.Intents[i]
	}
	return nil
}

// Remapped gives the entry of a map stated for a device for a value, DSCP or PCP, that identifies packets of an intent. ok: it has an
// entry for the value, and the device looks there.
func Remapped(p *ir.Port, in *ir.Intent, value int) (to ir.Claim, ok bool) {
	h := p.Device().ByHand
	if h == nil || !Told(in, p.Trust()) || !HasMark(in) {
		return to, false
	}
	if in.ByDSCP() {
		to, ok = h.DSCP[value]
	} else {
		to, ok = h.PCP[value]
	}
	return to, ok
}

// SendsCNP reports whether there are CNPs of an intent to judge: the intent is marked, and its cnp attribute is not a mistake with a check
// of its own.
func SendsCNP(in *ir.Intent) bool {
	return in.Version == 2 && in.Group.ECN != nil && HasMark(in) && (in.CNP == nil || !CNPMisplaced(in))
}

// CNPMisplaced reports whether the group an intent names for its CNPs is the one they are to slow down, or lossless.
func CNPMisplaced(in *ir.Intent) bool {
	return in.CNP != nil && (in.CNP == in.Group || in.CNP.Lossless)
}

// OtherCNPs gives the group of another intent's CNPs whose marks those of this one carry, since a NIC marks all alike; nil
// where they carry their own.
func OtherCNPs(n *ir.NIC, in *ir.Intent) *ir.CosGroup {
	if g := n.CNPGroup(); g != nil && g.Cos != in.CNP.Cos {
		return g
	}
	return nil
}

// CNPMarks lists the groups whose marks the CNPs of an intent carry: its own first, then those of other intents of its NICs.
func CNPMarks(in *ir.Intent) []*ir.CosGroup {
	var groups []*ir.CosGroup
	if in.CNP != nil {
		groups = append(groups, in.CNP)
	}
	for _, m := range in.Members {
		if g := m.NIC.CNPGroup(); g != nil && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// CNPsByPCP gives the group that takes CNPs identified by PCP, nil without one, and whether that is another one than the one whose marks
// they carry: NICs give them the number of that cos group.
func CNPsByPCP(f *ir.Fabric, in *ir.Intent, marks *ir.CosGroup) (taker *ir.CosGroup, bad bool) {
	if in.ByDSCP() {
		return nil, false
	}
	taker = Claimant(f, marks.Cos, PCPOf)
	return taker, taker == nil || taker.Cos != marks.Cos
}

// CNPsRemapped gives the group to which a map stated for a device sends the CNPs of a NIC, and the value they are marked with. bad: the
// map leads them out of their group, or into a lossless one if they have no group.
func CNPsRemapped(p *ir.Port, from *ir.NIC, in *ir.Intent) (to ir.Claim, value int, bad bool) {
	f, group, pkt := p.Device().Fabric, from.CNPGroup(), from.CNP(in)
	if value = pkt.PCP; in.ByDSCP() {
		value = pkt.DSCP
	}
	to, ok := Remapped(p, in, value)
	if !ok || !SendsCNP(in) || group != nil && group.Cos == to.Value {
		return to, value, false
	}
	return to, value, group != nil || LosslessCos(f, to.Value)
}

// LosslessCos reports whether packets in a cos can be paused by PFC.
func LosslessCos(f *ir.Fabric, cos int) bool {
	return f.FlowControl != ir.Pause && slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.Cos == cos && g.Lossless })
}

// PauseBeside gives the place where a by_hand block states another kind of flow control for a port than its cable is meant to have, or
// both kinds; nil where it does not.
func PauseBeside(p *ir.Port) *diag.Range {
	h := p.Device().ByHand
	if h == nil {
		return nil
	}
	own, want := p.FlowControl(), p.ByPause()
	at := diag.FirstPlace(h.FlowControlAt, h.At)
	switch {
	case want && own == ir.Pause && len(h.PFC) > 0 && (h.FlowControl != "" || !someByPFC(p.Device())): // else the mask is of the other ports
		at = diag.FirstPlace(h.PFCAt, h.At)
	case own == ir.NoFlowControl || (own == ir.Pause) == want:
		return nil
	}
	return &at
}

// someByPFC reports whether a cable of the device is meant to be lossless by PFC.
func someByPFC(d *ir.Device) bool {
	return slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return !p.ByPause() })
}

// OneWay reports whether a flow control lacks the sending or the obeying of pauses.
func OneWay(fc ir.FlowControl) bool {
	return fc == ir.PFCTx || fc == ir.PFCRx || fc == ir.NoFlowControl
}

// Unpaused reports whether the priorities stated for a device leave out a lossless group that its port carries.
func Unpaused(p *ir.Port, g *ir.CosGroup) bool {
	h := p.Device().ByHand
	return h != nil && h.PFC != nil && p.FlowControl() == ir.PFC && !claims(h.PFC, g.Cos)
}

// NoPFC reports whether a NIC can neither send nor obey pauses by itself, its end of the link is lossless by PFC, and no block states that
// the interface below it does both.
func NoPFC(n *ir.NIC) bool {
	h := n.Device.ByHand
	if h != nil && (h.FlowControl != "" || h.PFC != nil) {
		return false
	}
	return n.Can().NoPFC && (h == nil || ByPFC(n)) // rocec sets no link pause below it either
}

// ByPFC reports whether the NIC's end of its link is lossless by PFC.
func ByPFC(n *ir.NIC) bool {
	if n.Port == nil {
		return false
	}
	fc := n.Port.FlowControl()
	return fc != ir.Pause && fc != ir.NoFlowControl
}

// FirmwareDecides reports whether what a device does with the packets of a lossless intent is left to a NIC's firmware.
func FirmwareDecides(d *ir.Device, in *ir.Intent) bool {
	return d.ByHand != nil && d.ByHand.Firmware && in.Group.Lossless && d.Fabric.FlowControl != ir.Pause
}

// Unmarked reports whether a switch does not mark packets of an intent whose group asks for it.
func Unmarked(d *ir.Device, in *ir.Intent) bool {
	return d.Switch != nil && d.ByHand != nil && !d.ByHand.ECN && in.Version == 2 && in.Group.ECN != nil
}

// Unslowed reports whether a NIC answers no marks, or does not slow down, although the packets of its intent are marked,
// and the line that says so. NICs that rocec writes do both where they can.
func Unslowed(n *ir.NIC, in *ir.Intent) (at diag.Range, bad bool) {
	h := n.Device.ByHand
	if in.Version != 2 || in.Group.ECN == nil || !n.Model.V2 {
		return at, false
	}
	switch can := n.Can(); {
	case can.NoDCQCN && can.NoPFC && in.Group.Lossless:
		return at, false // which is worse, or it is known to rest on what is below it
	case can.NoDCQCN: // whatever dcqcn says
		return n.ModelAt, true
	case h == nil:
		return at, false
	}
	return diag.FirstPlace(h.DCQCNAt, h.At), !h.DCQCN
}

// Unmarkable reports whether switches cannot mark packets of an intent that a NIC sends, and the line to change.
func Unmarkable(n *ir.NIC, in *ir.Intent) (at diag.Range, bad bool) {
	switch h := n.Device.ByHand; {
	case n.Markable(in):
		return at, false
	case in.Version != 2:
		return diag.FirstPlace(in.GroupAt, in.At), true
	case n.Can().NoDCQCN:
		return n.ModelAt, true
	default:
		return diag.FirstPlace(h.DCQCNAt, h.At), true
	}
}

// Drops gives the marking by which a port of a switch drops packets of a lossless group that cannot be marked; nil where it drops none.
func Drops(p *ir.Port, g *ir.CosGroup) *ir.Mark {
	if g == nil || !g.Lossless || p.Device().Switch == nil || p.Device().Switch.Can.Drops == "" {
		return nil
	}
	i := slices.IndexFunc(p.Marks(), func(m *ir.Mark) bool { return m.Group == g })
	if i < 0 {
		return nil
	}
	return p.Marks()[i]
}

// OverPort reports whether a NIC's frames are too large for the switch port it is cabled to.
func OverPort(n *ir.NIC) bool {
	return n.Port != nil && n.Port.Peer().Device().Switch != nil && n.MTU > n.Port.Link().MTU.N
}

// TooLarge reports whether frames that two NICs send each other, both with a port they fit, are dropped on a link between
// devices that forward.
func TooLarge(l *ir.Link, a, b *ir.NIC) bool {
	return l.MTU.N < min(a.MTU, b.MTU) && !OverPort(a) && !OverPort(b)
}

// HeadroomShort reports whether more can arrive at a port of a switch after its pause than the headroom holds, and whether
// loss is then likely. A NIC's driver sizes its own; what is not headroom at all is [XoffWrong].
func HeadroomShort(p *ir.Port, b *ir.Buffer) (short, likely bool) {
	short = p.Device().Switch != nil && b.Headroom() < b.Need && b.Xoff.N < b.Size.N
	return short, short && b.Headroom() < b.Floor
}

// HeadroomAt is the line the headroom of a buffer comes from.
func HeadroomAt(b *ir.Buffer) diag.Range {
	given := b.Group.Sizes()
	return diag.FirstPlace(given.Buffer.At(), b.Pinned, given.Xoff.At(), given.At, b.Group.At)
}

// XoffWrong reports whether a port of a switch never pauses, or at once: xoff is not between nothing and the buffer.
func XoffWrong(p *ir.Port, b *ir.Buffer) bool {
	return p.Device().Switch != nil && (b.Xoff.N <= 0 || b.Xoff.N >= b.Size.N)
}

// XoffAt is the line a group's xoff comes from.
func XoffAt(g *ir.CosGroup) diag.Range {
	given := g.Sizes()
	return diag.FirstPlace(given.Xoff.At(), given.Buffer.At(), g.At)
}
