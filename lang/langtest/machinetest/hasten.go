package machinetest

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// memory is where Linux keeps files in memory that programs may write.
const memory = "/dev/shm"

// Memory returns a folder that is in memory, takes a gigabyte, and lets programs in it run; empty: there is no such folder. A container
// often allows neither.
func Memory() string {
	if mounts, err := os.ReadFile("/proc/mounts"); err == nil && roomy(string(mounts)) {
		return memory
	}
	return ""
}

// garbage is GOGC of tests, and of the programs they start: they allocate much and keep little.
const garbage = 400

// Hasten has the tests of a package end sooner. Temporary files are kept in memory where the machine has such a folder: a slow disk takes
// longer to write builds and journals than all else. The collector runs less often. TestMain calls it before it runs the tests; TMPDIR
// and GOGC of a person hold over it.
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
	for line := range strings.Lines(mounts) { // of two at a place the later one hides the other
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
		kilobytes, _ := strconv.Atoi(strings.TrimSuffix(size, "k")) // the kernel writes it so
		switch {
		case option == "noexec", sized && kilobytes < 1<<20:
			return false
		case option == "rw":
			writes = true
		}
	}
	return writes
}
