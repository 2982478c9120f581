package grammar

import (
	"cmp"
	"strconv"
	"strings"
)

// AllPorts is the word for all ports, from 4.4 on.
const AllPorts = "allports"

// MostParts is how many parts a port can be split into at most.
const MostParts = 8

// Port is a front-panel port: swp6 is {6, -1}, its third part after a split, swp6s2, is {6, 2}.
type Port struct{ N, Sub int }

// ParsePort reads a port as porttab spells it. A port has only one spelling: no leading zeros, no upper case.
func ParsePort(s string) (Port, bool) {
	rest, ok := strings.CutPrefix(s, "swp")
	if !ok {
		return Port{}, false
	}
	num, part, split := strings.Cut(rest, "s")
	n, ok := smallNumber(num)
	if !ok || n == 0 {
		return Port{}, false
	}
	if !split {
		return Port{n, -1}, true
	}
	sub, ok := smallNumber(part)
	return Port{n, sub}, ok
}

func smallNumber(s string) (int, bool) {
	if len(s) == 0 || len(s) > 4 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// String spells the port as porttab does.
func (p Port) String() string {
	if p.Sub < 0 {
		return "swp" + strconv.Itoa(p.N)
	}
	return "swp" + strconv.Itoa(p.N) + "s" + strconv.Itoa(p.Sub)
}

// Compare orders ports as porttab does.
func (p Port) Compare(q Port) int { return cmp.Or(cmp.Compare(p.N, q.N), cmp.Compare(p.Sub, q.Sub)) }

// precedes reports whether q follows p in every porttab: they are whole ports with consecutive numbers, or consecutive parts of one port.
func (p Port) precedes(q Port) bool {
	if p.Sub < 0 && q.Sub < 0 {
		return p.N+1 == q.N
	}
	return p.Sub >= 0 && p.N == q.N && p.Sub+1 == q.Sub
}

// PortSet spells sorted ports: "swp1-swp4,swp6". A range must be contiguous in porttab, so it contains only ports that follow each other
// in every porttab.
func PortSet(ports []Port) string {
	var b strings.Builder
	for i := 0; i < len(ports); {
		j := i
		for j+1 < len(ports) && ports[j].precedes(ports[j+1]) {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(Span{ports[i], ports[j]}.String())
		i = j + 1
	}
	return b.String()
}

// Span is one item of a port set: the ports from A to B in porttab order.
type Span struct{ A, B Port }

// ParseSpan reads "swp1", "swp1-swp4" or "swp6s0-swp6s3".
func ParseSpan(s string) (Span, bool) {
	first, last, ranged := strings.Cut(s, "-")
	a, ok := ParsePort(first)
	if !ok || !ranged {
		return Span{a, a}, ok
	}
	b, ok := ParsePort(last)
	return Span{a, b}, ok && a.Compare(b) <= 0
}

// String spells the span.
func (s Span) String() string {
	if s.A == s.B {
		return s.A.String()
	}
	return s.A.String() + "-" + s.B.String()
}

// Has reports whether the span covers p. At its ends, a range of whole ports covers only these two ports. Between its ends it also covers
// the parts of split ports.
func (s Span) Has(p Port) bool { return s.A.Compare(p) <= 0 && p.Compare(s.B) <= 0 }
