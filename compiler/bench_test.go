package compiler

import "testing"

// BenchmarkCompile compiles 1,000 switches and 32,208 hosts: 976 leaves of 33 hosts on 24 spines, 55,632 cables.
func BenchmarkCompile(b *testing.B) {
	src := clos(976, 24, 33)
	b.ReportAllocs()
	for b.Loop() {
		f, ds := Compile(src)
		if f == nil {
			b.Fatal(ds[0].Detail)
		}
	}
	b.ReportMetric(float64(len(src.Switches)), "switches")
	b.ReportMetric(float64(len(src.Hosts)), "hosts")
	b.ReportMetric(float64(len(src.Links)), "links")
}
