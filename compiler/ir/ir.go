// Package ir is the [Fabric] as meant: what every stage after the compiler works on. Data and small methods only.
//
// Names are pointers here, defaults are filled in, sizes are derived, and every derived value remembers from which
// line and which fact it came ([Origin]). A Fabric is immutable once compiled; many goroutines may read it.
//
// Units: speeds in Mb/s, sizes in bytes, lengths in metres.
package ir

import (
	"net/netip"
	"slices"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/lock"
)

// Fabric is one compiled fabric.
type Fabric struct {
	Name        string
	At          diag.Range
	MTU         int
	MTUAt       diag.Range // zero: the default
	Routing     Routing    // empty when the person gave none (allowed on a tree of links)
	RoutingAt   diag.Range
	Root        *Device // pinned spanning-tree root, or nil
	Failures    int
	FailuresAt  diag.Range
	FlowControl FlowControl // Pause: of every cable; else each says its own, see [Port.ByPause]

	FlowControlAt diag.Range // zero: no block states it

	Bench bool // no person depends on its traffic

	CosGroups []*CosGroup // by cos, then name
	Intents   []*Intent   // in order of name
	Devices   []*Device   // natural order of names; Device.ID is the index
	Ports     []*Port     // every cabled port; Port.ID is the index
	Links     []*Link     // in order of declaration; Link.ID is the index
	Sizes     []*Sizing   // every derivation of sizes, each once
	Table     *Table      // next hops read from a file; nil unless Routing is TablePath
	Accepts   []*Accept   // in the order in which they are written
	SSH       SSH         // how devices are reached whose blocks do not state it; without an address

	// Routes finds the turns that lossless traffic takes. The compiler sets it; validate asks it, for the healthy fabric and
	// for failure sets.
	Routes Routes

	ports slab[Port]
	links slab[Link]
}

// Reserve makes room for so many more cables.
func (f *Fabric) Reserve(cables int) {
	f.ports.grow(2 * cables)
	f.links.grow(cables)
}

// Lossy represents all traffic, of any group, that link pause stops together with the lossless groups: from every host to every other one.
// It is followed where [Fabric.Coupled] says so. No cos group is behind it.
var Lossy = &CosGroup{Name: "any", Cos: -1}

// Coupled reports whether lossless traffic that PFC keeps apart elsewhere crosses cables of link pause between devices that forward. There
// all groups wait for each other, lossy ones, too.
func (f *Fabric) Coupled() bool {
	return slices.ContainsFunc(f.Links, (*Link).Couples)
}

// Couples reports whether link pause stops what the devices at both ends pass on, in a fabric that has PFC elsewhere.
func (l *Link) Couples() bool {
	return l.FlowControl == Pause && l.A().Device().Fabric.FlowControl != Pause && l.A().Device().Forwards() && l.B().Device().Forwards() &&
		len(l.A().Buffers()) > 0 && len(l.B().Buffers()) > 0
}

// Routing is how lossless traffic is forwarded; the values are the language's.
type Routing string

// The routings of the language.
const (
	UpDown       Routing = "up-down"
	EBGP         Routing = "ebgp"
	ShortestPath Routing = "shortest-path"
	SpanningTree Routing = "spanning-tree"
	Flooding     Routing = "flooding"
	AnyPath      Routing = "any"
	TablePath    Routing = "table" // next hops read from a file
)

// FlowControl is how a link is made lossless.
type FlowControl string

// The flow controls: priority flow control (802.1Qbb), or link pause (802.3x). The last three only describe devices
// that rocec does not write: PFC that only sends pauses, PFC that only obeys them, and none.
const (
	PFC           FlowControl = "pfc"
	Pause         FlowControl = "pause"
	PFCTx         FlowControl = "pfc-tx"
	PFCRx         FlowControl = "pfc-rx"
	NoFlowControl FlowControl = "none"
)

// CosGroup is a class of service: one number everywhere.
type CosGroup struct {
	Name          string
	At            diag.Range // the block's header
	Cos           int
	CosAt         diag.Range
	DSCP, PCP     []Claim
	Lossless      bool
	LosslessAt    diag.Range
	Weight        int // DWRR share; 0 when none was written
	WeightAt      diag.Range
	Strict        bool
	StrictAt      diag.Range
	ECN           *ECN
	PFC           *PFCSizes // what the person wrote; nil when all is derived
	Bounce        *CosGroup
	RDMAMTU       int // largest payload of the RDMA packets of the intents that travel in it; 0: none does
	BounceAt      diag.Range
	AllowDeadlock string
	AllowAt       diag.Range
	AllowUnproven string // why the group may go without a verdict of the PFC-loop proof; empty: it may not
	UnprovenAt    diag.Range
}

// Accept is an accept block: switches may differ from the fabric in some values, for a reason.
type Accept struct {
	At      diag.Range
	Devices []*Device // switches that rocec reads, in the order of the fabric
	Differs []string  // names of values, such as "headroom"
	Reason  string
	By      string
	Until   string // the last day, "2027-03-01"; empty: it has no end
}

// Claim is a DSCP or PCP value and the place that claims it. PCP values taken by default are placed at cos.
type Claim struct {
	Value int
	At    diag.Range
}

// ECN is the marking a group asks for; zero values are derived per port (see [Mark]).
type ECN struct {
	At                    diag.Range
	Min, Max, Probability Num
}

// PFCSizes are the person's overrides; a Num without origins was not written.
type PFCSizes struct {
	At                     diag.Range
	Buffer, Xoff, XonDelta Num
	SmallPackets           Num // percent of the smallest packets in what arrives after a pause
}

// Num is a number with the reason for its value.
type Num struct {
	N    int
	From []Origin // first the line of the person, then the facts; empty: not set
}

// Set reports whether the number was written or derived.
func (n Num) Set() bool { return len(n.From) > 0 }

// Origin is one reason for a value: a line of the person (At set), or a fact of the tables (At zero).
type Origin struct {
	At  diag.Range
	Why string // "cable of 30 m", "Spectrum: cells of 96 B"
}

// Derived is a number derived for a port. Equal ports share it, even if different lines gave their links the same values. So its reasons
// leave the lines of links open, and [Derived.On] fills them in.
type Derived struct {
	N    int
	From []Reason // as Num.From
}

// Set reports whether the number was written or derived.
func (d Derived) Set() bool { return len(d.From) > 0 }

// Reason is one reason for a derived number: an origin, or what a link says.
type Reason struct {
	Link   LinkValue // NoLinkValue: Origin is the reason
	Origin Origin    // with a link value only Why, and empty where the link's own text is shown
}

// LinkValue is a value of a link that sizes depend on.
type LinkValue int

// The values of a link.
const (
	NoLinkValue LinkValue = iota
	LinkLength
	LinkSpeed
	LinkMTU
)

// Told is a number that no link has a part in.
func Told(n Num) Derived {
	d := Derived{N: n.N}
	for _, o := range n.From {
		d.From = append(d.From, Reason{Origin: o})
	}
	return d
}

// On gives the number with its reasons as they are for a port of a link.
func (d Derived) On(l *Link) Num {
	n := Num{N: d.N}
	for _, r := range d.From {
		n.From = append(n.From, r.on(l))
	}
	return n
}

func (r Reason) on(l *Link) Origin {
	var o Origin
	switch r.Link {
	case NoLinkValue:
		return r.Origin
	case LinkLength:
		o = l.Length.From
	case LinkSpeed:
		o = l.Speed.first()
	case LinkMTU:
		o = l.MTU.first()
	}
	if r.Origin.Why != "" {
		o.Why = r.Origin.Why
	}
	return o
}

func (n Num) first() Origin {
	if !n.Set() {
		return Origin{}
	}
	return n.From[0]
}

// Intent is a roce block.
type Intent struct {
	Name      string
	At        diag.Range
	Version   int // 1 or 2
	VersionAt diag.Range
	Group     *CosGroup
	GroupAt   diag.Range
	CNP       *CosGroup // nil if none
	CNPAt     diag.Range
	VLAN      int       // 0: untagged
	Members   []*Member // by host, then interface, natural order
}

// Member is one NIC that takes part in an intent.
type Member struct {
	NIC *NIC
	At  diag.Range // where members names it
}

// Device is a switch or a host; exactly one of Switch and Host is set.
type Device struct {
	ID    int
	Name  string
	Group string
	*DevicePlaces
	Switch *Switch
	Host   *Host
	Ports  []*Port // cabled, in natural order; Port.Index is the index
	SSH    SSH
	ByHand *ByHand // nil: rocec writes the device
	Fabric *Fabric

	Maintenance string // why apply leaves the device as it is for now; empty: it does not
	ByOthers    bool   // others write what rocec renders
}

// DevicePlaces has the lines with the values of a device; the devices of a block share them.
type DevicePlaces struct {
	At            diag.Range // the name in its nodeset, or the label
	Decl          diag.Range // the block's header
	SSHAt         diag.Range // the address, or the ssh block; zero: neither was written
	MaintenanceAt diag.Range
	WrittenByAt   diag.Range // where the device's block, or the fabric for a host, states who writes it; zero: nowhere
}

// Forwards reports whether traffic can pass through the device: a switch, or a host that forwards.
func (d *Device) Forwards() bool { return d.Switch != nil || d.Host.Forwards }

// Height is the tier of a switch. Hosts have height 0, below every switch.
func (d *Device) Height() int {
	if d.Switch != nil {
		return d.Switch.Tier
	}
	return 0
}

// Switch is what only a switch has.
type Switch struct {
	Model     *platform.Switch
	ModelAt   diag.Range
	OS        string // as written, or the default; empty: none is written, of a switch set by hand or where there is no default
	OSAt      diag.Range
	Version   string // "3.4.3"
	VersionAt diag.Range
	Can       SwitchCan
	Added     *Added // what rocec gives it beside what the fabric states; nil: nothing
	Tier      int    // 1 where hosts are; 0 when no host is reachable
	TierFrom  Origin
	ASN       int
	MLAG      string
	MLAGAt    diag.Range
	Intents   []*Intent // those whose traffic it handles, in order of name; alike switches share the slice

	HeadroomPool Num // memory all ports share for what arrives after a pause; not set: each port has its own

	Config   string     // the way it is configured, where its system has several ([OS.Configs]); empty: it has one
	ConfigAt diag.Range // where the fabric says so; nowhere: it is that of the release
	Preset   Preset     // what is to become of the vendor's own settings for RoCE, where the switch has them

	MemoryWritten bool       // rocec writes how the chip's memory is shared out
	MemoryAt      diag.Range // where the fabric says so

	AcceptDocumented bool // the person has it changed although what is written is known from documents alone
}

// Host is what only a host has.
type Host struct {
	NICs       []*NIC
	Bonds      []*Bond
	Forwards   bool
	ForwardsAt diag.Range
}

// NIC is one RoCE-capable interface of a host.
type NIC struct {
	*NICPlaces
	Name           string // the netdev
	Device         *Device
	Model          *NICModel
	MTU            int // 0: not stated, the interface's own is kept
	IP             netip.Prefix
	TTL            int // 0: off, the route decides; -1: not stated
	TOS            int // -1: not stated; derived from the group's first DSCP
	RoCE           bool
	CreateVLAN     bool         // the interface of the VLAN is made, else it must exist
	VLANIP         netip.Prefix // its address; the zero Prefix: none is set
	VFRoCE         map[int]bool
	TrafficClasses []TrafficClass
	Port           *Port     // nil when not cabled
	Bond           *Bond     // nil when not in a bond
	Intents        []*Intent // the intents it is a member of, in order of name
}

// NICPlaces are the lines a NIC's settings are written in; the NICs of a block share them.
type NICPlaces struct {
	At                                 diag.Range
	ModelAt, MTUAt, IPAt, TTLAt, TOSAt diag.Range
	VLANAt                             diag.Range // of create_vlan, else of vlan_ip
}

// TrafficClass is an exception by address.
type TrafficClass struct {
	TOS      int
	TOSAt    diag.Range
	Src, Dst netip.Prefix
}

// Bond is a RoCE LAG.
type Bond struct {
	Name string
	At   diag.Range
	NICs []*NIC
	Mode string

	ModeAt diag.Range // zero: the default
}

// SSH is how a device is reached; empty fields are left to ~/.ssh/config and the defaults of ssh.
type SSH struct {
	Address   string // empty: the device's name
	Port      int    // 0: not stated
	User      string
	Jump      string
	HostKey   string // fingerprint, "SHA256:…"
	Transport string // "native": rocec logs in itself; "openssh": the ssh program does; empty: as ~/.ssh/config needs it
}

// Length is a cable length in metres that remembers where it came from.
type Length struct {
	Metres float64
	From   Origin // zero At and empty Why: not known
}

// Known reports whether a length was stated.
func (l Length) Known() bool { return l.From.Why != "" }

// Buffer is the ingress buffer of one lossless group at one port: PFC in numbers.
//
//	|<------ Xoff ------>|<------ headroom = Size - Xoff ------>|
//	       resume at Xoff - XonDelta
//
// A NIC's driver sizes its own buffers. So on a NIC's port Size, Xoff and XonDelta are not set, and Need is the least buffer that its
// driver takes for a lossless group, where that is known.
type Buffer struct {
	Group                *CosGroup
	Size, Xoff, XonDelta Derived
	Need                 int    // headroom that loses nothing in the worst case; of a NIC the whole buffer
	Floor                int    // headroom below which loss is likely
	Terms                []Term // Need, summand by summand
	Published            Term   // what is published for the model or its chip, and where; 0 bytes: nothing is
	Row                  Term   // the least published row of the model itself, for the next length; 0 bytes: not known
	RowMost              int    // the largest published row of the model for that length
	Unpublished          bool   // neither the model nor its chip has a published figure of the speed
	Nightly              Term   // what tests on switches with the chip expect, at least; 0 bytes: nothing
	RoundTrip            int    // what the peer could have sent from the end of a pause until its first frame arrives; 0 of a NIC

	Pinned diag.Range // the row of fabric.lock that holds other numbers than the rules of this rocec give; zero: none
}

// Preset decides about the RoCE settings that a vendor's command made as a whole.
type Preset string

// The presets.
const (
	AskPreset     Preset = ""        // they stay where the fabric fits them; else the person is asked
	KeepPreset    Preset = "keep"    // they stay
	ReplacePreset Preset = "replace" // rocec's take their place
)

// LongCable is the length in metres from which on the round trip decides when a pause ends. The presets of thresholds are for cables
// inside a building, and would let the link idle.
const LongCable = 1000

// ByRow and ByTables name the terms of Need that a published figure makes larger than the sum.
const (
	ByRow    = "published for the model"
	ByTables = "published for the chip"
)

// Sum returns Need as rocec's own sum has it, without what published figures add.
func (b *Buffer) Sum() int {
	sum := b.Need
	for _, t := range b.Terms {
		if t.Name == ByRow || t.Name == ByTables {
			sum -= t.Bytes
		}
	}
	return sum
}

// BeyondRow returns by how much a headroom is larger than every published row of the model; 0: it is not, or no row is known.
func (b *Buffer) BeyondRow(headroom int) int {
	if b.RowMost == 0 {
		return 0
	}
	return max(headroom-b.RowMost, 0)
}

// Headroom returns the bytes that may arrive after the pause was sent.
func (b *Buffer) Headroom() int { return b.Size.N - b.Xoff.N }

// Term is one summand of a sum that is shown.
type Term struct {
	Name  string // "frame being sent by this port"
	Bytes int
	Why   string // "MTU 9216 + 18 + 20"
}

// Mark is ECN marking of one group at one egress port.
type Mark struct {
	Group                 *CosGroup
	Min, Max, Probability Derived

	Own int // Min that the queue would have of its own, where the switch has one set of thresholds that is lower; 0: it has it

	Pinned diag.Range // as of [Buffer]
}

// Sizing is one derivation of sizes, for all ports whose sizes depend on the same.
type Sizing struct {
	Fresh  *lock.Row // by the rules of this rocec
	Pinned *lock.Row // of fabric.lock, which holds; nil: it does not pin these
}

// IntentNames returns the name of each intent.
func IntentNames(intents []*Intent) []string {
	names := make([]string, len(intents))
	for i, in := range intents {
		names[i] = in.Name
	}
	return names
}
