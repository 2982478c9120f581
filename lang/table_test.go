package lang

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/nexthops"
)

func TestTableAttribute(t *testing.T) {
	const empty = `{"format_version": "1.0", "switches": {}}`
	for _, c := range []struct {
		fabric, table string
		code, at      string
		says          string
	}{
		{`routing = "table"`, empty, "missing-attribute", "2:11", `Write table = "fib.json"`},
		{`table = "fib.json"`, empty, "table-unused", "2:9", `its routing is not "table"`},
		{"routing = \"ebgp\"\ntable = \"fib.json\"", empty, "table-unused", "3:9", `its routing is not "table"`},
		{"routing = \"tabel\"\ntable = \"fib.json\"", empty, "out-of-range", "2:11", `Did you mean "table"?`},
		{"routing = \"table\"\ntable = 7", empty, "wrong-type", "3:9", "the path of a file"},
		{"routing = \"table\"\ntable = \"../fib.json\"", empty, "bad-value", "3:9", "not a path of a file below the fabric's folder"},
		{"routing = \"table\"\ntable = \"/etc/passwd\"", empty, "bad-value", "3:9", "no leading slash"},
		{"routing = \"table\"\ntable = \"fib2.json\"", empty, "unreadable", "3:9", `"f/fib2.json" cannot be read: there is no such file`},
		{"routing = \"table\"\ntable = \"sub\"", empty, "unreadable", "3:9", "not a regular file"},
		{"routing = \"table\"\ntable = \"fib.json\"", "{\n\xff", "invalid-utf8", "2:1", "at byte 2"},
		{"routing = \"table\"\ntable = \"fib.json\"", "{\x00", "invalid-utf8", "1:2", "at byte 1"},
		{"routing = \"table\"\ntable = \"fib.json\"", "{", "table-invalid", "1:2", "The file ends inside the table"},
		{"routing = \"table\"\ntable = \"fib.json\"", strings.Repeat(" ", nexthops.MaxFile+1), "too-large", "3:9", "larger than 64 MiB"},
	} {
		s, ds := Load(fstest.MapFS{
			"f/fabric.hcl": {Data: []byte("fabric \"f\" {\n" + c.fabric + "\n}\n")},
			"f/fib.json":   {Data: []byte(c.table)}, "f/sub/x": {},
		}, "f", Options{})
		require.Len(t, ds, 1, "%s: %s", c.fabric, show(s, ds))
		assert.Equal(t, c.code, ds[0].Code)
		assert.Equal(t, c.at, fmt.Sprintf("%d:%d", ds[0].At.Start.Line, ds[0].At.Start.Column))
		assert.Contains(t, ds[0].Detail, c.says)
		assert.Nil(t, s.NextHops)
	}
	s, ds := Load(fstest.MapFS{
		"f/fabric.hcl":   {Data: []byte("fabric \"f\" {\n  routing = \"table\"\n  table = \"./sub/fib.json\"\n}\n")},
		"f/sub/fib.json": {Data: []byte(empty)},
	}, "f", Options{})
	require.Empty(t, show(s, ds))
	require.NotNil(t, s.NextHops)
	assert.Equal(t, "f/sub/fib.json", s.NextHops.Name)
	assert.Equal(t, empty, string(s.Files["f/sub/fib.json"]))
}

func TestTableLinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "fib.json"), []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "fib.json"), filepath.Join(dir, "fib.json")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "up")))
	for _, name := range []string{"fib.json", "up/fib.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"),
			[]byte("fabric \"f\" {\n  routing = \"table\"\n  table = \""+name+"\"\n}\n"), 0o600))
		s, ds := Load(os.DirFS(dir), ".", Options{})
		require.Len(t, ds, 1)
		assert.Equal(t, "unreadable", ds[0].Code)
		assert.Contains(t, ds[0].Detail, "links are not followed")
		assert.NotContains(t, show(s, ds), "secret")
	}
}
