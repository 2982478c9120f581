package parse

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

func TestSimpleShape(t *testing.T) {
	for src, want := range map[string]bool{
		"":                                  true,
		"a = 1\n":                           true,
		"b \"x\" {\n  a = \"b:c\" # d\n}\n": true,
		"a = [\n  \"50%\",\n  \"$x\"\n]\n":  true,
		"a = \"${b}\"\n":                    false,
		"a = <<EOT\nEOT\n":                  false,
		"a = 1 /* b */\n":                   false,
		"a = \"never closed\nb = 1\n":       false,
		"a = \"never closed":                false,
		"a = é\n":                           false,
		"a = \"é\"\n":                       true,
		"a = " + strings.Repeat("-", 40):    false,
		"a = " + strings.Repeat("[", 40):    false,
		strings.Repeat("a = 1\n", 10_000):   true,
		strings.Repeat("a = 1\n", 100_000):  false,
	} {
		_, ok := SimpleShape([]byte(src), 1<<20)
		require.Equal(t, want, ok, "%.40q", src)
	}
	src := "a = 1\nb {\n  c = 2\n}\n# d\ne = [\n  3,\n]\n"
	ends, ok := SimpleShape([]byte(src), 4)
	require.True(t, ok)
	require.Equal(t, []int{6, 20, len(src)}, ends)
	_, ok = SimpleShape([]byte("a = (1]\n"), 4)
	require.False(t, ok)
	_, ok = SimpleShape([]byte("}\n"), 4)
	require.False(t, ok)
}

// FuzzSimpleShape compares SimpleShape with checkTokens, and the pieces of a file with the whole file.
func FuzzSimpleShape(f *testing.F) {
	for _, dir := range []string{"../testdata/bad/*.hcl", "../../examples/*/*.hcl"} {
		names, err := filepath.Glob(dir)
		require.NoError(f, err)
		require.NotEmpty(f, names)
		for _, name := range names {
			src, err := os.ReadFile(name)
			require.NoError(f, err)
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		ends, ok := SimpleShape(src, 20)
		if !ok || !CheckText("x.hcl", src, new(diag.List)) {
			return
		}
		tokens, _ := hclsyntax.LexConfig(src, "x.hcl", hcl.InitialPos)
		var ds diag.List
		require.True(t, checkTokens(tokens, &ds), "%q", src)

		whole, mistakes := hclsyntax.ParseConfig(src, "x.hcl", hcl.InitialPos)
		var blocks []*hclsyntax.Block
		pos, found := hcl.InitialPos, 0
		for _, end := range ends {
			piece, ds := hclsyntax.ParseConfig(src[pos.Byte:end], "x.hcl", pos)
			found += len(ds)
			blocks = append(blocks, piece.Body.(*hclsyntax.Body).Blocks...)
			pos = hcl.Pos{Line: pos.Line + bytes.Count(src[pos.Byte:end], []byte("\n")), Column: 1, Byte: end}
		}
		require.Equal(t, len(mistakes) == 0, found == 0, "%q", src)
		if found > 0 {
			return
		}
		require.Len(t, blocks, len(whole.Body.(*hclsyntax.Body).Blocks))
		for i, b := range whole.Body.(*hclsyntax.Body).Blocks {
			require.Equal(t, b.Range(), blocks[i].Range())
			require.Equal(t, b.Labels, blocks[i].Labels)
		}
	})
}
