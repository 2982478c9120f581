package target

import (
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// Limits for an answer of lldpctl, because a device may print anything.
const (
	mostAnswer     = 4 << 20 // bytes
	mostNeighbours = 4096    // entries
	mostPerPort    = 16
	mostName       = 255 // bytes; the largest size of an LLDP TLV
)

// Neighbours reads `lldpctl -f json` or json0: the neighbours of each port, by the name of the port. ok is false if rocec does not know the
// form of the answer. A neighbour that states neither its name nor its port is an empty Neighbour.
//
// {"lldp": {"interface": X}}, where X is a list of objects of one port each, an object of ports with one neighbour each, or missing. The
// chassis is an object by its name or, without a name, an object of its properties. In json0 every value is a list, and names are members:
// {"lldp": [{"interface": [{"name": "swp1", "chassis": [{"name": [{"value": "leaf1"}]}], ...}]}]}.
func Neighbours(answer []byte) (of map[string][]Neighbour, ok bool) {
	var doc map[string]any
	if len(answer) > mostAnswer || json.Unmarshal(answer, &doc) != nil {
		return nil, false
	}
	top, is := doc["lldp"]
	if !is {
		return nil, false
	}
	of = map[string][]Neighbour{}
	total := 0
	add := func(port string, entry map[string]any) {
		if port != "" && len(port) <= mostName && total < mostNeighbours && len(of[port]) < mostPerPort {
			total++
			of[port] = append(of[port], neighbour(entry))
		}
	}
	for _, l := range list(top) {
		lldp, is := l.(map[string]any)
		if !is {
			return nil, false
		}
		for _, entry := range list(lldp["interface"]) {
			ports, is := entry.(map[string]any)
			if !is {
				return nil, false
			}
			if name, is := ports["name"].(string); is {
				add(name, ports)
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(ports)) {
				for _, one := range list(ports[name]) { // a list if a port has several
					if o, is := one.(map[string]any); is {
						add(name, o)
					}
				}
			}
		}
	}
	return of, true
}

// list returns the elements of a list; any other value becomes a list of one, and nil an empty list.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// texts returns the strings of a value: a string, an object with a string as its value, or a list of these.
func texts(v any) (out []string) {
	for _, one := range list(v) {
		if o, is := one.(map[string]any); is {
			one = o["value"]
		}
		if s, is := one.(string); is && s != "" && len(s) <= mostName {
			out = append(out, s)
		}
	}
	return out
}

// neighbour reads the entry of a port.
func neighbour(entry map[string]any) (n Neighbour) {
	for _, c := range list(entry["chassis"]) {
		chassis, _ := c.(map[string]any)
		if names := texts(chassis["name"]); len(names) > 0 {
			n.Device = names[0]
			n.Address, n.System = about(chassis)
			continue
		}
		for name, of := range chassis {
			if len(chassis) == 1 && name != "id" && name != "name" && len(name) <= mostName {
				n.Device = name
				if stated, is := of.(map[string]any); is {
					n.Address, n.System = about(stated)
				}
			}
		}
	}
	for _, p := range list(entry["port"]) {
		port, _ := p.(map[string]any)
		for _, id := range list(port["id"]) {
			o, _ := id.(map[string]any)
			for _, text := range texts(id) {
				if kind, _ := o["type"].(string); kind == "mac" {
					n.MAC = mac(text)
				} else {
					n.Ports = append(n.Ports, text)
				}
			}
		}
		n.Ports = append(n.Ports, texts(port["descr"])...)
	}
	var ports []string // the identifier before the description
	for _, port := range n.Ports {
		if !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	n.Ports = ports
	return n
}

// about returns the first management address that a chassis states, preferably of IPv4, and its description of its system.
func about(chassis map[string]any) (address, system string) {
	for _, text := range texts(chassis["mgmt-ip"]) {
		if a, err := netip.ParseAddr(text); err == nil && (address == "" || a.Is4() && strings.Contains(address, ":")) {
			address = text
		}
	}
	if all := texts(chassis["descr"]); len(all) > 0 {
		system = all[0]
	}
	return address, system
}

// LLDPAgent is a simulated lldpd, for [Image.Sims]: it reports the neighbours of ports that have a link.
type LLDPAgent struct {
	Ports []LLDPPort
	m     Machine
}

// LLDPPort is a port, and the port at the other end of its cable.
type LLDPPort struct{ Port, Peer, PeerPort string }

// Boot implements [Sim].
func (a *LLDPAgent) Boot(m Machine) {
	a.m = m
	m.Install("/usr/sbin/lldpctl", a.lldpctl)
}

// lldpctl implements lldpctl -f json: a list of ports, or an object if there is one neighbour.
func (a *LLDPAgent) lldpctl(p *Proc) int {
	switch {
	case !slices.Equal(p.Args[1:], []string{"-f", "json"}):
		return p.Fail(1, "Usage:   lldpctl [OPTIONS ...] [COMMAND ...]")
	case !p.Root:
		return p.Fail(1, "[CRIT/lldpctl] unable to connect to socket /var/run/lldpd.socket: Permission denied")
	}
	type object = map[string]any
	var ports []object
	a.m.Do(func() {
		for _, at := range a.Ports {
			dev, ok := a.m.Netdev(at.Port)
			if !ok || dev.Down {
				continue
			}
			ports = append(ports, object{at.Port: object{
				"via": "LLDP", "rid": "1", "age": "0 day, 00:10:00",
				"chassis": object{at.Peer: object{"capability": []object{{"type": "Router", "enabled": true}}}},
				"port":    object{"id": object{"type": "ifname", "value": at.PeerPort}, "ttl": "120"},
			}})
		}
	})
	lldp := object{}
	switch len(ports) {
	case 0:
	case 1:
		lldp["interface"] = ports[0]
	default:
		lldp["interface"] = ports
	}
	return p.PrintJSON(object{"lldp": lldp})
}
