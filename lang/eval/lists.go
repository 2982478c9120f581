package eval

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Element is a value of a list. If the list is a literal, it has the expression of the element, otherwise that of the list.
type Element struct {
	V    cty.Value
	Expr hclsyntax.Expression
}

// Elements returns the elements of a list. In a literal list each element has its own expression. Otherwise all have the expression of
// the list.
func (ev *Evaluator) Elements(en *Env, e hclsyntax.Expression, want string, ds *diag.List) ([]Element, Outcome) {
	if tuple, ok := parse.Bare(e).(*hclsyntax.TupleConsExpr); ok && !ev.failed[e] {
		if n := len(tuple.Exprs); n > instanceWork && en.repeated() && !ev.within(e, func() { ev.budget.charge(n) }, ds) {
			ev.Fail(e)
			return nil, Failed
		}
		out := make([]Element, 0, len(tuple.Exprs))
		result := Good
		for _, x := range tuple.Exprs {
			v, o := ev.Value(en, x, ds)
			switch o {
			case Failed:
				result = Failed
				continue
			case Null:
				ev.Wrong(en, x, v, want, ds)
				result = Failed
				continue
			}
			out = append(out, Element{v, x})
		}
		return out, result
	}
	v, o := ev.Value(en, e, ds)
	if o != Good {
		return nil, o
	}
	if ty := v.Type(); !ty.IsTupleType() && !ty.IsListType() && !ty.IsSetType() {
		hint := ""
		if src := e.Range().SliceBytes(ev.Files[e.Range().Filename]); len(src) > 0 && len(src) < 60 && !bytes.ContainsAny(src, "\n") {
			hint = fmt.Sprintf(" Write it as a list: [%s].", src)
		}
		ev.Report(en, e, &WrongType, fmt.Sprintf("Expected a list, and in it %s; this is %s.%s", want, Describe(v), hint), ds)
		return nil, Failed
	}
	var out []Element
	for it := v.ElementIterator(); it.Next(); {
		_, x := it.Element()
		if x.IsNull() {
			ev.Wrong(en, e, x, want, ds)
			return nil, Failed
		}
		out = append(out, Element{x, e})
	}
	return out, Good
}

// Strings returns the strings of an attribute that is one string or a list of strings.
func (ev *Evaluator) Strings(en *Env, e hclsyntax.Expression, want string, ds *diag.List) ([]Element, Outcome) {
	var elements []Element
	o := Good
	if v, ok := parse.Literal(e); ok && v.Type() == cty.String {
		elements = []Element{{v, e}}
	} else if _, tuple := parse.Bare(e).(*hclsyntax.TupleConsExpr); tuple {
		elements, o = ev.Elements(en, e, want, ds)
	} else {
		v, vo := ev.Value(en, e, ds)
		if vo != Good {
			return nil, vo
		}
		switch ty := v.Type(); {
		case ty == cty.String:
			elements = []Element{{v, e}}
		case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
			elements, o = ev.Elements(en, e, want, ds)
		default:
			ev.Report(en, e, &WrongType, fmt.Sprintf("Expected %s, or a list of these, not %s.", want, Describe(v)), ds)
			return nil, Failed
		}
	}
	for _, el := range elements {
		if el.V.Type() != cty.String {
			ev.Wrong(en, el.Expr, el.V, want, ds)
			o = Failed
		}
	}
	return elements, o
}
