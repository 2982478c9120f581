package walk

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Judgements that walks and the checks of package validate share: a walk applies them to a hop, and a check to the whole fabric. Each
// reports a condition, and its line if the condition alone determines it. None writes a message.

// Speaks reports whether a NIC supports a version of RoCE.
func Speaks(n *ir.NIC, version int) bool {
	if version == 1 {
		return n.Model.V1
	}
	return n.Model.V2
}

// Told reports whether a device that trusts t uses the field that identifies the intent's packets. If both fields are trusted, DSCP wins.
func Told(in *ir.Intent, t ir.Trust) bool {
	if in.ByDSCP() {
		return t.DSCP
	}
	return t.PCP && (in.Version == 1 || !t.DSCP)
}

// HasMark reports whether the packets of the intent carry the field that identifies them: an intent identified by PCP needs a tag.
func HasMark(in *ir.Intent) bool { return in.ByDSCP() || in.VLAN > 0 && len(in.Group.PCP) > 0 }

// Harm returns the severity of packets of an intent in a wrong group. It is an error if they can be lost. Under link pause, which stops
// every cos, it is a warning if the packets should be marked. 0: no harm.
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

// UntoldHarm is [Harm] for RoCEv2 that no mark identifies: an error also if the group is lossy and not marked.
func UntoldHarm(f *ir.Fabric, in *ir.Intent) diag.Severity {
	if f.FlowControl == ir.Pause {
		return Harm(f, in)
	}
	return diag.Error
}

// Domains returns, by Device.ID, a number for the broadcast domain of every device that forwards.
type Domains func() []int

// DomainsOf returns the broadcast domains of a fabric, computed at the first call.
func DomainsOf(f *ir.Fabric) Domains {
	return sync.OnceValue(func() []int { return Islands(f, func(l *ir.Link) bool { return !l.Routed }) })
}

// Untold returns the code of the reason why devices with any settings cannot identify an intent's packets by their marks. The reason
// applies to every device, or to all devices after an IP hop. It returns "" if the marks are enough.
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

// untoldAt returns the place at which [Untold] is reported.
func untoldAt(in *ir.Intent) diag.Range {
	if in.Version == 1 {
		return in.At
	}
	return diag.FirstPlace(in.GroupAt, in.At)
}

// Bridged reports whether the packets of an intent between two members cross no IP hop.
func Bridged(f *ir.Fabric, in *ir.Intent, from, to *ir.NIC, domains Domains) bool {
	return in.Version == 1 || f.Routing == ir.ShortestPath && oneSubnet(from, to, domains)
}

// oneSubnet reports whether two NICs state addresses of one subnet and are attached to one broadcast domain: no IP hop is between them.
func oneSubnet(a, b *ir.NIC, domains Domains) bool {
	if !slices.ContainsFunc(a.Subnets(), func(p netip.Prefix) bool { return slices.Contains(b.Subnets(), p) }) {
		return false
	}
	at, to := AttachedTo(a), AttachedTo(b)
	return at != nil && to != nil && domains()[at.ID] == domains()[to.ID]
}

// AttachedTo returns the device that forwards the NIC's traffic: its switch, or its own host; nil if not found.
func AttachedTo(n *ir.NIC) *ir.Device {
	if n.Device.Forwards() {
		return n.Device
	}
	if n.Port == nil || !n.Port.Peer().Device().Forwards() {
		return nil
	}
	return n.Port.Peer().Device()
}

// Islands returns, by Device.ID, the number of the island of each device that forwards. Usable links join the devices of an island.
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

// TwoDomains returns two members of an intent in different broadcast domains; other is nil if all are in one.
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

// OutsideGroup reports whether the tos of a NIC puts the packets of an intent into a wrong group.
func OutsideGroup(f *ir.Fabric, n *ir.NIC, in *ir.Intent) bool {
	return n.TOS >= 0 && in.ByDSCP() && Harm(f, in) != 0 && !claims(in.Group.DSCP, n.Packet(in).DSCP)
}

func claims(all []ir.Claim, value int) bool {
	return slices.ContainsFunc(all, func(c ir.Claim) bool { return c.Value == value })
}

// Claimant returns the first group that claims a value; nil if none does.
func Claimant(f *ir.Fabric, value int, of func(*ir.CosGroup) []ir.Claim) *ir.CosGroup {
	for _, g := range f.CosGroups {
		if claims(of(g), value) {
			return g
		}
	}
	return nil
}

// DSCPOf returns the DSCP values that a group claims.
func DSCPOf(g *ir.CosGroup) []ir.Claim { return g.DSCP }

// PCPOf returns the PCP values that a group claims.
func PCPOf(g *ir.CosGroup) []ir.Claim { return g.PCP }

// Peers caches the sorted addresses of members, by intent, for [LeadsOut].
type Peers map[*ir.Intent][]netip.Addr

// LeadsOut reports whether an exception by address gives RoCEv2 packets a DSCP that no group claims, or one of another group than that of
// the lossless intent whose members it reaches. It returns that intent; nil: no group claims the DSCP.
func LeadsOut(n *ir.NIC, rule *ir.TrafficClass, peers Peers) (*ir.Intent, bool) {
	all := n.Carries()
	if !slices.ContainsFunc(all, (*ir.Intent).ByDSCP) || n.IP.IsValid() && rule.Src.IsValid() && !rule.Src.Contains(n.IP.Addr()) {
		return nil, false // DSCP identifies no intent, or the exception matches no packet of this NIC
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

// reached reports whether a destination covers the address of another member of the intent. No destination means all addresses.
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

// Mistrust returns the line because of which a device with a by_hand block does not trust the field that identifies an intent's packets.
// If the block states no trust, a NIC still trusts only one field.
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

// mixedVersions reports whether a NIC is in intents of both versions; roce-version-mix reports that.
func mixedVersions(n *ir.NIC) bool {
	all := n.Carries()
	return slices.ContainsFunc(all, func(in *ir.Intent) bool { return in.Version != all[0].Version })
}

// Overruling returns an intent identified by DSCP that a switch carries together with in, where in is RoCEv2 identified by PCP that comes
// in by the port. The switch trusts both fields there, and uses the DSCP. It returns nil without such an intent, if the switch does not
// carry in, or if a block states the trust.
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

// Remapped returns the entry of a device's stated map for a value, DSCP or PCP, that identifies packets of an intent. ok is true if the
// map has the value, and the device trusts that field.
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

// SendsCNP reports whether an intent has CNPs to judge: it is marked, and no other check reports its cnp attribute.
func SendsCNP(in *ir.Intent) bool {
	return in.Version == 2 && in.Group.ECN != nil && HasMark(in) && (in.CNP == nil || !CNPMisplaced(in))
}

// CNPMisplaced reports whether the cnp group of an intent is lossless, or the group of the intent itself.
func CNPMisplaced(in *ir.Intent) bool {
	return in.CNP != nil && (in.CNP == in.Group || in.CNP.Lossless)
}

// OtherCNPs returns the cnp group of another intent, if the CNPs of this intent carry its marks because a NIC marks all CNPs alike; nil if
// they carry their own.
func OtherCNPs(n *ir.NIC, in *ir.Intent) *ir.CosGroup {
	if g := n.CNPGroup(); g != nil && g.Cos != in.CNP.Cos {
		return g
	}
	return nil
}

// CNPMarks returns the groups whose marks the CNPs of an intent can carry: its own first, then those of other intents of its NICs.
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

// CNPsByPCP returns the group that claims the PCP of an intent's CNPs; nil without one. NICs use the number of the cos group marks as PCP.
// bad reports that another group, or none, claims it.
func CNPsByPCP(f *ir.Fabric, in *ir.Intent, marks *ir.CosGroup) (taker *ir.CosGroup, bad bool) {
	if in.ByDSCP() {
		return nil, false
	}
	taker = Claimant(f, marks.Cos, PCPOf)
	return taker, taker == nil || taker.Cos != marks.Cos
}

// CNPsRemapped returns the entry of a device's stated map for the CNPs of a NIC, and their mark. bad reports that the entry leads out of
// their group, or into a lossless one if they have no group.
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

// LosslessCos reports whether PFC can pause packets in a cos.
func LosslessCos(f *ir.Fabric, cos int) bool {
	return f.FlowControl != ir.Pause && slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.Cos == cos && g.Lossless })
}

// PauseBeside returns the place where a by_hand block states another kind of flow control for a port than its cable has, or both kinds;
// nil otherwise.
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

// someByPFC reports whether a cable of the device is lossless by PFC.
func someByPFC(d *ir.Device) bool {
	return slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return !p.ByPause() })
}

// OneWay reports whether a port with this flow control does not send pauses, or does not obey them.
func OneWay(fc ir.FlowControl) bool {
	return fc == ir.PFCTx || fc == ir.PFCRx || fc == ir.NoFlowControl
}

// Unpaused reports whether the stated priorities of a device lack a lossless group that its port carries.
func Unpaused(p *ir.Port, g *ir.CosGroup) bool {
	h := p.Device().ByHand
	return h != nil && h.PFC != nil && p.FlowControl() == ir.PFC && !claims(h.PFC, g.Cos)
}

// NoPFC reports whether a NIC has no PFC, its end of the link is lossless by PFC, and no by_hand block states flow control of the
// interface below it.
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

// FirmwareDecides reports whether a NIC's firmware decides how a device treats packets of a lossless intent.
func FirmwareDecides(d *ir.Device, in *ir.Intent) bool {
	return d.ByHand != nil && d.ByHand.Firmware && in.Group.Lossless && d.Fabric.FlowControl != ir.Pause
}

// Unmarked reports whether a switch does not mark packets of an intent whose group has ECN.
func Unmarked(d *ir.Device, in *ir.Intent) bool {
	return d.Switch != nil && d.ByHand != nil && !d.ByHand.ECN && in.Version == 2 && in.Group.ECN != nil
}

// Unslowed reports whether a NIC does not answer marks, or does not slow down, although the packets of its intent are marked, and the line
// that causes that. NICs that rocec writes do both if they can.
func Unslowed(n *ir.NIC, in *ir.Intent) (at diag.Range, bad bool) {
	h := n.Device.ByHand
	if in.Version != 2 || in.Group.ECN == nil || !n.Model.V2 {
		return at, false
	}
	switch can := n.Can(); {
	case can.NoDCQCN && can.NoPFC && in.Group.Lossless:
		return at, false // nic-no-pfc reports that, or the interface below has PFC
	case can.NoDCQCN: // with any value of dcqcn
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

// Drops returns the marking with which a port of a switch drops unmarkable packets of a lossless group; nil if it drops none.
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

// TooLarge reports whether a link between devices that forward drops frames between two NICs. The frames must fit the switch ports of both
// NICs; otherwise OverPort is true.
func TooLarge(l *ir.Link, a, b *ir.NIC) bool {
	return l.MTU.N < min(a.MTU, b.MTU) && !OverPort(a) && !OverPort(b)
}

// HeadroomShort reports whether the headroom of a switch port is smaller than the bytes that can arrive after its pause, and whether loss
// is likely. A NIC's driver sets the headroom of a NIC. [XoffWrong] reports buffers without headroom.
func HeadroomShort(p *ir.Port, b *ir.Buffer) (short, likely bool) {
	short = p.Device().Switch != nil && b.Headroom() < b.Need && b.Xoff.N < b.Size.N
	return short, short && b.Headroom() < b.Floor
}

// HeadroomAt returns the line that determines the headroom of a buffer.
func HeadroomAt(b *ir.Buffer) diag.Range {
	given := b.Group.Sizes()
	return diag.FirstPlace(given.Buffer.At(), b.Pinned, given.Xoff.At(), given.At, b.Group.At)
}

// XoffWrong reports whether a port of a switch never pauses, or always: xoff is not between 0 and the buffer.
func XoffWrong(p *ir.Port, b *ir.Buffer) bool {
	return p.Device().Switch != nil && (b.Xoff.N <= 0 || b.Xoff.N >= b.Size.N)
}

// XoffAt returns the line that determines a group's xoff.
func XoffAt(g *ir.CosGroup) diag.Range {
	given := g.Sizes()
	return diag.FirstPlace(given.Xoff.At(), given.Buffer.At(), g.At)
}
