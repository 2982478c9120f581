package sonic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// Ports are called EthernetN. The step of N from one port to the next depends on the model, and is mostly the number of lanes. A part of
// a split port is named by its first lane, so Ethernet0 is both the first port of a switch and the first part of that port. A port also
// has an alias with its number on the front panel: etp1, with etp1a and etp1b for its parts. On some models the aliases are Ethernet1/1
// and Ethernet1/3, by lanes. rocec accepts an alias that cannot be mistaken for a name, and always writes the name. Source:
// port_config.ini and platform.json of the models.

// prefix is the beginning of every name.
const prefix = "Ethernet"

// run is a run of ports whose names have equal steps: the number of its first port, the number in the name of that port, and the step
// between names.
type run struct{ port, name, step int }

// runsOf returns the runs of a model's names. For a model outside the table, the step to the next name is the number of the port's lanes,
// as on most models. For a nil model every port has four lanes.
func runsOf(m *platform.Switch) []run {
	if m == nil {
		return []run{{1, 0, 4}}
	}
	if row, ok := models()[m.Name]; ok && isKnown(m) {
		return row.names
	}
	var out []run
	name := 0
	for _, r := range m.Ports {
		out = append(out, run{r.First, name, r.Lanes})
		name += (r.Last - r.First + 1) * r.Lanes
	}
	return out
}

// isKnown reports whether a model is in the table, and not a model of the same name that a fabric declares.
func isKnown(m *platform.Switch) bool { return slices.Contains(platform.Switches, m) }

// largestName bounds the number in a name; the largest switch has 520.
const largestName = 9999

// readPort returns the port with a name or an alias. If a port and its first part share the name, readPort returns the port. For an alias
// with a letter it returns the number of the letter as the part, whatever its lanes. [resolvePorts] resolves both.
func readPort(m *platform.Switch, name string) (ir.Front, bool) {
	if a, ok := parseAlias(m, name); ok {
		return ir.Front{Number: int16(a.port), Sub: int16(a.part)}, true
	}
	n, ok := number(strings.TrimPrefix(name, prefix))
	if !ok || !strings.HasPrefix(name, prefix) {
		return ir.Front{}, false
	}
	port, lane := place(m, n)
	if port == 0 {
		return ir.Front{}, false
	}
	if lane == 0 {
		lane = -1
	}
	return ir.Front{Number: int16(port), Sub: int16(lane)}, true
}

// place returns the port that contains a name's number, and the lane in that port, from 0. The port is 0 if the number is below all
// ports.
func place(m *platform.Switch, n int) (port, lane int) {
	runs := runsOf(m)
	for i, r := range runs {
		if n < r.name || i+1 < len(runs) && n >= runs[i+1].name {
			continue
		}
		return r.port + (n-r.name)/r.step, (n - r.name) % r.step
	}
	return 0, 0
}

// spellPort returns the name of a port, or of the part that begins at a lane.
func spellPort(m *platform.Switch, f ir.Front) string {
	runs := runsOf(m)
	r := runs[0]
	for _, next := range runs[1:] {
		if int(f.Number) >= next.port {
			r = next
		}
	}
	return prefix + strconv.Itoa(r.name+(int(f.Number)-r.port)*r.step+max(int(f.Sub), 0))
}

// Lanes returns the numbers that a whole port's lanes have in names. The lanes of a part that begins at lane 2 are the third one and
// those after it. None: the model has no such port.
func Lanes(m *platform.Switch, port int) []int {
	r, ok := m.Port(port, -1)
	if !ok {
		return nil
	}
	first, _ := number(strings.TrimPrefix(spellPort(m, ir.Front{Number: int16(port), Sub: -1}), prefix))
	out := make([]int, r.Lanes)
	for i := range out {
		out[i] = first + i
	}
	return out
}

// alias is an alias of a port. part is the letter, from 0, or with lanes the first lane; -1: the whole port.
type alias struct {
	port, part int
	lanes      bool
}

// parseAlias reads an alias, if the model has aliases of its form: etp1, etp1b, Ethernet1/3.
func parseAlias(m *platform.Switch, name string) (alias, bool) {
	style := letters | lanes
	if m != nil && isKnown(m) {
		style = models()[m.Name].aliases
	}
	if rest, ok := strings.CutPrefix(name, "etp"); ok && style&letters != 0 {
		part := -1
		if end := len(rest) - 1; end > 0 && rest[end] >= 'a' && rest[end] <= 'h' {
			part, rest = int(rest[end]-'a'), rest[:end]
		}
		n, ok := number(rest)
		return alias{port: n, part: part}, ok && n > 0
	}
	rest, ok := strings.CutPrefix(name, prefix)
	port, lane, slash := strings.Cut(rest, "/")
	if !ok || !slash || style&lanes == 0 {
		return alias{}, false
	}
	p, okPort := number(port)
	l, okLane := number(lane)
	if !okPort || !okLane || p < 1 || l < 1 {
		return alias{}, false
	}
	a := alias{port: p, part: l - 1, lanes: true}
	if a.part == 0 {
		a.part = -1
	}
	return a, true
}

// number reads a number in the form of names: digits without leading zeros, up to [largestName].
func number(text string) (int, bool) {
	if text == "" || len(text) > 4 || strings.Trim(text, "0123456789") != "" || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n <= largestName
}

// resolvePorts decides which port or part each name means that cables use on a switch. If a port and its first part share a name, it
// means the part if another part of the port is used. An alias with a letter counts parts, so the number of parts must be large enough
// for all letters in use. Among these numbers, the one that gives the parts the speed of their cables is chosen, or else the smallest.
func resolvePorts(m *platform.Switch, used []ir.Used) []ir.Front {
	out := make([]ir.Front, len(used))
	ofPort := map[int16][]int{}
	for i, u := range used {
		out[i] = u.Front
		ofPort[u.Front.Number] = append(ofPort[u.Front.Number], i)
	}
	for port, of := range ofPort {
		r, ok := m.Port(int(port), -1)
		if !ok {
			continue
		}
		split := slices.ContainsFunc(of, func(i int) bool { return used[i].Front.Sub >= 0 })
		parts := partsOf(m, r, used, of)
		for _, i := range of {
			a, isAlias := parseAlias(m, used[i].Name)
			switch {
			case isAlias && !a.lanes && a.part >= 0:
				out[i].Sub = int16(a.part * r.Lanes / parts)
			case split && out[i].Sub < 0 && (!isAlias || a.lanes):
				out[i].Sub = 0
			}
		}
	}
	return out
}

// partsOf returns the number of parts of a port whose parts are named by letters. of has the indices of the port's names in used.
func partsOf(m *platform.Switch, r platform.PortRange, used []ir.Used, of []int) int {
	least := 2
	for _, i := range of {
		if a, ok := parseAlias(m, used[i].Name); ok && !a.lanes {
			for least <= a.part {
				least *= 2
			}
		}
	}
	for parts := least; parts <= r.Lanes; parts *= 2 {
		for _, i := range of {
			if a, ok := parseAlias(m, used[i].Name); ok && !a.lanes && a.part >= 0 && used[i].Speed == r.Speed/parts {
				return parts
			}
		}
	}
	return least
}
