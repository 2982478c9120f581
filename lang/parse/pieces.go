package parse

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// PieceSize is the bytes of a file that are parsed at once, if the file can be cut. The tokens of a piece just fit into the lexer's
// list before the list grows in small steps.
const PieceSize = 2 << 10

// parsed is a body of a file, or nil and the reason.
type parsed struct {
	body     *hclsyntax.Body
	silences bool
	ds       diag.List
	known    bool // the cache knows the file, so there is no body
}

// pieces parses a file piece by piece, if it can be cut, and calls use for each body.
func pieces(name string, src []byte, use func(parsed)) {
	var ds diag.List
	if !CheckText(name, src, &ds) {
		use(parsed{ds: ds})
		return
	}
	ends, simple := SimpleShape(src, PieceSize)
	if !simple {
		tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos) // its mistakes come again from the parser
		if !checkTokens(tokens, &ds) {
			use(parsed{ds: ds})
			return
		}
	}
	silences := Silences(src)
	if !simple || silences { // such a comment must be in the same piece as its attribute or block
		ends = []int{len(src)}
	}
	pos := hcl.InitialPos
	for _, end := range ends {
		var ds diag.List
		body := piece(name, src, pos, end, &ds)
		if body == nil && len(ends) > 1 { // a cut between a header and a brace on the next line gives a wrong mistake: parse the whole file
			var whole diag.List
			if b := piece(name, src, hcl.InitialPos, len(src), &whole); b == nil {
				ds = slices.DeleteFunc(whole, func(d *diag.Diagnostic) bool { // reported for earlier pieces
					return d.Code == DuplicateAttribute.Code && d.At.Start.Byte < pos.Byte
				})
			}
			use(parsed{ds: ds})
			return
		}
		use(parsed{body: body, silences: silences, ds: ds})
		pos = hcl.Pos{Line: pos.Line + bytes.Count(src[pos.Byte:end], []byte("\n")), Column: 1, Byte: end}
	}
}

// Body parses one file after the checks of its text and tokens. It returns no body if the file has mistakes other than repeated
// attributes.
func Body(name string, src []byte, ds *diag.List) (*hclsyntax.Body, bool) {
	if !CheckText(name, src, ds) {
		return nil, false
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos) // its mistakes come again from the parser
	if !checkTokens(tokens, ds) {
		return nil, false
	}
	body := piece(name, src, hcl.InitialPos, len(src), ds)
	return body, body != nil
}

// Expression parses the text of an expression, which [CheckText] has accepted. If the text is too large or too deep, refused is true
// and the list has a diagnostic. If the text is not an expression, e is nil and the list is not changed.
func Expression(name string, src []byte, ds *diag.List) (e hclsyntax.Expression, refused bool) {
	tokens, _ := hclsyntax.LexExpression(src, name, hcl.InitialPos)
	if !checkTokens(tokens, ds) {
		return nil, true
	}
	e, hds := hclsyntax.ParseExpression(src, name, hcl.InitialPos)
	if hds.HasErrors() {
		return nil, false
	}
	return e, false
}

// piece parses the bytes of a file between two offsets, which checkTokens has accepted.
func piece(name string, src []byte, from hcl.Pos, end int, ds *diag.List) *hclsyntax.Body {
	file, hds := hclsyntax.ParseConfig(src[from.Byte:end], name, from)
	body, _ := file.Body.(*hclsyntax.Body)
	whole := true
	for _, d := range hds {
		switch {
		case d.Severity != hcl.DiagError:
		case d.Summary == redefined:
			reportRedefined(body, d, src, ds)
		default:
			whole = false
		}
	}
	if !whole {
		tokens, _ := hclsyntax.LexConfig(src[from.Byte:end], name, from)
		reportSyntax(hds, name, src[:end], tokens, ds)
	}
	if !whole || body == nil {
		return nil
	}
	return body
}

// reportRedefined reports an attribute that is set twice, with the place of the first.
func reportRedefined(body *hclsyntax.Body, d *hcl.Diagnostic, src []byte, ds *diag.List) {
	name := string(d.Subject.SliceBytes(src))
	out := DuplicateAttribute.Errorf(ds, *d.Subject, "%q is set twice in one block. Delete one of the two.", name)
	for body != nil {
		var inner *hclsyntax.Body
		for _, b := range body.Blocks {
			if b.Range().Start.Byte <= d.Subject.Start.Byte && d.Subject.Start.Byte < b.CloseBraceRange.End.Byte {
				inner = b.Body
			}
		}
		if inner == nil {
			if a, ok := body.Attributes[name]; ok {
				out.Note(a.NameRange, "set here first")
			}
		}
		body = inner
	}
}

// Silences reports whether a text may have a comment that silences findings, or a wrong spelling of one.
func Silences(text []byte) bool {
	return bytes.Contains(text, []byte("ignore")) && bytes.Contains(text, []byte("ocec")) || bytes.Contains(text, []byte("ROCEC")) ||
		bytes.Contains(text, []byte("Ignore"))
}
