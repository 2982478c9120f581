package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGateFiles finds the gates of an archive and of a package from the folder of rocec, and names the folder where there is none.
func TestGateFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Equal(t, []string{"/usr/bin", "/usr/bin/lib/rocec", "/usr/lib/rocec"}, gateFolders("/usr/bin"))
	require.Equal(t, []string{"/home/a", "/home/a/lib/rocec", "/home/lib/rocec"}, gateFolders("/home/a"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rocec-txn-armhf"), []byte("gate"), 0o600))
	text, err := GateFiles(dir)("armhf")
	require.NoError(t, err)
	require.Equal(t, "gate", string(text))
	_, err = GateFiles(dir)("arm64")
	require.EqualError(t, err, "there is no rocec-txn-arm64 in "+dir+": name its folder with --gates")
}
