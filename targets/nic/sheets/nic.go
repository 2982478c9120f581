package sheets

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// hand contains the wanted settings of a NIC that others set. Settings in its by_hand block override those of the fabric.
type hand struct {
	*nic.Settings
	flow  ir.FlowControl
	trust ir.Trust
	pcp   [8]int // PCP to priority
}

func handOf(n *ir.NIC) *hand {
	s := &hand{Settings: (*nic.Family)(nil).Lower(n), flow: ir.PFC}
	if n.ByPause() {
		s.flow = ir.Pause
	}
	s.trust = ir.TrustOf(s.Intents[:1]) // a NIC trusts one field
	if n.Port != nil {
		s.flow, s.trust = n.Port.FlowControl(), n.Port.Trust()
		for cos := range s.PFC {
			sends, obeys := n.Port.Pauses(cos)
			s.PFC[cos] = (sends || obeys) && s.flow != ir.Pause
		}
	}
	s.pcp = ir.MapPCP(n.Device.Fabric.CosGroups, func(v int) int { return v })
	if h := n.Device.ByHand; h != nil {
		s.MapDSCP(h.DSCP)
		for v, to := range h.PCP {
			s.pcp[v] = to.Value
		}
	}
	return s
}

// firmware reports whether the firmware of the NIC uses the settings that the switch advertises.
func (s *hand) firmware() bool { h := s.NIC.Device.ByHand; return h != nil && h.Firmware }

// paused lists the priorities with PFC, and those without.
func (s *hand) paused() (on, off []string) {
	for p, is := range s.PFC {
		if is {
			on = append(on, strconv.Itoa(p))
		} else {
			off = append(off, strconv.Itoa(p))
		}
	}
	return on, off
}

// mask returns the priorities with PFC as bits.
func (s *hand) mask() (mask int) {
	for p, is := range s.PFC {
		if is {
			mask |= 1 << p
		}
	}
	return mask
}

// driver returns the driver of the NIC; empty: unknown.
func (s *hand) driver() string {
	if d := s.NIC.Model.Driver; d != nil {
		return d.Name
	}
	return ""
}

// remarks lists remarks about NICs. The same remark about several NICs is one line.
func remarks(nics []*hand, each func(n *hand, item func(format string, args ...any))) string {
	var order []string
	of := map[string][]string{}
	for _, n := range nics {
		each(n, func(format string, args ...any) {
			text := fmt.Sprintf(format, args...)
			if of[text] == nil {
				order = append(order, text)
			}
			of[text] = append(of[text], "`"+cell(n.NIC.Name)+"`")
		})
	}
	var b strings.Builder
	for _, text := range order {
		fmt.Fprintf(&b, "- %s: %s\n", strings.Join(of[text], ", "), text)
	}
	return b.String()
}

// settings returns the tables of one NIC.
func (s *hand) settings() string {
	n, h := s.NIC, s.NIC.Device.ByHand
	var b strings.Builder
	fmt.Fprintf(&b, "## %s (%s)\n\n| setting | value |\n| --- | --- |\n", n.Name, n.Model.Title)
	row := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{what}, args...)...)
	}
	mtu := "not stated in the fabric; it must be the same on all members"
	if n.MTU > 0 {
		mtu = strconv.Itoa(n.MTU) + " B"
	}
	row("MTU of the interface", "%s", mtu)
	s.flowRows(row)
	row("field that decides the priority of a received packet", "%s", map[ir.Trust]string{
		{DSCP: true}: "DSCP of the IP header", {PCP: true}: "PCP of the VLAN tag",
		{DSCP: true, PCP: true}: "DSCP if the packet has an IP header, else PCP",
	}[s.trust])
	decides := "the host: it accepts no DCB settings from the switch (DCBX off, or not willing)"
	if s.firmware() {
		decides = "the firmware of the NIC, by DCBX, as stated in the fabric"
	}
	row("who decides PFC, shares and maps", "%s", decides)
	for _, in := range s.Intents {
		row("traffic of "+cell(in.Name), "%s", markText(n, in))
		if h != nil && h.System != "" {
			continue // the programs of other systems have no such settings
		}
		row("settings of programs that no default of the NIC reaches: GPUs that create queue pairs, virtual functions, containers",
			"%s", strings.Join(nic.Marks(n.Packet(in), in.ByDSCP()), " "))
		if pod := nic.PodNetwork(n.Packet(in), in); len(pod) > 0 {
			row("network of a pod with a virtual function (SR-IOV CNI)", "%s", strings.Join(pod, ", "))
		}
	}
	if p := n.Parameters; p != nil {
		for _, v := range p.DCQCN {
			row("parameter of DCQCN: "+v.Name, "%d", v.Value)
		}
		for _, v := range p.NVRAM {
			row("parameter that the card stores: "+v.Name, "%s; it takes effect at the next reset of the card", v.Text(v.Value))
		}
		if p.Stall != nil {
			row("time after which a stuck NIC stops sending pauses", "%s", p.Stall.Text(p.Stall.Value))
		}
	}
	if cnp := s.CNP; cnp != nil {
		p := n.CNP(s.Intents[0])
		row("congestion notification packets (CNPs) sent", "DSCP %d, priority %d", p.DSCP, cnp.Cos)
	}
	for cos, on := range s.ECN {
		if on {
			row(fmt.Sprintf("congestion control (DCQCN) on priority %d", cos), "%s",
				map[bool]string{true: "on: the NIC answers marked packets with CNPs, and slows down on " +
					"CNPs", false: "off, as stated in the fabric"}[h == nil ||
					h.DCQCN])
		}
	}
	b.WriteString("\n| priority | cos group | DSCP | PCP | PFC | share when sending |\n| --- | --- | --- | --- | --- | --- |\n")
	for p := range 8 {
		dscp := dash("") // for a NIC that does not trust DSCP
		if s.trust.DSCP {
			dscp = s.codePoints(p)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", p, groupsAt(n.Device.Fabric, p), dscp, valuesAt(s.pcp, p), onOff(s.PFC[p]),
			s.shareText(p))
	}
	b.WriteByte('\n')
	return b.String()
}

// flowRows writes the rows about flow control.
func (s *hand) flowRows(row func(what, format string, args ...any)) {
	on, _ := s.paused()
	switch {
	case s.flow == ir.Pause:
		row("flow control", "link pause (802.3x), sent and obeyed; no PFC")
	case len(on) == 0:
		row("flow control", "none: PFC off on all priorities, link pause off")
	default:
		way := map[ir.FlowControl]string{ir.PFCTx: "sent and not obeyed", ir.PFCRx: "obeyed and not sent"}[s.flow]
		if way == "" {
			way = "sent and obeyed"
		}
		row("flow control", "PFC (802.1Qbb), %s; link pause off in both directions", way)
		row("priorities with PFC", "%s (mask 0x%02x), no others", strings.Join(on, ", "), s.mask())
	}
}

// markText describes how a NIC marks the packets that it sends for an intent.
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

// codePoints returns the DSCP values of a priority: "0-7,32-39".
func (s *hand) codePoints(priority int) string {
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

// shareText describes the share of a priority's traffic class in the link.
func (s *hand) shareText(priority int) string {
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

// cell escapes a name for a cell of a table.
func cell(name string) string { return strings.ReplaceAll(diag.Escape(name), "|", `\|`) }
