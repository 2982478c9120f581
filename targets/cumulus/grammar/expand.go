package grammar

// MostExpanded is the number of ports after which [Expand] ends with the next item; the largest switch has 512.
const MostExpanded = 1 << 14

// Expand names the ports of a port_set. An item that cannot be split into ports is returned as it is.
func Expand(set string) []string {
	var out []string
	for _, item := range Items(set) {
		s, ok := ParseSpan(item)
		switch {
		case len(out) > MostExpanded:
			return out
		case ok && s.A.Sub < 0 && s.B.Sub < 0 && s.B.N-s.A.N < MostExpanded:
			for n := s.A.N; n <= s.B.N; n++ {
				out = append(out, Port{N: n, Sub: -1}.String())
			}
		case ok && s.A.N == s.B.N && s.A.Sub >= 0:
			for k := s.A.Sub; k <= s.B.Sub; k++ {
				out = append(out, Port{N: s.A.N, Sub: k}.String())
			}
		default:
			out = append(out, item)
		}
	}
	return out
}
