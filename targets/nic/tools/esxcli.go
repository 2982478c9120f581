package tools

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// esxcli reads esxcli of ESXi. Sources: Broadcom's ESXCLI command reference (network nic, system module parameters); VMware's "Configuring
// lossless Ethernet for NVMe over RDMA" and NVIDIA's manual of the native driver (nmlx5) for the parameters and the output of "nic get";
// Mellanox's "HowTo Run RoCE over L2 Enabled with PFC (ESXi)", which states that pfctx and pfcrx are masks of priorities and must be
// equal. Rows of "dcb status get" about traffic classes are not read, since no public document describes them.
var esxcli = &Printout{
	Name: "esxcli",
	begins: func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "Nic Name: ") || beginsWith(line, "Name", "Type", "Value", "Description") ||
			beginsWith(line, "Name", "PCI", "Device", "Driver")
	},
	Rows: []Statement{
		{Key: "Nic Name:", Aside: heading, free: true, read: func(r *reader, rest string) string {
			r.about(rest)
			r.heading = "dcb"
			return say(len(r.on) > 0)
		}},
		{Key: "PFC Enabled:", Aside: nic.WhoSets, free: true, read: func(r *reader, rest string) string {
			_, ok := truth(rest)
			r.file = rest
			return say(ok)
		}},
		{Key: "PFC Configuration:", Means: ir.FieldPauses, read: func(r *reader, rest string) string {
			list, ok := digits(rest, 8, 1)
			if ok = ok && len(list) == 8; !ok {
				return noSense
			}
			for prio, on := range list {
				if r.file == "false" {
					on = 0
				}
				put(r, ir.FieldPauses, prio, int8(on), func(n *facts) *int8 { return &n.pfc[prio] })
			}
			return ""
		}},
		{Key: "Pause RX:", Means: ir.FieldLinkPause, read: setRX},
		{Key: "Pause TX:", Means: ir.FieldLinkPause, read: setTX},
		{Key: "Driver:", Means: ir.FieldSystem, read: setDriver},
		{Key: "Firmware Version:", Means: ir.FieldSystem, read: setFirmware},
		{Key: "Name ", With: "Description", Aside: heading, free: true, read: func(r *reader, rest string) string {
			r.heading = "parameters"
			if beginsWith(rest, "PCI") {
				r.heading = "list"
			}
			return ""
		}},
	},
	Options: []Statement{
		{Key: "pfcrx", Means: ir.FieldPauses, free: true, read: readPFCRX},
		{Key: "pfctx", Means: ir.FieldPauses, free: true, read: readPFCTX},
		{Key: "trust_state", Means: ir.FieldTrust, free: true, read: func(r *reader, rest string) string {
			v, ok := number(rest, 2)
			if ok = ok && v > 0; ok {
				r.trust([]int8{trustPCP, trustDSCP}[v-1])
			}
			return say(ok)
		}},
		{Key: "dscp_force", Means: ir.FieldStamps, free: true, read: func(r *reader, rest string) string {
			v, ok := number(rest, 63)
			if ok {
				put(r, ir.FieldStamps, 1, v<<2, func(n *facts) *int { return &n.force })
			}
			return say(ok || rest == "-1")
		}},
		{Key: "pcp_force", Aside: apps},
		{Key: "ecn", Aside: nic.Congestion},
		{Key: "dcbx", Aside: nic.WhoSets},
		{Key: "mtu", Means: ir.FieldMTU, read: func(r *reader, rest string) string {
			mtu, ok := number(rest, 1<<16)
			if ok {
				put(r, ir.FieldMTU, -1, mtu, func(n *facts) *int { return &n.mtu })
			}
			return say(ok)
		}},
		{Key: "other", Aside: nic.NoPriority},
	},
	other: func(p *Printout, r *reader, line string) bool {
		words := strings.Fields(line)
		switch {
		case r.heading == "parameters" && len(words) > 1:
			parameter(p, r, words[0], append(words[2:], "")[0])
		case r.heading == "list" && strings.HasPrefix(words[0], "vmnic"):
			listed(p, r, words)
		case r.heading != "" && strings.Contains(line, ":") || r.heading == "rest":
			r.count(&Statement{Aside: hardware}, "")
		default:
			return false
		}
		return true
	},
	command: esxcliCommand,
}

// parameter reads a parameter of a module. A parameter without a value has the driver's default.
func parameter(p *Printout, r *reader, name, value string) {
	row := p.option(name)
	if _, ok := number(value, 1<<30); row == nil || name == "mtu" || !ok && value != "-1" {
		row = p.option("other")
	}
	ofModule(r)
	r.apply(row, value)
}

// ofModule sets the NICs of a module: all NICs of the fabric except those that are known to have another driver. A driver reads its
// parameters when it is loaded.
func ofModule(r *reader) {
	r.on, r.weak = nil, systemPolicy
	for _, port := range r.h.id.Ports {
		if n := r.h.card(port); n.driver == "" || strings.TrimSuffix(r.device, "_rdma") == strings.TrimSuffix(n.driver, "_core") ||
			n.driver == r.device {
			r.on = append(r.on, n)
		}
	}
}

// moduleMask reads one of the two masks of priorities with PFC. They only count if both are stated and equal.
func moduleMask(r *reader, direction int, rest string) string {
	v, ok := number(rest, 0xff)
	r.app[direction] = v + 1
	switch other := r.app[1-direction]; {
	case !ok:
		return noSense
	case other == 0:
	case other != v+1:
		return "pfctx and pfcrx differ, but must be equal"
	default:
		r.mask(uint8(v))
	}
	return ""
}

func readPFCRX(r *reader, rest string) string { return moduleMask(r, 0, rest) }
func readPFCTX(r *reader, rest string) string { return moduleMask(r, 1, rest) }

// listed reads a row of "nic list": the name of a NIC, its driver, and its MTU after the MAC address.
func listed(p *Printout, r *reader, words []string) {
	r.about(words[0])
	mac := slices.IndexFunc(words, func(w string) bool { return strings.Count(w, ":") == 5 && len(w) == 17 })
	if mac < 3 || mac+1 >= len(words) {
		r.count(&Statement{Aside: hardware}, noSense)
		return
	}
	for _, n := range r.on {
		n.driver = words[2]
	}
	r.apply(p.option("mtu"), words[mac+1])
}

func esxcliCommand(p *Printout, r *reader, args []string) {
	value := func(names ...string) string {
		for i, a := range args {
			name, v, given := strings.Cut(a, "=")
			switch {
			case !slices.Contains(names, name):
			case given:
				return v
			case i+1 < len(args):
				return args[i+1]
			}
		}
		return ""
	}
	r.device = value("-m", "--module")
	what := strings.Join(args, " ")
	is := func(object string) bool { return strings.HasPrefix(what, object) }
	switch {
	case is("network nic dcb status get"), is("network nic get"):
		r.about(value("-n", "--nic-name"))
		r.heading = "nic"
	case is("network nic list"):
		r.heading = "list"
	case is("system module parameters list"):
		r.heading = "parameters"
	case is("system module parameters set"):
		for pair := range strings.FieldsSeq(value("-p", "--parameter-string")) {
			name, v, _ := strings.Cut(pair, "=")
			parameter(p, r, name, v)
		}
		return
	case is("network nic pauseParams set"):
		r.about(value("-n", "--nic-name"))
		r.apply(&Statement{Means: ir.FieldLinkPause, read: setRX}, value("-r", "--rx"))
		r.apply(&Statement{Means: ir.FieldLinkPause, read: setTX}, value("-t", "--tx"))
		return
	default:
		r.heading = "rest"
	}
	r.count(&Statement{Aside: asks}, "")
}
