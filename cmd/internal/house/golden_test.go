package house

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// measureGolden counts the lines of golden, and the files with the same content as another file. golden should contain each content once.
func measureGolden(t *testing.T, found figures) {
	first := map[string]string{}
	lines, equal := found.of("golden", "lines"), found.of("golden", "equal")
	dir := filepath.Join(root, "golden")
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() { // golden/shared has the content behind a link
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if of, ok := first[string(text)]; ok {
			equal.add("golden/%s is %s", rel, of)
		} else {
			first[string(text)] = rel
		}
		lines.n += bytes.Count(text, []byte("\n"))
		return err
	}))
	require.Greater(t, len(first), 20, "golden is in the repository")
}
