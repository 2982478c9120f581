package validate

import (
	"fmt"
	"testing"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
)

// BenchmarkRunClos runs every check on Clos fabrics under shortest paths, of 384, 2,560 and 10,240 switches and up to 131,072 hosts. It
// measures the verdict, the search for notes, and their texts.
func BenchmarkRunClos(b *testing.B) {
	for _, s := range []struct{ pods, leaves, aggs, plane, hosts int }{{16, 8, 8, 16, 8}, {32, 32, 32, 16, 16}, {64, 64, 64, 32, 32}} {
		b.Run(fmt.Sprint("switches=", s.pods*(s.leaves+s.aggs)+s.aggs*s.plane), func(b *testing.B) {
			c := irtest.Clos(ir.ShortestPath, s.pods, s.leaves, s.aggs, s.plane, s.hosts).Failures(1)
			sized(c)
			f := fabric(c)
			for b.Loop() {
				f.Routes = routes.New(f)
				if r := Run(f, nil); r.Proofs[0].Verdict != Free {
					b.Fatal(r.Proofs[0].Why())
				}
			}
		})
	}
}

// sized gives every port large buffers.
func sized(c *irtest.Cabling) {
	buffers := []*ir.Buffer{{Group: c.Group, Size: ir.Derived{N: 70_000}, Xoff: ir.Derived{N: 18_000}, XonDelta: ir.Derived{N: 2_000}}}
	for _, p := range c.F.Ports {
		p.SetBuffers(buffers)
	}
}

// BenchmarkRun runs every check on a Clos of 1,000 switches and 32,208 hosts.
func BenchmarkRun(b *testing.B) {
	c := irtest.LeafSpine(ir.UpDown, 976, 24)
	for l := range 976 {
		for range 32 {
			c.Hosts(fmt.Sprint("L", l))
		}
	}
	sized(c)
	f := fabric(c)
	for b.Loop() {
		if r := Run(f, nil); r.Proofs[0].Verdict != Free {
			b.Fatal(r.Proofs[0].Why())
		}
	}
}
