package diag

import "strconv"

// Count is a number with its noun: "1 link", "2 links", "2 switches", "1,024 links".
func Count(n int, noun string) string {
	switch {
	case n == 1:
	case noun == "switch":
		noun += "es"
	default:
		noun += "s"
	}
	return Number(n) + " " + noun
}

// Number writes thousands apart: 131,328.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
