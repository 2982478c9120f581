package lang

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// This file decodes intents and the lists of their members.

// roce decodes an intent for one key of its for_each.
func (d *decoder) roce(b *hclsyntax.Block, en *eval.Env, key string, ds *diag.List) *Roce {
	r := compile(d, &roceSchema, b, en, &roceBlock{Roce: Roce{Name: instanceName(b, key, en), Decl: parse.Header(b)}}, ds).proto
	var found []member
	n := 0
	for _, el := range r.members {
		found = d.members(found, el, en, ds)
	}
	for _, m := range found {
		n += m.set.Len()
	}
	d.later(en.Scope, n, func(*diag.List) {
		for _, m := range found {
			if m.group != "" {
				r.Members = append(r.Members, Member{Group: m.group, At: m.Base})
			}
			for n := range m.set.All() {
				r.Members = append(r.Members, Member{Host: n.Device, NIC: n.Interface, At: m.At(n.From, n.To)})
			}
		}
	}, ds)
	return &r.Roce
}

// member is one element of members: a group of hosts, or a nodeset.
type member struct {
	named
	group string
}

// members appends the members that one element of the list selects. It flattens lists inside the list.
func (d *decoder) members(found []member, el eval.Element, en *eval.Env, ds *diag.List) []member {
	switch ty := el.V.Type(); {
	case el.V.IsNull():
		d.Wrong(en, el.Expr, el.V, membersWant, ds)
	case ty == eval.RefTypes["host"]:
		group := el.V.EncapsulatedValue().(*eval.BlockRef).Name
		return append(found, member{named{eval.Text{Base: el.Expr.Range()}, &nodeset.Set{}}, group})
	case ty == cty.String:
		names, _ := d.count(el, nodeset.Members, ds)
		return append(found, member{names, ""})
	case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
		for it := el.V.ElementIterator(); it.Next(); {
			_, inner := it.Element()
			found = d.members(found, eval.Element{V: inner, Expr: el.Expr}, en, ds)
		}
	default:
		d.Wrong(en, el.Expr, el.V, membersWant, ds)
	}
	return found
}
