//go:build unix

package machinetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// held is the lock on the folder of this process. The kernel releases it when the process ends for any reason.
var held *os.File

// folder makes a folder for the files of this process. It removes folders of earlier processes, such as killed ones.
func folder(in string) (string, error) {
	const prefix = "rocec-test-"
	old, err := filepath.Glob(filepath.Join(in, prefix+"*"))
	if err != nil {
		return "", err
	}
	for _, dir := range old {
		if f, err := lock(dir); err == nil {
			os.RemoveAll(dir) //nolint:errcheck // it may be of another user
			f.Close()
		}
	}
	dir, err := os.MkdirTemp(in, prefix)
	if err != nil {
		return "", err
	}
	held, err = lock(dir)
	if err == nil { // chmod fails if another process removed the folder as an old one before it was locked
		err = os.Chmod(dir, fs.ModeSticky|0o777) // the mode of /tmp, since tests run programs as other users
	}
	return dir, err
}

// lock locks a folder, unless another process has locked it.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
