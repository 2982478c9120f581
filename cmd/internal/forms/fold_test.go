package forms

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/forms/formstest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// modeAndText contains the parts of a file that the tests compare.
type modeAndText struct {
	mode fs.FileMode
	text string
}

// Unfolding restores the files of every device, whatever devices are called and whatever they share. The tree has each content of a path
// once, and no folder name is too long.
func TestUnfoldGivesTheTreeBack(t *testing.T) {
	names := rapid.StringMatching(`[ab]?(([0-9]{1,3}|10)[-._]?[a]?){0,4}`).Filter(func(s string) bool {
		return nodeset.CheckDevice(s) == ""
	})
	shortened := 0
	law := func(t *rapid.T) {
		tree := &target.Tree{}
		want := map[string]modeAndText{}
		contents := map[string]bool{}
		long := rapid.SampledFrom([]string{"", "", strings.Repeat("-x", 20)}).Draw(t, "end of names")
		for _, name := range rapid.SliceOfNDistinct(names, 1, 30, rapid.ID).Draw(t, "names") {
			d := &target.Device{Name: name + long}
			for _, file := range []string{"/usr/sbin/script", "/etc/a.conf", "/etc/b.conf"} {
				mode := rapid.SampledFrom([]fs.FileMode{0o644, 0o755}).Draw(t, "mode")
				text := rapid.SampledFrom([]string{"", "", "", "1", "2", "none"}).Draw(t, "text")
				if text == "none" {
					continue
				}
				edit := func([]byte) ([]byte, diag.List) { return []byte(text), nil }
				d.Files = append(d.Files, target.File{Path: file, Mode: mode, Edit: edit})
				want[d.Name+file] = modeAndText{mode, text}
				contents[fmt.Sprint(file, mode, text)] = true
			}
			d.Files = append(d.Files, target.File{Path: "nic/eth0", Live: &target.Query{}})
			tree.Devices = append(tree.Devices, d)
		}
		folded := Fold(tree)
		require.Len(t, folded.Files, len(contents))
		got := map[string]modeAndText{}
		for _, f := range folded.Files {
			folder, file, _ := strings.Cut(f.Name, "/")
			require.LessOrEqual(t, len(folder), maxFolder)
			require.Contains(t, []string{"usr/sbin/script", "etc/a.conf", "etc/b.conf"}, file, "a folder name is one element of the path")
			require.NotContains(t, got, f.Name, "two files of one name")
			got[f.Name] = modeAndText{f.Mode, string(f.Content())}
		}
		require.Equal(t, want, formstest.Unfold(t, got, folded.Index))
		shortened += strings.Count(folded.Index, "\n")
	}
	for round := 0; round < 20 && shortened == 0; round++ { // with -short, one round makes few draws, perhaps none with a shortened name
		rapid.Check(t, law)
	}
	require.Positive(t, shortened)
}

// Leftover returns a file in a folder of the tree that is not part of the tree, and an index that the tree does not need.
func TestLeftoverOfAFoldedTree(t *testing.T) {
	folded := Folded{Files: []File{{Name: "leaf[1-2]/etc/a.conf"}}}
	for _, tc := range []struct{ there, want string }{
		{"leaf[1-2]/etc/a.conf", ""},
		{".git/config", ""},
		{"README.md", ""},
		{"leaf1/etc/a.conf", "leaf1/etc/a.conf"},
		{"leaf[1-2]/.hidden", "leaf[1-2]/.hidden"},
		{FolderIndex, FolderIndex},
	} {
		left, err := folded.Leftover(fstest.MapFS{tc.there: {}})
		require.NoError(t, err)
		require.Equal(t, tc.want, left)
	}
	folded.Index = "leaf1~0 leaf[1-2]\n"
	left, err := folded.Leftover(fstest.MapFS{FolderIndex: {}})
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestFolderName(t *testing.T) {
	var odd, odder []string
	for i := range 100 {
		odd = append(odd, fmt.Sprintf("gpu%03d", 2*i+1))
		odder = append(odder, fmt.Sprintf("gpu%03d", 2*i+1))
	}
	odder[99] = "gpu200"
	for _, tc := range []struct{ names, want string }{
		{"leaf01", "leaf01"},
		{"leaf01 leaf02 spine1", "leaf[01-02],spine1"},
		{"rack-1-2", "rack-1-[2]"},
	} {
		folder, set := folderName(strings.Fields(tc.names))
		require.Equal(t, []string{tc.want, tc.want}, []string{folder, set})
	}
	folder, set := folderName(odd)
	require.Regexp(t, `^gpu\[001,003,005,[0-9,]*\]~[0-9a-f]{16}$`, folder)
	require.LessOrEqual(t, len(folder), maxFolder)
	require.Greater(t, len(folder), maxFolder-10)
	require.Equal(t, strings.Join(nodeset.Fold(odd, nodeset.Devices), ","), set)
	other, _ := folderName(odder)
	require.NotEqual(t, folder, other, "names with the same beginning")
}
