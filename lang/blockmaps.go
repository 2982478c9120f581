package lang

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// This file reads attributes whose value is an object, such as a map from DSCP to cos.

// readDSCPMap reads a map from DSCP to cos.
func readDSCPMap(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) ([]Mapped, eval.Outcome) {
	return readMapped(63)(d, en, e, ds)
}

// readPCPMap reads a map from PCP to cos.
func readPCPMap(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) ([]Mapped, eval.Outcome) {
	return readMapped(7)(d, en, e, ds)
}

// readMapped reads a map such as { 26 = 3 }: from numbers of 0 to most to a cos.
func readMapped(most int) reader[[]Mapped] {
	const want = "an object such as { 26 = 3 }"
	cos := eval.Integer(0, 7)
	return func(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) ([]Mapped, eval.Outcome) {
		v, o := readObject(d, en, e, ds, want)
		if o != eval.Good {
			return nil, o
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
				return nil, eval.Failed
			}
			if to.IsNull() {
				d.Wrong(en, toExpr, to, want, ds)
				d.Fail(e)
				return nil, eval.Failed
			}
			n, p := cos.Read(to)
			if p != nil {
				d.Problem(en, e, eval.Element{V: to, Expr: toExpr}, p, cos.Want, cos.Hint(to), ds)
				return nil, eval.Failed
			}
			out = append(out, Mapped{from, Value[int]{n, e.Range()}})
		}
		sort.Slice(out, func(i, k int) bool { return out[i].From < out[k].From })
		return out, eval.Good
	}
}

// readVFRoCE reads a map such as { 0 = false, 1 = true }: whether RoCE is on, by the number of a virtual function.
func readVFRoCE(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) (vfs []VFRoCE, _ eval.Outcome) {
	const want = "an object such as { 0 = false }"
	v, o := readObject(d, en, e, ds, want)
	if o != eval.Good {
		return nil, o
	}
	for it := v.ElementIterator(); it.Next(); {
		k, on := it.Element()
		vf, p := vfNumber(k.AsString())
		keyExpr, onExpr := parse.Entry(e, k.AsString())
		if p != nil {
			d.Report(en, keyExpr, p.Topic, p.Detail, ds)
			d.Fail(e)
			return nil, eval.Failed
		}
		if on.IsNull() || on.Type() != cty.Bool {
			d.Wrong(en, onExpr, on, eval.Boolean.Want, ds)
			d.Fail(e)
			return nil, eval.Failed
		}
		vfs = append(vfs, VFRoCE{vf, Value[bool]{on.True(), e.Range()}})
	}
	sortVFs(vfs)
	return vfs, eval.Good
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
