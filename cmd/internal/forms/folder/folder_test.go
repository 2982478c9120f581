package folder

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// opened opens a folder, and counts how often a change of a file begins in it.
func opened(t *testing.T, dir string) (f *Folder, begun *int) {
	t.Helper()
	begun = new(int)
	f, err := Open(dir, func() func() { *begun++; return func() {} })
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f, begun
}

// Large files are compared to their end.
func TestHolds(t *testing.T) {
	f, _ := opened(t, t.TempDir())
	name := filepath.Join(f.path, "file")
	for _, size := range []int{0, 1, bufferSize - 1, bufferSize, bufferSize + 1, 3*bufferSize + 7} {
		data := bytes.Repeat([]byte("x"), size)
		require.NoError(t, os.WriteFile(name, data, 0o600))
		require.True(t, f.holds(name, 0o600, data))
		require.False(t, f.holds(name, 0o644, data))
		require.False(t, f.holds(name, 0o600, append(data, 'x')))
		if size > 0 {
			data[size-1] = 'y'
			require.False(t, f.holds(name, 0o600, data))
		}
	}
	require.False(t, f.holds(filepath.Dir(name), 0o755, nil), "a folder")
	require.False(t, f.holds(name+"x", 0o600, nil), "nothing")
}

// Write and WriteNext make the folders, report whether they wrote, and set the mode. WriteNext does not wait for a file that is up to
// date.
func TestWrite(t *testing.T) {
	type write func(f *Folder, name string, mode fs.FileMode, data []byte) (bool, error)
	for name, write := range map[string]write{"one": (*Folder).Write, "next": (*Folder).WriteNext} {
		t.Run(name, func(t *testing.T) {
			f, begun := opened(t, filepath.Join(t.TempDir(), "not", "there"))
			for _, step := range []struct {
				name, text string
				mode       fs.FileMode
				wrote      bool
			}{
				{"a/b/c", "1", 0o644, true},
				{"a/b/c", "1", 0o644, false},
				{"a/d", "1", 0o755, true},
				{"a/b/c", "2", 0o644, true},
				{"a/b/c", "2", 0o755, true},
				{"e", "1", 0o644, true},
			} {
				before := *begun
				wrote, err := write(f, step.name, step.mode, []byte(step.text))
				require.NoError(t, err)
				require.Equal(t, step.wrote, wrote, step.name)
				require.True(t, !wrote || *begun > before, "it does not announce a write to the code that ends the program")
				text, err := fs.ReadFile(f.FS(), step.name)
				require.NoError(t, err)
				require.Equal(t, step.text, string(text))
				info, err := fs.Stat(f.FS(), step.name)
				require.NoError(t, err)
				require.Equal(t, step.mode, info.Mode().Perm())
			}
		})
	}
	f, begun := opened(t, t.TempDir())
	_, err := f.WriteNext("a", 0o644, nil)
	require.NoError(t, err)
	*begun = 0
	_, err = f.WriteNext("a", 0o644, nil)
	require.NoError(t, err)
	require.Zero(t, *begun)
}

// Names and links to places outside of the folder are errors, and no file outside changes.
func TestWriteStaysInside(t *testing.T) {
	outside := t.TempDir()
	f, _ := opened(t, t.TempDir())
	require.NoError(t, os.Symlink(outside, filepath.Join(f.path, "link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "file"), filepath.Join(f.path, "file")))
	for _, name := range []string{"link/a", "link/a/b", "file", "../a"} {
		_, err := f.Write(name, 0o644, []byte("x"))
		require.Error(t, err, name)
		_, err = f.WriteNext(name, 0o644, []byte("x"))
		require.Error(t, err, name)
	}
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}
