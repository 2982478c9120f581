package sheets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// array is a storage array whose manual is public.
type array struct {
	title, manual, show string
	mtu                 func(mtu int) string
	priority            func(n *hand, in *ir.Intent) string
	rest                []string
}

// eSeries describes NetApp E-Series and EF-Series. Source: NetApp, SANtricity commands, "Set controller host port properties". By that
// page host ports with NVMe over RoCE have no VLAN and no priority.
var eSeries = array{
	title: "NetApp E-Series", manual: "NetApp, SANtricity commands: Set controller host port properties",
	show: "the host ports in SANtricity System Manager",
	mtu: func(mtu int) string {
		if mtu < 1500 || mtu > 9000 {
			return "the array accepts 1500 to 9000: correct the fabric"
		}
		return code(fmt.Sprintf("set controller [a] hostPort [\"LABEL\"] maxFramePayload=%d;", mtu)) + ", for each controller and port"
	},
	priority: func(n *hand, in *ir.Intent) string {
		if n.NIC.Packet(in).Tagged {
			return "by the manual, ports with NVMe over RoCE have no VLAN and no priority: let DSCP identify this traffic"
		}
		return "ask NetApp: the manual has no setting for it"
	},
	rest: []string{"NetApp recommends a frame size of 4200 for the best performance of NVMe over RoCE."},
}

// flashSystem describes IBM Storage Virtualize. Sources: IBM, commands chsystemethernet and lssystemethernet, and "Priority flow control".
// One priority tag applies to the whole system, PFC needs a VLAN, and adapters of Intel do not support PFC.
var flashSystem = array{
	title: "IBM FlashSystem", manual: "IBM Storage Virtualize: chsystemethernet, lssystemethernet, Priority flow control",
	show: "`lssystemethernet` (`host_attach_cos`), `lsportethernet`",
	mtu:  func(int) string { return "ask IBM: it is in the settings of the port" },
	priority: func(n *hand, in *ir.Intent) string {
		text := code(fmt.Sprintf("chsystemethernet -hostattachcos %d", in.Group.Cos))
		if !n.NIC.Packet(in).Tagged {
			text += "; the tag needs a VLAN, but the fabric states no VLAN for this traffic: ask IBM whether the array uses DSCP"
		}
		return text
	},
	rest: []string{
		"One priority applies to all host attachment of the system.", "PFC needs a VLAN on the array and on all switches between.",
		"PFC is not supported on adapters of Intel.",
	},
}

// sheet returns the part of a sheet with the values in the terms of the array.
func (a *array) sheet(nics []*hand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## In the terms of the array (%s)\n\nThe manual: %s.\n\n| what | how |\n| --- | --- |\n", a.title, a.manual)
	var rows []string
	row := func(what, how string) {
		if text := fmt.Sprintf("| %s | %s |\n", what, how); !slices.Contains(rows, text) {
			rows = append(rows, text)
		}
	}
	for _, n := range nics {
		if n.NIC.MTU > 0 {
			row(fmt.Sprintf("MTU %d", n.NIC.MTU), a.mtu(n.NIC.MTU))
		}
		for _, in := range n.Intents {
			row(fmt.Sprintf("priority %d for %s", in.Group.Cos, cell(in.Name)), a.priority(n, in))
			if p := n.NIC.Packet(in); p.IP {
				row(fmt.Sprintf("DSCP %d for %s", p.DSCP, cell(in.Name)), "ask the maker: the manual pages above have no setting for it")
			}
		}
		on, _ := n.paused()
		switch {
		case n.flow == ir.Pause:
			row("link pause", "ask the maker")
		case len(on) > 0:
			row("PFC on priority "+strings.Join(on, ", ")+", no link pause", "ask the maker whether the priority, or the switch by DCBX, "+
				"determines PFC")
		}
	}
	b.WriteString(strings.Join(rows, ""))
	fmt.Fprintf(&b, "| to see it | %s |\n\n", a.show)
	for _, text := range a.rest {
		b.WriteString("- " + text + "\n")
	}
	b.WriteString("- rocec cannot read any output of the array.\n")
	return b.String()
}
