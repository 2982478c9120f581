package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// printed loads a folder, and returns the fabric with the fingerprints of its findings.
func printed(t *testing.T, dir string) (*report.Report, map[*diag.Diagnostic]string) {
	t.Helper()
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	a.Budget = globals.DefaultBudget / 100
	f, err := a.Load(dir)
	require.NoError(t, err)
	return f, report.Fingerprints(f)
}

// fixtureFile is a folder with one file of HCL, always of the same name.
func fixtureFile(t *testing.T, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pod")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(text), 0o644))
	return dir
}

// wrong yields one folder after the other of fabrics with findings. These are examples with errors, bad files of the checks, the compiler
// and the language, and sound fabrics with a planted fault. With -short it yields every seventh.
func wrong(t *testing.T, use func(t *testing.T, dir string)) {
	examples, err := filepath.Glob("../../examples/*/fabric.hcl")
	require.NoError(t, err)
	for _, name := range examples {
		dir := filepath.Dir(name)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			to := t.TempDir()
			require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
			use(t, to)
		})
	}
	for _, pattern := range []string{"validate/testdata/*/bad.hcl", "compiler/testdata/bad/*.hcl", "lang/testdata/bad/*.hcl"} {
		files, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for i, name := range files {
			if testing.Short() && i%7 > 0 {
				continue
			}
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			t.Run(strings.TrimPrefix(name, "../../"), func(t *testing.T) { use(t, fixtureFile(t, string(src))) })
		}
	}
	for i, f := range faults {
		if testing.Short() && i%7 > 0 {
			continue
		}
		t.Run(f.base+" "+f.code, func(t *testing.T) {
			dir := t.TempDir()
			plant(t, filepath.Join("../../examples", f.base), dir, f.edit)
			use(t, dir)
		})
	}
}

// apart returns HCL with empty lines and comments at all permitted places, and nil if the HCL does not parse.
func apart(src []byte) []byte {
	if _, ds := hclsyntax.ParseConfig(src, "x", hcl.InitialPos); ds.HasErrors() {
		return nil
	}
	tokens, _ := hclsyntax.LexConfig(src, "x", hcl.InitialPos)
	out := []byte("# first\n\n")
	end := 0
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenNewline { // not after a comment: the block that it silences must follow directly
			out = append(append(out, src[end:t.Range.End.Byte]...), "\n  # mtu = \"words\" {\n\n"...)
			end = t.Range.End.Byte
		}
	}
	return append(out, src[end:]...)
}

func all(prints map[*diag.Diagnostic]string) []string { return slices.Sorted(maps.Values(prints)) }

// No two findings share a fingerprint; words, lines, comments, and findings elsewhere do not matter.
func TestFingerprintLaws(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	random := rand.New(rand.NewPCG(3, 1))
	findings, moved := 0, 0
	wrong(t, func(t *testing.T, dir string) {
		f, prints := printed(t, dir)
		require.Len(t, prints, len(f.Diags)+len(f.Ignored))
		was := all(prints)
		require.Len(t, slices.Compact(slices.Clone(was)), len(was), "two findings share a fingerprint")
		findings += len(was)

		// Other words, in another order.
		reworded := *f
		judged := *f.Judged
		judged.Diags = nil
		reworded.Judged = &judged
		of := map[*diag.Diagnostic]*diag.Diagnostic{}
		places := map[string]int{}
		for _, d := range f.Diags {
			r := *d
			r.Summary, r.Detail, r.Text = "summary", fmt.Sprint(random.Uint64()), fmt.Sprint(random.Uint64())
			r.Notes = slices.Clone(d.Notes)
			for i := range r.Notes {
				r.Notes[i].Message = fmt.Sprint(random.Uint64())
			}
			if d.Fix != nil {
				r.Fix = &diag.Fix{Message: fmt.Sprint(random.Uint64()), Edits: d.Fix.Edits}
			}
			of[d] = &r
			reworded.Diags.Add(&r)
			places[fmt.Sprint(d.Code, d.At)]++
		}
		random.Shuffle(len(reworded.Diags), func(i, j int) {
			reworded.Diags[i], reworded.Diags[j] = reworded.Diags[j], reworded.Diags[i]
		})
		again := report.Fingerprints(&reworded)
		require.Equal(t, was, all(again))
		for d, r := range of {
			if places[fmt.Sprint(d.Code, d.At)] == 1 {
				require.Equal(t, prints[d], again[r], d.Detail)
			}
		}

		// A finding elsewhere, in a file before the others.
		extra := filepath.Join(dir, "0.hcl")
		require.NoError(t, os.WriteFile(extra, []byte("locals {\n  # rocec:ignore\n  unused_words = 1\n}\n"), 0o644))
		_, more := printed(t, dir)
		require.Subset(t, all(more), was)
		require.NoError(t, os.Remove(extra))

		// Lines and comments.
		names, err := filepath.Glob(filepath.Join(dir, "*.hcl"))
		require.NoError(t, err)
		for _, name := range names {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			text := apart(src)
			if text == nil {
				return
			}
			require.NoError(t, os.WriteFile(name, text, 0o644))
		}
		_, below := printed(t, dir)
		require.Equal(t, was, all(below))
		moved += len(was)
	})
	if testing.Short() {
		findings, moved = 7*findings, 7*moved
	}
	assert.Greater(t, findings, 600)
	assert.Greater(t, moved, 500)
}

// The finding of one block keeps its fingerprint when the same mistake in a similar block is corrected.
func TestFingerprintsOfBlocksAlike(t *testing.T) {
	of := func(text string) []string {
		_, prints := printed(t, fixtureFile(t, text))
		return all(prints)
	}
	a, b := `link "a" { mtu = "x" }`+"\n", `link "b" { mtu = "x" }`+"\n"
	both := of(a + b)
	assert.Subset(t, both, of(b))
	assert.Subset(t, of("link \"c\" {}\n# more\n\n"+b+a), both)
	class := func(tos ...string) string {
		var text strings.Builder
		text.WriteString("host \"h\" {\n  nic \"e\" {\n    model = \"cx6\"\n")
		for _, v := range tos {
			text.WriteString("    traffic_class {\n      tos = " + v + "\n    }\n")
		}
		return text.String() + "  }\n}\n"
	}
	both = of(class(`"x"`, `"x"`))
	assert.Subset(t, both, of(class("16", `"x"`)))
	assert.NotEqual(t, of(class("16", `"x"`)), of(class(`"x"`, "16")))
	assert.Equal(t, of(class("256")), of(class("257")), "a wrong value in the place of another")
	twice := of("cos_group \"g\" {\n  cos = 3\n  dscp = [99, 99]\n}\n")
	assert.Len(t, slices.Compact(slices.Clone(twice)), len(twice))
}

// In files that are not HCL, the fingerprint depends on the text of the line up to the end of the place.
func TestFingerprintsOfDeviceFiles(t *testing.T) {
	files, err := filepath.Glob("../../targets/cumulus/conflint/testdata/*/bad.conf")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	findings := 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		dir := t.TempDir()
		conf := filepath.Join(dir, "traffic.conf")
		of := func(text []byte) []string {
			require.NoError(t, os.WriteFile(conf, text, 0o644))
			f, err := newApp(&person.Person{}).loadDeviceFiles([]string{conf}, "", false)
			require.NoError(t, err)
			return all(report.Fingerprints(f))
		}
		was := of(src)
		require.Len(t, slices.Compact(slices.Clone(was)), len(was), name)
		findings += len(was)
		require.Equal(t, was, of(bytes.ReplaceAll(append([]byte("# first\n"), src...), []byte("\n"), []byte("\n\n  # more = words\n"))), name)
	}
	assert.Greater(t, findings, 50)
}
