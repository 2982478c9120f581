package settings

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// notification is the DSCP of congestion notification packets with the factory settings of NICs (CS6).
const notification = 48

// priorities returns the text of a mask of priorities.
func priorities(mask uint8) string {
	var digits strings.Builder
	n := 0
	for cos := range 8 {
		if mask>>cos&1 == 0 {
			continue
		}
		if n++; n > 1 {
			digits.WriteString(",")
		}
		digits.WriteString(string(rune('0' + cos)))
	}
	switch n {
	case 0:
		return "no priority"
	case 1:
		return "priority " + digits.String()
	}
	return "the priorities " + digits.String()
}

// from returns text about the queue length from which on something happens.
func from(n ir.Setting[int]) string {
	if !n.Known() {
		return ""
	}
	return " from " + diag.Bytes(n.Value) + " on"
}
