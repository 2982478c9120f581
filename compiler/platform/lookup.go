package platform

import (
	"slices"
	"strings"
)

// FindASIC returns the chip with a name: case, "-", "_", "." and spaces do not matter, "+" reads as "plus".
func FindASIC(name string) (*ASIC, bool) {
	return find(ASICs, Fold(name), func(a *ASIC) (string, []string) { return a.Name, a.Aliases })
}

// FindSwitch returns the switch model with a name. It ignores the same differences as [FindASIC], and the maker's name before the model
// ("mellanox-sn2700", "Dell S6000"), the "-ON" of Dell's order numbers and the M of "MSN2700".
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

// Fold returns the same text for all spellings of a name.
func Fold(name string) string { return folding.Replace(strings.ToLower(name)) }

var folding = strings.NewReplacer("-", "", "_", "", " ", "", ".", "", "+", "plus")

// Port returns the run of ports that a number belongs to. ok is false if the model has no such port, or if the port cannot be split into
// parts up to sub (-1: the whole port). In the second case the run is still returned.
func (s *Switch) Port(number, sub int) (r PortRange, ok bool) {
	for _, r := range s.Ports {
		if r.First <= number && number <= r.Last {
			return r, sub < 0 || r.Lanes > 1 && sub < r.Lanes
		}
	}
	return PortRange{}, false
}

// Split returns the speed and the lanes of each part of a port that is split into the fewest parts, 2, 4 or 8, that include part sub. A
// negative sub is the whole port.
func (r PortRange) Split(sub int) (speed, lanes int) {
	ways := 1
	for sub >= 0 && (ways == 1 || ways <= sub) {
		ways *= 2
	}
	return r.Speed / ways, max(r.Lanes/ways, 1)
}

// PartAt returns the speed and the lanes of the part of a split port that begins at a lane, counted from 0. used contains the first lanes
// of the parts in use, which may include this one. The number of lanes of a part is a power of two, and the part begins at a multiple of
// it. The first lane of another part is never in the part.
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

// Runs reports whether a port with a native speed and a number of lanes can run at a speed. The speed is a standard one, no faster than the
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
