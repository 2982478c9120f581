package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// foldNames writes names in the brackets of the language: p1-leaf01, p1-leaf02, p2-leaf01, p2-leaf02 become
// "p[1-2]-leaf[01-02]". Names that are not the product of such brackets become "first … last". The names are
// distinct and in natural order.
func foldNames(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	first := parts(names[0])
	values := make([][]string, len(first))
	seen := make([]map[string]bool, len(first))
	for i := range seen {
		seen[i] = map[string]bool{}
	}
	for _, name := range names {
		p := parts(name)
		if len(p) != len(first) {
			return span(names)
		}
		for i, s := range p {
			if !isNumber(s) && s != first[i] {
				return span(names)
			}
			if !seen[i][s] {
				seen[i][s] = true
				values[i] = append(values[i], s)
			}
		}
	}
	product := 1
	var b strings.Builder
	for _, v := range values {
		if product *= len(v); product > len(names) {
			return span(names)
		}
		if len(v) == 1 {
			b.WriteString(v[0])
			continue
		}
		list, ok := ranges(v)
		if !ok {
			return span(names)
		}
		fmt.Fprintf(&b, "[%s]", list)
	}
	if product != len(names) {
		return span(names)
	}
	return b.String()
}

func span(names []string) string { return names[0] + " … " + names[len(names)-1] }

// parts cuts a name into texts and numbers in turn, a text first.
func parts(name string) []string {
	var out []string
	for len(name) > 0 {
		number := len(out)%2 == 1
		i := 0
		for i < len(name) && ('0' <= name[i] && name[i] <= '9') == number {
			i++
		}
		out = append(out, name[:i])
		name = name[i:]
	}
	return out
}

func isNumber(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

// ranges writes numbers as "01-04,07". It fails where padded and unpadded ones stand together, or they are too long.
func ranges(numbers []string) (string, bool) {
	width, padded := len(numbers[0]), false
	values := make([]int, len(numbers))
	for i, s := range numbers {
		n, err := strconv.Atoi(s)
		if err != nil || len(s) > 9 {
			return "", false
		}
		values[i] = n
		padded = padded || s[0] == '0' && len(s) > 1
	}
	if padded && slices.ContainsFunc(numbers, func(s string) bool { return len(s) != width }) {
		return "", false
	}
	if !padded {
		width = 0
	}
	slices.Sort(values)
	var out []string
	for i := 0; i < len(values); {
		j := i + 1
		for j < len(values) && values[j] == values[i]+j-i {
			j++
		}
		s := fmt.Sprintf("%0*d", width, values[i])
		if j > i+1 {
			s += fmt.Sprintf("-%0*d", width, values[j-1])
		}
		out = append(out, s)
		i = j
	}
	return strings.Join(out, ","), true
}

// shorten cuts the middle out of a text longer than most letters.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	half := (most - 1) / 2
	return string(r[:most-1-half]) + "…" + string(r[len(r)-half:])
}
