package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// Files are parsed in parallel and in pieces. Their bodies are used, and their mistakes reported, in the order of names.
func TestFolder(t *testing.T) {
	const files = 30
	fsys, want := fstest.MapFS{}, map[string]int{}
	for i := range files {
		name, blocks := fmt.Sprintf("f/%02d.hcl", i), 1+i*20
		text := strings.Repeat("host \"h\" {\n  a = 1\n}\n", blocks)
		if i%10 == 5 {
			text += "host \"h\"\n{\n}\n"
		}
		fsys[name], want[name] = &fstest.MapFile{Data: []byte(text)}, blocks
	}
	require.Greater(t, len(fsys["f/29.hcl"].Data), 3*PieceSize)
	var names []string
	var ds diag.List
	got, pieces := map[string]int{}, 0
	r := NewReader()
	read := r.Folder(Folder{Name: "f", FS: fsys}, func(f File) {
		assert.Equal(t, fsys[f.Name].Data, f.Src)
		names = append(names, f.Name)
		got[f.Name] += len(f.Body.Blocks)
		pieces++
	}, nil, &ds)
	assert.True(t, slices.IsSorted(names))
	assert.Equal(t, files, read.Names)
	assert.Greater(t, pieces, files)
	var wrong []string
	for _, d := range ds {
		if !slices.Contains(wrong, d.At.Filename) {
			wrong = append(wrong, d.At.Filename)
		}
	}
	require.Equal(t, []string{"f/05.hcl", "f/15.hcl", "f/25.hcl"}, wrong)
	for name, blocks := range want {
		if !slices.Contains(wrong, name) {
			assert.Equal(t, blocks, got[name], name)
		}
	}
}
