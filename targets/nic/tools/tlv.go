package tools

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// The elements of DCBX (IEEE 802.1Qaz), which lldptool and niccli print with the same words.

// tlvRows returns the statements that both tools print.
func tlvRows() []Statement {
	return []Statement{
		{Key: "Willing:", Aside: nic.WhoSets},
		{Key: "CBS:", Aside: hardware},
		{Key: "MAX_TCS:", Aside: hardware},
		{Key: "PRIO_MAP:", Means: ir.FieldQueue, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldQueue, rest, smallWord(7), func(n *facts) *[8]int8 { return &n.class })
		}},
		{Key: "TC Bandwidth:", Means: ir.FieldShare, read: func(r *reader, rest string) string {
			shares, ok := digits(rest, 8, 100)
			if ok {
				setList(r, ir.FieldShare, small(shares), func(n *facts) *[8]int8 { return &n.share })
			}
			return say(ok)
		}},
		{Key: "TSA_MAP:", Means: ir.FieldStrict, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldStrict, rest, algorithm, func(n *facts) *[8]int8 { return &n.algorithm })
		}},
		{Key: "MACsec Bypass Capable:", Aside: hardware},
		{Key: "PFC capable traffic classes:", Aside: hardware},
		{Key: "PFC enabled:", Means: ir.FieldPauses, read: (*reader).enabled},
		{Key: "APP#", Aside: heading, free: true, read: newApp},
		{Key: "App#", Aside: heading, free: true, read: newApp},
		{Key: "Priority:", Aside: apps, free: true, read: func(r *reader, rest string) string {
			prio, ok := number(rest, 7)
			r.app[0] = prio
			return say(ok)
		}},
		{Key: "Sel:", Aside: apps, free: true, read: func(r *reader, rest string) string {
			sel, ok := number(rest, 7)
			r.app[1] = sel
			return say(ok)
		}},
		{Key: "DSCP:", Means: ir.FieldDSCP, read: func(r *reader, rest string) string {
			v, ok := number(rest, 63)
			if ok = ok && r.app[0] >= 0; ok {
				r.dscp(v, r.app[0])
			}
			return say(ok)
		}},
		{Key: "UDP or DCCP", Aside: apps},
		{Key: "{S}TCP Port:", Aside: apps},
		{Key: "DGRAM Port:", Aside: apps},
		{Key: "TCP/UDP Port:", Aside: apps},
		{Key: "TCP or SCTP", Aside: apps},
		{Key: "Ethertype:", Aside: apps},
	}
}

func newApp(r *reader, _ string) string {
	r.app = [3]int{-1, -1, -1}
	return ""
}

// lldptool reads lldptool of lldpad: the elements that it prints (-t) and sets (-T). Sources: openlldp, lldp_8021qaz_clif.c, and the
// manuals lldptool-pfc, lldptool-ets and lldptool-app. It prints the configuration of lldpad instead of the NIC's; -n prints the peer's.
var lldptool = &Printout{
	Name: "lldptool", weak: daemon,
	begins: func(line string) bool {
		return slices.Contains([]string{
			"IEEE 8021QAZ ETS Configuration TLV", "IEEE 8021QAZ ETS Recommendation TLV", "IEEE 8021QAZ PFC TLV", "IEEE 8021QAZ APP TLV",
			"Chassis ID TLV",
		}, strings.TrimSpace(line))
	},
	Rows: append([]Statement{
		{Key: "IEEE 8021QAZ ETS Configuration TLV", Aside: heading},
		{Key: "IEEE 8021QAZ PFC TLV", Aside: heading},
		{Key: "IEEE 8021QAZ APP TLV", Aside: heading},
		{Key: "enabled=", Means: ir.FieldPauses, read: (*reader).enabled},
		{Key: "up2tc=", Means: ir.FieldQueue, read: setUp2tc},
		{Key: "tsa=", Means: ir.FieldStrict, read: setTSA},
		{Key: "tcbw=", Means: ir.FieldShare, read: setTCBW},
		{Key: "willing=", Aside: nic.WhoSets},
		{Key: "enableTx=", Aside: nic.WhoSets},
		{Key: "delay=", Aside: nic.NoPriority},
		{Key: "Agent instance", Aside: nic.WhoSets},
	}, tlvRows()...),
	Options: []Statement{
		{Key: "enabled", Means: ir.FieldPauses, read: (*reader).enabled},
		{Key: "up2tc", Means: ir.FieldQueue, read: setUp2tc},
		{Key: "tsa", Means: ir.FieldStrict, read: setTSA},
		{Key: "tcbw", Means: ir.FieldShare, read: setTCBW},
		{Key: "app", Means: ir.FieldDSCP, read: setApp},
		{Key: "willing", Aside: nic.WhoSets},
		{Key: "enableTx", Aside: nic.WhoSets},
		{Key: "adminStatus", Aside: nic.WhoSets},
		{Key: "mode", Aside: nic.WhoSets},
		{Key: "delay", Aside: nic.NoPriority},
		{Key: "numtcs", Aside: hardware},
	},
	other: func(_ *Printout, r *reader, line string) bool {
		if text := strings.TrimSpace(line); strings.HasSuffix(text, " TLV") || strings.HasSuffix(text, " LTV") {
			r.heading = "other"
			r.count(&Statement{Aside: peer}, "")
			return true
		}
		if r.heading == "other" && (line[0] == ' ' || line[0] == '\t') {
			r.count(&Statement{Aside: peer}, "")
			return true
		}
		return false
	},
	command: lldptoolCommand,
}

func setUp2tc(r *reader, rest string) string {
	return setEach(r, ir.FieldQueue, rest, smallWord(7), func(n *facts) *[8]int8 { return &n.class })
}

func setTSA(r *reader, rest string) string {
	return setEach(r, ir.FieldStrict, rest, algorithm, func(n *facts) *[8]int8 { return &n.algorithm })
}

func setTCBW(r *reader, rest string) string {
	shares, ok := digits(rest, 8, 100)
	if ok {
		setList(r, ir.FieldShare, small(shares), func(n *facts) *[8]int8 { return &n.share })
	}
	return say(ok)
}

// setApp reads "PRIORITY,SELECTOR,PROTOCOL"; selector 5 is DSCP.
func setApp(r *reader, rest string) string {
	words := strings.Split(rest, ",")
	if len(words) != 3 {
		return noSense
	}
	prio, ok := number(words[0], 7)
	sel, is := number(words[1], 7)
	protocol, known := number(words[2], 1<<16)
	if !ok || !is || !known || sel == 5 && protocol > 63 {
		return noSense
	}
	if sel == 5 {
		r.dscp(protocol, prio)
	}
	return ""
}

func lldptoolCommand(p *Printout, r *reader, args []string) {
	dev, set, neighbour, deletes, app := "", false, false, false, false
	var values []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && len(arg) > 1:
			set = set || strings.ContainsAny(arg, "TL") || arg == "set-tlv" || arg == "set-lldp"
			neighbour = neighbour || strings.Contains(arg, "n")
			deletes = deletes || strings.Contains(arg, "d")
			if strings.HasSuffix(arg, "i") && i+1 < len(args) {
				i++
				dev = args[i]
			} else if (strings.HasSuffix(arg, "V") || strings.HasSuffix(arg, "g")) && i+1 < len(args) {
				i++
				app = args[i] == "APP"
			}
		case strings.HasPrefix(arg, "i="):
			dev = arg[2:]
		case arg == "set-tlv" || arg == "set-lldp":
			set = true
		case strings.Contains(arg, "="):
			values = append(values, arg)
		}
	}
	r.about(dev)
	if neighbour && !set { // the output is about the peer
		r.on, r.tool = nil, peersLLDP
		r.count(&Statement{Aside: asks}, "")
		return
	}
	if !set || len(values) == 0 {
		r.count(&Statement{Aside: asks}, "")
		return
	}
	for _, v := range values {
		key, value, _ := strings.Cut(v, "=")
		switch row := p.option(key); {
		case row == nil:
			r.refuse(v)
		case deletes || app && key != "app" && row.read != nil:
			r.forget(row)
			r.count(&Statement{Aside: apps}, "")
		default:
			r.apply(row, value)
		}
	}
}

// peersLLDP reads the state of the peer in the output of lldptool -n.
var peersLLDP = &Printout{
	Name: "lldptool of the peer",
	other: func(_ *Printout, r *reader, line string) bool {
		text := strings.TrimSpace(line)
		if strings.HasSuffix(text, " TLV") || line[0] == ' ' || line[0] == '\t' {
			r.count(&Statement{Aside: peer}, "")
			return true
		}
		return false
	},
}
