package cumulus

import (
	"slices"

	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// touches reports whether a port_set names any of ports. What cannot be read touches.
func touches(set string, ports []grammar.Port) bool {
	for _, item := range grammar.Items(set) {
		s, ok := grammar.ParseSpan(item)
		if !ok || slices.ContainsFunc(ports, s.Has) {
			return true
		}
	}
	return false
}

// expand names the ports of a port_set.
func expand(set string) []string {
	var out []string
	const most = 4096 // ports; the largest switch has 256
	for _, item := range grammar.Items(set) {
		s, ok := grammar.ParseSpan(item)
		switch {
		case len(out) > most:
			return out
		case ok && s.A.Sub < 0 && s.B.Sub < 0 && s.B.N-s.A.N < most:
			for n := s.A.N; n <= s.B.N; n++ {
				out = append(out, grammar.Port{N: n, Sub: -1}.String())
			}
		case ok && s.A.N == s.B.N && s.A.Sub >= 0:
			for k := s.A.Sub; k <= s.B.Sub; k++ {
				out = append(out, grammar.Port{N: s.A.N, Sub: k}.String())
			}
		default:
			out = append(out, item)
		}
	}
	return out
}
