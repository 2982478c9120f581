package lang

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// This file reads attributes whose value is an object, such as a map from DSCP to cos.

// setMapped reads a map such as { 26 = 3 }: from numbers of 0 to most to a cos.
func setMapped(most int, field func(*ByHand) *[]Mapped) func(*decoder, *eval.Env, *ByHand, hclsyntax.Expression, *diag.List) eval.Outcome {
	const want = "an object such as { 26 = 3 }"
	cos := eval.Integer(0, 7)
	return func(d *decoder, en *eval.Env, h *ByHand, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
		v, o := d.Value(en, e, ds)
		if o != eval.Good {
			return o
		}
		if ty := v.Type(); !ty.IsObjectType() && !ty.IsMapType() {
			d.Wrong(en, e, v, want, ds)
			return eval.Failed
		}
		var out []Mapped
		for it := v.ElementIterator(); it.Next(); {
			k, to := it.Element()
			from, err := strconv.Atoi(k.AsString())
			keyExpr, toExpr := parse.Entry(e, k.AsString())
			if err != nil || from < 0 || from > most {
				d.Report(en, keyExpr, &eval.OutOfRange, fmt.Sprintf("%q is not a value of this field. Write a number from 0 to %d, as in { 26 = 3 }.",
					diag.Cut(k.AsString()), most), ds)
				d.Fail(e)
				return eval.Failed
			}
			if to.IsNull() {
				d.Wrong(en, toExpr, to, want, ds)
				d.Fail(e)
				return eval.Failed
			}
			n, p := cos.Read(to)
			if p != nil {
				d.Problem(en, e, eval.Element{V: to, Expr: toExpr}, p, cos.Want, cos.Hint(to), ds)
				return eval.Failed
			}
			out = append(out, Mapped{from, Value[int]{n, e.Range()}})
		}
		sort.Slice(out, func(i, k int) bool { return out[i].From < out[k].From })
		*field(h) = out
		return eval.Good
	}
}

// setColumns reads a map from the names of columns to the headers of a sheet.
func setColumns(d *decoder, en *eval.Env, k *linkBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
	const want = `an object such as { a_device = "Source Device" }`
	v, o := d.Value(en, e, ds)
	if o != eval.Good {
		return o
	}
	if ty := v.Type(); !ty.IsObjectType() && !ty.IsMapType() {
		d.Wrong(en, e, v, want, ds)
		return eval.Failed
	}
	k.columns = map[string]string{}
	for it := v.ElementIterator(); it.Next(); {
		name, header := it.Element()
		nameExpr, headerExpr := parse.Entry(e, name.AsString())
		if known := topology.Columns(); !slices.Contains(known, name.AsString()) {
			d.Report(en, nameExpr, &eval.BadValue, fmt.Sprintf("A sheet has no column %q.%s", diag.Cut(name.AsString()),
				diag.Suggest(name.AsString(), known)), ds)
			d.Fail(e)
			return eval.Failed
		}
		if header.IsNull() || header.Type() != cty.String || strings.TrimSpace(header.AsString()) == "" {
			d.Wrong(en, headerExpr, header, `the header of a column, such as "Source Device"`, ds)
			d.Fail(e)
			return eval.Failed
		}
		k.columns[name.AsString()] = header.AsString()
	}
	return eval.Good
}

// setVFRoCE reads a map such as { 0 = false, 1 = true }: whether RoCE is on, by the number of a virtual function.
func setVFRoCE(d *decoder, en *eval.Env, n *nicBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
	const want = "an object such as { 0 = false }"
	v, o := d.Value(en, e, ds)
	if o != eval.Good {
		return o
	}
	if ty := v.Type(); !ty.IsObjectType() && !ty.IsMapType() {
		d.Wrong(en, e, v, want, ds)
		return eval.Failed
	}
	n.VFRoCE = nil
	for it := v.ElementIterator(); it.Next(); {
		k, on := it.Element()
		vf, p := vfNumber(k.AsString())
		keyExpr, onExpr := parse.Entry(e, k.AsString())
		if p != nil {
			d.Report(en, keyExpr, p.Topic, p.Detail, ds)
			d.Fail(e)
			return eval.Failed
		}
		if on.IsNull() || on.Type() != cty.Bool {
			d.Wrong(en, onExpr, on, eval.Boolean.Want, ds)
			d.Fail(e)
			return eval.Failed
		}
		n.VFRoCE = append(n.VFRoCE, VFRoCE{vf, Value[bool]{on.True(), e.Range()}})
	}
	sortVFs(n.VFRoCE)
	return eval.Good
}

func vfNumber(s string) (int, *eval.Problem) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1023 || strconv.Itoa(n) != s {
		return 0, eval.Problemf(&eval.OutOfRange, "%q is not a number of a virtual function. Write one from 0 to 1023, as in { 0 = false }.",
			diag.Cut(s))
	}
	return n, nil
}

func sortVFs(vfs []VFRoCE) {
	sort.Slice(vfs, func(i, k int) bool { return vfs[i].VF < vfs[k].VF })
}
