package mlx5

import (
	"fmt"
	"strings"

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
	out = append(out, nic.FactProbe(s), firmwareProbe(s), nic.GIDProbe(s), counterProbe(s))
	if p := s.NIC.Port; p != nil && !p.Link.Planned {
		out = append(out, nic.NeighbourProbe(s.NIC))
	}
	return out
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
