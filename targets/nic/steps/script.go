package steps

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
	//go:embed script/card-dcb.sh
	cardDCB string
)

// Card returns the part of a script for NICs that are PCI functions with their own priorities. It finds their RDMA device, and reads and
// sets link pause, PFC, traffic classes and the DSCP map with the installed tools. The specific part of such a family begins with it.
func Card() string { return cardRead + "\n" + cardWrite + "\n" }

// DCBCard returns the part of a script for such NICs whose priorities only dcb of iproute2 reads and sets.
func DCBCard() string { return Card() + cardDCB + "\n" }

// Script returns the script of the family with a suffix, for [Kit.Script]: the parts that all families share, and the family's own
// part. The own part defines these functions and variables, in POSIX sh:
//
//	keys                  the settings, in the order of show
//	more_keys             sets found to the numbered settings in the value file
//	accept_own KEY VALUE  whether it is a setting of this family that rocec writes
//	find_rdma             sets rdma, port, ib and cma: the RDMA device, its port, and their folders; fails without a device
//	rivals                ends apply and check (die) if another program also sets the NIC
//	ready                 ends apply if nothing can be set
//	come_up               waits for the RDMA device, if the driver creates it
//	see_all               emits the present value of every setting
//	bring_about           settles every setting of the value file, in the order the NIC needs
func Script(suffix string, own func() string) func() []byte {
	return sync.OnceValue(func() []byte {
		all := strings.Join([]string{scriptValues, scriptSettle, scriptRDMA, own(), scriptJSON, scriptVerbs}, "\n") // the last part runs the verb
		return []byte(strings.ReplaceAll(all, "TOOL", program+suffix))
	})
}
