//go:build !js

package journal

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of a journal. The end of the process releases it.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrAlive
	}
	return err
}

// unlock releases the lock. Closing the file is not enough: a process that is just being forked still has the descriptor.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// locked reports whether another process holds the lock.
func locked(f *os.File) bool {
	if errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return true
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return false
}
