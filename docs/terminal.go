package docs

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/rocec/rocec/lang/diag"
)

// Terminal has the options for laying Markdown out as text.
type Terminal struct {
	Width int // columns of prose and tables; lines of code are not broken
	Color bool
}

// Text lays out a page, title included.
func (t Terminal) Text(p *Page) string { return t.Markdown("# " + p.Title + "\n\n" + p.Body) }

// Plain returns Markdown as plain text, without line breaks within paragraphs.
func Plain(markdown string) string {
	const endless = 1 << 20
	return strings.TrimRight(Terminal{Width: endless}.Markdown(markdown), "\n")
}

// Markdown lays out a text.
func (t Terminal) Markdown(markdown string) string {
	src := []byte(markdown)
	l := &layout{Terminal: t, src: src}
	l.blocks(parse(src), "", "", false)
	return strings.Join(l.lines, "\n") + "\n"
}

// parse reads CommonMark with tables.
func parse(src []byte) ast.Node {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tables{}, 200))...),
	).Parse(text.NewReader(src))
}

// layout is the state while a text is laid out.
type layout struct {
	Terminal
	src   []byte
	lines []string
}

// line writes one line, without spaces at its end.
func (l *layout) line(s string) { l.lines = append(l.lines, strings.TrimRight(s, " ")) }

// blocks lays out the children of a block. The first line begins with lead, the others with hang.
func (l *layout) blocks(n ast.Node, lead, hang string, tight bool) {
	first := true
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindHTMLBlock { // comments, which mark what is generated
			continue
		}
		if !first && (!tight || c.Kind() == ast.KindFencedCodeBlock) {
			l.line(hang)
		}
		l.block(c, lead, hang)
		lead, first = hang, false
	}
	if first {
		l.line(lead)
	}
}

func (l *layout) block(n ast.Node, lead, hang string) {
	switch n := n.(type) {
	case *ast.Heading:
		words := l.inline(n, diag.Bold)
		at := len(l.lines)
		l.wrap(words, lead, hang)
		if under := map[int]string{1: "=", 2: "-"}[n.Level]; under != "" {
			longest := 0
			for _, line := range l.lines[at:] {
				longest = max(longest, columns(line)-len(hang))
			}
			l.line(hang + strings.Repeat(under, longest))
		}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		for i := range n.Lines().Len() {
			at := n.Lines().At(i)
			code := strings.ReplaceAll(strings.TrimRight(string(at.Value(l.src)), "\r\n"), "\t", "    ")
			l.line(hang + "    " + diag.Escape(code))
		}
	case *ast.List:
		number := n.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			mark := "- "
			if n.IsOrdered() {
				mark = fmt.Sprintf("%d. ", number)
				number++
			}
			if item != n.FirstChild() && !n.IsTight {
				l.line(hang)
			}
			l.blocks(item, lead+mark, hang+strings.Repeat(" ", len(mark)), n.IsTight)
			lead = hang
		}
	case *ast.Blockquote:
		l.blocks(n, lead+"| ", hang+"| ", false)
	case *ast.ThematicBreak:
		l.line(lead + strings.Repeat("-", min(max(l.Width-len(lead), 1), 20)))
	case *grid:
		l.table(n, hang)
	default:
		l.wrap(l.inline(n, ""), lead, hang)
	}
}

// word is text that is never broken.
type word struct {
	text    string // painted
	columns int
	glued   bool // no space before it
	ends    bool // the line
}

// wrap breaks words into lines of the width.
func (l *layout) wrap(words []word, lead, hang string) {
	for i, line := range broken(words, max(l.Width-len(hang), 1)) {
		if i > 0 {
			lead = hang
		}
		l.line(lead + line)
	}
}

// broken returns words as lines of at most width columns; a longer word gets its own line.
func broken(words []word, width int) []string {
	lines, used, ended := []string{""}, 0, false
	for i := 0; i < len(words); {
		piece, wide, next := words[i].text, words[i].columns, i+1
		for ; next < len(words) && words[next].glued && !words[next-1].ends; next++ {
			piece += words[next].text
			wide += words[next].columns
		}
		last := len(lines) - 1
		switch {
		case ended, used > 0 && used+1+wide > width:
			lines, used = append(lines, piece), wide
		case used > 0:
			lines[last], used = lines[last]+" "+piece, used+1+wide
		default:
			lines[last], used = lines[last]+piece, wide
		}
		ended, i = words[next-1].ends, next
	}
	return lines
}

// inline returns the text of a block as words, painted in style where the text has no style of its own.
func (l *layout) inline(n ast.Node, style string) []word {
	_, cell := n.(*grid)
	w := &words{color: l.Color, cell: cell}
	l.spans(w, n, style)
	return w.list
}

// words collects the words of a block.
type words struct {
	list  []word
	color bool
	cell  bool // of a table
	space bool // the next text begins a new word
}

// pieces cuts code in a cell where a bar is escaped.
func (w *words) pieces(s string, code bool) []string {
	if w.cell && code {
		return strings.Split(s, `\|`)
	}
	return []string{s}
}

func (w *words) add(s, style string) {
	for i, part := range strings.Split(strings.NewReplacer("\n", " ", "\t", " ").Replace(s), " ") {
		if i > 0 {
			w.space = true
		}
		if part == "" {
			continue
		}
		part = diag.Escape(part)
		painted := diag.Paint(w.color && style != "", style, part)
		w.list = append(w.list, word{text: painted, columns: utf8.RuneCountInString(part), glued: !w.space})
		w.space = false
	}
}

func (w *words) end() {
	if len(w.list) > 0 {
		w.list[len(w.list)-1].ends = true
	}
	w.space = true
}

func (l *layout) spans(w *words, n ast.Node, style string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			for i, piece := range w.pieces(plain(c.Segment.Value(l.src), c.IsRaw()), c.IsRaw()) {
				if i > 0 {
					piece = "|" + piece
				}
				w.add(piece, style)
			}
			switch {
			case c.HardLineBreak():
				w.end()
			case c.SoftLineBreak():
				w.space = true
			}
		case *ast.String:
			w.add(string(c.Value), style)
		case *ast.CodeSpan:
			mark := "`"
			if l.Color {
				mark = ""
			}
			w.add(mark, style)
			l.spans(w, c, diag.Cyan)
			w.add(mark, style)
		case *ast.Emphasis:
			l.spans(w, c, diag.Bold)
		case *ast.AutoLink:
			w.add(string(c.URL(l.src)), style)
		case *ast.Link:
			at := len(w.list)
			l.spans(w, c, style)
			w.add(target(string(c.Destination), w.list[at:]), style)
		case *ast.Image:
			w.add("[picture: ", style)
			l.spans(w, c, style)
			w.add("]", style)
		case *ast.RawHTML:
			if bytes.HasPrefix(c.Segments.Value(l.src), []byte("<br")) {
				w.end()
			}
		default:
			l.spans(w, c, style)
		}
	}
}

// plain returns the text of a span with escapes and entities resolved.
func plain(s []byte, raw bool) string {
	if raw {
		return string(s)
	}
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(s))))
}

// target returns the text to print after a link: its destination, unless that is within the page or equals the text.
func target(to string, words []word) string {
	var said strings.Builder
	for _, w := range words {
		said.WriteString(" " + w.text)
	}
	page, _, _ := strings.Cut(to, "#")
	name := strings.TrimSuffix(path.Base(page), ".md")
	switch {
	case page == "", strings.Contains(said.String(), to):
		return ""
	case strings.Contains(to, "://"):
		return " (" + to + ")"
	case strings.Contains(said.String(), name):
		return ""
	}
	return " (" + page + ")"
}

// columns returns the width of text on the screen, without colour codes.
func columns(s string) int {
	n := 0
	for {
		before, rest, found := strings.Cut(s, "\x1b")
		n += utf8.RuneCountInString(before)
		if !found {
			return n
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}
