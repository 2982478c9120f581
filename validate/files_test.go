package validate_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/validate"
)

// common has the files that belong to no check.
var common = []string{
	"checks.go", "facts.go", "facts-planes.go", "say.go", "say-proof.go", "say-routing.go", "up-down.go", "validate.go",
	"ways-first.go", "ways-out.go", "ways-price.go", "ways-tiers.go",
}

// TestFiles checks the layout of the package. The check with the code pfc-loop is declared alone in pfc-loop.go, and is in the table.
// Declarations of a check's file are used in that file only. Declarations that several checks use are in the common files.
func TestFiles(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	fset := token.NewFileSet()
	var files []*ast.File
	rows := map[string]string{} // the variable of a check: its code
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
		checks := checksIn(t, file)
		if slices.Contains(common, name) {
			assert.Empty(t, checks, "%s is not the file of a check", name)
			continue
		}
		if assert.Len(t, checks, 1, "%s: one check, one file", name) {
			for variable, code := range checks {
				assert.Equal(t, code+".go", name, "the name of a check's file is its code")
				rows[variable] = code
			}
		}
	}
	for _, name := range common {
		assert.Contains(t, names, name)
	}

	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", exports(t))}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := conf.Check("github.com/rocec/rocec/validate", fset, files, &info)
	require.NoError(t, err)
	fileOf := func(at token.Pos) string { return fset.Position(at).Filename }
	var listed []string
	for id, of := range info.Uses {
		if of.Pkg() != pkg {
			continue
		}
		from, by := fileOf(of.Pos()), fileOf(id.Pos())
		if by == "checks.go" && rows[id.Name] != "" {
			listed = append(listed, rows[id.Name])
			continue
		}
		assert.True(t, from == by || slices.Contains(common, from), "%s uses %s of %s: move it to facts.go or say.go", by, id.Name, from)
	}
	var codes []string
	for _, c := range validate.Checks {
		codes = append(codes, c.Code)
	}
	assert.ElementsMatch(t, codes, listed)
	assert.Len(t, rows, len(listed), "every check is in the table of checks.go, once")
}

// checksIn returns the checks a file declares: variables with the code of their row.
func checksIn(t *testing.T, file *ast.File) map[string]string {
	t.Helper()
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, value := range v.Values {
			at, ok := value.(*ast.UnaryExpr)
			if !ok {
				continue
			}
			row, ok := at.X.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if id, ok := row.Type.(*ast.Ident); !ok || id.Name != "Check" {
				continue
			}
			for _, e := range row.Elts {
				if field := e.(*ast.KeyValueExpr); field.Key.(*ast.Ident).Name == "Code" {
					code, err := strconv.Unquote(field.Value.(*ast.BasicLit).Value)
					require.NoError(t, err)
					out[v.Names[i].Name] = code
				}
			}
		}
		return true
	})
	return out
}

// exports returns the export data of the packages that validate imports.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	list, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".").Output()
	require.NoError(t, err)
	written := map[string]string{}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		written[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(written[path]) }
}
