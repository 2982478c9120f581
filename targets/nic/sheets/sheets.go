// Package sheets writes a [Sheet] for people who set a host by hand. It has the settings of the NICs, and how to see the result. Where the
// fabric states the system of the host, it has the commands of that system. Facts are from public documents of the makers, which the file
// of each system names. The sheet asks the maker where no document has a fact.
package sheets

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Sheet is how a host must be set, in Markdown. Hosts with equal sheets are set alike.
type Sheet string

// system is an operating system, or the make of a storage array, whose words a sheet has.
type system struct {
	name, title string // an array has no title: its part has the command that shows values

	// commands is the part of the sheet with the commands, or with the values in the words of an array.
	commands func(nics []*hand) string

	// printed is how the settings are read back; nil: rocec reads nothing that the system prints.
	printed func(nics []*hand) string
}

// systems has the systems in the order of the documentation.
func systems() []system {
	return []system{
		{name: "windows", title: "Windows", commands: windows, printed: func([]*hand) string { return windowsPrints }},
		{name: "esxi", title: "ESXi", commands: esxi, printed: esxiPrints},
		{name: "netapp-e-series", commands: eSeries.sheet},
		{name: "ibm-flashsystem", commands: flashSystem.sheet},
	}
}

// Names returns what a by_hand block may name as the system of a host.
func Names() []string {
	var names []string
	for _, s := range systems() {
		names = append(names, s.name)
	}
	return names
}

// Knows reports whether a sheet has the commands of a system. Case and signs do not matter in its name.
func Knows(name string) bool { return find(name) != nil }

func find(name string) *system {
	folded := platform.Fold(name)
	all := systems()
	i := slices.IndexFunc(all, func(s system) bool { return platform.Fold(s.name) == folded })
	if name == "" || i < 0 {
		return nil
	}
	return &all[i]
}

// Of returns the sheet of a host. NICs that carry no intent are left out; empty: all are.
func Of(d *ir.Device) Sheet {
	var nics []*hand
	for _, n := range d.Host.NICs {
		if len(n.Carries()) > 0 {
			nics = append(nics, handOf(n))
		}
	}
	if len(nics) == 0 {
		return ""
	}
	var b strings.Builder
	for _, n := range nics {
		b.WriteString(n.settings())
	}
	stated := ""
	if d.ByHand != nil {
		stated = d.ByHand.System
	}
	if s := find(stated); s != nil {
		b.WriteString(s.commands(nics))
		if s.title != "" {
			seeing(&b, s.title)
		}
		if s.printed != nil {
			b.WriteString(s.printed(nics))
		}
		return Sheet(b.String())
	}
	seeing(&b, "")
	names := make([]string, len(Names()))
	for i, name := range Names() {
		names[i] = code(strconv.Quote(name))
	}
	b.WriteString("\nFor the commands of one system, state it as `system` in the by_hand block: " + diag.Or(names) + ".\n")
	return Sheet(b.String())
}

// sights has the commands that show settings: system, setting, command. Sources: man pages of dcb (iproute2) and ethtool; Microsoft's "DCB
// Windows PowerShell User Scripting Guide" and its references of NetQos, DcbQoS and NetAdapter; Broadcom's ESXCLI command reference 8.0
// (network nic, rdma device) and VMware's "Configuring lossless Ethernet for NVMe over RDMA".
var sights = [][3]string{
	{"Linux", "priorities with PFC", "dcb pfc show dev IF"},
	{"Linux", "map from DSCP; what is there means that DSCP is trusted", "dcb app show dev IF dscp-prio"},
	{"Linux", "shares, classes", "dcb ets show dev IF"},
	{"Linux", "who decides (DCBX)", "dcb dcbx show dev IF"},
	{"Linux", "link pause", "ethtool -a IF"},
	{"Linux", "MTU, map from priority to PCP", "ip -d link show dev IF"},
	{"Windows", "what is in force on an adapter: PFC, shares, maps", "Get-NetAdapterQos -Name IF"},
	{"Windows", "priorities with PFC", "Get-NetQosFlowControl"},
	{"Windows", "which traffic gets which priority and DSCP", "Get-NetQosPolicy"},
	{"Windows", "shares, classes", "Get-NetQosTrafficClass"},
	{"Windows", "whether the host is willing (DCBX)", "Get-NetQosDcbxSetting"},
	{"Windows", "link pause, MTU", "Get-NetAdapterAdvancedProperty -Name IF -AllProperties"},
	{"Windows", "RDMA on", "Get-NetAdapterRdma"},
	{"ESXi", "PFC, shares, DCBX of a NIC", "esxcli network nic dcb status get -n vmnicN"},
	{"ESXi", "link pause", "esxcli network nic get -n vmnicN"},
	{"ESXi", "RDMA devices, their MTU and uplink", "esxcli rdma device list"},
	{"ESXi", "RoCE version", "esxcli rdma device protocol list"},
	{"ESXi", "options of the driver, where PFC and trust are set there", "esxcli system module parameters list -m DRIVER"},
}

// seeing writes how one sees the settings on a system; empty: on every one.
func seeing(b *strings.Builder, title string) {
	b.WriteString("## How to see it\n\n")
	if title == "" {
		b.WriteString("| system | what | command |\n| --- | --- | --- |\n")
	} else {
		b.WriteString("| what | command |\n| --- | --- |\n")
	}
	for _, s := range sights {
		if title == "" {
			b.WriteString("| " + s[0] + " | " + s[1] + " | `" + s[2] + "` |\n")
		} else if s[0] == title {
			b.WriteString("| " + s[1] + " | `" + s[2] + "` |\n")
		}
	}
	if title == "" {
		b.WriteString("| arrays, others | the same numbers | in the tool of the maker |\n")
	}
}

// code is a command, a value or a word as Markdown has it.
func code(text string) string { return "`" + text + "`" }
