package intake

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file far above the size limit is refused without reading it, and the message states the remedy.
func TestCablingTooLarge(t *testing.T) {
	name := filepath.Join(t.TempDir(), "topology.dot")
	require.NoError(t, os.WriteFile(name, nil, 0o666))
	require.NoError(t, os.Truncate(name, 50<<20))
	_, err := ReadFiles("ptm", name, nil)
	require.ErrorContains(t, err, "topology.dot has 50 MB, and the limit for a cabling file is 16 MB: give the cables as CSV")
}

// A copy keeps its name if the name needs no quotes and is free. Otherwise it gets another name.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"cables.csv", "my ports.csv", "fabric.lock", "x.hcl", "-x.csv"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a,b\n"), 0o666))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	s, err := ReadFiles("csv", at("cables.csv"), []string{at("my ports.csv"), at("cables.csv"), at("fabric.lock"), at("x.hcl"), at("-x.csv")})
	require.NoError(t, err)
	require.Equal(t, "cables.csv", s.Cables.Name)
	for i, f := range s.Sheets {
		require.Equal(t, []string{"sheet-1.csv", "sheet-2.csv", "sheet-3.csv", "sheet-4.csv", "sheet-5.csv"}[i], f.Name)
	}
	_, err = ReadFiles("csv", at("none.csv"), nil)
	require.Error(t, err)
	_, err = ReadFiles("csv", dir, nil)
	require.ErrorContains(t, err, "is not a file")
}
