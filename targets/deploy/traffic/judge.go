package traffic

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
)

// Seen is the counters of one side of a hop: which ports, which way, and how many packets by which priority.
type Seen struct {
	Ports    []string       `json:"ports"`             // "leaf1:swp1"
	Way      string         `json:"way"`               // "in" or "out"
	Told     bool           `json:"told"`              // every port says how many packets went through it
	Packets  map[int]uint64 `json:"packets,omitempty"` // by priority, where they rose; none: the ports tell no priorities
	All      uint64         `json:"all"`               // of every priority
	Priority int            `json:"priority"`          // in which the fabric has them
	Hidden   bool           `json:"hidden,omitempty"`  // others moved the counters, so that they prove nothing
	Says     string         `json:"says,omitempty"`    // what is wrong, or hides it; empty: it is as described, or the counters do not tell
}

// Judge compares the counters of every device of the way, before and after the exchange, with the idle interval before it
// ([Exchange.Idle]).
// Others send, too: the exchange is proved where its class rose by its packets beyond the idle interval, and no other priority rose beyond
// that. What is missing in spite of others is wrong; everything between these two is hidden.
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

// risen returns by how much a counter of a port rose between two readings.
func risen(p *ir.Port, key string, from, to map[*ir.Device]Counts) (uint64, bool) {
	now, ok1 := to[p.Device()][p.Name][key]
	was, ok2 := from[p.Device()][p.Name][key]
	if now < was { // it began anew
		was = 0
	}
	return now - was, ok1 && ok2
}

// expected returns by how much others raise a counter during the exchange, by the idle interval: at their rate, and at most. A device tells
// how long either took by its own clock; where it does not, they are as long as each other.
func (x *Exchange) expected(p *ir.Port, key string, before, after map[*ir.Device]Counts) (rate, most uint64) {
	idle, ok := risen(p, key, x.Idle, before)
	if !ok {
		return 0, 0
	}
	uptime := func(of map[*ir.Device]Counts) uint64 { return of[p.Device()][clock][clock] }
	t0, t1, t2 := uptime(x.Idle), uptime(before), uptime(after)
	if rate = idle; t0 > 0 && t1 > t0 && t2 > t1 {
		rate = uint64(math.Ceil(float64(idle) * float64(t2-t1) / float64(t1-t0)))
	}
	return rate, max(rate, idle) // logins come with a reading and not with time
}

func (x *Exchange) seen(ports []*ir.Port, way, dir string, maybe bool, before, after map[*ir.Device]Counts) Seen {
	s := Seen{Way: way, Priority: x.Intent.Group.Cos, Told: true}
	byPriority := true
	var rates, mosts [8]uint64 // of others, by priority
	var idle uint64            // of others, where ports tell no priorities
	for _, p := range ports {
		s.Ports = append(s.Ports, p.String())
		told, sum := false, uint64(0)
		for prio := range 8 {
			key := dir + strconv.Itoa(prio)
			n, ok := risen(p, key, before, after)
			told = told || ok
			rate, most := x.expected(p, key, before, after)
			rates[prio] += rate
			mosts[prio] += most
			if sum += n; n > 0 {
				if s.Packets == nil {
					s.Packets = map[int]uint64{}
				}
				s.Packets[prio] += n
			}
		}
		byPriority = byPriority && told
		if n, ok := risen(p, dir, before, after); ok && !told {
			told, sum = true, n
			rate, _ := x.expected(p, dir, before, after)
			idle += rate
		}
		told = told && (x.Idle == nil || x.Idle[p.Device()][p.Name] != nil)
		s.Told, s.All = s.Told && told, s.All+sum
	}
	if maybe || !s.Told {
		return s
	}
	at := fmt.Sprintf("%s (%s)", s.Ports[0], way)
	if len(s.Ports) > 1 {
		at = fmt.Sprintf("%s and %d more (%s)", s.Ports[0], len(s.Ports)-1, way)
	}
	if !byPriority {
		if s.Hidden = s.All >= leastOf && s.All-min(s.All, idle) < leastOf; s.All < leastOf {
			s.Says = fmt.Sprintf("%s counted %d packets, of about %d that were sent.", at, s.All, Messages)
		}
		return s
	}
	beyond := func(prio int, others *[8]uint64) uint64 { return s.Packets[prio] - min(s.Packets[prio], others[prio]) }
	other, elsewhere, idleElsewhere := -1, uint64(0), uint64(0) // the priority that rose most, and all but the class
	for prio := range 8 {
		if prio == s.Priority {
			continue
		}
		if other < 0 || beyond(prio, &mosts) > beyond(other, &mosts) {
			other = prio
		}
		elsewhere += s.Packets[prio]
		idleElsewhere += mosts[prio]
	}
	switch class := s.Packets[s.Priority]; {
	case s.All < leastOf:
		s.Says = fmt.Sprintf("%s counted %d packets, of about %d that were sent.", at, s.All, Messages)
	case class < leastOf && beyond(other, &mosts) >= leastOf:
		s.Says = fmt.Sprintf("%s has the packets in priority %d; the fabric puts %s in %d.", at, other, x.Intent.Group.Name, s.Priority)
	case class < leastOf:
		s.Says = fmt.Sprintf("%s counted %d packets in priority %d, of about %d that were sent.", at, class, s.Priority, Messages)
	case beyond(s.Priority, &rates) < leastOf || elsewhere > idleElsewhere+strays:
		s.Hidden = true
		s.Says = fmt.Sprintf("%s: others' traffic hides it. Priority %d rose by %d packets, of which others send about %d; the other priorities "+
			"rose by %d, of which others send about %d. Send it again when others send less.", at, s.Priority, class, rates[s.Priority],
			elsewhere, idleElsewhere)
	}
	return s
}
