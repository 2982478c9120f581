package nodeset

import (
	"cmp"
	"strings"
)

// Compare orders names naturally: swp2 before swp10, leaf2 before leaf10. It compares runs of digits by value, and names that differ
// only in leading zeros as text.
func Compare(a, b string) int {
	same := 0 // length of the common beginning, without its last digits
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	for same > 0 && isDigit(a[same-1]) {
		same--
	}
	i, j := same, same
	for i < len(a) && j < len(b) {
		if isDigit(a[i]) && isDigit(b[j]) {
			x, y := digitRun(a[i:]), digitRun(b[j:])
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

// digitRun returns the number of digits that s begins with.
func digitRun(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
