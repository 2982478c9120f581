package routes

import (
	"sync"
	"testing"

	"github.com/rocec/rocec/compiler/failures"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// closes are the fabrics of the benchmarks: 192, 1,408 and 10,240 switches.
var closes = []struct {
	name  string
	build func() *ir.Fabric
}{
	{"192switches", sync.OnceValue(func() *ir.Fabric { return routed(irtest.Clos(ir.ShortestPath, 8, 16, 4, 8, 16)) })},
	{"1408switches", sync.OnceValue(func() *ir.Fabric { return routed(irtest.Clos(ir.ShortestPath, 32, 32, 8, 16, 32)) })},
	{"10240switches", sync.OnceValue(func() *ir.Fabric { return routed(irtest.Clos(ir.ShortestPath, 64, 64, 64, 32, 32)) })},
}

// BenchmarkWhole measures the state that a router computes once for all failures of a group.
func BenchmarkWhole(b *testing.B) {
	for _, tt := range closes {
		b.Run(tt.name, func(b *testing.B) {
			f := tt.build()
			r := f.Routes.(*Router)
			r.views[f.CosGroups[0]]()
			for b.Loop() {
				w := r.state(f.CosGroups, nil)
				failures.NewOrbits(w, false)
			}
		})
	}
}

func BenchmarkCuts(b *testing.B) {
	for _, tt := range closes {
		b.Run(tt.name, func(b *testing.B) {
			f := tt.build()
			f.Routes.(*Router).whole(f.CosGroups[0])
			for b.Loop() {
				if cuts, err := f.Routes.Cuts(f.CosGroups, nil, 1, nil, nil); err != nil || len(cuts) > 0 {
					b.Fatal(cuts, err)
				}
			}
		})
	}
}

func BenchmarkCutsOfTwo(b *testing.B) {
	for _, tt := range closes {
		b.Run(tt.name, func(b *testing.B) {
			f := tt.build()
			for b.Loop() {
				if cuts, err := f.Routes.Cuts(f.CosGroups, nil, 2, nil, nil); err != nil || len(cuts) > 0 {
					b.Fatal(cuts, err)
				}
			}
		})
	}
}

// BenchmarkCutsLeafSpine finds cuts whose size is the number of spines.
func BenchmarkCutsLeafSpine(b *testing.B) {
	for _, tt := range []struct {
		name           string
		leaves, spines int
	}{{"16x4", 16, 4}, {"64x16", 64, 16}, {"256x32", 256, 32}} {
		b.Run(tt.name, func(b *testing.B) {
			f := routed(irtest.LeafSpine(ir.ShortestPath, tt.leaves, tt.spines))
			for b.Loop() {
				if cuts, err := f.Routes.Cuts(f.CosGroups, nil, tt.spines, nil, nil); err != nil || len(cuts) != tt.spines/2 {
					b.Fatal(cuts, err)
				}
			}
		})
	}
}

// BenchmarkCutsTorus finds the cuts of one link in fabrics without twins, in which every link is a cut.
func BenchmarkCutsTorus(b *testing.B) {
	for _, tt := range []struct {
		name string
		n    int
	}{{"16x16", 16}, {"32x32", 32}, {"64x64", 64}} {
		b.Run(tt.name, func(b *testing.B) {
			f := routed(irtest.Torus(ir.ShortestPath, tt.n))
			for b.Loop() {
				if cuts, err := f.Routes.Cuts(f.CosGroups, nil, 1, nil, nil); err != nil || len(cuts) != len(f.Links)-tt.n*tt.n {
					b.Fatal(len(cuts), err)
				}
			}
		})
	}
}

func BenchmarkChanged(b *testing.B) {
	for _, tt := range closes {
		f := sync.OnceValue(func() *ir.Fabric {
			f := tt.build()
			f.Routes.(*Router).whole(f.CosGroups[0])
			return f
		})
		// In both states no distance grows, so the benchmark measures only the searches.
		b.Run(tt.name+"/leaf", func(b *testing.B) { changed(b, f(), f().Links[:1]) })
		b.Run(tt.name+"/core", func(b *testing.B) { changed(b, f(), oneToCore(f())) })
		// All links of a leaf except one fail, so all paths to it pass one agg.
		b.Run(tt.name+"/valleys", func(b *testing.B) {
			f := f()
			var down []*ir.Link
			for _, p := range f.Links[0].A().Device().Ports[1:] {
				if p.Peer().Device().Forwards() {
					down = append(down, p.Link())
				}
			}
			changed(b, f, append(down, nextLeaf(f).Link()))
		})
	}
}

func changed(b *testing.B, f *ir.Fabric, down []*ir.Link) {
	for b.Loop() {
		if _, err := f.Routes.Changed(f.CosGroups[0], ir.State{Down: down}); err != nil {
			b.Fatal(err)
		}
	}
}

// oneToCore returns a link between an agg and a core.
func oneToCore(f *ir.Fabric) []*ir.Link {
	for _, l := range f.Links {
		if l.A().Device().Switch != nil && l.B().Device().Switch != nil && l.A().Device().Switch.Tier+l.B().Device().Switch.Tier == 5 {
			return []*ir.Link{l}
		}
	}
	panic("no core")
}

// nextLeaf returns the port of another leaf at the first agg.
func nextLeaf(f *ir.Fabric) *ir.Port {
	first := f.Links[0]
	for _, p := range first.B().Device().Ports {
		if d := p.Peer().Device(); p.Link() != first && d.Switch != nil && d.Switch.Tier == 1 {
			return p
		}
	}
	panic("no other leaf")
}

// BenchmarkEveryLinkOfAll fails one link of each orbit and looks for cuts, which covers all single failures.
func BenchmarkEveryLinkOfAll(b *testing.B) {
	middle := closes[0]
	middle.name = "768switches"
	middle.build = sync.OnceValue(func() *ir.Fabric { return routed(irtest.Clos(ir.ShortestPath, 16, 32, 8, 16, 32)) })
	for _, tt := range append(closes[:2:2], middle) {
		b.Run(tt.name, func(b *testing.B) {
			f := tt.build()
			for b.Loop() {
				r := New(f)
				w := r.whole(f.CosGroups[0])
				seen := map[[3]int32]bool{}
				for id, e := range w.Ends {
					if e[0] < 0 || seen[w.orbits.OfLink(int32(id))] {
						continue
					}
					seen[w.orbits.OfLink(int32(id))] = true
					if _, err := r.Changed(f.CosGroups[0], ir.State{Down: f.Links[id : id+1]}); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := r.Cuts(f.CosGroups, nil, 1, nil, nil); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(seen)), "orbits")
			}
		})
	}
}
