package tools

import (
	"path"
	"strings"
)

// Names are the base names by which captures and scripts of a host are found in a folder. Files with other names are only read if a person
// names them.
var Names = []string{"mlnx_qos.txt", "dcb.txt", "mlnx_qos.sh", "dcb.sh", "linux.txt", "windows.txt", "esxi.txt", "host.txt"}

// Tree is the folder of a host with rocec's value files.
const Tree = "/etc/rocec/"

// IsValueFile reports whether a path is the path of a value file.
func IsValueFile(name string) bool {
	dir, base := path.Split("/" + name)
	return strings.HasSuffix(dir, Tree+"host/") && strings.HasSuffix(base, ".conf")
}

// IsCapture reports whether the name of a file is the command whose output it contains, as sosreport names files: "mlnx_qos_-i_eth0".
func IsCapture(name string) bool { return len(readable().fileCommand(path.Base(name))) > 1 }
