package routes

import (
	"fmt"
	"testing"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// Benchmarks have three sizes to show growth. They measure the way from the fabric in memory to its turns, without cached results.

func benchmarkTurns(b *testing.B, name string, build func() *irtest.Cabling) {
	b.Run(name, func(b *testing.B) {
		c := build()
		f := c.Fabric()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := New(f).Turns(c.Group, ir.State{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTurnsFatTree(b *testing.B) {
	for _, k := range []int{16, 24, 32, 64} {
		benchmarkTurns(b, fmt.Sprint("k=", k), func() *irtest.Cabling { return irtest.FatTree(ir.ShortestPath, k) })
	}
}

// BenchmarkTurnsClos has at most 10,240 switches and 131,072 hosts.
func BenchmarkTurnsClos(b *testing.B) {
	for _, n := range []int{16, 32, 64} {
		benchmarkTurns(b, fmt.Sprintf("%dx%dx%d", n, n, n), func() *irtest.Cabling {
			return irtest.Clos(ir.ShortestPath, n, n, n, n/2, n/2)
		})
	}
}

func BenchmarkTurnsTorus(b *testing.B) {
	for _, n := range []int{16, 32, 64} {
		benchmarkTurns(b, fmt.Sprintf("%dx%d", n, n), func() *irtest.Cabling { return irtest.Torus(ir.ShortestPath, n) })
	}
}

func BenchmarkTurnsLeafSpine(b *testing.B) {
	for _, n := range []int{16, 64, 256} {
		benchmarkTurns(b, fmt.Sprintf("%dx%d", n, n/4), func() *irtest.Cabling { return irtest.LeafSpine(ir.ShortestPath, n, n/4) })
	}
}

func BenchmarkTurnsUpDown(b *testing.B) {
	for _, n := range []int{16, 32, 64} {
		benchmarkTurns(b, fmt.Sprintf("Clos %dx%dx%d", n, n, n), func() *irtest.Cabling {
			return irtest.Clos(ir.UpDown, n, n, n, n/2, n/2)
		})
	}
}

// BenchmarkConverging has a failed cable of a leaf and a failed cable of a core.
func BenchmarkConverging(b *testing.B) {
	for _, n := range []int{8, 16, 32} {
		for _, cable := range []string{"T0.0-A0.0", "A0.0-C0.0"} {
			b.Run(fmt.Sprintf("Clos %dx%dx%d %s", n, n, n, cable), func(b *testing.B) {
				c := irtest.Clos(ir.ShortestPath, n, n, n, n/2, n/2)
				s := ir.State{Down: c.Cables(cable), Converging: true}
				r := New(c.Fabric())
				b.ReportAllocs()
				for b.Loop() {
					if _, err := r.Turns(c.Group, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkBounce follows traffic that may change its cos group.
func BenchmarkBounce(b *testing.B) {
	for _, n := range []int{4, 8, 16} {
		benchmarkTurns(b, fmt.Sprintf("Clos %dx%dx%d", n, n, n), func() *irtest.Cabling {
			return irtest.Clos(ir.ShortestPath, n, n, n, n/2, n/2).Bounce()
		})
	}
}

// BenchmarkWitness rebuilds a flow for 8 turns.
func BenchmarkWitness(b *testing.B) {
	for _, n := range []int{16, 32, 64} {
		b.Run(fmt.Sprintf("Clos %dx%dx%d", n, n, n), func(b *testing.B) {
			c := irtest.Clos(ir.ShortestPath, n, n, n, n/2, n/2)
			f := c.Fabric()
			turns, err := New(f).Turns(c.Group, ir.State{})
			if err != nil {
				b.Fatal(err)
			}
			var wanted []ir.Turn
			for _, p := range f.Ports {
				for _, q := range p.Device().Ports {
					if len(wanted) < 8 && p.ID%97 == 0 && turns.Has(p, q) {
						wanted = append(wanted, ir.Turn{In: p, Out: q})
						break
					}
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if flows := turns.Witness(wanted); len(flows) != 8 || flows[7] == nil {
					b.Fatal("no flow")
				}
			}
		})
	}
}
