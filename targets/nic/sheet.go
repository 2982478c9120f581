package nic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Lower gives what a NIC should hold, whatever its driver.
func Lower(n *ir.NIC) *Settings { return (*Family)(nil).lower(n) }

// Sheet says in Markdown, for people, how the NICs of a host that others set by hand must be set, and by which commands of operating
// systems one sees it: what [Lower] comes to, but for what the by_hand block states otherwise. NICs that carry no intent are left out;
// empty: all are. Hosts with equal sheets are set alike.
func Sheet(d *ir.Device) string {
	var b strings.Builder
	for _, n := range d.Host.NICs {
		if len(n.Carries()) > 0 {
			b.WriteString(sheetOf(n))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + seeing
}

// sheetOf is the part of one NIC.
func sheetOf(n *ir.NIC) string {
	s := Lower(n)
	h := n.Device.ByHand
	flow := ir.PFC
	if n.ByPause() {
		flow = ir.Pause
	}
	trust := ir.TrustOf(s.Intents[:1]) // a NIC trusts one field
	if n.Port != nil {
		flow, trust = n.Port.FlowControl(), n.Port.Trust()
		for cos := range s.PFC {
			sends, obeys := n.Port.Pauses(cos)
			s.PFC[cos] = (sends || obeys) && flow != ir.Pause
		}
	}
	pcp := ir.MapPCP(n.Device.Fabric.CosGroups, func(v int) int { return v })
	if h != nil {
		for v, to := range h.DSCP {
			s.DSCP[v] = uint8(to.Value)
		}
		for v, to := range h.PCP {
			pcp[v] = to.Value
		}
		s.run()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## %s (%s)\n\n| setting | value |\n| --- | --- |\n", n.Name, n.Model.Title)
	row := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{what}, args...)...)
	}
	mtu := "not stated in the fabric; the same on all members"
	if n.MTU > 0 {
		mtu = strconv.Itoa(n.MTU) + " B"
	}
	row("MTU of the interface", "%s", mtu)
	flowRows(row, s, flow)
	row("field that tells the priority of a received packet", "%s", map[ir.Trust]string{
		{DSCP: true}: "DSCP of the IP header", {PCP: true}: "PCP of the VLAN tag",
		{DSCP: true, PCP: true}: "DSCP where there is an IP header, else PCP",
	}[trust])
	decides := "the host: not willing to take DCB settings from the switch (DCBX off, or its own)"
	if h != nil && h.Firmware {
		decides = "the firmware of the NIC, by DCBX, as the fabric states"
	}
	row("who decides PFC, shares and maps", "%s", decides)
	for _, in := range s.Intents {
		row("traffic of "+cell(in.Name), "%s", markText(n, in))
		row("settings of its programs, where no default of the NIC reaches them: GPUs that make queue pairs, virtual functions, containers",
			"%s", strings.Join(Marks(n.Packet(in), in.ByDSCP()), " "))
	}
	if cnp := s.CNP; cnp != nil {
		p := n.CNP(s.Intents[0])
		row("congestion notification packets (CNPs) sent", "DSCP %d, priority %d", p.DSCP, cnp.Cos)
	}
	for cos, on := range s.ECN {
		if on {
			row(fmt.Sprintf("congestion control (DCQCN) on priority %d", cos), "%s",
				map[bool]string{true: "on: answers marked packets with CNPs, and slows down on CNPs", false: "off, as the fabric states"}[h == nil ||
					h.DCQCN])
		}
	}
	b.WriteString("\n| priority | cos group | DSCP | PCP | PFC | share when sending |\n| --- | --- | --- | --- | --- | --- |\n")
	for p := range 8 {
		dscp := dash("") // it is not trusted
		if trust.DSCP {
			dscp = s.codePoints(p)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", p, groupsAt(n.Device.Fabric, p), dscp, valuesAt(pcp, p), onOff(s.PFC[p]),
			s.shareText(p))
	}
	b.WriteByte('\n')
	return b.String()
}

// flowRows say how the port is lossless.
func flowRows(row func(what, format string, args ...any), s *Settings, flow ir.FlowControl) {
	var on []string
	mask := 0
	for p, is := range s.PFC {
		if is {
			on, mask = append(on, strconv.Itoa(p)), mask|1<<p
		}
	}
	switch {
	case flow == ir.Pause:
		row("flow control", "link pause (802.3x), sent and obeyed; no PFC")
	case len(on) == 0:
		row("flow control", "none: PFC off on all priorities, link pause off")
	default:
		way := map[ir.FlowControl]string{ir.PFCTx: "sent and not obeyed", ir.PFCRx: "obeyed and not sent"}[flow]
		if way == "" {
			way = "sent and obeyed"
		}
		row("flow control", "PFC (802.1Qbb), %s; link pause off in both directions", way)
		row("priorities with PFC", "%s (mask 0x%02x), no others", strings.Join(on, ", "), mask)
	}
}

// markText says how a NIC marks what it sends for an intent.
func markText(n *ir.NIC, in *ir.Intent) string {
	p := n.Packet(in)
	text := fmt.Sprintf("RoCEv%d, priority %d", in.Version, in.Group.Cos)
	if p.IP {
		text += fmt.Sprintf(", DSCP %d (type of service %d)", p.DSCP, p.DSCP<<2)
	}
	if p.Tagged {
		text += fmt.Sprintf(", tagged with VLAN %d", in.VLAN)
		if !in.ByDSCP() {
			text += fmt.Sprintf(" and PCP %d", p.PCP)
		}
	}
	return text
}

// codePoints are the DSCP values of a priority: "0-7,32-39".
func (s *Settings) codePoints(priority int) string {
	var out []string
	for _, r := range s.Runs {
		switch {
		case int(r.Priority) != priority:
		case r.First == r.Last:
			out = append(out, strconv.Itoa(int(r.First)))
		default:
			out = append(out, fmt.Sprintf("%d-%d", r.First, r.Last))
		}
	}
	return dash(strings.Join(out, ","))
}

// shareText is what the traffic class of a priority gets of the link.
func (s *Settings) shareText(priority int) string {
	tc := s.TC[priority]
	text := "strict priority"
	if s.ETS[tc] {
		text = fmt.Sprintf("%d %% (ETS)", s.Share[tc])
	}
	return fmt.Sprintf("class %d: %s", tc, text)
}

func valuesAt(to [8]int, priority int) string {
	var out []string
	for v, p := range to {
		if p == priority {
			out = append(out, strconv.Itoa(v))
		}
	}
	return dash(strings.Join(out, ","))
}

func groupsAt(f *ir.Fabric, cos int) string {
	names := map[string]bool{}
	for _, g := range f.CosGroups {
		if g.Cos == cos {
			names[cell(g.Name)] = true
		}
	}
	return dash(strings.Join(slices.Sorted(maps.Keys(names)), ", "))
}

func onOff(on bool) string { return map[bool]string{true: "on", false: "off"}[on] }

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// cell makes a name fit a cell of a table.
func cell(name string) string { return strings.ReplaceAll(diag.Escape(name), "|", `\|`) }

// seeing is how one sees the settings. Sources: man pages of dcb (iproute2) and ethtool; Microsoft's "DCB Windows PowerShell User Scripting
// Guide"; Broadcom's ESXCLI command reference 8.0 (network nic, rdma device) and VMware's "Configuring lossless Ethernet for NVMe over
// RDMA".
const seeing = `## How to see it

| system | what | command |
| --- | --- | --- |
| Linux | priorities with PFC | ` + "`dcb pfc show dev IF`" + ` |
| Linux | map from DSCP; what is there means that DSCP is trusted | ` + "`dcb app show dev IF dscp-prio`" + ` |
| Linux | shares, classes | ` + "`dcb ets show dev IF`" + ` |
| Linux | who decides (DCBX) | ` + "`dcb dcbx show dev IF`" + ` |
| Linux | link pause | ` + "`ethtool -a IF`" + ` |
| Linux | MTU, map from priority to PCP | ` + "`ip -d link show dev IF`" + ` |
| Windows | what is in force on an adapter: PFC, shares, maps | ` + "`Get-NetAdapterQos -Name IF`" + ` |
| Windows | priorities with PFC | ` + "`Get-NetQosFlowControl`" + ` |
| Windows | which traffic gets which priority and DSCP | ` + "`Get-NetQosPolicy`" + ` |
| Windows | shares, classes | ` + "`Get-NetQosTrafficClass`" + ` |
| Windows | whether the host is willing (DCBX) | ` + "`Get-NetQosDcbxSetting`" + ` |
| Windows | RDMA on | ` + "`Get-NetAdapterRdma`" + ` |
| ESXi | PFC, shares, DCBX of a NIC | ` + "`esxcli network nic dcb status get -n vmnicN`" + ` |
| ESXi | link pause | ` + "`esxcli network nic get -n vmnicN`" + ` |
| ESXi | RDMA devices, their MTU and uplink | ` + "`esxcli rdma device list`" + ` |
| ESXi | RoCE version | ` + "`esxcli rdma device protocol list`" + ` |
| ESXi | options of the driver, where PFC and trust are set there | ` + "`esxcli system module parameters list -m DRIVER`" + ` |
| arrays, others | the same numbers | in the tool of the maker |
`
