package lang

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
)

// What names many things: nodesets, and blocks with for_each.

// expand reads one nodeset, whole and within the bound of the fabric, or reports why not.
func (d *decoder) expand(el eval.Element, kind nodeset.Kind, ds *diag.List) (eval.Text, *nodeset.Set, bool) {
	t := d.Text(el.V.AsString(), el.Expr)
	set, ok := d.expandText(t, kind, ds)
	return t, set, ok
}

// expandText returns the names of t; an empty set after a mistake.
func (d *decoder) expandText(t eval.Text, kind nodeset.Kind, ds *diag.List) (*nodeset.Set, bool) {
	if d.HasFailed(t.Expr) && t.Expr != nil {
		return &nodeset.Set{}, false
	}
	set, mistakes := nodeset.Parse(t.S, kind)
	for _, m := range mistakes {
		topic := &badNodeset
		if m.Name {
			topic = &eval.BadName
		}
		message := m.Message
		if !t.Exact && t.Expr != nil {
			message += fmt.Sprintf(" The string is %q.", diag.Cut(t.S))
		}
		topic.Errorf(ds, t.At(m.From, m.To), "%s", message)
	}
	if len(mistakes) > 0 || !d.take(set.Len(), t.At(0, len(t.S)), ds) {
		if t.Expr != nil {
			d.Fail(t.Expr)
		}
		return &nodeset.Set{}, false
	}
	return set, true
}

// take counts n names against the bound of the fabric.
func (d *decoder) take(n int, at diag.Range, ds *diag.List) bool {
	if n > d.left {
		tooManyObjects.Errorf(ds, at, "This names %d things, and the fabric may name %d all together, of which %d are left. Correct the range, or raise --max-objects.", n, d.most, d.left)
		return false
	}
	d.left -= n
	return true
}

// expandLabel reads the nodeset in the label of b.
func (d *decoder) expandLabel(b *hclsyntax.Block, kind nodeset.Kind, ds *diag.List) ([]nodeset.Name, bool) {
	set, ok := d.expandText(d.Label(b), kind, ds)
	return slices.Collect(set.All()), ok
}

// forEach calls f once for b, or once for each element of its for_each, in order of the keys.
func (d *decoder) forEach(b *hclsyntax.Block, en *eval.Env, f func(en *eval.Env, key string), ds *diag.List) {
	a, ok := b.Body.Attributes["for_each"]
	if !ok {
		f(en, "")
		return
	}
	v, o := d.Value(en, a.Expr, ds)
	if o == eval.Failed {
		return
	}
	ty := v.Type()
	switch {
	case o == eval.Null, !ty.IsObjectType() && !ty.IsMapType() && !ty.IsSetType():
		hint := ""
		if ty.IsTupleType() || ty.IsListType() {
			hint = " Write toset(...) around the list."
		}
		d.Report(en, a.Expr, &badForEach, fmt.Sprintf("Expected a map, an object or a set of strings, not %s.%s", eval.Describe(v), hint), ds)
		return
	case ty.IsSetType() && v.LengthInt() > 0 && ty.ElementType() != cty.String:
		d.Report(en, a.Expr, &badForEach, "Expected a set of strings, and this is a set of something else. Write toset([for x in list : tostring(x)]).", ds)
		return
	}
	if !d.take(v.LengthInt(), a.Expr.Range(), ds) {
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if ty.IsSetType() {
			key = value
		}
		if key.IsNull() {
			d.Report(en, a.Expr, &badForEach, "The set holds null, which is no key. Take it out, for example with toset(compact([...])).", ds)
			return
		}
		f(en.ForEach(key, value), key.AsString())
	}
}
