package steps

import (
	"bytes"
	"errors"
	"strings"
)

// mostValues is the greatest size of a value file, in bytes. Those of rocec have some KiB.
const mostValues = 64 << 10

var (
	errNoFile  = errors.New("rocec writes no such file")
	errContent = errors.New("its content is not that of this rocec")
	errLong    = errors.New("it is longer than a value file")
	errLine    = errors.New("it has a line that is no comment and no setting of a value file")
)

// File returns nil if a step of the family may write a file with this content, or remove it (nil). The script, its unit and its rules have
// one content each. The error is a short reason.
func (k *Kit) File(path string, content []byte) error {
	switch path {
	case k.ScriptPath():
		return same(content, k.Script())
	case k.UnitPath():
		return same(content, k.UnitText())
	case k.RulesPath():
		return same(content, k.RulesText())
	}
	name, in := strings.CutPrefix(path, ConfDir)
	name, is := strings.CutSuffix(name, ".conf")
	if !in || !is || !IsNetdev(name) {
		return errNoFile
	}
	return checkValues(content)
}

func same(content, own []byte) error {
	if content != nil && !bytes.Equal(content, own) {
		return errContent
	}
	return nil
}

// checkValues judges the content of a value file. Every line is a comment of printable ASCII or KEY=VALUE, and ends.
func checkValues(content []byte) error {
	if len(content) > mostValues {
		return errLong
	}
	for line := range strings.Lines(string(content)) {
		text, ends := strings.CutSuffix(line, "\n")
		key, value, is := strings.Cut(text, "=")
		comment := strings.HasPrefix(text, "# ") && only(text, printable)
		if !ends || !comment && (!is || !only(key, inKey) || !only(value, inValue)) {
			return errLine
		}
	}
	return nil
}

// only reports whether a text is not empty, and all its bytes belong to a set.
func only(text string, set func(c byte) bool) bool {
	for i := range len(text) {
		if !set(text[i]) {
			return false
		}
	}
	return text != ""
}

func printable(c byte) bool { return ' ' <= c && c <= '~' }

func inKey(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' }

// inValue has the bytes of numbers, lists, addresses, and of the interface names that a fabric may have.
func inValue(c byte) bool { return alnum(c) || strings.IndexByte(" ._+@-:/,=", c) >= 0 }
