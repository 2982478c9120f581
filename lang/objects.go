package lang

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
)

// readObject returns an object with any keys. want describes it.
func readObject(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List, want string) (cty.Value, eval.Outcome) {
	v, o := d.Value(en, e, ds)
	if o != eval.Good {
		return v, o
	}
	if ty := v.Type(); !ty.IsObjectType() && !ty.IsMapType() {
		d.Wrong(en, e, v, want, ds)
		return v, eval.Failed
	}
	return v, eval.Good
}
