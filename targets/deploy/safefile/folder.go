package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Folder is an open folder that belongs to rocec. Names of files are slash-separated paths below the folder, and the same rules apply to
// each folder in the path. No file outside of the folder is read or written.
type Folder struct {
	path string
	root *os.Root
}

// OpenFolder opens a folder. own is how many of the last elements of its path are rocec's own: "…/rocec/runs" has two. The
// error is [fs.ErrNotExist] if one of them is missing. The rights of others on the user's own files are removed.
func OpenFolder(dir string, own int) (*Folder, error) { return openFolder(dir, own, false) }

// MakeFolder is like [OpenFolder], and makes missing folders.
func MakeFolder(dir string, own int) (*Folder, error) { return openFolder(dir, own, true) }

func openFolder(dir string, own int, create bool) (*Folder, error) {
	dir = filepath.Clean(dir)
	var below []string
	for range own - 1 {
		below = append([]string{filepath.Base(dir)}, below...)
		dir = filepath.Dir(dir)
	}
	f, err := openTop(dir, create)
	for _, name := range below {
		if err != nil {
			return nil, err
		}
		f, err = f.enter(name, create)
	}
	return f, err
}

// CheckFolder returns an error for a folder in which another user could exchange files. It does not change the folder: others may read it.
func CheckFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return linked(dir)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", diag.Escape(dir))
	}
	return check(dir, info)
}

// openTop opens the first folder in the path that belongs to rocec.
func openTop(dir string, create bool) (*Folder, error) {
	if create {
		if err := os.MkdirAll(dir, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	if info, err := os.Lstat(dir); err != nil {
		return nil, err
	} else if info.Mode()&fs.ModeSymlink != 0 {
		return nil, linked(dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir, root}
	if err := f.check(os.Lstat, dir); err != nil {
		return nil, closing(root, err)
	}
	f.restrict()
	return f, nil
}

// enter opens a folder in this folder, and closes this folder.
func (f *Folder) enter(name string, create bool) (*Folder, error) {
	defer f.root.Close() //nolint:errcheck // nothing was written
	if create {
		if err := f.root.Mkdir(name, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	below := &Folder{path: filepath.Join(f.path, name)}
	if info, err := f.root.Lstat(name); err != nil {
		return nil, named(below.path, err)
	} else if info.Mode()&fs.ModeSymlink != 0 {
		return nil, linked(below.path)
	}
	var err error
	if below.root, err = f.root.OpenRoot(name); err != nil {
		return nil, named(below.path, err)
	}
	if err := below.check(f.root.Lstat, name); err != nil {
		return nil, closing(below.root, err)
	}
	below.restrict()
	return below, nil
}

// check checks the owner and mode of the open folder.
func (f *Folder) check(lstat func(string) (fs.FileInfo, error), name string) error {
	info, err := f.root.Stat(".")
	if err != nil {
		return err
	}
	if err := sameName(info, f.path, lstat, name); err != nil {
		return err
	}
	return check(f.path, info)
}

// restrict removes the rights of other users on the folder, if the user owns it. If that fails, the folder keeps its mode.
func (f *Folder) restrict() {
	if info, err := f.root.Stat("."); err == nil {
		if mode, change := restricted(info); change {
			_ = f.root.Chmod(".", mode) // an error only affects secrecy, and the files in the folder have their own modes
		}
	}
}

// Path returns the path of the folder.
func (f *Folder) Path() string { return f.path }

// Close closes the folder. Its open files stay open.
func (f *Folder) Close() error { return f.root.Close() }

// Open opens a file to read it.
func (f *Folder) Open(name string) (*os.File, error) { return f.OpenFile(name, os.O_RDONLY) }

// OpenFile opens a file like [os.OpenFile]. It refuses [os.O_TRUNC], because the file would lose its content before the check.
func (f *Folder) OpenFile(name string, flag int) (*os.File, error) {
	if flag&os.O_TRUNC != 0 {
		panic("safefile: a file is judged before it is written")
	}
	if err := f.checkWay(path.Dir(name)); err != nil {
		return nil, err
	}
	full := f.full(name)
	if info, err := f.root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, linked(full)
	}
	file, err := f.root.OpenFile(name, flag|openFlags, fileMode)
	if err != nil {
		return nil, named(full, err)
	}
	if err := checkOpen(file, full, f.root.Lstat, name); err != nil {
		return nil, closing(file, err)
	}
	if info, err := file.Stat(); err == nil {
		if mode, change := restricted(info); change {
			_ = file.Chmod(mode) // on a read-only disk the file keeps its mode
		}
	}
	return file, nil
}

// named returns an error of [os.Root] with the whole path. Otherwise the error contains the name of a system call and a part of a path,
// which do not help a person.
func named(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "open", Path: path, Err: e.Err}
	}
	return err
}

// checkWay checks the folders in the path of a file. Other users cannot replace a checked folder meanwhile, because they cannot write its
// parents.
func (f *Folder) checkWay(dir string) error {
	for i, part := range strings.Split(dir, "/") {
		if part == "." && i == 0 {
			continue
		}
		name := path.Join(strings.Split(dir, "/")[:i+1]...)
		info, err := f.root.Lstat(name)
		switch {
		case err != nil:
			return named(f.full(name), err)
		case info.Mode()&fs.ModeSymlink != 0:
			return linked(f.full(name))
		case !info.IsDir():
			return fmt.Errorf("%s is not a folder", diag.Escape(f.full(name)))
		}
		if err := check(f.full(name), info); err != nil {
			return err
		}
		if mode, change := restricted(info); change {
			_ = f.root.Chmod(name, mode) // as in OpenFile
		}
	}
	return nil
}

func (f *Folder) full(name string) string { return filepath.Join(f.path, filepath.FromSlash(name)) }

// ReadFile reads a file of at most most bytes.
func (f *Folder) ReadFile(name string, most int64) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s %w than %d bytes", diag.Escape(f.full(name)), ErrTooLarge, most)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// WriteFile replaces a file as a whole, whatever was there before.
func (f *Folder) WriteFile(name string, data []byte) error {
	if err := f.checkWay(path.Dir(name)); err != nil {
		return err
	}
	return replace(f.root, name, data)
}

// MakeFolder makes a folder in this folder, with its parents. It checks a folder that exists already.
func (f *Folder) MakeFolder(name string) error {
	parts := strings.Split(name, "/")
	for i := range parts {
		if err := f.root.Mkdir(path.Join(parts[:i+1]...), folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := f.checkWay(path.Join(parts[:i+1]...)); err != nil {
			return err
		}
	}
	return nil
}

// ReadDir lists the folder.
func (f *Folder) ReadDir() ([]fs.DirEntry, error) { return fs.ReadDir(f.root.FS(), ".") }

// Remove removes a file, or an empty folder.
func (f *Folder) Remove(name string) error { return f.root.Remove(name) }

// RemoveAll removes a file, or a folder with its content.
func (f *Folder) RemoveAll(name string) error { return f.root.RemoveAll(name) }

// Sync waits until the names in a folder are on the disk; "." is the folder itself.
func (f *Folder) Sync(name string) error {
	d, err := f.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
