package lab

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
	"github.com/rocec/rocec/targets/target"
)

// programs returns the programs that show and set interfaces, by path.
func (w *network) programs() map[string]unix.Command {
	return map[string]unix.Command{"/usr/sbin/ethtool": w.cmdEthtool, "/usr/sbin/ip": w.cmdIP, "/usr/sbin/modprobe": w.cmdModprobe}
}

func (w *network) cmdEthtool(_ context.Context, p *unix.Proc) int { return p.Locked(w.ethtool) }

// cmdEthtool simulates ethtool with -a, -A, -S, -i, --show-priv-flags and --set-priv-flags.
func (w *network) ethtool(p *unix.Proc) int {
	if len(p.Args) < 3 {
		return p.Fail("bad command line argument(s)\nFor more information run ethtool -h")
	}
	n := w.netdevs[p.Args[2]]
	if n == nil {
		return p.FailPlain(1, "netlink error: %v", target.ENODEV)
	}
	switch p.Args[1] {
	case "-a", "--show-pause":
		if !n.Pause {
			return p.FailPlain(1, "netlink error: %v", target.EOPNOTSUPP)
		}
		p.Printf("Pause parameters for %s:\nAutonegotiate:\toff\nRX:\t\t%s\nTX:\t\t%s\n\n", n.Name, onOff(n.rx), onOff(n.tx))
		return 0
	case "-A", "--pause":
		return setPause(p, n, p.Args[3:])
	case "--show-priv-flags":
		return showFlags(p, n)
	case "--set-priv-flags":
		return setFlags(p, n, p.Args[3:])
	case "-S", "--statistics":
		p.Print("NIC statistics:\n")
		counters := map[string]bool{}
		for _, name := range n.Counters {
			counters[name] = true
		}
		for name := range n.counters {
			counters[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(counters)) {
			p.Printf("     %s: %d\n", name, n.counter(name))
		}
		return 0
	case "-i", "--driver":
		p.Printf("driver: %s\nversion: 6.1.0-lab\nfirmware-version: %s\nbus-info: %s\n", n.Driver, n.Firmware, n.PCI)
		return 0
	case "--get-tunable", "--set-tunable":
		return stallTunable(p, &n.Netdev, p.Args[3:])
	}
	return p.Fail("bad command line argument(s)\nFor more information run ethtool -h")
}

// stallTunable simulates the tunable pfc-prevention-tout. It takes 0, 80 to 8000, and 65535, which the driver keeps as 100.
func stallTunable(p *unix.Proc, n *target.Netdev, words []string) int {
	const name = "pfc-prevention-tout"
	set := p.Args[1] == "--set-tunable"
	if len(words) == 0 || words[0] != name || set != (len(words) == 2) {
		return p.Fail("bad command line argument(s)\nFor more information run ethtool -h")
	}
	if !set {
		if n.Stall == "" {
			return p.FailPlain(255, "%s: Cannot get tunable", name)
		}
		p.Printf("%s: %s\n", name, n.Stall)
		return 0
	}
	ms, err := strconv.Atoi(words[1])
	if ms == 65535 {
		ms = 100
	}
	switch {
	case n.Stall == "":
		return p.FailPlain(255, "%s: %v", name, target.EOPNOTSUPP)
	case !p.IsRoot():
		return p.FailPlain(255, "%s: %v", name, target.EPERM)
	case err != nil || ms != 0 && (ms < 80 || ms > 8000):
		return p.FailPlain(255, "%s: %v", name, target.EINVAL)
	}
	if err := p.Change(); err != nil {
		return p.FailPlain(255, "%s: %v", name, err)
	}
	n.Stall = strconv.Itoa(ms)
	return 0
}

// counter returns the value of a counter.
func (n *netdev) counter(name string) uint64 {
	v := n.counters[name]
	if r, rises := n.rises[name]; rises {
		v += r()
	}
	return v
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// showFlags prints the private flags of an interface, as do_gprivflags of ethtool.
func showFlags(p *unix.Proc, n *netdev) int {
	if len(n.private) == 0 {
		return p.FailPlain(1, "No private flags defined")
	}
	width := 0
	for name := range n.private {
		width = max(width, len(name))
	}
	p.Printf("Private flags for %s:\n", n.Name)
	for _, name := range slices.Sorted(maps.Keys(n.private)) {
		p.Printf("%-*s: %s\n", width, name, onOff(n.private[name].Get()))
	}
	return 0
}

// setFlags sets private flags of an interface by pairs of words.
func setFlags(p *unix.Proc, n *netdev, words []string) int {
	for pair := range slices.Chunk(words, 2) {
		f, known := n.private[pair[0]]
		if !known || len(pair) != 2 || pair[1] != "on" && pair[1] != "off" {
			return p.Fail("bad command line argument(s)")
		}
		if !p.IsRoot() {
			return p.FailPlain(1, "netlink error: %v", target.EPERM)
		}
		err := p.Change()
		if err == nil && f.Get() != (pair[1] == "on") {
			err = f.Set(pair[1] == "on")
		}
		if err != nil {
			return p.FailPlain(1, "netlink error: %v", err)
		}
	}
	return 0
}

func setPause(p *unix.Proc, n *netdev, words []string) int {
	rx, tx := n.rx, n.tx
	if len(words)%2 != 0 {
		return p.Fail("bad command line argument(s)")
	}
	for pair := range slices.Chunk(words, 2) {
		on := pair[1] == "on"
		if !on && pair[1] != "off" {
			return p.Fail("bad command line argument(s)")
		}
		switch pair[0] {
		case "rx":
			rx = on
		case "tx":
			tx = on
		case "autoneg":
			if on { // no interface of the lab has this setting
				return p.FailPlain(1, "netlink error: %v", target.EINVAL)
			}
		default:
			return p.Fail("bad command line argument(s)")
		}
	}
	switch {
	case !p.IsRoot():
		return p.FailPlain(1, "netlink error: %v", target.EPERM)
	case !n.Pause:
		return p.FailPlain(1, "netlink error: %v", target.EOPNOTSUPP)
	}
	if err := p.Change(); err != nil {
		return p.FailPlain(1, "netlink error: %v", err)
	}
	n.rx, n.tx = rx, tx
	return 0
}

// short reports whether a word is a keyword of iproute2, or a prefix of it.
func short(word, full string) bool { return word != "" && strings.HasPrefix(full, word) }

func (w *network) cmdIP(_ context.Context, p *unix.Proc) int { return p.Locked(w.ip) }

// ip knows link show, add of a VLAN, set and del, and address show and replace.
func (w *network) ip(p *unix.Proc) int {
	args, asJSON, details := p.Args[1:], false, false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-j", "-json":
			asJSON = true
		case "-d", "-details":
			details = true
		case "-o", "-oneline", "-br", "-brief", "-4", "-6", "-c", "-p":
		case "-V":
			p.Print("ip utility, iproute2-6.1.0\n")
			return 0
		default:
			return p.FailPlain(255, "Option \"%s\" is unknown, try \"ip -help\".", args[0])
		}
		args = args[1:]
	}
	if len(args) > 0 && short(args[0], "address") {
		return w.ipAddress(p, args[1:])
	}
	if len(args) == 0 || !short(args[0], "link") {
		return p.FailPlain(1, "Object \"%s\" is unknown, try \"ip help\".", strings.Join(args[:min(len(args), 1)], ""))
	}
	verb := "show"
	if args = args[1:]; len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch {
	case short(verb, "show"), verb == "list", verb == "ls":
		return w.ipShow(p, args, asJSON, details)
	case short(verb, "add"):
		return w.ipAdd(p, args)
	case short(verb, "set"):
		return w.ipSet(p, args)
	case short(verb, "delete"):
		return w.ipDel(p, args)
	}
	return p.FailPlain(255, "Command \"%s\" is unknown, try \"ip link help\".", verb)
}

// dev parses the name of an interface, with or without the word dev before it.
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
func (w *network) ipAddress(p *unix.Proc, args []string) int {
	replace := len(args) == 4 && (args[0] == "replace" || args[0] == "delete") && args[2] == "dev"
	if !replace && (len(args) != 3 || args[0] != "show" || args[1] != "dev") {
		return p.FailPlain(255, "Command \"%s\" is unknown, try \"ip address help\".", strings.Join(args, " "))
	}
	n := w.netdevs[args[len(args)-1]]
	switch {
	case n == nil:
		return p.FailPlain(1, "Device \"%s\" does not exist.", args[len(args)-1])
	case !replace:
		for _, a := range n.given {
			p.Print(fmt.Sprintf("%d: %s    inet%s %s scope global %[2]s\\       valid_lft forever preferred_lft forever\n", n.Index, n.Name,
				map[bool]string{true: "6"}[strings.Contains(a, ":")], a))
		}
		return 0
	}
	address, err := netip.ParsePrefix(args[1])
	if err != nil {
		return p.FailPlain(1, "Error: any valid prefix is expected rather than \"%s\".", args[1])
	}
	if !mayChange(p) {
		return 2
	}
	has := slices.Index(n.given, address.String())
	switch {
	case args[0] == "delete" && has < 0:
		return p.FailPlain(2, "RTNETLINK answers: Cannot assign requested address")
	case args[0] == "delete":
		n.given = slices.Delete(n.given, has, has+1)
	case has < 0:
		n.given = append(n.given, address.String())
	}
	return 0
}

func (w *network) ipShow(p *unix.Proc, args []string, asJSON, details bool) int {
	name, _ := dev(args)
	var list []*netdev
	for _, n := range w.netdevs {
		if name == "" || n.Name == name {
			list = append(list, n)
		}
	}
	if name != "" && len(list) == 0 {
		return p.FailPlain(1, "Device \"%s\" does not exist.", name)
	}
	sort.Slice(list, func(i, k int) bool { return list[i].Index < list[k].Index })
	var rows []string
	for _, n := range list {
		if asJSON {
			rows = append(rows, n.json(details))
		} else {
			p.Print(n.text(details))
		}
	}
	if asJSON {
		p.Print("[" + strings.Join(rows, ",") + "]\n")
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

// pairs formats the egress map. Like the kernel, it leaves out entries with the value 0.
func (n *netdev) pairs(format string) string {
	var b strings.Builder
	for _, from := range slices.Sorted(maps.Keys(n.egress)) {
		if n.egress[from] != 0 {
			fmt.Fprintf(&b, format, from, n.egress[from])
		}
	}
	return b.String()
}

// egressMap parses FROM:TO words into the egress map of a VLAN.
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

// mayChange reports whether the caller may change the network. If not, it prints the reason.
func mayChange(p *unix.Proc) bool {
	err := error(target.EPERM)
	if p.IsRoot() {
		err = p.Change()
	}
	if err != nil {
		p.FailPlain(2, "RTNETLINK answers: %v", err)
	}
	return err == nil
}

func (w *network) ipAdd(p *unix.Proc, args []string) int {
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
				return p.FailPlain(255, "Error: argument \"%s\" is wrong: invalid egress-qos-map", value)
			}
		}
	}
	parent := w.netdevs[n.Parent]
	switch {
	case kind != "vlan" || n.Name == "":
		return p.FailPlain(2, "RTNETLINK answers: %v", target.EOPNOTSUPP)
	case parent == nil:
		return p.FailPlain(1, "Cannot find device \"%s\"", n.Parent)
	case n.VLAN < 1 || n.VLAN > 4094:
		return p.FailPlain(255, "Error: argument \"%d\" is wrong: id is invalid", n.VLAN)
	case w.netdevs[n.Name] != nil:
		return p.FailPlain(2, "RTNETLINK answers: %v", unix.EEXIST)
	}
	if !mayChange(p) {
		return 2
	}
	w.add(n)
	w.netdevs[n.Name].egress = egress
	return 0
}

func (w *network) ipSet(p *unix.Proc, args []string) int {
	name, args := dev(args)
	n := w.netdevs[name]
	if n == nil {
		return p.FailPlain(1, "Cannot find device \"%s\"", name)
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
				return p.FailPlain(2, "RTNETLINK answers: %v", target.EINVAL)
			}
			n.MTU, args = mtu, args[1:]
		case "type":
			if value != "vlan" || n.egress == nil {
				return p.FailPlain(2, "RTNETLINK answers: %v", target.EOPNOTSUPP)
			}
			args = args[1:]
		case "egress-qos-map":
			var ok bool
			if n.egress == nil {
				return p.FailPlain(2, "RTNETLINK answers: %v", target.EOPNOTSUPP)
			}
			if args, ok = egressMap(n.egress, args); !ok {
				return p.FailPlain(255, "Error: argument \"%s\" is wrong: invalid egress-qos-map", value)
			}
		default:
			return p.FailPlain(255, "Error: either \"dev\" is duplicate, or \"%s\" is a garbage.", word)
		}
	}
	return 0
}

func (w *network) ipDel(p *unix.Proc, args []string) int {
	name, _ := dev(args)
	n := w.netdevs[name]
	switch {
	case n == nil:
		return p.FailPlain(1, "Cannot find device \"%s\"", name)
	case n.egress == nil:
		return p.FailPlain(2, "RTNETLINK answers: %v", target.EOPNOTSUPP)
	}
	if !mayChange(p) {
		return 2
	}
	w.drop(n)
	return 0
}

// modules lists the kernel modules that every device of the lab has.
var modules = []string{"8021q", "bonding", "configfs"}

func (w *network) cmdModprobe(_ context.Context, p *unix.Proc) int {
	_, rest, ok := p.Flags("qa", map[string]byte{"quiet": 'q', "all": 'a'})
	if !ok || len(rest) == 0 {
		return p.Fail("FATAL: missing module name")
	}
	return p.Locked(func(p *unix.Proc) int {
		for _, m := range rest {
			switch m = strings.ReplaceAll(m, "-", "_"); {
			case !slices.Contains(w.modules, m):
				return p.Fail("FATAL: Module %s not found in directory /lib/modules/6.1.0-lab", m)
			case !p.IsRoot():
				return p.Fail("ERROR: could not insert '%s': %v", m, target.EPERM)
			}
		}
		return 0
	})
}
