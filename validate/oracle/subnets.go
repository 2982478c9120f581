package oracle

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// subnetTalks returns the pairs of members of a RoCEv2 intent whose frames cross no IP hop under shortest paths: the pairs of one subnet,
// or all pairs if a subnet is not stated. Which bridged links their frames use is unknown, so every path counts.
func subnetTalks(f *ir.Fabric, in *ir.Intent) []talk {
	bridges := func(l *ir.Link) bool {
		return l.A().Device().Switch != nil && l.B().Device().Switch != nil && !l.Routed
	}
	if f.Routing != ir.ShortestPath || in.Version != 2 || !slices.ContainsFunc(f.Links, bridges) {
		return nil
	}
	unstated := slices.ContainsFunc(in.Members, func(m *ir.Member) bool { return !m.NIC.IP.IsValid() })
	var out []talk
	for i, a := range in.Members {
		for _, b := range in.Members[i+1:] {
			if unstated || a.NIC.IP.Masked() == b.NIC.IP.Masked() {
				out = append(out, talk{bridged: true, anyWay: true, members: members([]*ir.NIC{a.NIC, b.NIC})})
			}
		}
	}
	return out
}

// BridgedRing reports whether bridged links between switches form a circle. Links between the same two switches count once.
func BridgedRing(f *ir.Fabric) bool {
	beside := map[*ir.Device]map[*ir.Device]bool{}
	for _, l := range f.Links {
		for _, p := range []*ir.Port{l.A(), l.B()} {
			if d, o := p.Device(), p.Peer().Device(); d.Switch != nil && o.Switch != nil && d != o && !l.Routed {
				if beside[d] == nil {
					beside[d] = map[*ir.Device]bool{}
				}
				beside[d][o] = true
			}
		}
	}
	for gone := true; gone; { // switches with one neighbour are in no circle
		gone = false
		for d, all := range beside {
			if len(all) == 1 {
				for o := range all {
					delete(beside[o], d)
				}
			}
			if len(all) < 2 {
				delete(beside, d)
				gone = true
			}
		}
	}
	return len(beside) > 0
}
