package validate

import (
	"encoding/binary"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PlanesJoined warns of a single cable between two planes that share nothing else.
var PlanesJoined = &Check{
	Code:    "planes-joined",
	Summary: "a cable joins two planes",
	Answers: []string{"X7"},
	Run: func(p *Pass) {
		homes := homesOf(p.Fabric)
		if len(homes) == 0 {
			return
		}
		stray, joints := strayUplinks(p.Fabric)
		for _, s := range stray {
			p.Warnf(diag.FirstPlace(s.port.At, s.port.Link().At), "%s goes to %s, most of whose cables lead to leaves with the NICs %q, while "+
				"the NICs %q are connected to %s. So a fault of one plane can spread to the other. Correct the cable%s.",
				s.port, s.port.Peer(), s.most, s.nic, s.port.Device().Name, unlessMeant)
		}
		for _, j := range joints {
			p.Warnf(j.device.At, "%s has cables to leaves with the NICs %s, about as many of each, while other switches above leaves keep to "+
				"one of them. So a fault of one plane can spread to the other. Correct the cables%s.", j.device.Name, diag.And(j.nics), unlessMeant)
		}
		told := len(stray)+len(joints) > 0
		if !told {
			for _, c := range crossings(p.Fabric, homes) {
				told = true
				p.Warnf(diag.FirstPlace(c.At, c.Link().At), "%s goes to %s, in another plane than the other uplinks of %s: the hosts there have their "+
					"other cables in that plane, and the other leaves of %q keep to one. So a fault of one plane can spread to the other. Correct the "+
					"cable%s.", c, c.Peer(), c.Device().Name, c.Device().Group, unlessMeant)
			}
		}
		if l := onlyJoint(p.Fabric, homes); l != nil && !told {
			meant := "write peer = true"
			if l.A().Device().Height() != l.B().Device().Height() { // peer has no effect there: peer-across-tiers
				meant = "accept it with " + acceptPlanes
			}
			p.Warnf(diag.FirstPlace(l.A().At, l.At), "The cable from %s to %s is the only one that joins two planes: without it the network has "+
				"two parts, and most hosts with several cables are connected to both. So a fault of one plane can spread to the other, over one "+
				"cable. Take it out, or correct it; if the planes should be joined, %s.", l.A(), l.B(), meant)
		}
	},
}

// acceptPlanes is the comment that accepts an intended cable. unlessMeant offers it after the advice to correct the cable. For uplinks
// peer = true does not help, because it has no effect between tiers.
const (
	acceptPlanes = "a comment (# rocec:ignore planes-joined REASON)"
	unlessMeant  = ", or accept an intended cable with " + acceptPlanes
)

// above returns the switches at the other ends of the uplinks of d, by ID.
func above(d *ir.Device) []*ir.Device {
	var out []*ir.Device
	for _, port := range uplinksOf(d) {
		out = append(out, port.Peer().Device())
	}
	slices.SortFunc(out, func(a, b *ir.Device) int { return a.ID - b.ID })
	return slices.Compact(out)
}

// mostCrossings is the largest number of leaves with uplinks into two planes that counts as a mistake: one, or two with swapped cables.
const mostCrossings = 2

// crossings returns the uplinks that end in another plane, of leaves whose peers have uplinks into one plane only. A plane is a set of
// leaves with the same switches above them, if most hosts are attached to several planes.
func crossings(f *ir.Fabric, homes [][]*ir.Device) []*ir.Port {
	type plane struct {
		above  []*ir.Device
		leaves []*ir.Device
	}
	leaves := map[*ir.Device]bool{}
	for _, at := range homes {
		for _, d := range at {
			leaves[d] = true
		}
	}
	var planes []*plane
	known := map[string]*plane{}
	under := map[*ir.Device][]int{} // by switch above leaves: the planes below it, as indexes in planes
	for _, d := range f.Devices {
		up := []*ir.Device(nil)
		if leaves[d] {
			up = above(d)
		}
		if len(up) == 0 {
			continue
		}
		key := devicesKey(up)
		if known[key] == nil {
			for _, top := range up {
				if under[top] = append(under[top], len(planes)); len(under[top]) > 1+mostCrossings {
					return nil // without crossing leaves, planes share no switch
				}
			}
			known[key] = &plane{above: up}
			planes = append(planes, known[key])
		}
		known[key].leaves = append(known[key].leaves, d)
	}
	meets := make([]map[int]bool, len(planes)) // by plane: the planes with a common switch above, itself included
	for i, a := range planes {
		meets[i] = map[int]bool{}
		for _, top := range a.above {
			for _, j := range under[top] {
				meets[i][j] = true
			}
		}
	}
	var odd, whole []*plane
	var kept []int // indexes of whole in planes
	for i, a := range planes {
		apart := false // it shares switches with planes that share none with each other
		for j := range meets[i] {
			for k := range meets[i] {
				apart = apart || j != i && k != i && !meets[j][k]
			}
		}
		if apart && len(a.leaves) == 1 {
			odd = append(odd, a)
		} else {
			whole, kept = append(whole, a), append(kept, i)
		}
	}
	if len(odd) == 0 || len(odd) > mostCrossings || len(whole) < 2 {
		return nil
	}
	in := map[*ir.Device]int{} // by leaf: its plane, from 1
	for i, a := range whole {
		if slices.ContainsFunc(kept, func(j int) bool { return j != kept[i] && meets[kept[i]][j] }) {
			return nil
		}
		for _, d := range a.leaves {
			in[d] = i + 1
		}
	}
	split, together := 0, 0
	others := map[*ir.Device][]int{} // by odd leaf: the planes of the other cables of its hosts
	for _, at := range homes {
		var ids []int
		for _, d := range at {
			if in[d] > 0 && !slices.Contains(ids, in[d]) {
				ids = append(ids, in[d])
			}
		}
		for _, d := range at {
			if in[d] == 0 {
				others[d] = append(others[d], ids...)
			}
		}
		if len(ids) > 1 {
			split++
		} else if !slices.ContainsFunc(at, func(d *ir.Device) bool { return in[d] == 0 }) {
			together++
		}
	}
	if split+len(others) <= together {
		return nil
	}
	var out []*ir.Port
	for _, a := range odd {
		d := a.leaves[0]
		if !slices.ContainsFunc(f.Devices, func(o *ir.Device) bool { return o.Group == d.Group && in[o] > 0 }) {
			continue // a separate kind
		}
		foreign := func(i int) bool { return slices.Contains(others[d], i+1) }
		if len(others[d]) == 0 { // its hosts are attached to odd leaves only: their NICs identify the plane
			names := nicsAt(d)
			foreign = func(i int) bool {
				return !slices.ContainsFunc(whole[i].leaves, func(o *ir.Device) bool {
					return slices.ContainsFunc(nicsAt(o), func(name string) bool { return slices.Contains(names, name) })
				})
			}
		}
		for _, port := range d.Ports {
			up := port.Peer().Device()
			i := slices.IndexFunc(whole, func(b *plane) bool { return slices.Contains(b.above, up) })
			if up.Switch != nil && up.Height() > d.Height() && i >= 0 && foreign(i) {
				out = append(out, port)
			}
		}
	}
	return out
}

// devicesKey returns equal keys for lists of equal devices.
func devicesKey(all []*ir.Device) string {
	var key []byte
	for _, d := range all {
		key = binary.AppendUvarint(key, uint64(d.ID))
	}
	return string(key)
}

// onlyJoint returns the cable without which the network of switches has two parts, each with several switches, if most hosts with several
// cables are connected to both parts. It returns nil if there is no such cable, or several.
func onlyJoint(f *ir.Fabric, homes [][]*ir.Device) *ir.Link {
	bridges, order, last := bridgesOf(f)
	var sets [][]*ir.Device // the switches of homes, each once
	times := map[string]int{}
	for _, at := range homes {
		if key := devicesKey(at); times[key] == 0 {
			sets = append(sets, at)
		}
		times[devicesKey(at)]++
	}
	var found *ir.Link
	for _, l := range bridges {
		below := l.A().Device() // the far end of the cable in the search
		if order[l.A().Device().ID] < order[l.B().Device().ID] {
			below = l.B().Device()
		}
		inside := func(d *ir.Device) bool { return order[d.ID] >= order[below.ID] && order[d.ID] <= last[below.ID] }
		split := 0
		for _, at := range sets {
			if slices.ContainsFunc(at, inside) && slices.ContainsFunc(at, func(d *ir.Device) bool { return !inside(d) }) {
				split += times[devicesKey(at)]
			}
		}
		if 2*split <= len(homes) {
			continue
		}
		if found != nil {
			return nil
		}
		found = l
	}
	if found == nil || found.Peer {
		return nil
	}
	return found
}

// bridgesOf returns the bridges of the graph of switches that have several switches on both sides (Tarjan's depth-first search). By
// Device.ID, order is the number of each switch in order of discovery, from 1, and last is the last number found behind it.
func bridgesOf(f *ir.Fabric) (bridges []*ir.Link, order, last []int) {
	order, last = make([]int, len(f.Devices)), make([]int, len(f.Devices))
	low := make([]int, len(f.Devices))
	type frame struct {
		d    *ir.Device
		from *ir.Link
		next int
	}
	clock := 0
	for _, root := range f.Devices {
		if root.Switch == nil || order[root.ID] > 0 {
			continue
		}
		clock++
		order[root.ID], low[root.ID] = clock, clock
		begin := clock
		var mine []*frame
		for stack := []*frame{{d: root}}; len(stack) > 0; {
			at := stack[len(stack)-1]
			if at.next < len(at.d.Ports) {
				port := at.d.Ports[at.next]
				at.next++
				o := port.Peer().Device()
				switch {
				case o.Switch == nil || port.Link() == at.from:
				case order[o.ID] > 0:
					low[at.d.ID] = min(low[at.d.ID], order[o.ID])
				default:
					clock++
					order[o.ID], low[o.ID] = clock, clock
					stack = append(stack, &frame{d: o, from: port.Link()})
				}
				continue
			}
			last[at.d.ID] = clock
			stack = stack[:len(stack)-1]
			if len(stack) == 0 {
				continue
			}
			over := stack[len(stack)-1].d
			low[over.ID] = min(low[over.ID], low[at.d.ID])
			if low[at.d.ID] > order[over.ID] && clock > order[at.d.ID] { // more than one switch behind it
				mine = append(mine, at)
			}
		}
		for _, at := range mine {
			if behind := last[at.d.ID] - order[at.d.ID] + 1; clock-begin+1-behind > 1 {
				bridges = append(bridges, at.from)
			}
		}
	}
	return bridges, order, last
}
