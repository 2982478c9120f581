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
