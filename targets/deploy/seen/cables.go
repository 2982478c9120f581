package seen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// registry finds devices by their names in LLDP, in lower case. A device has the name that it reported, or otherwise its name in the
// fabric. A name that several devices reported has no device.
type registry struct{ told, fabric map[string]*ir.Device }

func (j *judge) registry() *registry {
	r := &registry{map[string]*ir.Device{}, map[string]*ir.Device{}}
	taken := map[string]bool{}
	put := func(name string, d *ir.Device) {
		if was, is := r.told[name]; is && was != d {
			taken[name] = true
		}
		r.told[name] = d
	}
	for _, d := range j.f.Devices {
		r.fabric[strings.ToLower(d.Name)] = d
		if s := j.of(d); s != nil && s.Name != "" {
			name := strings.ToLower(s.Name)
			put(name, d)
			if short := label(name); short != name {
				put(short, d)
			}
		}
	}
	for name := range taken {
		r.told[name] = nil
	}
	return r
}

// label returns a name without its domain.
func label(name string) string {
	short, _, _ := strings.Cut(name, ".")
	return short
}

// device returns the device with a name; nil: no device or several devices have it.
func (r *registry) device(name string) *ir.Device {
	name = strings.ToLower(name)
	for _, key := range []string{name, label(name)} {
		for _, of := range []map[string]*ir.Device{r.told, r.fabric} {
			if d, is := of[key]; is {
				return d
			}
		}
	}
	return nil
}

// knows reports whether a device reported a unique name, so that any other name belongs to another device.
func (r *registry) knows(s *target.Seen, d *ir.Device) bool {
	return s != nil && s.Name != "" && r.told[strings.ToLower(s.Name)] == d
}

// end is the other end of a cable, as reported by LLDP.
type end struct {
	verdict verdict
	port    *ir.Port // for wrong: the found port, if the fabric has it
	text    string   // for wrong and foreign: the name of the found port
}

type verdict int

const (
	unseen  verdict = iota // no neighbour, or a neighbour that does not report its name
	foreign                // a name that no device of the fabric has
	wrong                  // another port of the fabric's devices
	right
)

// look returns the other end of a port's cable as seen by LLDP. A switch of the provider or an agent in the firmware of a NIC may also
// send LLDP, in addition to the expected neighbour.
func (j *judge) look(r *registry, p *ir.Port) (best end) {
	sp := j.port(p)
	if sp == nil || !j.of(p.Device()).Read(target.PartNeighbours) {
		return end{}
	}
	peer := p.Peer()
	for _, n := range sp.Neighbours {
		d := r.device(n.Device)
		e := end{}
		switch {
		case j.isMAC(peer, n):
			e.verdict = right
		case n.Device == "":
		case d == nil && r.knows(j.of(peer.Device()), peer.Device()):
			e = end{verdict: foreign, text: strings.TrimSuffix(n.Device+":"+strings.Join(n.Ports[:min(1, len(n.Ports))], ""), ":")}
		case d == nil:
		default:
			e = j.standing(d, n, peer)
		}
		if e.verdict > best.verdict {
			best = e
		}
	}
	return best
}

// standing classifies a neighbour that is a device of the fabric. If it is the expected device and its port has a name that the fabric
// lacks, the cable counts as right.
func (j *judge) standing(d *ir.Device, n target.Neighbour, meant *ir.Port) end {
	is := func(p *ir.Port) bool { return slices.Contains(n.Ports, p.Name) }
	if !slices.ContainsFunc(d.Ports, is) {
		is = func(p *ir.Port) bool { return j.isMAC(p, n) }
	}
	if d == meant.Device() && is(meant) {
		return end{verdict: right}
	}
	for _, p := range d.Ports {
		if is(p) {
			return end{verdict: wrong, port: p, text: p.String()}
		}
	}
	if s := j.of(d); s != nil {
		for _, name := range n.Ports {
			if s.Ports[name] != nil || s.Spare[name] {
				return end{verdict: wrong, text: d.Name + ":" + name}
			}
		}
	}
	if d == meant.Device() {
		return end{verdict: right}
	}
	return end{verdict: wrong, text: strings.TrimSuffix(d.Name+":"+strings.Join(n.Ports[:min(1, len(n.Ports))], ""), ":")}
}

// isMAC reports whether a neighbour identifies its port only by a MAC address. The ports of a bond share their address.
func (j *judge) isMAC(p *ir.Port, n target.Neighbour) bool {
	s := j.of(p.Device())
	named := func(p *ir.Port) bool { return slices.Contains(n.Ports, p.Name) }
	return n.MAC != "" && s != nil && s.Ports[p.Name] != nil && s.Ports[p.Name].MAC == n.MAC && !slices.ContainsFunc(p.Device().Ports, named)
}

// crossed is a cable to another port than in the fabric.
type crossed struct {
	from *ir.Port
	end
}

// cables compares neighbours with the cabling. Swapped cables become one finding: links that share a wrong cable.
func (j *judge) cables() {
	r := j.registry()
	var lie []crossed
	alone := map[string][]string{} // devices with cables whose ends do not see each other, by reason
	for _, l := range j.f.Links {
		if l.Planned || j.of(l.A().Device()) == nil && j.of(l.B().Device()) == nil {
			continue
		}
		a, b := j.look(r, l.A()), j.look(r, l.B())
		sound := max(a.verdict, b.verdict) == right
		for _, c := range []crossed{{l.A(), a}, {l.B(), b}} {
			switch {
			case c.verdict == wrong:
				lie = append(lie, c)
			case c.verdict == foreign && !sound:
				peer := c.from.Peer()
				j.add(&topicCable, diag.Warning, c.from.At, []string{c.from.Device().Name}, fmt.Sprintf(
					"%s is on %s, which the fabric does not have; the fabric has %s there. Either the cable goes elsewhere, or another "+
						"device is in that place.",
					c.from, c.text, peer))
			}
		}
		if a.verdict == unseen && b.verdict == unseen {
			d, why := j.blind(l)
			alone[why] = append(alone[why], d.Name)
		}
	}
	j.swaps(lie)
	for _, why := range slices.Sorted(maps.Keys(alone)) {
		names := alone[why]
		slices.SortFunc(names, nodeset.Compare)
		j.out.Unread = append(j.out.Unread, Unread{"cables", slices.Compact(names), why})
	}
}

// blind returns the reason why neither end of a cable sees the other. It also returns the device to inspect: the lower device of those
// that were asked.
func (j *judge) blind(l *ir.Link) (*ir.Device, string) {
	low, high := l.A().Device(), l.B().Device()
	if high.Height() < low.Height() {
		low, high = high, low
	}
	if j.of(low) == nil {
		low = high
	}
	for _, d := range []*ir.Device{high, low} {
		if s := j.of(d); s != nil && !s.Read(target.PartNeighbours) {
			return low, target.Escape(s.Unread[target.PartNeighbours])
		}
	}
	if j.of(l.A().Device()) == nil || j.of(l.B().Device()) == nil {
		return low, "no neighbour is seen by LLDP, and the other end was not asked"
	}
	return low, "neither end sees the other by LLDP"
}

// swaps makes findings of cables that lead to other ports.
func (j *judge) swaps(lie []crossed) {
	root := make([]int, len(j.f.Links)) // union-find over links
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, c := range lie {
		if c.port != nil {
			a, b := find(c.from.Link().ID), find(c.port.Link().ID)
			root[max(a, b)] = min(a, b)
		}
	}
	groups := map[int][]crossed{}
	for _, c := range lie {
		id := find(c.from.Link().ID)
		groups[id] = append(groups[id], c)
	}
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		j.swap(groups[id])
	}
}

// mostCables is the largest number of cables that a finding lists.
const mostCables = 8

// swap makes one finding of cables that are swapped among each other. A cable that both ends see is reported from its lower end.
func (j *judge) swap(lie []crossed) {
	sort.SliceStable(lie, func(i, k int) bool {
		a, b := lie[i], lie[k]
		return cmp.Or(cmp.Compare(a.from.Device().Height(), b.from.Device().Height()), cmp.Compare(a.from.ID, b.from.ID)) < 0
	})
	told := map[[2]string]bool{}
	var texts, devices []string
	var places []*ir.Port
	for _, c := range lie {
		pair := [2]string{min(c.from.String(), c.text), max(c.from.String(), c.text)}
		devices = append(devices, c.from.Device().Name)
		if c.port != nil {
			devices = append(devices, c.port.Device().Name)
		}
		if told[pair] {
			continue
		}
		told[pair] = true
		places = append(places, c.from)
		texts = append(texts, fmt.Sprintf("%s is on %s, the fabric says %s", c.from, c.text, c.from.Peer()))
	}
	n := len(texts)
	what := "Move the cable, or correct the fabric."
	if n > 1 {
		what = fmt.Sprintf("These %d cables have changed places: swap them, or correct the fabric.", n)
	}
	if n > mostCables {
		texts = append(texts[:mostCables], fmt.Sprintf("and %d more", n-mostCables))
	}
	f := j.add(&topicCable, diag.Error, places[0].At, devices, strings.Join(texts, "; ")+". "+what)
	f.Refuses = true
	for _, p := range places[1:min(n, mostCables)] {
		if p.At != places[0].At {
			f.Note(p.At, "the cable of %s", p)
		}
	}
}
