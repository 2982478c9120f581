package inventory

import (
	"bytes"
	"regexp"
	"sync"
)

// groupLines match lines that occur only in an inventory: the heading of a group in INI, the key hosts in YAML, and the keys of groups
// in JSON.
var groupLines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)\A(?:\s*(?:[#;][^\n]*)?\n)*\[[A-Za-z_][\w.:-]*\]|^[ ]+hosts:[ \t\r]*$|^\s*"(?:_meta|hosts)"\s*:`)
})

// IsGrouped reports whether a text has the form of an inventory with groups. It returns false for a list of names, which could be any
// text.
func IsGrouped(data []byte) bool {
	const most = 64 << 10
	return groupLines().Match(bytes.TrimPrefix(data[:min(len(data), most)], []byte("\ufeff")))
}
