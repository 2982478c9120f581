// Package outline answers the questions of an editor about a [Workspace], whose files may have syntax errors: blocks, attributes and
// references with their places, the words that are possible at a place, and the meaning of a name in the files of a fabric.
package outline

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// File is the outline of one file for an editor: its blocks and attributes with their places, and the names in it. It can be made of
// any text, since a file usually has syntax errors while a person types. It evaluates nothing. A File does not change; many goroutines
// may read it.
//
// Offsets are bytes of the text. Columns of its ranges count characters.
type File struct {
	name   string
	src    []byte
	lines  []int // the start of each line
	tokens hclsyntax.Tokens
	root   *outlineBlock
}

// outlineBlock is a block, or the file.
type outlineBlock struct {
	kind   string // "switch"; "" for the file
	path   string // "host.nic"; "" for the file
	parent *outlineBlock
	labels []span
	attrs  []*attribute
	blocks []*outlineBlock

	at         span // the kind
	header     span // kind and labels
	whole      span // header to closing brace
	body       span // between the braces; from is -1 if there is no opening brace
	nameTokens int  // index of the token of the kind
}

// attribute is NAME = VALUE.
type attribute struct {
	block *outlineBlock
	name  span
	text  string
	value span // from after the equals sign to the end of the value, or to the end of the line if there is no value
	first int  // index of the first token of the value
	last  int  // index after the last token
}

// span is a range of bytes of the file.
type span struct{ from, to int }

// holds reports whether an offset is in the span or at one of its ends.
func (s span) holds(offset int) bool { return s.from <= offset && offset <= s.to }

// deepest is the most levels of blocks that are read; the language needs three.
const deepest = 16

// New reads a file. The File is empty if the text is over the limits of package parse or is not UTF-8.
func New(name string, src []byte) *File {
	o := &File{name: name, src: src, lines: []int{0}}
	for i, c := range src {
		if c == '\n' {
			o.lines = append(o.lines, i+1)
		}
	}
	o.root = &outlineBlock{body: span{0, len(src)}, whole: span{0, len(src)}}
	var ds diag.List
	if len(src) <= parse.MaxFile && parse.CheckText(name, src, &ds) {
		o.lex()
		o.build()
	}
	return o
}

// Name returns the name of the file, as in its ranges.
func (o *File) Name() string { return o.name }

// Text returns the text of which the outline was made.
func (o *File) Text() []byte { return o.src }

// Has reports whether the file has a block of a kind at its top.
func (o *File) Has(kind string) bool {
	return slices.ContainsFunc(o.root.blocks, func(n *outlineBlock) bool { return n.kind == kind })
}

// lineStart returns the start of the line of an offset.
func (o *File) lineStart(offset int) int { return o.lines[o.line(offset)] }

// line returns the index of the line of an offset.
func (o *File) line(offset int) int { return sort.SearchInts(o.lines, offset+1) - 1 }

func (o *File) at(s span) diag.Range {
	return diag.Range{Filename: o.name, Start: o.pos(s.from), End: o.pos(s.to)}
}

func (o *File) pos(offset int) hcl.Pos {
	offset = min(max(offset, 0), len(o.src))
	line := o.line(offset)
	return hcl.Pos{Line: line + 1, Column: utf8.RuneCount(o.src[o.lines[line]:offset]) + 1, Byte: offset}
}

func (o *File) slice(s span) string { return string(o.src[s.from:s.to]) }

// lex cuts the text into tokens. After a missing quote the lexer would exchange text and strings. So lex ends the string at the end of
// its line, and starts the lexer again on the next line.
func (o *File) lex() {
	const most = 16 // missing quotes; for each, the rest of the file is lexed again
	from := hcl.InitialPos
	for range most {
		tokens, _ := hclsyntax.LexConfig(o.src[from.Byte:], o.name, from)
		end, open := unclosed(tokens)
		if end < 0 {
			o.tokens = append(o.tokens, tokens...)
			return
		}
		at := tokens[end].Range.Start
		o.tokens = append(o.tokens, tokens[:end]...)
		for _, t := range slices.Backward(open) { // the open brackets and strings end here
			o.tokens = append(o.tokens, hclsyntax.Token{Type: closer[t], Range: diag.Range{Filename: o.name, Start: at, End: at}})
		}
		from = at
	}
	o.tokens = append(o.tokens, hclsyntax.Token{Type: hclsyntax.TokenEOF, Range: o.at(span{len(o.src), len(o.src)})})
}

// closer maps a token that opens something to the token that closes it.
var closer = map[hclsyntax.TokenType]hclsyntax.TokenType{
	hclsyntax.TokenOQuote: hclsyntax.TokenCQuote, hclsyntax.TokenOHeredoc: hclsyntax.TokenCHeredoc,
	hclsyntax.TokenTemplateInterp: hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenTemplateControl: hclsyntax.TokenTemplateSeqEnd,
	hclsyntax.TokenOBrace: hclsyntax.TokenCBrace, hclsyntax.TokenOBrack: hclsyntax.TokenCBrack, hclsyntax.TokenOParen: hclsyntax.TokenCParen,
}

// unclosed returns the token at the end of the line on which a quote is missing, and the tokens that are open there, from the quote on.
// It returns -1 if no quote is missing.
func unclosed(tokens hclsyntax.Tokens) (end int, open []hclsyntax.TokenType) {
	early := -1 // the first line end directly inside of "${ ... }": legal, but rarely meant
	var earlyOpen []hclsyntax.TokenType
	quote := func() []hclsyntax.TokenType {
		return slices.Clone(open[slices.Index(open, hclsyntax.TokenOQuote):])
	}
	for i, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl,
			hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
			open = append(open, t.Type)
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd,
			hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen:
			if n := len(open); n > 0 && closer[open[n-1]] == t.Type {
				open = open[:n-1]
				if !slices.Contains(open, hclsyntax.TokenOQuote) {
					early = -1 // the string was closed, so the line end was meant
				}
			}
		case hclsyntax.TokenNewline:
			if n := len(open); early < 0 && n > 0 && (open[n-1] == hclsyntax.TokenTemplateInterp || open[n-1] == hclsyntax.TokenTemplateControl) &&
				slices.Contains(open, hclsyntax.TokenOQuote) {
				early, earlyOpen = i, quote()
			}
		case hclsyntax.TokenQuotedNewline:
			if early >= 0 {
				return early, earlyOpen
			}
			if !slices.Contains(open, hclsyntax.TokenOQuote) {
				continue
			}
			return i, quote()
		}
	}
	return early, earlyOpen
}

// build makes the tree of blocks.
func (o *File) build() {
	cur, depth, skipped := o.root, 0, 0
	for i := 0; i < len(o.tokens); {
		t := o.tokens[i]
		switch t.Type {
		case hclsyntax.TokenCBrace:
			i++
			if skipped > 0 {
				skipped--
			} else if cur != o.root {
				cur.body.to, cur.whole.to = t.Range.Start.Byte, t.Range.End.Byte
				cur = cur.parent
				depth--
			}
		case hclsyntax.TokenIdent:
			if cur != o.root && o.startsTop(i) && !isChild(cur.path, string(t.Bytes)) { // the blocks before it were not closed
				for ; cur != o.root; cur = cur.parent {
					cur.body.to, cur.whole.to = t.Range.Start.Byte, t.Range.Start.Byte
				}
				depth, skipped = 0, 0
			}
			if o.tokens[i+1].Type == hclsyntax.TokenEqual {
				i = o.readAttribute(cur, i)
				continue
			}
			n, next := o.readHeader(cur, i)
			i = next
			if n.body.from < 0 {
				if n.kind != "" {
					cur.blocks = append(cur.blocks, n)
				}
				continue
			}
			if depth == deepest {
				skipped++
				continue
			}
			cur.blocks = append(cur.blocks, n)
			cur = n
			depth++
		default:
			i++
		}
	}
	for ; cur != o.root; cur = cur.parent {
		cur.body.to, cur.whole.to = len(o.src), len(o.src)
	}
}

// startsTop reports whether token i begins a block of the top of a file, at the beginning of a line.
func (o *File) startsTop(i int) bool {
	t := o.tokens[i]
	if t.Type != hclsyntax.TokenIdent || i+1 == len(o.tokens) {
		return false
	}
	if at := t.Range.Start.Byte; at > 0 && o.src[at-1] != '\n' {
		return false
	}
	switch o.tokens[i+1].Type {
	case hclsyntax.TokenOQuote, hclsyntax.TokenOBrace:
		_, ok := blockDocs().find(string(t.Bytes))
		return ok
	}
	return false
}

// readAttribute reads NAME = VALUE at token i and returns the token after it.
func (o *File) readAttribute(in *outlineBlock, i int) int {
	name := o.tokens[i]
	a := &attribute{block: in, text: string(name.Bytes), name: tokenSpan(name), first: i + 2}
	from := o.tokens[i+1].Range.End.Byte
	var open []hclsyntax.TokenType
	j := i + 2
value:
	for ; j < len(o.tokens); j++ {
		t := o.tokens[j]
		switch t.Type {
		case hclsyntax.TokenEOF:
			break value
		case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl,
			hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
			open = append(open, t.Type)
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenCBrack, hclsyntax.TokenCParen:
			if n := len(open); n > 0 && closer[open[n-1]] == t.Type {
				open = open[:n-1]
			}
		case hclsyntax.TokenCBrace:
			k := lastIndex(open, hclsyntax.TokenOBrace)
			if k < 0 {
				break value // the closing brace of the block
			}
			open = open[:k]
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
			if !bytes.HasSuffix(t.Bytes, []byte("\n")) {
				continue
			}
			if len(open) == 0 || o.startsTop(j+1) || o.startsAttribute(j+1) && open[len(open)-1] != hclsyntax.TokenOBrace {
				break value // a bracket is missing
			}
		}
	}
	end := from
	for k := j - 1; k > i+1; k-- {
		if t := o.tokens[k].Type; t != hclsyntax.TokenNewline && t != hclsyntax.TokenComment {
			end = o.tokens[k].Range.End.Byte
			break
		}
	}
	a.value, a.last = span{from, end}, j
	in.attrs = append(in.attrs, a)
	return j
}

func lastIndex(open []hclsyntax.TokenType, t hclsyntax.TokenType) int {
	for i, x := range slices.Backward(open) {
		if x == t {
			return i
		}
	}
	return -1
}

// startsAttribute reports whether NAME = begins at token i.
func (o *File) startsAttribute(i int) bool {
	return i+1 < len(o.tokens) && o.tokens[i].Type == hclsyntax.TokenIdent && o.tokens[i+1].Type == hclsyntax.TokenEqual
}

// readHeader reads KIND "LABEL" { at token i and returns the token after it. Without a brace, the body of the node starts at -1. For a
// word alone, the kind is empty.
func (o *File) readHeader(in *outlineBlock, i int) (*outlineBlock, int) {
	t := o.tokens[i]
	n := &outlineBlock{kind: string(t.Bytes), parent: in, at: tokenSpan(t), header: tokenSpan(t), body: span{-1, -1}, nameTokens: i}
	n.path = n.kind
	if in.path != "" {
		n.path = in.path + "." + n.kind
	}
	j := i + 1
	for ; j < len(o.tokens); j++ {
		switch t := o.tokens[j]; t.Type {
		case hclsyntax.TokenOQuote:
			from := t.Range.End.Byte
			for o.tokens[j].Type != hclsyntax.TokenCQuote && o.tokens[j].Type != hclsyntax.TokenEOF {
				j++
			}
			n.labels = append(n.labels, span{from, o.tokens[j].Range.Start.Byte})
			n.header.to = o.tokens[j].Range.End.Byte
			continue
		case hclsyntax.TokenIdent:
			n.labels = append(n.labels, tokenSpan(t))
			n.header.to = t.Range.End.Byte
			continue
		case hclsyntax.TokenOBrace:
			n.body.from = t.Range.End.Byte
			j++
		}
		break
	}
	n.whole = n.header
	if n.body.from < 0 && len(n.labels) == 0 {
		n.kind = "" // a word alone: the beginning of an attribute or a block
	}
	return n, j
}

func tokenSpan(t hclsyntax.Token) span { return span{t.Range.Start.Byte, t.Range.End.Byte} }

// label returns the first label of a block, or "".
func (o *File) label(n *outlineBlock) string {
	if len(n.labels) == 0 {
		return ""
	}
	return o.slice(n.labels[0])
}

// labelOr returns the place of the label, or of the kind if the block has no label.
func (n *outlineBlock) labelOr() span {
	if len(n.labels) > 0 {
		return n.labels[0]
	}
	return n.at
}

// find returns the attribute of the block with a name.
func (n *outlineBlock) find(name string) *attribute {
	for _, a := range n.attrs {
		if a.text == name {
			return a
		}
	}
	return nil
}

// walk calls f for every block of the file, outer ones first.
func (n *outlineBlock) walk(f func(*outlineBlock)) {
	for _, b := range n.blocks {
		f(b)
		b.walk(f)
	}
}

// blockAt returns the innermost block whose body contains an offset.
func (o *File) blockAt(offset int) *outlineBlock {
	n := o.root
	for {
		i := slices.IndexFunc(n.blocks, func(b *outlineBlock) bool { return b.body.from >= 0 && b.body.holds(offset) })
		if i < 0 {
			return n
		}
		n = n.blocks[i]
	}
}

// blockTable has the blocks of the language by their paths.
type blockTable struct {
	byPath map[string]lang.BlockDoc
	all    []lang.BlockDoc
}

var blockDocs = sync.OnceValue(func() *blockTable {
	m := &blockTable{byPath: map[string]lang.BlockDoc{}, all: lang.Blocks()}
	for _, d := range m.all {
		m.byPath[d.Path] = d
	}
	return m
})

func (m *blockTable) find(path string) (lang.BlockDoc, bool) {
	d, ok := m.byPath[path]
	return d, ok
}

// children returns the blocks that the block with a path may contain; the path "" is the file.
func (m *blockTable) children(path string) (out []lang.BlockDoc) {
	for _, d := range m.all {
		parent := ""
		if i := strings.LastIndexByte(d.Path, '.'); i >= 0 {
			parent = d.Path[:i]
		}
		if parent == path {
			out = append(out, d)
		}
	}
	return out
}

func (m *blockTable) attr(path, name string) (lang.AttrDoc, bool) {
	for _, a := range m.byPath[path].Attrs {
		if a.Name == name {
			return a, true
		}
	}
	return lang.AttrDoc{}, false
}

func isChild(path, kind string) bool {
	_, ok := blockDocs().find(path + "." + kind)
	return ok
}
