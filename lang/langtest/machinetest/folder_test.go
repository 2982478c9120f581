//go:build unix

package machinetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process removes the folders in memory that killed processes left. Folders of running processes and of other programs stay.
func TestFolder(t *testing.T) {
	defer func(was *os.File) { held = was }(held)
	in := t.TempDir()
	other := filepath.Join(in, "other")
	require.NoError(t, os.Mkdir(other, 0o700))
	first, err := folder(in)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(first, "f"), nil, 0o600))
	info, err := os.Stat(first)
	require.NoError(t, err)
	require.Equal(t, fs.ModeDir|fs.ModeSticky|0o777, info.Mode(), "as /tmp")
	running := held

	second, err := folder(in)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.FileExists(t, filepath.Join(first, "f"))

	require.NoError(t, running.Close()) // its process ends
	beside := held
	third, err := folder(in)
	require.NoError(t, err)
	require.NoDirExists(t, first)
	for _, dir := range []string{second, third, other} {
		require.DirExists(t, dir)
	}
	require.NoError(t, beside.Close())
	require.NoError(t, held.Close())
}
