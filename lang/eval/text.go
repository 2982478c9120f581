package eval

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Text is a string of a fabric, from which places inside it are computed.
type Text struct {
	S     string
	Expr  hclsyntax.Expression // nil: the string is a label
	Base  diag.Range           // place of the bytes of S, if Exact; otherwise of the whole expression
	Exact bool                 // Base covers exactly the bytes of S, on one line
}

// At returns the place of S[from:to]. If the string was computed or contains escapes, it returns the place of the whole expression.
func (t Text) At(from, to int) diag.Range {
	if !t.Exact || from > to || to > len(t.S) {
		return t.Base
	}
	r := t.Base
	r.Start.Byte, r.End.Byte = t.Base.Start.Byte+from, t.Base.Start.Byte+to
	r.Start.Column, r.End.Column = t.Base.Start.Column+from, t.Base.Start.Column+to
	return r
}

// Text returns the string s of e with its place.
func (ev *Evaluator) Text(s string, e hclsyntax.Expression) Text {
	t := Text{S: s, Expr: e, Base: e.Range()}
	tmpl, ok := parse.Bare(e).(*hclsyntax.TemplateExpr)
	if !ok || len(tmpl.Parts) != 1 {
		return t
	}
	part, ok := tmpl.Parts[0].(*hclsyntax.LiteralValueExpr)
	if !ok {
		return t
	}
	src := ev.Files[part.SrcRange.Filename]
	if string(part.SrcRange.SliceBytes(src)) == s && ascii(s) { // only in ASCII text are columns bytes
		t.Base, t.Exact = part.SrcRange, true
	}
	return t
}

// Label returns the label of b; places inside it are exact unless it contains escapes.
func (ev *Evaluator) Label(b *hclsyntax.Block) Text {
	t := Text{S: b.Labels[0], Base: b.LabelRanges[0]}
	quoted := t.Base.SliceBytes(ev.Files[t.Base.Filename])
	if string(quoted) == `"`+t.S+`"` && ascii(t.S) {
		t.Base.Start.Byte++
		t.Base.Start.Column++
		t.Base.End.Byte--
		t.Base.End.Column--
		t.Exact = true
	}
	return t
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
