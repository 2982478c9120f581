package platform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FindASIC returns the chip of a name: case, "-", "_", "." and spaces do not matter, "+" reads as "plus".
func FindASIC(name string) (*ASIC, bool) {
	return find(ASICs, fold(name), func(a *ASIC) (string, []string) { return a.Name, a.Aliases })
}

// FindSwitch returns the switch model of a name. Besides what [FindASIC] overlooks, the maker's name before the model
// ("mellanox-sn2700", "Dell S6000"), the "-ON" of Dell's order numbers and the M of "MSN2700" do not matter.
func FindSwitch(name string) (*Switch, bool) {
	n := fold(name)
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
var switchMakers = []string{"mellanox", "nvidia", "dell", "edgecore", "accton", "acs", "celestica", "delta", "penguin", "quanta", "facebook"}

// FindNIC returns the NIC model of a name, as [FindASIC] does, with or without the maker's name.
func FindNIC(name string) (*NIC, bool) {
	n := fold(name)
	for _, maker := range []string{"mellanox", "nvidia"} {
		if rest, ok := strings.CutPrefix(n, maker); ok && rest != "" {
			n = rest
			break
		}
	}
	return find(NICs, n, func(c *NIC) (string, []string) { return c.Name, c.Aliases })
}

// FindFamily returns the NIC family of a name.
func FindFamily(name string) (Family, bool) {
	i := slices.Index(Families, Family(strings.ToLower(name)))
	if i < 0 {
		return "", false
	}
	return Families[i], true
}

// ASICNames lists the chips, sorted.
func ASICNames() []string { return names(ASICs, func(a *ASIC) string { return a.Name }) }

// SwitchNames lists the switch models, sorted.
func SwitchNames() []string { return names(Switches, func(s *Switch) string { return s.Name }) }

// NICNames lists the NIC models, sorted.
func NICNames() []string { return names(NICs, func(n *NIC) string { return n.Name }) }

// FamilyNames lists the NIC families, sorted.
func FamilyNames() []string { return names(Families, func(f Family) string { return string(f) }) }

func find[T any](rows []*T, folded string, name func(*T) (string, []string)) (*T, bool) {
	for _, r := range rows {
		n, aliases := name(r)
		if fold(n) == folded || slices.ContainsFunc(aliases, func(a string) bool { return fold(a) == folded }) {
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

// fold makes spellings of one name equal.
func fold(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "", ".", "", "+", "plus").Replace(strings.ToLower(name))
}

// ParsePort reads the name of a front-panel port: "swp3" is (3, -1), "swp3s1" is (3, 1). There is one spelling of a
// port: no leading zeros, no upper case.
func ParsePort(name string) (number, sub int, ok bool) {
	rest, ok := strings.CutPrefix(name, "swp")
	if !ok {
		return 0, 0, false
	}
	num, subText, split := strings.Cut(rest, "s")
	number, ok = smallNumber(num)
	if !ok || number == 0 {
		return 0, 0, false
	}
	if !split {
		return number, -1, true
	}
	sub, ok = smallNumber(subText)
	return number, sub, ok
}

func smallNumber(s string) (int, bool) {
	if len(s) == 0 || len(s) > 4 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// Port returns the run of ports a name belongs to, and which part of a split port it is (-1: the whole port). It is
// not ok when the model has no such port or the port cannot be split that far.
func (s *Switch) Port(name string) (r PortRange, sub int, ok bool) {
	number, sub, ok := ParsePort(name)
	if !ok {
		return PortRange{}, 0, false
	}
	for _, r := range s.Ports {
		if r.First <= number && number <= r.Last {
			return r, sub, sub < 0 || r.Lanes > 1 && sub < r.Lanes
		}
	}
	return PortRange{}, 0, false
}

// Split returns the speed and the lanes of each part of a port split so that part sub exists: into 2, 4 or 8, as far
// as sub asks for. A part below 0 is the whole port.
func (r PortRange) Split(sub int) (speed, lanes int) {
	ways := 1
	for sub >= 0 && (ways == 1 || ways <= sub) {
		ways *= 2
	}
	return r.Speed / ways, max(r.Lanes/ways, 1)
}

// Runs tells whether a port of that native speed and number of lanes can run at a speed: a standard one, no faster than
// the port, 40G only over four lanes, and lanes of 10G (QSFP+) at 10G and 40G only.
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

// PortsText says which ports the model has: "swp1-48 (25G), swp49-56 (100G, splits into 4)".
func (s *Switch) PortsText() string {
	var out []string
	for _, r := range s.Ports {
		t := "swp" + strconv.Itoa(r.First)
		if r.Last > r.First {
			t += "-" + strconv.Itoa(r.Last)
		}
		if r.Lanes > 1 {
			t += fmt.Sprintf(" (%s, splits into %d)", SpeedText(r.Speed), r.Lanes)
		} else {
			t += fmt.Sprintf(" (%s)", SpeedText(r.Speed))
		}
		out = append(out, t)
	}
	return strings.Join(out, ", ")
}
