package ir

import (
	"maps"
	"slices"
)

// Settings contains the settings of one device that affect lossless traffic. They are read from files and live states, or are those that
// the fabric wants ([Device.Wanted]). Both sides of a change are compared in this form, which does not depend on the vendor.
type Settings struct {
	Ports  map[string]*PortSettings // by name, including ports that the fabric does not have; ports with equal settings share a value
	Rest   *PortSettings            // every other port; nil: unknown
	Pools  map[string]Pool          // of the memory, by name; nil: unknown
	System System
	Moment Moment
}

// Port returns the settings of a port; nil: unknown.
func (s *Settings) Port(name string) *PortSettings {
	if s == nil {
		return nil
	}
	if p := s.Ports[name]; p != nil {
		return p
	}
	return s.Rest
}

// PortSettings contains the settings of one port. Bits and indexes are cos, or priorities, 0 to 7. Equal settings are ==.
type PortSettings struct {
	Trust       Trust
	TrustKnown  bool
	DSCP        [64]int8 // the cos of a DSCP value if DSCP is trusted; -1: unknown
	PCP         [8]int8  // the cos of a PCP value if PCP is trusted; -1: unknown
	PausesKnown bool     // for the next three fields
	Sends       uint8    // priorities for which it sends pauses; under link pause, all
	Obeys       uint8    // priorities whose pauses it obeys; under link pause, all
	LinkPause   bool     // 802.3x instead of PFC
	Headroom    int      // bytes that its lossless buffer can hold above the lowest xoff; 0: unknown (NICs), or none
	Marks       uint8    // priorities that it marks by ECN on output; 0 for a NIC
	Marking     Marking  // queue lengths at which marking begins; zero: no marking, or unknown
	Strict      uint8    // priorities with strict priority
	Share       [8]uint8 // DWRR weight, or percent, of the priority's class; 0 and not strict: unknown
	Stamps      uint64   // for a NIC, as bits: the DSCP of RoCEv2 packets whose applications state none; 0: unknown
	Detail      Detail   // buffers, queues, limits and the watchdog
}

// Marking contains the thresholds of marking: queue lengths in bytes, and the percentage at the upper length.
type Marking struct{ Min, Max, Probability int }

// UnknownPort returns port settings in which no value is known.
func UnknownPort() PortSettings {
	var p PortSettings
	for v := range p.DSCP {
		p.DSCP[v] = -1
	}
	for v := range p.PCP {
		p.PCP[v] = -1
	}
	return p
}

// Set records the settings of a port; equal ports share one value.
func (s *Settings) Set(name string, p PortSettings) {
	if s.Ports == nil {
		s.Ports = map[string]*PortSettings{}
	}
	for _, have := range s.Ports { // a device has few different port settings
		if *have == p {
			s.Ports[name] = have
			return
		}
	}
	s.Ports[name] = &p
}

// WithoutDetail returns a copy of the settings without the details of ports, so that more ports are equal.
func (s *Settings) WithoutDetail() *Settings {
	has := func(p *PortSettings) bool { return p != nil && p.Detail != (Detail{}) }
	if s == nil || !has(s.Rest) && !slices.ContainsFunc(slices.Collect(maps.Values(s.Ports)), has) {
		return s
	}
	bare := map[*PortSettings]*PortSettings{nil: nil}
	alike := map[PortSettings]*PortSettings{}
	strip := func(p *PortSettings) *PortSettings {
		if one, known := bare[p]; known {
			return one
		}
		one := *p
		one.Detail = Detail{}
		if alike[one] == nil {
			alike[one] = &one
			if p.Detail == (Detail{}) {
				alike[one] = p
			}
		}
		bare[p] = alike[one]
		return bare[p]
	}
	out := &Settings{Rest: strip(s.Rest), Ports: make(map[string]*PortSettings, len(s.Ports))}
	for name, p := range s.Ports {
		out.Ports[name] = strip(p)
	}
	return out
}

func bit(on bool, cos int) uint8 {
	if on {
		return 1 << cos
	}
	return 0
}

// Loses reports whether, between two states of a device, a port stops sending or obeying pauses for a priority. Unknown settings are
// ignored.
func (s *Settings) Loses(next *Settings) bool {
	if s == nil || next == nil {
		return false
	}
	loses := func(a, b *PortSettings) bool {
		return a != nil && b != nil && a.PausesKnown && b.PausesKnown && (a.Sends&^b.Sends|a.Obeys&^b.Obeys) != 0
	}
	for name, p := range s.Ports {
		if loses(p, next.Port(name)) {
			return true
		}
	}
	for name, p := range next.Ports {
		if s.Ports[name] == nil && loses(s.Rest, p) {
			return true
		}
	}
	return loses(s.Rest, next.Rest)
}
