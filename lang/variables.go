package lang

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// variableBlock is a variable block.
type variableBlock struct {
	eval.Variable
	description Value[string]
	nullable    Value[bool]
}

var validationSchema = schema[eval.Validation]{
	block: "validation", doc: "A condition on the value. Repeatable.",
	attrs: []attr[eval.Validation]{
		must(attr[eval.Validation]{
			name: "condition", kind: "bool", doc: "Must be true. It can refer to var.NAME.",
			set: func(_ *decoder, _ *eval.Env, v *eval.Validation, e hclsyntax.Expression, _ *diag.List) eval.Outcome {
				v.Condition = e
				return eval.Good
			},
		}),
		must(attr[eval.Validation]{
			name: "error_message", kind: "string", doc: "The message if the condition is false.",
			set: func(_ *decoder, _ *eval.Env, v *eval.Validation, e hclsyntax.Expression, _ *diag.List) eval.Outcome {
				v.Message = e
				return eval.Good
			},
		}),
	},
}

var variableSchema = schema[variableBlock]{
	block: "variable", label: "NAME", doc: "A value from outside: --var, --var-file, ROCEC_VAR_NAME, or the default.",
	attrs: []attr[variableBlock]{
		{
			name: "type", kind: "type", def: "the type of a primitive default, otherwise any",
			doc: "string, number, bool, any, list(T), set(T), map(T), tuple([...]) or object({...}) with optional(T, default).",
			set: func(d *decoder, _ *eval.Env, v *variableBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
				ty, defaults, ok := d.TypeOf(e, ds)
				if !ok {
					return eval.Failed
				}
				v.Type, v.Defaults = ty, defaults
				return eval.Good
			},
		},
		{
			name: "default", kind: "any", def: "none: a value must be given", doc: "The value if no other is given. It cannot contain references.",
			set: func(_ *decoder, _ *eval.Env, v *variableBlock, e hclsyntax.Expression, _ *diag.List) eval.Outcome {
				v.Default = e
				return eval.Good
			},
		},
		one("description", eval.Description, "none", "A description of the "+
			"variable.", func(v *variableBlock) *Value[string] { return &v.description }),
		one("nullable", eval.Boolean, "true", "false: null is not allowed as a value, and counts as not given.",
			func(v *variableBlock) *Value[bool] { return &v.nullable }),
		{
			name: "sensitive", kind: "bool", def: "false", doc: "true is an error: a fabric must not contain secrets.",
			set: func(d *decoder, en *eval.Env, v *variableBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
				var secret Value[bool]
				o := one("sensitive", eval.Boolean, "", "", func(*variableBlock) *Value[bool] { return &secret }).set(d, en, v, e, ds)
				if secret.V {
					sensitiveVariable.Errorf(ds, e.Range(), "The variable %q is declared sensitive, but a fabric must not contain "+
						"secrets: its values are written to files, plans and screens. Delete the attribute if the value is not a "+
						"secret. ssh has the secrets for logins.",
						diag.Cut(v.Name))
					return eval.Failed
				}
				return o
			},
		},
	},
	blocks: []child[variableBlock]{
		blocksOf(&validationSchema, false, headed(func(v *eval.Validation) *diag.Range { return &v.Decl }),
			func(v *variableBlock, i int, c *eval.Validation) { v.Validations = put(v.Validations, i, *c) }),
	},
}

// variables declares the variables of a folder in a scope. It returns the variables without a mistake, in the order of the files. A
// variable with a mistake is also declared, but gets no value, so that no further mistake is reported because of it.
func (d *decoder) variables(in *instance, ds *diag.List) []*eval.Variable {
	in.Vars = map[string]*eval.Variable{}
	var sound []*eval.Variable
	for _, b := range in.folder.blocks["variable"] {
		proto := variableBlock{Variable: eval.Variable{Name: b.Labels[0], Decl: parse.Header(b), Type: cty.DynamicPseudoType}}
		t := compile(d, &variableSchema, b, in.Bare(), &proto, ds)
		v := &t.proto.Variable
		v.NotNull = t.proto.nullable.Set() && !t.proto.nullable.V
		in.Vars[v.Name] = v
		if t.ok {
			sound = append(sound, v)
		}
	}
	return sound
}
