package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rocec/rocec/cmd/internal/person"
)

// BenchmarkEdit edits a file of a fabric with explicit blocks, and judges the fabric again. Each file has 6,000 lines, and the fabrics
// have 6,000, 24,000 and 96,000 lines.
func BenchmarkEdit(b *testing.B) {
	for _, links := range []int{1_000, 4_000, 16_000} {
		b.Run(fmt.Sprintf("%d-lines", 6*links), func(b *testing.B) {
			dir := b.TempDir()
			for name, f := range explicitFabric(links) {
				if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o644); err != nil {
					b.Fatal(err)
				}
			}
			edited := filepath.ToSlash(filepath.Join(dir, "last.hcl"))
			text, err := os.ReadFile(edited)
			if err != nil {
				b.Fatal(err)
			}
			e := &editor{a: newApp(&person.Person{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})}
			n := 0
			edit := func() {
				n++
				unsaved := map[string][]byte{edited: append(bytes.Clone(text), fmt.Sprintf("# edit %d\n", n)...)}
				r, err := e.Check(context.Background(), filepath.ToSlash(dir), unsaved)
				if err != nil || r.Diagnostics.HasErrors() {
					b.Fatal(err, r.Diagnostics)
				}
			}
			edit()
			b.ReportAllocs()
			for b.Loop() {
				edit()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*6*links), "ns/line")
		})
	}
}
