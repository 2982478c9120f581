package validate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/validate"
)

var want = regexp.MustCompile(`# want "((?:[^"\\]|\\.)*)"`)

// TestChecks runs the whole table on testdata/CODE/bad.hcl, where every diagnostic must be wanted on its line and every
// want be met, at least one by the check of that code; and on good.hcl, where nothing may be found.
func TestChecks(t *testing.T) {
	for _, c := range validate.Checks {
		t.Run(c.Code, func(t *testing.T) {
			dir := filepath.Join("testdata", c.Code)
			bad, err := os.ReadFile(filepath.Join(dir, "bad.hcl"))
			require.NoError(t, err, "every check has a folder")
			r := validate.Run(compilertest.Compile(t, bad), nil)
			wants := map[int][]*regexp.Regexp{} // by line
			for i, line := range strings.Split(string(bad), "\n") {
				for _, m := range want.FindAllStringSubmatch(line, -1) {
					wants[i+1] = append(wants[i+1], regexp.MustCompile(strings.ReplaceAll(m[1], `\"`, `"`)))
				}
			}
			own := false
			for _, d := range r.Diagnostics {
				text := d.Code + ": " + d.Detail
				line := d.At.Start.Line
				i := slices.IndexFunc(wants[line], func(re *regexp.Regexp) bool { return re.MatchString(text) })
				if i < 0 {
					t.Errorf("line %d: not wanted: %s", line, text)
					continue
				}
				wants[line] = slices.Delete(wants[line], i, i+1)
				own = own || d.Code == c.Code
				assert.Equal(t, summaryOf(d.Code), d.Summary)
			}
			for line, left := range wants {
				for _, re := range left {
					t.Errorf("line %d: not found: %s", line, re)
				}
			}
			assert.True(t, own, "bad.hcl shows what the check finds")

			good, err := os.ReadFile(filepath.Join(dir, "good.hcl"))
			require.NoError(t, err)
			for _, d := range validate.Run(compilertest.Compile(t, good), nil).Diagnostics {
				t.Errorf("good.hcl:%d: %s: %s", d.At.Start.Line, d.Code, d.Detail)
			}
		})
	}
}

func summaryOf(code string) string {
	i := slices.IndexFunc(validate.Checks, func(c *validate.Check) bool { return c.Code == code })
	return validate.Checks[i].Summary
}

// TestTable holds the table to what it promises: documented rows, stable codes, no folder without a row, and every *Check
// declared in the package is in it.
func TestTable(t *testing.T) {
	codes := map[string]bool{}
	for _, c := range validate.Checks {
		assert.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, c.Code)
		assert.False(t, codes[c.Code], "%s is in the table twice", c.Code)
		codes[c.Code] = true
		assert.NotEmpty(t, c.Summary, c.Code)
		assert.False(t, strings.HasSuffix(c.Summary, "."), c.Code)
		assert.Contains(t, c.Doc, "Example", c.Code)
		assert.Contains(t, c.Doc, "How to mend it", c.Code)
		assert.NotNil(t, c.Run, c.Code)
	}
	dirs, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, d := range dirs {
		assert.True(t, codes[d.Name()] || d.Name() == "rapid", "testdata/%s has no check", d.Name())
	}

	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	declared := map[string]string{} // name of the variable: its file
	listed := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		inspect(file, name, declared, listed)
	}
	assert.NotEmpty(t, declared)
	byFile := map[string]string{}
	for check, file := range declared {
		assert.True(t, listed[check], "%s of %s is not in the table of checks.go", check, file)
		if other := byFile[file]; other != "" {
			t.Errorf("%s holds %s and %s: one check, one file", file, check, other)
		}
		byFile[file] = check
	}
	assert.Len(t, validate.Checks, len(declared))
}

// inspect collects the variables of type *Check a file declares, and the names its table Checks lists.
func inspect(file *ast.File, name string, declared map[string]string, listed map[string]bool) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			for i, value := range v.Values {
				switch x := value.(type) {
				case *ast.UnaryExpr:
					if lit, ok := x.X.(*ast.CompositeLit); ok {
						if id, ok := lit.Type.(*ast.Ident); ok && id.Name == "Check" {
							declared[v.Names[i].Name] = name
						}
					}
				case *ast.CompositeLit:
					if v.Names[i].Name != "Checks" {
						continue
					}
					for _, e := range x.Elts {
						listed[e.(*ast.Ident).Name] = true
					}
				}
			}
		}
	}
}

// TestDocsFit holds every Doc to the width it is printed at.
func TestDocsFit(t *testing.T) {
	for _, c := range validate.Checks {
		for line := range strings.SplitSeq(c.Doc, "\n") {
			assert.LessOrEqual(t, len([]rune(line)), 100, "%s: %s", c.Code, line)
		}
	}
}
