package settings

import (
	"cmp"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// member is a switch that is compared with others.
type member struct {
	*Reading
	short string // the last part of its name, if no other switch has it, or the name
	ports []portKind
	roce  []portKind // ports with PFC or link pause; if there are none, all ports
	pfc   bool       // some port has PFC or link pause
}

// portKind has ports of a switch with equal settings, represented by one of them.
type portKind struct {
	port string // empty: every port without separate settings
	id   int    // equal for equal settings, also of different switches
	*ir.PortSettings
}

// contrast is a finding between switches, at the place of a value of one of them.
type contrast struct {
	spot
	sev   diag.Severity
	notes []spot
}

// spot is a value of a switch, with the text of a finding or a note.
type spot struct {
	of   *Reading
	at   place
	text string
}

// mostNotes bounds the notes of a finding.
const mostNotes = 3

func (s *spot) where() diag.Range {
	if s.of.Where != nil {
		if r, ok := s.of.Where(s.at.port, s.at.field, s.at.index); ok && r.Filename != "" {
			return r
		}
	}
	return s.of.At
}

// samples returns one port of each kind; empty: every port without separate settings.
func samples(s *ir.Settings) map[*ir.PortSettings]string {
	first := map[*ir.PortSettings]string{}
	for port, of := range s.Ports {
		have, found := first[of]
		if !found {
			have = port
		}
		first[of] = min(have, port)
	}
	if _, found := first[s.Rest]; !found && s.Rest != nil {
		first[s.Rest] = ""
	}
	return first
}

// Sample returns settings with one port of each kind, to save memory. [Compare] needs no more.
func Sample(s *ir.Settings) *ir.Settings {
	out := &ir.Settings{Rest: s.Rest, Pools: s.Pools, System: s.System, Moment: s.Moment, Ports: map[string]*ir.PortSettings{}}
	for of, port := range samples(s) {
		if port != "" {
			out.Ports[port] = of
		}
	}
	return out
}

// membersOf returns the switches in the order of their names.
func membersOf(all []*Reading) []*member {
	out := make([]*member, len(all))
	ids := map[ir.PortSettings]int{}
	names := map[string]int{}
	for i, r := range all {
		m := &member{Reading: r, short: path.Base(r.Name)}
		names[m.short]++
		for s, port := range samples(r.Settings) {
			id, found := ids[*s]
			if !found {
				id = len(ids)
				ids[*s] = id
			}
			m.ports = append(m.ports, portKind{port, id, s})
			m.pfc = m.pfc || s.PausesKnown && s.Sends|s.Obeys != 0
		}
		sort.Slice(m.ports, func(i, k int) bool { return m.ports[i].port < m.ports[k].port })
		if m.roce = m.ports; m.pfc {
			m.roce = slices.DeleteFunc(slices.Clone(m.ports), func(k portKind) bool { return !k.PausesKnown || k.Sends|k.Obeys == 0 })
		}
		out[i] = m
	}
	for _, m := range out {
		if names[m.short] > 1 {
			m.short = m.Name
		}
	}
	slices.SortStableFunc(out, func(a, b *member) int {
		return cmp.Or(nodeset.Compare(a.short, b.short), strings.Compare(a.Name, b.Name))
	})
	return out
}

// namesRoom bounds the bytes of a list of switches.
const namesRoom = 60

func namesOf(all []*member) string {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.short
	}
	return nodeset.Text(names, nodeset.Devices, namesRoom)
}
