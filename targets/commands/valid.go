package commands

import (
	"encoding/hex"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Absent replaces the SHA-256 of a missing file. The scripts print the same word.
const Absent = "absent"

// SumOf is [Sum] of content, or [Absent] if content is nil.
func SumOf(content []byte) string {
	if content == nil {
		return Absent
	}
	return Sum(content)
}

// ValidSum reports whether a text is a SHA-256 in the form of [SumOf].
func ValidSum(text string) bool {
	if text == Absent {
		return true
	}
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32 && text == strings.ToLower(text)
}

// ValidPath reports whether a text can be the path of a file of a run or, if live is true, the name of a live state.
func ValidPath(name string, live bool) bool {
	local := strings.TrimPrefix(name, "/")
	rooted := local != name
	return rooted != live && len(name) <= 4096 && local != "" && path.Clean("/"+local) == "/"+local &&
		!strings.ContainsFunc(name, unicode.IsControl)
}

var runForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{3,62}$`) })

// ValidRun reports whether a text can be the name of a run. Names of runs become paths and words of commands.
func ValidRun(name string) bool { return runForm().MatchString(name) }

// ValidKey reports whether a text can be the key of a run, which becomes a word of commands.
func ValidKey(key string) bool { return runForm().MatchString("key-" + key) }
