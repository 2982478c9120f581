package lang

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// Attributes whose value is an object: from a number to what it stands for.

// setMapped reads { 26 = 3 }: a map from values of 0 to most to cos.
func setMapped(most int, field func(*ByHand) *[]Mapped) func(*loader, *env, *ByHand, hclsyntax.Expression) outcome {
	const want = "an object such as { 26 = 3 }"
	cos := integer(0, 7)
	return func(l *loader, en *env, h *ByHand, e hclsyntax.Expression) outcome {
		v, o := l.value(en, e)
		if o != good {
			return o
		}
		if ty := v.Type(); !ty.IsObjectType() && !ty.IsMapType() {
			l.wrong(en, e, v, want)
			return failed
		}
		var out []Mapped
		for it := v.ElementIterator(); it.Next(); {
			k, to := it.Element()
			from, err := strconv.Atoi(k.AsString())
			keyExpr, toExpr := entry(e, k.AsString())
			if err != nil || from < 0 || from > most {
				l.report(en, keyExpr, &outOfRange, fmt.Sprintf("%q is no value of this field. Write a number from 0 to %d, as in { 26 = 3 }.",
					diag.Cut(k.AsString()), most))
				l.fail(e)
				return failed
			}
			if to.IsNull() {
				l.wrong(en, toExpr, to, want)
				l.fail(e)
				return failed
			}
			n, p := cos.read(to)
			if p != nil {
				l.problem(en, e, element{to, toExpr}, p, cos.want, cos.hint(to))
				return failed
			}
			out = append(out, Mapped{from, Value[int]{n, e.Range()}})
		}
		slices.SortFunc(out, func(a, b Mapped) int { return a.From - b.From })
		*field(h) = out
		return good
	}
}

// setVFRoCE reads { 0 = false, 1 = true }.
func setVFRoCE(l *loader, en *env, n *nicBlock, e hclsyntax.Expression) outcome {
	const want = "an object such as { 0 = false }"
	v, o := l.value(en, e)
	if o != good {
		return o
	}
	if ty := v.Type(); !ty.IsObjectType() && !ty.IsMapType() {
		l.wrong(en, e, v, want)
		return failed
	}
	n.VFRoCE = nil
	for it := v.ElementIterator(); it.Next(); {
		k, on := it.Element()
		vf, p := vfNumber(k.AsString())
		keyExpr, onExpr := entry(e, k.AsString())
		if p != nil {
			l.report(en, keyExpr, p.topic, p.detail)
			l.fail(e)
			return failed
		}
		if on.IsNull() || on.Type() != cty.Bool {
			l.wrong(en, onExpr, on, boolean.want)
			l.fail(e)
			return failed
		}
		n.VFRoCE = append(n.VFRoCE, VFRoCE{vf, Value[bool]{on.True(), e.Range()}})
	}
	sortVFs(n.VFRoCE)
	return good
}
