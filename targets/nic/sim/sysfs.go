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

// plant writes the files of an RDMA device in sysfs and configfs.
func (s *NICs) plant(c *Port) {
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
	fixed(ib+"/hca_type", c.Driver.Board[0])
	fixed(ib+"/board_id", c.Driver.Board[1])
	port := ib + "/ports/1"
	link := func(up, down string) target.Node {
		return target.TextNode(func() string {
			if c.Now().Down {
				return down
			}
			return up
		}, nil)
	}
	s.m.Plant(port+"/state", link("4: ACTIVE", "1: DOWN"))
	s.m.Plant(port+"/phys_state", link("5: LinkUp", "3: Disabled"))
	fixed(port+"/link_layer", "Ethernet")
	fixed(port+"/rate", fmt.Sprintf("%d Gb/sec", c.SpeedMbps/1000))
	for folder, names := range map[string][]string{"hw_counters": c.Driver.RDMA.HW, "counters": c.Driver.RDMA.Port} {
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
func (c *Port) gids() []gid {
	base := cmp.Or(c.Master, c.Name)
	out := []gid{{netip.MustParseAddr(fmt.Sprintf("fe80::5054:ff:fe00:%x", c.Now().Index)), base}}
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
func (c *Port) plantGIDs(port string) {
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
		attr("types", func(gid) string { return []string{V1, c.upTo()}[i%2] })
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

// UpTo returns the writer of a number from 0 to top.
func UpTo(to *int, top int) func(int) error {
	return func(v int) error {
		if v < 0 || v > top {
			return target.EINVAL
		}
		*to = v
		return nil
	}
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
			case V1, c.upTo():
				c.Mode = s
				return nil
			}
			return target.EINVAL
		}),
		"ports/1/default_roce_tos": target.NumberNode(func() int { return c.TOS }, UpTo(&c.TOS, 255)),
	}, nil
}
