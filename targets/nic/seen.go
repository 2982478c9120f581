package nic

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// Inspect asks a host, for NICs of any driver, for its cabled interfaces and the devices at their other ends. Probes check the settings.
// Inspect returns nil for a host without cables.
func Inspect(d *ir.Device) *target.Inspection {
	var names strings.Builder
	mine := map[string]bool{}
	for _, n := range d.Host.NICs {
		if n.Port != nil {
			names.WriteString(" " + Quote(n.Name))
			mine[n.Name] = true
		}
	}
	if len(mine) == 0 {
		return nil
	}
	cmd := target.LookScript + "port" + names.String() + "\npart lldp lldpctl -f json\n"
	return &target.Inspection{Query: target.Query{Cmd: cmd}, Parse: func(answer []byte) *target.Seen {
		s := &target.Seen{}
		lines := target.ReadLines(answer)
		lines.ReadPorts(s, func(name string) bool { return mine[name] })
		lines.ReadNeighbours(s)
		return s
	}}
}

// agent returns the lldpd of a simulated host.
func agent(d *ir.Device) *target.LLDPAgent {
	a := &target.LLDPAgent{}
	for _, n := range d.Host.NICs {
		if n.Port != nil {
			peer := n.Port.Peer()
			a.Ports = append(a.Ports, target.LLDPPort{Port: n.Name, Peer: peer.Device().Name, PeerPort: peer.Name})
		}
	}
	return a
}
