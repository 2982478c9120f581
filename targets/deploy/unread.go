package deploy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// unread is a group of ports at which a plan enables PFC opposite unread devices. The devices belong to one by_hand block, or rocec could
// not read them.
type unread struct {
	hand  *ir.ByHand // nil: rocec could not read them
	at    diag.Range
	ports []string // "leaf1:swp3"
	peers []string // devices, each once
	seen  map[*ir.Device]bool
}

// Unread refuses a plan that enables PFC or link pause at ports opposite unread devices. A device that others set by hand is refused
// unless the person vouches for it in the by_hand block. A device that did not answer is refused unless it is in away, the devices that
// the person goes on without. The reason is that frames are lost where one end pauses and the other does not obey. A port that already
// pauses is not refused. Unread is pure.
func (p *Plan) Unread(away map[*ir.Device]bool) diag.List {
	lost := map[*ir.Device]bool{}
	for _, d := range slices.Concat(p.Devices, p.Beside) {
		left := d.Status == StatusPending || d.Status == StatusOthers
		if d.Device.Source != nil && d.Old == nil && (d.Err != nil || left) && !away[d.Device.Source] {
			lost[d.Device.Source] = true
		}
	}
	var found []*unread
	of := map[diag.Range]*unread{}
	for _, d := range p.Devices {
		if d.Status != StatusChange || d.Device.Source == nil {
			continue
		}
		for _, port := range d.Device.Source.Ports {
			peer := port.Peer().Device()
			vouched := peer.ByHand == nil || peer.ByHand.Confirmed != ""
			if vouched && !lost[peer] || !beginsToPause(d.Old.Port(port.Name), d.New.Port(port.Name)) {
				continue
			}
			u := &unread{at: peer.At, seen: map[*ir.Device]bool{}}
			key := diag.Range{} // one group for all devices that could not be read
			if peer.ByHand != nil {
				u.hand, u.at, key = peer.ByHand, peer.ByHand.At, peer.ByHand.At // all copies that for_each makes of a block count as one block
			}
			if of[key] == nil {
				of[key] = u
				found = append(found, u)
			}
			u = of[key]
			u.ports = append(u.ports, port.String())
			if !u.seen[peer] {
				u.seen[peer] = true
				u.peers = append(u.peers, peer.Name)
			}
		}
	}
	var ds diag.List
	for _, u := range found {
		u.refuse(&ds)
	}
	return ds
}

func (u *unread) refuse(ds *diag.List) {
	const room = 200 // bytes, for names
	why := "others set by hand and rocec does not read"
	fix := `confirmed = "who says so" in the by_hand block, or --assume-peer-ready for this run`
	if u.hand == nil {
		why, fix = "could not be read", "--assume-peer-ready"
	}
	ends := diag.Plural(len(u.ports), "end", "ends")
	e := topicUnread.Errorf(ds, u.at, "The plan switches PFC on at %s, opposite %s, which %s. Where PFC is not on there too, frames are lost.",
		nodeset.Text(u.ports, nodeset.Endpoints, room), nodeset.Text(u.peers, nodeset.Devices, room), why)
	e.Fix = &diag.Fix{Message: fmt.Sprintf("see that PFC is on at the other %s, then say so: %s", ends, fix)}
	if u.hand == nil {
		e.Fix.Message = "bring " + diag.Plural(len(u.peers), "it", "them") + " back, or " + e.Fix.Message
	}
}

// beginsToPause reports whether a port begins to send or obey pauses. Unknown earlier settings count as no pauses.
func beginsToPause(a, b *ir.PortSettings) bool {
	if b == nil || !b.PausesKnown {
		return false
	}
	none := ir.UnknownPort()
	a = cmp.Or(a, &none)
	had, has := a.Sends|a.Obeys, b.Sends|b.Obeys
	if a.LinkPause != b.LinkPause {
		had = 0 // pauses of another kind
	}
	return has&^had != 0
}

// ByHand returns a text about the devices of a fabric that are set by hand: "4 switches are set by hand and were not read (leaf[1-4])";
// empty: none.
func ByHand(f *ir.Fabric) string {
	switches, hosts := f.ByHand()
	var parts, names []string
	for _, of := range []struct {
		all  []*ir.Device
		noun string
	}{{switches, "switch"}, {hosts, "host"}} {
		if len(of.all) > 0 {
			parts = append(parts, diag.Count(len(of.all), of.noun))
		}
		for _, d := range of.all {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	const room = 200 // bytes
	return fmt.Sprintf("%s %s set by hand and %s not read (%s)", diag.And(parts), diag.Plural(len(names), "is", "are"),
		diag.Plural(len(names), "was", "were"), nodeset.Text(names, nodeset.Devices, room))
}
