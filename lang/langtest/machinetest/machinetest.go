// Package machinetest gives tests of every room what they need of the machine: programs that are not ours, root, and one binary of rocec.
//
// A test that needs something that is missing is skipped with its name and the command that installs it. Where CI is set, or ROCEC_TEST
// is "all", the test fails, and no test is left out for being long.
package machinetest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// packages are the Debian packages of the programs and files that tests need. A test holds them to .ci/deps, which installs them.
var packages = map[string]string{
	"/usr/include/libmnl/libmnl.h": "libmnl-dev", "/usr/include/stdio.h": "libc6-dev",
	"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf": "fonts-dejavu-core",
	"bash": "bash", "busybox": "busybox", "chromedriver": "chromium-driver", "chromium": "chromium", "dash": "dash", "dcb": "iproute2",
	"devlink": "iproute2", "dot": "graphviz", "e2fsck": "e2fsprogs", "ethtool": "ethtool", "gc": "graphviz", "gcc": "gcc",
	"git":   "git",
	"groff": "groff-base", "iconv": "libc-bin", "ip": "iproute2", "jq": "jq", "ksh": "ksh93u+m", "mkfs.ext4": "e2fsprogs", "mksh": "mksh",
	"mmdebstrap": "mmdebstrap", "mount": "mount", "neato": "graphviz", "nsenter": "util-linux", "rdma": "iproute2", "script": "bsdutils",
	"sha256sum": "coreutils", "shellcheck": "shellcheck", "ssh": "openssh-client", "ssh-keygen": "openssh-client",
	"sshd": "openssh-server", "stat": "coreutils", "strace": "strace", "systemd-analyze": "systemd", "systemd-escape": "systemd",
	"systemd-nspawn": "systemd-container", "timeout": "coreutils", "unshare": "util-linux", "useradd": "passwd",
	"xmllint": "libxml2-utils", "yanglint": "libyang2-tools",
}

// envVar is the environment variable whose value "all" makes a test fail where something is missing, and runs the long ones.
const envVar = "ROCEC_TEST"

// Need returns the path of a program, or of a file that is named by its whole path. Where it is missing the test ends, see [Missing].
func Need(t testing.TB, name string) string {
	t.Helper()
	if packages[name] == "" {
		t.Fatalf("machinetest knows no Debian package of %s", name)
	}
	path, err := Find(name)
	if err != nil {
		Missing(t, "%v", err)
	}
	return path
}

// Find looks for what [Need] does. It looks for a program in PATH and, since PATH of a user often lacks them, in the folders of root's
// programs. Its error names the Debian package.
func Find(name string) (path string, err error) {
	if filepath.IsAbs(name) {
		if _, err := os.Stat(name); err == nil {
			return name, nil
		}
	}
	for _, dir := range []string{"", "/usr/local/sbin", "/usr/sbin", "/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is missing: apt-get install %s", name, packages[name])
}

// Root ends the test, see [Missing], where it does not run as root; why completes "only root".
func Root(t testing.TB, why string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "only root %s: run the tests as root", why)
	}
}

// Missing ends a test that cannot run on this machine, with the reason and what to do. The test fails where CI is set or ROCEC_TEST is
// "all", and is skipped elsewhere.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if all() {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Long skips a test that takes seconds of processor time where tests are [Quick].
func Long(t testing.TB) {
	t.Helper()
	if Quick() {
		t.Skipf("it takes seconds of processor time: run it with ROCEC_TEST=all, or by make test")
	}
}

// Quick reports whether long tests are left out. They run where CI is set, ROCEC_TEST is "all", or the command line names tests (-run),
// wants all of their cases (-whole) or has them write (-update).
func Quick() bool {
	given := func(name string) bool {
		f := flag.Lookup(name)
		return f != nil && f.Value.String() != f.DefValue
	}
	return !all() && !given("test.run") && !given("whole") && !given("update")
}

// all reports whether no test may be skipped.
func all() bool { return os.Getenv("CI") != "" || os.Getenv(envVar) == "all" }

// Parallel lets as many tests of a package run side by side as n for each processor: for tests that wait more than they compute. If the
// process gets a small part of a processor, as in a container with a quota, fewer tests run. Each then gets the time that it needs to meet
// the time-outs of real connections. TestMain calls it before it runs them; the flag -parallel of a command line holds over it.
func Parallel(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(sideBySide(n*runtime.NumCPU(), share()))); err != nil {
		panic(err) // the testing package has no such flag
	}
}

// sideBySide returns how many of most tests run at once in a share of a processor.
func sideBySide(most int, share float64) int {
	const enough = 0.4 // other packages, which are compiled or tested meanwhile, leave that
	if share >= enough {
		return most
	}
	return max(1, int(float64(most)*share/2)) // a test also waits while the others compute
}

// share measures which part of a processor this process gets: the processor time of a spin by its wall time, at most 1. A quota
// grants the first part of a period at once, so the spin takes some periods.
func share() float64 {
	const spin = 150 * time.Millisecond
	begin, used := time.Now(), processorTime()
	for processorTime()-used < spin { //nolint:revive // it computes on purpose
	}
	return min(1, float64(spin)/float64(time.Since(begin)))
}
