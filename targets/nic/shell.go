package nic

import "strings"

// Unit names the unit of an interface: what "systemd-escape --template=TOOL@.service IF" prints.
func (f *Family) Unit(netdev string) string { return f.tool + "@" + escapeUnit(netdev) + ".service" }

// escapeUnit spells a name as systemd-escape does.
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

// unitByte reports whether systemd leaves the i-th byte of a name as it is.
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
