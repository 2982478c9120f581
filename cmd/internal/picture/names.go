package picture

import "github.com/rocec/rocec/lang/nodeset"

// label returns one nodeset for devices, such as p[1-2]-leaf[01-02], or "first … last" if they need several. The names are distinct and
// in natural order.
func label(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	if sets := nodeset.Fold(names, nodeset.Devices); len(sets) == 1 {
		return sets[0]
	}
	return names[0] + " … " + names[len(names)-1]
}

// shorten removes the middle of a text that is longer than most letters.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	half := (most - 1) / 2
	return string(r[:most-1-half]) + "…" + string(r[len(r)-half:])
}
