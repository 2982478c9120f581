package lang

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// Intents, and what the lists of their members mean.

// roce decodes an intent, for one key of its for_each.
func (d *decoder) roce(b *hclsyntax.Block, en *eval.Env, key string, ds *diag.List) *Roce {
	r := compile(d, &roceSchema, b, en, &roceBlock{Roce: Roce{Name: instanceName(b, key, en), Decl: parse.Header(b)}}, ds).proto
	for _, el := range r.members {
		d.members(&r.Roce, el, en, ds)
	}
	return &r.Roce
}

// members adds what one element of members means; lists inside the list count as their elements.
func (d *decoder) members(r *Roce, el eval.Element, en *eval.Env, ds *diag.List) {
	switch ty := el.V.Type(); {
	case el.V.IsNull():
		d.Wrong(en, el.Expr, el.V, membersWant, ds)
	case ty == eval.RefTypes["host"]:
		r.Members = append(r.Members, Member{Group: el.V.EncapsulatedValue().(*eval.BlockRef).Name, At: el.Expr.Range()})
	case ty == cty.String:
		t, set, _ := d.expand(el, nodeset.Members, ds)
		for n := range set.All() {
			r.Members = append(r.Members, Member{Host: n.Device, NIC: n.Interface, At: t.At(n.From, n.To)})
		}
	case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
		for it := el.V.ElementIterator(); it.Next(); {
			_, inner := it.Element()
			d.members(r, eval.Element{V: inner, Expr: el.Expr}, en, ds)
		}
	default:
		d.Wrong(en, el.Expr, el.V, membersWant, ds)
	}
}
