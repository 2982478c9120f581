package forwarding

import "strings"

// mostName is the longest name that is kept from an answer.
const mostName = 64

// Plain returns a name of an answer in at most 64 printable ASCII characters; other characters become a question mark.
func Plain(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
	return out[:min(len(out), mostName)]
}

// BridgeID returns the identifier of a bridge in one form: four digits of the priority with the VLAN, a dot and the address. mstpd prints
// the priority in units of 4096 and the VLAN apart: 8.001.00:11:…; the kernel prints 8001.00:11:…, and old releases of iproute2 omit zeros
// in the address.
func BridgeID(text string) string {
	parts := strings.SplitN(Plain(strings.ToLower(text)), ".", 3)
	if len(parts) == 3 && len(parts[0]) == 1 && len(parts[1]) == 3 {
		parts = []string{parts[0] + parts[1], parts[2]}
	}
	last := &parts[len(parts)-1] // SplitN returns at least one part
	bytes := strings.Split(*last, ":")
	for i, b := range bytes {
		if len(b) == 1 {
			bytes[i] = "0" + b
		}
	}
	*last = strings.Join(bytes, ":")
	return Plain(strings.Join(parts, "."))
}
