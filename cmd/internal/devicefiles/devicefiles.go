// Package devicefiles reads the configuration files of devices that --device-config names ([Found]), within bounds.
package devicefiles

import (
	"bufio"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target/lint"
)

// Found contains the files of devices that paths name.
type Found struct {
	Files  []lint.File
	Passed int               // further files of the folder
	Hidden map[string][]byte // by name: files whose text must not be printed
	Dir    string            // the folder

	Snapshots []*snapshot.Manifest // the snapshots among the paths
}

// Read reads the named files, and every file with a known name in named folders and archives. A file that several paths name is read
// once.
func Read(names []string) (*Found, error) {
	if len(names) == 0 {
		return readOne("")
	}
	all := &Found{Hidden: map[string][]byte{}}
	have := map[string]bool{}
	for _, name := range names {
		one, err := readOne(name)
		if err != nil {
			return nil, err
		}
		all.Dir, all.Passed = cmp.Or(all.Dir, one.Dir), all.Passed+one.Passed
		all.Snapshots = append(all.Snapshots, one.Snapshots...)
		maps.Copy(all.Hidden, one.Hidden)
		for _, f := range one.Files {
			real := realName(f.Name)
			if !have[real] {
				all.Files = append(all.Files, f)
			}
			have[real] = true
		}
	}
	return all, nil
}

// From returns the path of a file relative to a folder, if possible.
func From(dir, name string) string {
	from, err := filepath.Abs(dir)
	to, wrong := filepath.Abs(name)
	if err != nil || wrong != nil || filepath.IsAbs(name) {
		return name
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		return rel
	}
	return name
}

// realName returns the same name for all paths of a file, such as relative paths and paths through links. A file inside of an archive
// keeps its name.
func realName(name string) string {
	if abs, err := filepath.Abs(filepath.FromSlash(name)); err == nil {
		name = abs
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	return name
}

// readOne reads a file, or every file with a known name in a folder or an archive.
func readOne(name string) (*Found, error) {
	if name == "" {
		return nil, exit.Fail(exit.Usage, "name a file or a folder")
	}
	info, err := os.Stat(name)
	switch {
	case os.IsNotExist(err):
		return nil, exit.Fail(exit.Usage, "there is no file or folder %s; rocec collect asks devices, and saves their files",
			diag.Escape(name))
	case err != nil:
		return nil, exit.Fail(exit.Usage, "%v", err)
	}
	found := &Found{Dir: name, Hidden: map[string][]byte{}}
	switch {
	case info.IsDir():
		found.Files, found.Passed, found.Snapshots, err = deviceFolder(name)
		return found, err
	case !info.Mode().IsRegular():
		return nil, exit.Fail(exit.Usage, "%s is neither a file nor a folder", name)
	}
	var data []byte
	why := ""
	f, out, err := globals.OpenNamed(name)
	if err != nil {
		why = readWhy(err)
	} else {
		defer f.Close()
		from := bufio.NewReaderSize(f, snapshot.HeadSize)
		if head, _ := from.Peek(snapshot.HeadSize); snapshot.IsArchive(head) { // a short file is read completely
			found.Files, found.Passed, found.Snapshots, err = archive(name, from)
			return found, err
		}
		data, why, _ = readDeviceFile(name, from)
	}
	file := lint.File{Name: diag.Escape(path.Clean(filepath.ToSlash(name))), Data: data, Why: why}
	found.Files, found.Dir = targets.ByNode([]lint.File{file}), filepath.Dir(name)
	for _, f := range found.Files {
		if out {
			found.Hidden[f.Name] = f.Data
		}
	}
	return found, nil
}

// deviceFolder reads every file with a known name below a folder, sorted by name, and counts the other files. It follows a link only to a
// file inside the folder.
func deviceFolder(dir string) (files []lint.File, passed int, snapshots []*snapshot.Manifest, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, nil, exit.Fail(exit.Usage, "%v", err)
	}
	defer root.Close()
	return findDeviceFiles(root.FS(), dir)
}

// findDeviceFiles reads the files of a folder called dir.
func findDeviceFiles(fsys fs.FS, dir string) (files []lint.File, passed int, snapshots []*snapshot.Manifest, err error) {
	g := newGathering(dir)
	entries := 0
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > deviceEntries {
			return g.tooMuch()
		}
		switch {
		case err != nil && (d == nil || d.IsDir() && name == "."):
			return err
		case d.IsDir():
			if err != nil { // the readable files are judged
				g.files = append(g.files, lint.File{Name: g.shown(name), Why: readWhy(err) + " It is a folder, and its files were not judged."})
				return fs.SkipDir
			}
			if strings.Count(name, "/") >= deviceDepth {
				return fmt.Errorf("%s is deeper than %d folders", path.Join(dir, name), deviceDepth)
			}
			return nil
		case !g.wants(name):
			return nil
		}
		info, err := fs.Stat(fsys, name)
		switch {
		case err != nil && d.Type()&fs.ModeSymlink != 0:
			return g.take(name, nil, "It is a link that leads out of the folder, or nowhere.")
		case err != nil:
			return g.take(name, nil, readWhy(err))
		case info.IsDir(): // by a link
			g.passed++
			return nil
		case !info.Mode().IsRegular():
			return g.take(name, nil, "It is not a regular file.")
		}
		f, err := fsys.Open(name)
		if err != nil {
			return g.take(name, nil, readWhy(err))
		}
		defer f.Close()
		return g.take(name, f, "")
	})
	if err != nil {
		return nil, 0, nil, exit.Fail(exit.Usage, "%v", err)
	}
	return g.end()
}
