package target

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A run keeps the steps, queries and checkers of files by name, so that no stored text becomes a command. The target makes them again from
// the name ([Target.Recall]). A name is a list of words separated by one space; the first is the name of the target. A word has parts
// separated by ",", and a part may contain "=". All values in a name use a strict alphabet ([Spell]), or are the SHA-256 of a content.

// Made is a step, a query or a checker that a target makes again from a name: exactly one of its members is set.
type Made struct {
	Step  *Step
	Query *Query
	Check string
}

// Name returns the name of a step or a query; empty: it is a checker, or has no name.
func (m *Made) Name() string {
	switch {
	case m.Step != nil:
		return m.Step.Name
	case m.Query != nil:
		return m.Query.Name
	}
	return ""
}

// Kept returns a content by its SHA-256, in the form of [Sum]. Its error states why the content is missing.
type Kept func(sum string) ([]byte, error)

// Sum returns the SHA-256 of content, in hex.
func Sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

// MostName is the greatest length of a name, in bytes. The longest names are those of hosts with a thousand NICs.
const MostName = 128 << 10

// Unknown is a name that a target does not know.
type Unknown struct{ Name string }

// Error returns the message, with the beginning of the name.
func (u *Unknown) Error() string {
	const most = 80
	return fmt.Sprintf("this rocec knows no step, query or checker with the name %q", u.Name[:min(len(u.Name), most)])
}

// plainInName contains the bytes of a value that [Spell] does not escape.
const plainInName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/@-"

// Spell escapes a value for a part of a name. It writes each byte other than letters, digits and "_.:/@-" as % and two digits of hex.
func Spell(value string) string {
	var b strings.Builder
	for i := range len(value) {
		if strings.IndexByte(plainInName, value[i]) >= 0 {
			b.WriteByte(value[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", value[i])
		}
	}
	return b.String()
}

// Spelled returns the value that [Spell] escapes as text. ok is false if text is empty, or if Spell never returns it.
func Spelled(text string) (value string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", false
		}
		c, err := hex.DecodeString(text[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.WriteByte(c[0])
		i += 2
	}
	return b.String(), text != "" && Spell(b.String()) == text
}
