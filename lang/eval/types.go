package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// TypeOf converts an expression to the type of a variable.
func (ev *Evaluator) TypeOf(e hclsyntax.Expression, ds *diag.List) (ty cty.Type, defaults *typeexpr.Defaults, ok bool) {
	var hds hcl.Diagnostics
	if !ev.within(e, func() { ty, defaults, hds = typeexpr.TypeConstraintWithDefaults(e) }, ds) {
		return ty, nil, false
	}
	if hds.HasErrors() {
		says, at := typeMessage(hds[0], e, ev.Files[e.Range().Filename])
		WrongType.Errorf(ds, at, "%s", says)
		return ty, nil, false
	}
	return ty, defaults, true
}

// typeMessage returns the message about a wrong type of a variable, and its place.
func typeMessage(d *hcl.Diagnostic, e hclsyntax.Expression, src []byte) (string, diag.Range) {
	at := e.Range()
	if d.Subject != nil {
		at = *d.Subject
	}
	word := string(at.SliceBytes(src))
	if i := strings.IndexByte(word, '('); i > 0 {
		word = word[:i]
	}
	const kinds = "Write a type such as string, number, bool, any, list(string), map(number) or object({ a = string })."
	if strings.HasPrefix(word, `"`) && strings.Contains(d.Summary, "type") {
		return "A type is written without quotes. Delete them.", at
	}
	if strings.HasPrefix(string(at.SliceBytes(src)), "(") {
		at = e.Range()
	}
	has := func(s string) bool { return strings.Contains(d.Detail, s) }
	switch {
	case d.Summary == "Invalid default value for optional attribute":
		_, why, _ := strings.Cut(d.Detail, "constraint: ")
		return fmt.Sprintf("The default of this optional attribute does not fit its type: %s. Correct one of the two.",
			typeWords(strings.TrimSuffix(why, "."))), at
	case has("object type constructor") || has("Object type constructor") || has("Object constructor map keys"):
		return "The attributes of an object type need names. Write object({ name = string, mtu = number }).", at
	case has("tuple type constructor") || has("Tuple type constructor"):
		return "A tuple type lists the types of its elements in order. Write tuple([string, number]), or list(string) if all have one type.", at
	case has("element type"):
		word = "list"
		if m := constructor().FindStringSubmatch(d.Detail); m != nil {
			word = m[1]
		}
		return fmt.Sprintf("All elements of a %s have one type. Write %s(string), with the type in brackets.", word, word), at
	case has("Optional attribute modifier"):
		return "An optional attribute has a type and perhaps a default. Write optional(number, 9216).", at
	case has("modifier for object type attributes"):
		return "Only attributes of objects are optional. Write object({ a = optional(string) }), or give the variable a default.", at
	case has("does not expect arguments"):
		return fmt.Sprintf("The type %s has no brackets. Write %s alone.", word, word), at
	case has("keyword") || has("Keyword"):
		if near := diag.Nearest(word, []string{
			"string", "number", "bool", "any", "list", "set", "map", "object", "tuple",
			"optional",
		}); near != "" {
			return fmt.Sprintf("%q is not a type. Did you mean %s?", diag.Cut(word), near), at
		}
		return fmt.Sprintf("%q is not a type. %s", diag.Cut(word), kinds), at
	}
	return "This is not a type. " + kinds, at
}

var constructor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^The (\w+) type constructor`) })

// misfit returns the innermost part of a value that does not fit its type.
func (ev *Evaluator) misfit(en *Env, e hclsyntax.Expression, val cty.Value, ty cty.Type, err error, ds *diag.List) (hclsyntax.Expression,
	cty.Value, cty.Type, error,
) {
	try := func(x hclsyntax.Expression, inner cty.Type) (cty.Value, error) {
		v, o := ev.Value(en, x, ds)
		if o == Failed {
			return v, nil
		}
		_, err := fit(v, inner)
		return v, err
	}
	switch x := parse.Bare(e).(type) {
	case *hclsyntax.TupleConsExpr:
		for i, el := range x.Exprs {
			var inner cty.Type
			switch {
			case ty.IsListType() || ty.IsSetType():
				inner = ty.ElementType()
			case ty.IsTupleType() && ty.Length() == len(x.Exprs):
				inner = ty.TupleElementType(i)
			default:
				return e, val, ty, err
			}
			if v, err := try(el, inner); err != nil {
				return ev.misfit(en, el, v, inner, err, ds)
			}
		}
	case *hclsyntax.ObjectConsExpr:
		for _, item := range x.Items {
			name := hcl.ExprAsKeyword(item.KeyExpr)
			if v, ok := parse.Literal(parse.Key(item.KeyExpr)); ok && !v.IsNull() && v.Type() == cty.String {
				name = v.AsString()
			}
			var inner cty.Type
			switch {
			case ty.IsMapType():
				inner = ty.ElementType()
			case ty.IsObjectType() && ty.HasAttribute(name):
				inner = ty.AttributeType(name)
			default:
				continue
			}
			if v, err := try(item.ValueExpr, inner); err != nil {
				return ev.misfit(en, item.ValueExpr, v, inner, err, ds)
			}
		}
	}
	return e, val, ty, err
}

// misfitWords returns the reason why a value does not fit a type.
func misfitWords(v cty.Value, ty cty.Type, err error) string {
	if ty.IsTupleType() && v.Type().IsTupleType() && !v.IsNull() && v.LengthInt() != ty.Length() {
		return fmt.Sprintf("expected %s, not %d", diag.Count(ty.Length(), "element"), v.LengthInt())
	}
	if m := missingAttr().FindStringSubmatch(err.Error()); m != nil && !v.IsNull() && v.Type().IsObjectType() {
		return fmt.Sprintf("the attribute %q is missing", diag.Cut(m[1]))
	}
	if ty == cty.DynamicPseudoType {
		return typeWords(err.Error())
	}
	return fmt.Sprintf("expected %s, not %s", typeWord(ty.FriendlyNameForConstraint()), Describe(v))
}

var missingAttr = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`attributes? "([^"]*)".* (?:is|are) required`) })

// typeName returns the text of a type for a message.
func typeName(ty cty.Type) string { return diag.Cut(typeexpr.TypeString(ty)) }

// example returns the text of an example value of a type, for a message.
func example(ty cty.Type) string {
	switch {
	case ty == cty.Number:
		return "4"
	case ty == cty.Bool:
		return "true"
	case ty.IsListType() || ty.IsSetType():
		one := example(ty.ElementType())
		return "[" + one + "]"
	case ty.IsMapType():
		return "{ name = " + example(ty.ElementType()) + " }"
	case ty.IsObjectType():
		for _, name := range keys(ty.AttributeTypes()) {
			return "{ " + diag.Cut(name) + " = " + example(ty.AttributeType(name)) + " }"
		}
		return "{}"
	case ty.IsTupleType():
		var parts []string
		for i, t := range ty.TupleElementTypes() {
			if i == 3 {
				parts = append(parts, "...")
				break
			}
			parts = append(parts, example(t))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return `"a"`
}

// fit converts v to ty like [convert.Convert], but takes linear time for long tuples whose elements have one type.
func fit(v cty.Value, ty cty.Type) (cty.Value, error) {
	if v.IsNull() || !v.IsKnown() {
		return convert.Convert(v, ty)
	}
	from := v.Type()
	if ty == cty.DynamicPseudoType {
		if from.IsTupleType() && from.Length() > 64 {
			if list, ok := alike(v.AsValueSlice()); ok {
				return cty.ListVal(list), nil
			}
		}
		return v, nil
	}
	switch {
	case from.IsTupleType() && (ty.IsListType() || ty.IsSetType()):
		elements, err := fitAll(v.AsValueSlice(), ty.ElementType())
		switch {
		case err != nil:
			return cty.NilVal, err
		case len(elements) == 0 && ty.IsListType():
			return cty.ListValEmpty(ty.ElementType()), nil
		case len(elements) == 0:
			return cty.SetValEmpty(ty.ElementType()), nil
		case ty.IsListType():
			return cty.ListVal(elements), nil
		}
		return cty.SetVal(elements), nil
	case from.IsObjectType() && ty.IsMapType():
		attrs := v.AsValueMap()
		if len(attrs) == 0 {
			return cty.MapValEmpty(ty.ElementType()), nil
		}
		keys := keys(attrs)
		elements := make([]cty.Value, len(keys))
		for i, k := range keys {
			elements[i] = attrs[k]
		}
		elements, err := fitAll(elements, ty.ElementType())
		if err != nil {
			return cty.NilVal, err
		}
		for i, k := range keys {
			attrs[k] = elements[i]
		}
		return cty.MapVal(attrs), nil
	}
	return convert.Convert(v, ty)
}

// fitAll converts elements to one type.
func fitAll(in []cty.Value, ty cty.Type) ([]cty.Value, error) {
	out := make([]cty.Value, len(in))
	if ty == cty.DynamicPseudoType {
		if same, ok := alike(in); ok {
			return same, nil
		}
		var types []cty.Type // each type once, since unification is quadratic
		for _, v := range in {
			if !slices.ContainsFunc(types, v.Type().Equals) {
				types = append(types, v.Type())
			}
			if len(types) > 64 {
				return nil, fmt.Errorf("the elements have too many different types")
			}
		}
		if ty, _ = convert.UnifyUnsafe(types); ty == cty.NilType || ty == cty.DynamicPseudoType {
			return nil, fmt.Errorf("all elements must have the same type")
		}
	}
	for i, v := range in {
		var err error
		if out[i], err = fit(v, ty); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// alike returns the elements if all have exactly the same type.
func alike(in []cty.Value) ([]cty.Value, bool) {
	for _, v := range in {
		if v.IsNull() || !v.Type().Equals(in[0].Type()) || v.Type().HasDynamicTypes() {
			return nil, false
		}
	}
	return in, true
}
