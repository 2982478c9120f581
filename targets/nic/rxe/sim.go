package rxe

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// links simulates Soft-RoCE on a host: the tool rdma, and the files of its devices in sysfs and configfs.
type links struct {
	m     target.Machine
	ports []nic.Port
	state
}

// state contains what a reboot of the host resets.
type state struct {
	Links map[string]*link // by the name of the device

	lay func(name string) // writes the files of a device
}

// link is one device.
type link struct {
	Netdev string
	TOS    int
}

// Valid implements [target.State].
func (s *state) Valid() bool {
	for name, l := range s.Links {
		if l == nil || name == "" || strings.ContainsAny(name, "/\x00") || l.TOS < 0 || l.TOS > 255 {
			return false
		}
	}
	return s.Links != nil
}

// Resume implements [target.Resumer].
func (s *state) Resume() {
	for _, name := range slices.Sorted(maps.Keys(s.Links)) {
		s.lay(name)
	}
}

func newSim(ports []nic.Port) nic.Sim { return &links{ports: ports} }

// Netdevs implements [nic.Sim].
func (s *links) Netdevs() []target.Netdev {
	var out []target.Netdev
	for _, p := range s.ports {
		out = append(out, p.Netdev)
	}
	return out
}

const (
	classDir  = "/sys/class/infiniband/"
	deviceDir = "/sys/devices/virtual/infiniband/"
	rdmaPath  = "/usr/bin/rdma"
)

// Boot implements [target.Sim].
func (s *links) Boot(m target.Machine) {
	s.m, s.state = m, state{Links: map[string]*link{}, lay: s.lay}
	m.Keep("rxe", &s.state)
	m.Folder(classDir)
	m.Plant("/sys/kernel/config/rdma_cm", target.Node{Mkdir: s.cma})
	cards := m.Program(rdmaPath)
	m.Install(rdmaPath, func(p *target.Proc) (status int) {
		words := p.Args[1:]
		ours := len(words) > 1 && words[0] == "link" && (words[1] == "add" || words[1] == "delete")
		if !ours && cards != nil {
			if status = cards(p); status != 0 {
				return status
			}
		}
		m.Do(func() { status = s.rdma(p, words) })
		return status
	})
}

// rdma simulates the tool of iproute2, with link show, add and delete.
func (s *links) rdma(p *target.Proc, words []string) int {
	switch {
	case len(words) == 7 && slices.Equal(words[:2], []string{"link", "add"}) && slices.Equal(words[3:6], []string{"type", "rxe", "netdev"}):
		return s.add(p, words[2], words[6])
	case len(words) == 3 && slices.Equal(words[:2], []string{"link", "delete"}):
		return s.remove(p, words[2])
	case len(words) > 0 && words[0] == "link" && (len(words) == 1 || words[1] == "show"):
		for _, name := range slices.Sorted(maps.Keys(s.Links)) {
			p.Print(fmt.Sprintf("link %s/1 state ACTIVE physical_state LINK_UP netdev %s \n", name, s.Links[name].Netdev))
		}
		return 0
	}
	return p.Fail(1, "the lab knows rdma link show, add and delete")
}

// add simulates rxe_newlink: an interface can have one device, a VLAN interface none.
func (s *links) add(p *target.Proc, name, netdev string) int {
	n, ok := s.m.Netdev(netdev)
	taken := s.Links[name] != nil
	for _, l := range s.Links {
		taken = taken || l.Netdev == netdev
	}
	switch {
	case !p.Root:
		return p.Fail(1, "error: Operation not permitted")
	case !ok || len(name) > 63:
		return p.Fail(1, "error: No such device")
	case n.Parent != "":
		return p.Fail(1, "error: Operation not permitted")
	case taken:
		return p.Fail(1, "error: File exists")
	}
	if err := s.m.Change("rdma link add " + name); err != nil {
		return p.Fail(1, "error: %v", err)
	}
	s.Links[name] = &link{Netdev: netdev}
	s.lay(name)
	return 0
}

func (s *links) remove(p *target.Proc, name string) int {
	switch {
	case !p.Root:
		return p.Fail(1, "error: Operation not permitted")
	case s.Links[name] == nil:
		return p.Fail(1, "error: No such device")
	}
	if err := s.m.Change("rdma link delete " + name); err != nil {
		return p.Fail(1, "error: %v", err)
	}
	delete(s.Links, name)
	s.m.Remove(classDir + name)
	s.m.Remove(deviceDir + name)
	return 0
}

// lay writes the files of a device in sysfs.
func (s *links) lay(name string) {
	l := s.Links[name]
	at := deviceDir + name
	fixed := func(path, value string) { s.m.Plant(at+path, target.TextNode(func() string { return value }, nil)) }
	s.m.Link(classDir+name, "../../devices/virtual/infiniband/"+name)
	fixed("/parent", l.Netdev)
	fixed("/node_type", "1: CA")
	fixed("/ports/1/link_layer", "Ethernet")
	s.m.Plant(at+"/ports/1/state", target.TextNode(func() string {
		if n, _ := s.m.Netdev(l.Netdev); n.Down {
			return "1: DOWN"
		}
		return "4: ACTIVE"
	}, nil))
	for _, c := range counters {
		s.m.Plant(at+"/ports/1/hw_counters/"+c.Name, target.NumberNode(func() int { return int(s.m.Counter(l.Netdev, c.Name)) }, nil))
	}
	for i := range 8 {
		nth := strconv.Itoa(i)
		s.m.Plant(at+"/ports/1/gids/"+nth, target.TextNode(func() string {
			addr, _ := s.gid(l, i)
			return netip.AddrFrom16(addr.As16()).StringExpanded()
		}, nil))
		attr := func(kind string, value func(netdev string) string) {
			s.m.Plant(at+"/ports/1/gid_attrs/"+kind+"/"+nth, target.Node{Read: func() (string, error) {
				if _, netdev := s.gid(l, i); netdev != "" {
					return value(netdev) + "\n", nil
				}
				return "", target.EINVAL
			}})
		}
		attr("types", func(string) string { return "RoCE v2" })
		attr("ndevs", func(netdev string) string { return netdev })
	}
}

// gid returns a slot of the GID table: the link-local address, the interface's address, and the addresses of the present VLAN interfaces.
// An empty slot has no interface.
func (s *links) gid(l *link, slot int) (addr netip.Addr, netdev string) {
	n, _ := s.m.Netdev(l.Netdev)
	type entry struct {
		addr   netip.Addr
		netdev string
	}
	all := []entry{{netip.MustParseAddr(fmt.Sprintf("fe80::5054:ff:fe00:%x", n.Index)), l.Netdev}}
	for _, p := range s.ports {
		if p.Name != l.Netdev {
			continue
		}
		if p.IP.IsValid() {
			all = append(all, entry{p.IP, l.Netdev})
		}
		for _, name := range slices.Sorted(maps.Keys(p.VLANs)) {
			if _, ok := s.m.Netdev(name); ok {
				all = append(all, entry{p.VLANs[name], name})
			}
		}
	}
	if slot < len(all) {
		return all[slot].addr, all[slot].netdev
	}
	return netip.IPv6Unspecified(), ""
}

// cma simulates the configfs of rdma_cm. The values belong to the device.
func (s *links) cma(name string) (map[string]target.Node, error) {
	l := s.Links[name]
	if l == nil {
		return nil, target.ENODEV
	}
	return map[string]target.Node{
		"ports/1/default_roce_mode": target.TextNode(func() string { return "RoCE v2" }, func(text string) error {
			if strings.TrimSuffix(text, "\n") != "RoCE v2" {
				return target.EINVAL
			}
			return nil
		}),
		"ports/1/default_roce_tos": target.NumberNode(func() int { return l.TOS }, func(tos int) error {
			if tos < 0 || tos > 255 {
				return target.EINVAL
			}
			l.TOS = tos
			return nil
		}),
	}, nil
}
