package globals

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// overlayFS serves unsaved texts in the place of the files with the same names.
type overlayFS struct {
	*rootedFS
	unsaved map[string][]byte
}

// over returns a file system in which texts, if any, replace files.
func over(below *rootedFS, unsaved map[string][]byte) fs.FS {
	if unsaved == nil {
		return below
	}
	return &overlayFS{below, unsaved}
}

// Open opens a file or folder. A text replaces its file, even if the file does not exist.
func (o *overlayFS) Open(name string) (fs.File, error) {
	if text, ok := o.text(name); ok {
		return &openText{info: textInfo{path.Base(name), len(text)}, Reader: *bytes.NewReader(text)}, nil
	}
	return o.rootedFS.Open(name)
}

// ReadDir lists a folder, and the texts that belong in it.
func (o *overlayFS) ReadDir(name string) ([]fs.DirEntry, error) {
	rel, err := o.below("readdir", name)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(o.fs, rel)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found := len(entries) > 0 || err == nil
	for file, text := range o.unsaved {
		if path.Dir(file) != name {
			continue
		}
		found = true
		e := fs.FileInfoToDirEntry(textInfo{path.Base(file), len(text)})
		if i := slices.IndexFunc(entries, func(x fs.DirEntry) bool { return x.Name() == e.Name() }); i >= 0 {
			if entries[i].Type().IsRegular() { // a link stays a link, even with an unsaved text: it is not followed
				entries[i] = e
			}
		} else {
			entries = append(entries, e)
		}
	}
	if !found {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Lstat returns the type of a file; a text is a regular file.
func (o *overlayFS) Lstat(name string) (fs.FileInfo, error) {
	info, err := o.rootedFS.Lstat(name)
	if text, ok := o.text(name); ok && (err != nil || info.Mode().IsRegular()) {
		return textInfo{path.Base(name), len(text)}, nil
	}
	return info, err
}

func (o *overlayFS) text(name string) ([]byte, bool) {
	if _, err := o.below("open", name); err != nil {
		return nil, false
	}
	text, ok := o.unsaved[name]
	return text, ok
}

// openText is an open text.
type openText struct {
	info textInfo
	bytes.Reader
}

var _ io.ReaderAt = (*openText)(nil)

// Stat describes the text.
func (t *openText) Stat() (fs.FileInfo, error) { return t.info, nil }

// Close does nothing: there is nothing to release.
func (t *openText) Close() error { return nil }

// textInfo describes a text as a file.
type textInfo struct {
	name string
	size int
}

// The methods of [fs.FileInfo].
func (i textInfo) Name() string       { return i.name }
func (i textInfo) Size() int64        { return int64(i.size) }
func (i textInfo) Mode() fs.FileMode  { return 0o644 }
func (i textInfo) ModTime() time.Time { return time.Time{} }
func (i textInfo) IsDir() bool        { return false }
func (i textInfo) Sys() any           { return nil }
