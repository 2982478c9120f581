package sim

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// rdma simulates the tool of iproute2, with link show, also with -j.
func (s *NICs) rdma(p *target.Proc) int {
	args, asJSON := p.Args[1:], false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		asJSON = asJSON || strings.Contains(args[0], "j")
		args = args[1:]
	}
	if len(args) == 0 || !short(args[0], "link") {
		return p.Fail(1, "the lab knows rdma link show")
	}
	list := slices.SortedFunc(slices.Values(s.all), func(a, b *Port) int { return cmp.Compare(a.Name, b.Name) })
	var rows []string
	for i, c := range list {
		if asJSON {
			rows = append(rows, fmt.Sprintf(`{"ifindex":%d,"ifname":%q,"port":1,"state":"ACTIVE","physical_state":"LINK_UP",`+
				`"netdev":%q,"netdev_index":%d}`, i, c.RDMA, c.Name, c.Now().Index))
		} else {
			p.Print(fmt.Sprintf("link %s/1 state ACTIVE physical_state LINK_UP netdev %s \n", c.RDMA, c.Name))
		}
	}
	if asJSON {
		p.Print("[" + strings.Join(rows, ",") + "]\n")
	}
	return 0
}

// devinfo simulates ibv_devinfo of rdma-core, with -d DEV and -i PORT.
func (s *NICs) devinfo(p *target.Proc) int {
	set, _, complaint := target.Getopt(p.Args[1:], "d:i:", nil)
	c := s.owner(strings.Join(set['d'], ""))
	if complaint != "" || c == nil {
		return p.Fail(1, "No IB devices found")
	}
	mtu := 4096
	for mtu > 256 && c.Now().MTU-96 < mtu {
		mtu /= 2
	}
	state := "PORT_ACTIVE (4)"
	if c.Now().Down {
		state = "PORT_DOWN (1)"
	}
	p.Print(fmt.Sprintf("hca_id:\t%s\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t%s\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n"+
		"\t\t\tstate:\t\t\t%s\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t%d (%d)\n\t\t\tlink_layer:\t\tEthernet\n\n", c.RDMA,
		c.Firmware, state, mtu, bits.Len(uint(mtu))-8))
	return 0
}
