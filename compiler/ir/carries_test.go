package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
)

// Every port of a bond carries the intents of all its ports, each intent once.
func TestCarries(t *testing.T) {
	one, two, three := &ir.Intent{Name: "one"}, &ir.Intent{Name: "two"}, &ir.Intent{Name: "three"}
	for _, c := range []struct{ a, b, want []*ir.Intent }{
		{[]*ir.Intent{one, two}, []*ir.Intent{one, two}, []*ir.Intent{one, two}},
		{[]*ir.Intent{one, two}, []*ir.Intent{two, three}, []*ir.Intent{one, two, three}},
		{nil, []*ir.Intent{three}, []*ir.Intent{three}},
	} {
		a, b := &ir.NIC{Intents: c.a}, &ir.NIC{Intents: c.b}
		bond := &ir.Bond{NICs: []*ir.NIC{a, b}}
		a.Bond, b.Bond = bond, bond
		assert.Equal(t, c.want, a.Carries())
		assert.ElementsMatch(t, c.want, b.Carries())
	}
}
