package tools

import (
	"path"
	"strings"
)

// Names are the base names by which captures and scripts of a host are found in a folder. Others are read where a person names them.
var Names = []string{"mlnx_qos.txt", "dcb.txt", "mlnx_qos.sh", "dcb.sh", "windows.txt", "esxi.txt", "host.txt"}

// Tree is the folder of a host in which rocec has a file with the settings of each NIC.
const Tree = "/etc/rocec/"

// IsValueFile reports whether a path is that of a file with the settings of a NIC, as rocec writes them.
func IsValueFile(name string) bool {
	dir, base := path.Split("/" + name)
	return strings.HasSuffix(dir, Tree+"host/") && strings.HasSuffix(base, ".conf")
}

// IsCapture reports whether a file is named after the command whose output it has, as sosreport names it: "mlnx_qos_-i_eth0".
func IsCapture(name string) bool { return len(readable().fileCommand(path.Base(name))) > 1 }
