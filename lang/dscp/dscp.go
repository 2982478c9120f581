// Package dscp has the table of names of DiffServ code points: class selectors (RFC 2474), assured forwarding (RFC 2597), expedited
// forwarding (RFC 3246) and voice-admit (RFC 5865).
package dscp

import (
	"strconv"
	"strings"
)

// table lists the code points that have a name, in the order in which messages propose them.
var table = []struct {
	name  string
	value int
}{
	{"be", 0},
	{"cs1", 8},
	{"cs2", 16},
	{"cs3", 24},
	{"cs4", 32},
	{"cs5", 40},
	{"cs6", 48},
	{"cs7", 56},
	{"af11", 10},
	{"af12", 12},
	{"af13", 14},
	{"af21", 18},
	{"af22", 20},
	{"af23", 22},
	{"af31", 26},
	{"af32", 28},
	{"af33", 30},
	{"af41", 34},
	{"af42", 36},
	{"af43", 38},
	{"ef", 46},
	{"voice-admit", 44},
}

// aliases are further names, which rocec reads but never writes.
var aliases = map[string]int{"cs0": 0, "default": 0, "va": 44}

// Parse returns the code point of a name, in any case.
func Parse(name string) (value int, ok bool) {
	name = strings.ToLower(name)
	for _, p := range table {
		if p.name == name {
			return p.value, true
		}
	}
	value, ok = aliases[name]
	return value, ok
}

// Names returns a name for every code point that has one.
func Names() []string {
	out := make([]string, len(table))
	for i, p := range table {
		out[i] = p.name
	}
	return out
}

// Text returns a code point with its name, if it has one: "26 (af31)". Some readers know the number, others the name.
func Text(value int) string {
	s := strconv.Itoa(value)
	for _, p := range table {
		if p.value == value {
			return s + " (" + p.name + ")"
		}
	}
	return s
}
