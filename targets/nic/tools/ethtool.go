package tools

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// ethtool reads ethtool: link pause (-a), driver and firmware (-i), counters (-S), speed (without an option), and the options that set
// values (-A, -s). The forms are those of ethtool 4 to 6 (man ethtool).
var ethtool = &Printout{
	Name: "ethtool",
	begins: func(line string) bool {
		return strings.HasPrefix(line, "Pause parameters for ") || strings.HasPrefix(line, "Settings for ") || line == "NIC statistics:" ||
			strings.HasPrefix(line, "driver: ")
	},
	Rows: []Statement{
		{Key: "Pause parameters for ", Aside: heading, free: true, read: func(r *reader, rest string) string {
			r.about(strings.TrimSuffix(rest, ":"))
			return say(len(r.on) > 0)
		}},
		{Key: "Settings for ", Aside: heading, free: true, read: func(r *reader, rest string) string {
			r.about(strings.TrimSuffix(rest, ":"))
			r.heading = "settings"
			return say(len(r.on) > 0)
		}},
		{Key: "Autonegotiate:", Aside: nic.WhoSets},
		{Key: "RX negotiated:", Aside: nic.WhoSets},
		{Key: "TX negotiated:", Aside: nic.WhoSets},
		{Key: "RX:", Means: ir.FieldLinkPause, read: setRX},
		{Key: "TX:", Means: ir.FieldLinkPause, read: setTX},
		{Key: "Cannot get", Aside: absent},
		{Key: "netlink error:", Aside: absent},
		{Key: "NIC statistics:", Aside: heading},
		{Key: "Statistics:", Aside: heading},
		{Key: "driver:", Means: ir.FieldSystem, read: setDriver},
		{Key: "firmware-version:", Means: ir.FieldSystem, read: setFirmware},
		{Key: "bus-info:", Aside: which, read: func(r *reader, rest string) string {
			for _, n := range r.on {
				r.h.names(rest, n.name)
			}
			return ""
		}},
		{Key: "version:", Aside: hardware},
		{Key: "expansion-rom-version:", Aside: hardware},
		{Key: "supports-", Aside: hardware},
		{Key: "Speed:", Means: ir.FieldSpeed, read: func(r *reader, rest string) string {
			mbit, ok := number(strings.TrimSuffix(rest, "Mb/s"), 1<<30)
			if ok {
				put(r, ir.FieldSpeed, -1, int64(mbit)*1e6, func(n *facts) *int64 { return &n.speed })
			}
			return map[bool]string{true: "", false: say(strings.HasPrefix(rest, "Unknown"))}[ok]
		}},
	},
	Options: []Statement{
		{Key: "rx", Means: ir.FieldLinkPause, read: setRX},
		{Key: "tx", Means: ir.FieldLinkPause, read: setTX},
		{Key: "autoneg", Aside: nic.WhoSets},
		{Key: "speed", Means: ir.FieldSpeed, read: func(r *reader, rest string) string {
			mbit, ok := number(rest, 1<<30)
			if ok {
				put(r, ir.FieldSpeed, -1, int64(mbit)*1e6, func(n *facts) *int64 { return &n.speed })
			}
			return say(ok)
		}},
		{Key: "duplex", Aside: nic.NoPriority},
	},
	other: func(_ *Printout, r *reader, line string) bool {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		digit := value != "" && !strings.ContainsFunc(value, func(c rune) bool { return c < '0' || c > '9' })
		switch {
		case ok && digit && name != "" && !strings.ContainsAny(name, "/") && (line[0] == ' ' || line[0] == '\t' || strings.Contains(name, "_")):
			r.count(&Statement{Aside: counter}, "")
		case r.heading == "settings" && (line[0] == ' ' || line[0] == '\t'):
			r.count(&Statement{Aside: hardware}, "")
		default:
			return false
		}
		return true
	},
	command: ethtoolCommand,
	json:    ethtoolJSON,
}

func setRX(r *reader, rest string) string {
	on, ok := onOff(rest)
	if ok {
		put(r, ir.FieldLinkPause, 0, on, func(n *facts) *int8 { return &n.rx })
	}
	return say(ok)
}

func setTX(r *reader, rest string) string {
	on, ok := onOff(rest)
	if ok {
		put(r, ir.FieldLinkPause, 1, on, func(n *facts) *int8 { return &n.tx })
	}
	return say(ok)
}

func ethtoolCommand(p *Printout, r *reader, args []string) {
	if len(args) > 0 && (args[0] == "--json" || args[0] == "-j") {
		args = args[1:]
	}
	if len(args) == 0 {
		r.refuse("")
		return
	}
	verb, dev, rest := "", args[0], args[1:]
	if strings.HasPrefix(args[0], "-") {
		if len(args) < 2 {
			r.refuse(args[0])
			return
		}
		verb, dev, rest = args[0], args[1], args[2:]
	}
	r.about(dev)
	switch verb {
	case "":
		r.heading = "settings"
		fallthrough
	case "-a", "--show-pause", "-i", "--driver", "-S", "--statistics", "-g", "-c", "-k", "-l", "-m", "-T", "-x", "--show-priv-flags",
		"--show-fec":
		r.count(&Statement{Aside: asks}, "")
		return
	case "-A", "--pause", "-s", "--change":
	default: // rings, offloads, channels, flags
		r.count(&Statement{Aside: nic.NoPriority}, "")
		return
	}
	for len(rest) > 1 {
		row := p.option(rest[0])
		if row == nil {
			r.refuse(rest[0])
			return
		}
		r.apply(row, rest[1])
		rest = rest[2:]
	}
}

// ethtoolJSON reads an object of "ethtool --json -a" or "-S".
func ethtoolJSON(p *Printout, r *reader, object map[string]any) bool {
	_, rx := object["rx"].(bool)
	_, tx := object["tx"].(bool)
	name, _ := object["ifname"].(string)
	if name == "" || !rx && !tx && r.tool != p {
		return false
	}
	r.about(name)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch {
		case key == "ifname" || key == "negotiated" || key == "autonegotiate" || key == "statistics":
			r.count(&Statement{Aside: nic.WhoSets}, "")
		case slices.Contains([]string{"rx", "tx"}, key) && (rx || tx):
			r.apply(p.option(key), spell(object[key]))
		default:
			r.count(&Statement{Aside: counter}, "")
		}
	}
	return true
}

func setDriver(r *reader, rest string) string {
	for _, n := range r.on {
		n.driver = rest
		n.note(r, ir.FieldSystem, 0)
	}
	return say(rest != "")
}

func setFirmware(r *reader, rest string) string {
	for _, n := range r.on {
		n.firmware = rest
		n.note(r, ir.FieldSystem, 1)
	}
	return ""
}
