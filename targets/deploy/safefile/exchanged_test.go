package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name that became another file between the opening and the check is refused, like a link.
func TestExchanged(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	require.NoError(t, os.WriteFile(one, nil, 0o600))
	require.NoError(t, os.WriteFile(two, nil, 0o600))
	f, err := os.Open(one)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, checkOpen(f, one, os.Lstat, one))
	exchanged := func(string) (fs.FileInfo, error) { return os.Lstat(two) }
	_, refused := errors.AsType[*Refused](checkOpen(f, one, exchanged, one))
	require.True(t, refused)

	folder, err := MakeFolder(filepath.Join(dir, "folder"), 1)
	require.NoError(t, err)
	defer folder.Close()
	require.NoError(t, folder.check(os.Lstat, folder.path))
	_, refused = errors.AsType[*Refused](folder.check(func(string) (fs.FileInfo, error) { return os.Lstat(dir) }, folder.path))
	require.True(t, refused)
}
