//go:build unix

package lab

import (
	"errors"
	"os"
	"syscall"
)

var errLocked = errors.New("another process holds the lock")

// lockFile locks a file for this process until unlockFile.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// unlockFile releases the lock of a file. Closing the file is not enough, because a process that is just being forked still has the
// descriptor.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
