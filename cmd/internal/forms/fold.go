package forms

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// A folded tree. Each path is folded separately: devices with the same content and mode at the path share one file, in a folder named
// after their nodeset. So the tree contains every content of a path once, even if the devices differ in another path:
//
//	store[1-4]/usr/local/sbin/rocec-host
//	store[1-3]/etc/rocec/host/ens1f0.conf
//	store4/etc/rocec/host/ens1f0.conf
//
// A device has the files of every folder whose nodeset names it. Different sets of devices have different folders, because nodeset.Parse
// recovers the set from the name.

// FolderIndex is the file beside the folders with a line "folder nodeset" for each shortened name. The underscore distinguishes it from
// names of devices.
const FolderIndex = "_folders.txt"

// Folded is a folded tree.
type Folded struct {
	Files []File
	Index string // the content of FolderIndex; empty: no name is shortened, and the file does not exist
}

// Fold folds the files of a tree. It hashes their contents and does not keep them.
func Fold(tree *target.Tree) Folded {
	var files []File
	type key struct {
		path string
		mode fs.FileMode
		sum  [sha256.Size]byte
	}
	at := map[key]int{}
	last := map[string]summed{} // by path
	var devices [][]int         // by file, indexes of tree.Devices
	for i, d := range tree.Devices {
		for f := range builtFor(d) {
			data := render(d, f)
			s := last[f.Path]
			if !s.is(data) {
				s = summed{data, sha256.Sum256(data)}
				last[f.Path] = s
			}
			k := key{f.Path, f.Mode, s.sum}
			n, known := at[k]
			if !known {
				n = len(files)
				at[k] = n
				files = append(files, fileOf("", d, f))
				devices = append(devices, nil)
			}
			devices[n] = append(devices[n], i)
		}
	}
	folders := map[string]string{} // keyed by the bytes of the indexes: sets are large and few
	var short []string
	for n := range files {
		var set []byte
		for _, i := range devices[n] {
			set = binary.LittleEndian.AppendUint32(set, uint32(i))
		}
		name, known := folders[string(set)]
		if !known {
			names := make([]string, len(devices[n]))
			for j, i := range devices[n] {
				names[j] = tree.Devices[i].Name
			}
			var whole string
			if name, whole = folderName(names); name != whole {
				short = append(short, name+" "+whole+"\n")
			}
			folders[string(set)] = name
		}
		files[n].Name = path.Join(name, files[n].Name)
	}
	slices.Sort(short)
	return Folded{files, strings.Join(short, "")}
}

// summed is a content and its hash. Hosts share the bytes of their script, so it is hashed once.
type summed struct {
	data []byte
	sum  [sha256.Size]byte
}

// is reports whether data is the same memory. summed keeps a reference, so that memory cannot get other content.
func (s summed) is(data []byte) bool {
	return len(data) > 0 && len(data) == len(s.data) && &data[0] == &s.data[0]
}

// Leftover returns a file in a folder that is not part of the folded tree, or "". A reader of the tree would use such a file for all
// devices of the folder. Leftover ignores hidden folders, such as .git, and files beside the folders.
func (t Folded) Leftover(folder fs.FS) (string, error) {
	mine := nameSet(t.Files)
	if _, err := fs.Lstat(folder, FolderIndex); err == nil && t.Index == "" {
		return FolderIndex, nil
	}
	left := ""
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(name, ".") && name != ".":
			return fs.SkipDir
		case !d.IsDir() && strings.Contains(name, "/") && !mine[name]:
			left = name
			return fs.SkipAll
		}
		return nil
	})
	return left, err
}
