// Package wholefile writes files completely or not at all: after a crash a file has its old or its new bytes, and the end of the program
// waits for a file that is being written.
package wholefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// writes is held for reading while a file is written, and for writing when the program ends.
var writes sync.RWMutex

// Begin starts a section in which files are written that must be complete. The caller calls done after the last byte.
func Begin() (done func()) {
	writes.RLock()
	return writes.RUnlock
}

// Wait returns when no file is being written. Until release is called, Begin blocks.
func Wait() (release func()) {
	writes.Lock()
	return writes.Unlock
}

// Replace writes a file beside name, syncs it and renames it over name. An existing file keeps its mode, and a link to it stays. A file
// that is not regular, such as /dev/null, is written directly.
func Replace(name string, data []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	return ReplaceLink(name, data, mode)
}

// ReplaceLink is [Replace] without following a link: the file replaces the link.
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
