package targets

import (
	"strings"

	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/targets/target/lint"
)

// hostnameFile is the base name of a file with the output of `hostname` on a device. It counts if the configuration of the device states no
// name: the folder may be named by an address.
const hostnameFile = "hostname"

// hostnameOf returns the name in such a file; empty: the file has another name or other content.
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
