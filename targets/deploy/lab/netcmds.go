package lab

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// locked runs do under the lock of the device's kernel, and writes what it printed afterwards: stdout may be a file of
// the same device.
func (p *proc) locked(do func(*proc) int) int {
	var out, errs bytes.Buffer
	c := *p
	c.stdout, c.stderr = &out, &errs
	status := func() int {
		p.d.fs.mu.Lock()
		defer p.d.fs.mu.Unlock()
		return do(&c)
	}()
	_, _ = p.stderr.Write(errs.Bytes())
	p.print(out.String())
	return p.done(status)
}

func cmdEthtool(_ context.Context, p *proc) int { return p.locked(ethtool) }

// ethtool knows -a, -A, -S and -i.
func ethtool(p *proc) int {
	if len(p.args) < 3 {
		return p.fail("bad command line argument(s)\nFor more information run ethtool -h")
	}
	n := p.d.netdevs[p.args[2]]
	if n == nil {
		return p.failPlain(1, "netlink error: %v", eNoDev)
	}
	switch p.args[1] {
	case "-a", "--show-pause":
		if !n.Pause {
			return p.failPlain(1, "netlink error: %v", eNotSupp)
		}
		p.printf("Pause parameters for %s:\nAutonegotiate:\toff\nRX:\t\t%s\nTX:\t\t%s\n\n", n.Name, onOff(n.rx), onOff(n.tx))
		return 0
	case "-A", "--pause":
		return setPause(p, n, p.args[3:])
	case "-S", "--statistics":
		p.print("NIC statistics:\n")
		counters := map[string]uint64{}
		for _, name := range n.Counters {
			counters[name] = 0
		}
		maps.Copy(counters, n.counters)
		for _, name := range slices.Sorted(maps.Keys(counters)) {
			p.printf("     %s: %d\n", name, counters[name])
		}
		return 0
	case "-i", "--driver":
		p.printf("driver: %s\nversion: 6.1.0-lab\nfirmware-version: %s\nbus-info: %s\n", n.Driver, n.Firmware, n.PCI)
		return 0
	}
	return p.fail("bad command line argument(s)\nFor more information run ethtool -h")
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func setPause(p *proc, n *netdev, words []string) int {
	rx, tx := n.rx, n.tx
	if len(words)%2 != 0 {
		return p.fail("bad command line argument(s)")
	}
	for pair := range slices.Chunk(words, 2) {
		on := pair[1] == "on"
		if !on && pair[1] != "off" {
			return p.fail("bad command line argument(s)")
		}
		switch pair[0] {
		case "rx":
			rx = on
		case "tx":
			tx = on
		case "autoneg":
			if on { // no interface of the lab has it
				return p.failPlain(1, "netlink error: %v", eInval)
			}
		default:
			return p.fail("bad command line argument(s)")
		}
	}
	switch {
	case p.user.uid != 0:
		return p.failPlain(1, "netlink error: %v", ePerm)
	case !n.Pause:
		return p.failPlain(1, "netlink error: %v", eNotSupp)
	}
	if err := p.d.change(p); err != nil {
		return p.failPlain(1, "netlink error: %v", err)
	}
	n.rx, n.tx = rx, tx
	return 0
}

// short reports whether a word is a word of iproute2, or begins like it.
func short(word, full string) bool { return word != "" && strings.HasPrefix(full, word) }

func cmdIP(_ context.Context, p *proc) int { return p.locked(ip) }

// ip knows link show, add of a VLAN, set and del, and address show and replace.
func ip(p *proc) int {
	args, asJSON, details := p.args[1:], false, false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-j", "-json":
			asJSON = true
		case "-d", "-details":
			details = true
		case "-o", "-oneline", "-br", "-brief", "-4", "-6", "-c", "-p":
		case "-V":
			p.print("ip utility, iproute2-6.1.0\n")
			return 0
		default:
			return p.failPlain(255, "Option \"%s\" is unknown, try \"ip -help\".", args[0])
		}
		args = args[1:]
	}
	if len(args) > 0 && short(args[0], "address") {
		return ipAddress(p, args[1:])
	}
	if len(args) == 0 || !short(args[0], "link") {
		return p.failPlain(1, "Object \"%s\" is unknown, try \"ip help\".", strings.Join(args[:min(len(args), 1)], ""))
	}
	verb := "show"
	if args = args[1:]; len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch {
	case short(verb, "show"), verb == "list", verb == "ls":
		return ipShow(p, args, asJSON, details)
	case short(verb, "add"):
		return ipAdd(p, args)
	case short(verb, "set"):
		return ipSet(p, args)
	case short(verb, "delete"):
		return ipDel(p, args)
	}
	return p.failPlain(255, "Command \"%s\" is unknown, try \"ip link help\".", verb)
}

// dev takes the name of an interface, with or without the word dev.
func dev(args []string) (string, []string) {
	if len(args) > 1 && args[0] == "dev" {
		args = args[1:]
	}
	if len(args) == 0 {
		return "", nil
	}
	return args[0], args[1:]
}

// ipAddress is ip address: show, always in one line each, replace and delete, of the addresses that programs gave.
func ipAddress(p *proc, args []string) int {
	replace := len(args) == 4 && (args[0] == "replace" || args[0] == "delete") && args[2] == "dev"
	if !replace && (len(args) != 3 || args[0] != "show" || args[1] != "dev") {
		return p.failPlain(255, "Command \"%s\" is unknown, try \"ip address help\".", strings.Join(args, " "))
	}
	n := p.d.netdevs[args[len(args)-1]]
	switch {
	case n == nil:
		return p.failPlain(1, "Device \"%s\" does not exist.", args[len(args)-1])
	case !replace:
		for _, a := range n.given {
			p.print(fmt.Sprintf("%d: %s    inet%s %s scope global %[2]s\\       valid_lft forever preferred_lft forever\n", n.Index, n.Name,
				map[bool]string{true: "6"}[strings.Contains(a, ":")], a))
		}
		return 0
	}
	address, err := netip.ParsePrefix(args[1])
	if err != nil {
		return p.failPlain(1, "Error: any valid prefix is expected rather than \"%s\".", args[1])
	}
	if !mayChange(p) {
		return 2
	}
	has := slices.Index(n.given, address.String())
	switch {
	case args[0] == "delete" && has < 0:
		return p.failPlain(2, "RTNETLINK answers: Cannot assign requested address")
	case args[0] == "delete":
		n.given = slices.Delete(n.given, has, has+1)
	case has < 0:
		n.given = append(n.given, address.String())
	}
	return 0
}

func ipShow(p *proc, args []string, asJSON, details bool) int {
	name, _ := dev(args)
	var list []*netdev
	for _, n := range p.d.netdevs {
		if name == "" || n.Name == name {
			list = append(list, n)
		}
	}
	if name != "" && len(list) == 0 {
		return p.failPlain(1, "Device \"%s\" does not exist.", name)
	}
	slices.SortFunc(list, func(a, b *netdev) int { return cmp.Compare(a.Index, b.Index) })
	var rows []string
	for _, n := range list {
		if asJSON {
			rows = append(rows, n.json(details))
		} else {
			p.print(n.text(details))
		}
	}
	if asJSON {
		p.print("[" + strings.Join(rows, ",") + "]\n")
	}
	return 0
}

func (n *netdev) text(details bool) string {
	var b strings.Builder
	name := n.Name
	if n.egress != nil {
		name += "@" + n.Parent
	}
	fmt.Fprintf(&b, "%d: %s: <%s> mtu %d qdisc noqueue state %s mode DEFAULT group default qlen 1000\n", n.Index, name,
		strings.Join(n.flags(), ","), n.MTU, n.operstate())
	fmt.Fprintf(&b, "    link/ether %s brd ff:ff:ff:ff:ff:ff", n.mac())
	if details {
		b.WriteString(" promiscuity 0 minmtu 68 maxmtu 9978 ")
		if n.egress != nil {
			fmt.Fprintf(&b, "\n    vlan protocol 802.1Q id %d <REORDER_HDR> ", n.VLAN)
			if m := n.pairs("%d:%d "); m != "" {
				fmt.Fprintf(&b, "\n      egress-qos-map { %s} ", m)
			}
		}
		b.WriteString("addrgenmode eui64 numtxqueues 1 numrxqueues 1 gso_max_size 65536 gso_max_segs 65535 ")
	}
	b.WriteString("\n")
	return b.String()
}

func (n *netdev) json(details bool) string {
	s := fmt.Sprintf(`{"ifindex":%d,`, n.Index)
	if n.egress != nil {
		s += fmt.Sprintf(`"link":%q,`, n.Parent)
	}
	s += fmt.Sprintf(`"ifname":%q,"flags":["%s"],"mtu":%d,"operstate":%q,"link_type":"ether","address":%q`, n.Name,
		strings.Join(n.flags(), `","`), n.MTU, n.operstate(), n.mac())
	if details && n.egress != nil {
		m := strings.TrimSuffix(n.pairs(`{"from":%d,"to":%d},`), ",")
		s += fmt.Sprintf(`,"linkinfo":{"info_kind":"vlan","info_data":{"protocol":"802.1Q","id":%d,"flags":["REORDER_HDR"],"egress_qos":[%s]}}`,
			n.VLAN, m)
	}
	return s + "}"
}

// pairs lists the egress map; what maps to 0 is not listed, as the kernel does not.
func (n *netdev) pairs(format string) string {
	var b strings.Builder
	for _, from := range slices.Sorted(maps.Keys(n.egress)) {
		if n.egress[from] != 0 {
			fmt.Fprintf(&b, format, from, n.egress[from])
		}
	}
	return b.String()
}

// egressMap reads FROM:TO words into the egress map of a VLAN.
func egressMap(egress map[int]int, args []string) (rest []string, ok bool) {
	for len(args) > 0 && strings.Contains(args[0], ":") {
		var from, to int
		if n, err := fmt.Sscanf(args[0], "%d:%d", &from, &to); n != 2 || err != nil || from < 0 || to < 0 || to > 7 {
			return nil, false
		}
		egress[from] = to
		args = args[1:]
	}
	return args, true
}

// mayChange reports whether a change of the network may be made, and says why not.
func mayChange(p *proc) bool {
	err := error(ePerm)
	if p.user.uid == 0 {
		err = p.d.change(p)
	}
	if err != nil {
		p.failPlain(2, "RTNETLINK answers: %v", err)
	}
	return err == nil
}

func ipAdd(p *proc, args []string) int {
	var n target.Netdev
	egress := map[int]int{}
	kind := ""
	for len(args) > 1 {
		word, value := args[0], args[1]
		args = args[2:]
		switch word {
		case "link":
			n.Parent = value
		case "name", "dev":
			n.Name = value
		case "type":
			kind = value
		case "id":
			n.VLAN, _ = strconv.Atoi(value)
		case "egress-qos-map":
			var ok bool
			if args, ok = egressMap(egress, append([]string{value}, args...)); !ok {
				return p.failPlain(255, "Error: argument \"%s\" is wrong: invalid egress-qos-map", value)
			}
		}
	}
	parent := p.d.netdevs[n.Parent]
	switch {
	case kind != "vlan" || n.Name == "":
		return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
	case parent == nil:
		return p.failPlain(1, "Cannot find device \"%s\"", n.Parent)
	case n.VLAN < 1 || n.VLAN > 4094:
		return p.failPlain(255, "Error: argument \"%d\" is wrong: id is invalid", n.VLAN)
	case p.d.netdevs[n.Name] != nil:
		return p.failPlain(2, "RTNETLINK answers: %v", eExist)
	}
	if !mayChange(p) {
		return 2
	}
	p.d.addNetdev(n)
	p.d.netdevs[n.Name].egress = egress
	return 0
}

func ipSet(p *proc, args []string) int {
	name, args := dev(args)
	n := p.d.netdevs[name]
	if n == nil {
		return p.failPlain(1, "Cannot find device \"%s\"", name)
	}
	if !mayChange(p) {
		return 2
	}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		value := ""
		if len(args) > 0 {
			value = args[0]
		}
		switch word {
		case "up", "down":
		case "mtu":
			mtu, err := strconv.Atoi(value)
			if err != nil || mtu < 68 || mtu > 9978 {
				return p.failPlain(2, "RTNETLINK answers: %v", eInval)
			}
			n.MTU, args = mtu, args[1:]
		case "type":
			if value != "vlan" || n.egress == nil {
				return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
			}
			args = args[1:]
		case "egress-qos-map":
			var ok bool
			if n.egress == nil {
				return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
			}
			if args, ok = egressMap(n.egress, args); !ok {
				return p.failPlain(255, "Error: argument \"%s\" is wrong: invalid egress-qos-map", value)
			}
		default:
			return p.failPlain(255, "Error: either \"dev\" is duplicate, or \"%s\" is a garbage.", word)
		}
	}
	return 0
}

func ipDel(p *proc, args []string) int {
	name, _ := dev(args)
	n := p.d.netdevs[name]
	switch {
	case n == nil:
		return p.failPlain(1, "Cannot find device \"%s\"", name)
	case n.egress == nil:
		return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
	}
	if !mayChange(p) {
		return 2
	}
	p.d.dropNetdev(n)
	return 0
}

// modules are those a kernel of the lab has, whatever the device.
var modules = []string{"8021q", "bonding", "configfs"}

func cmdModprobe(_ context.Context, p *proc) int {
	_, rest, ok := p.flags("qa", map[string]byte{"quiet": 'q', "all": 'a'})
	if !ok || len(rest) == 0 {
		return p.fail("FATAL: missing module name")
	}
	return p.locked(func(p *proc) int {
		for _, m := range rest {
			switch m = strings.ReplaceAll(m, "-", "_"); {
			case !slices.Contains(p.d.modules, m):
				return p.fail("FATAL: Module %s not found in directory /lib/modules/6.1.0-lab", m)
			case p.user.uid != 0:
				return p.fail("ERROR: could not insert '%s': %v", m, ePerm)
			}
		}
		return 0
	})
}
