//go:build unix

package machinetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Where the process began: a test may change its folder and HOME.
var (
	began, _ = os.Getwd()
	cache, _ = os.UserCacheDir()
)

// Rocec returns the path of a binary of rocec with the tag "faults". Its environment may shorten the waits of a change of a device
// (cmd/internal/session/faults.go); without these variables it does the same as a release. All packages of a run share it: `go run` keeps
// the binary in the build cache, so only the first caller links it.
func Rocec(t testing.TB) string {
	t.Helper()
	path, err := rocec()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var rocec = sync.OnceValues(func() (path string, err error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(cache, "rocec-test.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	// Without the lock two packages that ask at once would both link.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	// The run that links a binary runs a copy that is removed afterwards. The second run takes the binary of the cache.
	for range 2 {
		if path, err = where(); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the build cache keeps no binary: %w", err)
	}
	return path, nil
})

// where lets `go run` start echo with the binary, instead of the binary.
func where() (string, error) {
	cmd := exec.Command("go", "run", "-tags", "faults", "-exec", "echo", "github.com/rocec/rocec/cmd/rocec")
	cmd.Dir = began
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
