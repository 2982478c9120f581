package lang

import (
	"net/netip"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/lang/parse"
)

// Value is a value and the place where it was written. Without a place, no value was written and V is zero.
type Value[T any] struct {
	V  T
	At diag.Range
}

// Set reports whether the value was written.
func (v Value[T]) Set() bool { return v.At.Filename != "" }

// Or returns the value, or def if none was written.
func (v Value[T]) Or(def T) T {
	if v.Set() {
		return v.V
	}
	return def
}

// Source is the content of a fabric: every file is read, every expression evaluated, every nodeset expanded, and no name resolved.
// Names are strings, each with its place. The loader has checked ranges and enumerations (a cos is 0-7, a routing is one of the seven),
// and that references to blocks exist. The compiler makes all checks that need two blocks.
type Source struct {
	Fabric       Fabric
	CosGroups    []*CosGroup
	Roces        []*Roce
	Switches     []*Switch // one per name, in order of declaration
	Hosts        []*Host   // one per name, in order of declaration
	Links        []*Link   // of link, mesh and topology blocks, one for each cable
	SSH          SSH       // the top-level ssh block, with the defaults for every device
	SwitchModels []*SwitchModel
	NICModels    []*NICModel
	Accepts      []*Accept

	NextHops *nexthops.Table // the table of the attribute table; nil without one

	Lock *lock.File // fabric.lock; nil without one

	Ignores []*Ignore               // in order of file and place
	Calls   map[string][]diag.Range // by the folder of a module: the module blocks that use it
	Values  []Shown                 // values of variables and locals, at most a thousand

	Files map[string][]byte // every file that was read, by the name in ranges, so that messages can show lines
}

// Fabric is the fabric block.
type Fabric struct {
	Name        string
	Decl        diag.Range     // the block's header: fabric "name"
	MTU         Value[int]     // bytes
	CableLength Value[float64] // metres
	Routing     Value[string]  // up-down, ebgp, shortest-path, spanning-tree, flooding, any or table
	Table, Root Value[string]  // the path of the file of next hops; the switch that is the root of the spanning tree
	Failures    Value[int]     // links that may be down at the same time
	FlowControl Value[string]  // pfc or pause
	Bench       Value[bool]    // a test bench: no person depends on the traffic
	Approvals   Value[int]     // persons who approve a plan before an apply

	WrittenBy Value[string] // who writes the files of hosts without written_by: rocec or others

	RequiredVersion Value[string] // a constraint on the version of rocec, which this rocec meets
}

// CosGroup is a cos_group block.
type CosGroup struct {
	Name          string
	Decl          diag.Range
	Cos           Value[int]   // 0-7; required
	DSCP          []Value[int] // 0-63, each with the place of its list element
	PCP           []Value[int] // 0-7
	PCPSet        bool         // the list was written (it may be empty)
	Lossless      Value[bool]
	Weight        Value[int] // DWRR share, 1-100
	Strict        Value[bool]
	ECN           *ECN
	PFC           *PFC
	Bounce        Value[string] // name of another cos group
	AllowDeadlock Value[string] // the reason
	AllowUnproven Value[string] // the reason
}

// ECN is the ecn block of a cos group; unset values are derived by the compiler.
type ECN struct {
	Decl        diag.Range
	Min, Max    Value[int] // bytes
	Probability Value[int] // percent, 1-100
}

// PFC is the pfc block of a cos group: overrides of derived sizes.
type PFC struct {
	Decl                   diag.Range
	Buffer, Xoff, XonDelta Value[int] // bytes
	SmallPackets           Value[int] // percent
}

// Roce is a roce block.
type Roce struct {
	Name     string
	Decl     diag.Range
	Version  Value[int]    // 1 or 2; required
	CosGroup Value[string] // required
	CNP      Value[string]
	Members  []Member
	VLAN     Value[int] // 1-4094
}

// Member is one entry of members, expanded: either a host group, or one host with an optional interface.
type Member struct {
	Group string // host.GROUP
	Host  string
	NIC   string // empty: every RoCE interface of the host
	At    diag.Range
}

// Switch is one switch of a switch block.
type Switch struct {
	Name    string
	NameAt  diag.Range // inside the nodeset, or the label
	Group   string     // the label
	Index   int        // 0-based within the group
	Decl    diag.Range
	Model   Value[string] // required
	OS      Value[string]
	Version Value[string]
	Tier    Value[int]
	ASN     Value[int]
	MLAG    Value[string]
	SSH     *SSH // nil if none; may be shared
	ByHand  *ByHand

	HeadroomPool Value[int]    // bytes
	Memory       Value[string] // "written": rocec writes the division of the chip's memory
	Config       Value[string] // the interface of its system that rocec uses to configure it; a word of the system
	Preset       Value[string] // keep or replace: what apply does with the vendor's RoCE preset
	Maintenance  Value[string] // the reason
	WrittenBy    Value[string] // rocec or others; written_by of the fabric does not apply
	Site         Value[string] // the site whose rocecd changes the switch

	AcceptDocumented Value[bool] // apply changes the switch although its settings are known only from documents
}

// ByHand is a by_hand block: the settings of a device that rocec does not write.
type ByHand struct {
	Decl        diag.Range
	FlowControl Value[string] // pfc, pfc-tx, pfc-rx, pause or none
	PFC         []Value[int]  // priorities with PFC
	PFCSet      bool          // the list was written (it may be empty)
	Trust       Value[string] // pcp, dscp or both
	DSCP, PCP   []Mapped
	ECN         Value[bool]   // switches: the groups with ECN are marked
	DCBX        Value[string] // hosts: host or firmware
	DCQCN       Value[bool]   // hosts: np and rp are on
	System      Value[string] // hosts: the operating system, or the make of a storage array; a word that the targets know
	Confirmed   Value[string] // who confirms these settings, or the ticket
}

// Mapped is one entry of a map from DSCP or PCP to cos.
type Mapped struct {
	From int
	To   Value[int]
}

// Host is one host of a host block. NICs, bonds and their contents may be shared between the hosts of a group.
type Host struct {
	Name     string
	NameAt   diag.Range
	Group    string
	Index    int
	Decl     diag.Range
	NICs     []*NIC
	Bonds    []*Bond
	Forwards Value[bool]
	SSH      *SSH // nil if none
	ByHand   *ByHand

	Maintenance Value[string] // the reason
	WrittenBy   Value[string] // rocec or others
	Site        Value[string] // the site whose rocecd changes the host
}

// NIC is a nic block.
type NIC struct {
	Name           string // the netdev
	Decl           diag.Range
	Model          Value[string] // required
	MTU            Value[int]
	IP             Value[netip.Prefix]
	TTL            Value[int]
	TOS            Value[int]
	RoCE           Value[bool]
	CreateVLAN     Value[bool]
	VLANIP         Value[netip.Prefix]
	VFRoCE         []VFRoCE // by VF number
	TrafficClasses []TrafficClass
	Tuning         *Tuning // nil: none
}

// Tuning contains the parameters of a NIC that a nic block states by the names of its driver.
type Tuning struct {
	DCQCN, NVRAM []Parameter // by name
	Stall        Value[string]
}

// Parameter is one parameter with its value as text: a number, true, false or a word.
type Parameter struct {
	Name  string
	At    diag.Range // of the name
	Value Value[string]
}

// VFRoCE is one entry of vf_roce.
type VFRoCE struct {
	VF int
	On Value[bool]
}

// TrafficClass is a traffic_class block: an exception by address.
type TrafficClass struct {
	Decl     diag.Range
	TOS      Value[int]
	Src, Dst Value[netip.Prefix]
}

// Bond is a bond block.
type Bond struct {
	Name string
	Decl diag.Range
	NICs []Value[string]
	Mode Value[string] // active-backup, balance-xor or 802.3ad
}

// SSH is an ssh block; for the top-level one a zero Decl means that it is missing.
type SSH struct {
	Decl      diag.Range
	Address   Value[string]
	Port      Value[int]
	User      Value[string]
	Jump      Value[string]
	HostKey   Value[string] // SHA256:... pin
	Transport Value[string] // native or openssh
}

// Link is one cable.
type Link struct {
	A, B  Endpoint
	Block *LinkBlock
}

// Endpoint is one end of a link, at its place inside the nodeset, which all ends of one pattern share.
type Endpoint struct {
	Device, Port string
	At           *diag.Range
}

// LinkBlock is the link, mesh or topology block of a link. All its links share it, except for cables with values in the file of a
// topology.
type LinkBlock struct {
	Kind   string // "link", "mesh" or "topology"
	Name   string
	Decl   diag.Range
	Speed  Value[int]     // Mb/s
	Length Value[float64] // metres
	MTU    Value[int]     // bytes

	FlowControl Value[string] // pfc or pause

	Marks *LinkMarks // nil: the block lacks these attributes
}

// LinkMarks has the attributes that few blocks of links set. They are a separate object to keep LinkBlock small: a fabric may have one
// block for each link, and the garbage collector scans objects of more than 512 bytes one by one.
type LinkMarks struct {
	Routed, Peer, Bond, Planned Value[bool]
}

// Marked returns the marks of the block, which the caller must not change.
func (b *LinkBlock) Marked() *LinkMarks {
	if b.Marks == nil {
		return &unmarked
	}
	return b.Marks
}

var unmarked LinkMarks

// mark sets the marks of the block.
func (b *LinkBlock) mark(m LinkMarks) {
	b.Marks = nil
	if m != unmarked {
		b.Marks = &m
	}
}

// SwitchModel is a switch_model block: hardware that is missing in the tables.
type SwitchModel struct {
	Name  string
	Decl  diag.Range
	ASIC  Value[string] // required
	Ports Value[int]    // required
	Speed Value[int]    // Mb/s; required
}

// NICModel is a nic_model block.
type NICModel struct {
	Name   string
	Decl   diag.Range
	Family Value[string] // mlx5, bnxt, ice, ...; required
	Speed  Value[int]    // Mb/s; required
	Ports  Value[int]
	RoCE   []Value[int] // supported versions; default [1, 2]
}

// Accept is an accept block: switches may differ from the fabric in some values.
type Accept struct {
	Decl    diag.Range
	Devices []Accepted      // the devices of the label
	Differs []Value[string] // names of values; required
	Reason  Value[string]   // required
	By      Value[string]   // required
	Until   Value[string]   // the last day, "2027-03-01"

	label eval.Text
}

// Accepted is a device that the label of an accept block names.
type Accepted struct {
	Name string
	At   *diag.Range // shared by all devices of one part of the label
	Glob bool        // matched by a pattern, so the device exists, but may be a host
}

// Ignore is a comment "# rocec:ignore CODE reason" on its own line before an attribute or a block.
type Ignore = parse.Ignore

// Shown is the value of a variable or local as text for a reader.
type Shown struct {
	Kind, Name string     // "variable" or "local"
	Instance   string     // the module of the name: "pod[a]"; "" in the fabric's folder
	Decl       diag.Range // the block's header, or the name of the local
	Text       string     // the value in the notation of the language, shortened
	At         diag.Range // where the value was given
}
