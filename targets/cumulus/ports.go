package cumulus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
)

// port is a front-panel port: swp6 is {6, -1}, its third part after a split, swp6s2, is {6, 2}.
type port struct{ n, sub int }

// parsePort reads a port as porttab spells it.
func parsePort(s string) (port, bool) {
	n, sub, ok := platform.ParsePort(s)
	return port{n, sub}, ok
}

func (p port) String() string {
	if p.sub < 0 {
		return "swp" + strconv.Itoa(p.n)
	}
	return "swp" + strconv.Itoa(p.n) + "s" + strconv.Itoa(p.sub)
}

func comparePorts(a, b port) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.sub, b.sub)) }

// precedes tells whether q comes right after p in porttab, whatever the other ports are: two whole ports with
// consecutive numbers, or two consecutive parts of one port.
func (p port) precedes(q port) bool {
	if p.sub < 0 && q.sub < 0 {
		return p.n+1 == q.n
	}
	return p.sub >= 0 && p.n == q.n && p.sub+1 == q.sub
}

// portSet spells sorted ports: "swp1-swp4,swp6". A range must be contiguous in porttab, so only sure neighbours are
// joined.
func portSet(ports []port) string {
	var b strings.Builder
	for i := 0; i < len(ports); {
		j := i
		for j+1 < len(ports) && ports[j].precedes(ports[j+1]) {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(ports[i].String())
		if j > i {
			b.WriteByte('-')
			b.WriteString(ports[j].String())
		}
		i = j + 1
	}
	return b.String()
}

// span is one item of a port_set: from a to b in porttab order.
type span struct{ a, b port }

// parseSpan reads "swp1", "swp1-swp4" or "swp6s0-swp6s3".
func parseSpan(s string) (span, bool) {
	first, last, ranged := strings.Cut(s, "-")
	a, ok := parsePort(first)
	if !ok || !ranged {
		return span{a, a}, ok
	}
	b, ok := parsePort(last)
	return span{a, b}, ok && comparePorts(a, b) <= 0
}

// has tells whether the span covers p. A range that ends at a whole port covers that port alone, a range between
// whole ports also the parts of split ports between them.
func (s span) has(p port) bool { return comparePorts(s.a, p) <= 0 && comparePorts(p, s.b) <= 0 }

// touches tells whether a port_set names any of ports. What cannot be read touches.
func touches(set string, ports []port) bool {
	for _, item := range items(set) {
		s, ok := parseSpan(item)
		if !ok {
			return true
		}
		if slices.ContainsFunc(ports, s.has) {
			return true
		}
	}
	return false
}
