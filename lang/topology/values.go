package topology

import (
	"regexp"
	"strconv"
	"strings"
)

var plainNumber = regexp.MustCompile(`^\d+$`)

// value gives what a file says of a cable as the language writes it: a plain number gets the unit that the file tells of all
// such numbers, "M" for speeds and "m" for lengths; empty: none. What the language knows stays as it is.
func value(text, unit string) string {
	if unit == "" || !plainNumber.MatchString(text) {
		return text
	}
	n, err := strconv.Atoi(text)
	if err == nil && unit == "M" && n >= 1000 && n%1000 == 0 {
		return strconv.Itoa(n/1000) + "G"
	}
	return strings.TrimSpace(text + unit)
}
