// Package folder writes files below a [Folder], and does not touch files that are up to date.
//
// It reads the existing files each time instead of a list of times or hashes, so it notices every edit. Reading is cheap: it skips files
// of another size or mode, it needs one buffer, and the kernel walks the path.
//
// Equal files of many devices are written for each device. Hard links would be cheaper, but an edit of one file in place would change all
// of them. A folded tree has each content once.
package folder

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Folder is a folder to write to. Names and links cannot make it write outside.
type Folder struct {
	path  string
	root  *os.Root
	whole func() (done func())
	open  []openFolder // a chain of open folders below root: consecutive files are in few folders
	buf   []byte
}

type openFolder struct {
	name string
	root *os.Root
}

// bufferSize is the most bytes of a file that are compared at once.
const bufferSize = 64 << 10

// Open opens a folder, and creates it if needed. It calls whole before it changes a file, and done after the last byte, so the end of the
// program can wait.
func Open(path string, whole func() (done func())) (*Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{path: path, root: root, whole: whole, buf: make([]byte, bufferSize)}, nil
}

// Close closes the folder.
func (f *Folder) Close() {
	f.leave(0)
	f.root.Close() //nolint:errcheck // nothing was written through it
}

// FS returns the folder as a file system.
func (f *Folder) FS() fs.FS { return f.root.FS() }

// leave closes the open folders from depth n on.
func (f *Folder) leave(n int) {
	for _, o := range f.open[n:] {
		o.root.Close() //nolint:errcheck // nothing was written through it
	}
	f.open = f.open[:n]
}

// enter opens a folder below the root, and creates it if needed.
func (f *Folder) enter(dir string) (*os.Root, error) {
	at, depth := f.root, 0
	for part := range strings.SplitSeq(dir, "/") {
		if depth == len(f.open) || f.open[depth].name != part {
			f.leave(depth)
			next, err := at.OpenRoot(part)
			if errors.Is(err, fs.ErrNotExist) {
				if err = at.Mkdir(part, 0o777); err == nil {
					next, err = at.OpenRoot(part)
				}
			}
			if err != nil {
				return nil, err
			}
			f.open = append(f.open, openFolder{part, next})
		}
		at = f.open[depth].root
		depth++
	}
	f.leave(depth)
	return at, nil
}

// WriteNext is Write for one of many files. It is cheapest if consecutive files are in the same folder. It also compares a file behind a
// link to another folder.
func (f *Folder) WriteNext(name string, mode fs.FileMode, data []byte) (bool, error) {
	if f.holds(filepath.Join(f.path, filepath.FromSlash(name)), mode, data) {
		return false, nil
	}
	dir, err := f.enter(path.Dir(name))
	if err != nil { // such as a link: root refuses it if it leads out
		return f.Write(name, mode, data)
	}
	base := path.Base(name)
	if _, err := dir.Lstat(base); errors.Is(err, fs.ErrNotExist) {
		return true, f.create(dir, base, mode, data)
	}
	return f.Write(name, mode, data)
}

// holds reports whether a regular file has these bytes and this mode. It only reads.
func (f *Folder) holds(name string, mode fs.FileMode, data []byte) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != mode || info.Size() != int64(len(data)) {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	for len(data) > 0 {
		n, err := io.ReadFull(file, f.buf[:min(len(f.buf), len(data))])
		if err != nil || !bytes.HasPrefix(data, f.buf[:n]) {
			return false
		}
		data = data[n:]
	}
	return true
}

// create writes a new file.
func (f *Folder) create(dir *os.Root, name string, mode fs.FileMode, data []byte) error {
	defer f.whole()()
	file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(mode) // whatever the umask
	}
	return errors.Join(err, file.Close())
}

// Write writes a file unless it already has these bytes and this mode, and reports whether it wrote.
func (f *Folder) Write(name string, mode fs.FileMode, data []byte) (bool, error) {
	defer f.whole()()
	old, err := f.root.ReadFile(name)
	if err == nil && bytes.Equal(old, data) {
		if info, err := f.root.Stat(name); err == nil && info.Mode().Perm() == mode {
			return false, nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = f.root.WriteFile(name, data, mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := f.root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return false, err
		}
		err = f.root.WriteFile(name, data, mode)
	}
	if err != nil {
		return false, err
	}
	return true, f.root.Chmod(name, mode)
}
