package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// A folded tree. Each path is folded on its own: devices on which it has the same content and mode share one file, in a
// folder named by their nodeset. So every content of a path is there once, also where devices differ in another path:
//
//	store[1-4]/usr/local/sbin/rocec-host
//	store[1-3]/etc/rocec/host/ens1f0.conf
//	store4/etc/rocec/host/ens1f0.conf
//
// A device has the files of every folder whose nodeset names it. Different sets of devices have different folders,
// because nodeset.Parse gives the set back.

// maxFolder bounds the name of a folder, in bytes; file systems take 255. The folder of a longer nodeset is named by its
// beginning, a tilde (which no name of a device holds) and a hash, and folderIndex holds the nodeset.
const maxFolder = 200

// folderIndex is the file beside the folders with a line "folder nodeset" for each shortened name. The underscore keeps
// it apart from the names of devices.
const folderIndex = "_folders.txt"

// foldFiles returns the files of a folded tree, and the content of folderIndex: empty where no name was shortened. The
// contents of files are hashed and not kept.
func foldFiles(tree *target.Tree) (files []builtFile, index string) {
	type key struct {
		path string
		mode fs.FileMode
		sum  [sha256.Size]byte
	}
	at := map[key]int{}
	last := map[string]summed{} // by path
	var devices [][]int         // by file, indexes of tree.Devices
	for i, d := range tree.Devices {
		for f := range written(d) {
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
				files = append(files, builtFile{device: d, file: f})
				devices = append(devices, nil)
			}
			devices[n] = append(devices[n], i)
		}
	}
	folders := map[string]string{} // by the bytes of the indexes: sets are large and few
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
		files[n].folder = name
	}
	slices.Sort(short)
	return files, strings.Join(short, "")
}

// summed is content and its hash. Hosts share the bytes of their script, which is hashed once.
type summed struct {
	data []byte
	sum  [sha256.Size]byte
}

// is reports whether data is the same piece of memory. While it is held here, no other content can be there.
func (s summed) is(data []byte) bool {
	return len(data) > 0 && len(data) == len(s.data) && &data[0] == &s.data[0]
}

// folderName returns the name of the folder of devices, and their nodeset.
func folderName(names []string) (folder, set string) {
	set = strings.Join(nodeset.Fold(names, nodeset.Devices), ",")
	if len(set) <= maxFolder {
		return set, set
	}
	sum := sha256.Sum256([]byte(set))
	hash := "~" + hex.EncodeToString(sum[:8])
	first, _ := nodeset.Few(names, nodeset.Devices, maxFolder-len(hash))
	return strings.Join(first, ",") + hash, set
}

// leftover returns a file below root that a folded build does not write, or "". Whoever reads the tree would take it
// for a file of all devices of its folder. Hidden folders, such as .git, and files beside the folders do no harm.
func leftover(root *os.Root, files []builtFile, index string) (string, error) {
	mine := map[string]bool{}
	for _, f := range files {
		mine[f.name()] = true
	}
	if _, err := root.Lstat(folderIndex); err == nil && index == "" {
		return folderIndex, nil
	}
	left := ""
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
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
