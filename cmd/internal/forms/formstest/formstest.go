// Package formstest unfolds folded trees for tests.
package formstest

import (
	"path"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/nodeset"
)

// Unfold gives each device its files back: by device/path, from folder/path, with the content of forms.FolderIndex. A file that two folders
// give to one device fails the test.
func Unfold[T any](t require.TestingT, folded map[string]T, index string) map[string]T {
	sets := map[string]string{}
	for line := range strings.Lines(index) {
		folder, set, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		sets[folder] = set
	}
	out := map[string]T{}
	for name, content := range folded {
		folder, file, inside := strings.Cut(name, "/")
		if !inside { // beside the folders
			continue
		}
		set, short := sets[folder]
		if !short {
			set = folder
		}
		names, mistakes := nodeset.Parse(set, nodeset.Devices)
		require.Empty(t, mistakes, folder)
		for n := range names.All() {
			require.NotContains(t, out, path.Join(n.Device, file))
			out[path.Join(n.Device, file)] = content
		}
	}
	return out
}
