package targets

import (
	"strings"

	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/targets/target/lint"
)

// hostnameFile is the base name of a file with the name that a device has for itself, as `hostname` prints it. It counts where the
// configuration of the device states no name: the folder may be called by an address.
const hostnameFile = "hostname"

// hostnameOf returns the name in such a file; empty: it is another file, or holds something else.
func hostnameOf(f lint.File) string {
	const most = 1 << 10
	if f.Why != "" || len(f.Data) > most || !lint.Named(f.Name, hostnameFile) {
		return ""
	}
	name := strings.TrimSpace(string(f.Data))
	if destination.CheckHost(name) != "" || strings.Contains(name, ":") {
		return ""
	}
	return name
}
