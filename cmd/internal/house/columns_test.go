package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// mostColumns is how wide a line of source is; a tab is one column.
const mostColumns = 140

// measureColumns counts the lines of Go that are wider, in the whole module, tests included.
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
