package steps

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// The bounds of a patch: its bytes, and the depth of its trees. A whole configuration of classes has a few thousand lines.
const (
	mostPatch = 1 << 20
	mostDepth = 16
)

// A line of a tree has an indentation, a key, and nothing, an empty mapping or a scalar. Keys and scalars need no quotes, or are in single
// quotes, without any escape. Numbers and the two truth values may stand without quotes.
const (
	aWord   = `(?:[A-Za-z_/][A-Za-z0-9_./@+-]{0,127}|'[A-Za-z0-9_./@+:,-]{1,128}')`
	aNumber = `(?:-?[0-9]{1,15}(?:\.[0-9]{1,15})?)`
)

var treeLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((?:  )+)(` + aWord + `):(?: (\{\}|` + aWord + `|` + aNumber + `))?$`)
})

// Check returns nil for a patch that rocec could have made for the tree with the SHA-256 base: a line with base, and at most one document
// with removed values and one with new values, in this order, line by line in the form in which rocec writes YAML. It concerns only qos,
// and qos of interfaces. The patch comes from outside, so any other line is an error.
func Check(base string, patch []byte) error {
	if len(patch) > mostPatch {
		return errors.New("the patch is larger than 1 MiB")
	}
	first, rest, ended := strings.Cut(string(patch), "\n")
	if !ended || first != base {
		return errors.New("the patch was not made for the tree of its name")
	}
	c := checker{}
	for n := 2; rest != ""; n++ {
		line, more, ended := strings.Cut(rest, "\n")
		if !ended {
			return fmt.Errorf("line %d of the patch has no end", n)
		}
		if err := c.line(line); err != nil {
			return fmt.Errorf("line %d of the patch %w", n, err)
		}
		rest = more
	}
	if err := c.end(); err != nil {
		return fmt.Errorf("the patch ends with a key that %w", err)
	}
	return nil
}

// checker reads a patch line by line.
type checker struct {
	document string          // "unset" or "set"; empty: none has begun
	path     []string        // the keys to the last line
	open     bool            // the last line has a key and no value: lines below it may follow
	seen     map[string]bool // the paths of the document
}

var (
	errForm    = errors.New("is not in the form that rocec writes")
	errForeign = errors.New("concerns more than qos")
)

func (c *checker) line(line string) error {
	switch {
	case line == "- unset:" && c.document == "":
		return c.begin("unset")
	case line == "- set:" && c.document != "set":
		return c.begin("set")
	case c.document == "":
		return errForm
	}
	m := treeLine().FindStringSubmatch(line)
	if m == nil {
		return errForm
	}
	depth, key, value := len(m[1])/2-2, strings.Trim(m[2], "'"), m[3]
	deepest := len(c.path) - 1
	if c.open {
		deepest++
	}
	if depth < 0 || depth > deepest || depth >= mostDepth {
		return errForm
	}
	if depth < len(c.path) {
		if err := c.leave(); err != nil {
			return err
		}
	}
	c.path = append(c.path[:depth], key)
	at := strings.Join(c.path, "\n")
	if c.seen[at] {
		return errors.New("has a key for the second time")
	}
	c.seen[at] = true
	c.open = value == ""
	if c.document == "unset" && !c.open {
		return errForm
	}
	return c.concerns(value)
}

// begin begins a document.
func (c *checker) begin(document string) error {
	if err := c.end(); err != nil {
		return err
	}
	*c = checker{document: document, open: true, seen: map[string]bool{}}
	return nil
}

// end checks the end of a document.
func (c *checker) end() error {
	if c.document == "" {
		return nil
	}
	if len(c.path) == 0 { // a document has at least one key
		return errForm
	}
	return c.leave()
}

// leave checks a key below which no line follows.
func (c *checker) leave() error {
	switch {
	case !c.open:
		return nil
	case c.document == "set": // what is set has a value
		return errForm
	case c.path[0] == "interface" && len(c.path) < 3: // the interface itself stays
		return errForeign
	}
	return nil
}

// concerns checks the path of a line with a value; empty: lines below it follow, or it is unset.
func (c *checker) concerns(value string) error {
	switch {
	case c.path[0] == "qos":
	case c.path[0] != "interface":
		return errForeign
	case len(c.path) == 1 && value != "":
		return errForeign
	case len(c.path) == 2 && value != "" && value != "{}": // an interface may be a mapping without settings
		return errForeign
	case len(c.path) > 2 && c.path[2] != "qos":
		return errForeign
	}
	return nil
}
