package sim

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

var _ target.Marker = (*Switchd)(nil)

// Marks implements [target.Marker] with the port groups of the file that switchd loaded last.
func (s *Switchd) Marks(port string, cos int) (from int, ok bool) {
	lines, _ := grammar.Parse([]byte(s.Content))
	conf := grammar.ValuesOf(lines)
	at, ok := grammar.ParsePort(port)
	if !ok {
		return 0, false
	}
	for _, f := range grammar.Marking {
		groups, _ := conf.Get(f, grammar.Groups, -1, "")
		for _, g := range grammar.Items(groups) {
			get := func(m grammar.Meaning) string {
				v, _ := conf.Get(f, m, -1, g)
				return v
			}
			classes := slices.Concat(grammar.Items(get(grammar.GroupCos)), grammar.Items(get(grammar.GroupQueues)))
			here := slices.ContainsFunc(grammar.Items(get(grammar.GroupPorts)), func(item string) bool {
				span, ok := grammar.ParseSpan(item)
				return ok && span.Has(at)
			})
			n, err := strconv.Atoi(get(grammar.MinThreshold))
			if here && err == nil && slices.Contains(classes, strconv.Itoa(cos)) && (f == grammar.ECN || get(grammar.Marks) == "true") {
				return n, true
			}
		}
	}
	return 0, false
}
