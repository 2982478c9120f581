package grammar

import "bytes"

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

// Commands writes the patch as lines of nv.
func (d Doc) Commands() []byte {
	if d.Unset {
		return Commands("unset", d.Tree)
	}
	return Commands("set", d.Tree)
}

// Patch gives the least that makes one tree of another: nothing, or one document that takes away, one that sets, or both in this
// order. NVUE takes a document as one request, in which no order is promised, so no document both sets and unsets. Keys are single.
//
// A patch is not undone by another one: what a revision held before is what its parent revision holds.
func Patch(before, after *Tree) []Doc {
	gone, set := Map(), Map()
	differ(nil, before, after, gone, set)
	var docs []Doc
	if len(gone.Kids) > 0 {
		docs = append(docs, Doc{Unset: true, Tree: gone})
	}
	if len(set.Kids) > 0 {
		docs = append(docs, Doc{Tree: set})
	}
	return docs
}

func differ(path []string, a, b, gone, set *Tree) {
	for _, key := range a.Keys() {
		if b.Kids[key] == nil {
			gone.Put(append(path, key), Map())
		}
	}
	for _, key := range b.Keys() {
		here := append(path, key)
		have, next := a.Get(key), b.Kids[key]
		switch {
		case have == nil:
			set.Put(here, next.Clone())
		case have.IsMap() && next.IsMap():
			differ(here, have, next, gone, set)
		case !have.Equal(next):
			if have.IsMap() || have.IsList() || next.IsMap() || next.IsList() { // no setting replaces these
				gone.Put(here, Map())
			}
			set.Put(here, next.Clone())
		}
	}
}
