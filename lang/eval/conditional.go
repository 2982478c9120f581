package eval

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// choice is a conditional that evaluates only the chosen branch and returns its value unchanged. The conditional of HCL evaluates both
// branches and unifies their types, which needs quadratic time for long tuples.
type choice struct {
	*hclsyntax.ConditionalExpr
}

func (c *choice) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	cond, ds := c.Condition.Value(ctx)
	if ds.HasErrors() {
		return cty.DynamicVal, ds
	}
	if !cond.IsKnown() {
		return cty.DynamicVal, ds
	}
	if cond.IsNull() || cond.Type() != cty.Bool {
		return cty.DynamicVal, append(ds, &hcl.Diagnostic{
			Severity: hcl.DiagError,
			Summary:  "Incorrect condition type",
			Detail:   "The condition before ? must be true or false.",
			Subject:  c.Condition.Range().Ptr(),
		})
	}
	if cond.True() {
		return c.TrueResult.Value(ctx)
	}
	return c.FalseResult.Value(ctx)
}
