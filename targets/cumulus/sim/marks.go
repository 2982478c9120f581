package sim

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

var (
	_ target.Marker = (*Switchd)(nil)
	_ target.Pauser = (*Switchd)(nil)
)

// Marks implements [target.Marker] with the port groups of the file that switchd loaded last.
func (s *Switchd) Marks(port string, cos int) (from int, ok bool) {
	s.groups(grammar.Marking, port, cos, func(f grammar.Feature, get func(grammar.Meaning) string) {
		n, err := strconv.Atoi(get(grammar.MinThreshold))
		if !ok && err == nil && (f == grammar.ECN || get(grammar.Marks) == "true") {
			from, ok = n, true
		}
	})
	return from, ok
}

// Pause implements [target.Pauser]. The counter of drops has no priority.
func (s *Switchd) Pause(port string, cos int, packets uint64) (pauses uint64) {
	s.groups([]grammar.Feature{grammar.PFC}, port, cos, func(_ grammar.Feature, get func(grammar.Meaning) string) {
		if get(grammar.SendsPause) == "true" {
			pauses = packets
		}
	})
	if pauses == 0 {
		s.m.Count(port, "HwIfInBufferDrops", packets)
		return 0
	}
	s.m.Count(port, "HwIfOutPfc"+strconv.Itoa(cos)+"Pkt", pauses)
	return pauses
}

// groups calls use for the port groups of features that have a port and a cos, by the file that switchd loaded last.
func (s *Switchd) groups(of []grammar.Feature, port string, cos int, use func(f grammar.Feature, get func(grammar.Meaning) string)) {
	lines, _ := grammar.Parse([]byte(s.Content))
	conf := grammar.ValuesOf(lines)
	at, ok := grammar.ParsePort(port)
	if !ok {
		return
	}
	for _, f := range of {
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
			if here && slices.Contains(classes, strconv.Itoa(cos)) {
				use(f, get)
			}
		}
	}
}
