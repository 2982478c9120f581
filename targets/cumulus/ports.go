package cumulus

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// without removes sorted ports from a port_set. A set or an item that keeps all its ports keeps its spelling. Not ok: the set cannot be
// read, or a range of whole ports contains parts of a port, so that its new ends are unknown.
func without(set string, taken []grammar.Port) (rest string, ok bool) {
	var items []string
	changed := false
	for _, item := range grammar.Items(set) {
		s, ok := grammar.ParseSpan(item)
		if !ok {
			return "", false
		}
		gone := slices.DeleteFunc(slices.Clone(taken), func(p grammar.Port) bool { return !s.Has(p) })
		if len(gone) == 0 {
			items = append(items, item)
			continue
		}
		changed = true
		parts := s.A.Sub >= 0 && s.B.Sub >= 0 && s.A.N == s.B.N
		mixed := func(p grammar.Port) bool { return p.Sub >= 0 != parts }
		if !parts && mixed(s.A) || !parts && mixed(s.B) || slices.ContainsFunc(gone, mixed) {
			return "", false
		}
		number := func(p *grammar.Port) *int {
			if parts {
				return &p.Sub
			}
			return &p.N
		}
		from := s.A
		for _, p := range append(gone, grammar.Port{N: s.B.N + 1, Sub: s.B.Sub + 1}) {
			to := s.B
			*number(&to) = *number(&p) - 1
			if *number(&from) <= *number(&to) {
				items = append(items, grammar.Span{A: from, B: to}.String())
			}
			*number(&from) = *number(&p) + 1
		}
	}
	if !changed {
		return set, true
	}
	return strings.Join(items, ","), true
}
