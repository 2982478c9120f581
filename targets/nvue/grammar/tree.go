// Package grammar is the one grammar of NVUE's configuration [Tree], which Cumulus Linux has from 5.0 on. It defines how its text is
// read and written, which paths below qos a release documents, their valid values, and their meaning.
//
// The input is `nv config show -o yaml`, `-o json`, a patch file or /etc/nvue.d/startup.yaml. The output is a [Config] of [Tree]s
// with single keys, and from it one canonical text. The table of paths ([Rows]) follows the manuals, release by release, and marks as
// unsure each fact that they leave open. The table of paths ([Rows]) holds what the manuals say, release by release, and says of each
// fact that they leave open that it is unsure.
package grammar

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Place is a position in a text, from 1; the zero Place is unknown.
type Place struct{ Line, Column int }

// Tree is one value of a configuration: a mapping, a list, or a scalar. The zero Tree is the scalar of an empty text that is not text,
// which no reader yields.
type Tree struct {
	Kids  map[string]*Tree // of a mapping, by key; not nil, also of an empty one
	Items []*Tree          // of a list; not nil, also of an empty one
	Value string           // of a scalar, as it is meant: without quotes
	Text  bool             // the scalar is text; else a number, true or false

	At, Key Place // of the value, and of the key it has
	Bad     bool  // it could not be read, and its content is unknown; only [ReadLoosely] makes such nodes
	Open    bool  // lines below it could not be read, or are elsewhere: what it does not have is not known
	BareKey bool  // the key is a number, a boolean or a null of YAML 1.2: it has no quotes

	stored []*Tree // of a root whose text has keys that name several: the trees before expansion, with these keys
}

// Map returns an empty mapping.
func Map() *Tree { return &Tree{Kids: map[string]*Tree{}} }

// Text returns a scalar of text.
func Text(s string) *Tree { return &Tree{Value: s, Text: true} }

// Number returns a scalar that is not text.
func Number(s string) *Tree { return &Tree{Value: s} }

// IsMap reports whether it is a mapping.
func (t *Tree) IsMap() bool { return t != nil && t.Kids != nil }

// IsList reports whether it is a list.
func (t *Tree) IsList() bool { return t != nil && t.Items != nil }

// IsScalar reports whether it is neither, and was read.
func (t *Tree) IsScalar() bool { return t != nil && t.Kids == nil && t.Items == nil && !t.Bad }

// Keys gives the keys of a mapping, in the order in which they are written.
func (t *Tree) Keys() []string {
	if t == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(t.Kids), Compare)
}

// Get returns the value at a path, or nil. Below what could not be read, it is that, and a value that is not known is Bad.
func (t *Tree) Get(path ...string) *Tree {
	if t == nil || t.Bad || len(path) == 0 {
		return t
	}
	next := t.Kids[path[0]]
	if next == nil && t.Open {
		return &Tree{Bad: true}
	}
	return next.Get(path[1:]...)
}

// Put sets the value at a path, and makes the mappings above it. ok is false if a scalar or a list is above it; nothing is changed
// below that.
func (t *Tree) Put(path []string, v *Tree) (ok bool) {
	for _, key := range path[:len(path)-1] {
		if !t.IsMap() {
			return false
		}
		next := t.Kids[key]
		if next == nil {
			next = Map()
			t.Kids[key] = next
		}
		t = next
	}
	if !t.IsMap() {
		return false
	}
	t.Kids[path[len(path)-1]] = v
	return true
}

// Delete removes the value at a path, and the mappings above it that become empty, except those of the first keep keys.
func (t *Tree) Delete(path []string, keep int) {
	at := []*Tree{t}
	for _, key := range path[:len(path)-1] {
		t = t.Get(key)
		if !t.IsMap() {
			return
		}
		at = append(at, t)
	}
	for i := len(path) - 1; i >= 0; i-- {
		delete(at[i].Kids, path[i])
		if i <= keep || len(at[i].Kids) > 0 {
			return
		}
	}
}

// Overlay sets what another tree sets. Its values are shared.
func (t *Tree) Overlay(o *Tree) {
	for key, next := range o.Kids {
		if have := t.Kids[key]; have.IsMap() && next.IsMap() {
			have.Overlay(next)
		} else {
			t.Kids[key] = next
		}
	}
}

// Open leaves open what each mapping of a tree does not have.
func Open(t *Tree) {
	t.Open = t.Kids != nil
	for _, kid := range t.Kids {
		Open(kid)
	}
	for _, item := range t.Items {
		Open(item)
	}
}

// Unknown reports whether the value at a place is not known; nil is known to be nothing.
func Unknown(t *Tree) bool { return t != nil && t.Bad }

// Clone copies a tree.
func (t *Tree) Clone() *Tree {
	if t == nil {
		return nil
	}
	c := *t
	if t.Kids != nil {
		c.Kids = make(map[string]*Tree, len(t.Kids))
		for k, v := range t.Kids {
			c.Kids[k] = v.Clone()
		}
	}
	if t.Items != nil {
		c.Items = make([]*Tree, len(t.Items))
		for i, v := range t.Items {
			c.Items[i] = v.Clone()
		}
	}
	return &c
}

// Equal reports whether two trees say the same, wherever it stands.
func (t *Tree) Equal(o *Tree) bool {
	switch {
	case t == nil || o == nil:
		return t == o
	case t.IsMap() != o.IsMap() || t.IsList() != o.IsList():
		return false
	case t.IsMap():
		return maps.EqualFunc(t.Kids, o.Kids, (*Tree).Equal)
	case t.IsList():
		return slices.EqualFunc(t.Items, o.Items, (*Tree).Equal)
	}
	return t.Value == o.Value && t.Text == o.Text
}

// Leaf is a path at which a tree ends: with a scalar, a list or an empty mapping.
type Leaf struct {
	Path []string // must not be changed
	*Tree
}

// Leaves calls do for every leaf, in the order in which they are written.
func (t *Tree) Leaves(do func(Leaf)) { t.leaves(nil, do) }

func (t *Tree) leaves(path []string, do func(Leaf)) {
	if len(t.Kids) == 0 {
		if len(path) > 0 {
			do(Leaf{slices.Clone(path), t})
		}
		return
	}
	for _, k := range t.Keys() {
		t.Kids[k].leaves(append(path, k), do)
	}
}

// Shown spells the value of a leaf in one line.
func (t *Tree) Shown() string {
	switch {
	case t.IsMap():
		return "{}"
	case t.IsList():
		items := make([]string, len(t.Items))
		for i, item := range t.Items {
			items[i] = item.Shown()
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return t.Value
}

// Spell writes a path as one word: keys with dots between them. A key that contains a dot is in quotes.
func Spell(path []string) string {
	var b strings.Builder
	for i, key := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		if key == "" || strings.ContainsAny(key, ".'") {
			key = "'" + strings.ReplaceAll(key, "'", "''") + "'"
		}
		b.WriteString(key)
	}
	return b.String()
}

// Compare orders keys as people read them: runs of digits by their number, so that swp2 stands before swp10.
func Compare(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m > 0 && n > 0 {
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y), cmp.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[m:], b[n:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits counts the digits a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
