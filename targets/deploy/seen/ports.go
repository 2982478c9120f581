package seen

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// ports compares the ports of switches with the fabric: their presence, speed and MTU. For NICs, probes check speed and MTU.
func (j *judge) ports() {
	need := map[*ir.Intent]int{}
	for _, d := range j.f.Devices {
		s := j.of(d)
		if d.Switch == nil || !s.Read(target.PartPorts) {
			continue
		}
		for _, p := range d.Ports {
			if why, not := s.Absent[p.Name]; not {
				j.say(&topicMissing, diag.Error, p.At, p, "%s is not there: %s. Split the port as the fabric says, or correct the fabric.",
					why).refuses = true
			}
			sp := j.port(p)
			if sp == nil {
				continue
			}
			j.speed(p, sp)
			j.mtu(p, sp, need)
		}
	}
}

// speed checks the speed of a port with a link. Headroom buffers the bytes that arrive before a pause takes effect, and their number
// grows with the speed.
func (j *judge) speed(p *ir.Port, sp *target.SeenPort) {
	at := first(p.Link().Speed, p.Link().At)
	switch {
	case sp.Speed == 0 || p.Speed() == 0 || sp.Speed == p.Speed():
	case sp.Speed > p.Speed() && len(p.Buffers()) > 0:
		j.say(&topicSpeed, diag.Error, at, p, "%s has a link of %s; the fabric says %s. Its headroom is sized for the slower one, and loses "+
			"lossless packets on the faster.", speed(sp.Speed), speed(p.Speed()))
	default:
		j.say(&topicSpeed, diag.Warning, at, p, "%s has a link of %s; the fabric says %s.", speed(sp.Speed), speed(p.Speed()))
	}
}

// speed formats Mb/s in the form of the language: "100G".
func speed(mbps int) string {
	if mbps%1000 == 0 {
		return strconv.Itoa(mbps/1000) + "G"
	}
	return strconv.Itoa(mbps) + "M"
}

// headers is the allowed surplus of an MTU. Some drivers include the Ethernet header, a tag and the check sequence in the MTU.
const headers = 14 + 4 + 4

// mtu checks the MTU of a switch port that RoCE passes. Larger frames are dropped silently. Headroom includes one frame that is being
// sent when a pause is due.
func (j *judge) mtu(p *ir.Port, sp *target.SeenPort, need map[*ir.Intent]int) {
	nic := p.Peer().NIC
	carries := len(p.Buffers()) > 0 || len(p.Marks()) > 0 || nic != nil && len(nic.Carries()) > 0
	if sp.MTU == 0 || p.MTU() == 0 || sp.MTU == p.MTU() || !carries {
		return
	}
	sent := 0 // the largest frame that members send
	intents := p.Device().Switch.Intents
	if nic != nil {
		intents = nic.Carries()
	}
	for _, in := range intents {
		most, known := need[in]
		if !known {
			for _, m := range in.Members {
				most = max(most, m.NIC.MTU)
			}
			need[in] = most
		}
		sent = max(sent, most)
	}
	at := first(p.Link().MTU, p.Link().At)
	switch {
	case sp.MTU < sent:
		j.say(&topicMTU, diag.Error, at, p, "%s has an MTU of %d; the fabric says %d, and hosts send frames of %d. Those are dropped here: set "+
			"the MTU in the configuration of the interface.", sp.MTU, p.MTU(), sent)
	case sp.MTU < p.MTU():
		j.say(&topicMTU, diag.Warning, at, p, "%s has an MTU of %d; the fabric says %d. Frames between the two are dropped here.", sp.MTU,
			p.MTU())
	case sp.MTU > p.MTU()+headers:
		j.say(&topicMTU, diag.Warning, at, p, "%s has an MTU of %d; the fabric says %d. Headroom counts a frame of the latter, so that a "+
			"larger one may cost a lossless packet.", sp.MTU, p.MTU())
	}
}

// vlans checks whether the ports for the VLANs of intents pass them with a tag. An untagged frame has lost its PCP, and the VLAN
// interface of a host does not receive it. Between switches, vlans only checks bridged intents that PCP identifies.
func (j *judge) vlans() {
	for _, d := range j.f.Devices {
		if d.Switch == nil || !j.of(d).Read(target.PartVLANs) {
			continue
		}
		for _, p := range d.Ports {
			sp := j.port(p)
			if sp == nil {
				continue
			}
			hop := p.Peer().NIC == nil
			for _, in := range carried(p) {
				tagged, member := sp.VLANs[in.VLAN]
				switch {
				case !member && hop && paired(p):
					j.say(&topicVLAN, diag.Warning, in.At, p, "%s does not carry VLAN %d, in which roce %q travels: where its frames pass from one "+
						"switch of the pair to the other, as after a failure, they are dropped here. rocec writes no VLANs of switches: add the "+
						"port to the VLAN, with a tag.", in.VLAN, in.Name)
				case !member:
					j.say(&topicVLAN, diag.Error, in.At, p, "%s does not carry VLAN %d, in which roce %q travels: its frames are dropped here. rocec "+
						"writes no VLANs of switches: add the port to the VLAN, with a tag.", in.VLAN, in.Name)
				case !tagged && hop:
					j.say(&topicVLAN, diag.Error, in.At, p, "%s sends VLAN %d without a tag, and PCP identifies roce %q: its frames "+
						"lose their PCP here, and the next switch does not treat them as lossless. Carry the VLAN with a tag.", in.VLAN, in.Name)
				case !tagged:
					j.say(&topicVLAN, diag.Error, in.At, p, "%s sends VLAN %d without a tag, and roce %q travels in it with one: its frames lose "+
						"their PCP here, and hosts do not take them for that VLAN. Carry the VLAN with a tag.", in.VLAN, in.Name)
				}
			}
		}
	}
}

// paired reports whether a port belongs to a peer link between the two switches of an MLAG pair. Traffic of hosts that are connected to
// both switches need not pass this link.
func paired(p *ir.Port) bool {
	a, b := p.Device().Switch, p.Peer().Device().Switch
	return p.Link().Peer && a != nil && b != nil && a.MLAG != "" && a.MLAG == b.MLAG
}

// carried returns the intents whose frames must pass a switch port with the tag of their VLAN, by the fabric. Between switches, RoCEv2
// that DSCP identifies needs no tag. Over a routed hop, no frame keeps its tag.
func carried(p *ir.Port) []*ir.Intent {
	peer := p.Peer()
	var all []*ir.Intent
	switch {
	case peer.NIC != nil:
		all = peer.NIC.Carries()
	case peer.Device().Switch != nil && !p.Link().Routed:
		for _, in := range p.Device().Switch.Intents {
			if !in.ByDSCP() && p.Carries(in.Group) != nil && slices.Contains(peer.Device().Switch.Intents, in) {
				all = append(all, in)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(in *ir.Intent) bool { return in.VLAN == 0 })
}
