package targets

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target/lint"
)

// speedsFile is the base name of a file with the speeds of interfaces in the kernel: a line for each, with its name and Mb/s. They count if
// the configuration of the device states no speed.
const speedsFile = "speeds"

// askSpeeds prints the speeds of the interfaces with a link. Source: Linux, Documentation/ABI/testing/sysfs-class-net.
const askSpeeds = `for f in /sys/class/net/*/speed; do
	s=$(cat "$f" 2>/dev/null)
	d=${f%/speed}
	case $s in '' | *[!0-9]*) ;; *) echo "${d##*/} $s" ;; esac
done
true`

// speedsOf reads such a file; nil: the file has another name or other content.
func speedsOf(f lint.File) map[string]int {
	const (
		most    = 1 << 20
		fastest = 10_000_000 // Mb/s
	)
	if f.Why != "" || len(f.Data) > most || !lint.Named(f.Name, speedsFile) {
		return nil
	}
	out := map[string]int{}
	for line := range strings.Lines(string(f.Data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return nil
		}
		if n > 0 && n <= fastest { // otherwise the link is down
			out[name] = int(n)
		}
	}
	return out
}
