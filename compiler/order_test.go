package compiler

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
)

// The default type of service of a NIC comes from its first intent. The first intent must not depend on the order of the blocks, or moving
// a file would change the written bytes.
func TestIntentsComeByName(t *testing.T) {
	names := func(intents []*ir.Intent) (out []string) {
		for _, in := range intents {
			out = append(out, in.Name)
		}
		return out
	}
	written := []string{"i10", "b", "i9", "a"}
	for range 2 {
		s := graph{switches: 1, hosts: []int{0, 0}}.source()
		only := s.Roces[0]
		s.Roces = nil
		for _, name := range written {
			roce := *only
			roce.Name = name
			s.Roces = append(s.Roces, &roce)
		}
		f, _ := Compile(s, targets.Known)
		want := []string{"a", "b", "i9", "i10"}
		assert.Equal(t, want, names(f.Intents), "%v", written)
		for _, d := range f.Devices {
			switch {
			case d.Host != nil:
				assert.Equal(t, want, names(d.Host.NICs[0].Intents), "%s, %v", d.Name, written)
			default:
				assert.Equal(t, want, names(d.Switch.Intents), "%s, %v", d.Name, written)
			}
		}
		slices.Reverse(written)
	}
}
