package eval

import (
	"github.com/zclconf/go-cty/cty"
)

// HCL drops the attributes of an object that its type does not name. So a misspelt optional attribute would be ignored without a
// message. If the object is a literal, such an attribute is a mistake.

// surplus finds an attribute of v that ty does not name. Known are the attributes that ty names.
func surplus(v cty.Value, ty cty.Type) (name string, known []string, found bool) {
	if !v.IsKnown() || v.IsNull() || !v.CanIterateElements() {
		return "", nil, false
	}
	var inner func(string) cty.Type
	switch {
	case ty.IsObjectType() && (v.Type().IsObjectType() || v.Type().IsMapType()):
		attrs := v.AsValueMap()
		for _, k := range keys(attrs) {
			if !ty.HasAttribute(k) {
				return k, keys(ty.AttributeTypes()), true
			}
		}
		inner = ty.AttributeType
	case ty.IsCollectionType():
		inner = func(string) cty.Type { return ty.ElementType() }
	case ty.IsTupleType() && v.Type().IsTupleType() && v.LengthInt() == ty.Length():
		for i, e := range v.AsValueSlice() {
			if name, known, found = surplus(e, ty.TupleElementType(i)); found {
				return name, known, true
			}
		}
		return "", nil, false
	default:
		return "", nil, false
	}
	for it := v.ElementIterator(); it.Next(); {
		k, e := it.Element()
		key := ""
		if k.Type() == cty.String {
			key = k.AsString()
		}
		if name, known, found = surplus(e, inner(key)); found {
			return name, known, true
		}
	}
	return "", nil, false
}
