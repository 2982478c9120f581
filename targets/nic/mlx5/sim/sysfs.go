package sim

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// plant writes the files of an mlx5 RDMA device in sysfs, debugfs and configfs.
func (s *NICs) plant(c *nic) {
	number := func(path string, v *int, top int) {
		s.m.Plant(path, target.NumberNode(func() int { return *v }, upTo(v, top)))
	}
	if c.Generation == nil {
		cc := "/sys/kernel/debug/mlx5/" + c.PCI + "/cc_params"
		number(cc+"/np_cnp_dscp", &c.CNPDSCP, 63)
		// cong.c: a write of the number sets the mode to 0. A write of the mode also sets the number to 0, as both have the same bit in the
		// mask.
		s.m.Plant(cc+"/np_cnp_prio", target.NumberNode(func() int { return c.CNPPrio }, cnpPrio(&c.CNPPrio, &c.CNPMode)))
		s.m.Plant(cc+"/np_cnp_prio_mode", target.NumberNode(func() int { return c.CNPMode }, func(v int) error {
			c.CNPPrio = 0
			return upTo(&c.CNPMode, 1)(v)
		}))
		number(cc+"/np_min_time_between_cnps", &c.CNPEvery, 4095)
	}
	fixed := func(path, value string) { s.m.Plant(path, target.TextNode(func() string { return value }, nil)) }
	fixed(target.PCIRoot+"/"+c.PCI+"/vendor", c.ID[0])
	fixed(target.PCIRoot+"/"+c.PCI+"/device", c.ID[1])
	s.m.Plant("/sys/kernel/config/rdma_cm", target.Node{Mkdir: s.cma})
	if s.owner(c.RDMA) != c {
		return // the device of a RoCE LAG belongs to its first port
	}

	ib := target.PCIRoot + "/" + c.PCI + "/infiniband/" + c.RDMA
	s.m.Link("/sys/class/infiniband/"+c.RDMA, "../../devices"+strings.TrimPrefix(ib, "/sys/devices"))
	fixed(ib+"/node_type", "1: CA")
	fixed(ib+"/fw_ver", c.Firmware)
	fixed(ib+"/hca_type", map[bool]string{true: "MT4119", false: "MT4099"}[c.Generation == nil])
	fixed(ib+"/board_id", "MT_0000000010")
	port := ib + "/ports/1"
	link := func(up, down string) target.Node {
		return target.TextNode(func() string {
			if c.now().Down {
				return down
			}
			return up
		}, nil)
	}
	s.m.Plant(port+"/state", link("4: ACTIVE", "1: DOWN"))
	s.m.Plant(port+"/phys_state", link("5: LinkUp", "3: Disabled"))
	fixed(port+"/link_layer", "Ethernet")
	fixed(port+"/rate", fmt.Sprintf("%d Gb/sec", c.SpeedMbps/1000))
	for folder, names := range map[string][]string{
		"hw_counters": {
			"np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rp_cnp_ignored", "out_of_sequence", "packet_seq_err",
			"implied_nak_seq_err", "duplicate_request", "local_ack_timeout_err", "rnr_nak_retry_err", "out_of_buffer", "roce_adp_retrans",
			"roce_adp_retrans_to", "roce_slow_restart", "roce_slow_restart_cnps", "roce_slow_restart_trans", "rx_icrc_encapsulated",
		},
		"counters": {
			"port_xmit_packets", "port_rcv_packets", "port_xmit_discards", "port_rcv_errors", "port_xmit_wait", "link_downed", "symbol_error",
		},
	} {
		for _, name := range names {
			s.m.Plant(port+"/"+folder+"/"+name, target.NumberNode(func() int { return c.counter(name) }, nil))
		}
	}
	c.plantGIDs(port)
}

// gid is a slot of the GID table.
type gid struct {
	addr   netip.Addr
	netdev string
}

// gids returns the filled pairs of slots: the link-local address, the address of the interface or its bond, and the addresses of the
// present VLAN interfaces.
func (c *nic) gids() []gid {
	base := cmp.Or(c.Master, c.Name)
	out := []gid{{netip.MustParseAddr(fmt.Sprintf("fe80::5054:ff:fe00:%x", c.now().Index)), base}}
	if c.IP.IsValid() {
		out = append(out, gid{c.IP, base})
	}
	for _, name := range slices.Sorted(maps.Keys(c.VLANs)) {
		if _, ok := c.m.Netdev(name); ok {
			out = append(out, gid{c.VLANs[name], name})
		}
	}
	return out
}

// plantGIDs writes the GID table: each address in both versions, and empty slots, whose attributes cannot be read.
func (c *nic) plantGIDs(port string) {
	for i := range 6 + 2*len(c.VLANs) {
		nth := strconv.Itoa(i)
		slot := func() gid {
			if all := c.gids(); i/2 < len(all) && c.RoCE {
				return all[i/2]
			}
			return gid{netip.IPv6Unspecified(), ""}
		}
		c.m.Plant(port+"/gids/"+nth, target.TextNode(func() string { return spell(slot().addr) }, nil))
		attr := func(name string, value func(gid) string) {
			c.m.Plant(port+"/gid_attrs/"+name+"/"+nth, target.Node{Read: func() (string, error) {
				g := slot()
				if g.netdev == "" {
					return "", target.EINVAL
				}
				return value(g) + "\n", nil
			}})
		}
		attr("types", func(gid) string { return []string{v1, c.upTo()}[i%2] })
		attr("ndevs", func(g gid) string { return g.netdev })
	}
}

// spell returns a GID as eight groups of four digits.
func spell(gid netip.Addr) string {
	b := gid.As16()
	var groups []string
	for i := 0; i < 16; i += 2 {
		groups = append(groups, fmt.Sprintf("%02x%02x", b[i], b[i+1]))
	}
	return strings.Join(groups, ":")
}

// upTo returns the writer of a number from 0 to top.
func upTo(to *int, top int) func(int) error {
	return func(v int) error {
		if v < 0 || v > top {
			return target.EINVAL
		}
		*to = v
		return nil
	}
}

// cnpPrio returns the writer of the priority of CNPs. The command of both drivers also sets the mode to 0, under the same bit of the mask.
func cnpPrio(prio, mode *int) func(int) error {
	return func(v int) error {
		if v < 0 || v > 7 {
			return target.EINVAL
		}
		*prio, *mode = v, 0
		return nil
	}
}

// bit returns a file with 0 or 1.
func bit(v *bool) target.Node {
	return target.NumberNode(func() int { return map[bool]int{true: 1}[*v] }, func(n int) error {
		if n != 0 && n != 1 {
			return target.EINVAL
		}
		*v = n == 1
		return nil
	})
}

// cma simulates the configfs of rdma_cm. A new folder with the name of an RDMA device shows the device's defaults. The values belong to
// the device, and remain when the folder is removed.
func (s *NICs) cma(name string) (map[string]target.Node, error) {
	c := s.owner(name)
	if c == nil {
		return nil, target.ENODEV
	}
	return map[string]target.Node{
		"ports/1/default_roce_mode": target.TextNode(func() string { return c.Mode }, func(s string) error {
			switch s = strings.TrimSuffix(s, "\n"); s {
			case v1, c.upTo():
				c.Mode = s
				return nil
			}
			return target.EINVAL
		}),
		"ports/1/default_roce_tos": target.NumberNode(func() int { return c.TOS }, upTo(&c.TOS, 255)),
	}, nil
}

// plantVendor writes the further files of the vendor's driver.
func (c *nic) plantVendor() {
	home := "/sys/class/net/" + c.Name
	number := func(path string, v *int, top int) {
		c.m.Plant(path, target.NumberNode(func() int { return *v }, upTo(v, top)))
	}
	for prio := range 8 {
		nth := strconv.Itoa(prio)
		c.m.Plant(home+"/ecn/roce_np/enable/"+nth, bit(&c.NP[prio]))
		c.m.Plant(home+"/ecn/roce_rp/enable/"+nth, bit(&c.RP[prio]))
	}
	number(home+"/ecn/roce_np/cnp_dscp", &c.CNPDSCP, 63)
	c.m.Plant(home+"/ecn/roce_np/cnp_802p_prio", target.NumberNode(func() int { return c.CNPPrio }, cnpPrio(&c.CNPPrio, &c.CNPMode)))
	number(home+"/ecn/roce_np/min_time_between_cnps", &c.CNPEvery, 4095)
	c.m.Plant(home+"/device/roce_enable", bit(&c.RoCE))
	c.m.Plant(home+"/settings/vf_roce", target.Node{
		Read: func() (string, error) {
			var b strings.Builder
			for i, on := range c.VFs {
				fmt.Fprintf(&b, "vf_num %d: %d\n", i, map[bool]int{true: 1}[on])
			}
			return b.String(), nil
		},
		Write: func(s string) error {
			var vf, on int
			if n, err := fmt.Sscanf(s, "%d %d", &vf, &on); n != 2 || err != nil || vf < 0 || vf >= len(c.VFs) || on < 0 || on > 1 {
				return target.EINVAL
			}
			c.VFs[vf] = on == 1
			return nil
		},
	})
	ib := "/sys/class/infiniband/" + c.RDMA
	number(ib+"/ttl/1/ttl", &c.TTL, 255)
	c.m.Plant(ib+"/tc/1/traffic_class", target.Node{Read: func() (string, error) { return c.readClass(), nil }, Write: c.writeClass})
}

func (c *nic) readClass() string {
	var b strings.Builder
	if c.Class >= 0 {
		fmt.Fprintf(&b, "Global tclass=%d\n", c.Class)
	}
	for _, r := range c.Rules {
		b.WriteString(r + "\n")
	}
	return b.String()
}

// writeClass accepts a number, or "tclass=N" with src_ip= and dst_ip= in any order. N of -1 removes the class.
func (c *nic) writeClass(s string) error {
	s = strings.TrimSpace(s)
	if len(s) > 100 || s == "" {
		return target.EINVAL
	}
	class, match := -2, map[string]string{}
	for word := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			key, value = "tclass", word
		}
		switch key {
		case "tclass":
			n, err := strconv.Atoi(value)
			if err != nil || n < -1 || n > 255 {
				return target.EINVAL
			}
			class = n
		case "src_ip", "dst_ip", "src_ip6", "dst_ip6":
			match[key] = value
		default:
			return target.EINVAL
		}
	}
	if class == -2 {
		return target.EINVAL
	}
	if len(match) == 0 {
		c.Class = class
		return nil
	}
	var words []string
	for _, key := range []string{"src_ip", "dst_ip", "src_ip6", "dst_ip6"} {
		if v, ok := match[key]; ok {
			words = append(words, key+"="+v)
		}
	}
	rule := strings.Join(words, ",") + ",tclass="
	c.Rules = slices.DeleteFunc(c.Rules, func(r string) bool { return strings.HasPrefix(r, rule) })
	if class >= 0 {
		if len(c.Rules) == 40 {
			return target.ENOMEM
		}
		c.Rules = append(c.Rules, rule+strconv.Itoa(class))
	}
	return nil
}
