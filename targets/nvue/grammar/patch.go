package grammar

import (
	"bytes"
	"slices"
)

// Doc is one patch: a tree that is set, or one whose leaves are taken away.
type Doc struct {
	Unset bool
	Tree  *Tree // of an unset, each leaf is an empty mapping
}

// YAML writes the patch as `nv config patch` takes it. What is unset ends in keys without values, as `nv config diff` prints it.
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

// Patch gives what makes one tree of another, and little more: nothing, or one document that takes away, one that sets, or both in this
// order. NVUE takes a document as one request, in which no order is promised, so no document both sets and unsets. What is set has
// single keys.
//
// The manuals leave open whether a set of priorities that is set again is joined with the old one, or replaces it. So a document that
// adds to a set names all of its members, those that were in it, too; and what leaves it is unset before. A mapping of which nothing
// is left is set as an empty one, since no manual says that it stays. The manuals also leave open which value counts where a stored
// key such as 0-3 and a single key within it differ. So a value in a range is unset by its stored key, and then set for each wanted
// key of the range.
//
// A patch is not undone by another one: what a revision held before is what its parent revision holds.
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

// difference is what makes one tree of another.
type difference struct {
	gone, set *Tree
	changed   [][]string // what is gone, or has another value
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
			if have.IsMap() || have.IsList() || next.IsMap() || next.IsList() { // no setting replaces these
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

// splitter takes ranges apart of which some keys change.
type splitter struct {
	*difference
	after  *Tree
	covers map[*Tree]map[string][]string // of a mapping as it is stored: the ranges that cover a single key
	done   map[string]bool               // paths as they are stored
}

// split removes the ranges that cover a path, and sets the parts of them that stay.
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

// unset takes away a path as it is stored, unless something above it goes.
func (s *splitter) unset(path []string) {
	for i := range path {
		if t := s.gone.Get(path[:i]...); i > 0 && t != nil && len(t.Kids) == 0 {
			return
		}
	}
	s.gone.Put(path, Map())
}

// keep sets what every single path of a stored one is to have.
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

// isSet reports whether a path holds a set, on any release.
func isSet(path []string) bool {
	return slices.ContainsFunc(Rows(), func(r Row) bool { return r.Kind == Set && r.is(path) })
}
