package compiler

import (
	"fmt"
	"testing"

	"github.com/rocec/rocec/targets"
)

// BenchmarkCompile compiles leaves of 33 hosts on 24 spines at three sizes: time and memory grow with devices and cables.
// The largest has 1,000 switches, 32,208 hosts and 55,632 cables.
func BenchmarkCompile(b *testing.B) {
	for _, leaves := range []int{244, 488, 976} {
		b.Run(fmt.Sprintf("%d-leaves", leaves), func(b *testing.B) {
			src := clos(leaves, 24, 33)
			b.ReportAllocs()
			for b.Loop() {
				f, ds := Compile(src, targets.Known)
				if f == nil {
					b.Fatal(ds[0].Detail)
				}
			}
			b.ReportMetric(float64(len(src.Switches)), "switches")
			b.ReportMetric(float64(len(src.Hosts)), "hosts")
			b.ReportMetric(float64(len(src.Links)), "links")
		})
	}
}
