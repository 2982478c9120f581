package sheets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// windows returns the part of a sheet with the cmdlets of Windows. Their sources are Microsoft's references of the modules NetQos, DcbQoS
// and NetAdapter, "Manage Data Center Bridging (DCB)", and "Standardized INF Keywords for Network Devices". For NICs of mlx4 the source is
// Mellanox's "HowTo Configure CoS and DSCP for SMB in Windows 2012" (WinOF 4.95). For NICs of mlx5 it is "HowTo Configure DCQCN (ECN)
// Parameters for Windows Driver (WinOF-2)".
func windows(nics []*hand) string {
	w := &powershell{own: len(nics) > 1 && slices.ContainsFunc(nics, func(n *hand) bool { return !alike(n, nics[0]) })}
	w.b.WriteString("## Commands (Windows)\n\nRun these in PowerShell, as administrator. First list the existing policies and classes " +
		"(`Get-NetQosPolicy`,\n`Get-NetQosTrafficClass`), and remove those with the same priorities: a priority can be in one class only. If " +
		"the name of\nan adapter in `Get-NetAdapter` differs from the name below, write the name in Windows.\n\n```powershell\n")
	w.line("Install-WindowsFeature -Name Data-Center-Bridging")
	for _, n := range nics {
		w.adapter(n)
		if w.own {
			w.system(n, " -InterfaceAlias "+single(n.NIC.Name))
		}
	}
	if !w.own {
		w.system(nics[0], "")
	}
	w.policies(nics)
	for _, n := range nics {
		name := single(n.NIC.Name)
		w.line("Enable-NetAdapterQos -Name %s", name)
		w.line("Enable-NetAdapterRdma -Name %s", name)
	}
	w.b.WriteString("```\n\n")
	w.limits(nics)
	return w.b.String()
}

// powershell collects the commands.
type powershell struct {
	b   strings.Builder
	own bool // adapters have separate policies, as they differ
}

func (w *powershell) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// adapter writes the properties of an adapter, which restart it. *JumboPacket counts the 14 bytes of the Ethernet header.
func (w *powershell) adapter(n *hand) {
	set := func(key string, value int) {
		w.line("Set-NetAdapterAdvancedProperty -Name %s -RegistryKeyword '%s' -RegistryValue %d", single(n.NIC.Name), key, value)
	}
	pause := 0
	if n.flow == ir.Pause {
		pause = 3 // the adapter sends and obeys pauses
	}
	set("*FlowControl", pause)
	if n.NIC.MTU > 0 {
		set("*JumboPacket", n.NIC.MTU+14)
	}
	if v := versions(n); len(v) == 1 {
		set("*NetworkDirectTechnology", map[int]int{1: 3, 2: 4}[v[0]])
	}
	if tags := vlans(n); len(tags) > 0 {
		set("*PriorityVLANTag", 3) // for priority and VLAN
		if len(tags) == 1 {
			set("VlanID", tags[0])
		}
	}
}

// system writes the DCB settings of all adapters, or of the adapter in scope.
func (w *powershell) system(n *hand, scope string) {
	if n.firmware() {
		w.line("Set-NetQosDcbxSetting -Willing $true%s -Confirm:$false", scope)
		return
	}
	w.line("Set-NetQosDcbxSetting -Willing $false%s -Confirm:$false", scope)
	on, off := n.paused()
	if len(off) > 0 {
		w.line("Disable-NetQosFlowControl -Priority %s%s", strings.Join(off, ","), scope)
	}
	if len(on) > 0 {
		w.line("Enable-NetQosFlowControl -Priority %s%s", strings.Join(on, ","), scope)
	}
	for tc := range 8 {
		var of []string
		for p := range 8 {
			if int(n.TC[p]) == tc {
				of = append(of, strconv.Itoa(p))
			}
		}
		if len(of) == 0 || int(n.TC[0]) == tc { // the default class of Windows contains the remaining priorities
			continue
		}
		name := single(fmt.Sprintf("rocec class %d%s", tc, map[bool]string{true: " " + n.NIC.Name}[scope != ""]))
		if n.ETS[tc] {
			w.line("New-NetQosTrafficClass -Name %s -Priority %s -Algorithm ETS -BandwidthPercentage %d%s", name, strings.Join(of, ","),
				n.Share[tc], scope)
		} else {
			w.line("New-NetQosTrafficClass -Name %s -Priority %s -Algorithm Strict%s", name, strings.Join(of, ","), scope)
		}
	}
}

// policies writes the policies that give traffic its priority. SMB Direct is NetworkDirect port 445; the ports of other applications are
// unknown here.
func (w *powershell) policies(nics []*hand) {
	var seen []*ir.Intent
	for _, n := range nics {
		for _, in := range n.Intents {
			if slices.Contains(seen, in) || n.firmware() {
				continue
			}
			if seen = append(seen, in); len(seen) > 1 {
				w.line("# The next line needs the NetworkDirect port of this application in the place of PORT.")
			}
			comment, of := "", "445"
			if len(seen) > 1 {
				comment, of = "# ", "PORT"
			}
			w.line("%sNew-NetQosPolicy -Name %s -NetDirectPortMatchCondition %s -PriorityValue8021Action %d", comment,
				single("rocec "+in.Name), of, in.Group.Cos)
		}
	}
}

// limits writes the limits of Windows, and the settings about which only the maker of the NIC has documents.
func (w *powershell) limits(nics []*hand) {
	item := func(format string, args ...any) { w.line("- "+format, args...) }
	n := nics[0]
	if w.own {
		item("The adapters differ, so each has separate policies (`-InterfaceAlias`), which need Windows Server 2016 or later. Policies for " +
			"traffic apply to all adapters.")
	}
	if n.firmware() {
		item("A willing host accepts PFC, classes and priorities from the switch. Windows has no DCBX, so the adapter must have it: ask its " +
			"maker.")
	} else {
		item("Port 445 is SMB Direct. Another application has another NetworkDirect port: write that port, or add a policy for it.")
	}
	if n.flow == ir.PFCTx || n.flow == ir.PFCRx {
		item("Windows cannot set PFC in one direction: with these commands the adapter sends and obeys pauses. Ask the maker for a setting " +
			"of the direction.")
	}
	if int(n.TC[0]) < 8 && !n.ETS[n.TC[0]] {
		item("The class `[Default]` of Windows is never strict: the priorities of class %d in the table share the rest of the link.",
			n.TC[0])
	}
	w.b.WriteString(remarks(nics, marksOnWindows))
	w.b.WriteByte('\n')
}

// marksOnWindows writes remarks about the DSCP and VLAN of a NIC's RDMA packets, which the driver decides.
func marksOnWindows(n *hand, item func(format string, args ...any)) {
	for _, in := range n.Intents {
		p := n.NIC.Packet(in)
		if !p.IP || !n.trust.DSCP {
			continue
		}
		text := fmt.Sprintf("a NetworkDirect policy sets no DSCP. The driver must send priority %d with DSCP %d", in.Group.Cos, p.DSCP)
		if n.driver() == "mlx4" {
			text += fmt.Sprintf(": the text value `PriorityToDscpMappingTable_%d` = `%d` in the driver's registry key of the port. Without this "+
				"value the DSCP is the number of the priority. The adapter restarts", in.Group.Cos, p.DSCP)
		} else {
			text += ": ask the maker for the setting"
		}
		item("%s.", text)
	}
	if n.trust.DSCP {
		item("Windows has no setting for trust: the driver decides which field determines the priority of a received packet. Ask the maker " +
			"how to use DSCP with the map in the table above.")
	}
	if tags := vlans(n); len(tags) > 0 {
		item("the priority is in the VLAN tag (VLAN %s). Below a virtual switch of Hyper-V, set the VLAN on the virtual adapter instead.",
			join(tags))
	}
	for cos, on := range n.ECN {
		if !on {
			continue
		}
		way := "enable"
		if !n.NIC.SlowsDown() {
			way = "disable"
		}
		if n.driver() == "mlx5" {
			item("the driver's tool sets congestion control: `Mlx5Cmd.exe -QoSConfig -Name %s -Dcqcn -%s %d`.",
				cell(single(n.NIC.Name)), strings.ToUpper(way[:1])+way[1:], cos)
		} else {
			item("ask the maker how to %s congestion control (DCQCN) on priority %d.", way, cos)
		}
	}
	if n.CNP != nil {
		item("ask the maker how CNPs get DSCP %d and priority %d.", n.NIC.CNP(n.Intents[0]).DSCP, n.CNP.Cos)
	}
}

// windowsPrints is the part of a sheet about giving the settings to rocec.
const windowsPrints = "\nTo let rocec compare the host with the fabric, run this in a folder with the name of the host, and " +
	"then\n`rocec validate DIR --device-config FOLDER`:\n\n```powershell\n$(foreach ($c in 'Get-NetQosDcbxSetting', " +
	"'Get-NetQosFlowControl', 'Get-NetQosTrafficClass', 'Get-NetQosPolicy', 'Get-NetAdapterQos',\n  'Get-NetAdapterAdvancedProperty " +
	"-AllProperties -RegistryKeyword *FlowControl,*JumboPacket') {\n  \"PS> $c\"; Invoke-Expression $c | Out-String -Width 200\n}) | " +
	"Out-File windows.txt\n```\n"

// alike reports whether two NICs get the same commands of the system.
func alike(a, b *hand) bool {
	return a.PFC == b.PFC && a.TC == b.TC && a.ETS == b.ETS && a.Share == b.Share && a.firmware() == b.firmware()
}

// versions returns the RoCE versions of a NIC's intents.
func versions(n *hand) (out []int) {
	for _, in := range n.Intents {
		if !slices.Contains(out, in.Version) {
			out = append(out, in.Version)
		}
	}
	return out
}

// vlans returns the VLANs whose tag contains the priority.
func vlans(n *hand) (out []int) {
	for _, in := range n.Intents {
		if n.NIC.Packet(in).Tagged && in.VLAN > 0 && !slices.Contains(out, in.VLAN) {
			out = append(out, in.VLAN)
		}
	}
	return out
}

func join(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// single quotes a text for PowerShell, which treats typographic quotes like plain ones (about_Quoting_Rules).
func single(text string) string {
	return "'" + strings.NewReplacer("'", "''", "\u2018", "\u2018\u2018", "\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a", "\u201b",
		"\u201b\u201b").Replace(text) + "'"
}
