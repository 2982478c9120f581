package ir_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// Fill sets each counter that is not known, and changes no other one.
func TestFill(t *testing.T) {
	var from, want, got ir.PauseCounters
	for i := range reflect.TypeFor[ir.PauseCounters]().NumField() {
		set := func(c *ir.PauseCounters, n uint64) {
			if f := reflect.ValueOf(c).Elem().Field(i); f.Type() == reflect.TypeFor[ir.Counter]() {
				f.Set(reflect.ValueOf(ir.Counter{Value: n, Known: true}))
			}
		}
		set(&from, 1)
		set(&want, 1)
		if i%2 == 0 {
			set(&got, 2)
			set(&want, 2)
		}
	}
	got.Fill(&from)
	require.Equal(t, want, got)
	got.Fill(&ir.PauseCounters{Unwatched: true})
	require.True(t, got.Unwatched)
	got.Fill(&ir.PauseCounters{})
	require.True(t, got.Unwatched)
}
