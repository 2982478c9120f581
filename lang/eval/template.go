package eval

import (
	"fmt"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// template is a text with computed parts. It has the results of HCL's template, but is faster: HCL makes a cty string of every part,
// and converts a whole number digit by digit through its big float. This language has no marks, so template drops them.
type template struct {
	*hclsyntax.TemplateExpr
}

func (t *template) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	var ds hcl.Diagnostics
	buf := make([]byte, 0, 64)
	known := true
	for _, part := range t.Parts {
		if m, ok := part.(*metered); ok {
			if w, ok := m.whole(ctx); ok {
				if known && !ds.HasErrors() {
					buf = strconv.AppendInt(buf, w.n, 10)
				}
				continue
			}
		}
		v, found := part.Value(ctx)
		ds = append(ds, found...)
		if v.IsNull() {
			ds = append(ds, t.mistake(ctx, part, "The expression result is null. Cannot include a null value in a string template."))
			continue
		}
		if !v.IsKnown() {
			known = false
			continue
		}
		s := v
		if v.Type() != cty.String {
			var err error
			if s, err = convert.Convert(v, cty.String); err != nil {
				ds = append(ds, t.mistake(ctx, part, fmt.Sprintf("Cannot include the given value in a string template: %s.", err)))
				continue
			}
		}
		if known && !ds.HasErrors() {
			buf = append(buf, s.AsString()...)
		}
	}
	if known {
		return cty.StringVal(string(buf)), ds
	}
	out := cty.UnknownVal(cty.String)
	if len(buf) > 0 && !ds.HasErrors() {
		out = out.Refine().StringPrefix(string(buf[:min(len(buf), 128)])).NewValue()
	}
	return out.RefineNotNull(), ds
}

func (t *template) mistake(ctx *hcl.EvalContext, part hclsyntax.Expression, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Invalid template interpolation value", Detail: detail,
		Subject: part.Range().Ptr(), Context: &t.SrcRange, Expression: part, EvalContext: ctx,
	}
}
