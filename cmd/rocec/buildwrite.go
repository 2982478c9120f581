package main

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

// builder writes files below a folder, of which most are there already. What lies there is read each time, so that no edit is ever
// missed: there is no list of what was written last, by times or hashes. Reading is cheap because a file of another size or mode is
// not read at all, the rest goes through one buffer, and the kernel walks the path.
//
// Files that are alike on many devices are written for each. Hard links would be cheaper, and an edit of one of them in place would
// change all; build --fold is for those who want each content once.
type builder struct {
	out  string // the path of root
	root *os.Root
	open []openFolder // a chain below root, each in the one before it: files that follow each other are made in few folders
	buf  []byte
}

type openFolder struct {
	name string
	root *os.Root
}

func newBuilder(out string, root *os.Root) *builder {
	return &builder{out: out, root: root, buf: make([]byte, 64<<10)}
}

// close closes the folders that are open, but not root.
func (b *builder) close() { b.leave(0) }

// leave closes the open folders from depth n on.
func (b *builder) leave(n int) {
	for _, f := range b.open[n:] {
		f.root.Close() //nolint:errcheck // nothing was written through it
	}
	b.open = b.open[:n]
}

// enter opens a folder below root, and makes it if need be.
func (b *builder) enter(dir string) (*os.Root, error) {
	at, depth := b.root, 0
	for part := range strings.SplitSeq(dir, "/") {
		if depth == len(b.open) || b.open[depth].name != part {
			b.leave(depth)
			next, err := at.OpenRoot(part)
			if errors.Is(err, fs.ErrNotExist) {
				if err = at.Mkdir(part, 0o777); err == nil {
					next, err = at.OpenRoot(part)
				}
			}
			if err != nil {
				return nil, err
			}
			b.open = append(b.open, openFolder{part, next})
		}
		at = b.open[depth].root
		depth++
	}
	b.leave(depth)
	return at, nil
}

// write writes a file unless it is there with the same bytes and mode, and reports whether it wrote.
// Neither names nor planted links can make it write outside of the root.
func (b *builder) write(name string, mode fs.FileMode, data []byte) (bool, error) {
	if b.holds(filepath.Join(b.out, filepath.FromSlash(name)), mode, data) {
		return false, nil
	}
	dir, err := b.enter(path.Dir(name))
	if err != nil { // such as a link: the root knows whether it leads out
		return writeBelow(b.root, name, mode, data)
	}
	base := path.Base(name)
	if _, err := dir.Lstat(base); errors.Is(err, fs.ErrNotExist) {
		return true, create(dir, base, mode, data)
	}
	return writeBelow(b.root, name, mode, data)
}

// holds reports whether a regular file has these bytes and this mode. It only reads.
func (b *builder) holds(name string, mode fs.FileMode, data []byte) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != mode || info.Size() != int64(len(data)) {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	for len(data) > 0 {
		n, err := io.ReadFull(f, b.buf[:min(len(b.buf), len(data))])
		if err != nil || !bytes.HasPrefix(data, b.buf[:n]) {
			return false
		}
		data = data[n:]
	}
	return true
}

// create writes a file that is not there.
func create(dir *os.Root, name string, mode fs.FileMode, data []byte) error {
	defer wholeWrite()()
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask
	}
	return errors.Join(err, f.Close())
}

// writeBelow writes a file below root unless it holds the same bytes and mode already, and reports whether it wrote.
// Neither names nor planted links can lead out of root.
func writeBelow(root *os.Root, name string, mode fs.FileMode, data []byte) (bool, error) {
	defer wholeWrite()()
	old, err := root.ReadFile(name)
	if err == nil && bytes.Equal(old, data) {
		if info, err := root.Stat(name); err == nil && info.Mode().Perm() == mode {
			return false, nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = root.WriteFile(name, data, mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return false, err
		}
		err = root.WriteFile(name, data, mode)
	}
	if err != nil {
		return false, err
	}
	return true, root.Chmod(name, mode)
}
