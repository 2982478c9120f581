package machinetest

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// memory is the folder in which Linux keeps files in memory that programs may write.
const memory = "/dev/shm"

// Memory returns a folder in memory that has room for a gigabyte and allows programs in it to run; empty: there is no such folder. A
// container often lacks one of these properties.
func Memory() string {
	if mounts, err := os.ReadFile("/proc/mounts"); err == nil && roomy(string(mounts)) {
		return memory
	}
	return ""
}

// garbage is GOGC for tests and for the programs that they start, which allocate much and keep little.
const garbage = 400

// Hasten makes the tests of a package faster. It keeps temporary files in memory, if the machine has such a folder: on a slow disk,
// writing builds and journals takes most of the time. It also makes the garbage collector run less often. TestMain calls it before it
// runs the tests. If the environment sets TMPDIR or GOGC, that value is kept.
func Hasten() {
	if in := Memory(); in != "" && os.Getenv("TMPDIR") == "" {
		if dir, err := folder(in); err == nil {
			os.Setenv("TMPDIR", dir) //nolint:errcheck // it fails for a name that is none
		}
	}
	if os.Getenv("GOGC") == "" && os.Setenv("GOGC", strconv.Itoa(garbage)) == nil {
		debug.SetGCPercent(garbage)
	}
}

// roomy reports whether the mounts of a machine have a folder for [Memory].
func roomy(mounts string) bool {
	roomy := false
	for line := range strings.Lines(mounts) { // of two mounts at a path, the later one hides the earlier
		if f := strings.Fields(line); len(f) > 3 && f[1] == memory {
			roomy = f[2] == "tmpfs" && able(f[3])
		}
	}
	return roomy
}

func able(options string) bool {
	writes := false
	for option := range strings.SplitSeq(options, ",") {
		size, sized := strings.CutPrefix(option, "size=")
		kilobytes, _ := strconv.Atoi(strings.TrimSuffix(size, "k")) // the kernel escapes spaces in this way
		switch {
		case option == "noexec", sized && kilobytes < 1<<20:
			return false
		case option == "rw":
			writes = true
		}
	}
	return writes
}
