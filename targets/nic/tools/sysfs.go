package tools

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// sysfs reads the contents of driver files from the output of "grep . FILE…", "cat FILE" and "head FILE…", and from scripts that write
// files by echo. The formats of MLNX_OFED's files are documented by its code (mlx5 of MLNX_OFED 24.07) and by mlnx_qos, which reads some.
var sysfs = &Printout{
	Name: "grep", Aliases: []string{"cat", "head", "tail"},
	begins: func(line string) bool {
		text := strings.TrimPrefix(line, "==> ")
		return strings.HasPrefix(text, "/sys/class/infiniband/") || strings.HasPrefix(text, "/sys/class/net/") ||
			strings.HasPrefix(text, "/sys/kernel/config/rdma_cm/") || strings.HasPrefix(text, moduleFolder)
	},
	Options: sysfsRows,
	other: func(_ *Printout, r *reader, line string) bool {
		text := strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(text, "==> "); ok {
			r.file = strings.TrimSpace(strings.TrimSuffix(name, "<=="))
			r.count(&Statement{Aside: heading}, "")
			return true
		}
		if file, value, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(file, "/sys/") {
			return r.sysFile(file, value)
		}
		return r.file != "" && r.sysFile(r.file, text)
	},
	command: func(_ *Printout, r *reader, args []string) {
		for _, a := range args {
			if strings.HasPrefix(a, "/sys/") && !strings.ContainsAny(a, "*?{$") {
				r.file = a
			}
		}
		r.count(&Statement{Aside: asks}, "")
	},
}

// sysfsRows are the files, by their name or the name of their folder.
var sysfsRows = []Statement{
	{Key: "traffic_class", Means: ir.FieldStamps, read: func(r *reader, rest string) string {
		rest = strings.TrimPrefix(rest, "Global ")
		before, value, rule := strings.Cut(rest, "tclass=")
		if !rule {
			before, value = "", rest
		}
		tos, ok := number(value, 255)
		switch {
		case value == "-1" && before == "":
			put(r, ir.FieldStamps, 1, -2, func(n *facts) *int { return &n.force })
		case !ok:
			return noSense
		case before != "": // exceptions by address
			for _, n := range r.on {
				n.rules = append(slices.Clip(n.rules), tos)
				n.note(r, ir.FieldStamps, 2)
			}
		default:
			put(r, ir.FieldStamps, 1, tos, func(n *facts) *int { return &n.force })
		}
		return ""
	}},
	{Key: "default_roce_tos", Means: ir.FieldStamps, read: setTOS},
	{Key: "default_roce_mode", Aside: nic.NoPriority},
	{Key: "ttl", Aside: nic.NoPriority},
	{Key: "ecn", Aside: nic.Congestion},
	{Key: "hw_counters", Aside: counter},
	{Key: "counters", Aside: counter},
	{Key: "statistics", Aside: counter},
	{Key: "ndevs", Aside: which},
	{Key: "types", Aside: which},
	{Key: "gids", Aside: which},
	{Key: "fw_ver", Means: ir.FieldSystem, free: true, read: func(r *reader, rest string) string {
		r.hasFirmware(rest)
		return ""
	}},
	{Key: "trust", Means: ir.FieldTrust, read: func(r *reader, rest string) string {
		t, ok := map[string]int8{"dscp": trustDSCP, "pcp": trustPCP, "both": trustBoth}[rest]
		if ok {
			r.trust(t)
		}
		return say(ok)
	}},
	// Files in the folder qos of an interface, which mlnx_qos@088fadb3 reads and writes: lines of numbers below a heading, or a list.
	{Key: "buffer_size", Means: ir.FieldBuffer, More: []ir.Field{ir.FieldXoff, ir.FieldXon}, read: readBufferFile},
	{Key: "prio2buffer", Means: ir.FieldGroup, read: func(r *reader, rest string) string {
		list, ok := digits(rest, 8, 7)
		switch {
		case !ok:
			return noSense
		case strings.Contains(rest, ","):
			setList(r, ir.FieldGroup, small(list), func(n *facts) *[8]int8 { return &n.buffer })
			return ""
		case len(list) != 2:
			return noSense
		}
		put(r, ir.FieldGroup, list[0], int8(list[1]), func(n *facts) *int8 { return &n.buffer[list[0]] })
		return ""
	}},
	{Key: "dscp2prio", Means: ir.FieldDSCP, read: func(r *reader, rest string) string {
		list, ok := digits(rest, 2, 63)
		if ok = ok && len(list) == 2 && list[1] < 8; ok {
			r.dscp(list[0], list[1])
		}
		return say(ok)
	}},
	{Key: "maxrate", Means: ir.FieldMaxRate, read: func(r *reader, rest string) string {
		var list []int64
		for word := range strings.FieldsSeq(rest) {
			gbit, err := strconv.ParseFloat(word, 64)
			if err != nil || len(list) == 8 || gbit < 0 || gbit > 1e6 {
				return noSense
			}
			list = append(list, int64(gbit*1e9))
		}
		setList(r, ir.FieldMaxRate, list, func(n *facts) *[8]int64 { return &n.rate })
		return ""
	}},
	{Key: "mtu", Means: ir.FieldMTU, read: func(r *reader, rest string) string {
		mtu, ok := number(rest, 1<<16)
		if ok {
			put(r, ir.FieldMTU, -1, mtu, func(n *facts) *int { return &n.mtu })
		}
		return say(ok)
	}},
	{Key: "speed", Means: ir.FieldSpeed, read: func(r *reader, rest string) string {
		mbit, ok := number(rest, 1<<30)
		if ok {
			put(r, ir.FieldSpeed, -1, int64(mbit)*1e6, func(n *facts) *int64 { return &n.speed })
		}
		return say(ok || rest == "-1")
	}},
	{Key: "columns", Aside: heading}, // no file: the line above the numbers of a table
	{Key: "other", Aside: nic.NoPriority},
}

// sysFile reads the value in a file of a driver. It returns whether the file belongs to a NIC.
func (r *reader) sysFile(file, value string) bool {
	parts := strings.Split(strings.TrimPrefix(file, "/"), "/")
	value = strings.TrimSpace(value)
	if len(parts) < 4 {
		return false
	}
	key, ofModule := parts[len(parts)-1], strings.HasPrefix("/"+strings.Join(parts, "/"), moduleFolder)
	if ofModule {
		key = "ecn"
	}
	for _, p := range []string{"ecn", "hw_counters", "counters", "statistics", "ndevs", "types", "gids"} {
		if slices.Contains(parts[3:], p) {
			key = p
		}
	}
	if slices.Contains(tables, key) && strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyz") {
		r.columns = strings.Fields(value)
		r.count(sysfsRow("columns"), "")
		return true
	}
	row := sysfsRow(key)
	r.uncertain = r.uncertain || strings.ContainsAny(file, "$*?{")
	switch where := strings.Join(parts[:min(3, len(parts))], "/"); {
	case where == "sys/class/infiniband" && len(parts) > 4 || where == "sys/kernel/config" && len(parts) > 4 && parts[3] == "rdma_cm":
		r.device = parts[len(parts)-len(parts[3:])]
		if where == "sys/kernel/config" {
			r.device = parts[4]
		}
		if key == "ndevs" && parts[len(parts)-1] == "0" {
			r.h.names(r.device, value)
		}
		if row.free {
			r.apply(row, value)
			return true
		}
		r.ofDevice(row, value)
	case where == "sys/class/net" && len(parts) > 4, ofModule:
		if row.read != nil {
			r.about(parts[3])
		}
		r.apply(row, value)
	default:
		return false
	}
	return true
}

// moduleFolder has the parameters of DCQCN of Marvell's own qed (fastlinq sources: dcqcn_enable, dcqcn_cnp_dscp, ...). The qed of Linux has
// no such parameter (qed_main.c).
const moduleFolder = "/sys/module/qed/parameters/"

// tables are the files with lines of numbers below a heading.
var tables = []string{"buffer_size", "prio2buffer", "dscp2prio"}

// readBufferFile reads a line of sizes, "1,2,…", or the line of a buffer: its number, its size, and the columns that the heading names.
func readBufferFile(r *reader, rest string) string {
	list, ok := digits(rest, 8, 1<<30)
	switch {
	case !ok:
		return noSense
	case strings.Contains(rest, ","):
		setList(r, ir.FieldBuffer, list, func(n *facts) *[8]int { return &n.size })
		return ""
	case len(list) < 2 || list[0] > 7:
		return noSense
	}
	put(r, ir.FieldBuffer, list[0], list[1], func(n *facts) *int { return &n.size[list[0]] })
	for i := 2; i < min(len(list), len(r.columns)); i++ {
		switch r.columns[i] {
		case "xoff_threshold":
			put(r, ir.FieldXoff, list[0], list[i], func(n *facts) *int { return &n.xoff[list[0]] })
		case "xon_threshold":
			put(r, ir.FieldXon, list[0], list[i], func(n *facts) *int { return &n.xon[list[0]] })
		}
	}
	return ""
}

// dmesg reads the debug messages of mlx5 about its buffers in the kernel's log (Linux, mlx5/core/en/port_buffer.c:
// mlx5e_port_query_buffer).
var dmesg = &Printout{
	Name: "dmesg", Aliases: []string{"journalctl"},
	begins: func(line string) bool { return strings.Contains(line, ": buffer ") && strings.Contains(line, " xoff=") },
	Options: []Statement{{
		Key: ": buffer ", Means: ir.FieldBuffer, More: []ir.Field{ir.FieldXoff, ir.FieldXon},
		read: func(r *reader, rest string) string {
			word, rest, _ := strings.Cut(rest, ":")
			buffer, ok := number(word, 7)
			for pair := range strings.FieldsFuncSeq(rest, func(c rune) bool { return c == ' ' || c == ',' }) {
				key, value, _ := strings.Cut(pair, "=")
				n, is := number(value, 1<<30)
				if !ok || !is {
					return noSense
				}
				switch key {
				case "size":
					put(r, ir.FieldBuffer, buffer, n, func(f *facts) *int { return &f.size[buffer] })
				case "xoff":
					put(r, ir.FieldXoff, buffer, n, func(f *facts) *int { return &f.xoff[buffer] })
				case "xon":
					put(r, ir.FieldXon, buffer, n, func(f *facts) *int { return &f.xon[buffer] })
				case "lossy":
					put(r, ir.FieldBuffer, buffer, int8(n), func(f *facts) *int8 { return &f.lossy[buffer] })
				}
			}
			return say(ok)
		},
	}, {Key: "other", Aside: "a message of the kernel"}},
	other: func(p *Printout, r *reader, line string) bool {
		before, after, ok := strings.Cut(line, ": buffer ")
		if !ok {
			if !strings.HasPrefix(line, "[") && !strings.Contains(line, " kernel: ") {
				return false
			}
			r.count(p.option("other"), "")
			return true
		}
		r.about(before[strings.LastIndexByte(before, ' ')+1:])
		r.apply(p.option(": buffer "), after)
		return true
	},
	command: func(_ *Printout, r *reader, _ []string) { r.count(&Statement{Aside: asks}, "") },
}

// sysfsRow returns the row of a file.
func sysfsRow(key string) *Statement {
	i := slices.IndexFunc(sysfsRows, func(row Statement) bool { return row.Key == key })
	if i < 0 {
		i = len(sysfsRows) - 1
	}
	return &sysfsRows[i]
}
