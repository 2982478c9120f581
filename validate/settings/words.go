package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// notification is the DSCP that congestion notification packets have by the settings that NICs come with (CS6).
const notification = 48

// priorities names a mask of priorities.
func priorities(mask uint8) string {
	digits := ""
	n := 0
	for cos := range 8 {
		if mask>>cos&1 == 0 {
			continue
		}
		if n++; n > 1 {
			digits += ","
		}
		digits += string(rune('0' + cos))
	}
	switch n {
	case 0:
		return "no priority"
	case 1:
		return "priority " + digits
	}
	return "the priorities " + digits
}

// from says from which length of a queue on something happens.
func from(n ir.Setting[int]) string {
	if !n.Known() {
		return ""
	}
	return " from " + diag.Bytes(n.Value) + " on"
}
