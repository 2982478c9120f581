package wholefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// If one file cannot be written, all new files are removed, and the earlier files stay.
func TestCreateAllOrNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "lab")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "there"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "there", "old"), []byte("old"), 0o666))
	create := func(dir string, names ...string) error {
		return Create(dir, func(yield func(string, []byte) bool) {
			for i, name := range names {
				if !yield(name, []byte{byte('1' + i)}) {
					return
				}
			}
		})
	}
	require.ErrorIs(t, create(dir, "first", "x/y/second", "there/new", "there/old"), os.ErrExist)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	left, err = os.ReadDir(filepath.Join(dir, "there"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	old, err := os.ReadFile(filepath.Join(dir, "there", "old"))
	require.NoError(t, err)
	require.Equal(t, "old", string(old))

	missing := filepath.Join(t.TempDir(), "new")
	require.Error(t, create(missing, "a", "a"))
	require.NoDirExists(t, missing)
	require.NoError(t, create(dir, "first", "x/y/second", "there/new"))
	got, err := os.ReadFile(filepath.Join(dir, "x", "y", "second"))
	require.NoError(t, err)
	require.Equal(t, "2", string(got))
}
