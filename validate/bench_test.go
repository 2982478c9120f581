package validate

import (
	"fmt"
	"testing"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// BenchmarkRun runs every check on a Clos of 1,000 switches and 32,208 hosts.
func BenchmarkRun(b *testing.B) {
	c := irtest.LeafSpine(ir.UpDown, 976, 24)
	for l := range 976 {
		for range 32 {
			c.Hosts(fmt.Sprint("L", l))
		}
	}
	for _, p := range c.F.Ports {
		p.SetBuffers([]*ir.Buffer{{Group: c.Group, Size: ir.Derived{N: 70_000}, Xoff: ir.Derived{N: 18_000}, XonDelta: ir.Derived{N: 2_000}}})
	}
	f := fabric(c)
	for b.Loop() {
		if r := Run(f, nil); r.Proofs[0].Verdict != Free {
			b.Fatal(r.Proofs[0].Why())
		}
	}
}
