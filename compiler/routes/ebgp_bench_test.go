package routes

import (
	"fmt"
	"testing"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// Path vector on fat trees with the AS numbers of RFC 7938.
func BenchmarkEBGPFatTree(b *testing.B) {
	for _, k := range []int{8, 16, 24} {
		f := routed(irtest.FatTree(ir.EBGP, k))
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Routes.Turns(f.CosGroups[0], ir.State{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
