// Package wholefile writes files so that a crash leaves the old bytes or the new ones, and so that the end of the program waits for a file
// that is being written.
package wholefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// writes is held for reading while a file is written, and for writing when the program ends.
var writes sync.RWMutex

// Begin begins to write files that must not be left half-written. The caller calls done behind the last byte.
func Begin() (done func()) {
	writes.RLock()
	return writes.RUnlock
}

// Wait returns when no file is being written. None is begun until release is called.
func Wait() (release func()) {
	writes.Lock()
	return writes.Unlock
}

// Replace writes a file beside name, syncs it and renames it over name. A file that was there keeps its mode, and a link to it stays. A
// file that is not regular, such as /dev/null, is written to.
func Replace(name string, data []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	return ReplaceLink(name, data, mode)
}

// ReplaceLink is [Replace] without following a link: the file takes the place of the link.
func ReplaceLink(name string, data []byte, mode fs.FileMode) error {
	defer Begin()()
	switch info, err := os.Lstat(name); {
	case err != nil, info.Mode()&fs.ModeSymlink != 0:
	case !info.Mode().IsRegular():
		return os.WriteFile(name, data, mode)
	default:
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".rocec-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // gone after the rename
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
