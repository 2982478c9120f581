//go:build unix

package lab

import (
	"errors"
	"os"
	"syscall"
)

var errLocked = errors.New("another process holds the lock")

// lockFile locks a file for this process until it is closed.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
