package main

import (
	"fmt"
	"strconv"
	"strings"
)

// foldNames writes names as a person would: leaf01, leaf02, leaf03 and spine1 become "leaf[01-03] spine1". The names
// are in natural order.
func foldNames(names []string) string {
	var out []string
	for i := 0; i < len(names); {
		stem, digits := splitNumber(names[i])
		first, err := strconv.Atoi(digits)
		j := i + 1
		for ; err == nil && j < len(names); j++ {
			s, d := splitNumber(names[j])
			if n, err := strconv.Atoi(d); err != nil || s != stem || n != first+j-i || len(d) != len(fmt.Sprintf("%0*d", len(digits), n)) {
				break
			}
		}
		if j-i == 1 {
			out = append(out, names[i])
		} else {
			_, last := splitNumber(names[j-1])
			out = append(out, fmt.Sprintf("%s[%s-%s]", stem, digits, last))
		}
		i = j
	}
	return strings.Join(out, " ")
}

// splitNumber splits "leaf01" into "leaf" and "01".
func splitNumber(name string) (stem, digits string) {
	i := len(name)
	for i > 0 && name[i-1] >= '0' && name[i-1] <= '9' {
		i--
	}
	return name[:i], name[i:]
}

// foldNumbers writes rising numbers in ranges: 24 25 27 28 29 become "24-25,27-29". What is no number stays.
func foldNumbers(items []string) string {
	var out []string
	for i := 0; i < len(items); {
		first, err := strconv.Atoi(strings.TrimSpace(items[i]))
		j := i + 1
		for ; err == nil && j < len(items); j++ {
			if n, err := strconv.Atoi(strings.TrimSpace(items[j])); err != nil || n != first+j-i {
				break
			}
		}
		if j-i == 1 {
			out = append(out, items[i])
		} else {
			out = append(out, fmt.Sprintf("%d-%d", first, first+j-i-1))
		}
		i = j
	}
	return strings.Join(out, ",")
}
