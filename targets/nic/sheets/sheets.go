// Package sheets writes a [Sheet] for people who set a host by hand. A sheet contains the settings of the NICs, and commands that show the
// result. If the fabric states the system of the host, the sheet contains the commands of that system. The facts come from public
// documents of the makers, which the file of each system names. Where no document states a fact, the sheet says that the reader must ask
// the maker.
package sheets

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Sheet describes the settings of a host in Markdown. Hosts with equal sheets have equal settings.
type Sheet string

// system is an operating system or a storage array whose commands or terms a sheet contains.
type system struct {
	name, title string // an array has no title: its own part contains the command that shows values

	// commands returns the part of the sheet with the commands, or with the values in the terms of an array.
	commands func(nics []*hand) string

	// printed returns the part about giving the settings to rocec; nil: rocec cannot read output of the system.
	printed func(nics []*hand) string
}

// systems returns the systems in the order of the documentation.
func systems() []system {
	return []system{
		{name: "windows", title: "Windows", commands: windows, printed: func([]*hand) string { return windowsPrints }},
		{name: "esxi", title: "ESXi", commands: esxi, printed: esxiPrints},
		{name: "linux", title: "Linux", commands: linux, printed: linuxPrints},
		{name: "netapp-e-series", commands: eSeries.sheet},
		{name: "ibm-flashsystem", commands: flashSystem.sheet},
	}
}

// Names returns the possible values of system in a by_hand block.
func Names() []string {
	var names []string
	for _, s := range systems() {
		names = append(names, s.name)
	}
	return names
}

// Knows reports whether a sheet can contain the commands of a system. In its name, only letters and digits matter, in any case.
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

// Of returns the sheet of a host. NICs without an intent are left out. It is empty if no NIC has an intent.
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
			seeing(&b, s.title, nics)
		}
		if s.printed != nil {
			b.WriteString(s.printed(nics))
		}
		return Sheet(b.String())
	}
	seeing(&b, "", nics)
	names := make([]string, len(Names()))
	for i, name := range Names() {
		names[i] = code(strconv.Quote(name))
	}
	b.WriteString("\nFor the commands of one system, state it as `system` in the by_hand block: " + diag.Or(names) + ".\n")
	return Sheet(b.String())
}

// sights contains the commands that show settings. Sources: man pages of dcb (iproute2) and ethtool; Microsoft's
// "DCB Windows PowerShell User Scripting Guide" and its references of NetQos, DcbQoS and NetAdapter; Broadcom's ESXCLI command reference
// 8.0 (network nic, rdma device) and VMware's "Configuring lossless Ethernet for NVMe over RDMA".
var sights = []sight{
	{system: "Linux", what: "priorities with PFC", command: "dcb pfc show dev IF", except: []string{"ionic"}},
	{
		system: "Linux", what: "map from DSCP; an entry means that DSCP is trusted", command: "dcb app show dev IF dscp-prio",
		except: []string{"ionic", "qede"},
	},
	{system: "Linux", what: "shares, classes", command: "dcb ets show dev IF", except: []string{"ionic"}},
	{system: "Linux", what: "who decides (DCBX)", command: "dcb dcbx show dev IF", except: []string{"ionic"}},
	{system: "Linux", what: "link pause", command: "ethtool -a IF", except: []string{"ionic"}},
	{system: "Linux", what: "MTU, map from priority to PCP", command: "ip -d link show dev IF"},
	{
		system: "Linux", what: "AMD Pensando: PFC, map, shares (`nicctl show port`: the type of pauses)", command: "nicctl show qos",
		only: "ionic",
	},
	{system: "Windows", what: "values in force on an adapter: PFC, shares, maps", command: "Get-NetAdapterQos -Name IF"},
	{system: "Windows", what: "priorities with PFC", command: "Get-NetQosFlowControl"},
	{system: "Windows", what: "priority and DSCP of traffic", command: "Get-NetQosPolicy"},
	{system: "Windows", what: "shares, classes", command: "Get-NetQosTrafficClass"},
	{system: "Windows", what: "whether the host is willing (DCBX)", command: "Get-NetQosDcbxSetting"},
	{system: "Windows", what: "link pause, MTU", command: "Get-NetAdapterAdvancedProperty -Name IF -AllProperties"},
	{system: "Windows", what: "RDMA on", command: "Get-NetAdapterRdma"},
	{system: "ESXi", what: "PFC, shares, DCBX of a NIC", command: "esxcli network nic dcb status get -n vmnicN"},
	{system: "ESXi", what: "link pause", command: "esxcli network nic get -n vmnicN"},
	{system: "ESXi", what: "RDMA devices, their MTU and uplink", command: "esxcli rdma device list"},
	{system: "ESXi", what: "RoCE version", command: "esxcli rdma device protocol list"},
	{system: "ESXi", what: "parameters of the driver, if they set PFC and trust", command: "esxcli system module parameters list -m DRIVER"},
}

// sight is a command that shows settings.
type sight struct {
	system, what, command string
	only                  string   // the driver that needs the command; empty: any
	except                []string // the drivers whose settings it does not show
}

// shows reports whether the command shows settings of a NIC of the host. Sources for the exceptions: see [linux].
func (s *sight) shows(nics []*hand) bool {
	return slices.ContainsFunc(nics, func(n *hand) bool {
		return (s.only == "" || s.only == n.driver()) && !slices.Contains(s.except, n.driver())
	})
}

// seeing writes the commands that show the settings on a system; without a title, on every system.
func seeing(b *strings.Builder, title string, nics []*hand) {
	b.WriteString("## How to see the settings\n\n")
	if title == "" {
		b.WriteString("| system | what | command |\n| --- | --- | --- |\n")
	} else {
		b.WriteString("| what | command |\n| --- | --- |\n")
	}
	for i := range sights {
		switch s := &sights[i]; {
		case !s.shows(nics):
		case title == "":
			b.WriteString("| " + s.system + " | " + s.what + " | `" + s.command + "` |\n")
		case s.system == title:
			b.WriteString("| " + s.what + " | `" + s.command + "` |\n")
		}
	}
	if title == "" {
		b.WriteString("| arrays, others | the same numbers | see the maker's tool |\n")
	}
}

// code formats a command, a value or a word as Markdown code.
func code(text string) string { return "`" + text + "`" }
