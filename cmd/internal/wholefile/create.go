package wholefile

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
)

// Create writes new files below a folder, and creates the folder if it is missing. Names have slashes. If a file already exists or cannot
// be written, Create removes everything that it has created.
func Create(dir string, files iter.Seq2[string, []byte]) (err error) {
	defer Begin()()
	_, missing := os.Lstat(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	var undo []string // created by Create, in order
	defer func() {
		for i := len(undo) - 1; err != nil && i >= 0; i-- {
			root.Remove(undo[i]) //nolint:errcheck // a folder that is not empty has files of others
		}
		root.Close() //nolint:errcheck // everything is synced
		if err != nil && missing != nil {
			os.Remove(dir) //nolint:errcheck // as above
		}
	}()
	for name, data := range files {
		for i, c := range name {
			if c == '/' {
				if err := root.Mkdir(name[:i], 0o777); err == nil {
					undo = append(undo, name[:i])
				} else if !errors.Is(err, fs.ErrExist) {
					return err
				}
			}
		}
		if err := linkNew(root, name, data); err != nil {
			return err
		}
		undo = append(undo, name)
	}
	return nil
}

// linkNew writes a temporary file in the same folder, and links the complete file to its name. It fails if the name is taken.
func linkNew(root *os.Root, name string, data []byte) error {
	tmp := path.Join(path.Dir(name), ".rocec-new-"+path.Base(name))
	w, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer root.Remove(tmp) //nolint:errcheck // the file has its real name by now, or is incomplete
	_, err = w.Write(data)
	if err == nil {
		err = w.Sync()
	}
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err = root.Link(tmp, name); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, there := root.Lstat(name); there == nil { // a file system without hard links
		return &fs.PathError{Op: "link", Path: name, Err: fs.ErrExist}
	}
	return root.Rename(tmp, name)
}
