package lab

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
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
	n := p.d.nics[p.args[2]]
	if n == nil {
		return p.failPlain(1, "netlink error: %v", eNoDev)
	}
	switch p.args[1] {
	case "-a", "--show-pause":
		if n.nic == nil {
			return p.failPlain(1, "netlink error: %v", eNotSupp)
		}
		p.printf("Pause parameters for %s:\nAutonegotiate:\toff\nRX:\t\t%s\nTX:\t\t%s\n\n", n.name, onOff(n.rx), onOff(n.tx))
		return 0
	case "-A", "--pause":
		return setPause(p, n, p.args[3:])
	case "-S", "--statistics":
		p.print("NIC statistics:\n")
		counters := n.defaultCounters()
		maps.Copy(counters, n.counters)
		for _, name := range slices.Sorted(maps.Keys(counters)) {
			p.printf("     %s: %d\n", name, counters[name])
		}
		return 0
	case "-i", "--driver":
		driver, bus := "", ""
		if n.nic != nil {
			driver, bus = "mlx5_core", n.nic.pci
		}
		p.printf("driver: %s\nversion: 6.1.0-lab\nfirmware-version: 16.35.4030\nbus-info: %s\n", driver, bus)
		return 0
	}
	return p.fail("bad command line argument(s)\nFor more information run ethtool -h")
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
			if on { // mlx5 has none
				return p.failPlain(1, "netlink error: %v", eInval)
			}
		default:
			return p.fail("bad command line argument(s)")
		}
	}
	switch {
	case p.user.uid != 0:
		return p.failPlain(1, "netlink error: %v", ePerm)
	case n.nic == nil:
		return p.failPlain(1, "netlink error: %v", eNotSupp)
	}
	if err := p.d.change(p); err != nil {
		return p.failPlain(1, "netlink error: %v", err)
	}
	n.rx, n.tx = rx, tx
	return 0
}

// defaultCounters are the ones looked at for losslessness, all of them zero.
func (n *netdev) defaultCounters() map[string]uint64 {
	c := map[string]uint64{}
	if n.nic != nil {
		for prio := range 8 {
			for _, what := range []string{"rx_prio%d_pause", "tx_prio%d_pause", "rx_prio%d_discards", "rx_prio%d_buf_discard"} {
				c[fmt.Sprintf(what, prio)] = 0
			}
		}
		for _, name := range []string{"rx_discards_phy", "rx_out_of_buffer", "tx_pause_storm_warning_events", "tx_pause_storm_error_events"} {
			c[name] = 0
		}
		return c
	}
	for prio := range 8 {
		c[fmt.Sprintf("HwIfInPfc%dPkt", prio)] = 0
		c[fmt.Sprintf("HwIfOutPfc%dPkt", prio)] = 0
	}
	for _, name := range []string{"HwIfInPausePkt", "HwIfOutPausePkt", "HwIfInBufferDrops", "HwIfInDiscards", "HwIfOutDiscards", "HwIfOutWredDrops"} {
		c[name] = 0
	}
	return c
}

func cmdIP(_ context.Context, p *proc) int { return p.locked(ip) }

// ip knows link show, add of a VLAN, set and del.
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

func ipShow(p *proc, args []string, asJSON, details bool) int {
	name, _ := dev(args)
	var list []*netdev
	for _, n := range p.d.nics {
		if name == "" || n.name == name {
			list = append(list, n)
		}
	}
	if name != "" && len(list) == 0 {
		return p.failPlain(1, "Device \"%s\" does not exist.", name)
	}
	slices.SortFunc(list, func(a, b *netdev) int { return cmp.Compare(a.index, b.index) })
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
	name := n.name
	if n.vlan != nil {
		name += "@" + n.vlan.parent
	}
	fmt.Fprintf(&b, "%d: %s: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu %d qdisc noqueue state UP mode DEFAULT group default qlen 1000\n", n.index, name, n.mtu)
	fmt.Fprintf(&b, "    link/ether %s brd ff:ff:ff:ff:ff:ff", n.mac())
	if details {
		b.WriteString(" promiscuity 0 minmtu 68 maxmtu 9978 ")
		if v := n.vlan; v != nil {
			fmt.Fprintf(&b, "\n    vlan protocol 802.1Q id %d <REORDER_HDR> ", v.id)
			if m := v.pairs("%d:%d "); m != "" {
				fmt.Fprintf(&b, "\n      egress-qos-map { %s} ", m)
			}
		}
		b.WriteString("addrgenmode eui64 numtxqueues 1 numrxqueues 1 gso_max_size 65536 gso_max_segs 65535 ")
	}
	b.WriteString("\n")
	return b.String()
}

func (n *netdev) json(details bool) string {
	s := fmt.Sprintf(`{"ifindex":%d,`, n.index)
	if n.vlan != nil {
		s += fmt.Sprintf(`"link":%q,`, n.vlan.parent)
	}
	s += fmt.Sprintf(`"ifname":%q,"flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":%d,"operstate":"UP","link_type":"ether","address":%q`, n.name, n.mtu, n.mac())
	if details && n.vlan != nil {
		m := strings.TrimSuffix(n.vlan.pairs(`{"from":%d,"to":%d},`), ",")
		s += fmt.Sprintf(`,"linkinfo":{"info_kind":"vlan","info_data":{"protocol":"802.1Q","id":%d,"flags":["REORDER_HDR"],"egress_qos":[%s]}}`, n.vlan.id, m)
	}
	return s + "}"
}

// pairs lists the egress map; what maps to 0 is not listed, as the kernel does not.
func (v *vlan) pairs(format string) string {
	var b strings.Builder
	for _, from := range slices.Sorted(maps.Keys(v.egress)) {
		if v.egress[from] != 0 {
			fmt.Fprintf(&b, format, from, v.egress[from])
		}
	}
	return b.String()
}

// egressMap reads FROM:TO words into the map.
func (v *vlan) egressMap(args []string) (rest []string, ok bool) {
	for len(args) > 0 && strings.Contains(args[0], ":") {
		var from, to int
		if n, err := fmt.Sscanf(args[0], "%d:%d", &from, &to); n != 2 || err != nil || from < 0 || to < 0 || to > 7 {
			return nil, false
		}
		v.egress[from] = to
		args = args[1:]
	}
	return args, true
}

// mayChange tells whether a change of the network may be made, and says why not.
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
	v := &vlan{egress: map[int]int{}}
	var name, kind string
	for len(args) > 1 {
		word, value := args[0], args[1]
		args = args[2:]
		switch word {
		case "link":
			v.parent = value
		case "name", "dev":
			name = value
		case "type":
			kind = value
		case "id":
			v.id, _ = strconv.Atoi(value)
		case "egress-qos-map":
			var ok bool
			if args, ok = v.egressMap(append([]string{value}, args...)); !ok {
				return p.failPlain(255, "Error: argument \"%s\" is wrong: invalid egress-qos-map", value)
			}
		}
	}
	parent := p.d.nics[v.parent]
	switch {
	case kind != "vlan" || name == "":
		return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
	case parent == nil:
		return p.failPlain(1, "Cannot find device \"%s\"", v.parent)
	case v.id < 1 || v.id > 4094:
		return p.failPlain(255, "Error: argument \"%d\" is wrong: id is invalid", v.id)
	case p.d.nics[name] != nil:
		return p.failPlain(2, "RTNETLINK answers: %v", eExist)
	}
	if !mayChange(p) {
		return 2
	}
	p.d.addVLAN(name, v, parent.mtu)
	return 0
}

// addVLAN makes an interface that is a VLAN of another. It is called with the lock held.
func (d *Device) addVLAN(name string, v *vlan, mtu int) {
	d.addNetdevLocked(target.LabNIC{Netdev: name, MTU: mtu}).vlan = v
	var b strings.Builder
	b.WriteString("VLAN Dev name	 | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\n")
	for _, n := range slices.Sorted(maps.Keys(d.nics)) {
		if v := d.nics[n].vlan; v != nil {
			fmt.Fprintf(&b, "%-14s | %d  | %s\n", n, v.id, v.parent)
		}
	}
	tree{d.fs}.knob("/proc/net/vlan/config", 0o444, knob{read: func() (string, error) { return b.String(), nil }})
}

func ipSet(p *proc, args []string) int {
	name, args := dev(args)
	n := p.d.nics[name]
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
			n.mtu, args = mtu, args[1:]
		case "type":
			if value != "vlan" || n.vlan == nil {
				return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
			}
			args = args[1:]
		case "egress-qos-map":
			var ok bool
			if n.vlan == nil {
				return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
			}
			if args, ok = n.vlan.egressMap(args); !ok {
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
	n := p.d.nics[name]
	switch {
	case n == nil:
		return p.failPlain(1, "Cannot find device \"%s\"", name)
	case n.vlan == nil:
		return p.failPlain(2, "RTNETLINK answers: %v", eNotSupp)
	}
	if !mayChange(p) {
		return 2
	}
	delete(p.d.nics, name)
	delete(tree{p.d.fs}.dir("/sys/class/net").kids, name)
	return 0
}

func cmdRdma(_ context.Context, p *proc) int { return p.locked(rdma) }

// rdma knows link show, also with -j.
func rdma(p *proc) int {
	args, asJSON := p.args[1:], false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		asJSON = asJSON || strings.Contains(args[0], "j")
		args = args[1:]
	}
	if len(args) == 0 || !short(args[0], "link") {
		return p.failPlain(1, "the lab knows rdma link show")
	}
	var rows []string
	i := 0
	for _, name := range slices.Sorted(maps.Keys(p.d.nics)) {
		n := p.d.nics[name]
		if n.nic == nil {
			continue
		}
		if asJSON {
			rows = append(rows, fmt.Sprintf(`{"ifindex":%d,"ifname":%q,"port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":%q,"netdev_index":%d}`, i, n.nic.rdma, n.name, n.index))
		} else {
			p.printf("link %s/1 state ACTIVE physical_state LINK_UP netdev %s \n", n.nic.rdma, n.name)
		}
		i++
	}
	if asJSON {
		p.print("[" + strings.Join(rows, ",") + "]\n")
	}
	return 0
}

// modules are those a kernel of the lab has.
var modules = []string{"8021q", "mlx5_core", "mlx5_ib", "rdma_cm", "rdma_ucm", "bonding", "configfs", "ib_core"}

func cmdModprobe(_ context.Context, p *proc) int {
	_, rest, ok := p.flags("qa", map[string]byte{"quiet": 'q', "all": 'a'})
	if !ok || len(rest) == 0 {
		return p.fail("FATAL: missing module name")
	}
	return p.locked(func(p *proc) int {
		for _, m := range rest {
			switch m = strings.ReplaceAll(m, "-", "_"); {
			case !slices.Contains(modules, m):
				return p.fail("FATAL: Module %s not found in directory /lib/modules/6.1.0-lab", m)
			case p.user.uid != 0:
				return p.fail("ERROR: could not insert '%s': %v", m, ePerm)
			}
		}
		return 0
	})
}
