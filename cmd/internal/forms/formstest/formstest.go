// Package formstest unfolds folded trees for tests.
package formstest

import (
	"path"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/nodeset"
)

// Unfold returns the files of each device by device/path, from files by folder/path and the content of forms.FolderIndex. It fails the
// test if two folders have the same file of a device.
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
