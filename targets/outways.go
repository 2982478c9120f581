package targets

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets/forwarding"
)

// outWay is how traffic leaves a device through interfaces.
type outWay struct {
	ports []string // names of ports of the fabric, else of interfaces
	odd   string   // why they do not show the path of traffic, as part of a sentence; empty: they do
}

// outWays finds the ports behind interfaces: of a bond its members, of a VLAN interface its port. Equal ways share their lists, because a
// table has many routes and few ways.
type outWays struct {
	d          *ir.Device
	interfaces forwarding.Interfaces
	ports      map[string]string // names of the fabric by names of the device
	members    map[string][]string
	of         map[string]*outWay
	sets       map[string][]string
	lists      map[list]*outWay
}

// list is a list of names that routes share, by its place in memory.
type list struct {
	first *string
	n     int
}

// mostBelow is the largest number of interfaces between a route and a port: a VLAN, a bond.
const mostBelow = 4

// shared returns the way through the interfaces of a route. Thousands of routes share a list: its names are compared once.
func (w *outWays) shared(names []string) *outWay {
	if len(names) == 0 {
		return w.all(nil)
	}
	key := list{&names[0], len(names)}
	is := w.lists[key]
	if is == nil {
		is = w.all(names)
		w.lists[key] = is
	}
	return is
}

// all returns the way through several interfaces.
func (w *outWays) all(names []string) *outWay {
	key := strings.Join(names, "\x00")
	if is := w.of[key]; is != nil {
		return is
	}
	is := &outWay{}
	for _, name := range names {
		w.leave(is, name, 0)
	}
	slices.Sort(is.ports)
	is.ports = slices.Compact(is.ports)
	set := strings.Join(is.ports, "\x00")
	if w.sets[set] == nil {
		w.sets[set] = is.ports
	}
	is.ports = w.sets[set]
	w.of[key] = is
	return is
}

// elsewhere returns why the default VRF, which alone is asked, does not show the traffic of the ports, as part of a sentence; empty: no
// port is in another VRF.
func (w *outWays) elsewhere() string {
	for _, name := range slices.Sorted(maps.Keys(w.interfaces)) {
		vrf := w.interfaces[name].VRF
		if vrf == "" {
			continue
		}
		ports := w.all([]string{name}).ports
		if slices.ContainsFunc(w.d.Ports, func(p *ir.Port) bool { return slices.Contains(ports, p.Name) }) {
			return "its interface " + forwarding.Plain(name) + " belongs to the VRF " + forwarding.Plain(vrf) +
				", and rocec reads the default VRF alone"
		}
	}
	return ""
}

// leave adds an interface to a way.
func (w *outWays) leave(is *outWay, name string, deep int) {
	w.once()
	known := w.interfaces[name]
	if known == nil {
		known = &forwarding.Interface{}
	}
	under := w.interfaces[known.Under]
	parent, _, dotted := strings.Cut(name, ".")
	port, isPort := w.ports[name]
	if !isPort {
		port, isPort = w.ports[topology.FoldPort(name)]
	}
	members := w.members[name]
	switch {
	case isPort:
		is.ports = append(is.ports, port)
	case deep == mostBelow:
		is.odd = "a next hop through interfaces in each other"
	case len(members) > 0 && known.Kind != "bridge":
		for _, member := range members {
			w.leave(is, member, deep+1)
		}
	case known.Kind == "bridge", known.Kind == "vlan" && under != nil && under.Kind == "bridge":
		is.ports, is.odd = append(is.ports, forwarding.Plain(name)), "a next hop through the bridge"
	case known.Kind == "vlan" && known.Under != "":
		w.leave(is, known.Under, deep+1)
	case dotted:
		w.leave(is, parent, deep+1)
	default:
		is.ports = append(is.ports, forwarding.Plain(name))
	}
}

// once makes the lists of ports and of the members of bonds.
func (w *outWays) once() {
	if w.ports != nil {
		return
	}
	w.ports, w.members = map[string]string{}, map[string][]string{}
	for _, p := range w.d.Ports {
		w.ports[p.Name] = p.Name
		if folded := topology.FoldPort(p.Name); w.ports[folded] == "" {
			w.ports[folded] = p.Name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.interfaces)) {
		if bond := w.interfaces[name].Bond; bond != "" {
			w.members[bond] = append(w.members[bond], name)
		}
	}
}
