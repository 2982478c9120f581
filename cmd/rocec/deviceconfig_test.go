package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// What rocec writes is good by what it says of files found on switches: every golden traffic.conf.
func TestGoldenDeviceFiles(t *testing.T) {
	t.Chdir("../..")
	code, stdout, stderr := rocec(t, "validate", "--device-config", "golden", "--color", "never")
	require.Empty(t, stderr)
	require.Equal(t, exitGood, code, stdout)
	require.NotContains(t, stdout, "warning[")
	require.Regexp(t, `(?m)^[0-9]+ files are good:$`, stdout)
}

// A fleet is summed up by dialect.
func TestDeviceFleet(t *testing.T) {
	dir := t.TempDir()
	for i := range 21 { // up to 20 are named one by one
		name := filepath.Join(dir, fmt.Sprintf("leaf%02d-traffic.conf", i))
		require.NoError(t, os.WriteFile(name, []byte("traffic.packet_priority_source = 802.1p\n"), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.qos_features.conf"), []byte("default_ecn_conf.ecn_enable = true\n"), 0o600))
	code, stdout, _ := rocec(t, "validate", "--device-config", dir)
	require.Equal(t, exitGood, code)
	require.Contains(t, stdout, "22 files are good:\n  1 file: qos_features.conf of Cumulus Linux 4.4\n  21 files: traffic.conf of Cumulus Linux 2.5 to 3.4\n")
}

// Names are shown on one line, and without control characters, in every format.
func TestDeviceNames(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a\x1b[31m\nerror: b")
	require.NoError(t, os.Mkdir(name, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(name, "traffic.conf"), []byte("pfc.port_group_list = []\nx\x1b\n"), 0o600))
	for _, format := range []string{"text", "json", "sarif", "junit", "github", "gitlab"} {
		code, stdout, _ := rocec(t, "validate", "--device-config", dir, "--format", format, "--color", "never")
		require.Equal(t, exitErrors, code, format)
		require.NotContains(t, stdout, "\x1b", format)
		require.NotContains(t, stdout, "\nerror: b", format)
	}
}

// A folder that cannot be read does not keep the others from being judged, nor is it passed over.
func TestDeviceFolderUnreadable(t *testing.T) {
	require.Equal(t, "It cannot be read: permission denied.", readWhy(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}))
	files, err := findDeviceFiles(brokenFS{fstest.MapFS{
		"a/traffic.conf": {Data: []byte("pfc.port_group_list = []\n")},
		"b/traffic.conf": {Data: []byte("pfc.port_group_list = []\n")},
	}}, "dir")
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Equal(t, "dir/a/traffic.conf", files[0].Name)
	require.Empty(t, files[0].Why)
	require.Equal(t, "dir/b", files[1].Name)
	require.Equal(t, "It cannot be read: permission denied. It is a folder, and what lies in it was not judged.", files[1].Why)
}

// brokenFS has a folder b that cannot be read.
type brokenFS struct{ fstest.MapFS }

func (f brokenFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "b" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("permission denied")}
	}
	return f.MapFS.ReadDir(name)
}
