package sheets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// linux returns the part of a sheet with commands of Linux, for drivers whose settings rocec does not write and whose ways are public: qede
// and ionic. Sources: Linux, qede_dcbnl.c, qed_dcbx.c and ionic_ethtool.c, and cma_configfs.c for RDMA-CM; Dell, QLogic Family of Adapters
// User's Guide AH0054602, "Configuring DCQCN"; for nicctl, which has no public manual, AMD's network-operator (the commands that its agent
// runs for a port profile) and scripts of users.
func linux(nics []*hand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	b.WriteString("## Commands (Linux)\n\nRun these as root. They last until the host restarts: put them into a unit that runs at " +
		"boot.\n\n```sh\n")
	for _, n := range nics {
		if n.driver() != "ionic" { // its driver would change the type of pauses to link pause
			line("ethtool -A %s autoneg off rx %s tx %[2]s", n.shell(), onOff(n.flow == ir.Pause))
		}
		if n.NIC.MTU > 0 {
			line("ip link set dev %s mtu %d", n.shell(), n.NIC.MTU)
		}
		for _, vlan := range vlans(n) {
			line("ip link add link %s name %s type vlan id %d egress-qos-map 0:%d 2:%[4]d 4:%[4]d 6:%[4]d", n.shell(),
				nic.Quote(fmt.Sprintf("%s.%d", n.NIC.Name, vlan)), vlan, n.Egress)
		}
	}
	b.WriteString(allPensando(nics))
	line("modprobe rdma_cm")
	for _, n := range nics {
		connections(line, n)
	}
	b.WriteString("```\n\n" + remarks(nics, onLinux) + "\n")
	return b.String()
}

func (s *hand) shell() string { return nic.Quote(s.NIC.Name) }

// connections writes the settings of the RDMA device: the mark of CNPs of ionic, and the defaults of RDMA-CM, which are the version and the
// type of service of connections that state none.
func connections(line func(format string, args ...any), n *hand) {
	all, marks := versions(n), n.driver() == "ionic" && n.CNP != nil
	if len(all) != 1 && !marks {
		return
	}
	line("DEV=$(ls /sys/class/net/%s/device/infiniband)", n.shell())
	if marks {
		line(`nicctl update dcqcn -r "$DEV" -i 1 --cnp-dscp %d`, n.NIC.CNP(n.Intents[0]).DSCP)
	}
	if len(all) != 1 {
		return
	}
	line(`mkdir -p "/sys/kernel/config/rdma_cm/$DEV"`)
	mode := map[int]string{1: "IB/RoCE v1", 2: "RoCE v2"}[all[0]]
	line(`echo "%s" > "/sys/kernel/config/rdma_cm/$DEV/ports/1/default_roce_mode"`, mode)
	if n.TOS >= 0 {
		line(`echo %d > "/sys/kernel/config/rdma_cm/$DEV/ports/1/default_roce_tos"`, n.TOS)
	}
	line(`rmdir "/sys/kernel/config/rdma_cm/$DEV"`)
}

// allPensando returns the commands of nicctl, once for NICs that need the same.
func allPensando(nics []*hand) string {
	var order []string
	of := map[string][]string{}
	for _, n := range nics {
		if n.driver() != "ionic" {
			continue
		}
		var b strings.Builder
		pensando(func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }, n)
		if of[b.String()] == nil {
			order = append(order, b.String())
		}
		of[b.String()] = append(of[b.String()], cell(n.NIC.Name))
	}
	if len(order) == 1 {
		return order[0]
	}
	var b strings.Builder
	for _, text := range order {
		fmt.Fprintf(&b, "# Only for %s: write -p PORT in the place of --all, and after each nicctl update qos except --classification-type,\n"+
			"# which is for all ports. PORT is a port of nicctl show port.\n%s", strings.Join(of[text], ", "), text)
	}
	return b.String()
}

// pensando writes the commands of nicctl. Without -p they apply to all ports. A strict priority needs a limit, which no fabric states.
func pensando(line func(format string, args ...any), n *hand) {
	kind := "pfc"
	if n.flow == ir.Pause {
		kind = "link"
	}
	on := map[bool]string{true: "enable", false: "disable"}
	line("nicctl update port --all --pause-type %s --rx-pause %s --tx-pause %s", kind, on[n.flow != ir.PFCTx], on[n.flow != ir.PFCRx])
	if n.trust.DSCP {
		line("nicctl update qos --classification-type dscp")
		for p := range 8 {
			if list := n.codePoints(p); list != dash("") {
				line("nicctl update qos dscp-to-priority --dscp %s --priority %d", list, p)
			}
		}
	} else {
		line("nicctl update qos --classification-type pcp")
	}
	for p, is := range n.PFC {
		line("nicctl update qos pfc --priority %d --no-drop %s", p, on[is])
	}
	var priorities, shares, limits []string
	strict := false
	for p, tc := range n.TC {
		if slices.Index(n.TC[:], tc) != p { // the class has an earlier priority
			continue
		}
		share, limit := "0", "0"
		if n.ETS[tc] {
			share = strconv.Itoa(int(n.Share[tc]))
		} else {
			limit, strict = "LIMIT", true
		}
		priorities, shares, limits = append(priorities, strconv.Itoa(p)), append(shares, share), append(limits, limit)
	}
	if strict {
		line("# In the place of LIMIT: the most that a strict priority may send, in Gbit/s.")
	}
	line("nicctl update qos scheduling --priority %s --dwrr %s --rate-limit %s", strings.Join(priorities, ","), strings.Join(shares, ","),
		strings.Join(limits, ","))
}

// onLinux writes remarks about the settings of a NIC that no command of Linux sets.
func onLinux(n *hand, item func(format string, args ...any)) {
	switch n.driver() {
	case "qede":
		fastLinQ(n, item)
	case "ionic":
		item("`nicctl update` without `-p PORT` applies to all ports (`nicctl show port`). The share of the schedule is by priority, and " +
			"the first priority of each class has it.")
		item("do not run `ethtool -A`: the driver then changes the type of pauses from PFC to link pause. `ethtool -a` prints `on` for both " +
			"types.")
		item("the kernel's driver has no DCB: `dcb` and lldptool cannot set or show anything. Ask AMD which settings of `nicctl` survive a " +
			"restart of the card.")
	default:
		item("the sheet has no commands for the classes of this driver. If rocec writes its NICs (`rocec help platforms`), leave out the " +
			"by_hand block; else ask the maker.")
	}
}

// fastLinQ writes remarks about a NIC of qede. The firmware takes PFC, shares and priorities from the switch by DCBX.
func fastLinQ(n *hand, item func(format string, args ...any)) {
	on, _ := n.paused()
	if len(on) > 0 {
		stated := ""
		if !n.firmware() {
			stated = " Then state `dcbx = \"firmware\"` in the by_hand block. Ask Marvell whether the setup of the card at boot can set them " +
				"without DCBX."
		}
		item("no command of Linux sets PFC or shares: `dcb pfc set` and `dcb ets set` report success, and the driver passes nothing to the "+
			"card. Let the switch advertise them by DCBX in the mode IEEE: PFC on priority %s, and the shares of the table.%s",
			strings.Join(on, ", "), stated)
	}
	for _, in := range n.Intents {
		entry := "UDP port 4791"
		if in.Version == 1 {
			entry = "ethertype 0x8915"
		}
		item("the card sends RoCEv%d with the priority of the application entry for %s that the switch advertises: advertise priority %d.",
			in.Version, entry, in.Group.Cos)
		if in.Group.Cos == 3 || in.Group.Cos == 4 {
			item("FCoE offload of the card uses priority 3, and iSCSI usually priority 4. Marvell advises 1, 2, 5, 6 or 7 for RoCE: let the cos " +
				"group have such a cos if the hosts also use FCoE or iSCSI.")
		}
	}
	if n.trust.DSCP {
		item("the driver refuses a map from DSCP (`dcb app add ... dscp-prio` fails), and the entry stays in the kernel's table: do not " +
			"believe `dcb app show`. Let PCP identify the traffic of these hosts, or ask Marvell.")
	}
	if slices.Contains(n.ECN[:], true) && n.CNP != nil {
		item("congestion control needs Marvell's own driver, whose module has these parameters. Write them into `/etc/modprobe.d/qed.conf`, as "+
			"options of qed, and load qed again: dcqcn_enable=1 dcqcn_notification_point=1 dcqcn_reaction_point=1 dcqcn_cnp_dscp=%d "+
			"dcqcn_cnp_vlan_priority=%d. The driver of Linux lacks these parameters.", n.NIC.CNP(n.Intents[0]).DSCP, n.CNP.Cos)
	}
	item("right is: `dcb dcbx show` prints `lld-managed ieee`, and `dcb pfc show` prints the priorities above. In the modes CEE and static " +
		"`dcb pfc show` fails: PFC is then not known.")
}

// linuxPrints is the part of a sheet about giving the settings to rocec.
func linuxPrints(nics []*hand) string {
	var names []string
	for _, n := range nics {
		names = append(names, n.shell())
	}
	return "\nTo let rocec compare the host with the fabric, run this as root, copy the file into a folder with the name of the host, and " +
		"run\n`rocec validate DIR --device-config FOLDER`. A tool that the host lacks prints nothing.\n\n```sh\n" +
		"run() { echo \"\\$ $*\"; \"$@\" 2>/dev/null; }\nfor n in " + strings.Join(names, " ") + "; do\n" +
		"  run ip -d link show dev $n; run ethtool -i $n; run ethtool -a $n\n" +
		"  run dcb ets show dev $n; run dcb pfc show dev $n; run dcb -N app show dev $n\n" +
		"  run dcb dcbx show dev $n\ndone > linux.txt\n" +
		"{ run nicctl show qos; run nicctl show port; run rdma link; } >> linux.txt\n```\n"
}
