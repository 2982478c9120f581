package langtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Woven is a fabric made of an excerpt and a background.
type Woven struct {
	text strings.Builder
	ours []piece // the parts of the text that are from the excerpt, in order
}

// piece is a part of the text that is from the excerpt.
type piece struct{ at, length int }

// String returns the text of the fabric.
func (w *Woven) String() string { return w.text.String() }

// Line returns the line of the excerpt, from 1, for an offset of the text; 0 if the background has the line.
func (w *Woven) Line(at int) int {
	line := 1
	for _, p := range w.ours {
		if p.at <= at && at < p.at+p.length {
			return line + strings.Count(w.String()[p.at:at], "\n")
		}
		line += strings.Count(w.String()[p.at:p.at+p.length], "\n")
	}
	return 0
}

// own writes the next part, which is from the excerpt.
func (w *Woven) own(text string) {
	w.ours = append(w.ours, piece{w.text.Len(), len(text)})
	w.text.WriteString(text)
}

// Weave completes an excerpt of a fabric from a sound fabric, its background:
//
//   - Two blocks are the same if their kinds and labels are equal. The excerpt has precedence. Missing attributes and blocks are added
//     from the background. Inner blocks are added only if the excerpt's block has no block of their kind.
//   - A block that the background does not have is not changed, with one exception: a switch, roce or nic block with a new name gets
//     missing required attributes from the first block of its kind.
//   - "# no NAME" in a block of the excerpt leaves out the attribute or inner block NAME of the background. "# no KIND.LABEL" outside of
//     blocks leaves out a block. The further arguments do the same.
//
// If the excerpt cannot be read, the result is the unchanged excerpt and the background.
func Weave(excerpt, background string, without ...string) (*Woven, error) {
	g, ok := parseHCL(background)
	if !ok {
		return nil, fmt.Errorf("the background cannot be read:\n%s", background)
	}
	w := &Woven{}
	e, ok := parseHCL(excerpt)
	if !ok {
		w.own(excerpt)
		e.body = &hclsyntax.Body{}
	} else {
		w.body(e, e.body, g, g.body, 0, len(excerpt))
		without = slices.Concat(without, e.leftOut())
	}
	w.text.WriteString("\n")
	for _, b := range g.body.Blocks {
		if !slices.ContainsFunc(e.body.Blocks, func(o *hclsyntax.Block) bool { return sameBlock(o, b) }) &&
			!slices.Contains(without, strings.Join(append([]string{b.Type}, b.Labels...), ".")) {
			w.text.WriteString("\n" + g.slice(b.Range().Start.Byte, b.CloseBraceRange.End.Byte) + "\n")
		}
	}
	return w, nil
}

type parsed struct {
	src  string
	body *hclsyntax.Body
}

// parseHCL reads a text; ok is false if it cannot be read.
func parseHCL(text string) (p parsed, ok bool) {
	f, ds := hclsyntax.ParseConfig([]byte(text), "x", hcl.InitialPos)
	if ds.HasErrors() {
		return parsed{src: text}, false
	}
	return parsed{text, f.Body.(*hclsyntax.Body)}, true
}

func (p parsed) slice(from, to int) string { return p.src[from:to] }

// sameBlock reports whether two blocks have the same kind and labels. It returns false for blocks without a label that may be repeated.
func sameBlock(a, b *hclsyntax.Block) bool {
	return a.Type == b.Type && a.Type != "traffic_class" && a.Type != "validation" && slices.Equal(a.Labels, b.Labels)
}

// needed has the attributes that a block with a new name copies from the first block of its kind.
var needed = map[string][]string{
	"switch": {"model", "version"},
	"roce":   {"version", "cos_group", "members"},
	"nic":    {"model"},
}

var leftOut = regexp.MustCompile(`\bno ([a-z0-9_]+(?:\.[A-Za-z0-9_.-]+)?)`)

// leftOutBy returns the names that comments in some lines leave out. It ignores comments with wanted messages.
func leftOutBy(lines string) []string {
	var names []string
	for line := range strings.Lines(lines) {
		if _, comment, ok := strings.Cut(line, "#"); ok {
			comment, _, _ = strings.Cut(comment, `want "`)
			for _, m := range leftOut.FindAllStringSubmatch(comment, -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// leftOut returns the blocks that comments outside of blocks leave out.
func (p parsed) leftOut() []string {
	var outside strings.Builder
	from := 0
	for _, b := range p.body.Blocks {
		outside.WriteString(p.slice(from, b.TypeRange.Start.Byte))
		from = b.CloseBraceRange.End.Byte
	}
	outside.WriteString(p.src[from:])
	return leftOutBy(outside.String())
}

// body writes the part of an excerpt between two offsets, and adds the missing attributes and blocks of the blocks in it.
func (w *Woven) body(e parsed, body *hclsyntax.Body, g parsed, ground *hclsyntax.Body, from, to int) {
	for _, b := range body.Blocks {
		w.own(e.slice(from, b.TypeRange.Start.Byte))
		w.block(e, b, g, ground)
		from = b.CloseBraceRange.End.Byte
	}
	w.own(e.slice(from, to))
}

func (w *Woven) block(e parsed, b *hclsyntax.Block, g parsed, ground *hclsyntax.Body) {
	open, end := b.OpenBraceRange.End.Byte, b.CloseBraceRange.Start.Byte
	w.own(e.slice(b.TypeRange.Start.Byte, open))
	if b.OpenBraceRange.Start.Line == b.CloseBraceRange.Start.Line {
		w.text.WriteString("\n")
	}
	like := &hclsyntax.Body{}
	var only []string
	for _, o := range ground.Blocks {
		if sameBlock(o, b) {
			like, only = o.Body, nil
			break
		}
		if o.Type == b.Type && only == nil && needed[b.Type] != nil {
			like, only = o.Body, needed[b.Type]
		}
	}
	w.body(e, b.Body, g, like, open, end)
	w.text.WriteString("\n")

	without := []string{"names"}
	if only == nil {
		without = nil
	}
	rest, _, _ := strings.Cut(e.src[end:], "\n")
	without = append(without, leftOutBy(e.slice(open, end)+rest)...)
	names := make([]string, 0, len(like.Attributes))
	for name := range like.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if b.Body.Attributes[name] == nil && !slices.Contains(without, name) && (only == nil || slices.Contains(only, name)) {
			r := like.Attributes[name].Range()
			w.text.WriteString(g.slice(r.Start.Byte, r.End.Byte) + "\n")
		}
	}
	if only == nil {
		for _, o := range like.Blocks {
			here := slices.ContainsFunc(b.Body.Blocks, func(x *hclsyntax.Block) bool { return x.Type == o.Type })
			if !here && !slices.Contains(without, o.Type) {
				w.text.WriteString(g.slice(o.Range().Start.Byte, o.CloseBraceRange.End.Byte) + "\n")
			}
		}
	}
	w.own(e.slice(end, b.CloseBraceRange.End.Byte))
}
