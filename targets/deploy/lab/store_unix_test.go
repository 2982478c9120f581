//go:build unix

package lab

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPipeInTheFolder: a pipe in the place of a device file does not block the lab.
func TestPipeInTheFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "devices"), 0o700))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "devices", "host01"), 0o600))
	l := open(t, dir, testTree())
	_, err := l.Find("host01")
	require.ErrorContains(t, err, "it is not a file of a lab")
	require.NoError(t, l.Close())
}
