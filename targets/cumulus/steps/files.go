package steps

import (
	"slices"

	"github.com/rocec/rocec/targets/commands"
)

// The paths of the files that rocec writes. Up to 4.3 traffic.conf classifies. From 4.4 on two files replace it: one classifies, the other
// sets up queues and memory.
const (
	TrafficPath  = "/etc/cumulus/datapath/traffic.conf"
	FeaturesPath = "/etc/cumulus/datapath/qos/qos_features.conf"
	InfraPath    = "/etc/mlx/datapath/qos/qos_infra.conf"
)

// ChipConfig is the folder whose subfolder, bcm or mlx, names the chip's vendor (3.2 to 4.3).
const ChipConfig = "/usr/lib/python2.7/dist-packages/cumulus/__chip_config"

// MemoryFile is the base name of the file that divides the chip's memory; its folder depends on the release and the chip.
const MemoryFile = "datapath.conf"

// The possible paths of the memory file, by the family of the chip. Sources: manuals of 3.2 to 4.3, and of 2.5 to 3.1.
const (
	mellanoxPath    = ChipConfig + "/mlx/" + MemoryFile
	mellanoxEarlier = "/etc/mlx/datapath/" + MemoryFile
	broadcomPath    = ChipConfig + "/bcm/" + MemoryFile
	broadcomEarlier = "/etc/bcm.d/datapath/" + MemoryFile
)

// The possible paths of the memory file on one switch. The first existing file counts.
var (
	MemoryOfMellanox = []string{mellanoxPath, mellanoxEarlier}
	MemoryOfBroadcom = []string{broadcomPath, broadcomEarlier}
)

// AskMemory prints the memory file of a switch whose chip is not known: the first file of the one family that has files. If both families
// have files, it prints nothing, because the chip decides which of them switchd reads. Its exit status is 66 if there is no file.
const AskMemory = "b=; for i in " + broadcomPath + " " + broadcomEarlier + `; do test -z "$b" -a -e $i && b=$i; done; ` +
	"m=; for i in " + mellanoxPath + " " + mellanoxEarlier + `; do test -z "$m" -a -e $i && m=$i; done; ` +
	`test -n "$b$m" || (exit 66) && test -z "$b" -o -z "$m" && cat $b$m`

// Paths lists the paths of all files that rocec writes on these switches.
var Paths = []string{TrafficPath, FeaturesPath, InfraPath, mellanoxPath, mellanoxEarlier, broadcomPath, broadcomEarlier}

// MaxFile is the largest size of a file that rocec writes, in bytes.
const MaxFile = 1 << 20

// File returns nil if rocec writes a file with such a path and such a content; content nil: the file is removed. A file may have lines of
// others in any encoding, so of all bytes only controls other than tabs and ends of lines are refused.
func File(path string, content []byte) error {
	switch {
	case !slices.Contains(Paths, path):
		return commands.Refusal("rocec writes no such file")
	case len(content) > MaxFile:
		return commands.Refusal("its content is larger than 1 MiB")
	case slices.ContainsFunc(content, func(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }):
		return commands.Refusal("its content is no text")
	}
	return nil
}
