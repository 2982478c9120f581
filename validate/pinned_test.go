package validate

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/targets"
)

// A value in fabric.lock that the rules of this rocec do not allow is reported as if it were written by hand, at its row.
func TestPinnedSizesAreJudged(t *testing.T) {
	files, err := langtest.Background("clos")
	require.NoError(t, err)
	load := func(edit func(*lock.Row)) (*lang.Source, Findings) {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		src, ds := lang.Load(fsys, ".", lang.Options{})
		require.False(t, ds.HasErrors())
		f, ds := compiler.Compile(src, targets.Known)
		require.False(t, ds.HasErrors())
		var rows []*lock.Row
		for _, s := range f.Sizes {
			edit(s.Fresh)
			rows = append(rows, s.Fresh)
		}
		fsys[lock.Name] = &fstest.MapFile{Data: lock.Format(&lock.File{Fabric: f.Name, Rocec: "0.11.0", Rows: rows})}
		src, ds = lang.Load(fsys, ".", lang.Options{})
		require.False(t, ds.HasErrors())
		f, ds = compiler.Compile(src, targets.Known)
		require.False(t, ds.HasErrors())
		return src, Run(f, ir.NewBudget(DefaultBudget))
	}
	for _, c := range []struct {
		name string
		n    int
		code string
	}{
		{"buffer", 97_152, ""}, // more than any port needs
		{"buffer", 20_064, "headroom-too-small"},
		{"min", 30_720, ""},
		{"min", 4_000_000, "ecn-after-pfc"},
		{"min", 9_216, "ecn-min-small"},
		{"max", 13_000_000, "ecn-max-unreachable"},
	} {
		src, found := load(func(r *lock.Row) {
			for i := range r.Numbers {
				if n := &r.Numbers[i]; n.Name == c.name {
					n.N = c.n
				} else if c.name == "min" && n.Name == "max" {
					n.N = 10 * c.n
				}
			}
		})
		codes := 0
		for _, d := range found.Diagnostics {
			if c.code == "" {
				assert.NotEqual(t, lock.Name, d.At.Filename, "%s: %s", d.Code, d.Detail)
				continue
			}
			if d.Code != c.code {
				continue
			}
			codes++
			assert.Equal(t, lock.Name, d.At.Filename, d.Detail)
			assert.Contains(t, string(d.At.SliceBytes(src.Files[lock.Name])), "asic=spectrum")
			assert.Contains(t, d.Detail, "`rocec build --lock --refresh`")
		}
		assert.Equal(t, c.code != "", codes > 0, "%s = %d", c.name, c.n)
	}
}
