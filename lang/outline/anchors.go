package outline

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Anchors names the places of one file by their content, not by their position, so that a finding keeps its identity after an edit of
// the file. It reads a piece of the file when a place in it is needed. It is not safe for concurrent use.
type Anchors struct {
	name  string
	src   []byte
	ends  []int // ends of the pieces
	from  int   // start of the piece that was read last
	piece *File // the piece that was read last, or nil
	nth   map[*outlineBlock]int
}

// NewAnchors returns the anchors of a file, which may have syntax errors; see [New].
func NewAnchors(name string, src []byte) *Anchors { return newAnchors(name, src, parse.PieceSize) }

func newAnchors(name string, src []byte, size int) *Anchors {
	a := &Anchors{name: name, src: src}
	var simple bool
	if a.ends, simple = parse.SimpleShape(src, size); !simple {
		a.ends = []int{len(src)}
	}
	return a
}

// Name is the name of the file, as in its ranges.
func (a *Anchors) Name() string { return a.name }

// At returns the name of a place. It consists of the headers of the blocks around it, outer blocks first, the attribute, and, for a
// part of a value, the tokens of that part:
//
//	host "gpu" / nic "ens1f0" / traffic_class #2 / tos
//	roce "training" / members: "host . gpu"
//
// A whole value has the name of its attribute, so that the name does not change with the value. Blocks inside a block that have the
// same header are numbered. White space, comments and other changes in the file do not change names. Two places have the same name only
// if they are in one header, are equal parts of one value, such as elements of a list, or are in top-level blocks with the same header.
func (a *Anchors) At(place diag.Range) string {
	at := a.read(place)
	var b strings.Builder
	n := a.piece.root
	for next := n.blockOver(at.from); next != nil; next = n.blockOver(at.from) {
		n = next
		b.WriteString(a.header(n))
		if i := a.nth[n]; i > 1 {
			fmt.Fprintf(&b, " #%d", i)
		}
		b.WriteString(" / ")
	}
	if n != a.piece.root && (n.body.from < 0 || at.from < n.body.from) {
		return b.String() // the header itself
	}
	if attr := n.attributeOver(at.from); attr != nil {
		b.WriteString(attr.text)
		if at.from < attr.value.from || a.piece.isWhole(attr, at) {
			return b.String()
		}
	}
	fmt.Fprintf(&b, ": %q", a.piece.tokensIn(at))
	return b.String()
}

// read reads the piece in which a place begins, and returns the place in the piece.
func (a *Anchors) read(place diag.Range) span {
	i := min(sort.SearchInts(a.ends, place.Start.Byte+1), len(a.ends)-1)
	from := 0
	if i > 0 {
		from = a.ends[i-1]
	}
	if a.piece == nil || a.from != from {
		a.from, a.piece, a.nth = from, New(a.name, a.src[from:a.ends[i]]), map[*outlineBlock]int{}
		a.piece.root.walk(func(n *outlineBlock) {
			seen := map[string]int{}
			for _, b := range n.blocks {
				h := a.header(b)
				seen[h]++
				a.nth[b] = seen[h]
			}
		})
	}
	return span{place.Start.Byte - from, place.End.Byte - from}
}

// header returns the kind and the labels of a block, in one form for all spacing and quoting.
func (a *Anchors) header(n *outlineBlock) string {
	var s strings.Builder
	s.WriteString(n.kind)
	for _, l := range n.labels {
		s.WriteString(fmt.Sprintf(" %q", a.piece.slice(l)))
	}
	return s.String()
}

// blockOver returns the block directly in n around an offset, or nil.
func (n *outlineBlock) blockOver(offset int) *outlineBlock {
	i := sort.Search(len(n.blocks), func(i int) bool { return n.blocks[i].whole.from > offset }) - 1
	if i < 0 || offset >= n.blocks[i].whole.to {
		return nil
	}
	return n.blocks[i]
}

// attributeOver returns the attribute directly in n around an offset, or nil.
func (n *outlineBlock) attributeOver(offset int) *attribute {
	i := sort.Search(len(n.attrs), func(i int) bool { return n.attrs[i].name.from > offset }) - 1
	if i < 0 || offset >= n.attrs[i].value.to {
		return nil
	}
	return n.attrs[i]
}

// isWhole reports whether a span is the value of an attribute, with or without the quotes around it.
func (o *File) isWhole(a *attribute, s span) bool {
	if a.first == a.last {
		return false
	}
	first := o.tokens[a.first].Range
	inner := span{first.Start.Byte, a.value.to}
	if o.tokens[a.first].Type == hclsyntax.TokenOQuote {
		inner = span{first.End.Byte, a.value.to - 1}
	}
	return s.from <= inner.from && s.to >= inner.to
}

// tokensIn returns the tokens of a span, with a space between them.
func (o *File) tokensIn(s span) string {
	var parts []string
	first := sort.Search(len(o.tokens), func(i int) bool { return o.tokens[i].Range.End.Byte > s.from })
	for _, t := range o.tokens[first:] {
		if t.Range.Start.Byte >= s.to {
			break
		}
		if t.Type != hclsyntax.TokenComment && t.Type != hclsyntax.TokenNewline {
			parts = append(parts, o.slice(span{max(t.Range.Start.Byte, s.from), min(t.Range.End.Byte, s.to)}))
		}
	}
	return strings.Join(parts, " ")
}
