package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs/docstest"
)

// walked is a row of docs/walkthrough.md that begins with a function.
var walked = regexp.MustCompile("(?m)^\\| `([A-Za-z.]+)` in `([a-z./-]+\\.go)` \\|")

// TestWalkthrough: docs/walkthrough.md names functions that there are, in their files, and figures that stand in golden.
func TestWalkthrough(t *testing.T) {
	page, err := os.ReadFile("../../docs/walkthrough.md")
	require.NoError(t, err)
	rows := walked.FindAllSubmatch(page, -1)
	require.Equal(t, strings.Count(string(page), "\n| `"), len(rows), "every row names a function and its file")
	for _, row := range rows {
		assert.Contains(t, functionsOf(t, string(row[2])), string(row[1]), "%s", row[2])
	}
	fence := docstest.Fences(t, "../../docs/walkthrough.md")[0].Text
	cabling, err := os.ReadFile("../../examples/clos-v2-ecn/cabling.hcl")
	require.NoError(t, err)
	assert.Contains(t, string(cabling), strings.TrimSpace(fence))
	built, err := os.ReadFile("../../golden/clos-v2-ecn/leaf[01-04]/etc/cumulus/datapath/traffic.conf")
	require.NoError(t, err)
	assert.Contains(t, string(built), "\n"+regexp.MustCompile("pfc[a-z0-9_.]+ = [0-9]+").FindString(string(page))+"\n")
}

// functionsOf lists the functions of a file, methods as Type.Name.
func functionsOf(t *testing.T, file string) (out []string) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", file), nil, 0)
	require.NoError(t, err)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			of := fn.Recv.List[0].Type
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			}
			if id, ok := of.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		out = append(out, name)
	}
	return out
}
