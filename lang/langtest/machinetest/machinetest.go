// Package machinetest finds the programs that tests of all packages need, checks for root, and builds one binary of rocec.
//
// If something is missing, the test is skipped with a message that names it and the command that installs it. If CI is set, or
// ROCEC_TEST is "all", such a test fails instead, and long tests run, too.
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

// packages are the Debian packages of the programs and files that tests need. A test compares them with .ci/deps, which installs them.
var packages = map[string]string{
	"/usr/include/libmnl/libmnl.h": "libmnl-dev", "/usr/include/stdio.h": "libc6-dev", "/usr/lib/frr/bgpd": "frr", "/usr/lib/frr/zebra": "frr",
	"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf": "fonts-dejavu-core",
	"bash": "bash", "busybox": "busybox", "chromedriver": "chromium-driver", "chromium": "chromium", "dash": "dash", "dcb": "iproute2",
	"devlink": "iproute2", "dot": "graphviz", "e2fsck": "e2fsprogs", "ethtool": "ethtool", "gc": "graphviz", "gcc": "gcc",
	"git":   "git",
	"groff": "groff-base", "iconv": "libc-bin", "ip": "iproute2", "jq": "jq", "ksh": "ksh93u+m", "mkfs.ext4": "e2fsprogs", "mksh": "mksh",
	"mmdebstrap": "mmdebstrap", "mount": "mount", "neato": "graphviz", "nsenter": "util-linux",
	"prometheus": "prometheus", "promtool": "prometheus",
	"rdma": "iproute2", "script": "bsdutils", "sha256sum": "coreutils", "shellcheck": "shellcheck",
	"ssh": "openssh-client", "ssh-keygen": "openssh-client",
	"sshd": "openssh-server", "stat": "coreutils", "strace": "strace", "systemd-analyze": "systemd", "systemd-escape": "systemd",
	"systemd-nspawn": "systemd-container", "timeout": "coreutils", "unshare": "util-linux", "useradd": "passwd",
	"visudo": "sudo", "xmllint": "libxml2-utils", "yanglint": "libyang2-tools",
}

// envVar is the environment variable whose value "all" runs the long tests, and makes a test fail if something is missing.
const envVar = "ROCEC_TEST"

// Need returns the path of a program, or of a file with an absolute name. If it is missing, the test ends, see [Missing].
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

// Find is [Need] with an error. It searches for a program in PATH and in the folders of root's programs, which PATH of a user often
// lacks. Its error names the Debian package.
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

// Root ends the test, see [Missing], unless it runs as root; why completes the sentence "only root …".
func Root(t testing.TB, why string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "only root %s: run the tests as root", why)
	}
}

// Missing ends a test that cannot run on this machine, with the reason and the remedy. The test fails if CI is set or ROCEC_TEST is
// "all"; otherwise it is skipped.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if all() {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Long skips a test that takes seconds of processor time if tests are [Quick].
func Long(t testing.TB) {
	t.Helper()
	if Quick() {
		t.Skipf("it takes seconds of processor time: run it with ROCEC_TEST=all, or by make test")
	}
}

// Quick reports whether long tests are left out. They run if CI is set, if ROCEC_TEST is "all", or if the command line has the flag
// -run, -whole or -update.
func Quick() bool {
	given := func(name string) bool {
		f := flag.Lookup(name)
		return f != nil && f.Value.String() != f.DefValue
	}
	return !all() && !given("test.run") && !given("whole") && !given("update")
}

// all reports whether no test may be skipped.
func all() bool { return os.Getenv("CI") != "" || os.Getenv(envVar) == "all" }

// Parallel lets n tests of a package run in parallel for each processor. It is for tests that wait more than they compute. If the
// process gets a small part of a processor, as in a container with a quota, fewer tests run, so that each can meet the time-outs of
// real connections. TestMain calls it before it runs the tests. The flag -parallel of the command line has precedence.
func Parallel(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(sideBySide(n*runtime.NumCPU(), share()))); err != nil {
		panic(err) // the testing package has no such flag
	}
}

// sideBySide returns how many tests, of at most most, run at once in a share of a processor.
func sideBySide(most int, share float64) int {
	const enough = 0.4 // the share that the compilation and the tests of other packages leave
	if share >= enough {
		return most
	}
	return max(1, int(float64(most)*share/2)) // a test also waits while other tests compute
}

// share measures which part of a processor this process gets. It is the processor time of a busy loop, divided by its wall time, at
// most 1. A quota grants the first part of a period at once, so the loop lasts several periods.
func share() float64 {
	const spin = 150 * time.Millisecond
	begin, used := time.Now(), processorTime()
	for processorTime()-used < spin { //nolint:revive // it computes on purpose
	}
	return min(1, float64(spin)/float64(time.Since(begin)))
}
