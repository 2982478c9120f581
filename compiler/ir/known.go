package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
)

// Known is the knowledge of the table of targets: operating systems of switches and drivers of NICs, as data. Package targets fills it,
// the compiler resolves it into [Switch.Can], [Port.Front] and [NIC.Model]; what comes after the compiler never sees it. The zero Known
// knows nothing, and is enough for a fabric of devices set by hand.
type Known struct {
	OS      []*OS // the first is the default of a switch block without os
	Drivers []*Driver
}

// FindOS returns the operating system of a name, as a switch block writes it; nil: no target knows it. Case, "-", "_", "." and
// spaces do not matter: a name that is spelled in another way must not lose the system its facts.
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

// ConfigNames lists the ways to configure any of the systems, each once.
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

// FindDriver returns the driver of a name, in any case; nil: none is called so.
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

// FindNIC returns the NIC model of a name; nil: none is called so. Case, "-", "_", "." and spaces do not matter, nor does the
// maker's name before the model.
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
	Title  string // as people say it: "SONiC"
	User   string // who logs in on a switch from the factory
	Newest string // the release of a draft without one

	// Usual is the release that a draft takes for a model without one; nil: [OS.Newest].
	Usual func(m *platform.Switch) string

	// Release explains in full sentences why a release in a switch block is wrong; empty: it is right.
	Release func(version string) string

	// Runs reports whether rocec writes for a release, and the release runs on a model, or (nil) on any; nil: on whatever Release passes.
	Runs func(m *platform.Switch, version string) bool

	// Configs are the ways to configure a switch of the system, of which the switch block's config names one; nil: there is one way only.
	// Default gives the name of the one for a release where the block names none.
	Configs []Config
	Default func(release string) string

	Presets bool // one command may have made settings for RoCE as a whole, about which the switch block's preset decides

	// Read and Spell are the grammar of front-panel ports, which may depend on the switch model: Read gives the port that a name means,
	// and reports whether the name is one of a port, also of one that the model lacks; Spell is its inverse. A nil model means any model.
	Read  func(m *platform.Switch, name string) (Front, bool)
	Spell func(m *platform.Switch, f Front) string

	// Resolve serves systems that call a whole port and its first part alike, so that a name alone does not identify its port. It gives
	// the ports that the names used by a switch's cables mean, in their order. [Front.Sub] is then the first lane of a part, and the name
	// is the one that Spell gives. Nil: every name identifies its port, and parts are counted.
	Resolve func(m *platform.Switch, used []Used) []Front

	// Can returns what the system offers on a chip in a release that a switch block states; empty: in the releases that rocec writes.
	Can func(a *platform.ASIC, release string) SwitchCan

	// Memory returns how the system shares out the memory of a chip in a release: by its own defaults, or with written as rocec writes it
	// where the switch block asks for that. Nil, or the zero model: the system's way is unknown; with written, rocec does not write it
	// there.
	Memory func(a *platform.ASIC, release string, written bool) MemoryModel

	// Adds is what rocec gives a switch beside what the fabric states, by its chip, its release, and the way it is configured. Nil:
	// nothing.
	Adds func(s *Switch) *Added

	// Marks is the queues that have one set of thresholds of marking in a release, by the way in which a switch is configured, and why.
	// Nil: each queue has its own.
	Marks func(release, config string) (MarkScope, string)
}

// Added is what rocec gives a switch beside what the fabric states: the same on every switch of a system, a release and a configuration.
type Added struct {
	Watchdog WatchdogSettings // that lossless ports get and no others have; no action: the system lacks one
	Lossy    LossyGroups      // the priority groups of cos that are not lossless
	Pools    *AddedPools      // nil: pools stay as they are
}

// AddedPools is the pools that a switch is given, by the names that its reader has for them. A name or limit that is not known stays.
type AddedPools struct {
	Idle  bool // also where no port is lossless
	Pools map[string]Pool

	LosslessGroup, LosslessQueue, LossyGroup, LossyQueue InPool
}

// InPool is the share of one pool that a priority group or a queue takes.
type InPool struct {
	Pool  Setting[string]
	Limit Setting[Limit]
}

// LossyGroups is how cos that are not lossless are laid into priority groups. A group has the number of its lowest cos.
type LossyGroups uint8

// The ways.
const (
	LossyUnsaid  LossyGroups = iota // they stay as they are
	LossyJoined                     // in one group
	LossyAlike                      // in one group; a cos that is lossless on some port has its own group on all
	LossyByClass                    // in one group for each class of shares
)

// Used is a name of a port that a cable uses.
type Used struct {
	Name  string
	Front Front // as [OS.Read] gives it
	Speed int   // that the cable's block states, Mb/s; 0: none
}

// Config is a way to configure a switch.
type Config struct {
	Name string // as a switch block's config names it
	Doc  string // what is configured then, in a few words

	// Not says why a release is not configured so: a part of a sentence. Empty: it is.
	Not func(release string) string
}

// FindConfig returns the way to configure the system that has a name, in any case; nil: none is called so.
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

// PortsText lists the ports of a model, as the system calls them: "eth1-48 (25G), eth49-56 (100G, splits into 4)", or where names skip
// numbers "eth0-124 in steps of 4 (100G, splits into 4)".
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

// names reports whether the system has names for the parts of ports.
func (os *OS) names(m *platform.Switch, r platform.PortRange) bool {
	if os == nil {
		return true
	}
	last := Front{int16(r.First), int16(r.Lanes - 1)}
	f, ok := os.Read(m, os.Spell(m, last))
	return ok && f == last
}

// trailing is the number at the end of a name.
func trailing(name string) int {
	n, _ := strconv.Atoi(name[strings.LastIndexFunc(name, func(c rune) bool { return c < '0' || c > '9' })+1:])
	return n
}

// Ports names the whole front-panel ports of a model.
func (os *OS) Ports(m *platform.Switch) []string {
	var out []string
	for _, r := range m.Ports {
		for n := r.First; n <= r.Last; n++ {
			out = append(out, os.Spell(m, Front{Number: int16(n), Sub: -1}))
		}
	}
	return out
}

// Front is a front-panel port by its number, from 1, and its part after a split, from 0; Sub is -1 of a whole port. The zero Front is a
// port of which no more than its name is known.
type Front struct{ Number, Sub int16 }

// Known reports whether the port is one of the front panel.
func (f Front) Known() bool { return f.Number > 0 }

// Split reports whether it is a part of a split port.
func (f Front) Split() bool { return f.Number > 0 && f.Sub >= 0 }

// SwitchCan has the abilities of a switch: of its operating system on its chip.
type SwitchCan struct {
	PFC, ECN bool
	Lossless int    // lossless cos groups a port can carry
	Shared   bool   // all lossless groups of a port count in one ingress buffer
	Counted  string // where Lossless was taken from: a part of a sentence
	Joined   string // where Shared was taken from, as a clause, too; empty: each group has a buffer of its own
	System   string // the system whose facts these are, as people say it; empty: the chip's own, as no target knows the system
	Stuck    string // what ends a deadlock there: the part of a sentence; empty: unknown
	Source   string // where the facts were taken from

	// Drops is set if a queue that marks drops early the packets that it cannot mark. It is the reason, as a clause of its own. Empty: it
	// lets them pass.
	Drops string

	PortTrust bool  // ports may trust other header fields than the rest of the switch
	OneTrust  bool  // a port trusts one header field
	IdleTrust Trust // the fields that rocec has it trust where no intent of the fabric needs any
	OwnCos    int   // the cos that it keeps for its own traffic; 0: none

	Memory MemoryModel // how it shares out the chip's memory

	Marks    MarkScope // the queues that have one set of thresholds of marking
	MarksWhy string    // why, with [MarksOfPort] and [MarksOfSwitch]: a clause
}

// MarkScope is the queues that have one set of thresholds of marking.
type MarkScope uint8

// The scopes.
const (
	MarksOfQueue  MarkScope = iota // each has its own
	MarksOfPort                    // those of a port
	MarksOfSwitch                  // all
)

// ChipCan returns the assumed abilities of a switch whose operating system no target knows: PFC and ECN on every chip, and a buffer of its
// own for each lossless group.
func ChipCan() SwitchCan {
	return SwitchCan{PFC: true, ECN: true, Lossless: platform.UsualLossless, Counted: platform.LosslessSource, Memory: ChipMemory()}
}

// Driver is a driver of NICs: its models, and what it can set. A driver may be known without a target that writes for it; its
// NICs are set by hand then.
type Driver struct {
	Name   string // as a nic_model block's family: "mlx5"
	Title  string // the models, in a few words: "ConnectX-4 and later"
	Models []*NICModel
	Can    NICCan

	// Bonds are the modes of a bond in which the driver joins the two ports of a card into one RDMA device; nil: not known.
	Bonds []string

	// Buffer returns the least receive buffer that the driver takes for a lossless group, in bytes, summand by summand. Its arguments are
	// a speed in Mb/s, a cable in metres (0: unknown) and an MTU in bytes. Nil: no formula is known.
	Buffer func(speed int, metres float64, mtu int) (need int, terms []Term)

	Cable int // longest cable its formula counts, in metres
}

// NewDriver makes the driver that the models name as theirs.
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
	Speed  int  // fastest port, Mb/s; 0: that of the netdev below it
	Ports  int  // most ports of one card
	V1, V2 bool // RoCE versions it speaks
	Buffer int  // receive buffer of a port, bytes; 0: no figure is published

	Aliases []string
	Parts   []string // patterns of its part numbers, see [platform.Ordered]
	Source  string
}

// OneVersion says why the NIC speaks one RoCE version only; empty where it speaks both, or nothing more is known.
func (m *NICModel) OneVersion() string {
	if m.V1 && m.V2 || m.Driver == nil {
		return ""
	}
	return m.Driver.Can.OneVersion
}

// NICCan has the abilities of a driver's NICs. The zero NICCan is a NIC without known peculiarities: it pauses every priority apart,
// answers marked packets and slows down.
type NICCan struct {
	NoPFC          bool   // it knows no pauses at all: it is made of software
	Lossless       int    // lossless classes of a port, where fewer than there are priorities; 0: as many, or not known
	UsualLossless  bool   // Lossless is the usual report of the firmware, not a figure of a manual
	LosslessSource string // of Lossless and NoPFC
	NoDCQCN        bool   // it neither answers marked packets with CNPs nor slows down on CNPs
	OwnECN         bool   // it sets the ECN bits of its packets itself, whatever their type of service
	AlwaysRoCE     bool   // RoCE of one interface cannot be switched off
	OneVersion     string // why models that speak one RoCE version only do so
	Storm          string // how a host stops a pause storm of its own: the part of a sentence; empty: not known
}

// Can returns the abilities of the NIC's driver.
func (n *NIC) Can() NICCan {
	if n.Model.Driver == nil {
		return NICCan{}
	}
	return n.Model.Driver.Can
}
