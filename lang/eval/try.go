package eval

import (
	"errors"

	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/rocec/rocec/lang/parse"
)

// This file has the functions try and can, which get expressions instead of values. The functions of HCL evaluate an expression twice
// in a call, once for its type, so each nested call doubles the work. These functions evaluate it once, and charge the budget.

// attempt evaluates an expression that may fail. Good is false if it failed; err is not nil if the budget stopped it.
func (b *budget) attempt(closure cty.Value) (v cty.Value, good bool, err error) {
	defer b.caught(&err)
	b.charge(1)
	v, ds := customdecode.ExpressionClosureFromVal(closure).Value()
	b.charge(errorWork * len(ds))
	if ds.HasErrors() {
		return cty.NilVal, false, nil
	}
	b.measure(v)
	return v, true, nil
}

// expressionParam is a parameter that is an expression, not a value.
func expressionParam(name string) function.Parameter {
	return function.Parameter{Name: name, Type: customdecode.ExpressionClosureType}
}

func tryFunction(b *budget, _ parse.Folder) function.Function {
	rest := expressionParam("expressions")
	return function.New(&function.Spec{
		VarParam: &rest,
		Type:     function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if len(args) == 0 {
				return cty.NilVal, errors.New("at least one expression is required")
			}
			for _, closure := range args {
				if v, good, err := b.attempt(closure); good || err != nil {
					return v, err
				}
			}
			return cty.NilVal, errors.New("no expression can be evaluated")
		},
	})
}

func canFunction(b *budget, _ parse.Folder) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{expressionParam("expression")},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, good, err := b.attempt(args[0])
			switch {
			case err != nil:
				return cty.NilVal, err
			case good && !v.IsWhollyKnown(): // a value that it needs has a reported mistake
				return cty.UnknownVal(cty.Bool), nil
			}
			return cty.BoolVal(good), nil
		},
	})
}
