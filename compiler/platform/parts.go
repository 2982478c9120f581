package platform

import (
	"path"
	"strings"
)

// This file handles part numbers: the numbers in a maker's order or on a label, such as MSN3700-VS2F for the model SN3700. A row has
// patterns (see [path.Match]) of its part numbers. A part number matches at most one model, which a test checks.

// Ordered reports whether a name is a part number that one of the patterns describes. Case and the maker's name before it do not matter. If
// a pattern ends with a hyphen and a star, the name may omit both.
func Ordered(name string, patterns []string) bool {
	n := order(name)
	for _, p := range patterns {
		if matches(p, n) || matches(p, n+"-") {
			return true
		}
	}
	return false
}

// NearlyOrdered returns the patterns that match a name up to their last hyphen. The name may be a part number of that family, but does not
// identify the model.
func NearlyOrdered(name string, patterns []string) []string {
	n := order(name)
	var out []string
	for _, p := range patterns {
		if head := family(p); head != "" && (matches(head, n) || matches(head+"-*", n)) {
			out = append(out, p)
		}
	}
	return out
}

// FindOrder returns the switch model of a part number.
func FindOrder(number string) (*Switch, bool) {
	for _, s := range Switches {
		if Ordered(number, s.Parts) {
			return s, true
		}
	}
	return nil, false
}

// OrderHead returns a part number up to its last hyphen, in the form of [OrderHeads].
func OrderHead(number string) string {
	n := order(number)
	if head := family(n); head != "" {
		return head
	}
	return n
}

// OrderHeads maps the beginnings of part numbers of switch models, such as MSN2700, to their models. Patterns with a choice before their
// last hyphen are left out, because a message cannot suggest one.
func OrderHeads() map[string]string {
	models := map[string]string{}
	for _, s := range Switches {
		for _, p := range s.Parts {
			if head := family(p); head != "" && !strings.ContainsAny(head, "*?[") && models[head] == "" {
				models[head] = s.Name
			}
		}
	}
	return models
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// order returns a part number in the form of the patterns: in capitals, without the maker.
func order(name string) string {
	n := strings.ToUpper(strings.TrimSpace(name))
	for _, maker := range switchMakers {
		if rest, ok := strings.CutPrefix(n, strings.ToUpper(maker)); ok {
			if short := strings.TrimLeft(rest, " -_"); short != rest {
				return short
			}
		}
	}
	return n
}

// family returns a pattern up to its last hyphen outside of brackets.
func family(pattern string) string {
	last, class := -1, false
	for i, c := range []byte(pattern) {
		switch {
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '-' && !class:
			last = i
		}
	}
	return pattern[:max(last, 0)]
}

// msn, dcs and accton return the patterns of makers whose part numbers contain the model's name: MSN2700-CS2F, DCS-7060CX-32S-F and
// 7726-32X-O-AC-F. They are so simple that the Go compiler turns their calls into data.
func msn(model string) []string { return []string{"MSN" + model + "-*"} }

func dcs(m string) []string { return []string{"DCS-" + m + "-*", m + "-*"} }

func dcsTwo(m, n string) []string {
	return []string{"DCS-" + m + "-*", m + "-*", "DCS-" + n + "-*", n + "-*"}
}

func accton(m string) []string { return []string{m + "-O-*", "AS" + m + "-O-*"} }

func acctonTwo(m, n string) []string {
	return []string{m + "-O-*", "AS" + m + "-O-*", n + "-O-*", "AS" + n + "-O-*"}
}
