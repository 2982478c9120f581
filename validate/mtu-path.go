package validate

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/walk"
)

// MTUPath reports links between switches whose MTU is smaller than that of the members on both sides.
var MTUPath = &Check{
	Code:    "mtu-path",
	Summary: "a link on the way takes smaller frames than its members send",
	Answers: []string{"5", "K9", "N5"},
	OnHop:   true,
	Single:  func(p *Pass, x *walk.Finding) { p.smallLink(x.Port.Link(), x.From, x.To, x.Intent) },
	Run: func(p *Pass) {
		told := map[diag.Range]bool{} // one finding for a block
		var between []*ir.Link
		for _, l := range p.Fabric.Links {
			if l.A().Device().Forwards() && l.B().Device().Forwards() {
				between = append(between, l)
			}
		}
		if len(between) == 0 {
			return
		}
		smallest := slices.MinFunc(between, func(a, b *ir.Link) int { return a.MTU.N - b.MTU.N }).MTU.N
		for _, in := range p.Fabric.Intents {
			largest := 0
			for _, m := range in.Members {
				if !walk.OverPort(m.NIC) { // mtu-mismatch reports it
					largest = max(largest, m.NIC.MTU)
				}
			}
			if largest <= smallest {
				continue
			}
			var ends map[*ir.Device][]*ir.NIC
			for _, l := range between {
				if l.MTU.N >= largest || told[l.At] || !carriesIntent(l, in) {
					continue
				}
				if ends == nil {
					ends = endsOf(in)
				}
				if a, b := across(l, ends); a != nil {
					told[l.At] = true
					p.smallLink(l, a, b, in)
				}
			}
		}
	},
}

// smallLink reports a link between two members of an intent whose MTU is smaller than theirs.
func (p *Pass) smallLink(l *ir.Link, a, b *ir.NIC, in *ir.Intent) {
	p.Errorf(diag.FirstPlace(l.MTU.At(), l.At), "%s - %s accepts frames of %d bytes, and %s and %s, members of roce %q on its two sides, "+
		"send frames of up to %d: the larger ones are dropped on the way. Raise the MTU of "+
		"the link, or lower that of the NICs.",
		l.A(), l.B(), l.MTU.N, nicName(a), nicName(b), in.Name, min(a.MTU, b.MTU)).
		About(in.Name).
		Note(diag.FirstPlace(a.MTUAt, a.At), "MTU %d", a.MTU)
}

// carriesIntent reports whether a link between devices that forward was found to be on a path between members.
func carriesIntent(l *ir.Link, in *ir.Intent) bool {
	level := l.A().Device().Height() == l.B().Device().Height()
	if in.Version == 1 && l.Routed || level && !l.Peer && l.A().Device().Fabric.Routing == ir.UpDown {
		return false
	}
	if l.A().Carries(in.Group) != nil {
		return true
	}
	for _, port := range []*ir.Port{l.A(), l.B()} {
		for _, m := range port.Marks() {
			if m.Group == in.Group {
				return true
			}
		}
	}
	return false
}

// endsOf returns the members of an intent by the device they are attached to, without members whose switch port has a too small MTU.
func endsOf(in *ir.Intent) map[*ir.Device][]*ir.NIC {
	out := map[*ir.Device][]*ir.NIC{}
	for _, m := range in.Members {
		if d := walk.AttachedTo(m.NIC); d != nil && !walk.OverPort(m.NIC) {
			out[d] = append(out[d], m.NIC)
		}
	}
	return out
}

// across returns two members of different hosts, one on each side of a link, that have a larger MTU than the link and whose traffic passes
// it. Either they are attached to its two ends, or only one of them is attached to or below its lower end. Other paths that might use the
// link are left out.
func across(l *ir.Link, ends map[*ir.Device][]*ir.NIC) (a, b *ir.NIC) {
	low, high := l.A().Device(), l.B().Device()
	if low.Height() > high.Height() {
		low, high = high, low
	}
	var near, far twoHosts
	if low.Height() == high.Height() {
		near.add(ends[low], l.MTU.N)
		far.add(ends[high], l.MTU.N)
		return near.apart(far)
	}
	below := map[*ir.Device]bool{low: true}
	for todo := []*ir.Device{low}; len(todo) > 0; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		near.add(ends[d], l.MTU.N)
		for _, port := range d.Ports {
			if u := port.Peer().Device(); u.Forwards() && u.Height() < d.Height() && !below[u] {
				below[u] = true
				todo = append(todo, u)
			}
		}
	}
	if near[0] == nil {
		return nil, nil
	}
	for d, nics := range ends {
		if !below[d] {
			far.add(nics, l.MTU.N)
		}
	}
	return near.apart(far)
}

// twoHosts keeps two of the added NICs with an MTU above a limit: the first NIC of the first host and the first NIC of the second, in any
// order of adding.
type twoHosts [2]*ir.NIC

func (t *twoHosts) add(nics []*ir.NIC, limit int) {
	for _, n := range nics {
		switch {
		case n.MTU <= limit:
		case t[0] == nil || n.Device.ID < t[0].Device.ID:
			t[0], t[1] = n, t[0]
		case n.Device == t[0].Device:
			if nodeset.Compare(n.Name, t[0].Name) < 0 {
				t[0] = n
			}
		case t[1] == nil || n.Device.ID < t[1].Device.ID || n.Device == t[1].Device && nodeset.Compare(n.Name, t[1].Name) < 0:
			t[1] = n
		}
	}
}

// apart returns one NIC of each that belong to different hosts; nil without such NICs.
func (t *twoHosts) apart(other twoHosts) (a, b *ir.NIC) {
	for _, a := range t {
		for _, b := range other {
			if a != nil && b != nil && a.Device != b.Device {
				return a, b
			}
		}
	}
	return nil, nil
}
