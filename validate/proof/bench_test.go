package proof

import (
	"fmt"
	"testing"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
)

// These benchmarks measure the time from a fabric in memory to the verdict; BenchmarkNotes measures the notes. Each iteration makes a new
// router, so that nothing is cached.
func bench(b *testing.B, f *ir.Fabric, want Verdict, certificate Certificate) {
	for b.Loop() {
		f.Routes = routes.New(f)
		p := verdicts(f, ir.NewBudget(6_000_000_000))[0]
		if p.Verdict != want || p.Certificate != certificate {
			b.Fatalf("%s by %q: %+v", p.Verdict, p.Certificate, p.Reason)
		}
	}
}

// BenchmarkFatTree proves fat trees of k-port switches, healthy. Hosts grow with the cube of k.
func BenchmarkFatTree(b *testing.B) {
	for _, k := range []int{16, 24, 64} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			bench(b, irtest.FatTree(ir.ShortestPath, k).Fabric(), Free, ByExact)
		})
	}
}

// sizes are Clos fabrics of 384, 2,560 and 10,240 switches, and of 4,096, 65,536 and 393,216 links between them.
var sizes = []struct{ pods, leaves, aggs, plane, hosts int }{
	{16, 8, 8, 16, 8}, {32, 32, 32, 16, 16}, {64, 64, 64, 32, 32},
}

func benchClos(b *testing.B, r ir.Routing, failures int, certificate Certificate) {
	for _, s := range sizes {
		f := irtest.Clos(r, s.pods, s.leaves, s.aggs, s.plane, s.hosts).Failures(failures).Fabric()
		b.Run(fmt.Sprint("switches=", s.pods*(s.leaves+s.aggs)+s.aggs*s.plane), func(b *testing.B) {
			bench(b, f, Free, certificate)
		})
	}
}

// BenchmarkClosHealthy proves healthy Clos fabrics under shortest paths.
func BenchmarkClosHealthy(b *testing.B) { benchClos(b, ir.ShortestPath, 0, ByExact) }

// BenchmarkClosOneDown proves them with any one link down.
func BenchmarkClosOneDown(b *testing.B) { benchClos(b, ir.ShortestPath, 1, ByExact) }

// BenchmarkClosUpDown proves them by certificate.
func BenchmarkClosUpDown(b *testing.B) { benchClos(b, ir.UpDown, 1, ByUpDown) }

// BenchmarkClosASPlan proves them by the AS numbers of RFC 7938.
func BenchmarkClosASPlan(b *testing.B) { benchClos(b, ir.EBGP, 1, ByASPlan) }

// BenchmarkEveryLink proves Clos fabrics of 176, 704 and 1,408 switches with any one link down.
func BenchmarkEveryLink(b *testing.B) {
	for _, pods := range []int{4, 16, 32} {
		f := irtest.Clos(ir.ShortestPath, pods, 32, 8, pods/2, 32).Failures(1).Fabric()
		b.Run(fmt.Sprint("switches=", pods*40+8*pods/2), func(b *testing.B) { bench(b, f, Free, ByExact) })
	}
}

// BenchmarkTorus shows the loops of tori, which have long paths and no two equal switches.
func BenchmarkTorus(b *testing.B) {
	for _, n := range []int{16, 32, 64} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			bench(b, irtest.Torus(ir.ShortestPath, n).Fabric(), Prone, "")
		})
	}
}

// BenchmarkNotes measures the notes after the verdict on a fat tree: the fewest failures that make it prone, and a circle while its
// routing converges.
func BenchmarkNotes(b *testing.B) {
	for _, k := range []int{16, 24, 64} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			f := irtest.FatTree(ir.ShortestPath, k).Fabric()
			for b.Loop() {
				f.Routes = routes.New(f)
				if p := All(f, ir.NewBudget(6_000_000_000))[0]; len(p.Notes) == 0 || p.Transient == nil {
					b.Fatalf("%+v", p.Reason)
				}
			}
		})
	}
}

// BenchmarkOneLinkFails judges Clos fabrics again after one more link failed, with a known healthy verdict.
func BenchmarkOneLinkFails(b *testing.B) {
	for _, size := range sizes {
		f := irtest.Clos(ir.ShortestPath, size.pods, size.leaves, size.aggs, size.plane, size.hosts).Fabric()
		f.Routes = routes.New(f)
		budget := ir.NewBudget(6_000_000_000)
		failing := verdicts(f, budget)[0].followed.anew(budget)
		links := len(f.Links) - size.pods*size.leaves*size.hosts // links between switches come first
		b.Run(fmt.Sprint("switches=", size.pods*(size.leaves+size.aggs)+size.aggs*size.plane), func(b *testing.B) {
			i := 0
			for b.Loop() {
				s := &failed{down: f.Links[i : i+1]}
				turns, err := failing.turns(ir.State{Down: s.down, Budget: budget}, false)
				if err != nil {
					b.Fatal(err)
				}
				s.adds = failing.base.overlay().more(turns)
				if r := failing.search([]*failed{s}); r.parts != nil || r.err != nil {
					b.Fatal("not free")
				}
				i = (i + 1009) % links
			}
		})
	}
}
