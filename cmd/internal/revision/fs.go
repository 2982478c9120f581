package revision

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// entry is a file, a folder, a link or a submodule of a folder.
type entry struct {
	name, hash string
	mode       fs.FileMode
}

// The bounds of the files of a commit.
const (
	maxElement = 255     // bytes of the name of a file: a disk takes no longer one
	maxEntries = 100_000 // files and folders
	maxDepth   = 64      // folders in the path of a file
)

// The modes of git.
var modes = map[string]fs.FileMode{
	"40000": fs.ModeDir | 0o755, "100644": 0o644, "100664": 0o644, "100755": 0o755, "120000": fs.ModeSymlink | 0o777,
	"160000": fs.ModeIrregular, // a submodule, whose files are in another repository
}

// refusedError is the error for a commit with files that git itself would not have made, or with too many.
type refusedError struct{ Commit, Folder, Why string }

// Error names the commit and the folder.
func (e *refusedError) Error() string {
	if e.Folder == "." {
		return fmt.Sprintf("the commit %s is refused: its root folder %s", e.Commit, e.Why)
	}
	return fmt.Sprintf("the commit %s is refused: its folder %q %s", e.Commit, e.Folder, e.Why)
}

// failed returns an error with the path of the file. A [refusedError] names the folder itself.
func failed(op, name string, err error) error {
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		return refused
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// badName returns why git would not have made an entry with a name; empty: git could have. Such a name makes a walk endless, leads
// out of the folder of a copy, or makes the copy a repository with programs of its own.
func badName(name string) string {
	switch {
	case name == "" || name == "." || name == ".." || strings.Contains(name, "/") || strings.EqualFold(name, ".git"):
		return fmt.Sprintf("has an entry with the name %q", name)
	case len(name) > maxElement:
		return fmt.Sprintf("has an entry with a name of %d bytes, and %d are the maximum", len(name), maxElement)
	}
	return ""
}

// entries returns the entries of a folder, sorted by name. An error has the path of the folder.
func (f files) entries(hash, folder string) ([]entry, error) {
	r := f.r
	r.mu.Lock()
	have, known := r.folders[hash]
	r.mu.Unlock()
	if known {
		return have, nil
	}
	_, kind, data, err := r.object(hash)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		return nil, fmt.Errorf("it is a %s", kind)
	}
	var out []entry
	for width := len(hash) / 2; len(data) > 0; {
		mode, rest, ok := bytes.Cut(data, []byte(" "))
		name, rest, also := bytes.Cut(rest, []byte{0})
		if !ok || !also || len(rest) < width {
			return nil, errors.New("the folder object of git is incomplete")
		}
		if why := badName(string(name)); why != "" {
			return nil, &refusedError{r.Commit, folder, why}
		}
		out = append(out, entry{string(name), hex.EncodeToString(rest[:width]), modes[string(mode)]})
		data = rest[width:]
	}
	sort.Slice(out, func(i, k int) bool { return out[i].name < out[k].name })
	for i := 1; i < len(out); i++ {
		if out[i].name == out[i-1].name {
			return nil, &refusedError{r.Commit, folder, fmt.Sprintf("has two entries with the name %q", out[i].name)}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known += len(out); r.known > maxEntries {
		return nil, f.tooMany()
	}
	r.folders[hash] = out
	return out, nil
}

func (f files) tooMany() error {
	return &refusedError{f.r.Commit, ".", fmt.Sprintf("has more than %d files and folders", maxEntries)}
}

// Walk calls do for all files and folders of the commit, a folder before what is in it, until do returns an error or ctx ends. A
// folder that the commit has at several paths counts at each: few objects of git can be files without end.
func (r *Revision) Walk(ctx context.Context, do func(name string, d fs.DirEntry) error) error {
	seen, f := 0, files{r}
	return fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
			return nil
		}
		if seen++; seen > maxEntries {
			return f.tooMany()
		}
		return do(name, d)
	})
}

// FS returns the files of the commit, from the root of its repository. It follows links only inside of the commit.
func (r *Revision) FS() fs.FS { return files{r} }

type files struct{ r *Revision }

// mostLinks is the maximum number of links on the path to a file.
const mostLinks = 16

// find returns the entry of a path. With last it also follows a link at the end of the path.
func (f files) find(op, name string, last bool) (entry, error) {
	if !fs.ValidPath(name) {
		return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	at, links, rest := []entry{{name: ".", hash: f.r.root, mode: modes["40000"]}}, 0, strings.Split(name, "/")
	if name == "." {
		return at[0], nil
	}
	for len(rest) > 0 {
		word := rest[0]
		rest = rest[1:]
		switch {
		case word == "." || word == "":
			continue
		case word == ".." && len(at) == 1:
			return entry{}, &fs.PathError{Op: op, Path: name, Err: errors.New("a link leads out of the repository")}
		case word == "..":
			at = at[:len(at)-1]
			continue
		}
		if len(at) > maxDepth {
			return entry{}, &refusedError{f.r.Commit, ".", fmt.Sprintf("has folders more than %d deep", maxDepth)}
		}
		here := at[len(at)-1]
		if !here.mode.IsDir() {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		all, err := f.entries(here.hash, pathOf(at))
		if err != nil {
			return entry{}, failed(op, name, err)
		}
		i, found := slices.BinarySearchFunc(all, word, func(e entry, word string) int { return strings.Compare(e.name, word) })
		if !found {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		if all[i].mode&fs.ModeSymlink == 0 || len(rest) == 0 && !last {
			at = append(at, all[i])
			continue
		}
		to, err := f.data(all[i])
		if links++; err == nil && (links > mostLinks || path.IsAbs(string(to))) {
			err = errors.New("a link leads out of the repository, or in a circle")
		}
		if err != nil {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: err}
		}
		rest = append(strings.Split(string(to), "/"), rest...)
	}
	return at[len(at)-1], nil
}

// pathOf returns the path of the last of the entries, each of which is in the one before.
func pathOf(entries []entry) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	return path.Join(names...)
}

// data reads the content of a file, or the target of a link.
func (f files) data(e entry) ([]byte, error) {
	if e.mode&fs.ModeIrregular != 0 {
		return nil, errors.New("it is in a submodule, which is another repository")
	}
	_, kind, data, err := f.r.object(e.hash)
	if err == nil && kind != "blob" {
		err = fmt.Errorf("it is a %s", kind)
	}
	return data, err
}

// Open opens a file or a folder.
func (f files) Open(name string) (fs.File, error) {
	e, err := f.find("open", name, true)
	if err != nil {
		return nil, err
	}
	o := &opened{info: info{entry: e}, of: f, path: name}
	if e.mode.IsDir() {
		return o, nil
	}
	data, err := f.data(e)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	o.info.size, o.Reader = int64(len(data)), bytes.NewReader(data)
	return o, nil
}

// Lstat describes a file, a folder or a link.
func (f files) Lstat(name string) (fs.FileInfo, error) {
	e, err := f.find("lstat", name, false)
	if err != nil {
		return nil, err
	}
	return f.info(e)
}

// info describes an entry. The size of a file is known after it was read.
func (f files) info(e entry) (fs.FileInfo, error) {
	if !e.mode.IsRegular() {
		return info{entry: e}, nil
	}
	data, err := f.data(e)
	return info{e, int64(len(data))}, err
}

// listed is an entry in the listing of a folder.
type listed struct {
	entry
	of files
}

// Name returns the base name.
func (l listed) Name() string { return l.name }

// IsDir reports whether it is a folder.
func (l listed) IsDir() bool { return l.mode.IsDir() }

// Type returns the kind of the entry.
func (l listed) Type() fs.FileMode { return l.mode.Type() }

// Info describes the entry.
func (l listed) Info() (fs.FileInfo, error) { return l.of.info(l.entry) }

// ReadLink returns the target of a link.
func (f files) ReadLink(name string) (string, error) {
	e, err := f.find("readlink", name, false)
	if err == nil && e.mode&fs.ModeSymlink == 0 {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	to, err := f.data(e)
	return string(to), err
}

// ReadDir lists a folder.
func (f files) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := f.find("readdir", name, true)
	if err != nil {
		return nil, err
	}
	if !e.mode.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("it is not a folder")}
	}
	all, err := f.entries(e.hash, name)
	if err != nil {
		return nil, failed("readdir", name, err)
	}
	out := make([]fs.DirEntry, len(all))
	for i, one := range all {
		out[i] = listed{one, f}
	}
	return out, nil
}

// opened is an open file or folder.
type opened struct {
	*bytes.Reader
	info info
	of   files
	path string
	left []fs.DirEntry
	told bool
}

// Stat describes it.
func (o *opened) Stat() (fs.FileInfo, error) { return o.info, nil }

// Close does nothing: the content is in memory.
func (o *opened) Close() error { return nil }

// Read reads the file.
func (o *opened) Read(p []byte) (int, error) {
	if o.Reader == nil {
		return 0, &fs.PathError{Op: "read", Path: o.info.name, Err: errors.New("it is a folder")}
	}
	return o.Reader.Read(p)
}

// ReadDir lists the folder.
func (o *opened) ReadDir(n int) ([]fs.DirEntry, error) {
	if !o.told {
		all, err := o.of.entries(o.info.hash, o.path)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			o.left = append(o.left, listed{one, o.of})
		}
		o.told = true
	}
	if n <= 0 {
		n = len(o.left)
	} else if len(o.left) == 0 {
		return nil, io.EOF
	}
	out := o.left[:min(n, len(o.left))]
	o.left = o.left[len(out):]
	return out, nil
}

// info describes an entry. A commit keeps no times.
type info struct {
	entry
	size int64 // of a file that was read
}

// Name returns the base name.
func (i info) Name() string { return i.name }

// Size returns the number of bytes of a file.
func (i info) Size() int64 { return i.size }

// Mode returns the kind of the entry.
func (i info) Mode() fs.FileMode { return i.mode }

// ModTime returns no time.
func (i info) ModTime() time.Time { return time.Time{} }

// IsDir reports whether it is a folder.
func (i info) IsDir() bool { return i.mode.IsDir() }

// Sys returns nothing.
func (i info) Sys() any { return nil }
