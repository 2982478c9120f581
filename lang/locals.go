package lang

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// maxLocals bounds the locals of a folder, because the depth of the recursion is the longest chain of dependencies.
const maxLocals = 100_000

// locals declares every attribute of the locals blocks of a folder in a scope, and returns them in the order of the files.
func (in *instance) locals(ds *diag.List) []*eval.Node {
	in.Locals = map[string]*eval.Node{}
	var order []*eval.Node
	for _, b := range in.folder.blocks["locals"] {
		for _, inner := range b.Body.Blocks {
			eval.UnknownBlock.Errorf(ds, inner.TypeRange, "A locals block contains only lines name = value, no blocks. Write %s = { ... }.",
				diag.Cut(inner.Type))
		}
		for _, a := range parse.Attributes(b.Body) {
			if first, ok := in.Locals[a.Name]; ok {
				duplicateName.Errorf(ds, a.NameRange, "There are two locals named %q. Give one another name.", a.Name).
					Note(first.At, "the first one")
				continue
			}
			if len(order) == maxLocals {
				parse.TooLarge.Errorf(ds, a.NameRange, "A folder has more than %s locals. Put values that belong together into one map.",
					diag.Number(maxLocals))
				return order
			}
			n := &eval.Node{Kind: "local", Name: a.Name, At: a.NameRange, Exprs: []hclsyntax.Expression{a.Expr}}
			in.Locals[a.Name] = n
			order = append(order, n)
		}
	}
	return order
}
