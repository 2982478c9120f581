package sonic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// Ports are called EthernetN. The step of N from one port to the next depends on the model, and is mostly the number of lanes. A part
// of a split port is named by its first lane, so Ethernet0 is both the first port of a switch and the first part of that port. A port
// also has an alias, which is its number on the front panel: etp1, with etp1a and etp1b for its parts; on some models Ethernet1/1 and
// Ethernet1/3, by lanes. rocec reads an alias where it cannot be mistaken for a name, and always writes the name. Source:
// port_config.ini and platform.json of the models.

// prefix begins every name.
const prefix = "Ethernet"

// run is a run of ports whose names are alike: the number of its first port, the number in that one's name, and how far names are apart.
type run struct{ port, name, step int }

// runsOf gives the runs of a model's names. For a model outside the table the step to the next name is the number of the port's
// lanes, as on most models; for a nil model ports have four lanes.
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

// isKnown reports whether a model is that of the tables, and none that a fabric declares under its name.
func isKnown(m *platform.Switch) bool { return slices.Contains(platform.Switches, m) }

// largestName bounds the number in a name; the largest switch has 520.
const largestName = 9999

// readPort gives the port that a name or an alias means. A name that means both a port and its first part gives the port. An alias
// with a letter gives the part of that letter, whatever its lanes: [resolvePorts] settles both.
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

// place gives the port that a name's number belongs to, and the lane in it, from 0; a port of 0: the number lies before all of them.
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

// spellPort gives the name of a port, or of the part that begins at a lane.
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

// Lanes are the lanes of a whole port by their numbers in names: of a part that begins at lane 2 the third and those that follow. None:
// the model has no such port.
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

// alias is an alias of a port: part is the letter, from 0, or with lanes the first lane; -1: the whole port.
type alias struct {
	port, part int
	lanes      bool
}

// parseAlias reads an alias where the model has such: etp1, etp1b, Ethernet1/3.
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

// number reads a number as names have them: digits without leading zeros, up to [largestName].
func number(text string) (int, bool) {
	if text == "" || len(text) > 4 || strings.Trim(text, "0123456789") != "" || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n <= largestName
}

// resolvePorts settles what the names mean that cables use on a switch. A name for both a port and its first part means the part
// where another part of the port is used. Letters count parts, so the number of parts has to allow all letters in use. Among such
// numbers the one that gives the parts the speed of their cables wins, else the smallest.
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

// partsOf is how many parts a port has whose parts are named by letters; of are those of the names that are of the port.
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
