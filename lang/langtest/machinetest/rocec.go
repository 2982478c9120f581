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

// The folder and HOME at the start of the process. A test may change both.
var (
	began, _ = os.Getwd()
	cache, _ = os.UserCacheDir()
)

// Rocec returns the path of a binary of rocec with the tag "faults". Environment variables can shorten its waits during a change of a
// device (cmd/internal/session/faults.go). Without these variables it does the same as a release. All packages of a run share the
// binary: `go run` keeps it in the build cache, so only the first caller links it.
func Rocec(t testing.TB) string {
	t.Helper()
	return good(t, rocec)
}

// Rocecd returns the path of a binary of rocecd, as [Rocec] does.
func Rocecd(t testing.TB) string {
	t.Helper()
	return good(t, rocecd)
}

// NATSServer returns the path of a nats-server. Its minor version is another one than that of the server in rocecd: .ci/tools.mod has it.
func NATSServer(t testing.TB) string {
	t.Helper()
	return good(t, natsServer)
}

func good(t testing.TB, built func() (string, error)) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var (
	rocec  = sync.OnceValues(func() (string, error) { return built("rocec") })
	rocecd = sync.OnceValues(func() (string, error) { return built("rocecd") })

	natsServer = sync.OnceValues(func() (string, error) { return toolOf("nats-server") })
)

// built returns the path of the binary of a program.
func built(program string) (path string, err error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(cache, "rocec-test.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	// Without the lock, two packages that call this at once would both link the binary.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	// The first run links the binary and runs a copy, which is removed afterwards. The second run uses the binary of the cache.
	for range 2 {
		if path, err = where(program); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the build cache keeps no binary: %w", err)
	}
	return path, nil
}

// toolOf returns the path of a program that .ci/tools.mod names. `go tool -n` keeps it in the build cache.
func toolOf(name string) (string, error) {
	module, err := printed("env", "GOMOD")
	if err != nil {
		return "", err
	}
	return printed("tool", "-modfile="+filepath.Join(filepath.Dir(module), ".ci", "tools.mod"), "-n", name)
}

// where lets `go run` start echo with the path of the binary, instead of the binary.
func where(program string) (string, error) {
	return printed("run", "-tags", "faults", "-exec", "echo", "github.com/rocec/rocec/cmd/"+program)
}

// printed returns what the command go prints.
func printed(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = began
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
