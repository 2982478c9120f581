package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sourcePath matches the path of a source file from the root of the module.
var sourcePath = regexp.MustCompile(`\b(?:cmd|compiler|docs|examples|lang|targets|validate)/[\w/.-]+\.go\b`)

// TestPathsInComments: each file that a comment names exists.
func TestPathsInComments(t *testing.T) {
	m := theModule(t)
	found := 0
	for name, f := range m.files {
		for _, group := range f.Comments {
			for _, path := range sourcePath.FindAllString(group.Text(), -1) {
				found++
				_, err := os.Stat(filepath.Join(root, path))
				assert.NoError(t, err, "%s: %s", name, m.place(group))
			}
		}
	}
	require.NotZero(t, found)
}
