package tools

import (
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// niccli reads niccli of Broadcom, and its predecessor bnxtqos. Its output is from AMD's and Broadcom's guides for BCM957608 (getqos,
// get_dscp2prio, dump pri2cos, listdev); its options from Broadcom's bnxt_setupcc.sh, release 236. A device is a number, a PCI address or
// an interface; the list of devices contains all three. The tool does not print whether the NIC trusts DSCP.
var niccli = &Printout{
	Name: "niccli", Aliases: []string{"bnxtqos"},
	begins: func(line string) bool {
		text := strings.TrimSpace(line)
		return text == "IEEE 8021QAZ ETS Configuration TLV:" || text == "IEEE 8021QAZ PFC TLV:" ||
			strings.HasPrefix(text, "Device Interface Name")
	},
	Rows: append([]Statement{
		{Key: "IEEE 8021QAZ", Aside: heading},
		{Key: "TC Rate Limit:", Means: ir.FieldMaxRate, read: func(r *reader, rest string) string {
			percent, ok := digits(rest, 8, 100)
			for tc, n := range percent {
				limit := int64(-1) // percent of a speed that is not printed
				if n == 100 {
					limit = 0
				}
				put(r, ir.FieldMaxRate, tc, limit, func(n *facts) *int64 { return &n.rate[tc] })
			}
			return say(ok)
		}},
		{Key: "dscp2prio mapping:", Aside: heading},
		{Key: "priority:", With: "dscp:", Means: ir.FieldDSCP, read: dscpOfPriority},
		{Key: "Base Queue is", Aside: heading},
		{Key: "Priority", With: "Queue ID", Aside: heading},
		{Key: "Device Interface Name", Aside: which, free: true, read: func(r *reader, rest string) string {
			r.file = strings.TrimSpace(strings.TrimPrefix(rest, ":"))
			r.h.names(r.device, r.file)
			return say(isName(r.file))
		}},
		{Key: "MAC Address", Aside: hardware},
		{Key: "PCI Address", Aside: which, free: true, read: func(r *reader, rest string) string {
			r.h.names(strings.TrimSpace(strings.TrimPrefix(rest, ":")), r.file)
			return ""
		}},
		{Key: "BoardId", Aside: heading},
		{Key: "Scrutiny NIC CLI", Aside: heading},
		{Key: "Broadcom NIC", Aside: heading},
		{Key: "Firmware", Aside: hardware},
	}, tlvRows()...),
	Options: []Statement{
		{Key: "--enable", Means: ir.FieldPauses, read: (*reader).enabled},
		{Key: "--up2tc", Means: ir.FieldQueue, read: setUp2tc},
		{Key: "--tsa", Means: ir.FieldStrict, read: setTSA},
		{Key: "--tcbw", Means: ir.FieldShare, read: setTCBW},
		{Key: "--app", Means: ir.FieldDSCP, read: setApp},
	},
	other: func(_ *Printout, r *reader, line string) bool {
		text := strings.TrimSpace(line)
		if number, rest, ok := strings.Cut(text, ")"); ok && strings.Contains(rest, "BCM") {
			r.device, r.file = strings.TrimSpace(number), ""
			r.count(&Statement{Aside: which}, "")
			return true
		}
		if list, ok := digits(text, 3, 255); ok && len(list) == 3 && list[0] < 8 && list[1] < 8 { // priority, class, queue
			r.apply(&Statement{Means: ir.FieldQueue, read: func(r *reader, _ string) string {
				put(r, ir.FieldQueue, list[0], int8(list[1]), func(n *facts) *int8 { return &n.class[list[0]] })
				return ""
			}}, "")
			return true
		}
		return false
	},
	command: niccliCommand,
}

// older contains the words for these options in niccli before release 230, and in bnxtqos.
var older = sync.OnceValue(func() map[string]string {
	return map[string]string{"enabled": "--enable", "priority2tc": "--up2tc", "tsa": "--tsa", "tcbw": "--tcbw", "app": "--app"}
})

func niccliCommand(p *Printout, r *reader, args []string) {
	dev := ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		if slices.Contains([]string{"-dev", "--dev", "-i"}, name) {
			if !given && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			dev = value
		}
	}
	switch {
	case dev == "":
	case r.h.netdevs[dev] != "" || dev[0] >= '0' && dev[0] <= '9':
		r.aboutDevice(dev)
		if len(r.on) == 0 {
			if name := r.byFile(); name != "" {
				r.about(name)
			}
		}
	default:
		r.about(dev)
	}
	show := slices.ContainsFunc(args, func(w string) bool {
		return w == "--show" || strings.HasPrefix(w, "get") || strings.HasPrefix(w, "list") || w == "dump" || w == "nvm"
	})
	if deletes := slices.Contains(args, "--del") || slices.Contains(args, "-d"); show || deletes || len(args) == 0 {
		if deletes {
			r.forget(&Statement{Means: ir.FieldDSCP})
		}
		r.count(&Statement{Aside: asks}, "")
		return
	}
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		if key := older()[name]; key != "" && given {
			name = key
		}
		row := p.option(name)
		switch {
		case row != nil && !given && i+1 < len(args):
			i++
			value = args[i]
			fallthrough
		case row != nil:
			r.apply(row, value)
		case slices.Contains([]string{"qos", "--ets", "--pfc", "--apptlv", "--add", "set_pfc", "set_ets", "set_apptlv"}, name):
		default:
			r.count(&Statement{Aside: nic.NoPriority}, noOption+": "+args[i])
		}
	}
}
