package lang

import (
	"fmt"
	"math"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
)

// This file decodes nodesets, and blocks with for_each.

// count reads one nodeset, and counts its names against the bound of the fabric. After a mistake, which it reports, the set is empty.
func (d *decoder) count(el eval.Element, kind nodeset.Kind, ds *diag.List) (named, bool) {
	t := d.Text(el.V.AsString(), el.Expr)
	set, ok := d.countText(t, kind, ds)
	return named{t, set}, ok
}

func (d *decoder) countText(t eval.Text, kind nodeset.Kind, ds *diag.List) (*nodeset.Set, bool) {
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

// bound counts the names of a fabric against their limit.
type bound struct {
	most, left int
	used       int              // names in all, including those over the limit
	overflow   *diag.Diagnostic // the diagnostic of the limit, which gets its message at the end
	overflowBy int              // number of names at the place of the diagnostic
	uncounted  bool             // names in instances over the limit were not counted
}

// take counts n names against the limit of the fabric. It also counts names over the limit, so that the message can state how many the
// fabric needs.
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

// sayOverflow completes the message about a fabric over its limit, after all names are counted. ds is all mistakes.
func (d *decoder) sayOverflow(ds diag.List) {
	b := &d.names
	if b.overflow == nil {
		return
	}
	const absurd = 100_000_000 // more than fits into the memory of any machine
	needs := diag.Number(b.used)
	if b.uncounted || ds.Count(diag.Error) > 1 { // parts with mistakes may have more names
		needs = "at least " + needs
	}
	remedy := "Correct the range."
	if b.used < absurd {
		remedy = fmt.Sprintf("Correct the range, or run rocec with --max-objects %d.", b.used)
	}
	b.overflow.Detail = fmt.Sprintf("The fabric names %s things (devices, interfaces, link ends, members), but the limit is %s. The "+
		"%s at this place exceed it. %s", needs, diag.Number(b.most), diag.Number(b.overflowBy), remedy)
}

// named is one nodeset that is read and counted. Its names are made later.
type named struct {
	eval.Text
	set *nodeset.Set
}

// mostAtOnce is the number of names that are made before all are counted. Most fabrics have fewer, and their blocks are freed at once.
const mostAtOnce = 20_000

// pending makes the names of a block.
type pending struct {
	scope *eval.Scope
	make  func(ds *diag.List)
}

// later makes n counted names: at once in a small fabric, otherwise after all names of the fabric are counted.
func (d *decoder) later(sc *eval.Scope, n int, make func(ds *diag.List), ds *diag.List) {
	switch {
	case d.names.overflow != nil: // a fabric over the limit is not made
		d.pending = nil
	case len(d.pending) == 0 && n <= mostAtOnce-d.made:
		d.made += n
		make(ds)
	default:
		d.pending = append(d.pending, pending{sc, make})
	}
}

// makeNames makes the pending names. The caller has counted all names of the fabric, or of a file that an editor keeps.
func (d *decoder) makeNames(ds *diag.List) {
	for i, p := range d.pending {
		if d.names.overflow != nil || d.Stopped() {
			break
		}
		var found diag.List
		p.make(&found)
		for sc := p.scope; sc.Caller != nil; sc = sc.Parent {
			noteCaller(sc, found)
		}
		*ds = append(*ds, found...)
		d.pending[i] = pending{} // frees its block
	}
	d.pending = nil
}

// instances has the keys and values of for_each.
type instances struct {
	value cty.Value
	ok    bool
}

// length returns the number of bytes of a block.
func length(b *hclsyntax.Block) int {
	at := b.Range()
	return at.End.Byte - at.Start.Byte
}

// forEach calls f once for b, or once for each element of its for_each, in order of the keys.
func (d *decoder) forEach(b *hclsyntax.Block, en *eval.Env, f func(en *eval.Env, key string), ds *diag.List) {
	a, ok := b.Body.Attributes["for_each"]
	if !ok {
		f(en, "")
		return
	}
	all := d.countInstances(b, en, ds)
	if !all.ok {
		return
	}
	for it := all.value.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if all.value.Type().IsSetType() {
			key = value
		}
		if key.IsNull() {
			d.Report(en, a.Expr, &badForEach, "The set contains null, which is not a key. Delete it, for example with toset(compact([...])).", ds)
			return
		}
		if b.Type != "module" && !d.Charge(length(b), a.Expr.Range(), ds) { // a module is charged for elsewhere, with all its blocks
			return
		}
		before := len(*ds)
		f(en.ForEach(key, value), key.AsString())
		if n := len(*ds) - before; n > 0 && !d.Charge(n*mistakeBytes, a.Expr.Range(), ds) {
			return
		}
	}
}

// mistakeBytes is the bytes of text of an instance that cost as much as one mistake in it. Instances mostly repeat a mistake.
const mistakeBytes = 512

// countInstances evaluates the for_each of a block, and counts its instances against the bound of the fabric, once.
func (d *decoder) countInstances(b *hclsyntax.Block, en *eval.Env, ds *diag.List) instances {
	a, ok := b.Body.Attributes["for_each"]
	if !ok {
		return instances{}
	}
	of := indexed{en.Scope, b}
	all, known := d.keys[of]
	if !known {
		all.value, all.ok = d.forEachValue(a.Expr, en, ds)
		d.keys[of] = all
	}
	return all
}

func (d *decoder) forEachValue(e hclsyntax.Expression, en *eval.Env, ds *diag.List) (cty.Value, bool) {
	v, o := d.Value(en, e, ds)
	if o == eval.Failed {
		return v, false
	}
	ty := v.Type()
	switch {
	case o == eval.Null, !ty.IsObjectType() && !ty.IsMapType() && !ty.IsSetType():
		hint := ""
		if ty.IsTupleType() || ty.IsListType() {
			hint = " Write toset(...) around the list."
		}
		d.Report(en, e, &badForEach, fmt.Sprintf("Expected a map, an object or a set of strings, not %s.%s", eval.Describe(v), hint), ds)
		return v, false
	case ty.IsSetType() && v.LengthInt() > 0 && ty.ElementType() != cty.String:
		d.Report(en, e, &badForEach, "Expected a set of strings, but the elements have another type. Write toset([for x in list : "+
			"tostring(x)]).", ds)
		return v, false
	}
	if !d.take(v.LengthInt(), e.Range(), ds) {
		d.names.uncounted = true
		return v, false
	}
	return v, true
}
