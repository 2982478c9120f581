package sim

import (
	"slices"

	"github.com/rocec/rocec/targets/target"
)

// Pair is clagd on one switch of an MLAG pair, as clagctl prints it. It sees the other switch while a port between them has a link.
type Pair struct {
	Ports []string // the ports of this switch to the other one; none: the peer link is not in the fabric, and counts as up
	m     target.Machine
}

// Boot implements [target.Sim].
func (s *Pair) Boot(m target.Machine) {
	s.m = m
	m.Install("/usr/bin/clagctl", s.clagctl)
}

// clagctl is clagctl -j. It prints only the members that rocec reads.
func (s *Pair) clagctl(p *target.Proc) int {
	if !slices.Equal(p.Args[1:], []string{"-j"}) {
		return p.Fail(2, "usage: clagctl [-j]")
	}
	alive := len(s.Ports) == 0
	s.m.Do(func() {
		for _, port := range s.Ports {
			dev, ok := s.m.Netdev(port)
			alive = alive || ok && !dev.Down
		}
	})
	type object = map[string]any
	return p.PrintJSON(object{"status": object{"peerAlive": alive, "ourRole": "primary", "peerIf": "peerlink.4094"}, "clagIntfs": object{}})
}
