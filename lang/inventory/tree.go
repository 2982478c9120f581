package inventory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// tree is a value of YAML or JSON.
type tree struct {
	kind  treeKind
	text  string // for a scalar
	vault bool
	keys  []string // only for a map
	kids  []*tree
	line  int
}

type treeKind int

const (
	null treeKind = iota
	scalar
	list
	dict
)

// get returns the value of a key; nil: the key is not there.
func (t *tree) get(key string) *tree {
	if t.kind != dict {
		return nil
	}
	if i := slices.Index(t.keys, key); i >= 0 {
		return t.kids[i]
	}
	return nil
}

// firstLine is the first line that is neither empty nor a comment.
var firstLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[^\S\n]*[^#;\s].*$`) })

// yamlLine matches the beginning of a line that can be YAML but not INI.
var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(---|%YAML|["']?[^\s="'\[]+["']?:(\s|$))`) })

func isYAML(text string) bool { return yamlLine().MatchString(firstLine().FindString(text)) }

// yaml reads an inventory as YAML.
func (r *reader) yaml(text string) {
	defer func() { // a panic of the external parser is reported as a broken file
		if recover() != nil {
			r.fail(0, "The file is not valid YAML.")
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		r.fail(0, "The file is not YAML: %s.", strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	if len(doc.Content) == 0 {
		return
	}
	if root := r.tree(doc.Content[0], 0); root != nil && !r.failed {
		r.root(root)
	}
}

// step counts a value. Aliases may multiply values, so there is a bound.
func (r *reader) step(depth, line int) bool {
	if r.steps++; r.steps > maxSteps || depth > maxDepth {
		r.fail(line, "The file has too many values, or nests them too deep: at most %d values, %d deep.", maxSteps, maxDepth)
		return false
	}
	return true
}

// tree makes the tree of a node of YAML.
func (r *reader) tree(n *yaml.Node, depth int) *tree {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || !r.step(depth, n.Line) {
		return nil
	}
	t := &tree{line: n.Line}
	switch n.Kind {
	case yaml.ScalarNode:
		t.kind, t.text, t.vault = scalar, n.Value, n.Tag == "!vault" || n.Tag == "!vault-encrypted"
		if n.Tag == "!!null" {
			t.kind, t.text = null, ""
		}
	case yaml.SequenceNode:
		t.kind = list
		for _, kid := range n.Content {
			t.kids = append(t.kids, r.tree(kid, depth+1))
		}
	case yaml.MappingNode:
		t.kind = dict
		var merged []*tree
		for i := 0; i+1 < len(n.Content) && !r.failed; i += 2 {
			kid := r.tree(n.Content[i+1], depth+1)
			if n.Content[i].Tag == "!!merge" && kid != nil {
				merged = append(merged, kid)
				merged = append(merged, kid.kids...) // for a list of maps
				continue
			}
			t.keys, t.kids = append(t.keys, n.Content[i].Value), append(t.kids, kid)
		}
		r.merge(t, merged)
	}
	return t
}

// merge adds the keys that a map gets by << from other maps. The map's own keys have precedence.
func (r *reader) merge(t *tree, from []*tree) {
	if len(from) == 0 {
		return
	}
	have := map[string]bool{}
	for _, k := range t.keys {
		have[k] = true
	}
	for _, m := range from {
		if m == nil || m.kind != dict {
			continue
		}
		for i, k := range m.keys {
			if !r.step(0, m.line) {
				return
			}
			if !have[k] {
				have[k] = true
				t.keys, t.kids = append(t.keys, k), append(t.kids, m.kids[i])
			}
		}
	}
}

// json reads an inventory as JSON: the output of `ansible-inventory --list`, or the same structure as in YAML.
func (r *reader) json(text string) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	lines := &lineCounter{text: text}
	root, err := r.value(d, lines, 0)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more text after the end of the object")
		}
	}
	if err != nil {
		r.fail(lines.at(int(d.InputOffset())), "The file is not JSON: %v.", err)
		return
	}
	if r.failed {
		return
	}
	if meta := root.get("_meta"); meta != nil || listed(root) {
		r.listed(root, meta)
		return
	}
	r.root(root)
}

// lineCounter counts lines up to offsets that only grow.
type lineCounter struct {
	text         string
	offset, line int
}

func (c *lineCounter) at(offset int) int {
	if offset = min(offset, len(c.text)); offset > c.offset {
		c.line += strings.Count(c.text[c.offset:offset], "\n")
		c.offset = offset
	}
	return c.line + 1
}

// value reads one value of JSON.
func (r *reader) value(d *json.Decoder, lines *lineCounter, depth int) (*tree, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, ended(err)
	}
	t := &tree{line: lines.at(int(d.InputOffset()))}
	if !r.step(depth, t.line) {
		return t, nil
	}
	switch v := tok.(type) {
	case string:
		t.kind, t.text = scalar, v
	case json.Number:
		t.kind, t.text = scalar, v.String()
	case bool:
		t.kind, t.text = scalar, strconv.FormatBool(v)
	case json.Delim:
		t.kind = map[json.Delim]treeKind{'{': dict, '[': list}[v]
		for d.More() && !r.failed {
			if t.kind == dict {
				key, err := d.Token()
				if err != nil {
					return nil, ended(err)
				}
				t.keys = append(t.keys, fmt.Sprint(key))
			}
			kid, err := r.value(d, lines, depth+1)
			if err != nil {
				return nil, err
			}
			t.kids = append(t.kids, kid)
		}
		if !r.failed {
			if _, err := d.Token(); err != nil {
				return nil, ended(err)
			}
		}
		if vault := t.get("__ansible_vault"); vault != nil {
			return &tree{kind: scalar, vault: true, line: t.line}, nil
		}
	}
	return t, nil
}

// ended returns the message about a file that ends too early.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends inside of a value")
	}
	return err
}
