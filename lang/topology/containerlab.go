package topology

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/lang/diag"
)

const (
	maxYAML  = 4 << 20 // bytes; a tree of nodes needs twenty times as much memory
	maxSteps = 8 << 20 // bounds the keys that are read, since aliases and merges may multiply them
)

// cableTypes are the types of links between two nodes. Links of otherTypes end at the machine of the lab, or have one end only. In the
// short form, such a type is written in place of a node.
var (
	cableTypes = []string{"veth", "brief"}
	otherTypes = []string{"host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy", "bridge"}
)

// readContainerlab reads the links of a containerlab topology.
//
//	topology:
//	  links:
//	    - endpoints: ["leaf1:swp1", "host1:eth1"]
//	      vars: {speed: 100G, length: 3m}
//	    - type: veth
//	      endpoints:
//	        - {node: leaf1, interface: swp2}
//	        - {node: host2, interface: eth1}
//
// It follows anchors, aliases and merge keys. Links to the machine of the lab are not cables, and are left out.
func readContainerlab(r *reader) {
	if len(r.text) > maxYAML {
		r.fail(&TooLarge, 0, 0, "The file has %s bytes, and at most %s of a containerlab topology are read. Give the cables as CSV.",
			diag.Number(len(r.text)), diag.Number(maxYAML))
		return
	}
	l := &lab{reader: r, lines: yamlLines(r.text, r.begin)}
	root, ok := l.parse()
	if !ok {
		return
	}
	if root == nil {
		r.fail(&Syntax, 0, 0, "The file is empty. A containerlab topology has the keys name and topology.")
		return
	}
	topology, key := l.get(root, "topology")
	r.fabric = l.scalar(root, "name")
	if r.failed {
		return
	}
	if topology == nil {
		r.fail(&Syntax, l.from(root), l.from(root)+1, "This is not a topology of containerlab: it has no key \"topology\".")
		return
	}
	if l.nodes(topology); r.failed {
		return
	}
	links, key2 := l.get(topology, "links")
	if key2 != nil {
		key = key2
	}
	if links == nil || null(links) {
		return
	}
	if links.Kind != yaml.SequenceNode {
		l.wrong(key, "The links of a topology are a list, each with its endpoints.")
		return
	}
	r.grow(len(links.Content))
	for _, link := range links.Content {
		if l.link(resolve(link)); r.failed {
			return
		}
	}
}

// lab reads a tree of YAML nodes.
type lab struct {
	*reader
	lines []int // offsets of the lines of YAML
	steps int

	line, column, offset int // the last computed place
}

// parse makes the tree; ok is false after a mistake.
func (l *lab) parse() (root *yaml.Node, ok bool) {
	defer func() { // a panic of the external parser is reported as a broken file
		if recover() != nil {
			l.fail(&Syntax, 0, 0, "The file is not valid YAML.")
			root, ok = nil, false
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(l.text), &doc); err != nil {
		l.broken(err)
		return nil, false
	}
	if len(doc.Content) == 0 {
		return nil, true
	}
	return resolve(doc.Content[0]), true
}

var yamlError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`) })

// broken reports the error of the parser, at its line.
func (l *lab) broken(err error) {
	line, text := 1, err.Error()
	if m := yamlError().FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
		text = m[2]
	}
	from := l.lines[min(max(line, 1), len(l.lines))-1]
	to := from + len(strings.TrimRight(lineOf(l.text[from:]), " \t\r"))
	from = to - len(strings.TrimLeft(l.text[from:to], " \t"))
	if at := templateMark().FindStringIndex(l.text); at != nil {
		l.template(at[0], at[0]+2)
		return
	}
	if tab := l.tab(line, text); tab >= 0 {
		l.fail(&Syntax, tab, tab+1, "This line is indented with a tab, but YAML allows only spaces. Write spaces instead of tabs.")
		return
	}
	l.fail(&Syntax, from, to, "This is not YAML: %s. Correct the text near this line.", diag.Cut(text))
}

// tab returns the offset of the tab to which an error of the parser refers, or -1. The parser reports the line of the tab or the line
// before.
func (l *lab) tab(line int, says string) int {
	if !strings.Contains(says, "cannot start any token") && !strings.Contains(says, "tab character") {
		return -1
	}
	at := -1
	for i := min(max(line, 1), len(l.lines)) - 1; i < min(line+1, len(l.lines)); i++ {
		text := lineOf(l.text[l.lines[i]:])
		if strings.ContainsAny(text, "@`%") { // these also cannot start a token
			return -1
		}
		if at < 0 && strings.HasPrefix(strings.TrimLeft(text, " "), "\t") && strings.TrimSpace(text) != "" {
			at = l.lines[i] + strings.IndexByte(text, '\t')
		}
	}
	return at
}

// Marks of templates and variables. The mark that ends them is on the same line.
var (
	templateMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{[^\r\n]*\}\}|\{%[^\r\n]*%\}`) })
	variableMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*[^}\r\n]*\}`) })
)

// template reports a file that is a template of a topology.
func (l *lab) template(from, to int) {
	l.fail(&Syntax, from, to, "This file is a template: it contains {{ }} or {%% %%}. Run the program that makes a topology from it, "+
		"and use its output.")
}

// variable reports a variable that containerlab replaces from the environment. It reports only one, since such files have many.
func (l *lab) variable(w word, mark string) {
	l.fail(&Syntax, w.in, w.out, "This file contains variables such as %s, which containerlab replaces from the environment. Replace "+
		"them, for example with envsubst, and use the result.", quote(mark))
}

func lineOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// link reads one link.
func (l *lab) link(link *yaml.Node) {
	if link.Kind != yaml.MappingNode {
		l.wrong(link, "A link is written endpoints: [\"leaf1:swp1\", \"host1:eth1\"].")
		return
	}
	kind, _ := l.get(link, "type")
	endpoints, key := l.get(link, "endpoints")
	vars, _ := l.get(link, "vars")
	if l.failed {
		return
	}
	if kind != nil && !null(kind) && kind.Value != "" {
		switch t := strings.ToLower(strings.TrimSpace(kind.Value)); {
		case slices.Contains(otherTypes, t):
			l.other(t)
			return
		case !slices.Contains(cableTypes, t):
			near := diag.DidYouMean(t, slices.Concat(cableTypes, otherTypes))
			l.wrong(kind, "There is no type of links %s.%s Cables between two nodes are of type veth.", quote(kind.Value), near)
			return
		}
	}
	switch {
	case endpoints == nil || null(endpoints):
		l.wrong(link, "This link has no endpoints, such as endpoints: [\"leaf1:swp1\", \"host1:eth1\"].")
		return
	case endpoints.Kind != yaml.SequenceNode:
		l.wrong(key, "The endpoints of a link are a list of two, such as [\"leaf1:swp1\", \"host1:eth1\"].")
		return
	case len(endpoints.Content) != 2:
		if len(endpoints.Content) == 1 {
			if to := l.outside(resolve(endpoints.Content[0])); to != "" {
				l.other(to)
				return
			}
		}
		l.wrong(key, "A link has two endpoints, but this one has %d.", len(endpoints.Content))
		return
	}
	x, y := resolve(endpoints.Content[0]), resolve(endpoints.Content[1])
	if to := cmp.Or(l.outside(x), l.outside(y)); to != "" {
		l.other(to)
		return
	}
	p, ok := l.endpoint(x)
	if !ok {
		return
	}
	q, ok := l.endpoint(y)
	if !ok {
		return
	}
	l.add(p, q, l.vars(vars), over(p.At, q.At))
}

// outside returns the word for an endpoint that is not a node of the lab; empty: the endpoint is a node.
func (l *lab) outside(n *yaml.Node) string {
	name := n.Value
	if n.Kind == yaml.MappingNode {
		node, _ := l.get(n, "node")
		if node == nil {
			return ""
		}
		name = node.Value
	}
	name, _, _ = strings.Cut(name, ":")
	if name = strings.ToLower(strings.TrimSpace(name)); slices.Contains(otherTypes, name) {
		return name
	}
	return ""
}

// other counts a link that is not a cable.
func (l *lab) other(to string) {
	if l.others == nil {
		l.others = map[string]int{}
	}
	l.others[to]++
}

// endpoint reads "leaf1:swp1" or {node: leaf1, interface: swp1}.
func (l *lab) endpoint(n *yaml.Node) (End, bool) {
	if n.Kind == yaml.MappingNode {
		node, _ := l.get(n, "node")
		port, _ := l.get(n, "interface")
		for _, x := range []struct {
			key string
			n   *yaml.Node
		}{{"node", node}, {"interface", port}} {
			if x.n == nil || x.n.Kind != yaml.ScalarNode || x.n.Value == "" || null(x.n) {
				l.mistake(&Endpoint, l.from(n), l.from(n)+1, "This endpoint has no %s. It is written node: leaf1, interface: swp1.", x.key)
				return End{}, false
			}
		}
		d, p := l.word(node), l.word(port)
		if l.unfilled(d) || l.unfilled(p) {
			return End{}, false
		}
		e := l.end(d, p)
		if p.from < d.to || strings.ContainsAny(l.text[d.to:p.from], "{}[]-") { // the two texts are not adjacent
			e.At = l.at(d.from, d.to)
		}
		return e, true
	}
	if n.Kind != yaml.ScalarNode {
		l.wrong(n, "An endpoint is node:interface, such as \"leaf1:swp1\".")
		return End{}, false
	}
	w := l.word(n)
	if l.unfilled(w) {
		return End{}, false
	}
	d, p, ok := split(w)
	if !ok || d.v == "" || p.v == "" {
		l.mistake(&Endpoint, w.in, w.out, "%s is not an endpoint of a cable. Write node:interface, such as \"leaf1:swp1\".", quote(w.v))
		return End{}, false
	}
	return l.end(d, p), true
}

// unfilled reports a word with a template or a variable.
func (l *lab) unfilled(w word) bool {
	if templateMark().MatchString(w.v) {
		l.template(w.in, w.out)
		return true
	}
	mark := variableMark().FindString(w.v)
	if mark != "" {
		l.variable(w, mark)
	}
	return mark != ""
}

// vars reads the attributes of the cable from the variables of a link.
func (l *lab) vars(n *yaml.Node) (attrs []Attr) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for _, name := range attrNames {
		v, key := l.get(n, name)
		switch {
		case v == nil || null(v):
		case v.Kind != yaml.ScalarNode:
			l.wrong(key, "%s is a string such as 100G or 3m.", name)
		default:
			attrs = l.attribute(attrs, name, l.word(v))
		}
	}
	return attrs
}

// wrong reports a mistake at a node of any kind.
func (l *lab) wrong(n *yaml.Node, format string, args ...any) {
	from := l.from(n)
	to := from + 1
	if n.Kind == yaml.ScalarNode {
		w := l.word(n)
		from, to = w.from, max(w.to, w.from+1)
	}
	l.mistake(&Syntax, from, to, format, args...)
}

// get returns the value of a key of a mapping, and the key. It follows aliases and merges. Both are nil if the key is missing.
func (l *lab) get(n *yaml.Node, key string) (value, at *yaml.Node) {
	return l.lookup(n, key, 0)
}

func (l *lab) lookup(n *yaml.Node, key string, depth int) (value, at *yaml.Node) {
	if n.Kind != yaml.MappingNode || depth > maxDepth {
		return nil, nil
	}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if l.steps++; l.steps > maxSteps {
			l.fail(&TooLarge, l.from(n), l.from(n)+1, "The aliases and merge keys of this file expand to too many values. Write the "+
				"links without them.")
			return nil, nil
		}
		switch k := resolve(n.Content[i]); {
		case k.Kind != yaml.ScalarNode:
		case k.Value == key && at != nil:
			l.fail(&Syntax, l.from(k), l.from(k)+len(key), "The key %s is written twice. YAML would use one of them and ignore the other.",
				quote(key)).Note(l.at(l.from(at), l.from(at)+len(key)), "here for the first time")
			return nil, nil
		case k.Value == key:
			value, at = resolve(n.Content[i+1]), k
		case k.Value == "<<":
			merges = append(merges, resolve(n.Content[i+1]))
		}
	}
	for _, m := range merges {
		if at != nil || l.failed {
			break
		}
		if m.Kind != yaml.SequenceNode {
			value, at = l.lookup(m, key, depth+1)
			continue
		}
		for _, c := range m.Content {
			if l.steps++; at == nil && !l.failed {
				value, at = l.lookup(resolve(c), key, depth+1)
			}
		}
	}
	return value, at
}

// resolve follows an alias. The parser refuses aliases of aliases, and an alias inside of its own anchor.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// yamlLines returns the offsets of lines by the rules of YAML. A line ends in a line feed, a carriage return, both, or a line end of
// Unicode.
func yamlLines(text string, begin int) []int {
	lines := []int{begin}
	for i := begin; i < len(text); i++ {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "\r\n"):
			i++
		case rest[0] == '\n' || rest[0] == '\r':
		case strings.HasPrefix(rest, "\u0085"):
			i++
		case strings.HasPrefix(rest, "\u2028") || strings.HasPrefix(rest, "\u2029"):
			i += 2
		default:
			continue
		}
		lines = append(lines, i+1)
	}
	return lines
}

// from returns the offset of a node. Columns of YAML count code points. They are counted from the last computed place, because a file
// may be one long line.
func (l *lab) from(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(l.lines) || n.Column < 1 {
		return l.begin
	}
	if n.Line != l.line {
		l.line, l.column, l.offset = n.Line, 1, l.lines[n.Line-1]
	}
	for ; l.column < n.Column && l.offset < len(l.text); l.column++ {
		_, size := utf8.DecodeRuneInString(l.text[l.offset:])
		l.offset += size
	}
	for ; l.column > n.Column; l.column-- {
		_, size := utf8.DecodeLastRuneInString(l.text[:l.offset])
		l.offset -= size
	}
	l.column = n.Column
	return l.offset
}

// word returns the text of a scalar and its place, without an anchor or a tag before it.
func (l *lab) word(n *yaml.Node) word {
	from := l.from(n)
	for from < len(l.text) && (l.text[from] == '&' || l.text[from] == '!') && (n.Anchor != "" || n.Style&yaml.TaggedStyle != 0) {
		skipped := strings.IndexAny(l.text[from:], " \t\r\n")
		if skipped < 0 {
			break
		}
		next := from + skipped + len(l.text[from+skipped:]) - len(strings.TrimLeft(l.text[from+skipped:], " \t\r\n"))
		if next == len(l.text) {
			break
		}
		from = next
	}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 { // | or >, and the text on the lines below, without its last line end
		text := strings.TrimRight(n.Value, "\n")
		below := strings.TrimLeft(l.text[from+len(lineOf(l.text[from:])):], " \t\r\n")
		if text != "" && strings.HasPrefix(below, text) {
			from = len(l.text) - len(below)
			return word{v: text, from: from, to: from + len(text), in: from, out: from + len(text)}
		}
	}
	w := word{v: n.Value, from: from, in: from}
	rest := l.text[from:]
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0 && strings.HasPrefix(rest, `"`):
		w.in, w.out, w.to = from+1, len(l.text), len(l.text)
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == '"' {
				w.out, w.to = from+i, from+i+1
				break
			}
		}
	case n.Style&yaml.SingleQuotedStyle != 0 && strings.HasPrefix(rest, `'`):
		w.in, w.out, w.to = from+1, len(l.text), len(l.text)
		for i := 1; i < len(rest); i++ {
			if strings.HasPrefix(rest[i:], `''`) {
				i++
			} else if rest[i] == '\'' {
				w.out, w.to = from+i, from+i+1
				break
			}
		}
	case strings.HasPrefix(rest, n.Value):
		w.to = from + len(n.Value)
		w.out = w.to
	default: // over several lines
		w.to = from + len(strings.TrimRight(lineOf(rest), " \t\r"))
		w.out = w.to
	}
	return w
}
