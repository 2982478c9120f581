package tools

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// nicctl reads nicctl of AMD Pensando: "show qos" and "show port". No manual of the tool is public. The forms are those of the test data of
// AMD's collector (amd/node-scraper@d4070e9d, test/unit/plugin/test_network_collector.py). A card is named by its PCI address, which may
// be the address of its bridge: then the interface is unknown.
//
// PFC is in force only if the type of pauses of the port is PFC. ethtool -a prints the directions without the type (Linux,
// ionic_ethtool.c: ionic_get_pauseparam).
var nicctl = &Printout{
	Name: "nicctl",
	begins: func(line string) bool {
		return strings.HasPrefix(line, "NIC ") && strings.Contains(line, ":") && strings.HasSuffix(line, ")")
	},
	Rows: []Statement{
		{Key: "NIC ", With: ":", Aside: which, free: true, read: func(r *reader, rest string) string {
			r.columns = nil
			_, pci, ok := strings.Cut(strings.TrimSuffix(rest, ")"), "(")
			if r.on = nil; ok {
				r.aboutDevice(pci)
			}
			if name := r.byFile(); len(r.on) == 0 && name != "" {
				r.about(name)
			}
			return say(ok)
		}},
		// A card with two ports prints both below one address: the interface of the second port is unknown.
		{Key: "Port :", Aside: which, free: true, read: func(r *reader, rest string) string {
			id, _, _ := strings.Cut(rest, " ")
			if len(r.columns) > 0 && r.columns[0] != id {
				r.on = nil
			}
			r.columns = []string{id}
			return ""
		}},
		{Key: "Classification type", Means: ir.FieldTrust, read: func(r *reader, rest string) string {
			t, ok := map[string]int8{"DSCP": trustDSCP, "PCP": trustPCP}[after(rest)]
			if ok {
				r.trust(t)
			}
			return say(ok)
		}},
		{Key: "DSCP-to-", Aside: heading},
		{Key: "DSCP bitmap", Aside: "the next line has the same values as a list"},
		{Key: "DSCP ", With: "==> priority", Means: ir.FieldDSCP, read: func(r *reader, rest string) string {
			list, prio, _ := strings.Cut(after(rest), "==> priority")
			to, ok := number(after(prio), 7)
			values, valid := ranges(list, 63)
			if !ok || !valid {
				return noSense
			}
			for _, v := range values {
				r.dscp(v, to)
			}
			return ""
		}},
		{Key: "DSCP ", With: "==> purpose", Aside: apps},
		{Key: "PFC priority bitmap", Means: ir.FieldPauses, read: func(r *reader, rest string) string {
			mask, err := strconv.ParseUint(after(rest), 0, 8)
			if err != nil {
				return noSense
			}
			for prio := range 8 {
				put(r, ir.FieldPauses, prio, int8(mask>>prio&1), func(n *facts) *int8 { return &n.pfc[prio] })
			}
			return ""
		}},
		// A priority with PFC whose class may drop is not lossless, and the other way round: then PFC is not known.
		{Key: "PFC no-drop priorities", Means: ir.FieldPauses, read: func(r *reader, rest string) string {
			list, ok := ranges(after(rest), 7)
			for _, n := range r.on {
				for prio := range 8 {
					ok = ok && (n.pfc[prio] == 1) == slices.Contains(list, prio)
				}
			}
			if !ok {
				r.forget(&Statement{Means: ir.FieldPauses})
			}
			return say(ok)
		}},
		{Key: "PFC :", Aside: heading},
		{Key: "Scheduling :", Aside: heading},
		{Key: "Priority ", With: "Scheduling", Aside: heading},
		{Key: "Type ", With: "in %age", Aside: heading},
		{Key: "Spec:", Aside: "a heading"},
		{Key: "Status:", Aside: "a heading"},
		{Key: "Pause type", Means: ir.FieldLinkPause, read: func(r *reader, rest string) string {
			kind := slices.Index([]string{"NONE", "LINK", "PFC"}, strings.ToUpper(after(rest))) // in the order of the constants
			put(r, ir.FieldLinkPause, -1, int8(kind), func(n *facts) *int8 { return &n.kind })
			return say(kind >= 0)
		}},
		{Key: "TX pause", Means: ir.FieldLinkPause, read: func(r *reader, rest string) string { return setTX(r, switched(rest)) }},
		{Key: "RX pause", Means: ir.FieldLinkPause, read: func(r *reader, rest string) string { return setRX(r, switched(rest)) }},
		{Key: "MTU", Aside: "the largest frame of the port, and not the MTU of the interface"},
	},
	other: func(_ *Printout, r *reader, line string) bool {
		words := strings.Fields(line)
		if len(words) == 4 && slices.Contains([]string{"DWRR", "strict"}, words[1]) { // priority, algorithm, share, limit
			r.apply(&Statement{Means: ir.FieldStrict, More: []ir.Field{ir.FieldShare, ir.FieldQueue}, read: scheduled}, line)
			return true
		}
		if !strings.HasPrefix(line, "    ") || !strings.Contains(line, " : ") { // further facts of a port
			return false
		}
		r.count(&Statement{Aside: hardware}, "")
		return true
	},
	command: func(_ *Printout, r *reader, args []string) {
		if len(args) > 0 && args[0] == "show" {
			r.count(&Statement{Aside: asks}, "")
			return
		}
		r.miss(r.text, noCommand)
	},
}

// scheduled reads a row of the schedule: each priority has a class with its number.
func scheduled(r *reader, line string) string {
	words := strings.Fields(line)
	prio, ok := number(words[0], 7)
	share, is := number(strings.Replace(words[2], "N/A", "0", 1), 100)
	if !ok || !is {
		return noSense
	}
	put(r, ir.FieldQueue, prio, int8(prio), func(n *facts) *int8 { return &n.class[prio] })
	kind := strict
	if words[1] == "DWRR" {
		kind = ets
		put(r, ir.FieldShare, prio, int8(share), func(n *facts) *int8 { return &n.share[prio] })
	}
	put(r, ir.FieldStrict, prio, kind, func(n *facts) *int8 { return &n.algorithm[prio] })
	return ""
}

// after returns the value after the colon of a row.
func after(rest string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), ":"))
}

// switched converts the words of the tool to those of ethtool.
func switched(rest string) string {
	return strings.NewReplacer("enabled", "on", "disabled", "off").Replace(after(rest))
}

// ranges reads a list of numbers and ranges, "0-9, 11-45, 47"; an empty list is valid.
func ranges(text string, most int) (out []int, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		low, high, two := strings.Cut(part, "-")
		from, ok := number(low, most)
		to, is := from, ok
		if two {
			to, is = number(high, most)
		}
		if !ok || !is || to < from {
			return nil, false
		}
		for v := from; v <= to; v++ {
			out = append(out, v)
		}
	}
	return out, true
}
