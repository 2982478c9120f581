package grammar

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// YAML writes the canonical text of a configuration: a list of header, set and unset, without missing ones. It has two spaces per level,
// keys in natural order, and quotes around text that YAML 1.1 or 1.2 would read as another type. Reading the text gives the configuration
// again. A configuration that sets nothing is written as a set of an empty mapping.
func (c *Config) YAML() []byte {
	var b bytes.Buffer
	if c.Header != nil {
		section(&b, "header", c.Header)
	}
	section(&b, "set", c.Set)
	if c.Unset != nil {
		section(&b, "unset", c.Unset)
	}
	return b.Bytes()
}

func section(b *bytes.Buffer, name string, t *Tree) {
	b.WriteString("- " + name + ":")
	below(b, t, 2)
}

// below writes the value after a key, from the space on.
func below(b *bytes.Buffer, t *Tree, depth int) {
	switch {
	case t.IsMap() && len(t.Kids) == 0:
		b.WriteString(" {}\n")
	case t.IsList() && len(t.Items) == 0:
		b.WriteString(" []\n")
	case t.IsScalar():
		b.WriteByte(' ')
		b.WriteString(scalar(t))
		b.WriteByte('\n')
	default:
		b.WriteByte('\n')
		block(b, t, depth)
	}
}

var spaces = strings.Repeat(" ", 128)

func indent(b *bytes.Buffer, depth int) {
	for n := 2 * depth; n > 0; n -= len(spaces) {
		b.WriteString(spaces[:min(n, len(spaces))])
	}
}

// block writes a mapping or a list that is not empty, in separate lines.
func block(b *bytes.Buffer, t *Tree, depth int) {
	for _, k := range t.Keys() {
		indent(b, depth)
		b.WriteString(word(k))
		b.WriteByte(':')
		below(b, t.Kids[k], depth+1)
	}
	for _, item := range t.Items {
		indent(b, depth)
		b.WriteByte('-')
		if len(item.Kids)+len(item.Items) == 0 {
			below(b, item, depth+1)
			continue
		}
		from := b.Len()
		block(b, item, depth+1)
		// The first line of the item follows its dash, so the item's indentation is two columns wider than the dash's.
		text := bytes.Clone(b.Bytes()[from:])
		b.Truncate(from)
		b.WriteByte(' ')
		b.Write(text[2*(depth+1):])
	}
}

// plain matches text that needs no quotes for any reader of YAML, unless it is one of the words of YAML 1.1.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./@+-]*$`) })

// scalar writes a value.
func scalar(t *Tree) string {
	if !t.Text {
		return t.Value
	}
	return word(t.Value)
}

// word writes text.
func word(s string) string {
	if plain().MatchString(s) && !boolean(s) && !null(s) && s != "true" && s != "false" {
		return s
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return double(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// double writes text with unprintable characters.
func double(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Commands writes the settings of a tree as lines of `nv set`, or the removed ones as lines of `nv unset`. Each leaf has a line, with
// words in quotes if a shell needs them. The members of a set are in one line, such as 3,5, since a second line might replace those of
// the first. A shell can run a line that begins with nv. A patch file contains the line unchanged.
func Commands(verb string, t *Tree) []byte {
	var b bytes.Buffer
	line := func(path []string, value string, valued bool) {
		b.WriteString("nv ")
		b.WriteString(verb)
		for _, key := range path {
			b.WriteByte(' ')
			b.WriteString(shell(key))
		}
		if valued {
			b.WriteByte(' ')
			b.WriteString(shell(value))
		}
		b.WriteByte('\n')
	}
	var members, of []string // members of the set that is being written
	flush := func() {
		if len(members) > 0 {
			line(append(slices.Clone(of), strings.Join(members, ",")), "", false)
		}
		members = nil
	}
	t.Leaves(func(l Leaf) {
		up, last := l.Path[:len(l.Path)-1], l.Path[len(l.Path)-1]
		if !slices.Equal(of, up) {
			flush()
		}
		switch {
		case l.IsMap() && verb == "set" && isSet(up):
			of, members = up, append(members, last)
		case l.IsMap() || verb == "unset":
			line(l.Path, "", false)
		case l.IsList():
			for _, item := range l.Items {
				line(l.Path, item.Shown(), true)
			}
		default:
			line(l.Path, l.Value, true)
		}
	})
	flush()
	return b.Bytes()
}

var shellSafe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./@%+:,-]+$`) })

func shell(s string) string {
	if shellSafe().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
