package traffic

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// Seen contains the counters of one side of a hop: the ports, the direction, and the packets by priority.
type Seen struct {
	Ports    []string       `json:"ports"`             // "leaf1:swp1"
	Way      string         `json:"way"`               // "in" or "out"
	Told     bool           `json:"told"`              // every port reports its number of packets
	Packets  map[int]uint64 `json:"packets,omitempty"` // by priority, if the counter rose; empty: the ports do not count by priority
	All      uint64         `json:"all"`               // packets of all priorities
	Priority int            `json:"priority"`          // the priority that the fabric assigns
	Proved   bool           `json:"proved,omitempty"`  // only the class rose by the packets of the exchange beyond the idle interval
	Hidden   bool           `json:"hidden,omitempty"`  // other traffic moved the counters, so that they prove nothing
	Says     string         `json:"says,omitempty"`    // the error, or why the packets are hidden; empty: no error is seen
}

// Judge compares the counters of every device on the path, before and after the exchange, with the idle interval before it
// ([Exchange.Idle]). Other hosts may send, too. The exchange is proved if its class rose by its packets beyond the idle interval, and no
// other priority rose beyond the idle interval. Packets that are missing in spite of other traffic are an error. Any result between these
// two is hidden.
func (x *Exchange) Judge(before, after map[*ir.Device]Counts) []Seen {
	var out []Seen
	arrivals := 0 // number of hops at the receiver; several if the paths have different lengths
	for i := range x.Path {
		if isAt(x.Path[i].In, x.To) {
			arrivals++
		}
	}
	for i := range x.Path {
		h := &x.Path[i]
		if len(h.In) > 0 {
			out = append(out, x.seen(h.In, "in", "rx", h.Maybe && (arrivals > 1 || !isAt(h.In, x.To)), before, after))
		}
		if len(h.Out) > 0 {
			out = append(out, x.seen(h.Out, "out", "tx", h.Maybe && !isAt(h.Out, x.From), before, after))
		}
	}
	return out
}

// isAt reports whether ports belong to the device of one end of the exchange.
func isAt(ports []*ir.Port, end *ir.NIC) bool {
	return len(ports) > 0 && ports[0].Device() == end.Device
}

// Good reports whether both hosts prove the exchange and no device on the path contradicts it. why is the reason if the exchange is
// neither proved nor contradicted.
func (x *Exchange) Good(seen []Seen) (good bool, why string) {
	var open []string
	for _, end := range []struct{ way, device string }{{"out", x.From.Device.Name}, {"in", x.To.Device.Name}} {
		if !slices.ContainsFunc(seen, func(s Seen) bool {
			return s.Proved && s.Way == end.way && strings.HasPrefix(s.Ports[0], end.device+":")
		}) {
			open = append(open, end.device)
		}
	}
	if slices.ContainsFunc(seen, func(s Seen) bool { return s.Says != "" }) {
		return false, ""
	}
	if len(open) > 0 {
		return false, "packets by priority are not shown by " + strings.Join(open, " and ")
	}
	return true, ""
}

// risen returns the rise of a port's counter between two readings.
func risen(p *ir.Port, key string, from, to map[*ir.Device]Counts) (uint64, bool) {
	now, ok1 := to[p.Device()][p.Name][key]
	was, ok2 := from[p.Device()][p.Name][key]
	if now < was { // the counter was reset
		was = 0
	}
	return now - was, ok1 && ok2
}

// expected returns the expected rise of a counter by other traffic during the exchange, from the idle interval: the likely rise, and the
// largest one. The clock of the device gives the lengths of both intervals. Without a clock they count as equally long.
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
	return rate, max(rate, min(idle, logins)) // packets of logins depend on readings and not on time
}

// others is the expected rise of port counters by other traffic during the exchange.
type others struct {
	rates, mosts [8]uint64 // by priority, see [Exchange.expected]
	all          uint64    // for ports that do not count by priority
}

// count adds the packets of a port to those of its side. It reports whether the port counts by priority.
func (x *Exchange) count(s *Seen, o *others, p *ir.Port, dir string, before, after map[*ir.Device]Counts) (byPriority bool) {
	told, sum, sameKeys := false, uint64(0), true
	was := x.Idle[p.Device()][p.Name]
	for prio := range 8 {
		key := dir + strconv.Itoa(prio)
		n, ok := risen(p, key, before, after)
		if _, idle := was[key]; ok && x.Idle != nil {
			sameKeys = sameKeys && idle
		}
		told = told || ok
		rate, most := x.expected(p, key, before, after)
		o.rates[prio] += rate
		o.mosts[prio] += most
		if sum += n; n > 0 {
			if s.Packets == nil {
				s.Packets = map[int]uint64{}
			}
			s.Packets[prio] += n
		}
	}
	byPriority = told
	if n, ok := risen(p, dir, before, after); ok && !told {
		told, sum = true, n
		rate, _ := x.expected(p, dir, before, after)
		o.all += rate
	}
	told = told && sameKeys && (x.Idle == nil || was != nil)
	s.Told, s.All = s.Told && told, s.All+sum
	return byPriority
}

func (x *Exchange) seen(ports []*ir.Port, way, dir string, maybe bool, before, after map[*ir.Device]Counts) Seen {
	s := Seen{Way: way, Priority: x.Intent.Group.Cos, Told: true}
	least := uint64(leastOf)
	if isAt(ports, x.From) || isAt(ports, x.To) { // because NICs count each packet
		least = Messages
	}
	byPriority := true
	var by others
	for _, p := range ports {
		s.Ports = append(s.Ports, p.String())
		byPriority = x.count(&s, &by, p, dir, before, after) && byPriority
	}
	if maybe || !s.Told {
		return s
	}
	at := fmt.Sprintf("%s (%s)", s.Ports[0], way)
	if len(s.Ports) > 1 {
		at = fmt.Sprintf("%s and %d more (%s)", s.Ports[0], len(s.Ports)-1, way)
	}
	if !byPriority {
		if s.Hidden = s.All >= leastOf && s.All-min(s.All, by.all) < leastOf; s.All < leastOf {
			s.Says = fmt.Sprintf("%s counted %d packets, of about %d that were sent.", at, s.All, Messages)
		}
		return s
	}
	beyond := func(prio int, of *[8]uint64) uint64 { return s.Packets[prio] - min(s.Packets[prio], of[prio]) }
	other := -1                                  // the priority with the largest rise
	var elsewhere, idleElsewhere, strange uint64 // of all priorities except the class
	for prio := range 8 {
		if prio == s.Priority {
			continue
		}
		if other < 0 || beyond(prio, &by.mosts) > beyond(other, &by.mosts) {
			other = prio
		}
		elsewhere += s.Packets[prio]
		idleElsewhere += by.mosts[prio]
		strange += beyond(prio, &by.mosts) // a fall of one counter does not cancel the rise of another
	}
	switch class := s.Packets[s.Priority]; {
	case s.All < least:
		s.Says = fmt.Sprintf("%s counted %d packets, of about %d that were sent.", at, s.All, Messages)
	case class < least && beyond(other, &by.mosts) >= leastOf:
		s.Says = fmt.Sprintf("%s has the packets in priority %d; the fabric puts %s in %d.", at, other, x.Intent.Group.Name, s.Priority)
	case class < least:
		s.Says = fmt.Sprintf("%s counted %d packets in priority %d, of about %d that were sent.", at, class, s.Priority, Messages)
	case x.Idle == nil:
		s.Hidden = true
		s.Says = at + ": others' traffic may hide it, and was not measured before the exchange."
	case beyond(s.Priority, &by.rates) < least || strange > strays:
		s.Hidden = true
		s.Says = fmt.Sprintf("%s: others' traffic hides it. Priority %d rose by %d packets, of which others send about %d; the other priorities "+
			"rose by %d, of which others send about %d. Send it again when others send less.", at, s.Priority, class, by.rates[s.Priority],
			elsewhere, idleElsewhere)
	default:
		s.Proved = true
	}
	return s
}
