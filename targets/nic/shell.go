package nic

import "strings"

// Unit names the unit of an interface: what "systemd-escape --template=TOOL@.service IF" prints.
func (f *Family) Unit(netdev string) string {
	plain := true
	for i := range len(netdev) {
		plain = plain && unitByte(netdev, i)
	}
	if plain {
		return f.tool + "@" + netdev + ".service"
	}
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteString(f.tool + "@")
	for i := range len(netdev) {
		switch c := netdev[i]; {
		case unitByte(netdev, i):
			b.WriteByte(c)
		case c == '/':
			b.WriteByte('-')
		default:
			b.WriteString(`\x`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	b.WriteString(".service")
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
