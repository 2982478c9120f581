package target

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// mostBonds limits the bonds that are read from an answer.
const mostBonds = 512

// ReadBonds reads lines "NAME MODE PARTNER PORT...".
func (l Lines) ReadBonds(s *Seen) {
	if !l.Ended("bond") {
		s.NotRead(PartBonds, "the answer breaks off")
		return
	}
	s.Bonds = map[string]*SeenBond{}
	for _, line := range l["bond"] {
		f := strings.Fields(line)
		if len(f) < 3 || len(s.Bonds) == mostBonds {
			continue
		}
		b := &SeenBond{Mode: f[1], Ports: f[3:], Partner: f[1] != "802.3ad" || f[2] != "00:00:00:00:00:00"}
		s.Bonds[f[0]] = b
		for _, name := range b.Ports {
			if p := s.Ports[name]; p != nil {
				p.Bond = f[0]
			}
		}
	}
}

// bridgeVLAN is an entry of `bridge -c -json vlan show`: a VLAN, or a range of them.
type bridgeVLAN struct {
	VLAN  int      `json:"vlan"`
	End   int      `json:"vlanEnd"`
	Flags []string `json:"flags"`
}

// mostVLANs is the largest number of entries of a port: a bridge has one for each VLAN of 802.1Q.
const mostVLANs = 4094

// vlanTags contains the VLANs of a port, and whether frames of each leave with a tag.
type vlanTags map[int]bool

// tagsOf reads the entries of one port, at most [mostVLANs]. Entries may overlap: an entry with a tag takes precedence.
func tagsOf(entries []bridgeVLAN) vlanTags {
	out := vlanTags{}
	for _, v := range entries {
		tag := !slices.Contains(v.Flags, "Egress Untagged")
		for n := max(v.VLAN, 1); n <= min(max(v.VLAN, v.End), mostVLANs); n++ {
			out[n] = out[n] || tag
		}
	}
	return out
}

// bridgeVLANs reads the VLANs of ports by their names: a list of objects of one port each, or, in the iproute2 of 3.x, an object of ports.
// why is the reason, in a few words, why the text cannot be read; empty: it was read.
func bridgeVLANs(text string) (of map[string]vlanTags, why string) {
	if strings.TrimSpace(text) == "" {
		return nil, "" // no bridge
	}
	var list []struct {
		Name  string       `json:"ifname"`
		VLANs []bridgeVLAN `json:"vlans"`
	}
	entries := map[string][]bridgeVLAN{}
	if json.Unmarshal([]byte(text), &list) == nil {
		for _, p := range list {
			entries[p.Name] = append(entries[p.Name], p.VLANs...)
		}
	} else if json.Unmarshal([]byte(text), &entries) != nil {
		return nil, "what bridge prints is not known on this release"
	}
	of = make(map[string]vlanTags, len(entries))
	delete(entries, "") // a port without a bond has this name of a bond
	for name, list := range entries {
		if len(list) > mostVLANs { // limit the work for the answer of a broken device
			return nil, "bridge prints more than 4094 VLANs of one port"
		}
		of[name] = tagsOf(list)
	}
	return of, ""
}

// ReadVLANs sets the VLANs of the fabric at each port. A port has a VLAN by a VLAN-aware bridge with the port or its bond, or by a
// subinterface such as swp1.100 of another bridge or of a router.
func (l Lines) ReadVLANs(s *Seen, intents []*ir.Intent) {
	text, why := l.Part("vlan", "bridge")
	of, strange := bridgeVLANs(text)
	switch {
	case why != "" && !NotInstalled(why):
		s.NotRead(PartVLANs, why+": the bridge of this release may not print JSON")
		return
	case why != "":
		s.NotRead(PartVLANs, why)
		return
	case strange != "":
		s.NotRead(PartVLANs, strange)
		return
	case !s.Read(PartBonds) || !s.Read(PartPorts):
		s.NotRead(PartVLANs, "the answer breaks off")
		return
	}
	sub := map[string]bool{}
	for _, name := range l["sub"] {
		sub[name] = true
	}
	for name, p := range s.Ports {
		p.VLANs = map[int]bool{}
		for _, in := range intents {
			if in.VLAN == 0 {
				continue
			}
			for _, tags := range []vlanTags{of[name], of[p.Bond]} {
				if tag, passes := tags[in.VLAN]; passes {
					p.VLANs[in.VLAN] = p.VLANs[in.VLAN] || tag
				}
			}
			if tail := "." + strconv.Itoa(in.VLAN); sub[name+tail] || p.Bond != "" && sub[p.Bond+tail] {
				p.VLANs[in.VLAN] = true
			}
		}
	}
}

// Bridge is a VLAN-aware bridge of a switch, and its bonds: the output of bridge -c -json vlan show and the kernel's files about bonds.
type Bridge struct {
	VLANs map[string][]int // VLANs with a tag, by port or bond; VLAN 1 also passes, untagged
	Keyed bool             // the iproute2 of 3.x prints an object of ports, the one of 4.x a list
	Bonds []string         // by LACP, with a partner
}

// Boot implements [Sim].
func (b *Bridge) Boot(m Machine) {
	m.Install("/usr/sbin/bridge", b.bridge)
	for _, name := range b.Bonds {
		home := "/sys/devices/virtual/net/" + name + "/bonding/"
		m.Plant(home+"mode", TextNode(func() string { return "802.3ad 4" }, nil))
		m.Plant(home+"ad_partner_mac", TextNode(func() string { return "52:54:00:00:01:01" }, nil))
	}
}

func (b *Bridge) bridge(p *Proc) int {
	if !slices.Equal(p.Args[1:], []string{"-c", "-json", "vlan", "show"}) {
		return p.Fail(255, "Usage: bridge [ OPTIONS ] OBJECT { COMMAND | help }")
	}
	type object = map[string]any
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
		return p.PrintJSON(keyed)
	}
	return p.PrintJSON(list)
}
