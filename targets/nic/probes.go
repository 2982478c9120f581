package nic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// identity asks for the driver of every NIC: a line "IF DRIVER" each, where DRIVER may be "none" (a virtual interface)
// or "missing" (no such interface).
func (f *Family) identity(d *ir.Device) []target.Probe {
	ours := Of(d, f.Driver)
	if len(ours) == 0 {
		return nil
	}
	var names strings.Builder
	for _, n := range ours {
		names.WriteString(" " + Quote(n.Name))
	}
	return []target.Probe{{
		Name: "NICs",
		Query: target.Query{Cmd: "for i in" + names.String() + "; do\n" +
			"d=$(readlink \"/sys/class/net/$i/device/driver\") || d=none\n" +
			"[ -e \"/sys/class/net/$i\" ] || d=missing\n" +
			"printf '%s %s\\n' \"$i\" \"${d##*/}\"\n" +
			"done"},
		Judge: func(answer []byte) []string { return f.judgeDrivers(d, ours, answer) },
	}}
}

func (f *Family) judgeDrivers(d *ir.Device, ours []*ir.NIC, answer []byte) []string {
	var wrong []string
	for _, n := range ours {
		found := lineOf(answer, n.Name)
		switch {
		case found == "" || found == "missing":
			wrong = append(wrong, fmt.Sprintf("%s has no interface %s, which is the %s in the fabric.", d.Name, n.Name, n.Model.Title))
		case f.Module == "" || found == f.Module:
		case found == "none":
			wrong = append(wrong, fmt.Sprintf("%s on %s is a virtual interface; the fabric says it is the %s.", n.Name, d.Name, n.Model.Title))
		default:
			wrong = append(wrong, fmt.Sprintf("%s on %s has the driver %s; the %s has %s.", n.Name, d.Name, target.Escape(found), n.Model.Title,
				f.Module))
		}
	}
	return wrong
}

// lineOf returns the text after a name and a space, in the line that begins with them.
func lineOf(answer []byte, name string) string {
	for line := range strings.Lines(string(answer)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// probes returns the probes that show whether the settings work: no other program overwrites them, cabled NICs have a link, and the probes
// of the family.
func (f *Family) probes(d *ir.Device) []target.Probe {
	ours := Of(d, f.Driver)
	if len(ours) == 0 {
		return nil
	}
	var out []target.Probe
	if f.sets("pfc") {
		out = append(out, lldpadProbe(d))
	}
	out = append(out, SetterProbe(d), f.unitProbe(ours))
	var cables []target.Cable
	for _, n := range ours {
		if n.Port != nil {
			cables = append(cables, target.CableOf(n.Port, Quote(n.Name)))
		}
	}
	if len(cables) > 0 {
		out = append(out, target.LinkProbe(d.Name, cables))
	}
	for _, n := range ours {
		if s := f.Lower(n); len(s.Intents) > 0 {
			out = f.Probes(out, s)
		}
	}
	return out
}

// lldpadProbe asks whether lldpad runs, which overwrites settings.
func lldpadProbe(d *ir.Device) target.Probe {
	return target.Probe{
		Name:  "lldpad",
		Query: target.Query{Cmd: "systemctl is-active lldpad.service || true"},
		Judge: func(answer []byte) []string {
			if strings.TrimSpace(string(answer)) != "active" {
				return nil
			}
			return []string{"lldpad runs on " + d.Name + " and overwrites PFC, ETS and the DSCP map when the link comes up. " +
				"Stop it: systemctl disable --now lldpad.socket lldpad.service."}
		},
	}
}

// unitProbe asks whether the units will set the NICs again after a restart, where the host has the unit file.
func (f *Family) unitProbe(ours []*ir.NIC) target.Probe {
	var cmd strings.Builder
	for _, n := range ours {
		u := Quote(f.Unit(n.Name))
		fmt.Fprintf(&cmd, "[ ! -e %s ] || { systemctl is-enabled --quiet %s 2>/dev/null && systemctl is-active --quiet %[2]s; } || "+
			"echo %[2]s\n", f.unitPath, u)
	}
	return target.Probe{
		Name: "units of " + f.Program(), Query: target.Query{Cmd: cmd.String() + "true"},
		Judge: func(answer []byte) []string {
			var wrong []string
			for unit := range strings.Lines(string(answer)) {
				unit = target.Escape(strings.TrimSpace(unit))
				wrong = append(wrong, fmt.Sprintf("%s is not enabled, or not active: after a restart of the host the NIC gets no settings. Run "+
					"systemctl enable --now %[1]s.", unit))
			}
			return wrong
		},
	}
}

// MTUProbe asks whether an interface has the MTU that the fabric states.
func MTUProbe(s *Settings) target.Probe {
	n := s.NIC
	return target.Probe{
		Name:  "MTU of " + n.Name,
		Query: target.Query{Cmd: "cat /sys/class/net/" + Quote(n.Name) + "/mtu"},
		Judge: func(answer []byte) []string {
			if found := strings.TrimSpace(string(answer)); found != strconv.Itoa(n.MTU) {
				return []string{fmt.Sprintf("%s on %s has an MTU of %s; the fabric says %d. Change the network configuration of the host: RDMA "+
					"peers with different MTUs use the smaller one, or connections fail.", n.Name, n.Device.Name, target.Escape(found), n.MTU)}
			}
			return nil
		},
	}
}

// PriorityProbe asks whether a tool can read the priorities: unreadable priorities are not drift, but must not count as correct.
func PriorityProbe(s *Settings) target.Probe {
	name := Quote(s.NIC.Name)
	return target.Probe{
		Name: "priorities of " + s.NIC.Name,
		Query: target.Query{Cmd: "dcb -N app show dev " + name + " >/dev/null 2>&1 || mlnx_qos -i " + name +
			" >/dev/null 2>&1 || echo unreadable"},
		Judge: func(answer []byte) []string {
			if strings.TrimSpace(string(answer)) == "" {
				return nil
			}
			return []string{fmt.Sprintf("Neither dcb nor mlnx_qos can read the priorities of %s on %s, so PFC may be off. "+
				"Install iproute2 6.1 or later.", s.NIC.Name, s.NIC.Device.Name)}
		},
	}
}
