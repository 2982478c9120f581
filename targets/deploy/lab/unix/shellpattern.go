package unix

import (
	"slices"
	"strings"
)

// Patterns of the shell, byte by byte as in the C locale.

// plainPattern reports whether a pattern matches only its own text.
func plainPattern(pattern string) bool { return !strings.ContainsAny(pattern, `*?[\`) }

// cutPrefix removes the shortest or longest prefix that a pattern matches.
func cutPrefix(s, pattern string, longest bool) string {
	if rest, ok := strings.CutPrefix(pattern, "*"); ok && rest != "" && plainPattern(rest) {
		i := strings.Index(s, rest)
		if longest {
			i = strings.LastIndex(s, rest)
		}
		if i < 0 {
			return s
		}
		return s[i+len(rest):]
	}
	return s[reach(items(pattern), s, longest, func(i int) byte { return s[i] }):]
}

// cutSuffix removes the shortest or longest suffix that a pattern matches.
func cutSuffix(s, pattern string, longest bool) string {
	if rest, ok := strings.CutSuffix(pattern, "*"); ok && rest != "" && plainPattern(rest) {
		i := strings.LastIndex(s, rest)
		if longest {
			i = strings.Index(s, rest)
		}
		if i < 0 {
			return s
		}
		return s[:i]
	}
	list := items(pattern)
	slices.Reverse(list)
	return s[:len(s)-reach(list, s, longest, func(i int) byte { return s[len(s)-1-i] })]
}

// items splits a pattern into stars and items that match one byte each.
func items(pattern string) (list []string) {
	for pattern != "" {
		width := 1
		if pattern[0] != '*' {
			width, _ = matchOne(pattern, 0)
		}
		list = append(list, pattern[:width])
		pattern = pattern[width:]
	}
	return list
}

// reach returns the number of bytes that the items match, the smallest or the largest possible number; 0: no match. at(i) returns the
// i-th byte of s, counted from the end where the match begins. reach follows all possible matches at once, so its time is at most
// proportional to the product of both lengths.
func reach(list []string, s string, longest bool, at func(int) byte) (best int) {
	now := make([]bool, len(list)+1)
	add := func(set []bool, i int) {
		for set[i] = true; i < len(list) && list[i] == "*"; i++ {
			set[i+1] = true
		}
	}
	add(now, 0)
	if now[len(list)] && !longest {
		return 0
	}
	for n := range len(s) {
		next, any := make([]bool, len(list)+1), false
		c := at(n)
		for i, on := range now[:len(list)] {
			if !on {
				continue
			}
			if list[i] == "*" {
				add(next, i)
				any = true
			} else if _, ok := matchOne(list[i], c); ok {
				add(next, i+1)
				any = true
			}
		}
		if next[len(list)] {
			if best = n + 1; !longest {
				return best
			}
		}
		if now = next; !any {
			break
		}
	}
	return best
}

// matches reports whether a pattern of the shell matches all of s.
func matches(pattern, s string) bool {
	backPattern, backS := -1, 0
	p, i := 0, 0
	for i < len(s) || p < len(pattern) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				backPattern, backS = p, i+1
				p++
				continue
			}
			if i < len(s) {
				if width, ok := matchOne(pattern[p:], s[i]); ok {
					p, i = p+width, i+1
					continue
				}
			}
		}
		if backPattern < 0 || backS > len(s) {
			return false
		}
		p, i = backPattern+1, backS
		backS++
	}
	return true
}

// matchOne matches one byte with the first item of a pattern, and returns the width of that item.
func matchOne(pattern string, c byte) (width int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		if width, ok, set := matchSet(pattern, c); set {
			return width, ok
		}
	case '\\':
		if len(pattern) > 1 {
			return 2, pattern[1] == c
		}
	}
	return 1, pattern[0] == c
}

// matchSet matches a bracket expression; set is false if pattern does not begin with one.
func matchSet(pattern string, c byte) (width int, ok, set bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return i + 1, ok != negated, true
		}
		if strings.HasPrefix(pattern[i:], "[:") {
			if name, _, found := strings.Cut(pattern[i+2:], ":]"); found {
				ok = ok || inClass(name, c)
				i += len(name) + 4
				continue
			}
		}
		one := func() byte {
			if pattern[i] == '\\' && i+1 < len(pattern) {
				i++
			}
			i++
			return pattern[i-1]
		}
		low := one()
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			i++
			high = one()
		}
		ok = ok || low <= c && c <= high
	}
	return 0, false, false
}

func inClass(name string, c byte) bool {
	switch name {
	case "alpha":
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	case "digit":
		return c >= '0' && c <= '9'
	case "alnum":
		return inClass("alpha", c) || inClass("digit", c)
	case "lower":
		return c >= 'a' && c <= 'z'
	case "upper":
		return c >= 'A' && c <= 'Z'
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return c > ' ' && c < 0x7f && !inClass("alnum", c)
	case "xdigit":
		return inClass("digit", c) || c|0x20 >= 'a' && c|0x20 <= 'f'
	case "cntrl":
		return c < ' ' || c == 0x7f
	case "print":
		return c >= ' ' && c < 0x7f
	case "graph":
		return c > ' ' && c < 0x7f
	}
	return false
}
