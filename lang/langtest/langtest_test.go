package langtest

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestDump(t *testing.T) {
	fabric := fstest.MapFS{"fabric.hcl": {Data: []byte("fabric \"f\" {}\n")}, "pod/pod.hcl": {Data: []byte("locals {}\n")}}
	t.Setenv(variable, "")
	Dump(t, fabric) // to nowhere

	dir := t.TempDir()
	t.Setenv(variable, dir)
	Dump(t, fabric)
	Dump(t, fabric)
	found, err := filepath.Glob(filepath.Join(dir, "TestDump-*"))
	require.NoError(t, err)
	require.Len(t, found, 1, "equal fabrics are one folder")
	for name, file := range fabric {
		data, err := os.ReadFile(filepath.Join(found[0], name))
		require.NoError(t, err)
		require.Equal(t, file.Data, data)
	}
	require.NoFileExists(t, filepath.Join(found[0], "rocec.args"))

	Dump(t, fabric, Vars([]string{"a=b c"})...)
	found, err = filepath.Glob(filepath.Join(dir, "*", "rocec.args"))
	require.NoError(t, err)
	require.Len(t, found, 1, "with arguments it is another folder")
	data, err := os.ReadFile(found[0])
	require.NoError(t, err)
	require.Equal(t, "--var\na=b c\n", string(data))

	t.Run("in a/subtest: with #1", func(t *testing.T) { Dump(t, fabric) })
	found, err = filepath.Glob(filepath.Join(dir, "TestDump_in_a_subtest__with__1-*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
}
