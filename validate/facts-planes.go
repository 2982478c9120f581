package validate

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
)

// Planes are networks of switches side by side, with a NIC of every host in each.

// homesOf returns, for every host that is attached to several switches, those switches.
func homesOf(f *ir.Fabric) [][]*ir.Device {
	var out [][]*ir.Device
	for _, d := range f.Devices {
		if d.Host == nil || d.Forwards() {
			continue
		}
		var at []*ir.Device
		for _, port := range d.Ports {
			if s := port.Peer().Device(); s.Switch != nil && !slices.Contains(at, s) {
				at = append(at, s)
			}
		}
		if len(at) > 1 {
			out = append(out, at)
		}
	}
	return out
}

// nicsAt returns the names of the NICs attached to a switch.
func nicsAt(d *ir.Device) []string {
	var out []string
	for _, port := range d.Ports {
		if n := port.Peer().NIC; n != nil && !slices.Contains(out, n.Name) {
			out = append(out, n.Name)
		}
	}
	return out
}

// uplinksOf returns the ports of a switch that lead to higher tiers, without peer links.
func uplinksOf(d *ir.Device) []*ir.Port {
	var out []*ir.Port
	for _, port := range d.Ports {
		if o := port.Peer().Device(); o.Switch != nil && o.Height() > d.Height() && !port.Link().Peer {
			out = append(out, port)
		}
	}
	return out
}

// strayed is an uplink that ends in another plane than that of its leaf.
type strayed struct {
	port      *ir.Port // of the leaf
	nic, most string   // the NICs attached to the leaf, and those on most leaves below the switch at the other end
}

// joint is a switch above leaves of two planes, with about as many cables to each of them.
type joint struct {
	device *ir.Device
	nics   []string // quoted
}

// mostJoints is the largest number of joints that count as mistakes: two switches with swapped cables.
const mostJoints = 2

// strayUplinks returns uplinks that end in another plane, if NIC names identify planes. Then all NICs at a leaf have one name, which is
// the plane of the leaf. A switch above leaves belongs to the plane that most of its cables lead to. If all leaves share the switches
// above them, there are no planes.
func strayUplinks(f *ir.Fabric) (stray []strayed, joints []joint) {
	plane := map[*ir.Device]string{}
	for _, at := range homesOf(f) {
		for _, leaf := range at {
			if plane[leaf] != "" {
				continue
			}
			names := nicsAt(leaf)
			if len(names) != 1 {
				return nil, nil
			}
			plane[leaf] = names[0]
		}
	}
	type above struct {
		device *ir.Device
		below  map[string]int // cables to leaves, by plane
		cables int
	}
	var tops []*above
	of := map[*ir.Device]*above{}
	cables := 0
	for _, d := range f.Devices {
		if plane[d] == "" {
			continue
		}
		for _, port := range uplinksOf(d) {
			top := port.Peer().Device()
			if of[top] == nil {
				of[top] = &above{device: top, below: map[string]int{}}
				tops = append(tops, of[top])
			}
			of[top].below[plane[d]]++
			of[top].cables++
			cables++
		}
	}
	owner, owned := map[*ir.Device]string{}, map[string]bool{}
	for _, top := range tops {
		for name, n := range top.below {
			if 3*n >= 2*top.cables {
				owner[top.device] = name
				owned[name] = true
			}
		}
		if owner[top.device] == "" {
			var names []string
			for name := range top.below {
				names = append(names, strconv.Quote(name))
			}
			slices.Sort(names)
			joints = append(joints, joint{top.device, names})
		}
	}
	for _, name := range plane {
		if !owned[name] || len(owned) < 2 {
			return nil, nil
		}
	}
	for _, d := range f.Devices {
		if plane[d] == "" {
			continue
		}
		for _, port := range uplinksOf(d) {
			if most := owner[port.Peer().Device()]; most != "" && most != plane[d] {
				stray = append(stray, strayed{port, plane[d], most})
			}
		}
	}
	if 4*len(stray) > cables || len(joints) > mostJoints {
		return nil, nil
	}
	return stray, joints
}
