//go:build unix

package machinetest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The packages that tests name for missing programs are the packages that .ci/deps installs.
func TestPackagesAreThoseOfDeps(t *testing.T) {
	data, err := os.ReadFile("../../../.ci/deps")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(data), "wanted='\n")
	list, _, _ = strings.Cut(list, "'")
	installed := map[string]bool{"bash": true, "bsdutils": true, "coreutils": true, "dash": true, "passwd": true} // every Debian has them
	for line := range strings.Lines(list) {
		name, pkg, ok := strings.Cut(strings.TrimSpace(line), ":")
		require.True(t, ok, line)
		installed[pkg] = true
		if known, ok := packages[name]; ok {
			require.Equal(t, known, pkg, name)
		}
	}
	require.Greater(t, len(installed), 20)
	for name, pkg := range packages {
		require.Contains(t, installed, pkg, name)
	}
}

// ended is a test that records how it ends.
type ended struct {
	testing.TB
	how, why string
}

func (e *ended) end(how, format string, args []any) {
	e.how, e.why = how, fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (e *ended) Helper()                           {}
func (e *ended) Fatalf(format string, args ...any) { e.end("fails", format, args) }
func (e *ended) Skipf(format string, args ...any)  { e.end("is skipped", format, args) }

// ends returns how a test ends; empty: the test continues.
func ends(test func(testing.TB)) (how, why string) {
	e := &ended{}
	var done sync.WaitGroup
	done.Go(func() { test(e) })
	done.Wait()
	return e.how, e.why
}

// The environment decides whether a test that lacks something, or takes long, is skipped or fails.
func TestMissing(t *testing.T) {
	for name, c := range map[string]struct{ ci, all, how string }{
		"a person":         {"", "", "is skipped"},
		"CI":               {"true", "", "fails"},
		"make test":        {"", "all", "fails"},
		"another variable": {"", "some", "is skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CI", c.ci)
			t.Setenv(envVar, c.all)
			for _, what := range []string{"rocec-no-such-tool", "/rocec/no/such/file"} {
				packages[what] = "rocec-none"
				defer delete(packages, what)
				how, why := ends(func(t testing.TB) { Need(t, what) })
				require.Equal(t, c.how, how)
				require.Equal(t, what+" is missing: apt-get install rocec-none", why)
			}
			how, _ := ends(func(t testing.TB) { Need(t, "rocec-of-no-package") })
			require.Equal(t, "fails", how, "a program without a package is a mistake in the test")
			run := flag.Lookup("test.run")
			was := run.Value.String()
			defer run.Value.Set(was) //nolint:errcheck // it was its value
			require.NoError(t, run.Value.Set(""))
			how, _ = ends(Long)
			require.Equal(t, map[string]string{"is skipped": "is skipped", "fails": ""}[c.how], how, "a test that takes long")
			require.NoError(t, run.Value.Set("TestMissing"))
			how, _ = ends(Long)
			require.Empty(t, how, "a test that is asked for by name runs")
		})
	}
	require.NotEmpty(t, Need(t, "stat"))
}

// Rocec returns a binary that runs. Every call returns the same binary.
func TestRocec(t *testing.T) {
	if testing.Short() {
		t.Skip("make check links no rocec; make test does")
	}
	path := Rocec(t)
	out, err := exec.Command(path, "version").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "rocec ")
	again, err := where("rocec")
	require.NoError(t, err)
	require.Equal(t, path, again)
}

// A folder in memory is not used if it is small, or if programs in it cannot run.
func TestRoomy(t *testing.T) {
	for mounts, want := range map[string]bool{
		"":                          false,
		"tmpfs /tmp tmpfs rw 0 0\n": false,
		"tmpfs /dev/shm tmpfs rw,relatime,size=24684092k 0 0\n":                                              true,
		"tmpfs /dev/shm tmpfs rw,nosuid,nodev,inode64 0 0\n":                                                 true,
		"shm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0\n":                               false,
		"shm /dev/shm tmpfs rw,relatime,size=65536k 0 0\n":                                                   false,
		"tmpfs /dev/shm tmpfs ro,relatime 0 0\n":                                                             false,
		"/dev/sda1 /dev/shm ext4 rw 0 0\n":                                                                   false,
		"tmpfs /dev/shm tmpfs rw 0 0\nshm /dev/shm tmpfs rw,noexec 0 0\n":                                    false,
		"proc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\ndevpts /dev/pts devpts rw,mode=620 0 0\nbad\n": true,
	} {
		require.Equal(t, want, roomy(mounts), mounts)
	}
}

// Values that the environment sets are kept.
func TestHasten(t *testing.T) {
	t.Setenv("TMPDIR", "/var/tmp")
	t.Setenv("GOGC", "50")
	was := debug.SetGCPercent(60)
	defer debug.SetGCPercent(was)
	Hasten()
	require.Equal(t, "/var/tmp", os.Getenv("TMPDIR"))
	require.Equal(t, "50", os.Getenv("GOGC"))
	require.Equal(t, 60, debug.SetGCPercent(was))

	t.Setenv("GOGC", "")
	Hasten()
	require.Equal(t, "400", os.Getenv("GOGC"))
	require.Equal(t, 400, debug.SetGCPercent(was))
}

// A process with a part of a processor runs fewer tests at once, but at least one.
func TestSideBySide(t *testing.T) {
	for share, want := range map[float64]int{1: 8, 0.5: 8, 0.39: 1, 0.2: 1, 0.01: 1} {
		require.Equal(t, want, sideBySide(8, share), share)
	}
	require.Positive(t, share())
	require.LessOrEqual(t, share(), 1.0)
}
