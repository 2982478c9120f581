package traffic

import (
	"fmt"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
)

// Seen is what the counters of one side of a hop say: which ports, which way, and how many packets by which priority.
type Seen struct {
	Ports    []string       `json:"ports"`             // "leaf1:swp1"
	Way      string         `json:"way"`               // "in" or "out"
	Told     bool           `json:"told"`              // every port says how many packets went through it
	Packets  map[int]uint64 `json:"packets,omitempty"` // by priority, where they rose; none: the ports tell no priorities
	All      uint64         `json:"all"`               // of every priority
	Priority int            `json:"priority"`          // in which the fabric has them
	Says     string         `json:"says,omitempty"`    // what is wrong; empty: it is as described, or nobody can tell
}

// Judge compares the counters of every device of the way, before and after. Traffic of others may raise them, too, so that only what is
// missing says anything.
func (x *Exchange) Judge(before, after map[*ir.Device]Counts) []Seen {
	var out []Seen
	for i := range x.Path {
		h := &x.Path[i]
		if len(h.In) > 0 {
			out = append(out, x.seen(h.In, "in", "rx", h.Maybe, before, after))
		}
		if len(h.Out) > 0 {
			out = append(out, x.seen(h.Out, "out", "tx", h.Maybe, before, after))
		}
	}
	return out
}

func (x *Exchange) seen(ports []*ir.Port, way, dir string, maybe bool, before, after map[*ir.Device]Counts) Seen {
	s := Seen{Way: way, Priority: x.Intent.Group.Cos, Told: true}
	byPriority := true
	for _, p := range ports {
		rose := func(key string) (uint64, bool) {
			now, ok1 := after[p.Device()][p.Name][key]
			was, ok2 := before[p.Device()][p.Name][key]
			if now < was { // it began anew
				was = 0
			}
			return now - was, ok1 && ok2
		}
		s.Ports = append(s.Ports, p.String())
		told, sum := false, uint64(0)
		for prio := range 8 {
			n, ok := rose(dir + strconv.Itoa(prio))
			told = told || ok
			if sum += n; n > 0 {
				if s.Packets == nil {
					s.Packets = map[int]uint64{}
				}
				s.Packets[prio] += n
			}
		}
		byPriority = byPriority && told
		if n, ok := rose(dir); ok && !told {
			told, sum = true, n
		}
		s.Told, s.All = s.Told && told, s.All+sum
	}
	if maybe || !s.Told {
		return s
	}
	at := fmt.Sprintf("%s (%s)", s.Ports[0], way)
	if len(s.Ports) > 1 {
		at = fmt.Sprintf("%s and %d more (%s)", s.Ports[0], len(s.Ports)-1, way)
	}
	switch {
	case s.All < leastOf:
		s.Says = fmt.Sprintf("%s counted %d packets, of about %d that were sent.", at, s.All, Messages)
	case byPriority && s.Packets[s.Priority] < leastOf:
		other := s.Priority
		for prio, n := range s.Packets {
			if n > s.Packets[other] {
				other = prio
			}
		}
		s.Says = fmt.Sprintf("%s has the packets in priority %d; the fabric puts %s in %d.", at, other, x.Intent.Group.Name, s.Priority)
	}
	return s
}
