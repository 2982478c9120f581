package ir

import (
	"cmp"
	"strings"
)

// CompareNames orders names as people count: swp2 before swp10, leaf2 before leaf10. Runs of digits compare by value;
// names that differ only in leading zeros compare as text.
func CompareNames(a, b string) int {
	same := 0 // the common beginning, less the digits it ends in
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	for same > 0 && digit(a[same-1]) {
		same--
	}
	i, j := same, same
	for i < len(a) && j < len(b) {
		if digit(a[i]) && digit(b[j]) {
			x, y := digits(a[i:]), digits(b[j:])
			if c := compareDigits(a[i:i+x], b[j:j+y]); c != 0 {
				return c
			}
			i, j = i+x, j+y
			continue
		}
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
		i, j = i+1, j+1
	}
	return cmp.Or(cmp.Compare(len(a)-i, len(b)-j), strings.Compare(a, b))
}

func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
