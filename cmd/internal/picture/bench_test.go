package picture

import (
	"fmt"
	"testing"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate"
)

// BenchmarkPicture draws a Clos of three tiers at three sizes, in each format.
func BenchmarkPicture(b *testing.B) {
	for _, n := range []int{500, 2_000, 8_000} {
		f := clos(n)
		proofs := free(f)
		for _, format := range []struct {
			name  string
			write func(*ir.Fabric, []validate.GroupProof) []byte
		}{{"svg", SVG}, {"html", HTML}, {"dot", Dot}, {"json", JSON}} {
			b.Run(fmt.Sprintf("%s/devices=%d", format.name, len(f.Devices)), func(b *testing.B) {
				b.ReportAllocs()
				size := 0
				for b.Loop() {
					size = len(format.write(f, proofs))
				}
				b.ReportMetric(float64(size)/1e3, "kB")
			})
		}
	}
}
