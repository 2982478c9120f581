package topology

import (
	"regexp"
	"strings"
	"sync"
)

// maxPort is the length of the longest name of an interface in Linux.
const maxPort = 15

// FoldDevice returns the name of a device in the spelling of a fabric: in lower case, without a dot at the end, and with "-" between
// words. It keeps characters that are not allowed in host names, so that they are reported at their place.
func FoldDevice(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		case c == ' ' || c == '/' || c == '|' || c == '\t':
			return '-'
		}
		return c
	}, strings.TrimSuffix(strings.Join(strings.Fields(name), " "), "."))
}

// FoldPort returns the name of a port in the spelling of a fabric: "Ethernet1/1" is "Ethernet1-1". If the name is too long for an
// interface, the word before the first number is cut to two letters, as vendors do: "GigabitEthernet0/0/0/1" is "Gi0-0-0-1".
func FoldPort(name string) string {
	name = strings.Map(func(c rune) rune {
		switch c {
		case ' ', '/', ':', ',', '\\', '\t':
			return '-'
		}
		return c
	}, strings.Join(strings.Fields(name), " "))
	if m := longPort().FindStringSubmatch(name); len(name) > maxPort && m != nil {
		name = m[1] + m[2]
	}
	return name
}

var longPort = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z]{2})[A-Za-z]*[- ]?(\d.*)$`) })
