package sim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tree is an object of the configuration. The value of each key is a tree, or a scalar (string, int64, float64, bool, nil).
type tree map[string]any

// UnmarshalJSON implements [json.Unmarshaler]. It reads whole numbers as int64.
func (t *tree) UnmarshalJSON(data []byte) error {
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	*t = plain(m).(tree)
	return nil
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		t := tree{}
		for k, kid := range v {
			t[k] = plain(kid)
		}
		return t
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case []any:
		return fmt.Sprint(v)
	}
	return v
}

// at returns the value at a path, or nil.
func (t tree) at(path ...string) any {
	var v any = t
	for _, k := range path {
		o, _ := v.(tree)
		if v = o[k]; v == nil {
			return nil
		}
	}
	return v
}

// sub returns the object at a path, or nil.
func (t tree) sub(path ...string) tree {
	o, _ := t.at(path...).(tree)
	return o
}

// text returns the value at a path as text.
func (t tree) text(path ...string) string {
	switch v := t.at(path...).(type) {
	case nil, tree:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// number returns the whole number at a path, or none if there is no number.
func (t tree) number(none int, path ...string) int {
	if v, ok := t.at(path...).(int64); ok {
		return int(v)
	}
	return none
}

// put sets the value at a path, and adds the objects above it.
func (t tree) put(v any, path ...string) {
	for _, k := range path[:len(path)-1] {
		next, ok := t[k].(tree)
		if !ok {
			next = tree{}
			t[k] = next
		}
		t = next
	}
	t[path[len(path)-1]] = v
}

func (t tree) clone() tree {
	out := tree{}
	for k, v := range t {
		if o, ok := v.(tree); ok {
			v = o.clone()
		}
		out[k] = v
	}
	return out
}

// merge adds the values of src: objects are joined, and other values replaced.
func (t tree) merge(src tree) {
	for k, v := range src {
		o, ok := v.(tree)
		mine, both := t[k].(tree)
		switch {
		case ok && both:
			mine.merge(o)
		case ok:
			t[k] = o.clone()
		default:
			t[k] = v
		}
	}
}

// unset removes the paths in src. A value or an empty object there removes all content below its path. Objects that become empty are
// removed, too.
func (t tree) unset(src tree) {
	for _, key := range sorted(src) {
		below, _ := src[key].(tree)
		for _, k := range t.covering(key) {
			mine, ok := t[k].(tree)
			if len(below) == 0 || !ok {
				delete(t, k)
				continue
			}
			had := len(mine)
			if mine.unset(below); had > 0 && len(mine) == 0 {
				delete(t, k)
			}
		}
	}
}

// covering splits stored ranges so that an unset key, which may also be a range, matches whole keys.
func (t tree) covering(key string) []string {
	if _, ok := t[key]; ok {
		return []string{key}
	}
	want := keys(key)
	var out []string
	for _, stored := range sorted(t) {
		have := keys(stored)
		hit := slices.DeleteFunc(slices.Clone(have), func(k string) bool { return !slices.Contains(want, k) })
		if len(hit) == 0 {
			continue
		}
		if len(hit) < len(have) {
			v := t[stored]
			delete(t, stored)
			for _, k := range have {
				if o, ok := v.(tree); ok {
					v = o.clone()
				}
				t[k] = v
			}
			out = append(out, hit...)
		} else if len(have) == 1 || len(hit) == len(have) {
			out = append(out, stored)
		}
	}
	return out
}

// maxRange is the maximum number of keys in a range.
const maxRange = 4096

// keys returns the keys of a range: "3,5", "0-7", "swp1-4,swp6", "swp1s0-3". A key that is not a range is returned unchanged.
func keys(key string) []string {
	var out []string
	for item := range strings.SplitSeq(key, ",") {
		first, last, ok := strings.Cut(item, "-")
		stem := strings.TrimRight(first, "0123456789")
		lo, err := strconv.Atoi(first[len(stem):])
		letters := strings.Trim(stem, "abcdefghijklmnopqrstuvwxyz") == "" || stem != "" && strings.HasSuffix(stem, "s")
		if err != nil || !letters || len(first) > 15 {
			return []string{key}
		}
		if !ok {
			out = append(out, item)
			continue
		}
		hi, err := strconv.Atoi(strings.TrimPrefix(last, stem))
		if err != nil || hi < lo || len(out)+hi-lo > maxRange {
			return []string{key}
		}
		for n := lo; n <= hi; n++ {
			out = append(out, stem+strconv.Itoa(n))
		}
	}
	return out
}

// expand returns an object with a separate entry for each key of a range. The entry of the narrower range wins. Nested ranges have a
// maximum, above which they stay unchanged.
func (t tree) expand() tree {
	left := maxNodes
	return t.expanded(&left)
}

func (t tree) expanded(left *int) tree {
	out := tree{}
	all := sorted(t)
	slices.SortStableFunc(all, func(a, b string) int { return len(keys(b)) - len(keys(a)) })
	for _, k := range all {
		v := t[k]
		if o, ok := v.(tree); ok {
			before := *left
			v = o.expanded(left)
			if size := before - *left + 1; size*len(keys(k)) > *left {
				out.merge(tree{k: v})
				continue
			} else {
				*left -= size * (len(keys(k)) - 1)
			}
		}
		*left--
		for _, one := range keys(k) {
			out.merge(tree{one: v})
		}
	}
	return out
}

// sorted returns the keys of an object, numbers by their value.
func sorted(t tree) []string { return slices.SortedFunc(maps.Keys(t), compare) }

// compare orders keys as people read them, with a run of digits as one number: swp5, swp5s0, swp6, swp57. It is a total order, so that
// the text of a configuration is the same every time.
func compare(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		switch {
		case m > 0 && n > 0:
			i, j := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if c := cmp.Or(len(i)-len(j), strings.Compare(i, j)); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
		case x[0] != y[0]:
			return cmp.Compare(x[0], y[0])
		default:
			x, y = x[1:], y[1:]
		}
	}
	return cmp.Or(len(x)-len(y), strings.Compare(a, b))
}

// digits returns the number of digits at the beginning of a text.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// minus returns what must be set to change other into t.
func (t tree) minus(other tree) tree {
	out := tree{}
	for k, v := range t {
		theirs, ok := other[k]
		a, x := v.(tree)
		b, y := theirs.(tree)
		switch {
		case x && y:
			if d := a.minus(b); len(d) > 0 {
				out[k] = d
			}
		case !ok || v != theirs && (!x || !y):
			out[k] = v
		}
	}
	return out
}

// without returns the paths that t has and other lacks, in the form of unset.
func (t tree) without(other tree) tree {
	out := tree{}
	for k, v := range t {
		theirs, ok := other[k]
		a, x := v.(tree)
		b, y := theirs.(tree)
		switch {
		case !ok:
			out[k] = tree{}
		case x && y:
			if d := a.without(b); len(d) > 0 {
				out[k] = d
			}
		}
	}
	return out
}

// doc is one item of an NVUE file: header, set or unset.
type doc struct {
	what string
	tree tree
}

func (t tree) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	if len(t) == 0 {
		n.Style = yaml.FlowStyle
	}
	for _, k := range sorted(t) {
		n.Content = append(n.Content, scalar(k, true))
		if o, ok := t[k].(tree); ok {
			n.Content = append(n.Content, o.node())
		} else {
			n.Content = append(n.Content, scalar(t[k], false))
		}
	}
	return n
}

// scalar quotes a text that YAML 1.2 would read as another type.
func scalar(v any, key bool) *yaml.Node {
	s, isText := v.(string)
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v)}
	if isText {
		n.Tag = "!!str"
		if _, err := strconv.ParseFloat(s, 64); err == nil || boolean(s) || s == "" || !key && strings.ContainsAny(s, ":#") {
			n.Style = yaml.SingleQuotedStyle
		}
	}
	switch v := v.(type) {
	case nil:
		n.Value = "null"
	case float64:
		n.Value = strconv.FormatFloat(v, 'f', 1, 64)
	}
	return n
}

// boolean reports whether a word is a truth value in YAML 1.2.
func boolean(s string) bool {
	return slices.Contains([]string{"true", "True", "TRUE", "false", "False", "FALSE"}, s)
}

func yamlText(docs []doc) string {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, d := range docs {
		list.Content = append(list.Content, tree{d.what: d.tree}.node())
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(list); err != nil {
		panic("nvue/sim: " + err.Error()) // trees have only types of YAML
	}
	return b.String()
}

func jsonText(v any) string {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("nvue/sim: " + err.Error()) // trees have only types of JSON
	}
	return string(out) + "\n"
}

func commands(verb string, t tree, above string) (out []string) {
	for _, k := range sorted(t) {
		path := above + " " + k
		if o, ok := t[k].(tree); ok && len(o) > 0 {
			out = append(out, commands(verb, o, path)...)
		} else if ok || verb == "unset" {
			out = append(out, "nv "+verb+path)
		} else {
			out = append(out, "nv "+verb+path+" "+fmt.Sprint(t[k]))
		}
	}
	return out
}

// maxFile and maxNodes are the maximum sizes of a file.
const (
	maxFile  = 8 << 20
	maxNodes = 200_000
)

// parse reads a file in YAML 1.2. on and off without quotes are text. A number as a key is a number, which no object of NVUE has. If a
// key occurs twice, the last one counts.
func parse(data []byte) ([]doc, error) {
	if len(data) > maxFile {
		return nil, errors.New("the file is too large")
	}
	var top yaml.Node
	if err := yaml.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("the file is not YAML: %w", err)
	}
	if top.Kind != yaml.DocumentNode || top.Content[0].Kind != yaml.SequenceNode {
		return nil, errors.New("the file is not a list of set and unset")
	}
	r := reader{}
	var out []doc
	for _, item := range top.Content[0].Content {
		if item.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("line %d: this is neither set nor unset", item.Line)
		}
		for i := 0; i+1 < len(item.Content); i += 2 {
			what := item.Content[i].Value
			if what != "set" && what != "unset" && what != "header" {
				return nil, fmt.Errorf("line %d: %q is neither set nor unset", item.Line, what)
			}
			v, err := r.value(item.Content[i+1], 0)
			if err != nil {
				return nil, err
			}
			t, ok := v.(tree)
			if !ok {
				return nil, fmt.Errorf("line %d: %s is not an object", item.Line, what)
			}
			out = append(out, doc{what, t})
		}
	}
	return out, nil
}

type reader struct{ nodes int }

func (r *reader) value(n *yaml.Node, depth int) (any, error) {
	if r.nodes++; r.nodes > maxNodes || depth > 64 {
		return nil, errors.New("the file is too large")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.MappingNode:
		t := tree{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			v, err := r.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if over, ok := v.(tree); ok && k.Tag == "!!merge" {
				for key, kid := range over {
					if _, own := t[key]; !own {
						t[key] = kid
					}
				}
				continue
			}
			if k.Kind != yaml.ScalarNode || k.Style == 0 && (k.Tag == "!!int" || k.Tag == "!!float" || boolean(k.Value)) {
				return nil, fmt.Errorf("line %d: the key %s is not of type 'string'", k.Line, k.Value)
			}
			t[k.Value] = v
		}
		return t, nil
	case yaml.ScalarNode:
		switch {
		case n.Style != 0:
			return n.Value, nil
		case boolean(n.Value):
			return strings.EqualFold(n.Value, "true"), nil
		case n.Tag == "!!null":
			return nil, nil
		}
		if v, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return v, nil
		}
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil && n.Tag == "!!float" {
			return v, nil
		}
		return n.Value, nil
	}
	return nil, fmt.Errorf("line %d: a list is not of type 'object'", n.Line)
}
