// Package commands has the commands that run on devices, each a [Query] or a [Step], by name, for rocec and for the gate on a device. It
// and the packages of commands below the targets import the standard library alone.
//
// A run keeps the steps, queries and checkers of files by name, so that no stored or sent text becomes a command. A name is a list of words
// separated by one space; the first is the name of the target. A word has parts separated by ",", and a part may contain "=". All values in
// a name use a strict alphabet ([Spell]), or are the SHA-256 of a content.
package commands

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Query is a command that reads and changes nothing, unless it is an undo. It runs as root by sh.
type Query struct {
	Name  string // for a query that reads a live state
	Cmd   string
	Stdin []byte
}

// Step has the commands of a step of a target. The contract of targets describes the fields.
type Step struct {
	Name    string
	Cmd     string
	Stdin   string
	Undo    *Query
	Back    *Query
	Loaded  *Query
	Keep    string
	Units   string
	Timeout time.Duration
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
