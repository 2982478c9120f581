package snapshot

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// yamlKey is a key of a line of YAML: the blanks and the dashes of a list before it, the key, and the value after the colon.
var yamlKey = sync.OnceValue(func() *regexp.Regexp {
	const quoted = `"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'`
	const plain = `[^\s#:'"{\[&*!|>%@` + "`" + `-][^:#]*?|[^\s:]+(?::[^\s:]+)*`
	return regexp.MustCompile(`^((?: |- )*)(` + quoted + `|` + plain + `):(?:[ \t]+(.*))?$`)
})

// yamlLevel is a key whose value is below it.
type yamlLevel struct {
	column int
	name   string
	is     verdict
}

// YAML returns a text of YAML without the parts that are not kept, and their number. A dropped value leaves its key, every line keeps its
// number, and comments are removed. The text must be in the style of a program: a block of keys with a fixed indent per level. Anchors,
// tags, and flow collections of several lines are not accepted.
//
// A parser reads the text before and after. The text is refused if another part is missing then, or if a part that must be dropped remains.
func (k Kept) YAML(data []byte, path func(keys []string) []string) (out []byte, count int, err error) {
	if out, count, err = k.yamlLines(data, path); err != nil {
		return nil, 0, err
	}
	before, err := documents(data)
	if err != nil {
		return nil, 0, err
	}
	after, err := documents(out)
	if err != nil || len(before) != len(after) {
		return nil, 0, errNotRead
	}
	for i := range before {
		if !k.same(before[i], after[i], path, nil, below, 0) {
			return nil, 0, errNotRead
		}
	}
	return out, count, nil
}

// yamlLines is YAML without the check by a parser.
func (k Kept) yamlLines(data []byte, path func(keys []string) []string) (out []byte, count int, err error) {
	var to bytes.Buffer
	lines := &yamlReader{kept: k, path: path}
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\r\n")
		kept, err := lines.line(text)
		if err != nil {
			return nil, 0, err
		}
		to.WriteString(kept)
		to.Write(line[len(text):])
	}
	return to.Bytes(), lines.count, nil
}

// yamlReader reads lines of YAML one after the other.
type yamlReader struct {
	kept   Kept
	path   func(keys []string) []string
	levels []yamlLevel // verdicts of the keys above
	count  int         // number of parts that were not kept
}

// line returns a line without the parts that are not kept.
func (r *yamlReader) line(text string) (string, error) {
	bare := strings.TrimLeft(text, " ")
	at := len(text) - len(bare)
	var above yamlLevel
	if len(r.levels) > 0 {
		above = r.levels[len(r.levels)-1]
	}
	switch {
	case strings.Contains(text, "\t"):
		return "", errNotRead
	case bare == "":
		return text, nil
	case strings.HasPrefix(text, "---") || strings.HasPrefix(text, "..."):
		if rest := strings.TrimSpace(text[3:]); rest != "" && rest[0] != '#' {
			return "", errNotRead
		}
		return text[:3], nil
	case strings.HasPrefix(bare, "#"): // a comment may contain secrets
		return "", nil
	case len(r.levels) > 0 && above.is == dropped && (at > above.column || at == above.column && strings.HasPrefix(bare, "- ")):
		return "", nil
	}
	if m := yamlKey().FindStringSubmatch(text); m != nil {
		return r.entry(text, m[1], m[2], strings.TrimSpace(m[3]))
	}
	if settledAt(r.levels, at) != whole { // an entry of a list, or part of a text of several lines
		return "", errNotRead
	}
	if i := strings.Index(text, " #"); i >= 0 && !strings.ContainsAny(text[:i], `'"`) {
		text = strings.TrimRight(text[:i], " ")
	}
	return text, nil
}

// entry returns the line of a key.
func (r *yamlReader) entry(text, before, spelled, value string) (string, error) {
	column := len(before)
	for len(r.levels) > 0 && r.levels[len(r.levels)-1].column >= column {
		r.levels = r.levels[:len(r.levels)-1]
	}
	name, ok := keyOf(spelled)
	if len(r.levels) > mostDeep || !ok {
		return "", errNotRead
	}
	keys := make([]string, 0, len(r.levels)+1)
	for _, l := range r.levels {
		keys = append(keys, l.name)
	}
	keys = append(keys, name)
	is := r.kept.verdict(keys, r.path)
	r.levels = append(r.levels, yamlLevel{column, name, is})
	before += spelled + ":"
	switch {
	case is != dropped && strings.HasPrefix(value, "{"), is == whole && (strings.HasPrefix(value, "[") || strings.Contains(value, " #")):
		flow, lost, err := r.kept.flow(value, r.path, keys, is)
		r.count += lost
		return before + " " + flow, err
	case is != dropped && strings.HasPrefix(value, "#"): // a comment after the key
		return before, nil
	case is == whole, is == below && value == "", value == "{}", value == "''":
		return text, nil
	}
	r.count++
	if value == "" || value[0] == '{' || value[0] == '#' {
		return before + " {}", nil
	}
	return before + " ''", nil
}

// settledAt returns the verdict for a line without a key at a column: the verdict of the key that it is below.
func settledAt(levels []yamlLevel, column int) verdict {
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i].column <= column {
			return levels[i].is
		}
	}
	return dropped
}

// verdict returns the verdict for the value after a key.
func (k Kept) verdict(keys []string, path func(keys []string) []string) verdict {
	p := path(keys)
	if p == nil {
		return dropped
	}
	if len(p) == 0 {
		return below
	}
	return k.of(p)
}

// keyOf returns the text of a key.
func keyOf(spelled string) (string, bool) {
	if spelled[0] != '"' && spelled[0] != '\'' {
		return spelled, true
	}
	n, err := documents([]byte(spelled))
	if err != nil || len(n) != 1 || n[0].Kind != yaml.ScalarNode {
		return "", false
	}
	return n[0].Value, true
}

// documents parses all documents of a text.
func documents(data []byte) (out []*yaml.Node, err error) {
	if bytes.HasPrefix(data, []byte("%")) || bytes.Contains(data, []byte("\n%")) { // a parser is slow with many directives
		return nil, errNotRead
	}
	for in := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		switch err := in.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, errNotRead
		}
		out = append(out, doc.Content...)
	}
}

// flow returns the value of one line without the parts that are not kept and without a comment, and the number of these parts.
func (k Kept) flow(value string, path func(keys []string) []string, keys []string, is verdict) (out string, lost int, err error) {
	n, err := documents([]byte(value))
	if err != nil || len(n) != 1 {
		return "", 0, errNotRead
	}
	if lost, err = k.prune(n[0], path, keys, is, 0); err != nil {
		return "", 0, err
	}
	if lost == 0 && !strings.Contains(value, "#") {
		return value, 0, nil
	}
	text, err := yaml.Marshal(n[0])
	if out = strings.TrimSpace(string(text)); err != nil || strings.Contains(out, "\n") {
		return "", 0, errNotRead
	}
	return out, lost, nil
}

// prune empties the parts of a value that are not kept.
func (k Kept) prune(n *yaml.Node, path func(keys []string) []string, keys []string, is verdict, deep int) (lost int, err error) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	switch {
	case deep > mostDeep || !isPlain(n):
		return 0, errNotRead
	case is == dropped, is == below && n.Kind != yaml.MappingNode:
		if isEmpty(n) {
			return 0, nil
		}
		*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
		return 1, nil
	}
	for i := 0; i < len(n.Content); i++ {
		under, next := keys, is
		if n.Kind == yaml.MappingNode {
			if under, err = keysOf(keys, n.Content[i]); err != nil {
				return 0, err
			}
			next = k.verdict(under, path)
			i++
		}
		more, err := k.prune(n.Content[i], path, under, next, deep+1)
		if err != nil {
			return 0, err
		}
		lost += more
	}
	return lost, nil
}

// same reports whether b equals a without the parts that are not kept, and without comments.
func (k Kept) same(a, b *yaml.Node, path func(keys []string) []string, keys []string, is verdict, deep int) bool {
	switch {
	case deep > mostDeep || !isPlain(a) || !isPlain(b) || b.HeadComment+b.LineComment+b.FootComment != "":
		return false
	case is == dropped, is == below && a.Kind == yaml.ScalarNode:
		return isEmpty(b)
	case a.Kind != b.Kind || len(a.Content) != len(b.Content):
		return false
	case a.Kind == yaml.ScalarNode:
		return a.Value == b.Value && a.Tag == b.Tag
	}
	for i := 0; i < len(a.Content); i++ {
		under, next := keys, is
		if a.Kind == yaml.MappingNode {
			var err error
			if under, err = keysOf(keys, a.Content[i]); err != nil || b.Content[i].Value != a.Content[i].Value {
				return false
			}
			next = k.verdict(under, path)
			i++
		}
		if !k.same(a.Content[i], b.Content[i], path, under, next, deep+1) {
			return false
		}
	}
	return true
}

// keysOf returns a path with a key added.
func keysOf(keys []string, key *yaml.Node) ([]string, error) {
	if key.HeadComment, key.LineComment, key.FootComment = "", "", ""; key.Kind != yaml.ScalarNode || !isPlain(key) {
		return nil, errNotRead
	}
	return append(keys[:len(keys):len(keys)], key.Value), nil
}

// isPlain reports whether a node has no anchor, alias or tag.
func isPlain(n *yaml.Node) bool {
	return n.Kind != yaml.AliasNode && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
}

// isEmpty reports whether a value is empty.
func isEmpty(n *yaml.Node) bool {
	return len(n.Content) == 0 && (n.Kind != yaml.ScalarNode || n.Value == "")
}
