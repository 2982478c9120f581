package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
)

// Known contains the facts that targets know about operating systems of switches and drivers of NICs. Package targets fills it, and the
// compiler resolves it into [Switch.Can], [Port.Front] and [NIC.Model]; later stages do not use it. The zero Known contains nothing, which
// is enough for a fabric of devices set by hand.
type Known struct {
	OS      []*OS // the first is the default of a switch block without os
	Drivers []*Driver
}

// FindOS returns the operating system with a name, as a switch block writes it; nil: no target knows it. Case, "-", "_", "." and spaces do
// not matter, so that another spelling still finds the facts of the system.
func (k Known) FindOS(name string) *OS {
	for _, os := range k.OS {
		if os.Name == name {
			return os
		}
	}
	folded := platform.Fold(name)
	for _, os := range k.OS {
		if platform.Fold(os.Name) == folded {
			return os
		}
	}
	return nil
}

// DefaultOS returns the system of a switch whose block states no os; nil if no system is known.
func (k Known) DefaultOS() *OS {
	if len(k.OS) == 0 {
		return nil
	}
	return k.OS[0]
}

// OSNames lists the operating systems, the default first.
func (k Known) OSNames() []string {
	out := make([]string, len(k.OS))
	for i, os := range k.OS {
		out[i] = os.Name
	}
	return out
}

// ConfigNames lists the names of the configs of all systems, each once.
func (k Known) ConfigNames() []string {
	var out []string
	for _, os := range k.OS {
		for _, name := range os.ConfigNames() {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// FindDriver returns the driver of a name, in any case; nil: there is no such driver.
func (k Known) FindDriver(name string) *Driver {
	for _, d := range k.Drivers {
		if d.Name == strings.ToLower(name) {
			return d
		}
	}
	return nil
}

// DriverNames lists the drivers, sorted.
func (k Known) DriverNames() []string {
	var out []string
	for _, d := range k.Drivers {
		out = append(out, d.Name)
	}
	slices.Sort(out)
	return out
}

// FindNIC returns the NIC model of a name; nil: there is no such model. Case, "-", "_", "." and spaces do not matter, nor does the maker's
// name before the model.
func (k Known) FindNIC(name string) *NICModel {
	n := platform.Fold(name)
	for _, maker := range []string{"mellanox", "nvidia"} {
		if rest, ok := strings.CutPrefix(n, maker); ok && rest != "" {
			n = rest
			break
		}
	}
	for _, d := range k.Drivers {
		for _, m := range d.Models {
			if platform.Fold(m.Name) == n || slices.ContainsFunc(m.Aliases, func(a string) bool { return platform.Fold(a) == n }) {
				return m
			}
		}
	}
	return nil
}

// FindNICOrder returns the NIC model of a part number, such as MCX653106A-HDAT; nil if no known model has it.
func (k Known) FindNICOrder(number string) *NICModel {
	for _, d := range k.Drivers {
		for _, m := range d.Models {
			if platform.Ordered(number, m.Parts) {
				return m
			}
		}
	}
	return nil
}

// NICNames lists the NIC models, sorted.
func (k Known) NICNames() []string {
	var out []string
	for _, d := range k.Drivers {
		for _, m := range d.Models {
			out = append(out, m.Name)
		}
	}
	slices.Sort(out)
	return out
}

// OS is an operating system of switches.
type OS struct {
	Name   string // as a switch block writes it: "sonic"
	Title  string // the name for people: "SONiC"
	User   string // the user that logs in to a factory-new switch
	Newest string // the release in a draft whose switch states none

	// Usual returns the release in a draft for a model without a stated release; nil: [OS.Newest].
	Usual func(m *platform.Switch) string

	// Release explains in full sentences why a release in a switch block is wrong; empty: it is right.
	Release func(version string) string

	// Runs reports whether rocec writes for a release and the release runs on a model; if m is nil, on any model. If Runs is nil, every
	// release that Release accepts runs.
	Runs func(m *platform.Switch, version string) bool

	// Configs lists the ways to configure a switch of the system; config in the switch block selects one. Nil: there is only one way. Default
	// returns the name of the config for a release if the block names none.
	Configs []Config
	Default func(release string) string

	Presets bool // a vendor's command can make all settings for RoCE; the switch block's preset decides about them

	// Read and Spell are the grammar of front-panel ports, which may depend on the switch model. Read returns the port with a name, and
	// reports whether the name has the form of a port name, even if the model has no such port. Spell is the inverse. A nil model means any
	// model.
	Read  func(m *platform.Switch, name string) (Front, bool)
	Spell func(m *platform.Switch, f Front) string

	// Resolve is for systems where a whole port and its first part have the same name, so that a name alone does not identify its port. It
	// returns the ports for the names used by a switch's cables, in the same order. [Front.Sub] is then the first lane of a part, and Spell
	// returns the name. Nil: every name identifies its port, and Front.Sub is the number of the part.
	Resolve func(m *platform.Switch, used []Used) []Front

	// Can returns the abilities of the system on a chip in a release that a switch block states; empty release: in the releases that rocec
	// writes.
	Can func(a *platform.ASIC, release string) SwitchCan

	// Memory returns how the system divides the memory of a chip in a release: by its own defaults, or, if written is set, as rocec writes it
	// on request of the switch block. If Memory is nil or returns the zero model, the division is unknown; with written, rocec does not write
	// it there.
	Memory func(a *platform.ASIC, release string, written bool) MemoryModel

	// Adds returns settings that rocec writes to a switch in addition to those of the fabric, by its chip, its release and its config. Nil:
	// none.
	Adds func(s *Switch) *Added

	// Marks returns which queues share one set of marking thresholds in a release and a config, and the reason. Nil: each queue has its own
	// thresholds.
	Marks func(release, config string) (MarkScope, string)
}

// Added contains settings that rocec writes to a switch in addition to those of the fabric. They are equal on all switches of a system, a
// release and a config.
type Added struct {
	Watchdog WatchdogSettings // for lossless ports only; no action: the system has no watchdog
	Lossy    LossyGroups      // the priority groups of lossy cos
	Pools    *AddedPools      // nil: pools stay as they are
}

// AddedPools contains the pools that rocec sets on a switch, by the names that its reader uses. An unknown name or limit stays unchanged.
type AddedPools struct {
	Idle  bool // also if no port is lossless
	Pools map[string]Pool

	LosslessGroup, LosslessQueue, LossyGroup, LossyQueue InPool
}

// InPool is the pool of a priority group or a queue, and its limit in the pool.
type InPool struct {
	Pool  Setting[string]
	Limit Setting[Limit]
}

// LossyGroups is the way in which lossy cos are assigned to priority groups. A group has the number of its lowest cos.
type LossyGroups uint8

// The ways.
const (
	LossyUnsaid  LossyGroups = iota // they stay as they are
	LossyJoined                     // all in one group
	LossyAlike                      // in one group; a cos that is lossless on some port has its own group on all ports
	LossyByClass                    // one group for each class of shares
)

// Used is a port name that a cable uses.
type Used struct {
	Name  string
	Front Front // as returned by [OS.Read]
	Speed int   // as stated in the cable's block, Mb/s; 0: none
}

// Config is a way to configure a switch.
type Config struct {
	Name string // as in config of a switch block
	Doc  string // what it configures, in a few words

	// Not returns the reason, as part of a sentence, why a release is not configured in this way. Empty: it is.
	Not func(release string) string
}

// FindConfig returns the config with a name, in any case; nil: not found.
func (os *OS) FindConfig(name string) *Config {
	for i := range os.Configs {
		if strings.EqualFold(os.Configs[i].Name, name) {
			return &os.Configs[i]
		}
	}
	return nil
}

// ConfigNames lists the ways to configure the system.
func (os *OS) ConfigNames() []string {
	var out []string
	for _, c := range os.Configs {
		out = append(out, c.Name)
	}
	return out
}

// PortsText lists the ports of a model by the system's names: "eth1-48 (25G), eth49-56 (100G, splits into 4)", or if names skip numbers
// "eth0-124 in steps of 4 (100G, splits into 4)".
func (os *OS) PortsText(m *platform.Switch) string {
	spell := func(number int) string {
		if os == nil {
			return strconv.Itoa(number)
		}
		return os.Spell(m, Front{Number: int16(number), Sub: -1})
	}
	var out []string
	for _, r := range m.Ports {
		t := spell(r.First)
		if r.Last > r.First {
			first, last := trailing(t), trailing(spell(r.Last))
			t += fmt.Sprintf("-%d", last)
			if step := trailing(spell(r.First+1)) - first; step > 1 {
				t += fmt.Sprintf(" in steps of %d", step)
			}
		}
		t += " (" + platform.SpeedText(r.Speed)
		if r.Lanes > 1 && os.names(m, r) {
			t += ", splits into " + strconv.Itoa(r.Lanes)
		}
		out = append(out, t+")")
	}
	return strings.Join(out, ", ")
}

// names reports whether the system has a grammar of port names.
func (os *OS) names(m *platform.Switch, r platform.PortRange) bool {
	if os == nil {
		return true
	}
	last := Front{int16(r.First), int16(r.Lanes - 1)}
	f, ok := os.Read(m, os.Spell(m, last))
	return ok && f == last
}

// trailing returns the number at the end of a name.
func trailing(name string) int {
	n, _ := strconv.Atoi(name[strings.LastIndexFunc(name, func(c rune) bool { return c < '0' || c > '9' })+1:])
	return n
}

// Ports lists the names of the whole front-panel ports of a model.
func (os *OS) Ports(m *platform.Switch) []string {
	var out []string
	for _, r := range m.Ports {
		for n := r.First; n <= r.Last; n++ {
			out = append(out, os.Spell(m, Front{Number: int16(n), Sub: -1}))
		}
	}
	return out
}

// Front is a front-panel port by its number, from 1, and its part after a split, from 0; Sub is -1 for a whole port. The zero Front is a
// port of which only the name is known.
type Front struct{ Number, Sub int16 }

// Known reports whether the port is one of the front panel.
func (f Front) Known() bool { return f.Number > 0 }

// Split reports whether it is a part of a split port.
func (f Front) Split() bool { return f.Number > 0 && f.Sub >= 0 }

// SwitchCan contains the abilities of a switch: of its operating system on its chip.
type SwitchCan struct {
	PFC, ECN bool
	Lossless int    // lossless cos groups a port can carry
	Shared   bool   // all lossless groups of a port count in one ingress buffer
	Counted  string // the source of Lossless: part of a sentence
	Joined   string // the source of Shared, as a clause; empty: each group has a separate buffer
	System   string // the system of these facts, by its name for people; empty: facts of the chip, as no target knows the system
	Stuck    string // what resolves a deadlock there: part of a sentence; empty: unknown
	Source   string // the source of the facts

	// Drops is set if a marking queue drops packets early that it cannot mark. It contains the reason, as a clause. Empty: the queue lets such
	// packets pass.
	Drops string

	PortTrust bool  // ports may trust other header fields than the rest of the switch
	OneTrust  bool  // a port trusts one header field
	IdleTrust Trust // the fields that rocec makes it trust if no intent of the fabric needs any
	OwnCos    int   // the cos reserved for the switch's own traffic; 0: none

	Memory MemoryModel // how it divides the chip's memory

	Marks    MarkScope // the queues that share one set of marking thresholds
	MarksWhy string    // why, with [MarksOfPort] and [MarksOfSwitch]: a clause
}

// MarkScope tells which queues share one set of marking thresholds.
type MarkScope uint8

// The scopes.
const (
	MarksOfQueue  MarkScope = iota // each queue has its own
	MarksOfPort                    // the queues of a port
	MarksOfSwitch                  // all queues
)

// ChipCan returns the assumed abilities of a switch whose operating system no target knows: PFC and ECN on every chip, and a separate
// buffer for each lossless group.
func ChipCan() SwitchCan {
	return SwitchCan{PFC: true, ECN: true, Lossless: platform.UsualLossless, Counted: platform.LosslessSource, Memory: ChipMemory()}
}

// Driver is a driver of NICs: its models, and its abilities. A driver may be known although no target writes for it; then its NICs are set
// by hand.
type Driver struct {
	Name   string // as in family of a nic_model block: "mlx5"
	Title  string // the models, in a few words: "ConnectX-4 and later"
	Models []*NICModel
	Can    NICCan

	// Bonds are the modes of a bond in which the driver joins the two ports of a card into one RDMA device; nil: unknown.
	Bonds []string

	// Buffer returns the least receive buffer, in bytes and as summands, that the driver accepts for a lossless group. Its arguments are a
	// speed in Mb/s, a cable in metres (0: unknown) and an MTU in bytes. Nil: no formula is known.
	Buffer func(speed int, metres float64, mtu int) (need int, terms []Term)

	Cable int // longest cable that its formula supports, in metres

	Parameters func() *NICTable // that a person may set by name; nil: no such parameter is known
}

// NewDriver returns the driver, and sets it as the driver of its models.
func NewDriver(d Driver) *Driver {
	for _, m := range d.Models {
		m.Driver = &d
	}
	return &d
}

// NICModel is one NIC model.
type NICModel struct {
	Name   string // as written in HCL: "connectx-5"
	Title  string // "NVIDIA ConnectX-5"
	Driver *Driver
	Speed  int  // fastest port, Mb/s; 0: the speed of the underlying netdev
	Ports  int  // largest number of ports of a card
	V1, V2 bool // the RoCE versions it supports
	Buffer int  // receive buffer of a port, bytes; 0: no figure is published

	Aliases []string
	Parts   []string // patterns of its part numbers, see [platform.Ordered]
	Source  string
}

// OneVersion returns the reason why the NIC supports only one RoCE version; empty: it supports both, or the reason is unknown.
func (m *NICModel) OneVersion() string {
	if m.V1 && m.V2 || m.Driver == nil {
		return ""
	}
	return m.Driver.Can.OneVersion
}

// NICCan contains the abilities of a driver's NICs. The zero NICCan is a NIC without known limits: it pauses each priority separately,
// sends CNPs for marked packets, and slows down on CNPs.
type NICCan struct {
	NoPFC          bool   // no support for pauses: the NIC is software
	Lossless       int    // number of lossless classes of a port, if limited; 0: as many as priorities, or unknown
	UsualLossless  bool   // Lossless is what the firmware usually reports, not a figure of a manual
	LosslessSource string // the source of Lossless and NoPFC
	NoDCQCN        bool   // no CNPs for marked packets, and no slowing down on CNPs
	OwnECN         bool   // the NIC sets the ECN bits of its packets itself, regardless of their type of service
	AlwaysRoCE     bool   // RoCE cannot be switched off for a single interface
	OneVersion     string // the reason why a model supports only one RoCE version
	Storm          string // how a host ends its own pause storm: part of a sentence; empty: unknown
}

// Can returns the abilities of the NIC's driver.
func (n *NIC) Can() NICCan {
	if n.Model.Driver == nil {
		return NICCan{}
	}
	return n.Model.Driver.Can
}
