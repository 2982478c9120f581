package grammar

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// ReadLoosely reads a configuration like [Read], and the commands that `nv config show -o commands` prints, by the paths of a grammar. A
// slip makes only its line or its node unreadable. ReadLoosely never fails, and never panics. A text that is larger than any
// configuration is refused. A command line above the text, as copied from a terminal, is ignored.
func ReadLoosely(data []byte, g *Grammar) *Loose {
	l := &Loose{Config: Config{Set: Map()}}
	if err := tooLarge(data); err != nil {
		l.note(err)
		l.Refused = true
		return l
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at := firstOdd(data); at.Line > 0 {
		l.note(refuse(at, noText))
		data, l.cleaned = clean(data), true
	}
	if l.Commands = AreCommands(data); l.Commands {
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
	case len(l.Set.Kids) == 0 && (l.Part == "" || l.Unset == nil):
		l.Part = "it sets nothing"
	case !known && len(l.Set.Kids) > 0:
		l.Part = "it sets no path of NVUE that rocec knows"
	}
	return l
}

// nvLine is a line with nv set or nv unset, perhaps after the prompt of a switch, a line number of a page, or sudo.
var nvLine = sync.OnceValue(func() *regexp.Regexp {
	const prompt = `(?:[A-Za-z0-9._-]+@[A-Za-z0-9._-]+(?::[^$#\n]{0,80})?[$#][ \t]*)?`
	return regexp.MustCompile(`(?m)^[ \t]*` + prompt + `(?:sudo[ \t]+)?nv[ \t]+(?:set|unset)[ \t]`)
})

// firstCommand returns the first line of a text that is not a comment, without a leading sudo.
func firstCommand(data []byte) string {
	for line := range bytes.Lines(data) {
		if text := strings.TrimSpace(string(line[:min(len(line), 80)])); text != "" && text[0] != '#' {
			return strings.ReplaceAll(strings.TrimPrefix(text, "sudo "), "\t", " ")
		}
	}
	return ""
}

// AreCommands reports whether a text consists of lines of nv set and nv unset, and is not a tree.
func AreCommands(data []byte) bool {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] == '{' || trimmed[0] == '[' {
		return false
	}
	if verb, rest, _ := strings.Cut(firstCommand(data), " "); verb == "nv" && strings.HasPrefix(strings.TrimSpace(rest), "config ") {
		return true
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

// scriptWords are the first words of commands, other than nv, that set nothing themselves.
var scriptWords = []string{"set", "export", "echo", "exit", "sleep", "true", "printf", "logger", "date"}

// commandReader reads commands.
type commandReader struct {
	*Loose
	g       *Grammar
	entries int
	only    bool        // the text has only lines of nv set
	typed   bool        // the text sets the type of an interface, like the output of a switch
	system  bool        // the text sets a path below system
	lost    []arguments // paths below which unreadable lines may have set something
}

// arguments are the words of a command.
type arguments []argument

type argument struct {
	text string
	at   Place
}

// keys returns the texts of the words.
func (p arguments) keys() []string {
	out := make([]string, len(p))
	for i, w := range p {
		out[i] = w.text
	}
	return out
}

// places returns the places of the words.
func (p arguments) places() []Place {
	out := make([]Place, len(p))
	for i, w := range p {
		out[i] = w.at
	}
	return out
}

// commands reads lines of nv set and nv unset, one after the other. A later line overrides an earlier one.
func (l *Loose) commands(data []byte, g *Grammar) {
	c := &commandReader{Loose: l, g: g, only: true}
	number := 0
	for len(data) > 0 {
		if number++; c.entries > maxEntries {
			c.note(refuse(Place{number, 1}, "its ranges have more than %s entries", diag.Number(maxEntries)))
			c.Lost = true
			break
		}
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		logical := logicalLine{text: strings.TrimRight(string(line), "\r \t"), parts: []linePart{{0, Place{number, 1}}}}
		for strings.HasSuffix(logical.text, `\`) && len(data) > 0 && len(logical.text) < 1<<16 {
			line, rest, _ = bytes.Cut(data, []byte("\n"))
			data = rest
			number++
			logical.join(string(line), number)
		}
		if n, rest := logical.quote(data, number); n > 0 {
			data, number = rest, number+n
		}
		c.line(&logical)
	}
	for _, p := range c.lost {
		c.open(p)
	}
	switch {
	case l.Printed:
	case !c.only:
		l.Part = "it is a script, and its effect depends on the earlier settings of the switch"
	case !c.typed && !c.system:
		l.Part = "it has only lines of nv set, without those of a whole tree"
	}
}

// logicalLine is a line of a shell. A backslash at the end of a line joins the next line to it.
type logicalLine struct {
	text  string
	parts []linePart
	part  int // the part up to which places have been counted
	done  int // bytes
	runes int // characters counted in the part
}

// linePart is the place in the text at which a part of a joined line begins.
type linePart struct {
	from int
	at   Place
}

func (l *logicalLine) join(line string, number int) {
	trimmed := strings.TrimLeft(line, " \t")
	l.text = strings.TrimSuffix(l.text, `\`) + " "
	l.parts = append(l.parts, linePart{len(l.text), Place{number, len(line) - len(trimmed) + 1}})
	l.text += strings.TrimRight(trimmed, "\r \t")
}

// mostQuoted is the maximum number of further lines of a text in quotation marks, such as a login message.
const mostQuoted = 100

// quote handles a command of nv whose quotation mark is not closed in its line. It joins the lines up to the one that closes the mark,
// and returns their number and the rest of the text. If a command of nv, or the end of the text, comes before a closing mark, the mark is
// missing, and quote joins no line.
func (l *logicalLine) quote(data []byte, number int) (n int, rest []byte) {
	if !strings.ContainsAny(l.text, `'"`) || !nvLine().MatchString(l.text) {
		return 0, nil
	}
	joined := logicalLine{text: l.text, parts: slices.Clone(l.parts)}
	for n, rest = 0, data; len(rest) > 0 && n < mostQuoted && len(joined.text) < 1<<16; n++ {
		probe := joined
		if _, _, why := words(&probe, 0); why == "" {
			break
		}
		var line []byte
		if line, rest, _ = bytes.Cut(rest, []byte("\n")); nvLine().Match(line) {
			return 0, nil
		}
		joined.parts = append(joined.parts, linePart{len(joined.text) + 1, Place{number + n + 1, 1}})
		joined.text += "\n" + strings.TrimRight(string(line), "\r")
	}
	if _, _, why := words(&logicalLine{text: joined.text, parts: joined.parts}, 0); why != "" {
		return 0, nil
	}
	l.text, l.parts = joined.text, joined.parts
	return n, rest
}

// place returns the place of a byte, which must not be before the byte of the previous call.
func (l *logicalLine) place(at int) Place {
	for l.part+1 < len(l.parts) && l.parts[l.part+1].from <= at {
		l.part++
		l.done, l.runes = l.parts[l.part].from, 0
	}
	if at > l.done {
		l.runes += utf8.RuneCountInString(l.text[l.done:at])
		l.done = at
	}
	p := l.parts[l.part].at
	return Place{p.Line, p.Column + l.runes}
}

// line reads the commands of a line.
func (c *commandReader) line(l *logicalLine) {
	from := len(l.text) - len(strings.TrimLeft(l.text, " \t"))
	if strings.Contains(l.text, "@") {
		if m := prompt().FindStringSubmatchIndex(l.text[from:]); m != nil {
			from += m[2]
			if strings.HasPrefix(l.text[from:], "nv config show") {
				c.Printed = true
				return
			}
		}
	}
	list, wrong, why := words(l, from)
	for len(list) > 0 {
		end := slices.IndexFunc(list, func(w argument) bool { return w.text == ";" && w.at.Line == 0 })
		if end < 0 {
			end = len(list)
		}
		if end == len(list) && why != "" {
			break
		}
		c.command(list[:end])
		list = list[min(end+1, len(list)):]
	}
	if why == "" {
		return
	}
	c.only = false
	if len(list) > 0 && list[0].text == "sudo" {
		list = list[1:]
	}
	switch {
	case len(list) < 2 || list[0].text != "nv":
		if strings.Contains(l.text, "nv ") {
			c.note(refuse(wrong, "%s", why))
			c.Lost = true
		}
	case list[1].text == "set" && len(list) > 2 && len(list) <= maxDepth:
		c.note(refuse(wrong, "%s", why))
		p := list[2:]
		c.put(c.Set, p, &Tree{Bad: true, At: p[len(p)-1].at})
	default:
		c.note(refuse(wrong, "%s", why))
		c.Lost = true
	}
}

// open marks the mapping at a path as open, or the deepest existing mapping above the path.
func (c *commandReader) open(p arguments) {
	t := c.Set
	for i, w := range p {
		next := t.Kids[singles(p[:i].keys(), w.text)[0]]
		if !next.IsMap() {
			break
		}
		t = next
	}
	t.Open = true
}

// command reads one command.
func (c *commandReader) command(list arguments) {
	if len(list) > 0 && list[0].text == "sudo" {
		list, c.only = list[1:], false
	}
	switch {
	case len(list) == 0:
		return
	case list[0].text != "nv" || len(list) < 2:
		if c.only = false; !slices.Contains(scriptWords, list[0].text) {
			c.foreign(list[0].at, "%s is not a line of nv set", diag.Escape(list[0].text))
		}
		return
	}
	at, verb, p := list[0].at, list[1].text, list[2:]
	if i, why := verbSlip(list[1:].keys()); why != "" {
		c.note(refuse(list[1+i].at, "%s", why))
		c.Lost, c.only = true, false
		return
	}
	if len(p) > maxDepth {
		c.note(refuse(at, "a command has more than %d words", maxDepth))
		c.Lost = true
		return
	}
	switch verb {
	case "set":
		c.set(p, at)
	case "unset":
		c.only = false
		c.unset(p, at)
	default: // config, show and action set nothing
		c.only = false
	}
}

// foreign notes a line that rocec does not read and that may be correct.
func (c *commandReader) foreign(at Place, format string, args ...any) {
	err := refuse(at, format, args...)
	err.(*Error).Foreign = true //nolint:errorlint,forcetypeassert // it is made here
	c.note(err)
}

// set sets a path, or notes why it cannot.
func (c *commandReader) set(list arguments, at Place) {
	if len(list) == 0 {
		c.note(refuse(at, "nv set has no path"))
		return
	}
	keys := list.keys()
	if c.slips("set", list) {
		return
	}
	if i := slices.IndexFunc(keys, func(w string) bool { return strings.ContainsAny(w, "$`{}<>*") }); i >= 0 && !aside(keys) {
		c.foreign(list[i].at, "%s is a placeholder, so the line has no meaning yet", diag.Escape(keys[i]))
		c.lost = append(c.lost, list[:i])
		return
	}
	if i := slices.IndexFunc(keys, func(w string) bool { return c.cleaned && strings.Contains(w, "\ufffd") }); i >= 0 {
		c.spoiltText(list[i].at)
		c.lost = append(c.lost, list[:i])
		return
	}
	c.typed = c.typed || len(keys) == 4 && keys[0] == "interface" && keys[2] == "type"
	c.system = c.system || keys[0] == "system"
	last := list[len(list)-1].at
	p, leaf := list, &Tree{Kids: map[string]*Tree{}, At: last}
	for i := 1; i <= len(list); i++ {
		row := c.g.Valued(first(keys[:i]))
		if row == nil {
			continue
		}
		members := row.Kind == Set || row.Kind == Members
		switch {
		case i == len(list), members && i == len(list)-1: // a mapping, or one member of a set; a missing value is an empty mapping, too
		case i+1 != len(list):
			c.note(refuse(list[i+1].at, "%s has more than one value", diag.Escape(Spell(keys[:i]))))
			leaf, p = &Tree{Bad: true, At: list[i].at}, list[:i]
		default:
			leaf, p = &Tree{Value: keys[i], Text: !odd(keys[i]), At: last}, list[:i]
		}
		break
	}
	if !leaf.Bad {
		c.lines = append(c.lines, Written{p.keys(), leaf, "set", p.places(), at})
	}
	if !c.put(c.Set, p, leaf) {
		c.note(refuse(at, "%s continues below a value", diag.Escape(Spell(keys))))
	}
}

// slips notes a path that NVUE does not have. If the intended path is known, the line may have set something there.
func (c *commandReader) slips(verb string, p arguments) bool {
	keys := p.keys()
	why, is := pathSlip(c.g, verb, keys)
	if why == "" || strings.ContainsAny(keys[0], "$`{}<>*\ufffd") {
		return false
	}
	c.note(refuse(p[0].at, "%s", why))
	switch {
	case is == "qos" || is == "interface":
		meant := slices.Clone(p)
		meant[0].text = is
		c.lost = append(c.lost, meant[:len(meant)-1])
	case is == "":
		c.Lost = true
	}
	return true
}

// aside reports whether a command is about an object that readers of settings ignore. Its words may be passwords and texts.
func aside(list []string) bool { return len(list) > 0 && list[0] != "qos" && list[0] != "interface" }

// first returns a path with one key of each range.
func first(path []string) []string {
	out := make([]string, len(path))
	for i, key := range path {
		out[i] = singles(path[:i], key)[0]
	}
	return out
}

// put sets a leaf at each path of a path with ranges. Not ok: one of the parents is a value.
func (c *commandReader) put(t *Tree, p arguments, leaf *Tree) bool {
	return c.below(t, p, p.keys(), 0, leaf)
}

func (c *commandReader) below(t *Tree, p arguments, keys []string, depth int, leaf *Tree) bool {
	ok := true
	for _, key := range singles(keys[:depth], keys[depth]) {
		if c.entries++; c.entries > maxEntries {
			return ok
		}
		have := t.Kids[key]
		if depth == len(p)-1 {
			if have.IsMap() && leaf.IsMap() {
				continue // the mapping exists already
			}
			one := *leaf
			if one.Key = p[depth].at; leaf.Kids != nil {
				one.Kids = map[string]*Tree{}
			}
			t.Kids[key] = &one
			continue
		}
		if have == nil {
			have = &Tree{Kids: map[string]*Tree{}, At: p[depth].at, Key: p[depth].at}
			t.Kids[key] = have
		}
		if !have.IsMap() {
			ok = false
			continue
		}
		ok = c.below(have, p, keys, depth+1, leaf) && ok
	}
	return ok
}

// unset removes the values at each path of a path with ranges.
func (c *commandReader) unset(p arguments, at Place) {
	if len(p) == 0 {
		c.note(refuse(at, "nv unset has no path"))
		return
	}
	keys := p.keys()
	if c.slips("unset", p) {
		return
	}
	leaf := &Tree{Kids: map[string]*Tree{}, At: p[len(p)-1].at, Key: p[len(p)-1].at}
	c.lines = append(c.lines, Written{keys, leaf, "unset", p.places(), at})
	if c.Unset == nil {
		c.Unset = Map()
	}
	c.put(c.Unset, p, leaf)
	var gone func(t *Tree, depth int)
	gone = func(t *Tree, depth int) {
		for _, key := range singles(keys[:depth], keys[depth]) {
			next := t.Kids[key]
			switch {
			case next == nil:
			case depth == len(p)-1:
				delete(t.Kids, key)
			case depth == len(p)-2 && next.IsScalar() && next.Value == keys[depth+1]: // the command names the value, too
				delete(t.Kids, key)
			default:
				gone(next, depth+1)
			}
		}
	}
	gone(c.Set, 0)
}

// words splits a line of a shell into words. The word ";" without a place ends a command. If the line has a mistake, words returns the
// words before it.
func words(l *logicalLine, from int) (list arguments, wrong Place, why string) {
	line := l.text
	var b strings.Builder
	open, start := false, 0
	begin := func(at int) {
		if !open {
			open, start = true, at
		}
	}
	flush := func() {
		if open {
			list = append(list, argument{b.String(), l.place(start)})
			b.Reset()
			open = false
		}
	}
	for i := from; i < len(line); i++ {
		switch ch := line[i]; ch {
		case ' ', '\t':
			flush()
		case '#':
			if !open {
				return list, Place{}, ""
			}
			b.WriteByte(ch)
		case '\'', '"':
			begin(i)
			end := i + 1
			for end < len(line) && line[end] != ch {
				if ch == '"' && line[end] == '\\' && end+1 < len(line) {
					end++
				}
				b.WriteByte(line[end])
				end++
			}
			if end >= len(line) {
				return list, l.place(i), "a quotation mark is not closed"
			}
			i = end
		case '\\':
			if i+1 < len(line) {
				begin(i)
				i++
				b.WriteByte(line[i])
			}
		case ';':
			flush()
			list = append(list, argument{text: ";"})
		case '&', '|':
			flush()
			if i+1 < len(line) && line[i+1] == ch {
				i++
				list = append(list, argument{text: ";"})
				continue
			}
			return list, Place{}, ""
		default:
			begin(i)
			b.WriteByte(ch)
		}
	}
	flush()
	return list, Place{}, ""
}
