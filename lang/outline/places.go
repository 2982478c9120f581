package outline

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Thing is the part of a file at a place.
type Thing struct {
	Kind ThingKind
	Path string     // path of the block around it, or of the thing itself if it is a block: "host.nic"
	Of   string     // for a name, the kind of the named thing: "cos_group", "variable", "output"; for interfaces, their devices
	Name string     // "rdma"; for devices and interfaces the nodeset: "leaf[01-04]"; for an output "module.output"
	At   diag.Range // the place
	Decl bool       // the thing is declared here
}

// ThingKind is the kind of a [Thing].
type ThingKind int

// The kinds of things.
const (
	ThingBlock      ThingKind = iota + 1 // the word with which a block begins
	ThingAttribute                       // the name of an attribute
	ThingName                            // the name of a block, local or output, in its declaration or in a reference
	ThingDevices                         // devices in a nodeset
	ThingInterfaces                      // interfaces in a nodeset
	ThingFunction                        // the name of a function
	ThingValue                           // any other string
	ThingInstance                        // self.name, each.key
)

// Symbol is a declaration in a file.
type Symbol struct {
	Kind     string // the kind of a block such as "cos_group", or "local", or "attribute"
	Name     string // the label, or the name of an attribute
	Detail   string // short text beside the name, such as the value of an attribute
	At       diag.Range
	Whole    diag.Range
	Children []Symbol
}

// Symbols returns the declarations of the file, in order.
func (o *File) Symbols() []Symbol { return o.symbols(o.root) }

func (o *File) symbols(n *outlineBlock) []Symbol {
	var out []Symbol
	for _, a := range n.attrs {
		kind := "attribute"
		if n.path == "locals" {
			kind = "local"
		}
		out = append(out, Symbol{
			Kind: kind, Name: a.text, Detail: oneLine(o.slice(a.value)),
			At: o.at(a.name), Whole: o.at(span{a.name.from, a.value.to}),
		})
	}
	for _, b := range n.blocks {
		out = append(out, Symbol{Kind: b.kind, Name: o.label(b), At: o.at(b.labelOr()), Whole: o.at(b.whole), Children: o.symbols(b)})
	}
	sort.SliceStable(out, func(i, k int) bool { return diag.ComparePlace(out[i].At, out[k].At) < 0 })
	return out
}

// oneLine returns a text as one line of at most 60 characters.
func oneLine(s string) string {
	out := make([]rune, 0, 60)
	for _, r := range s {
		if r == '\n' || len(out) == 60 {
			return string(out) + "..."
		}
		if r != '\r' && (len(out) > 0 || r != ' ') {
			out = append(out, r)
		}
	}
	return string(out)
}

// refKinds maps the words with which references start to the kinds of the things that they name.
var refKinds = map[string]string{
	"var": "variable", "local": "local", "cos_group": "cos_group", "switch": "switch", "host": "host", "module": "module",
}

// refs ranges over the references of the file. For a reference to an output it yields two things: the module and the output.
func (o *File) refs() iter.Seq[Thing] {
	return func(yield func(Thing) bool) {
		ok := true
		each := func(n *outlineBlock) {
			for _, a := range n.attrs {
				if ok {
					ok = o.refsOf(n, a, yield)
				}
			}
		}
		each(o.root)
		o.root.walk(each)
	}
}

func (o *File) refsOf(n *outlineBlock, a *attribute, yield func(Thing) bool) bool {
	var loops []string // names that for expressions declare, which hide other names
	for i := a.first; i < a.last; i++ {
		t := o.tokens[i]
		if t.Type != hclsyntax.TokenIdent || o.tokens[i-1].Type == hclsyntax.TokenDot {
			continue
		}
		word := string(t.Bytes)
		if word == "for" {
			for j := i + 1; j < a.last && len(loops) < 64; j++ {
				if w := o.tokens[j]; w.Type == hclsyntax.TokenIdent && string(w.Bytes) != "in" {
					loops = append(loops, string(w.Bytes))
				} else if w.Type != hclsyntax.TokenComma {
					break
				}
			}
			continue
		}
		kind, known := refKinds[word]
		if !known || slices.Contains(loops, word) {
			continue
		}
		name, at, next, found := o.step(i+1, a.last)
		if !found {
			continue
		}
		if !yield(Thing{Kind: ThingName, Path: n.path, Of: kind, Name: name, At: o.at(at)}) {
			return false
		}
		if kind != "module" {
			continue
		}
		out, at, after, found := o.step(next, a.last)
		if found && o.tokens[next].Type == hclsyntax.TokenOBrack { // module.pod["a"].out
			out, at, _, found = o.step(after, a.last)
		}
		if found && !yield(Thing{Kind: ThingName, Path: n.path, Of: "output", Name: name + "." + out, At: o.at(at)}) {
			return false
		}
	}
	return true
}

// step reads .NAME or ["NAME"] at token i.
func (o *File) step(i, last int) (name string, at span, next int, ok bool) {
	switch {
	case i+1 < last && o.tokens[i].Type == hclsyntax.TokenDot && o.tokens[i+1].Type == hclsyntax.TokenIdent:
		at = tokenSpan(o.tokens[i+1])
		return o.slice(at), at, i + 2, true
	case i+4 < last+1 && o.tokens[i].Type == hclsyntax.TokenOBrack && o.tokens[i+1].Type == hclsyntax.TokenOQuote:
		if s, plain := o.plainString(i + 1); plain {
			end := i + 2
			for end < last && o.tokens[end].Type != hclsyntax.TokenCQuote {
				end++
			}
			if end+1 < last && o.tokens[end+1].Type == hclsyntax.TokenCBrack {
				return o.slice(s), s, end + 2, true
			}
		}
	}
	return "", span{}, i, false
}

// modelBlocks maps an attribute with the name of a model to the kind of block that declares such models.
var modelBlocks = map[string]string{"switch.model": "switch_model", "host.nic.model": "nic_model"}

// At returns the thing at an offset.
func (o *File) At(offset int) (Thing, bool) {
	n := o.root
	for {
		if i := slices.IndexFunc(n.blocks, func(b *outlineBlock) bool { return b.header.holds(offset) }); i >= 0 {
			return o.inHeader(n.blocks[i], offset)
		}
		i := slices.IndexFunc(n.blocks, func(b *outlineBlock) bool { return b.body.from >= 0 && b.body.holds(offset) })
		if i < 0 {
			break
		}
		n = n.blocks[i]
	}
	for _, a := range n.attrs {
		switch {
		case a.name.holds(offset):
			if n.path == "locals" {
				return Thing{Kind: ThingName, Path: n.path, Of: "local", Name: a.text, At: o.at(a.name), Decl: true}, true
			}
			return Thing{Kind: ThingAttribute, Path: n.path, Of: o.label(n), Name: a.text, At: o.at(a.name)}, true
		case a.value.holds(offset):
			return o.inValue(n, a, offset)
		}
	}
	return Thing{}, false
}

func (o *File) inHeader(n *outlineBlock, offset int) (Thing, bool) {
	if n.at.holds(offset) {
		return Thing{Kind: ThingBlock, Path: n.path, Name: n.kind, At: o.at(n.at)}, true
	}
	if len(n.labels) == 0 || !n.labels[0].holds(offset) {
		return Thing{}, false
	}
	if n.path == "host.nic" || n.path == "host.bond" {
		return o.inNodeset(o.items(n.labels[0], nodeset.Interfaces, n, true), offset)
	}
	return Thing{Kind: ThingName, Path: n.path, Of: n.kind, Name: o.label(n), At: o.at(n.labels[0]), Decl: true}, true
}

func (o *File) inNodeset(items []naming, offset int) (Thing, bool) {
	for _, nm := range items {
		t := Thing{Path: nm.block.path, Decl: nm.declares}
		switch {
		case nm.iface.from >= 0 && nm.iface.holds(offset) && nm.iface.to > nm.iface.from:
			t.Kind, t.Name, t.At = ThingInterfaces, o.slice(nm.iface), o.at(nm.iface)
			if nm.device.from >= 0 {
				t.Of = o.slice(nm.device)
			}
		case !nm.inherited && nm.device.from >= 0 && nm.device.holds(offset) && nm.device.to > nm.device.from:
			t.Kind, t.Name, t.At = ThingDevices, o.slice(nm.device), o.at(nm.device)
		default:
			continue
		}
		return t, true
	}
	return Thing{}, false
}

func (o *File) inValue(n *outlineBlock, a *attribute, offset int) (Thing, bool) {
	for t := range o.refsOfBlock(n, a) {
		if (span{t.At.Start.Byte, t.At.End.Byte}).holds(offset) {
			return t, true
		}
	}
	doc, _ := blockDocs().attr(n.path, a.text)
	for i := a.first; i < a.last; i++ {
		t := o.tokens[i]
		if t.Type == hclsyntax.TokenOQuote {
			s, plain := o.plainString(i)
			if !s.holds(offset) || !plain && nodesetKind(doc) == 0 {
				continue
			}
			switch of := modelBlocks[n.path+"."+a.text]; {
			case nodesetKind(doc) != 0:
				return o.inNodeset(o.itemsAt(i, nodesetKind(doc), n, a.text == "names" && declaresDevices(n)), offset)
			case of != "":
				return Thing{Kind: ThingName, Path: n.path, Of: of, Name: o.slice(s), At: o.at(s)}, true
			default:
				return Thing{Kind: ThingValue, Path: n.path, Of: a.text, Name: o.slice(s), At: o.at(s)}, true
			}
		}
		if t.Type != hclsyntax.TokenIdent || !tokenSpan(t).holds(offset) {
			continue
		}
		word := string(t.Bytes)
		if i+1 < a.last && o.tokens[i+1].Type == hclsyntax.TokenOParen && o.tokens[i-1].Type != hclsyntax.TokenDot {
			return Thing{Kind: ThingFunction, Path: n.path, Name: word, At: o.at(tokenSpan(t))}, true
		}
		first := i
		for first-2 >= a.first && o.tokens[first-1].Type == hclsyntax.TokenDot && o.tokens[first-2].Type == hclsyntax.TokenIdent {
			first -= 2
		}
		switch root := string(o.tokens[first].Bytes); root {
		case "self", "each":
			last := i
			if first == i && i+2 < a.last && o.tokens[i+1].Type == hclsyntax.TokenDot && o.tokens[i+2].Type == hclsyntax.TokenIdent {
				last = i + 2
			}
			if last == first+2 {
				return Thing{
					Kind: ThingInstance, Path: n.path, Of: root, Name: string(o.tokens[last].Bytes),
					At: o.at(span{o.tokens[first].Range.Start.Byte, o.tokens[last].Range.End.Byte}),
				}, true
			}
		default:
			if _, ok := refKinds[root]; ok && first == i { // the first word of a reference stands for the reference
				for r := range o.refsOfBlock(n, a) {
					if r.At.Start.Byte > t.Range.Start.Byte {
						return r, true
					}
				}
			}
		}
		return Thing{}, false
	}
	return Thing{}, false
}

func (o *File) refsOfBlock(n *outlineBlock, a *attribute) iter.Seq[Thing] {
	return func(yield func(Thing) bool) { o.refsOf(n, a, yield) }
}

// Statement finds the attribute, or the header of a block, that contains an offset. It returns its start and the spaces before it on
// its line. ok is false if the line has other text before it.
func (o *File) Statement(offset int) (start int, indent string, ok bool) {
	n := o.blockAt(offset)
	start = -1
	for _, a := range n.attrs {
		if a.name.from <= offset && offset <= a.value.to {
			start = a.name.from
		}
	}
	for _, b := range n.blocks {
		if b.header.holds(offset) {
			start = b.header.from
		}
	}
	if start < 0 {
		return 0, "", false
	}
	indent = string(o.src[o.lineStart(start):start])
	return start, indent, strings.Trim(indent, " \t") == ""
}
