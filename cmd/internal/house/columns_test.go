package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// mostColumns is the permitted width of a source line; a tab is one column.
const mostColumns = 140

// measureColumns counts the wider lines of Go in the whole module, including tests.
func measureColumns(t *testing.T, found figures) {
	wide := found.of("columns", "wide")
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > mostColumns {
				wide.add("%s:%d", filepath.ToSlash(name), n)
			}
		}
		return err
	}))
}
