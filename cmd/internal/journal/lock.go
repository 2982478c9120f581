//go:build !js

package journal

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of a journal, which ends with its process.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrAlive
	}
	return err
}

// locked reports whether another process holds the lock.
func locked(f *os.File) bool {
	if errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return true
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return false
}
