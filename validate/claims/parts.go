package claims

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

// parts judges the parts of devices that need no other device: hosts, ages and tunnels.
func (j *judging) parts() {
	forgetful := 0
	for _, d := range j.f.Devices {
		if r := j.of[d.ID]; d.Switch != nil && r.Read(ir.PartAges) && forgets(r.Ages) {
			forgetful++
		}
	}
	for _, d := range j.f.Devices {
		r := j.of[d.ID]
		if d.Host != nil && r != nil && r.Host != nil { // an answer that is read in part can contradict, too
			j.host(d, r.Host)
		}
		if d.Switch == nil {
			continue
		}
		if r.Read(ir.PartAges) {
			j.ages(d, r.Ages, forgetful)
		}
		if r.Read(ir.PartTunnels) {
			j.tunnels(d, r.Tunnels)
		}
	}
}

// host judges whether a host may forward packets from one switch to another. A host with one attachment cannot.
func (j *judging) host(d *ir.Device, h *ir.ForwardingHost) {
	if d.Host.Forwards || !h.Forwards || attachments(d) < 2 {
		return
	}
	if len(h.Daemons) == 0 {
		j.add(d, &topicHost, diag.Warning, here+" forwards packets between its interfaces (ip_forward is on), and has cables to several "+
			"ports of switches. The verdict counts it as an end of traffic. Turn forwarding off, or write forwards = true.", proof.HostsDrain)
		return
	}
	j.add(d, &topicHost, j.severity(proof.HostsDrain), fmt.Sprintf("%s forwards packets between its interfaces (ip_forward is on) and runs "+
		"routing (%s), with cables to several ports of switches. The verdict counts it as an end of traffic. Write forwards = true, and run "+
		"validate again.", here, diag.Cut(diag.Some(h.Daemons, mostDaemons))), proof.HostsDrain)
}

// mostDaemons is the number of daemons that a finding names.
const mostDaemons = 3

// forgets reports whether a switch forgets MAC addresses while it still has ARP entries for them.
func forgets(a *ir.ForwardingAges) bool { return a.MAC > 0 && a.ARP > 0 && a.MAC < a.ARP }

// ages judges the ages of a switch. A circle of flooded frames needs two switches that flood to their uplinks (Guo et al., SIGCOMM 2016,
// section 4.2), so one alone is a warning.
func (j *judging) ages(d *ir.Device, a *ir.ForwardingAges, forgetful int) {
	switch {
	case forgets(a):
		severity := diag.Warning
		if forgetful > 1 {
			severity = j.severity(proof.NoFlooding)
		}
		j.add(d, &topicFlooding, severity, fmt.Sprintf("%s forgets MAC addresses after %s, and keeps ARP entries for %s. In between it floods "+
			"frames for a host that is silent, also to its uplinks, and flooded frames can close a PFC loop.", here, a.MAC, a.ARP),
			proof.NoFlooding)
	case a.ARP == 0:
		j.doubt(d, "its answers do not state both ages", proof.NoFlooding)
	}
}

// bridged are the kinds of tunnels that carry the frames of a bridge, between the switches of hosts.
var bridged = []string{"vxlan", "geneve"}

// tunnels judges the tunnels of a switch. A tunnel without a remote address only takes packets out, unless a bridge decides the address.
func (j *judging) tunnels(d *ir.Device, all []ir.ForwardingTunnel) {
	for _, t := range all {
		switch {
		case slices.Contains(bridged, t.Kind):
			j.add(d, &topicTunnel, diag.Warning, fmt.Sprintf("%s puts frames of bridges into packets (%s). The verdict does not follow them: "+
				"they take the turns of the outer packets, in the class of the outer mark.", here, diag.Cut(t.Kind)), proof.NoTunnels)
		case t.Remote.IsValid():
			j.add(d, &topicTunnel, j.severity(proof.NoTunnels, proof.NeverUpAgain), fmt.Sprintf("%s sends packets into the tunnel %s (%s) "+
				"to %s. Packets that came down to the switch can leave it up again in the tunnel, as with two top-of-rack switches that send "+
				"for each other.", here, diag.Cut(t.Name), diag.Cut(t.Kind), t.Remote), proof.NoTunnels, proof.NeverUpAgain)
		}
	}
}
