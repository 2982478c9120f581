package grammar

import (
	"bytes"
	"slices"
)

// Doc is one patch: a tree that is set, or a tree whose leaves are removed.
type Doc struct {
	Unset bool
	Tree  *Tree // for an unset, each leaf is an empty mapping
}

// YAML writes the patch in the form of `nv config patch`. Removed paths end in keys without values, as in the output of `nv config diff`.
func (d Doc) YAML() []byte {
	var b bytes.Buffer
	if !d.Unset {
		section(&b, "set", d.Tree)
		return b.Bytes()
	}
	b.WriteString("- unset:\n")
	absent(&b, d.Tree, 2)
	return b.Bytes()
}

func absent(b *bytes.Buffer, t *Tree, depth int) {
	for _, k := range t.Keys() {
		indent(b, depth)
		b.WriteString(word(k) + ":\n")
		absent(b, t.Kids[k], depth+1)
	}
}

// Patch returns the documents that turn one tree into another: none, one that removes, one that sets, or both in this order. NVUE handles
// a document as one request and promises no order within it, so no document both sets and unsets. Documents that set have single keys.
//
// The manuals leave open whether setting a set of priorities again joins the old set or replaces it. So a document that adds to a set
// names all members, the old ones included, and removed members are unset before. A mapping that becomes empty is set as an empty one,
// since no manual says that it stays. The manuals also leave open which value counts if a stored key such as 0-3 and a single key within
// it differ. So a value in a range is unset by its stored key, and then set for each wanted key of the range.
//
// To undo a patch, use the parent revision and not another patch: it contains the earlier values.
func Patch(before, after *Tree) []Doc {
	d := difference{gone: Map(), set: Map()}
	d.between(nil, before, after)
	for _, stored := range before.stored {
		s := splitter{difference: &d, after: after, covers: map[*Tree]map[string][]string{}, done: map[string]bool{}}
		for _, path := range d.changed {
			s.split(stored, path)
		}
	}
	var docs []Doc
	if len(d.gone.Kids) > 0 {
		docs = append(docs, Doc{Unset: true, Tree: d.gone})
	}
	if len(d.set.Kids) > 0 {
		docs = append(docs, Doc{Tree: d.set})
	}
	return docs
}

// difference has the changes that turn one tree into another.
type difference struct {
	gone, set *Tree
	changed   [][]string // paths that are removed or have another value
}

func (d *difference) between(path []string, a, b *Tree) {
	lost, grown := false, false
	for _, key := range a.Keys() {
		if b.Kids[key] == nil {
			lost = true
			d.lose(append(path, key))
		}
	}
	for _, key := range b.Keys() {
		here := append(path, key)
		have, next := a.Get(key), b.Kids[key]
		switch {
		case have == nil:
			grown = true
			d.set.Put(here, next.Clone())
		case have.IsMap() && next.IsMap():
			d.between(here, have, next)
		case !have.Equal(next):
			if have.IsMap() || have.IsList() || next.IsMap() || next.IsList() { // setting these would not replace them
				d.lose(here)
			} else {
				d.changed = append(d.changed, slices.Clone(here))
			}
			d.set.Put(here, next.Clone())
		}
	}
	if grown && isSet(path) || lost && len(b.Kids) == 0 && len(path) > 0 {
		d.set.Put(path, b.Clone())
	}
}

func (d *difference) lose(path []string) {
	d.gone.Put(path, Map())
	d.changed = append(d.changed, slices.Clone(path))
}

// splitter splits ranges in which some keys change.
type splitter struct {
	*difference
	after  *Tree
	covers map[*Tree]map[string][]string // by stored mapping: the ranges that cover a single key
	done   map[string]bool               // stored paths
}

// split removes the ranges that cover a path, and sets their remaining parts.
func (s *splitter) split(stored *Tree, path []string) {
	single := false
	var ranges [][]string
	var walk func(t *Tree, at []string, ranged bool)
	walk = func(t *Tree, at []string, ranged bool) {
		i := len(at)
		switch {
		case t == nil:
		case i < len(path):
			for _, key := range s.covering(t, path[:i], path[i]) {
				walk(t.Kids[key], append(slices.Clone(at), key), ranged || key != path[i])
			}
		case ranged:
			ranges = append(ranges, at)
		default:
			single = true
		}
	}
	walk(stored, nil, false)
	if len(ranges) == 0 {
		return
	}
	if t := s.gone.Get(path...); t != nil && !single {
		s.gone.Delete(path, 0)
	}
	for _, r := range ranges {
		if name := Spell(r); !s.done[name] {
			s.done[name] = true
			s.unset(r)
			s.keep(nil, r)
		}
	}
}

// covering returns the stored keys of a mapping that cover a single key.
func (s *splitter) covering(t *Tree, path []string, key string) []string {
	if !t.IsMap() {
		return nil
	}
	by := s.covers[t]
	if by == nil {
		by = map[string][]string{}
		for _, k := range t.Keys() {
			for _, name := range singles(path, k) {
				by[name] = append(by[name], k)
			}
		}
		s.covers[t] = by
	}
	return by[key]
}

// unset removes a stored path, unless a path above it is removed.
func (s *splitter) unset(path []string) {
	for i := range path {
		if t := s.gone.Get(path[:i]...); i > 0 && t != nil && len(t.Kids) == 0 {
			return
		}
	}
	s.gone.Put(path, Map())
}

// keep sets the wanted value of every single path within a stored path.
func (s *splitter) keep(path, rest []string) {
	if len(rest) > 0 {
		for _, name := range singles(path, rest[0]) {
			s.keep(append(path, name), rest[1:])
		}
		return
	}
	if up := path[:len(path)-1]; isSet(up) {
		path = up
	}
	if t := s.after.Get(path...); t != nil {
		s.set.Put(path, t.Clone())
	}
}

// isSet reports whether the value at a path is a set in any release.
func isSet(path []string) bool {
	return slices.ContainsFunc(Rows(), func(r Row) bool { return r.Kind == Set && r.is(path) })
}
