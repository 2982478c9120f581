package eval

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// references are the references inside expressions that instances share. One walk over an expression finds them, however many instances
// have it.
type references map[hclsyntax.Expression][]hcl.Traversal

// in returns the references inside an expression.
func (r references) in(e hclsyntax.Expression, shared bool) []hcl.Traversal {
	if !shared {
		return e.Variables()
	}
	refs, known := r[e]
	if !known {
		refs = e.Variables()
		r[e] = refs
	}
	return refs
}
