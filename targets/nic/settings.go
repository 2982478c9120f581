package nic

import (
	"github.com/rocec/rocec/compiler/ir"
)

// Settings contains the wanted settings of one NIC, before they are spelled.
type Settings struct {
	NIC     *ir.NIC
	Intents []*ir.Intent // the carried intents; empty: only RoCE itself is set
	CNP     *ir.CosGroup // the cos group of congestion notification packets; nil: not stated
	ECN     [8]bool      // by priority
	Runs    []Run        // the DSCP map as runs of one priority
	ir.Card

	family *Family
}

// Run is a range of consecutive DSCP values that have the same priority.
type Run struct{ First, Last, Priority uint8 }

// Lower returns the settings of a NIC in the fabric. A nil family means any driver.
func (f *Family) Lower(n *ir.NIC) *Settings {
	intents := n.Carries()
	s := &Settings{NIC: n, Intents: intents, Card: *ir.CardOf(n, intents), family: f}
	if len(intents) == 0 {
		return s
	}
	for _, in := range intents {
		if s.CNP == nil && in.Version == 2 {
			s.CNP = in.CNP
		}
		if in.Version == 2 && in.Group.ECN != nil {
			s.ECN[in.Group.Cos] = true
		}
	}
	s.run()
	return s
}

// MapDSCP changes the priority of the given DSCP values.
func (s *Settings) MapDSCP(to map[int]ir.Claim) {
	for v, c := range to {
		s.DSCP[v] = uint8(c.Value)
	}
	s.run()
}

// run derives Runs from the DSCP map.
func (s *Settings) run() {
	s.Runs = make([]Run, 0, 16)
	for v, p := range s.DSCP {
		if n := len(s.Runs); n > 0 && s.Runs[n-1].Priority == p {
			s.Runs[n-1].Last = uint8(v)
		} else {
			s.Runs = append(s.Runs, Run{uint8(v), uint8(v), p})
		}
	}
}
