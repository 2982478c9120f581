// Package chain makes the lines of a log a [Chain], so that a change of a line shows at the next one. A line is a JSON object. Its last
// member, "after", is the SHA-256 of the line before. A line at an end has its own hash, too: "seal", of the line without this member.
//
// A chain finds accidents and edits. A person who writes every line again makes another chain that fits. Its head is then not the one that
// a person signed or that a device keeps.
package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
)

// Chain is a log that grows.
type Chain struct {
	Head string // SHA-256 of the last line; empty: the log has no line
}

// Add returns the line of an object, and makes it the last line. The line has a seal if it is an end.
func (c *Chain) Add(object []byte, end bool) (line []byte) {
	line = with(object, "after", c.Head)
	if end {
		line = with(with(object, "seal", Sum(line)), "after", c.Head)
	}
	c.Head = Sum(line)
	return line
}

// with returns an object with one more member at its end; an empty value is left out.
func with(object []byte, name, value string) []byte {
	if value == "" {
		return object
	}
	return fmt.Appendf(nil, "%s,%q:%q}", bytes.TrimSuffix(object, []byte("}")), name, value)
}

// Sum returns the SHA-256 of a line, as chains have it.
func Sum(line []byte) string {
	h := sha256.Sum256(line)
	return hex.EncodeToString(h[:])
}

// members finds the hashes at the end of a line.
var members = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\{.*?)(?:,"seal":"([0-9a-f]{64})")?(?:,"after":"([0-9a-f]{64})")?\}$`)
})

// Report is the result of a check of a log.
type Report struct {
	Heads map[string]int // numbers of lines by their SHA-256, from 1
	Head  string         // SHA-256 of the last line
	Wrong []string       // each change, in a sentence
	None  bool           // no line has a hash: it was written before there were chains
	Torn  bool           // the last line is cut short
}

// Check judges the lines of a log.
func Check(lines [][]byte) Report {
	r := Report{Heads: map[string]int{}, None: len(lines) > 1}
	wrong := func(format string, args ...any) { r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...)) }
	for i, line := range lines {
		n := i + 1
		r.Torn = !json.Valid(line)
		m := members().FindSubmatch(line)
		switch {
		case r.Torn || m == nil: // its process died while it wrote, and the next line is after this one
		case string(m[3]) != r.Head && i == 0:
			wrong("line 1 follows another line, which is missing")
		case string(m[3]) != r.Head:
			wrong("line %d does not follow line %d: one of them was changed, or lines were moved or taken out", n, i)
		case len(m[2]) > 0 && Sum(with(append(bytes.Clone(m[1]), '}'), "after", r.Head)) != string(m[2]):
			wrong("line %d was changed after it was written", n)
		}
		r.None = r.None && (m == nil || len(m[3]) == 0)
		r.Head = Sum(line)
		r.Heads[r.Head] = n
	}
	if r.None {
		r.Wrong = nil
	}
	if r.Torn {
		wrong("line %d is cut short", len(lines))
	}
	return r
}

// Sealed reports whether a line is an end.
func Sealed(line []byte) bool {
	m := members().FindSubmatch(line)
	return m != nil && len(m[2]) > 0
}
