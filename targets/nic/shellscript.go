package nic

import (
	_ "embed"
	"strings"
)

// The parts of a script that families share; each begins where the one before ends.
var (
	//go:embed script/1-values.sh
	scriptValues string
	//go:embed script/2-read.sh
	scriptRead string
	//go:embed script/3-write.sh
	scriptWrite string
	//go:embed script/4-verbs.sh
	scriptVerbs string
	//go:embed script/5-json.sh
	scriptJSON string
)

// Script is the script of a family, for [Family.Script]: what families share, and the family's own part, for the tool of the suffix. The
// own part defines, in POSIX sh:
//
//	keys                  the settings, in the order of show
//	more_keys             sets found to settings that come in any number, where the value file names them; else to nothing
//	accept_own KEY VALUE  whether it is a setting of this family alone that rocec writes
//	ready                 ends apply (die) where nothing can be set
//	see_all               emits every setting as it is
//	bring_about           settles every setting of the value file, in the order the NIC needs
func Script(suffix, own string) []byte {
	all := strings.Join([]string{scriptValues, scriptRead, scriptWrite, own, scriptJSON, scriptVerbs}, "\n") // the last one begins
	return []byte(strings.ReplaceAll(all, "TOOL", toolName(suffix)))
}

// toolName is the name of the script of a family.
func toolName(suffix string) string { return "rocec-host" + suffix }
