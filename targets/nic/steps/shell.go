package steps

import "strings"

// Unit returns the unit name of an interface, as "systemd-escape --template=TOOL@.service IF" prints it.
func (k *Kit) Unit(netdev string) string {
	return program + k.Suffix + "@" + escapeUnit(netdev) + ".service"
}

// WantsDir returns the folder in which systemd keeps the units that the device of an interface wants.
func WantsDir(netdev string) string {
	return "/etc/systemd/system/sys-subsystem-net-devices-" + escapeUnit(netdev) + ".device.wants/"
}

// wantedBy returns [WantsDir] as a word of a shell.
func wantedBy(netdev string) string { return Quote(WantsDir(netdev)) }

// escapeUnit escapes a name as systemd-escape does.
func escapeUnit(name string) string {
	plain := true
	for i := range len(name) {
		plain = plain && unitByte(name, i)
	}
	if plain {
		return name
	}
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case unitByte(name, i):
			b.WriteByte(c)
		case c == '/':
			b.WriteByte('-')
		default:
			b.WriteString(`\x`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// unitByte reports whether systemd does not escape the i-th byte of a name.
func unitByte(name string, i int) bool {
	c := name[i]
	return alnum(c) || c == ':' || c == '_' || c == '.' && i > 0
}

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Quote makes s one word of a POSIX shell.
func Quote(s string) string {
	plain := s != ""
	for i := range len(s) {
		c := s[i]
		plain = plain && (alnum(c) || strings.IndexByte("_./:,@%-", c) >= 0)
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
