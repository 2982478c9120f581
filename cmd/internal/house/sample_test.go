package house

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// sampleModule returns a module of one package, from texts by file name. It imports only the standard library.
func sampleModule(t *testing.T, texts map[string]string) *module {
	t.Helper()
	p := &program{fset: token.NewFileSet(), from: map[string]*types.Package{}}
	p.others = importer.ForCompiler(p.fset, "source", nil)
	m := &module{program: p, files: map[string]*ast.File{}}
	c := &checked{name: "sample"}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f, err := parser.ParseFile(p.fset, name, texts[name], parser.SkipObjectResolution|parser.ParseComments)
		require.NoError(t, err)
		m.files[name] = f
		c.files = append(c.files, f)
	}
	require.NoError(t, p.check(c))
	return m
}
