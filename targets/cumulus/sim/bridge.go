package sim

import (
	"maps"
	"slices"

	"github.com/rocec/rocec/targets/target"
)

// Bridge is the bridge of a switch that knows VLANs, and its bonds: bridge -c -json vlan show, and what the kernel tells of bonds.
type Bridge struct {
	VLANs map[string][]int // those with a tag, by port or bond; beside them VLAN 1 has none
	Keyed bool             // the iproute2 of 3.x prints an object of ports, that of 4.x a list
	Bonds []string         // by LACP, with a partner
}

// Boot implements [target.Sim].
func (b *Bridge) Boot(m target.Machine) {
	m.Install("/usr/sbin/bridge", b.bridge)
	for _, name := range b.Bonds {
		home := "/sys/devices/virtual/net/" + name + "/bonding/"
		m.Plant(home+"mode", target.TextNode(func() string { return "802.3ad 4" }, nil))
		m.Plant(home+"ad_partner_mac", target.TextNode(func() string { return "52:54:00:00:01:01" }, nil))
	}
}

func (b *Bridge) bridge(p *target.Proc) int {
	if !slices.Equal(p.Args[1:], []string{"-c", "-json", "vlan", "show"}) {
		return p.Fail(255, "Usage: bridge [ OPTIONS ] OBJECT { COMMAND | help }")
	}
	keyed := object{}
	list := []object{}
	for _, name := range slices.Sorted(maps.Keys(b.VLANs)) {
		vlans := []object{{"vlan": 1, "flags": []string{"PVID", "Egress Untagged"}}}
		for _, v := range b.VLANs[name] {
			vlans = append(vlans, object{"vlan": v})
		}
		keyed[name] = vlans
		list = append(list, object{"ifname": name, "vlans": vlans})
	}
	if b.Keyed {
		return show(p, keyed)
	}
	return show(p, list)
}
