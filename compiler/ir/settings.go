package ir

import (
	"maps"
	"slices"
)

// Settings is how one device is set, as far as lossless traffic notices: as its files and live states say it, or as the
// fabric means it ([Device.Wanted]). Both sides of a change are compared in these terms, whatever the vendor's words.
type Settings struct {
	Ports  map[string]*PortSettings // by name, also ports the fabric does not have; ports set alike share one
	Rest   *PortSettings            // every other port; nil: not known
	Pools  map[string]Pool          // of the memory, by name; nil: not known
	System System
	Moment Moment
}

// Port gives how a port is set; nil: not known.
func (s *Settings) Port(name string) *PortSettings {
	if s == nil {
		return nil
	}
	if p := s.Ports[name]; p != nil {
		return p
	}
	return s.Rest
}

// PortSettings is how one port is set. Bits and indices are of cos, as priorities 0 to 7. Two that are set alike are ==.
type PortSettings struct {
	Trust       Trust
	TrustKnown  bool
	DSCP        [64]int8 // the cos a value is put in where DSCP is trusted; -1: not known
	PCP         [8]int8  // the same of PCP
	PausesKnown bool     // of the next three
	Sends       uint8    // priorities it sends pauses for; all under link pause
	Obeys       uint8    // priorities whose pauses it obeys; all under link pause
	LinkPause   bool     // 802.3x instead of PFC
	Headroom    int      // bytes its lossless buffer holds beyond the lowest xoff; 0: not known (NICs), or none
	Marks       uint8    // priorities it marks by ECN on the way out; of a NIC none
	Marking     Marking  // from which queue lengths on; zero: it marks none, or not known
	Strict      uint8    // priorities with strict priority
	Share       [8]uint8 // DWRR weight, or percent, of the priority's class; 0 and not strict: not known
	Stamps      uint64   // of a NIC, as bits: the DSCP it gives RoCEv2 packets whose applications state none; 0: not known
	Detail      Detail   // buffers, queues, limits and the watchdog
}

// Marking is when packets are marked: queue lengths in bytes, and percent at the upper one.
type Marking struct{ Min, Max, Probability int }

// UnknownPort is a port of which nothing is known.
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

// Set notes how a port is set; ports that are alike share the settings.
func (s *Settings) Set(name string, p PortSettings) {
	if s.Ports == nil {
		s.Ports = map[string]*PortSettings{}
	}
	for _, have := range s.Ports { // a device has few kinds of ports
		if *have == p {
			s.Ports[name] = have
			return
		}
	}
	s.Ports[name] = &p
}

// WithoutDetail returns the settings without the details of ports: what packets notice hop by hop, in which more ports are alike. The
// settings stay as they are.
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

// Loses reports whether a port stops sending or obeying pauses for a priority from one state of a device to another. What is
// not known of either tells nothing.
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
