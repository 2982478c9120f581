package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs/docstest"
)

// walked matches a row of docs/walkthrough.md that begins with a function.
var walked = regexp.MustCompile("(?m)^\\| `([A-Za-z.]+)` in `([a-z./-]+\\.go)` \\|")

// TestWalkthrough: every function that docs/walkthrough.md names exists in the named file, and golden contains every figure of the
// page.
func TestWalkthrough(t *testing.T) {
	m := theModule(t)
	page, err := os.ReadFile(filepath.Join(root, "docs/walkthrough.md"))
	require.NoError(t, err)
	rows := walked.FindAllSubmatch(page, -1)
	require.Equal(t, strings.Count(string(page), "\n| `"), len(rows), "every row names a function and its file")
	for _, row := range rows {
		assert.Contains(t, functionsOf(m, string(row[2])), string(row[1]), "%s", row[2])
	}
	fence := docstest.Fences(t, filepath.Join(root, "docs/walkthrough.md"))[0].Text
	cabling, err := os.ReadFile(filepath.Join(root, "examples/clos-v2-ecn/cabling.hcl"))
	require.NoError(t, err)
	assert.Contains(t, string(cabling), strings.TrimSpace(fence))
	built, err := os.ReadFile(filepath.Join(root, "golden/clos-v2-ecn/leaf[01-04]/etc/cumulus/datapath/traffic.conf"))
	require.NoError(t, err)
	assert.Contains(t, string(built), "\n"+regexp.MustCompile("pfc[a-z0-9_.]+ = [0-9]+").FindString(string(page))+"\n")
}

// functionsOf lists the functions of a file, and spells methods Type.Name.
func functionsOf(m *module, file string) (out []string) {
	if m.files[file] == nil {
		return nil
	}
	for _, d := range m.files[file].Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			name := fn.Name.Name
			if of := receiver(fn); of != "" {
				name = of + "." + name
			}
			out = append(out, name)
		}
	}
	return out
}
