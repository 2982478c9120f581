package lang

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// This file reads parameters of a NIC: their names and values belong to its driver, so the language accepts every name.

// reader reads the value of an attribute. Its mistakes are in the list.
type reader[V any] func(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) (V, eval.Outcome)

// mostParameters limits the parameters in one map, and mostParameter the length of a name or a word. No driver has so many or so long ones.
const (
	mostParameters = 100
	mostParameter  = 64
)

// parameterNumber returns the kind of a number: registers of NICs have 32 bits.
func parameterNumber() eval.Kind[int] { return eval.Integer(0, math.MaxUint32) }

// readDCQCN reads numbers by the names of parameters.
func readDCQCN(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) ([]Parameter, eval.Outcome) {
	return readParameters(d, en, e, ds, false, "an object of numbers such as { rpg_ai_rate = 20 }")
}

// readStored reads numbers and words by the names of parameters.
func readStored(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) ([]Parameter, eval.Outcome) {
	return readParameters(d, en, e, ds, true, "an object such as { CNP_DSCP = 48 }")
}

// readParameters reads a map such as { rpg_ai_rate = 20 }, and with words also { LINK_TYPE = "ETH", LLDP_NB_DCBX = false }.
func readParameters(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List, words bool, want string) (
	[]Parameter, eval.Outcome,
) {
	v, o := readObject(d, en, e, ds, want)
	if o != eval.Good {
		return nil, o
	}
	if v.LengthInt() > mostParameters {
		d.Report(en, e, &eval.OutOfRange, fmt.Sprintf("The map has %d parameters, and at most %d are allowed. Delete some.", v.LengthInt(),
			mostParameters), ds)
		d.Fail(e)
		return nil, eval.Failed
	}
	var out []Parameter
	for it := v.ElementIterator(); it.Next(); {
		k, value := it.Element()
		nameExpr, valueExpr := parse.Entry(e, k.AsString())
		if len(k.AsString()) > mostParameter {
			d.Report(en, nameExpr, &eval.OutOfRange, fmt.Sprintf("A name of a parameter has at most %d characters, and this one has %d. "+
				"Correct it.",
				mostParameter, len(k.AsString())), ds)
			d.Fail(e)
			return nil, eval.Failed
		}
		text, p := parameterText(value, words)
		if p != nil {
			d.Problem(en, e, eval.Element{V: value, Expr: valueExpr}, p, want, "", ds)
			return nil, eval.Failed
		}
		out = append(out, Parameter{Name: k.AsString(), At: nameExpr.Range(), Value: Value[string]{text, valueExpr.Range()}})
	}
	sort.Slice(out, func(i, k int) bool { return out[i].Name < out[k].Name })
	return out, eval.Good
}

// tune changes the parameters of the block. Hosts that were made from the block before keep theirs.
func (n *NIC) tune(set func(*Tuning)) {
	var t Tuning
	if n.Tuning != nil {
		t = *n.Tuning
	}
	set(&t)
	n.Tuning = &t
}

// parameterText returns a value as text: a number, and with words also true, false or a word.
func parameterText(v cty.Value, words bool) (string, *eval.Problem) {
	switch {
	case v.IsNull():
		return "", eval.Mistyped
	case v.Type() == cty.Number:
		n, p := parameterNumber().Read(v)
		return strconv.Itoa(n), p
	case words && v.Type() == cty.Bool:
		return strconv.FormatBool(v.True()), nil
	case words && v.Type() == cty.String && len(v.AsString()) <= mostParameter:
		return v.AsString(), nil
	}
	return "", eval.Mistyped
}

// stallKind is the kind of stall_prevention: a word, or a time in milliseconds. The driver of the NIC has the range of the time.
var stallKind = eval.Kind[string]{
	Name: `"auto", "off" or number`, Want: `"auto", "off" or a number of milliseconds`,
	Read: func(v cty.Value) (string, *eval.Problem) {
		switch {
		case v.Type() != cty.String:
			return parameterText(v, false)
		case v.AsString() == "auto" || v.AsString() == "off":
			return v.AsString(), nil
		}
		return "", eval.Problemf(&eval.OutOfRange, "%q is not allowed. Expected \"auto\", \"off\" or a number of milliseconds.",
			diag.Cut(v.AsString()))
	},
}

// readStall reads stall_prevention.
func readStall(d *eval.Evaluator, en *eval.Env, e hclsyntax.Expression, ds *diag.List) (Value[string], eval.Outcome) {
	v, o := d.Value(en, e, ds)
	if o != eval.Good {
		return Value[string]{}, o
	}
	text, p := stallKind.Read(v)
	if p != nil {
		d.Problem(en, e, eval.Element{V: v, Expr: e}, p, stallKind.Want, stallKind.Hint(v), ds)
		return Value[string]{}, eval.Failed
	}
	return Value[string]{text, e.Range()}, eval.Good
}
