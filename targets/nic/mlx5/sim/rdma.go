package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// rdma is the tool of iproute2; it knows link show, also with -j.
func (s *NICs) rdma(p *target.Proc) int {
	args, asJSON := p.Args[1:], false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		asJSON = asJSON || strings.Contains(args[0], "j")
		args = args[1:]
	}
	if len(args) == 0 || !short(args[0], "link") {
		return p.Fail(1, "the lab knows rdma link show")
	}
	list := slices.SortedFunc(slices.Values(s.all), func(a, b *nic) int { return cmp.Compare(a.Name, b.Name) })
	var rows []string
	for i, c := range list {
		if asJSON {
			rows = append(rows, fmt.Sprintf(`{"ifindex":%d,"ifname":%q,"port":1,"state":"ACTIVE","physical_state":"LINK_UP",`+
				`"netdev":%q,"netdev_index":%d}`, i, c.RDMA, c.Name, c.now().Index))
		} else {
			p.Print(fmt.Sprintf("link %s/1 state ACTIVE physical_state LINK_UP netdev %s \n", c.RDMA, c.Name))
		}
	}
	if asJSON {
		p.Print("[" + strings.Join(rows, ",") + "]\n")
	}
	return 0
}
