package lang

import (
	"fmt"
	"math"
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
	if len(mistakes) > 0 && t.Expr != nil {
		d.Fail(t.Expr)
	}
	if len(mistakes) > 0 || !d.take(set.Len(), t.At(0, len(t.S)), ds) {
		return &nodeset.Set{}, false
	}
	return set, true
}

// bound counts the names of a fabric against the most it may have.
type bound struct {
	most, left int
	used       int              // also what is over the bound
	overflow   *diag.Diagnostic // the bound is passed; worded at the end
	overflowBy int              // names at its place
	uncounted  bool             // instances over the bound, whose names nobody counted
}

// take counts n names against the bound of the fabric. What is over it is counted on, so that the one message can say how many
// the fabric needs.
func (d *decoder) take(n int, at diag.Range, ds *diag.List) bool {
	b := &d.names
	if b.used = min(b.used, math.MaxInt-n) + n; n <= b.left {
		b.left -= n
		return true
	}
	if b.overflow == nil {
		b.overflowBy = n
		b.overflow = tooManyObjects.Errorf(ds, at, "")
	}
	return false
}

// sayOverflow words what is said of a fabric over its bound, when all of its names are counted; ds are all mistakes.
func (d *decoder) sayOverflow(ds diag.List) {
	b := &d.names
	if b.overflow == nil {
		return
	}
	const absurd = 100_000_000 // the memory of no machine holds so many
	needs := diag.Number(b.used)
	if b.uncounted || ds.Count(diag.Error) > 1 { // what has a mistake may name more
		needs = "at least " + needs
	}
	remedy := "Correct the range."
	if b.used < absurd {
		remedy = fmt.Sprintf("Correct the range, or run rocec with --max-objects %d.", b.used)
	}
	b.overflow.Detail = fmt.Sprintf("The fabric names %s things (devices, interfaces, link ends, members), and may name %s; here %s of "+
		"them do not fit. %s", needs, diag.Number(b.most), diag.Number(b.overflowBy), remedy)
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
		d.Report(en, a.Expr, &badForEach, "Expected a set of strings, and this is a set of something else. Write toset([for x in list : "+
			"tostring(x)]).", ds)
		return
	}
	if !d.take(v.LengthInt(), a.Expr.Range(), ds) {
		d.names.uncounted = true
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if ty.IsSetType() {
			key = value
		}
		if key.IsNull() {
			d.Report(en, a.Expr, &badForEach, "The set holds null, which is not a key. Take it out, for example with toset(compact([...])).", ds)
			return
		}
		f(en.ForEach(key, value), key.AsString())
	}
}
