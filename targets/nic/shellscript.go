package nic

import (
	_ "embed"
	"strings"
	"sync"
)

// The parts of a script that all families share.
var (
	//go:embed script/1-values.sh
	scriptValues string
	//go:embed script/2-settle.sh
	scriptSettle string
	//go:embed script/3-rdma.sh
	scriptRDMA string
	//go:embed script/4-verbs.sh
	scriptVerbs string
	//go:embed script/5-json.sh
	scriptJSON string

	//go:embed script/card-read.sh
	cardRead string
	//go:embed script/card-write.sh
	cardWrite string
)

// Card returns the part of a script for NICs that are PCI functions with priorities of their own. It finds their RDMA device, and
// reads and sets link pause, PFC, traffic classes and the DSCP map by the installed tools. The own part of such a family begins with
// it.
func Card() string { return cardRead + "\n" + cardWrite + "\n" }

// Script is the script of the family with a suffix, for [Family.Script]: what all families share, and its own part. That defines, in
// POSIX sh:
//
//	keys                  the settings, in the order of show
//	more_keys             sets found to the settings that come in any number, as the value file names them
//	accept_own KEY VALUE  whether it is a setting of this family that rocec writes
//	find_rdma             sets rdma, port, ib and cma: the RDMA device, its port, and their folders; fails without a device
//	rivals                ends apply and check (die) where another program keeps setting the same
//	ready                 ends apply where nothing can be set
//	come_up               waits for the RDMA device, where it comes by itself
//	see_all               emits every setting as it is
//	bring_about           settles every setting of the value file, in the order the NIC needs
func Script(suffix string, own func() string) func() []byte {
	return sync.OnceValue(func() []byte {
		all := strings.Join([]string{scriptValues, scriptSettle, scriptRDMA, own(), scriptJSON, scriptVerbs}, "\n") // the last one begins
		return []byte(strings.ReplaceAll(all, "TOOL", toolName(suffix)))
	})
}

// toolName is the name of the script of a family.
func toolName(suffix string) string { return "rocec-host" + suffix }
