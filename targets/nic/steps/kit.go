// Package steps makes the commands of hosts from names, for rocec and for the gate on a host. A [Kit] has the script of a family of NICs,
// its systemd unit and its udev rules, and makes the steps and queries that use them.
//
// Names of the queries and steps of a host begin with the name of the driver:
//
//	apply IF[,vlan=N][,carries] ...                  the step that applies the value files
//	leave IF[,taken][,plain][,bond=IF][,vlan=N][,vf_roce_N=on] ...   the step that restores NICs
//	store IF[,leaves],nvram_NAME=N... ...            the step that stores parameters in cards, and resets the cards
//	show IF[,bond=IF][,vlan=N][,vlan_ip=PREFIX][,vf_roce_N=on]       the query that reads a NIC
//	stored IF,nvram_NAME=N...                        the query that reads the stored parameters of a NIC's card
//	look IF[,...]                                    the same for a leaving NIC, which may not exist
//	held                                             the query that reads everything of the family on a host
package steps

import (
	_ "embed"
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// Kit has what the commands of a family of NICs depend on. Commands of one family differ by the name of its driver and by its script.
type Kit struct {
	Driver string        // begins the names of steps and queries: "mlx5"
	Suffix string        // in the names of its script, unit and rules: "-bnxt"; unique among families
	Script func() []byte // in POSIX sh; see package nic for its verbs

	// Plain contains those factory settings of a NIC that matter to other devices of the network. A NIC gets them when it leaves, if its
	// settings from before rocec are unknown.
	Plain string

	// MakesDevice states that the script itself creates the RDMA device. Then the udev rules do not apply again when an RDMA device appears,
	// as this would end the apply that creates it.
	MakesDevice bool

	// Store and Stored return the step and the query of parameters that cards store, see package store. Nil: the script cannot.
	Store  func(k *Kit, nics []NIC) *commands.Step
	Stored func(k *Kit, n NIC) *commands.Query

	// Firmware states that the script reads the firmware's configuration through the PCI configuration space (mstconfig, mlxconfig), which
	// needs one more capability.
	Firmware bool
}

// ConfDir is the folder of the value files.
const ConfDir = "/etc/rocec/host/"

// ConfPath returns the path of a NIC's value file.
func ConfPath(netdev string) string { return ConfDir + netdev + ".conf" }

// StateName returns the name of a NIC's live state.
func StateName(netdev string) string { return "nic/" + netdev }

// StoredName returns the name of the live state of the stored parameters of a NIC's card.
func StoredName(netdev string) string { return "stored/" + netdev }

// The names and paths of a family, without its suffix.
const (
	program  = "rocec-host"
	scriptAt = "/usr/local/sbin/" + program
	unitAt   = "/etc/systemd/system/" + program
	unitEnd  = "@.service"
	rulesAt  = "/etc/udev/rules.d/99-rocec"
	rulesEnd = ".rules"
	beforeAt = "/var/lib/rocec/" + program // the folder of the settings of NICs from before rocec
)

// BeforeDir returns the folder of the settings of NICs from before rocec, with a slash.
func BeforeDir(k *Kit) string { return beforeAt + k.Suffix + "/" }

// Program returns the name of the script.
func (k *Kit) Program() string { return program + k.Suffix }

// ScriptPath returns the path of the script.
func (k *Kit) ScriptPath() string { return scriptAt + k.Suffix }

// UnitPath returns the path of the unit's template.
func (k *Kit) UnitPath() string { return unitAt + k.Suffix + unitEnd }

// RulesPath returns the path of the udev rules.
func (k *Kit) RulesPath() string { return rulesAt + k.Suffix + rulesEnd }

var (
	//go:embed tool@.service
	unitText string
	//go:embed tool.rules
	rulesText string
)

// UnitText returns the content of the unit's template.
func (k *Kit) UnitText() []byte {
	text := unitText
	if k.Firmware { // without it the kernel shows only the first 64 bytes of the space
		text = strings.Replace(text, "CAP_SYS_MODULE", "CAP_SYS_ADMIN CAP_SYS_MODULE", 1)
	}
	return k.named(text)
}

// RulesText returns the content of the udev rules.
func (k *Kit) RulesText() []byte {
	text := rulesText
	if k.MakesDevice {
		comment, events, _ := strings.Cut(text, "\n")
		_, vlans, _ := strings.Cut(events, "\n") // the first rule is about RDMA devices
		text = comment + "\n" + vlans
	}
	return k.named(text)
}

// named returns a text with the name of the script.
func (k *Kit) named(text string) []byte { return []byte(strings.ReplaceAll(text, "TOOL", k.Program())) }
