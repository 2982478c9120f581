package parse

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/rocec/rocec/lang/diag"
)

// Attributes returns the attributes of a body in the order of the file.
func Attributes(body *hclsyntax.Body) []*hclsyntax.Attribute {
	out := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *hclsyntax.Attribute) int { return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte })
	return out
}

// Bare returns an expression without the parentheses around it.
func Bare(e hclsyntax.Expression) hclsyntax.Expression {
	for {
		p, ok := e.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expression
	}
}

// Start returns the place at the start of a file, which stands for the whole file.
func Start(name string) diag.Range {
	return diag.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
}

// Header returns the place of a block's kind and labels.
func Header(b *hclsyntax.Block) diag.Range {
	if n := len(b.LabelRanges); n > 0 {
		return hcl.RangeBetween(b.TypeRange, b.LabelRanges[n-1])
	}
	return b.TypeRange
}

// Literal returns the value of a literal directly from the syntax tree.
func Literal(e hclsyntax.Expression) (cty.Value, bool) {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return e.Val, true
	case *hclsyntax.TemplateExpr:
		if len(e.Parts) == 1 {
			if part, ok := e.Parts[0].(*hclsyntax.LiteralValueExpr); ok && part.Val.Type() == cty.String {
				return part.Val, true
			}
		}
	}
	return cty.NilVal, false
}

// Entry returns the key and the value with that key in a literal object. For another expression, or a missing key, it returns the whole
// expression for both.
func Entry(e hclsyntax.Expression, key string) (k, v hclsyntax.Expression) {
	object, ok := Bare(e).(*hclsyntax.ObjectConsExpr)
	if !ok {
		return e, e
	}
	for _, item := range object.Items {
		name, ok := Literal(Key(item.KeyExpr))
		if !ok {
			if word := hcl.ExprAsKeyword(item.KeyExpr); word != key {
				continue
			}
			return item.KeyExpr, item.ValueExpr
		}
		if s, err := convert.Convert(name, cty.String); err == nil && !s.IsNull() && s.AsString() == key {
			return item.KeyExpr, item.ValueExpr
		}
	}
	return e, e
}

// Key returns the expression of a key of an object, without the wrapper of HCL.
func Key(e hclsyntax.Expression) hclsyntax.Expression {
	if k, ok := e.(*hclsyntax.ObjectConsKeyExpr); ok {
		return k.Wrapped
	}
	return e
}

// KeyPlace returns the place of a key in a literal object in e.
func KeyPlace(e hclsyntax.Expression, name string) (at diag.Range, exact bool) {
	switch x := Bare(e).(type) {
	case *hclsyntax.TupleConsExpr:
		for _, el := range x.Exprs {
			if at, exact = KeyPlace(el, name); exact {
				return at, true
			}
		}
	case *hclsyntax.ObjectConsExpr:
		for _, item := range x.Items {
			if hcl.ExprAsKeyword(item.KeyExpr) == name {
				return item.KeyExpr.Range(), true
			}
			if at, exact = KeyPlace(item.ValueExpr, name); exact {
				return at, true
			}
		}
	}
	return diag.Range{}, false
}
