package topology

import (
	"regexp"
	"strings"
	"sync"
)

// maxPort is the length of the longest name of an interface that Linux takes.
const maxPort = 15

// FoldDevice gives the name of a device as a fabric writes it: host names have no case and no dot at the end, and "-" is between words.
// Letters that no host name has stay, so that they are reported at their place.
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

// FoldPort gives the name of a port as a fabric writes it: "Ethernet1/1" is "Ethernet1-1". If the name is too long for an interface, the
// word before the first number is cut to two letters, as vendors do: "GigabitEthernet0/0/0/1" is "Gi0-0-0-1".
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
