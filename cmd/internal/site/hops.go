package site

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/forwarding"
)

// way contains the interfaces by which a route leaves a switch.
type way struct {
	ports  []*ir.Port // with cables
	bridge bool       // a VLAN interface or a bridge; no route shows the ports behind it
	why    string     // another interface whose port no file shows, as the end of a sentence; empty: none
}

// hopSwitch is a switch with its table.
type hopSwitch struct {
	device  *ir.Device
	read    *targets.Surveyed
	ports   map[string]*ir.Port // ports with a cable, by name
	routes  map[netip.Prefix]*forwarding.Route
	lengths [2][]int // lengths of the prefixes, by family, longest first
	bridged []netip.Prefix
	entries []netip.Prefix // routes to hosts, in the order in which hosts need them
	way     map[netip.Prefix]*way
	members map[string][]string // ports of bonds; nil: not searched yet
}

// best returns the route of a switch to an address; nil: the switch has no route.
func (w *hopSwitch) best(a netip.Addr) *forwarding.Route {
	for _, bits := range w.lengths[forwarding.FamilyOf(a)] {
		if r := w.routes[netip.PrefixFrom(a, bits).Masked()]; r != nil {
			return r
		}
	}
	return nil
}

// wayOf returns how a route leaves a switch.
func (w *hopSwitch) wayOf(r *forwarding.Route) *way {
	if is := w.way[r.To]; is != nil {
		return is
	}
	is := &way{why: r.Odd}
	for _, out := range r.Out {
		is.leave(w, out, 0)
	}
	w.way[r.To] = is
	return is
}

// isLocal reports whether an interface belongs to the switch itself, so that traffic to it ends there.
func isLocal(name string) bool { return name == "lo" || numbered(name, "loopback", "null", "dummy") }

// isManagement reports whether an interface belongs to the management network, which has no lossless traffic.
func isManagement(name string) bool { return numbered(name, "eth", "mgmt", "usb") }

// isBridge reports whether an interface is a VLAN interface or a bridge.
func isBridge(name string) bool {
	return numbered(name, "vlan", "br", "bridge", "br_default", "br-")
}

// numbered reports whether a name is one of some words, with or without a number after it. An interface with a virtual MAC is named after
// the interface below it: vlan10-v0.
func numbered(name string, words ...string) bool {
	name, _, _ = strings.Cut(name, "-v")
	rest := strings.TrimRight(strings.ToLower(name), "0123456789")
	return slices.Contains(words, rest)
}

// mostUnder is the maximum depth of nested interfaces: a VLAN, a bond, a port.
const mostUnder = 4

// leave adds an interface to the way of a route.
func (is *way) leave(w *hopSwitch, name string, deep int) {
	p := w.ports[name]
	if p == nil {
		p = w.ports[topology.FoldPort(name)]
	}
	known := w.read.Interfaces[name]
	if known == nil {
		known = &forwarding.Interface{}
	}
	parent, _, vlan := strings.Cut(name, ".")
	switch members := w.membersOf(name); {
	case p != nil:
		if !slices.Contains(is.ports, p) {
			is.ports = append(is.ports, p)
		}
	case deep > mostUnder:
		is.why = name + ", and no file shows the port behind it"
	case len(members) > 0:
		for _, member := range members {
			is.leave(w, member, deep+1)
		}
	case isLocal(name), isManagement(name):
	case known.Kind == "bridge", isBridge(name), known.Kind == "vlan" && w.read.Interfaces[known.Under] != nil &&
		w.read.Interfaces[known.Under].Kind == "bridge":
		is.bridge = true
	case known.Kind == "vlan" && known.Under != "":
		is.leave(w, known.Under, deep+1)
	case vlan:
		is.leave(w, parent, deep+1)
	default:
		is.why = name + ", and no file shows a cable there"
	}
}

// membersOf returns the ports of a bond.
func (w *hopSwitch) membersOf(bond string) []string {
	if w.members == nil {
		w.members = map[string][]string{}
		for _, name := range slices.Sorted(maps.Keys(w.read.Interfaces)) {
			if of := w.read.Interfaces[name].Bond; of != "" {
				w.members[of] = append(w.members[of], name)
			}
		}
	}
	return w.members[bond]
}
