package devicefiles

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	nvue "github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// If a folder cannot be read, the others are still judged, and the folder is reported.
func TestDeviceFolderUnreadable(t *testing.T) {
	require.Equal(t, "It cannot be read: permission denied.", readWhy(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}))
	files, passed, _, err := findDeviceFiles(brokenFS{fstest.MapFS{
		"a/notes":        {Data: []byte("not a switch's\n")},
		"a/traffic.conf": {Data: []byte("pfc.port_group_list = []\n")},
		"b/traffic.conf": {Data: []byte("pfc.port_group_list = []\n")},
	}}, "dir")
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Equal(t, 1, passed)
	require.Equal(t, "dir/a/traffic.conf", files[0].Name)
	require.Empty(t, files[0].Why)
	require.Equal(t, "dir/b", files[1].Name)
	require.Equal(t, "It cannot be read: permission denied. It is a folder, and its files were not judged.", files[1].Why)
}

// A folder may have files of as many devices as rocec collect asks in a large network.
func TestDeviceFolderLarge(t *testing.T) {
	all := fstest.MapFS{}
	const devices = 4500
	for i := range devices {
		for _, name := range []string{"hostname", "lldp.json", "traffic.conf"} {
			all[fmt.Sprintf("leaf%04d/%s", i, name)] = &fstest.MapFile{Data: []byte("leaf\n")}
		}
	}
	files, _, _, err := findDeviceFiles(all, "dir")
	require.NoError(t, err)
	require.Len(t, files, 3*devices)
}

// Every file is read up to the size that its judge accepts, whatever its name. Each judge reports larger files itself.
func TestDeviceFileSizes(t *testing.T) {
	t.Parallel()
	row := `"SCHEDULER": {"s": {"type": "DWRR", "weight": "0"}}`
	object := func(size int) []byte {
		return []byte("{\n" + `"A": {"a": {"b": "` + strings.Repeat("x", size) + `"}},` + "\n" + row + "}\n")
	}
	tree := func(size int) []byte {
		return []byte("- set:\n    x: " + strings.Repeat("x", size) + "\n    qos:\n      pfc: {a: {cable-length: 0}}\n")
	}
	for _, c := range []struct {
		name string
		data []byte
		at   string // of the only finding
		says string
	}{
		{"config_db.json", object(0), "3:47", "weight is not from 1 to 100"},
		{"config_db.json", object(3 << 20), "3:47", "weight is not from 1 to 100"},
		{"saved", object(3 << 20), "3:47", "weight is not from 1 to 100"},
		{"saved", append([]byte("\xef\xbb\xbf \r\n"), object(3<<20)...), "4:47", "weight is not from 1 to 100"},
		{"leaf1-config_db.json", object(grammar.MaxSize), "1:1", "It is larger than 64 MiB"},
		{"traffic.conf", []byte(strings.Repeat("# x\n", 1<<20)), "1:1", "1 MiB"},
		{"startup.yaml", tree(3 << 20), "4:31", "from 1 to 100000"},
		{
			"leaf1.json", []byte(`{"set": {"x": "` + strings.Repeat("x", 3<<20) + "\",\n \"qos\": {\"pfc\": {\"a\": 3}}}}"), "2:23",
			"where NVUE has a mapping",
		},
		{"startup.yaml", tree(nvue.MaxSize), "1:1", "it is larger than 8 MiB"},
	} {
		data, why, _ := readDeviceFile(c.name, bytes.NewReader(c.data))
		require.Empty(t, why)
		ds := targets.Linters().Check([]lint.File{{Name: c.name, Data: data}}).Diagnostics
		require.Len(t, ds, 1, "%s of %d bytes", c.name, len(c.data))
		require.Contains(t, ds[0].Detail, c.says)
		require.Equal(t, c.at == "1:1", !strings.ContainsRune(`"03`, rune(data[ds[0].At.Start.Byte])), "the byte offset belongs to the place")
		require.Equal(t, c.at, fmt.Sprintf("%d:%d", ds[0].At.Start.Line, ds[0].At.Start.Column), c.name)
	}
}

// brokenFS has a folder b that cannot be read.
type brokenFS struct{ fstest.MapFS }

func (f brokenFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "b" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("permission denied")}
	}
	return f.MapFS.ReadDir(name)
}

// A file of a snapshot that exceeds the size limit is reported for its size, since its digest is not known.
func TestSnapshotLargeFile(t *testing.T) {
	data := []byte(strings.Repeat("# x\n", 1<<20))
	manifest := &snapshot.Manifest{Devices: []snapshot.Device{
		{Name: "leaf1", Answers: []snapshot.Answer{{File: "leaf1/traffic.conf", SHA256: snapshot.Sum(data)}}},
	}}
	g := newGathering("site")
	require.NoError(t, g.take("leaf1/traffic.conf", bytes.NewReader(data), ""))
	g.hold(".", manifest)
	require.Empty(t, g.files[0].Why)
	ds := targets.Linters().Check(g.files).Diagnostics
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Detail, "1 MiB")

	g = newGathering("site")
	require.NoError(t, g.take("leaf1/traffic.conf", strings.NewReader("# y\n"), ""))
	g.hold(".", manifest)
	require.Contains(t, g.files[0].Why, "its digest in snapshot.json differs", "a file that was read to its end is checked against its digest")
}

// A file with the objects of many nodes is a file for each node. It may be larger than a configuration of a switch, and has a limit.
func TestNodesOfAFile(t *testing.T) {
	item := "- apiVersion: configuration.net.nvidia.com/v1alpha1\n  kind: NicDevice\n  metadata: {name: %s}\n  status: {node: n%d}\n"
	var text strings.Builder
	text.WriteString("apiVersion: v1\nitems:\n")
	for n := range 800 {
		fmt.Fprintf(&text, item, strings.Repeat("x", 2000), n)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "nicdevices.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text.String()+"kind: List\n"), 0o600))
	for _, from := range []string{dir, name} {
		found, err := Read([]string{from})
		require.NoError(t, err)
		require.Len(t, found.Files, 800)
		assert.Equal(t, filepath.ToSlash(name)+"/n799.yaml", found.Files[799].Name)
		assert.Empty(t, found.Files[799].Why)
	}
	more := strings.Repeat(text.String(), nicoperator.MostFile/text.Len()+1)
	require.NoError(t, os.WriteFile(name, []byte(more), 0o600))
	found, err := Read([]string{name})
	require.NoError(t, err)
	require.Len(t, found.Files, 1)
	assert.Equal(t, "It is larger than 32 MiB.", found.Files[0].Why)
}
