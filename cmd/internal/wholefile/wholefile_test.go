//go:build unix

package wholefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An existing file keeps its mode. The caller decides whether a link stays or is replaced. No other file is left in the folder.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(name, link))
	mode := func(name string) os.FileMode {
		info, err := os.Lstat(name)
		require.NoError(t, err)
		return info.Mode()
	}
	content := func(name string) string {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(data)
	}
	require.NoError(t, Replace(name, []byte("1"), 0o600))
	require.Equal(t, os.FileMode(0o600), mode(name))
	require.NoError(t, os.Chmod(name, 0o640))
	require.NoError(t, Replace(link, []byte("2"), 0o600))
	require.Equal(t, os.ModeSymlink, mode(link).Type())
	require.Equal(t, os.FileMode(0o640), mode(name))
	require.Equal(t, "2", content(name))
	require.NoError(t, ReplaceLink(link, []byte("3"), 0o600))
	require.Equal(t, os.FileMode(0o600), mode(link))
	require.Equal(t, "2", content(name))
	require.Equal(t, "3", content(link))
	require.NoError(t, Replace(os.DevNull, []byte("4"), 0o600))
	require.Error(t, Replace(filepath.Join(dir, "no", "file"), nil, 0o600))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

// Wait returns when the last writer is done.
func TestWait(t *testing.T) {
	done := Begin()
	ends := make(chan func())
	go func() { ends <- Wait() }()
	select {
	case <-ends:
		t.Fatal("a file is being written")
	default:
	}
	done()
	(<-ends)()
}
