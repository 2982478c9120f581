package platform

import (
	"slices"
	"strings"
)

// FindASIC returns the chip with a name: case, "-", "_", "." and spaces do not matter, "+" reads as "plus".
func FindASIC(name string) (*ASIC, bool) {
	return find(ASICs, Fold(name), func(a *ASIC) (string, []string) { return a.Name, a.Aliases })
}

// FindSwitch returns the switch model of a name. Besides what [FindASIC] overlooks, the maker's name before the model
// ("mellanox-sn2700", "Dell S6000"), the "-ON" of Dell's order numbers and the M of "MSN2700" do not matter.
func FindSwitch(name string) (*Switch, bool) {
	n := Fold(name)
	for _, maker := range switchMakers {
		if rest, ok := strings.CutPrefix(n, maker); ok && rest != "" {
			n = rest
			break
		}
	}
	if strings.HasPrefix(n, "msn") {
		n = n[1:]
	}
	row := func(s *Switch) (string, []string) { return s.Name, s.Aliases }
	if s, ok := find(Switches, n, row); ok {
		return s, true
	}
	return find(Switches, strings.TrimSuffix(n, "on"), row)
}

// switchMakers are the names people write before a model.
var switchMakers = []string{
	"mellanox", "nvidia", "dellemc", "dell", "force10", "edgecore", "accton", "arista", "acs", "celestica", "delta", "penguin", "quanta",
	"facebook",
}

// ASICNames lists the chips, sorted.
func ASICNames() []string { return names(ASICs, func(a *ASIC) string { return a.Name }) }

// SwitchNames lists the switch models, sorted.
func SwitchNames() []string { return names(Switches, func(s *Switch) string { return s.Name }) }

func find[T any](rows []*T, folded string, name func(*T) (string, []string)) (*T, bool) {
	for _, r := range rows {
		n, aliases := name(r)
		if Fold(n) == folded || slices.ContainsFunc(aliases, func(a string) bool { return Fold(a) == folded }) {
			return r, true
		}
	}
	return nil, false
}

func names[T any](rows []T, name func(T) string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = name(r)
	}
	slices.Sort(out)
	return out
}

// Fold makes spellings of one name equal.
func Fold(name string) string { return folding.Replace(strings.ToLower(name)) }

var folding = strings.NewReplacer("-", "", "_", "", " ", "", ".", "", "+", "plus")

// Port returns the run of ports that a number belongs to. It is not ok when the model has no such port, or when the port has no part sub
// because it cannot be split so far (-1: the whole port). In the second case the run is still returned.
func (s *Switch) Port(number, sub int) (r PortRange, ok bool) {
	for _, r := range s.Ports {
		if r.First <= number && number <= r.Last {
			return r, sub < 0 || r.Lanes > 1 && sub < r.Lanes
		}
	}
	return PortRange{}, false
}

// Split returns the speed and the lanes of each part of a port split into 2, 4 or 8 parts, the fewest that include part sub. A part below
// 0 is the whole port.
func (r PortRange) Split(sub int) (speed, lanes int) {
	ways := 1
	for sub >= 0 && (ways == 1 || ways <= sub) {
		ways *= 2
	}
	return r.Speed / ways, max(r.Lanes/ways, 1)
}

// PartAt returns the speed and the lanes of the part of a split port that begins at a lane, counted from 0. used has the lanes at which
// the parts in use begin, which may include this one. A part has a power of two of lanes, begins at a multiple of their number, and holds
// no lane at which another part begins.
func (r PortRange) PartAt(lane int, used []int) (speed, lanes int) {
	other := func(from, to int) bool {
		return slices.ContainsFunc(used, func(u int) bool { return u != lane && from <= u && u < to })
	}
	lanes = 1
	for twice := 2; twice < r.Lanes && lane%twice == 0 && !other(lane, lane+twice); twice *= 2 {
		lanes = twice
	}
	return r.Speed / r.Lanes * lanes, lanes
}

// Runs reports whether a port of that native speed and number of lanes can run at a speed. The speed is a standard one, no faster than the
// port. 40G needs four lanes, and lanes of 10G (QSFP+) run at 10G and 40G only.
func Runs(native, lanes, speed int) bool {
	if speed > native || !slices.Contains(Speeds, speed) {
		return false
	}
	switch {
	case speed < 25_000:
		return true
	case speed == 40_000:
		return lanes >= 4
	}
	return native/lanes >= 25_000
}
