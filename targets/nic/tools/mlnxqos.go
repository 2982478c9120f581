package tools

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// mlnxQos reads mlnx_qos. Its output and options are from its source (Mellanox/mlnx-tools, python/mlnx_qos@088fadb3). Older forms are from
// manuals of MLNX_OFED 2 to 5: without trust and buffers, with "up:" and "skprio:" below the classes.
var mlnxQos = &Printout{
	Name: "mlnx_qos",
	begins: func(line string) bool {
		for _, first := range []string{"DCBX mode:", "Priority trust state:", "PFC configuration:"} {
			if strings.HasPrefix(line, first) {
				return true
			}
		}
		return false
	},
	Rows: []Statement{
		{Key: "DCBX mode:", Aside: nic.WhoSets},
		{Key: "Priority trust state:", Means: ir.FieldTrust, read: func(r *reader, rest string) string {
			switch rest {
			case "dscp":
				r.trust(trustDSCP)
			case "pcp":
				r.trust(trustPCP)
			case "none", "":
			default:
				return noSense
			}
			return ""
		}},
		{Key: "Priority trust", With: "not supported", Aside: absent},
		{Key: "Buffers commands are not supported", Aside: absent},
		{Key: "dscp2prio mapping:", Means: ir.FieldDSCP, read: func(r *reader, _ string) string {
			r.noDSCP()
			return ""
		}},
		{Key: "prio:", With: "dscp:", Means: ir.FieldDSCP, read: dscpOfPriority},
		{Key: "prio:", Aside: default_},
		{Key: "default priority:", Aside: default_},
		{Key: "Receive buffer size (bytes):", Means: ir.FieldBuffer, read: func(r *reader, rest string) string {
			list, _, _ := strings.Cut(rest, "max_buffer_size")
			list, _, _ = strings.Cut(list, "total_size")
			sizes, ok := digits(list, 8, 1<<30)
			if ok {
				setList(r, ir.FieldBuffer, sizes, func(n *facts) *[8]int { return &n.size })
			}
			return say(ok)
		}},
		{Key: "Cable len:", Means: ir.FieldCable, read: func(r *reader, rest string) string {
			metres, ok := number(rest, 65535)
			if ok {
				put(r, ir.FieldCable, -1, metres, func(n *facts) *int { return &n.cable })
			}
			return say(ok)
		}},
		{Key: "PFC configuration:", Aside: heading},
		{Key: "enabled", Means: ir.FieldPauses, read: func(r *reader, rest string) string {
			on, ok := digits(rest, 8, 1)
			if ok = ok && len(on) == 8; ok {
				setList(r, ir.FieldPauses, small(on), func(n *facts) *[8]int8 { return &n.pfc })
			}
			return say(ok)
		}},
		{Key: "buffer", Means: ir.FieldGroup, read: func(r *reader, rest string) string {
			buffers, ok := digits(rest, 8, 7)
			if ok = ok && len(buffers) == 8; ok {
				setList(r, ir.FieldGroup, small(buffers), func(n *facts) *[8]int8 { return &n.buffer })
			}
			return say(ok)
		}},
		{Key: "tc:", With: "tsa:", Means: ir.FieldStrict, More: []ir.Field{ir.FieldShare, ir.FieldMaxRate}, read: readClass},
		{Key: "priority:", Means: ir.FieldQueue, read: readClassPriority},
		{Key: "priority", Aside: heading},
		{Key: "up:", Means: ir.FieldQueue, read: readClassPriority},
		{Key: "skprio:", Aside: nic.NoPriority},
		{Key: "****** WARNING: lldpad", Aside: nic.WhoSets},
	},
	Options: []Statement{
		{Key: "--interface", Short: "-i", Aside: asks},
		{Key: "--dcbx", Short: "-d", Aside: nic.WhoSets},
		{Key: "--pfc", Short: "-f", Means: ir.FieldPauses, read: func(r *reader, rest string) string {
			on, ok := digits(rest, 8, 1)
			if ok = ok && len(on) == 8; ok {
				setList(r, ir.FieldPauses, small(on), func(n *facts) *[8]int8 { return &n.pfc })
			}
			return say(ok)
		}},
		{Key: "--prio_tc", Short: "-p", Means: ir.FieldQueue, read: func(r *reader, rest string) string {
			classes, ok := digits(rest, 8, 7)
			if ok {
				setList(r, ir.FieldQueue, small(classes), func(n *facts) *[8]int8 { return &n.class })
			}
			return say(ok)
		}},
		{Key: "--tsa", Short: "-s", Means: ir.FieldStrict, read: func(r *reader, rest string) string {
			var list []int8
			for word := range strings.SplitSeq(rest, ",") {
				a, ok := algorithm(word)
				if !ok || len(list) == 8 {
					return noSense
				}
				list = append(list, a)
			}
			setList(r, ir.FieldStrict, list, func(n *facts) *[8]int8 { return &n.algorithm })
			return ""
		}},
		{Key: "--tcbw", Short: "-t", Means: ir.FieldShare, read: func(r *reader, rest string) string {
			shares, ok := digits(rest, 8, 100)
			if ok {
				setList(r, ir.FieldShare, small(shares), func(n *facts) *[8]int8 { return &n.share })
			}
			return say(ok)
		}},
		{Key: "--ratelimit", Short: "-r", Means: ir.FieldMaxRate, read: func(r *reader, rest string) string {
			var list []int64
			for word := range strings.SplitSeq(rest, ",") {
				gbit, err := strconv.ParseFloat(word, 64)
				if err != nil || len(list) == 8 || gbit < 0 || gbit > 1e6 {
					return noSense
				}
				list = append(list, int64(gbit*1e9))
			}
			setList(r, ir.FieldMaxRate, list, func(n *facts) *[8]int64 { return &n.rate })
			return ""
		}},
		{Key: "--trust", Means: ir.FieldTrust, More: []ir.Field{ir.FieldDSCP}, read: setTrust},
		// An entry for DSCP makes mlx5 trust DSCP (Linux, mlx5/core/en_dcbnl.c: mlx5e_dcbnl_ieee_setapp).
		{Key: "--dscp2prio", Means: ir.FieldDSCP, More: []ir.Field{ir.FieldTrust}, read: func(r *reader, rest string) string {
			words := strings.Split(rest, ",")
			if rest == "flush" {
				r.noDSCP()
				r.trust(trustPCP)
				return ""
			}
			if len(words) != 3 || words[0] != "set" && words[0] != "del" {
				return noSense
			}
			v, ok := number(words[1], 63)
			prio, is := number(words[2], 7)
			switch {
			case !ok || !is:
				return noSense
			case words[0] == "del":
				r.dscp(v, 0) // mlx5e_dcbnl_ieee_delapp sets it to 0
			default:
				r.factoryDSCP()
				r.trust(trustDSCP)
				r.dscp(v, prio)
			}
			return ""
		}},
		{Key: "--defltprio", Aside: default_},
		// Without --pfc some releases write a mask of zeros (mlnx_qos@088fadb3), so the mask is then unknown.
		{Key: "--cable_len", Means: ir.FieldCable, read: func(r *reader, rest string) string {
			metres, ok := number(rest, 65535)
			if ok {
				put(r, ir.FieldCable, -1, metres, func(n *facts) *int { return &n.cable })
			}
			return say(ok)
		}},
		{Key: "--prio2buffer", Means: ir.FieldGroup, read: func(r *reader, rest string) string {
			buffers, ok := digits(rest, 8, 7)
			if ok {
				setList(r, ir.FieldGroup, small(buffers), func(n *facts) *[8]int8 { return &n.buffer })
			}
			return say(ok)
		}},
		{Key: "--buffer_size", Means: ir.FieldBuffer, read: func(r *reader, rest string) string {
			sizes, ok := digits(rest, 8, 1<<30)
			if ok {
				setList(r, ir.FieldBuffer, sizes, func(n *facts) *[8]int { return &n.size })
			}
			return say(ok)
		}},
		{Key: "--all", Short: "-a", Aside: asks, flag: true},
		{Key: "--help", Short: "-h", Aside: asks, flag: true},
		{Key: "--version", Aside: asks, flag: true},
	},
	command: func(p *Printout, r *reader, args []string) {
		all, bad := p.options(args)
		r.about(optionOf(all, "--interface"))
		r.class = -1
		if bad != "" {
			r.refuse(bad)
			return
		}
		if !r.uncertain && optionOf(all, "--trust") != "" && optionOf(all, "--dscp2prio") != "" {
			r.miss(r.text, "mlnx_qos takes either --trust or --dscp2prio")
			all = slices.DeleteFunc(all, func(o option) bool { return o.row.Key == "--trust" || o.row.Key == "--dscp2prio" })
		}
		if optionOf(all, "--cable_len") != "" && optionOf(all, "--pfc") == "" {
			r.forget(&Statement{Means: ir.FieldPauses})
		}
		for _, o := range all {
			if o.row.read != nil || o.row.Aside != asks {
				r.apply(o.row, o.value)
			}
		}
		if !slices.ContainsFunc(all, func(o option) bool { return o.row.read != nil || o.row.Aside != asks }) {
			r.count(&Statement{Aside: asks}, "")
		}
	},
}

// setTrust reads --trust. If the NIC did not trust DSCP before, each DSCP gets the priority of its upper three bits (mlnx_qos@088fadb3:
// setDefaultAppEntry), as in the firmware's map. If it did, the map does not change.
func setTrust(r *reader, rest string) string {
	switch rest {
	case "dscp":
		r.factoryDSCP()
		r.trust(trustDSCP)
	case "pcp":
		r.noDSCP()
		r.trust(trustPCP)
	default:
		return noSense
	}
	return ""
}

// factoryDSCP gives each DSCP without a known priority the priority of its upper three bits.
func (r *reader) factoryDSCP() {
	all := r.on
	for _, n := range all {
		r.on = []*card{n}
		for v, prio := range n.dscp {
			if prio < 0 && n.trust != trustDSCP {
				r.dscp(v, v>>3)
			}
		}
	}
	r.on = all
}

// readClass reads " 0 ratelimit: unlimited, tsa: ets, bw: 50%".
func readClass(r *reader, rest string) string {
	word, text, _ := strings.Cut(rest, "ratelimit:")
	tc, ok := number(word, 7)
	limit, text, _ := strings.Cut(text, ",")
	text, share, hasShare := strings.Cut(text, "bw:")
	_, name, _ := strings.Cut(strings.TrimRight(text, ", "), "tsa:")
	a, known := algorithm(strings.TrimSpace(name))
	if r.class = -1; ok {
		r.class = tc // also with an unknown algorithm
	}
	if !ok || !known {
		return noSense
	}
	put(r, ir.FieldStrict, tc, a, func(n *facts) *int8 { return &n.algorithm[tc] })
	if percent, ok := number(strings.TrimSuffix(strings.TrimSpace(share), "%"), 100); hasShare && ok {
		put(r, ir.FieldShare, tc, int8(percent), func(n *facts) *int8 { return &n.share[tc] })
	}
	bits := int64(-1)
	if limit = strings.TrimSpace(limit); limit == "unlimited" {
		bits = 0
	} else if word, ok := strings.CutSuffix(limit, "Gbps"); ok {
		if gbit, err := strconv.ParseFloat(strings.TrimSpace(word), 64); err == nil && gbit >= 0 && gbit < 1e6 {
			bits = int64(gbit * 1e9)
		}
	}
	put(r, ir.FieldMaxRate, tc, bits, func(n *facts) *int64 { return &n.rate[tc] })
	return say(bits >= 0)
}

// readClassPriority reads the priorities of the class above.
func readClassPriority(r *reader, rest string) string {
	list, ok := digits(rest, 8, 7)
	if r.class < 0 || !ok {
		return noSense
	}
	for _, prio := range list {
		put(r, ir.FieldQueue, prio, int8(r.class), func(n *facts) *int8 { return &n.class[prio] })
	}
	return ""
}

// dscpOfPriority reads the DSCP values of a priority: "3 dscp:24,25,", as mlnx_qos and niccli print them.
func dscpOfPriority(r *reader, rest string) string {
	word, list, _ := strings.Cut(rest, "dscp:")
	prio, ok := number(word, 7)
	values, is := digits(list, 64, 63)
	if !ok || !is {
		return noSense
	}
	for _, v := range values {
		r.dscp(v, prio)
	}
	return ""
}
