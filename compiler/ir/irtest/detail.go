package irtest

import (
	"reflect"

	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
)

// AnyDetail fills every field of a detail by reflection, including fields without a special rule.
func AnyDetail(t *rapid.T) ir.PortDetail {
	d := ir.UnknownDetail()
	Fill(t, &d)
	return d
}

// Fill draws every member of the struct that a pointer leads to.
func Fill(t *rapid.T, to any) { draw(t, reflect.ValueOf(to).Elem()) }

func draw(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			draw(t, field)
		}
	case reflect.Array:
		for i := range min(v.Len(), 2) { // of eight cos, groups and queues, only the first
			draw(t, v.Index(i))
		}
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "string"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.IntRange(0, 2).Draw(t, "number")))
	default:
		v.SetInt(int64(rapid.IntRange(-1, 2).Draw(t, "number")))
	}
}
