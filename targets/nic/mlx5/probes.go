package mlx5

import (
	"bytes"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// probes appends what shows whether the settings of a NIC work: they can be read at all, the interface has the MTU the fabric counts
// on and a GID of the right kind, and no lossless priority has lost packets.
func probes(out []target.Probe, s *nic.Settings) []target.Probe {
	out = append(out, toolProbe(s))
	if s.NIC.MTU > 0 {
		out = append(out, nic.MTUProbe(s))
	}
	return append(out, gidProbe(s), counterProbe(s))
}

// toolProbe asks whether anything can read the priorities: what cannot be read is no drift, and must not pass for good.
func toolProbe(s *nic.Settings) target.Probe {
	name := nic.Quote(s.NIC.Name)
	return target.Probe{
		Name: "priorities of " + s.NIC.Name,
		Query: target.Query{Cmd: "dcb -N app show dev " + name + " >/dev/null 2>&1 || mlnx_qos -i " + name +
			" >/dev/null 2>&1 || echo unreadable"},
		Judge: func(answer []byte) []string {
			if strings.TrimSpace(string(answer)) == "" {
				return nil
			}
			return []string{fmt.Sprintf("Neither dcb nor mlnx_qos can read the priorities of %s on %s, so nobody knows whether PFC is on. "+
				"Install iproute2 6.1 or later.", s.NIC.Name, s.NIC.Device.Name)}
		},
	}
}

// gidProbe asks for the GIDs: without one of the right kind connections fail, or take the wrong version or VLAN.
func gidProbe(s *nic.Settings) target.Probe {
	return target.Probe{
		Name:  "GIDs of " + s.NIC.Name,
		Query: *s.Query("gids"),
		Judge: func(answer []byte) []string { return judgeGIDs(s, answer) },
	}
}

// judgeGIDs reads lines "INDEX NETDEV GID TYPE"; no line at all says nothing.
func judgeGIDs(s *nic.Settings, answer []byte) []string {
	want := "RoCE v2"
	if s.Version == 1 {
		want = "IB/RoCE v1"
	}
	n := s.NIC
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
			n.Name, n.Device.Name, want, s.Intents[0].Name)}
	case found && !addressed:
		return []string{fmt.Sprintf("%s on %s has no GID of type %s for %s, the address the fabric states.",
			n.Name, n.Device.Name, want, n.IP.Addr())}
	}
	return nil
}

func counterProbe(s *nic.Settings) target.Probe {
	return target.Probe{
		Name:  "counters of " + s.NIC.Name,
		Query: target.Query{Cmd: "ethtool -S " + nic.Quote(s.NIC.Name) + " 2>/dev/null || true"},
		Judge: func(answer []byte) []string { return judgeCounters(s, answer) },
	}
}

// judgeCounters reads "ethtool -S". Counters the driver does not have say nothing.
func judgeCounters(s *nic.Settings, answer []byte) []string {
	var wrong []string
	for line := range bytes.Lines(answer) {
		name, value, ok := strings.Cut(strings.TrimSpace(string(line)), ":")
		count, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
		if !ok || err != nil || count == 0 {
			continue
		}
		at := s.NIC.Name + " on " + s.NIC.Device.Name
		if name == "tx_pause_storm_error_events" {
			wrong = append(wrong, fmt.Sprintf("%s stopped pausing %d times because the host did not take packets in time (%s).", at, count, name))
			continue
		}
		rest, ok := strings.CutPrefix(name, "rx_prio")
		if !ok || len(rest) < 2 || rest[0] < '0' || rest[0] > '7' {
			continue
		}
		switch p := rest[0] - '0'; {
		case (rest[1:] == "_discards" || rest[1:] == "_buf_discard") && s.PFC[p]:
			wrong = append(wrong, fmt.Sprintf("%s lost %d packets of priority %d, which is lossless (%s).", at, count, p, name))
		case rest[1:] == "_pause" && !s.PFC[p] && s.NIC.Device.Fabric.FlowControl != ir.Pause:
			wrong = append(wrong, fmt.Sprintf("%s was sent %d PFC frames for priority %d, which is not lossless here: the switch port pauses "+
				"another class (%s).", at, count, p, name))
		}
	}
	return wrong
}
