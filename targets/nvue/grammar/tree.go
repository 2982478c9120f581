// Package grammar is the one grammar of NVUE's configuration [Tree], which Cumulus Linux has from 5.0 on. It defines how its text is
// read and written, which paths below qos a release documents, their valid values, and their meaning.
//
// The input is `nv config show -o yaml`, `-o json`, a patch file or /etc/nvue.d/startup.yaml. The output is a [Config] of [Tree]s
// with single keys, and from it one canonical text. The table of paths ([Rows]) follows the manuals, release by release, and marks as
// unsure each fact that they leave open.
package grammar

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Place is a position in a text, from 1; the zero Place is unknown.
type Place struct{ Line, Column int }

// Tree is one value of a configuration: a mapping, a list, or a scalar. The zero Tree is a scalar with an empty word that is not text; no
// reader returns it.
type Tree struct {
	Kids  map[string]*Tree // of a mapping, by key; not nil, even if the mapping is empty
	Items []*Tree          // of a list; not nil, even if the list is empty
	Value string           // of a scalar: its meaning, without quotes
	Text  bool             // the scalar is text; otherwise it is a number, true or false

	At, Key Place // places of the value and of its key
	Bad     bool  // the value could not be read, so its content is unknown; only [ReadLoosely] makes such nodes
	Open    bool  // lines below the mapping could not be read, or are elsewhere: missing keys are unknown
	BareKey bool  // the key is a number, a boolean or a null of YAML 1.2: it has no quotes

	stored []*Tree // of a root whose text has keys that name several: the trees before expansion, with the original keys
}

// Map returns an empty mapping.
func Map() *Tree { return &Tree{Kids: map[string]*Tree{}} }

// Text returns a scalar of text.
func Text(s string) *Tree { return &Tree{Value: s, Text: true} }

// Number returns a scalar that is not text.
func Number(s string) *Tree { return &Tree{Value: s} }

// IsMap reports whether the value is a mapping.
func (t *Tree) IsMap() bool { return t != nil && t.Kids != nil }

// IsList reports whether the value is a list.
func (t *Tree) IsList() bool { return t != nil && t.Items != nil }

// IsScalar reports whether the value is a scalar that was read.
func (t *Tree) IsScalar() bool { return t != nil && t.Kids == nil && t.Items == nil && !t.Bad }

// Keys returns the keys of a mapping, in the order in which they are written.
func (t *Tree) Keys() []string {
	if t == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(t.Kids), Compare)
}

// Get returns the value at a path, or nil. Below an unreadable value it returns that value, and for an unknown value a Bad one.
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

// Put sets the value at a path, and adds the mappings above it. If a scalar or a list is above the path, Put changes nothing below it,
// and ok is false.
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

// Overlay adds the values of another tree, which override existing ones. The trees share them.
func (t *Tree) Overlay(o *Tree) {
	for key, next := range o.Kids {
		if have := t.Kids[key]; have.IsMap() && next.IsMap() {
			have.Overlay(next)
		} else {
			t.Kids[key] = next
		}
	}
}

// Open marks all mappings of a tree as open: their missing keys are unknown.
func Open(t *Tree) {
	t.Open = t.Kids != nil
	for _, kid := range t.Kids {
		Open(kid)
	}
	for _, item := range t.Items {
		Open(item)
	}
}

// Unknown reports whether the value at a place is unknown. Nil is known to be absent.
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

// Equal reports whether two trees have the same content, at any places.
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
	Path []string // callers must not change it
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

// Shown returns the value of a leaf in one line.
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

// Spell returns a path as one word: keys with dots between them. A key that contains a dot is in quotes.
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

// Compare orders keys as people read them: it compares runs of digits by value, so that swp2 precedes swp10.
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

// digits returns the number of digits at the beginning of a text.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
