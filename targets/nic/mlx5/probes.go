package mlx5

import (
	"bytes"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// driver is what the script can set up.
const driver = "mlx5_core"

// identity asks for the driver of every NIC: a line "IF DRIVER" each, where DRIVER may be "none" (a virtual interface)
// or "missing" (no such interface).
func identity(d *ir.Device) []target.Probe {
	ours := nics(d)
	if len(ours) == 0 {
		return nil
	}
	var names strings.Builder
	for _, n := range ours {
		names.WriteString(" " + quote(n.Name))
	}
	return []target.Probe{{
		Name: "NICs",
		Query: target.Query{Cmd: "for i in" + names.String() + "; do\n" +
			"d=$(readlink \"/sys/class/net/$i/device/driver\") || d=none\n" +
			"[ -e \"/sys/class/net/$i\" ] || d=missing\n" +
			"printf '%s %s\\n' \"$i\" \"${d##*/}\"\n" +
			"done"},
		Judge: func(answer []byte) []string { return judgeDrivers(d, ours, answer) },
	}}
}

func judgeDrivers(d *ir.Device, ours []*ir.NIC, answer []byte) []string {
	var wrong []string
	for _, n := range ours {
		found := lineOf(answer, n.Name)
		switch found {
		case driver:
		case "", "missing":
			wrong = append(wrong, fmt.Sprintf("%s has no interface %s, which the fabric says is the %s.", d.Name, n.Name, n.Model.Title))
		case "none":
			wrong = append(wrong, fmt.Sprintf("%s on %s is a virtual interface; the fabric says it is the %s.", n.Name, d.Name, n.Model.Title))
		default:
			wrong = append(wrong, fmt.Sprintf("%s on %s has the driver %s; the %s has %s.", n.Name, d.Name, target.Escape(found), n.Model.Title, driver))
		}
	}
	return wrong
}

// lineOf returns what follows a name and a space on its line.
func lineOf(answer []byte, name string) string {
	for line := range strings.Lines(string(answer)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// probes gives what shows whether the settings work: nothing overwrites them, they can be read at all, the interface
// has the MTU the fabric counts on and a GID of the right kind, and no lossless priority has lost packets.
func probes(d *ir.Device) []target.Probe {
	ours := nics(d)
	if len(ours) == 0 {
		return nil
	}
	out := []target.Probe{{
		Name:  "lldpad",
		Query: target.Query{Cmd: "systemctl is-active lldpad.service || true"},
		Judge: func(answer []byte) []string {
			if strings.TrimSpace(string(answer)) != "active" {
				return nil
			}
			return []string{"lldpad runs on " + d.Name + " and overwrites PFC, ETS and the DSCP map when the link comes up. " +
				"Stop it: systemctl disable --now lldpad.socket lldpad.service."}
		},
	}}
	for _, n := range ours {
		s := lower(n)
		if len(s.intents) == 0 {
			continue
		}
		out = append(out, toolProbe(s))
		if n.MTU > 0 {
			out = append(out, mtuProbe(s))
		}
		out = append(out, gidProbe(s), counterProbe(s))
	}
	return out
}

// toolProbe asks whether anything can read the priorities: what cannot be read is no drift, and must not pass for good.
func toolProbe(s *settings) target.Probe {
	name := quote(s.nic.Name)
	return target.Probe{
		Name: "priorities of " + s.nic.Name,
		Query: target.Query{Cmd: "dcb -N app show dev " + name + " >/dev/null 2>&1 || mlnx_qos -i " + name +
			" >/dev/null 2>&1 || echo unreadable"},
		Judge: func(answer []byte) []string {
			if strings.TrimSpace(string(answer)) == "" {
				return nil
			}
			return []string{fmt.Sprintf("Neither dcb nor mlnx_qos can read the priorities of %s on %s, so nobody knows whether PFC is on. "+
				"Install iproute2 6.1 or later.", s.nic.Name, s.nic.Device.Name)}
		},
	}
}

func mtuProbe(s *settings) target.Probe {
	n := s.nic
	return target.Probe{
		Name:  "MTU of " + n.Name,
		Query: target.Query{Cmd: "cat /sys/class/net/" + quote(n.Name) + "/mtu"},
		Judge: func(answer []byte) []string {
			if found := strings.TrimSpace(string(answer)); found != strconv.Itoa(n.MTU) {
				return []string{fmt.Sprintf("%s on %s has an MTU of %s; the fabric says %d. Change the network configuration of the host: "+
					"RDMA peers with unequal MTUs settle on the smaller or fail.", n.Name, n.Device.Name, target.Escape(found), n.MTU)}
			}
			return nil
		},
	}
}

// gidProbe asks for the GIDs: without one of the right kind connections fail, or take the wrong version or VLAN.
func gidProbe(s *settings) target.Probe {
	return target.Probe{
		Name:  "GIDs of " + s.nic.Name,
		Query: target.Query{Cmd: s.command("gids"), Stdin: script},
		Judge: s.judgeGIDs,
	}
}

// judgeGIDs reads lines "INDEX NETDEV GID TYPE"; no line at all says nothing.
func (s *settings) judgeGIDs(answer []byte) []string {
	want := "RoCE v2"
	if s.version == 1 {
		want = "IB/RoCE v1"
	}
	n := s.nic
	found, typed, addressed := false, false, !n.IP.IsValid()
	for line := range strings.Lines(string(answer)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(f) != 4 {
			continue
		}
		found = true
		if f[3] != want {
			continue
		}
		typed = true
		gid, err := netip.ParseAddr(f[2])
		if err == nil && n.IP.IsValid() && gid.Unmap() == n.IP.Addr().Unmap() {
			addressed = true
		}
	}
	switch {
	case found && !typed:
		return []string{fmt.Sprintf("%s on %s has no GID of type %s; the intent %s needs one. Does the interface have an address?",
			n.Name, n.Device.Name, want, s.intents[0].Name)}
	case found && !addressed:
		return []string{fmt.Sprintf("%s on %s has no GID of type %s for %s, the address the fabric states.",
			n.Name, n.Device.Name, want, n.IP.Addr())}
	}
	return nil
}

func counterProbe(s *settings) target.Probe {
	return target.Probe{
		Name:  "counters of " + s.nic.Name,
		Query: target.Query{Cmd: "ethtool -S " + quote(s.nic.Name) + " 2>/dev/null || true"},
		Judge: s.judgeCounters,
	}
}

// judgeCounters reads "ethtool -S". Counters the driver does not have say nothing.
func (s *settings) judgeCounters(answer []byte) []string {
	var wrong []string
	for line := range bytes.Lines(answer) {
		name, value, ok := strings.Cut(strings.TrimSpace(string(line)), ":")
		count, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
		if !ok || err != nil || count == 0 {
			continue
		}
		at := s.nic.Name + " on " + s.nic.Device.Name
		if name == "tx_pause_storm_error_events" {
			wrong = append(wrong, fmt.Sprintf("%s stopped pausing %d times because the host did not take packets in time (%s).", at, count, name))
			continue
		}
		rest, ok := strings.CutPrefix(name, "rx_prio")
		if !ok || len(rest) < 2 || rest[0] < '0' || rest[0] > '7' {
			continue
		}
		switch p := rest[0] - '0'; {
		case (rest[1:] == "_discards" || rest[1:] == "_buf_discard") && s.pfc[p]:
			wrong = append(wrong, fmt.Sprintf("%s lost %d packets of priority %d, which is lossless (%s).", at, count, p, name))
		case rest[1:] == "_pause" && !s.pfc[p] && s.nic.Device.Fabric.FlowControl != ir.Pause:
			wrong = append(wrong, fmt.Sprintf("%s was sent %d PFC frames for priority %d, which is not lossless here: the switch port pauses "+
				"another class (%s).", at, count, p, name))
		}
	}
	return wrong
}
