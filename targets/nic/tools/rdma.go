package tools

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// The tools for RDMA devices. They print the interface and the firmware of a device, and the type of service of RDMA-CM.

// rdmaTool reads rdma of iproute2: link and dev, as text or JSON (iproute2, rdma/link.c and dev.c).
var rdmaTool = &Printout{
	Name: "rdma",
	begins: func(line string) bool {
		words := strings.Fields(line)
		return len(words) > 3 && words[0] == "link" && strings.Contains(words[1], "/") && words[2] == "state" ||
			len(words) > 3 && strings.HasSuffix(words[0], ":") && strings.HasSuffix(words[1], ":") && words[2] == "node_type"
	},
	Rows: []Statement{
		{Key: "link ", With: " state ", Aside: which, free: true, read: func(r *reader, rest string) string {
			words := strings.Fields(rest)
			device, _, _ := strings.Cut(words[0], "/")
			r.device = device
			for i := 1; i+1 < len(words); i++ {
				if words[i] == "netdev" {
					r.h.names(device, words[i+1])
					r.h.card(words[i+1])
				}
			}
			return ""
		}},
	},
	Options: []Statement{
		{Key: "netdev", Aside: which},
		{Key: "fw", Means: ir.FieldSystem, read: func(*reader, string) string { return "" }, free: true},
	},
	other: func(p *Printout, r *reader, line string) bool {
		words := strings.Fields(line)
		if len(words) > 3 && words[2] == "node_type" {
			r.device = strings.TrimSuffix(words[1], ":")
			for i := 3; i+1 < len(words); i++ {
				if words[i] == "fw" {
					r.hasFirmware(words[i+1])
				}
			}
			r.count(p.option("fw"), "")
			return true
		}
		if line[0] == ' ' || line[0] == '\t' { // details of the device above
			r.count(&Statement{Aside: hardware}, "")
			return true
		}
		return false
	},
	command: func(_ *Printout, r *reader, args []string) {
		for len(args) > 0 && strings.HasPrefix(args[0], "-") {
			args = args[1:]
		}
		if len(args) > 2 && args[0] == "link" && args[1] == "add" { // rdma link add rxe0 type rxe netdev eth0
			for i := 3; i+1 < len(args); i++ {
				if args[i] == "netdev" && isName(args[i+1]) {
					r.h.names(args[2], args[i+1])
					r.h.card(args[i+1])
				}
			}
			r.count(&Statement{Aside: which}, "")
			return
		}
		r.count(&Statement{Aside: asks}, "")
	},
	json: func(p *Printout, r *reader, object map[string]any) bool {
		device, _ := object["ifname"].(string)
		netdev, isLink := object["netdev"].(string)
		firmware, isDev := object["fw"].(string)
		_, node := object["node_guid"]
		_, port := object["physical_state"]
		switch {
		case device == "" || !isLink && !isDev && !node && !port:
			return false
		case isDev || node:
			r.device = device
			r.hasFirmware(firmware)
			r.count(p.option("fw"), "")
		default:
			if isLink {
				r.h.names(device, netdev)
				r.h.card(netdev)
			}
			r.count(p.option("netdev"), "")
		}
		return true
	},
}

// hasFirmware stores the firmware of the RDMA device.
func (r *reader) hasFirmware(version string) {
	if r.h.firmware == nil {
		r.h.firmware = map[string]string{}
	}
	if version != "" {
		r.h.firmware[r.device] = version
	}
}

// ibdev reads ibdev2netdev: "mlx5_0 port 1 ==> eth0 (Up)".
var ibdev = &Printout{
	Name: "ibdev2netdev", alone: true,
	begins: func(line string) bool { return strings.Contains(line, " ==> ") && strings.Contains(line, " port ") },
	other: func(_ *Printout, r *reader, line string) bool {
		before, after, ok := strings.Cut(line, "==>")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 3 || len(right) == 0 {
			return false
		}
		name := left[len(left)-3]
		r.h.names(name, right[0])
		if isName(right[0]) {
			r.h.card(right[0])
		}
		r.count(&Statement{Aside: which}, "")
		return true
	},
	command: func(_ *Printout, r *reader, _ []string) { r.count(&Statement{Aside: asks}, "") },
}

// gids reads show_gids: DEV PORT INDEX GID [IPv4] VER [DEV].
var gids = &Printout{
	Name: "show_gids", alone: true,
	begins: func(line string) bool {
		return strings.Join(strings.Fields(line), " ") == "DEV PORT INDEX GID IPv4 VER DEV"
	},
	Rows: []Statement{
		{Key: "DEV", With: "GID", Aside: heading},
		{Key: "n_gids_found=", Aside: heading},
	},
	other: func(_ *Printout, r *reader, line string) bool {
		words := strings.Fields(line)
		if len(words) < 5 || strings.Count(words[3], ":") < 2 {
			return false
		}
		if last := words[len(words)-1]; len(words) > 5 && last != "v1" && last != "v2" {
			r.h.names(words[0], last)
		}
		r.count(&Statement{Aside: which}, "")
		return true
	},
	command: func(_ *Printout, r *reader, _ []string) { r.count(&Statement{Aside: asks}, "") },
}

// cmaTOS reads cma_roce_tos of MLNX_OFED, which prints and sets (-t) the type of service of RDMA-CM.
var cmaTOS = &Printout{
	Name: "cma_roce_tos",
	Options: []Statement{
		{Key: "--dev", Short: "-d", Aside: asks},
		{Key: "--port", Short: "-p", Aside: asks},
		{Key: "--tos", Short: "-t", Means: ir.FieldStamps, read: setTOS},
		{Key: "--help", Short: "-h", Aside: asks, flag: true},
	},
	other: func(p *Printout, r *reader, line string) bool {
		text := strings.TrimSpace(line)
		if _, ok := number(text, 255); !ok {
			return r.cannotCMA(text)
		}
		r.ofDevice(p.option("--tos"), text)
		return true
	},
	command: cmaCommand,
}

// cmaMode reads cma_roce_mode of MLNX_OFED, which prints and sets (-m) the RoCE version of RDMA-CM.
var cmaMode = &Printout{
	Name: "cma_roce_mode",
	Options: []Statement{
		{Key: "--dev", Short: "-d", Aside: asks},
		{Key: "--port", Short: "-p", Aside: asks},
		{Key: "--mode", Short: "-m", Aside: nic.NoPriority},
		{Key: "--help", Short: "-h", Aside: asks, flag: true},
	},
	begins: func(line string) bool { return line == "RoCE v2" || line == "IB/RoCE v1" },
	other: func(p *Printout, r *reader, line string) bool {
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(text, "RoCE v") && !strings.HasPrefix(text, "IB/RoCE v") {
			return r.cannotCMA(text)
		}
		r.count(p.option("--mode"), "")
		return true
	},
	command: cmaCommand,
}

// cannotCMA counts the message that both tools print on a host without configfs.
func (r *reader) cannotCMA(text string) bool {
	if !strings.Contains(text, "rdma_cm") && !strings.Contains(text, "configfs") {
		return false
	}
	r.count(&Statement{Aside: absent}, "")
	return true
}

func setTOS(r *reader, rest string) string {
	tos, ok := number(rest, 255)
	if ok {
		put(r, ir.FieldStamps, 0, tos, func(n *facts) *int { return &n.tos })
	}
	return say(ok)
}

func cmaCommand(p *Printout, r *reader, args []string) {
	all, bad := p.options(args)
	if bad != "" {
		r.refuse(bad)
		return
	}
	r.device = optionOf(all, "--dev")
	sets := false
	for _, o := range all {
		if o.row.Aside != asks {
			sets = true
			r.ofDevice(o.row, o.value)
		}
	}
	if !sets {
		r.count(&Statement{Aside: asks}, "")
	}
}

// ofDevice reads a row about an RDMA device.
func (r *reader) ofDevice(row *Statement, rest string) {
	if row.read == nil {
		r.count(row, "")
		return
	}
	if r.aboutDevice(r.device); len(r.on) == 0 && !r.uncertain {
		if r.device == "" {
			r.miss(r.text, noNIC)
		} else {
			r.miss(r.text, noNetdev)
		}
		return
	}
	r.apply(row, rest)
}
