package tools

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// link is an interface as ip prints it.
type link struct {
	name, parent string // parent: of a VLAN
	bond         string // the bond that it is part of
	kind         string // empty: hardware, if details were printed
	detail       bool   // details were printed
	mtu          int
	vlan         *[8]int8 // the map of a VLAN
	mtuAt, mapAt diag.Range
	stored       bool
}

// ipTool reads ip of iproute2: the MTU of links and the maps of VLANs. It reads the output of "ip -d link", "ip -j -d link" and "ip -d
// addr", and the commands that set these values.
var ipTool = &Printout{
	Name: "ip",
	begins: func(line string) bool {
		words := strings.Fields(line)
		return len(words) > 3 && line[0] >= '0' && line[0] <= '9' && strings.HasSuffix(words[0], ":") && strings.HasSuffix(words[1], ":") &&
			strings.HasPrefix(words[2], "<")
	},
	Options: []Statement{mtuRow, {Key: "egress-qos-map", Means: ir.FieldVLANMap}, {Key: "link", Aside: nic.NoPort}, virtualRow},
	other:   ipLine,
	command: ipCommand,
	json:    ipJSON,
}

// The statements about an interface.
var (
	mtuRow     = Statement{Key: "mtu", Means: ir.FieldMTU}
	virtualRow = Statement{Key: "virtual", Aside: "a virtual interface"}
)

// ipLine reads a line of "ip -d link".
func ipLine(p *Printout, r *reader, line string) bool {
	words := strings.Fields(line)
	if len(words) > 3 && strings.HasSuffix(words[0], ":") && strings.HasSuffix(words[1], ":") && strings.HasPrefix(words[2], "<") {
		r.closeLink()
		l := &link{mtu: -1, stored: r.stored}
		l.name, l.parent, _ = strings.Cut(strings.TrimSuffix(words[1], ":"), "@")
		if !isName(l.name) {
			return false
		}
		for i := 3; i+1 < len(words); i++ {
			switch words[i] {
			case "mtu":
				if mtu, ok := number(words[i+1], 1<<17); ok {
					l.mtu, l.mtuAt = mtu, r.at()
				}
			case "master":
				l.bond = words[i+1]
			}
		}
		r.link = l
		return true // it is counted later, when its kind is known
	}
	l := r.link
	if l == nil || line[0] != ' ' && line[0] != '\t' || len(words) == 0 {
		return false
	}
	switch {
	case strings.HasPrefix(words[0], "link/"):
		if words[0] == "link/loopback" {
			l.kind = "loopback"
		}
		l.detail = l.detail || slices.Contains(words, "promiscuity")
	case slices.Contains(kinds, words[0]):
		l.kind = words[0]
	}
	if i := slices.Index(words, "egress-qos-map"); i >= 0 {
		var pairs []string
		for _, w := range words[i+1:] {
			if strings.Contains(w, ":") {
				pairs = append(pairs, w)
			} else if w == "}" {
				break
			}
		}
		m, ok := nic.ReadVLANMap(pairs)
		l.vlan, l.mapAt = &m, r.at()
		r.count(p.option("egress-qos-map"), say(ok))
		return true
	}
	r.count(p.option("link"), "")
	return true
}

// kinds lists the kinds of interfaces on hosts with NICs, as the first word in a line of details.
var kinds = []string{
	"vlan", "bond", "bridge", "veth", "vxlan", "tun", "dummy", "ifb", "macvlan", "macvtap", "ipvlan", "team", "vrf", "gre", "gretap", "sit",
	"ipip",
	"geneve", "wireguard", "ipoib", "nlmon", "vcan",
}

// closeLink stores the interface of the lines above.
func (r *reader) closeLink() {
	l := r.link
	if r.link = nil; l == nil || l.name == "" {
		return
	}
	if l.detail && l.kind == "vlan" && l.vlan == nil {
		l.vlan = new([8]int8) // Linux gives PCP 0 where the map has nothing (net/8021q: vlan_dev_get_egress_qos_mask)
	}
	row := &mtuRow
	if l.kind != "" {
		row = &virtualRow
	}
	r.count(row, say(l.mtu >= 0))
	r.h.hasLink(l)
}

// hasLink stores an interface. If a name occurs twice, the later values count.
func (h *host) hasLink(l *link) {
	if h.links == nil {
		h.links = map[string]*link{}
	}
	if old := h.links[l.name]; old != nil {
		if l.mtu < 0 {
			l.mtu, l.mtuAt, l.stored = old.mtu, old.mtuAt, old.stored
		}
		if l.parent == "" {
			l.parent = old.parent
		}
		if l.kind == "" {
			l.kind = old.kind
		}
		if l.bond == "" {
			l.bond = old.bond
		}
		if l.vlan == nil {
			l.vlan, l.mapAt = old.vlan, old.mapAt
		}
		l.detail = l.detail || old.detail
	}
	h.links[l.name] = l
}

// ipJSON reads an object of "ip -j -d link".
func ipJSON(p *Printout, r *reader, object map[string]any) bool {
	name, _ := object["ifname"].(string)
	mtu, isMTU := object["mtu"].(json.Number)
	if !isName(name) || !isMTU {
		return r.tool == p && len(object) == 0
	}
	r.closeLink()
	l := &link{name: name, mtu: -1, stored: r.stored, mtuAt: r.at()}
	if n, ok := number(mtu.String(), 1<<17); ok {
		l.mtu = n
	}
	l.parent, _ = object["link"].(string)
	l.bond, _ = object["master"].(string)
	_, l.detail = object["promiscuity"]
	info, _ := object["linkinfo"].(map[string]any)
	l.kind, _ = info["info_kind"].(string)
	if kind, _ := object["link_type"].(string); kind == "loopback" {
		l.kind = kind
	}
	data, _ := info["info_data"].(map[string]any)
	if list, is := data["egress_qos"].([]any); is {
		var pairs []string
		for _, item := range list {
			pair, _ := item.(map[string]any)
			pairs = append(pairs, spell(pair["from"])+":"+spell(pair["to"]))
		}
		m, ok := nic.ReadVLANMap(pairs)
		l.vlan, l.mapAt = &m, r.at()
		r.count(p.option("egress-qos-map"), say(ok))
	}
	r.link = l
	r.closeLink()
	return true
}

// ipCommand reads "ip link set" and "ip link add".
func ipCommand(p *Printout, r *reader, args []string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	if len(args) < 3 || !strings.HasPrefix("link", args[0]) || args[1] != "set" && args[1] != "add" {
		r.count(&Statement{Aside: asks}, "")
		return
	}
	l := &link{mtu: -1, stored: r.stored, mtuAt: r.at(), mapAt: r.at()}
	words := args[2:]
	if words[0] != "dev" && words[0] != "link" && words[0] != "name" && words[0] != "group" {
		l.name = words[0]
		words = words[1:]
	}
	sets := false
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch words[i] {
		case "dev", "name":
			if l.name == "" || args[1] == "add" {
				l.name = next
			}
			i++
		case "link":
			l.parent = next
			i++
		case "master":
			l.bond = next
			i++
		case "type":
			l.kind = next
			i++
		case "mtu":
			mtu, ok := number(next, 1<<17)
			if i++; ok {
				l.mtu = mtu
			}
			sets = true
			r.count(p.option("mtu"), say(ok))
		case "egress-qos-map":
			n := i + 1
			for n < len(words) && strings.Contains(words[n], ":") {
				n++
			}
			m, ok := nic.ReadVLANMap(words[i+1 : n])
			if l.vlan = &m; !ok {
				l.vlan = nil
			}
			sets = true
			r.count(p.option("egress-qos-map"), say(ok))
			i = n - 1
		}
	}
	if !sets {
		r.count(p.option("link"), "")
	}
	if r.uncertain {
		r.h.doubtLink(l.name)
		return
	}
	if isName(l.name) {
		r.h.hasLink(l)
	}
}

// doubtLink forgets the values of an interface that a doubtful command may have changed; If the command names a variable, doubtLink
// forgets the values of all interfaces.
func (h *host) doubtLink(name string) {
	for _, l := range h.links {
		if l.name == name || strings.Contains(name, "$") {
			l.mtu, l.vlan = -1, nil
		}
	}
}

// vconfig reads the tool that sets the map of a VLAN on older systems: "vconfig set_egress_map eth0.100 4 3".
var vconfig = &Printout{
	Name:    "vconfig",
	Options: []Statement{{Key: "set_egress_map", Means: ir.FieldVLANMap}, {Key: "other", Aside: nic.NoPort}},
	command: func(p *Printout, r *reader, args []string) {
		if len(args) != 4 || args[0] != "set_egress_map" {
			r.count(p.option("other"), "")
			return
		}
		if r.uncertain {
			r.h.doubtLink(args[1])
			return
		}
		sk, ok := number(args[2], 7)
		pcp, is := number(args[3], 7)
		r.count(p.option("set_egress_map"), say(ok && is))
		if ok && is {
			m := [8]int8{}
			if old := r.h.links[args[1]]; old != nil && old.vlan != nil {
				m = *old.vlan
			}
			m[sk] = int8(pcp)
			r.h.hasLink(&link{name: args[1], mtu: -1, kind: "vlan", vlan: &m, mapAt: r.at(), stored: r.stored})
		}
	},
}

// join copies the values of interfaces to NICs. An interface is a NIC if its details name no other kind, if the identity of the host lists
// it, or if another output is about it.
func (h *host) join() {
	r := &reader{h: h}
	note := func(n *card, f ir.Field, at diag.Range, stored bool) {
		r.stored, r.path, r.line = stored, at.Filename, at.Start.Line
		r.text = strings.Repeat(" ", max(at.End.Column-1, 0))
		n.note(r, f, -1)
	}
	names := make([]string, 0, len(h.links))
	for name := range h.links {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		l := h.links[name]
		hardware := l.kind == "" && (l.detail || l.stored && l.mtu >= 0)
		if hardware || slices.Contains(h.id.Ports, name) && l.kind != "vlan" || h.nics[name] != nil {
			if n := h.card(name); l.mtu >= 0 && n.mtu < 0 {
				n.mtu = l.mtu
				note(n, ir.FieldMTU, l.mtuAt, l.stored)
			}
		}
	}
	for _, name := range names {
		l := h.links[name]
		if l.vlan == nil {
			continue
		}
		parent := l.parent
		if parent == "" {
			parent, _, _ = strings.Cut(name, ".") // vconfig's names
		}
		for _, n := range h.members(parent) {
			n.vlans = append(n.vlans, *l.vlan)
			if n.mapped = n.mapped || l.mapAt.Start.Line > 0; l.mapAt.Start.Line == 0 {
				continue
			}
			note(n, ir.FieldVLANMap, l.mapAt, l.stored)
		}
	}
	for name, n := range h.nics { // the NICs of a bond send with the marks of the bond's device
		l := h.links[name]
		if l == nil || l.kind != "bond" {
			continue
		}
		for _, part := range h.members(name) {
			if part != n && part.tos < 0 && part.force < 0 && part.rules == nil {
				part.tos, part.force, part.rules = n.tos, n.force, n.rules
			}
		}
		if parts := h.members(name); len(parts) > 0 && parts[0] != n {
			delete(h.nics, name) // a bond is not a port
		}
	}
}

// members returns the NICs of an interface: those of a bond, or the interface itself.
func (h *host) members(name string) (out []*card) {
	for _, l := range h.links {
		if l.bond == name && h.nics[l.name] != nil {
			out = append(out, h.nics[l.name])
		}
	}
	if out == nil && isName(name) && (h.nics[name] != nil || h.links[name] == nil || h.links[name].kind != "bond") {
		out = []*card{h.card(name)}
	}
	return out
}
