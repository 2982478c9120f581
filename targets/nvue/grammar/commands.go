package grammar

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
)

// ReadLoosely reads a configuration like [Read], and the commands that `nv config show -o commands` prints, by the paths of a grammar.
// A slip costs its line or its node, and not the text. It never fails, and never panics. A text that is larger than any configuration is
// refused. A command line above the text, as a terminal has it, is left out.
func ReadLoosely(data []byte, g *Grammar) *Loose {
	l := &Loose{Config: Config{Set: Map()}}
	if err := tooLarge(data); err != nil {
		l.note(err)
		l.Refused = true
		return l
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at := firstOdd(data); at.Line > 0 {
		l.note(refuse(at, "it holds a byte that is not UTF-8"))
		data = clean(data)
	}
	if areCommands(data) {
		l.commands(data, g)
	} else {
		l.tree(data)
	}
	known := false
	for key := range l.Set.Kids {
		known = known || g.root.kids[key] != nil
	}
	switch {
	case l.Refused:
		l.Part = "it cannot be read"
	case len(l.Set.Kids) == 0:
		l.Part = "it sets nothing"
	case !known:
		l.Part = "it sets no path of NVUE that rocec knows"
	}
	return l
}

// nvLine is a line that tells nv something, perhaps behind the prompt of a switch, a line number of a page, or sudo.
var nvLine = sync.OnceValue(func() *regexp.Regexp {
	const prompt = `(?:[A-Za-z0-9._-]+@[A-Za-z0-9._-]+(?::[^$#\n]{0,80})?[$#][ \t]*)?`
	return regexp.MustCompile(`(?m)^[ \t]*` + prompt + `(?:sudo[ \t]+)?nv[ \t]+(?:set|unset)[ \t]`)
})

// areCommands reports whether a text is lines of nv set and nv unset, and no tree.
func areCommands(data []byte) bool {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] == '{' || trimmed[0] == '[' {
		return false
	}
	if !bytes.Contains(data, []byte("nv set")) && !bytes.Contains(data, []byte("nv unset")) && !bytes.Contains(data, []byte("nv\t")) {
		return false
	}
	first := nvLine().FindIndex(data)
	return first != nil && !treeLine().Match(data[:first[0]])
}

// treeLine is a line that only a tree has.
var treeLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:-[ \t]+)?(?:header|set|unset|interface|qos|system|router):`)
})

// scriptWords begin the commands beside nv set and nv unset that set nothing themselves.
var scriptWords = []string{"set", "export", "echo", "exit", "sleep", "true", "printf", "logger", "date"}

// commandReader reads commands.
type commandReader struct {
	*Loose
	g       *Grammar
	entries int
	only    bool // there are lines of nv set alone
	typed   bool // it sets the type of an interface, like the output of a switch
	system  bool // it sets what is below system
}

// commands reads lines of nv set and nv unset, one after the other: a later one goes before.
func (l *Loose) commands(data []byte, g *Grammar) {
	c := &commandReader{Loose: l, g: g, only: true}
	number := 0
	for len(data) > 0 {
		if number++; c.entries > maxEntries {
			c.note(refuse(Place{number, 1}, "its ranges have more than %s entries", diag.Number(maxEntries)))
			break
		}
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		at := number
		text := strings.TrimRight(string(line), "\r \t")
		for strings.HasSuffix(text, `\`) && len(data) > 0 && len(text) < 1<<16 {
			line, rest, _ = bytes.Cut(data, []byte("\n"))
			data = rest
			number++
			text = strings.TrimSuffix(text, `\`) + " " + strings.TrimSpace(string(line))
		}
		c.line(text, at)
	}
	switch {
	case l.Printed:
	case !c.only:
		l.Part = "it is a script, and its effect depends on the earlier settings of the switch"
	case !c.typed && !c.system:
		l.Part = "it has lines of nv set alone, without those of a whole tree"
	}
}

// line reads the commands of a line.
func (c *commandReader) line(text string, number int) {
	column := len(text) - len(strings.TrimLeft(text, " \t")) + 1
	at := Place{number, column}
	if !strings.Contains(text, "@") {
	} else if m := prompt().FindStringSubmatchIndex(strings.TrimLeft(text, " \t")); m != nil {
		text = strings.TrimLeft(text, " \t")[m[2]:m[3]]
		if strings.HasPrefix(text, "nv config show") {
			c.Printed = true
			return
		}
		at.Column += m[2]
	}
	list, why := words(text)
	if why != "" {
		if strings.Contains(text, "nv ") {
			c.note(refuse(at, "%s", why))
		}
		c.only = false
		return
	}
	for len(list) > 0 {
		end := slices.Index(list, ";")
		if end < 0 {
			end = len(list)
		}
		c.command(list[:end], at)
		list = list[min(end+1, len(list)):]
	}
}

// command reads one command.
func (c *commandReader) command(list []string, at Place) {
	if len(list) > 0 && list[0] == "sudo" {
		list, c.only = list[1:], false
	}
	switch {
	case len(list) == 0:
		return
	case list[0] != "nv" || len(list) < 2:
		if c.only = false; !slices.Contains(scriptWords, list[0]) {
			c.note(refuse(at, "%s is no line of nv set", diag.Escape(list[0])))
		}
		return
	}
	verb, path := list[1], list[2:]
	if len(path) > maxDepth {
		c.note(refuse(at, "a command has more than %d words, and none does", maxDepth))
		return
	}
	switch verb {
	case "set":
		c.set(path, at)
	case "unset":
		c.only = false
		c.unset(path, at)
	default: // config, show and action set nothing
		c.only = false
	}
}

// set sets a path, or notes why it does not.
func (c *commandReader) set(list []string, at Place) {
	if i := slices.IndexFunc(list, func(w string) bool { return strings.ContainsAny(w, "$`{}<>*") }); i >= 0 && !aside(list) {
		c.note(refuse(at, "%s is to be filled in, so the line has no meaning yet", diag.Escape(list[i])))
		return
	}
	if len(list) == 0 {
		c.note(refuse(at, "nv set has no path"))
		return
	}
	c.typed = c.typed || len(list) == 4 && list[0] == "interface" && list[2] == "type"
	c.system = c.system || list[0] == "system"
	path, leaf := list, &Tree{Kids: map[string]*Tree{}, At: at, Key: at}
	for i := 1; i <= len(list); i++ {
		row := c.g.Valued(first(list[:i]))
		if row == nil {
			continue
		}
		members := row.Kind == Set || row.Kind == Members
		switch {
		case i == len(list) && !members:
			c.note(refuse(at, "%s has no value", diag.Escape(Spell(list))))
			leaf = &Tree{Bad: true, At: at, Key: at}
		case members && i >= len(list)-1: // a mapping, or one member
		case i+1 != len(list):
			c.note(refuse(at, "%s has more than one value", diag.Escape(Spell(list[:i]))))
			leaf, path = &Tree{Bad: true, At: at, Key: at}, list[:i]
		default:
			word := list[len(list)-1]
			leaf, path = &Tree{Value: word, Text: !odd(word), At: at, Key: at}, list[:i]
		}
		break
	}
	if !leaf.Bad {
		c.lines = append(c.lines, Written{path, leaf, "set", at})
	}
	if !c.put(c.Set, path, 0, leaf) {
		c.note(refuse(at, "%s goes on below a value", diag.Escape(Spell(list))))
	}
}

// aside reports whether a command is about nothing that a reader of settings notices: its words may be passwords and texts.
func aside(list []string) bool { return len(list) > 0 && list[0] != "qos" && list[0] != "interface" }

// first gives a path with one key of each range.
func first(path []string) []string {
	out := make([]string, len(path))
	for i, key := range path {
		out[i] = singles(path[:i], key)[0]
	}
	return out
}

// put sets a leaf at each path of a path with ranges. Not ok: one of its parents is a value.
func (c *commandReader) put(t *Tree, path []string, depth int, leaf *Tree) bool {
	ok := true
	for _, key := range singles(path[:depth], path[depth]) {
		if c.entries++; c.entries > maxEntries {
			return ok
		}
		have := t.Kids[key]
		if depth == len(path)-1 {
			if have.IsMap() && leaf.IsMap() {
				continue // there is such a thing already
			}
			one := *leaf
			if leaf.Kids != nil {
				one.Kids = map[string]*Tree{}
			}
			t.Kids[key] = &one
			continue
		}
		if have == nil {
			have = &Tree{Kids: map[string]*Tree{}, At: leaf.At, Key: leaf.At}
			t.Kids[key] = have
		}
		if !have.IsMap() {
			ok = false
			continue
		}
		ok = c.put(have, path, depth+1, leaf) && ok
	}
	return ok
}

// unset takes away the values at each path of a path with ranges.
func (c *commandReader) unset(path []string, at Place) {
	if len(path) == 0 {
		c.note(refuse(at, "nv unset has no path"))
		return
	}
	leaf := &Tree{Kids: map[string]*Tree{}, At: at, Key: at}
	c.lines = append(c.lines, Written{path, leaf, "unset", at})
	if c.Unset == nil {
		c.Unset = Map()
	}
	c.put(c.Unset, path, 0, leaf)
	var gone func(t *Tree, depth int)
	gone = func(t *Tree, depth int) {
		for _, key := range singles(path[:depth], path[depth]) {
			next := t.Get(key)
			switch {
			case next == nil:
			case depth == len(path)-1:
				delete(t.Kids, key)
			case depth == len(path)-2 && next.IsScalar() && next.Value == path[depth+1]: // the value is named, too
				delete(t.Kids, key)
			default:
				gone(next, depth+1)
			}
		}
	}
	gone(c.Set, 0)
}

// words splits a line of a shell into words; the word ";" ends a command.
func words(line string) (list []string, why string) {
	var b strings.Builder
	open := false
	flush := func() {
		if open {
			list = append(list, b.String())
			b.Reset()
			open = false
		}
	}
	for i := 0; i < len(line); i++ {
		switch ch := line[i]; ch {
		case ' ', '\t':
			flush()
		case '#':
			if !open {
				return list, ""
			}
			b.WriteByte(ch)
		case '\'', '"':
			open = true
			end := i + 1
			for end < len(line) && line[end] != ch {
				if ch == '"' && line[end] == '\\' && end+1 < len(line) {
					end++
				}
				b.WriteByte(line[end])
				end++
			}
			if end >= len(line) {
				return nil, "a quotation mark is not closed"
			}
			i = end
		case '\\':
			if i+1 < len(line) {
				i++
				b.WriteByte(line[i])
				open = true
			}
		case ';':
			flush()
			list = append(list, ";")
		case '&', '|':
			flush()
			if i+1 < len(line) && line[i+1] == ch {
				i++
				list = append(list, ";")
				continue
			}
			return list, ""
		default:
			b.WriteByte(ch)
			open = true
		}
	}
	flush()
	return list, ""
}
