// Package devicefiles reads the configuration files of devices that --device-config names ([Found]), within bounds.
package devicefiles

import (
	"cmp"
	"errors"
	"fmt"
	"io"
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
	"github.com/rocec/rocec/targets/target/lint"
)

// The bounds of a folder of device files.
const (
	deviceDepth   = 16
	deviceEntries = 200_000
	deviceFiles   = 10_000
	deviceBytes   = 256 << 20
)

// Found is the files of devices that a path names.
type Found struct {
	Files  []lint.File
	Passed int               // further files of the folder
	Hidden map[string][]byte // by name: files whose text is not to be printed
	Dir    string            // the folder
}

// Read reads files, and every file of a known name below folders. A file that several of the paths name is read once.
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
		maps.Copy(all.Hidden, one.Hidden)
		for _, f := range one.Files {
			if !have[f.Name] {
				all.Files = append(all.Files, f)
			}
			have[f.Name] = true
		}
	}
	return all, nil
}

// readOne reads a file, or every file of a known name below a folder.
func readOne(name string) (*Found, error) {
	if name == "" {
		return nil, exit.Fail(exit.Usage, "name a file or a folder")
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "%v", err)
	}
	found := &Found{Dir: name, Hidden: map[string][]byte{}}
	switch {
	case info.IsDir():
		if found.Files, found.Passed, err = deviceFolder(name); err != nil {
			return nil, err
		}
		return found, nil
	case !info.Mode().IsRegular():
		return nil, exit.Fail(exit.Usage, "%s is neither a file nor a folder", name)
	}
	out := false
	data, why := readDeviceFile(name, func() (f fs.File, err error) {
		f, out, err = globals.OpenNamed(name)
		return f, err
	})
	file := lint.File{Name: diag.Escape(path.Clean(filepath.ToSlash(name))), Data: data, Why: why}
	if found.Files, found.Dir = []lint.File{file}, filepath.Dir(name); out {
		found.Hidden[file.Name] = data
	}
	return found, nil
}

// deviceFolder reads every file below a folder that has a name to look for, in the order of names, and counts the others. Links are
// followed inside the folder only, and never into folders.
func deviceFolder(dir string) (files []lint.File, passed int, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, exit.Fail(exit.Usage, "%v", err)
	}
	defer root.Close()
	return findDeviceFiles(root.FS(), dir)
}

// findDeviceFiles reads the files of a folder called dir.
func findDeviceFiles(fsys fs.FS, dir string) (files []lint.File, passed int, err error) {
	entries, size := 0, 0
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > deviceEntries || len(files) > deviceFiles || size > deviceBytes {
			return fmt.Errorf("%s holds more than %s files of switches, %s files of any kind, or %d MiB: name a folder with less in it",
				dir, diag.Number(deviceFiles), diag.Number(deviceEntries), deviceBytes>>20)
		}
		switch {
		case err != nil && (d == nil || d.IsDir() && name == "."):
			return err
		case d.IsDir():
			if err != nil { // files that can be read are judged
				files = append(files, lint.File{
					Name: diag.Escape(path.Join(filepath.ToSlash(dir), name)),
					Why:  readWhy(err) + " It is a folder, and its files were not judged.",
				})
				return fs.SkipDir
			}
			if strings.Count(name, "/") >= deviceDepth {
				return fmt.Errorf("%s is deeper than %d folders", path.Join(dir, name), deviceDepth)
			}
			return nil
		case !targets.Searched(lint.File{Name: name}, false):
			passed++
			return nil
		}
		file := lint.File{Name: diag.Escape(path.Join(filepath.ToSlash(dir), name))}
		info, err := fs.Stat(fsys, name)
		switch {
		case err != nil && d.Type()&fs.ModeSymlink != 0:
			file.Why = "It is a link that leads out of the folder, or nowhere."
		case err != nil:
			file.Why = readWhy(err)
		case info.IsDir(): // by a link
			passed++
			return nil
		case !info.Mode().IsRegular():
			file.Why = "It is not a regular file."
		default:
			file.Data, file.Why = readDeviceFile(name, func() (fs.File, error) { return fsys.Open(name) })
		}
		if !targets.Searched(file, true) {
			passed++
			return nil
		}
		size += len(file.Data)
		files = append(files, file)
		return nil
	})
	if err != nil {
		return nil, 0, exit.Fail(exit.Usage, "%v", err)
	}
	files, lone := targets.WithoutLone(files)
	if names := targets.Linters().Names(); len(files) == 0 {
		return nil, 0, exit.Fail(exit.Usage, "no file below %s is called %s, or leaf01-%s and the like", dir,
			strings.Join(names, ", "), names[0])
	}
	return files, passed + lone, nil
}

// readDeviceFile reads a file, at most as much of it as shows that it is too large for its linter, or says why not.
func readDeviceFile(name string, open func() (fs.File, error)) (data []byte, why string) {
	f, err := open()
	if err != nil {
		return nil, readWhy(err)
	}
	defer f.Close()
	file := lint.File{Name: name}
	linters := targets.Linters()
	for most := linters.First(); ; most = linters.Of(file).Most { // whose file it is shows at its beginning
		rest, err := io.ReadAll(io.LimitReader(f, int64(most+1-len(file.Data))))
		if err != nil {
			return nil, readWhy(err)
		}
		file.Data = append(file.Data, rest...)
		if len(file.Data) <= most || most == linters.Of(file).Most {
			break
		}
	}
	return linters.Unmarked(file), ""
}

// readWhy is the cause of a failure to read, as a sentence.
func readWhy(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return "It cannot be read: " + err.Error() + "."
}
