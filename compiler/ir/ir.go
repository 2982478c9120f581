// Package ir is the [Fabric] as meant: what every stage after the compiler works on. It contains only data and small methods.
//
// Names are pointers, defaults are filled in, sizes are derived, and every derived value has the line and the fact that it comes from
// ([Origin]). A Fabric is immutable once compiled; many goroutines may read it.
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
	Root        *Device // the stated spanning-tree root, or nil
	Failures    int
	FailuresAt  diag.Range
	FlowControl FlowControl // Pause: all cables use link pause; otherwise see [Port.ByPause] for each

	FlowControlAt diag.Range // zero: no block states the flow control

	Bench     bool // no person depends on its traffic
	Approvals int  // persons who approve a plan before an apply

	CosGroups []*CosGroup // by cos, then name
	Intents   []*Intent   // in order of name
	Devices   []*Device   // natural order of names; Device.ID is the index
	Ports     []*Port     // every cabled port; Port.ID is the index
	Links     []*Link     // in order of declaration; Link.ID is the index
	Sizes     []*Sizing   // every derivation of sizes, each once
	Table     *Table      // next hops read from a file; nil unless Routing is TablePath
	Accepts   []*Accept   // in the order of the source
	SSH       SSH         // the login of devices whose blocks do not state one; without an address

	// Routes finds the turns that lossless traffic takes, in the healthy fabric and after failures. The compiler sets it, and package validate
	// uses it.
	Routes Routes

	ports slab[Port]
	links slab[Link]
}

// Reserve makes room for more cables.
func (f *Fabric) Reserve(cables int) {
	f.ports.grow(2 * cables)
	f.links.grow(cables)
}

// Lossy represents all traffic, of any group, that link pause stops together with the lossless groups: from every host to every other one.
// Its traffic is followed if [Fabric.Coupled] is true. It is not a real cos group.
var Lossy = &CosGroup{Name: "any", Cos: -1}

// Coupled reports whether lossless traffic, separated by PFC elsewhere, crosses cables with link pause between forwarding devices. On these
// cables all groups wait for each other, including lossy groups.
func (f *Fabric) Coupled() bool {
	return slices.ContainsFunc(f.Links, (*Link).Couples)
}

// Couples reports whether link pause stops traffic that the devices at both ends forward, in a fabric that has PFC elsewhere.
func (l *Link) Couples() bool {
	return l.FlowControl == Pause && l.A().Device().Fabric.FlowControl != Pause && l.A().Device().Forwards() && l.B().Device().Forwards() &&
		len(l.A().Buffers()) > 0 && len(l.B().Buffers()) > 0
}

// Routing is how lossless traffic is forwarded; its values are words of the language.
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

// FlowControl is the method that makes a link lossless.
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
	Weight        int // DWRR share; 0: none was written
	WeightAt      diag.Range
	Strict        bool
	StrictAt      diag.Range
	ECN           *ECN
	PFC           *PFCSizes // the sizes that the person wrote; nil: all sizes are derived
	Bounce        *CosGroup
	RDMAMTU       int // largest payload of the RDMA packets of the intents in the group; 0: it has no intents
	BounceAt      diag.Range
	AllowDeadlock string
	AllowAt       diag.Range
	AllowUnproven string // the reason why the group may have no verdict of the PFC-loop proof; empty: it must have one
	UnprovenAt    diag.Range
}

// Accept is an accept block: switches may differ from the fabric in some values, for a reason.
type Accept struct {
	At      diag.Range
	Devices []*Device // switches that rocec reads, in the order of the fabric
	Differs []string  // names of values, such as "headroom"
	Reason  string
	By      string
	Until   string // the last day, "2027-03-01"; empty: no end
}

// Claim is a DSCP or PCP value and the place that claims it. PCP values taken by default are placed at cos.
type Claim struct {
	Value int
	At    diag.Range
}

// ECN is the marking that a group's block states; zero values are derived per port (see [Mark]).
type ECN struct {
	At                    diag.Range
	Min, Max, Probability Num
}

// PFCSizes contains sizes that the person wrote. A Num without origins was not written.
type PFCSizes struct {
	At                     diag.Range
	Buffer, Xoff, XonDelta Num
	SmallPackets           Num // percent of smallest-size packets in the bytes that arrive after a pause
}

// Num is a number with the reason for its value.
type Num struct {
	N    int
	From []Origin // the person's line first, then the facts; empty: not set
}

// Set reports whether the number was written or derived.
func (n Num) Set() bool { return len(n.From) > 0 }

// Origin is one reason for a value: a line of the person (At set), or a fact of the tables (At zero).
type Origin struct {
	At  diag.Range
	Why string // "cable of 30 m", "Spectrum: cells of 96 B"
}

// Derived is a number derived for a port. Equal ports share it, even if different lines give their links the same values. So its reasons
// omit the lines of links, and [Derived.On] fills them in.
type Derived struct {
	N    int
	From []Reason // as Num.From
}

// Set reports whether the number was written or derived.
func (d Derived) Set() bool { return len(d.From) > 0 }

// Reason is one reason for a derived number: an origin, or a value of a link.
type Reason struct {
	Link   LinkValue // NoLinkValue: Origin is the reason
	Origin Origin    // with a link value, only Why is set; empty: the link's own text is shown
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

// Told returns a derived number that does not depend on a link.
func Told(n Num) Derived {
	d := Derived{N: n.N}
	for _, o := range n.From {
		d.From = append(d.From, Reason{Origin: o})
	}
	return d
}

// On returns the number with its reasons for a port of a link.
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
	At  diag.Range // the place in members that names it
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

	Maintenance string // the reason why apply skips the device for now; empty: apply may change it
	Site        string // the site whose rocecd changes it; empty: no site
	ByOthers    bool   // others write what rocec renders
}

// DevicePlaces contains the places of the values of a device; the devices of a block share them.
type DevicePlaces struct {
	At            diag.Range // the name in its nodeset, or the label
	Decl          diag.Range // the block's header
	SSHAt         diag.Range // the address, or the ssh block; zero: neither is written
	MaintenanceAt diag.Range
	WrittenByAt   diag.Range // the line of the device's block, or of the fabric for a host, that states who writes it; zero: none
}

// Forwards reports whether traffic can pass through the device: a switch, or a host that forwards.
func (d *Device) Forwards() bool { return d.Switch != nil || d.Host.Forwards }

// Height returns the tier of a switch. Hosts have height 0, below every switch.
func (d *Device) Height() int {
	if d.Switch != nil {
		return d.Switch.Tier
	}
	return 0
}

// Switch contains the values that only a switch has.
type Switch struct {
	Model     *platform.Switch
	ModelAt   diag.Range
	OS        string // as written, or the default; empty: none is written and the switch is set by hand or has no default
	OSAt      diag.Range
	Version   string // "3.4.3"
	VersionAt diag.Range
	Can       SwitchCan
	Added     *Added // settings that rocec adds to those of the fabric; nil: none
	Tier      int    // 1 for switches with hosts; 0 if no host is reachable
	TierFrom  Origin
	ASN       int
	MLAG      string
	MLAGAt    diag.Range
	Intents   []*Intent // the intents whose traffic it handles, by name; switches with equal intents share the slice

	HeadroomPool Num // memory that all ports share for bytes after a pause; not set: each port has its own

	Config   string     // the stated or default config of a system with several ([OS.Configs]); empty: the system has one
	ConfigAt diag.Range // the line of the fabric that states it; zero: it is the release's default
	Preset   Preset     // the choice about the vendor's RoCE preset, on systems that have one

	MemoryWritten bool       // rocec writes how the chip's memory is divided
	MemoryAt      diag.Range // the line of the fabric that states it

	AcceptDocumented bool // the person accepts changes that rocec knows only from documents
}

// Host contains the values that only a host has.
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
	MTU            int // 0: not stated, the interface keeps its MTU
	IP             netip.Prefix
	TTL            int // 0: off, the route decides; -1: not stated
	TOS            int // -1: not stated; derived from the group's first DSCP
	RoCE           bool
	CreateVLAN     bool         // rocec creates the VLAN interface; otherwise it must exist
	VLANIP         netip.Prefix // the address of the VLAN interface; the zero Prefix: none is set
	VFRoCE         map[int]bool
	TrafficClasses []TrafficClass
	Parameters     *NICParameters // by the names of its driver; nil: none is stated
	Port           *Port          // nil when not cabled
	Bond           *Bond          // nil when not in a bond
	Intents        []*Intent      // the intents it is a member of, in order of name
}

// NICPlaces contains the places where a NIC's settings are written; the NICs of a block share one value.
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
	Transport string // "native": rocec logs in itself; "openssh": the ssh program does; empty: depends on ~/.ssh/config
}

// Length is a cable length in metres with its origin.
type Length struct {
	Metres float64
	From   Origin // zero At and empty Why: unknown
}

// Known reports whether a length was stated.
func (l Length) Known() bool { return l.From.Why != "" }

// Buffer is the ingress buffer of one lossless group at one port: PFC in numbers.
//
//	|<------ Xoff ------>|<------ headroom = Size - Xoff ------>|
//	       resume at Xoff - XonDelta
//
// A NIC's driver sizes its own buffers. So on a NIC's port Size, Xoff and XonDelta are not set, and Need is the least buffer that its
// driver accepts for a lossless group, if known.
type Buffer struct {
	Group                *CosGroup
	Size, Xoff, XonDelta Derived
	Need                 int    // headroom that loses nothing in the worst case; for a NIC the whole buffer
	Floor                int    // headroom below which loss is likely
	Terms                []Term // the summands of Need
	Published            Term   // the published figure for the model or its chip, and its source; 0 bytes: none
	Row                  Term   // the smallest published row of the model itself, for the next length; 0 bytes: unknown
	RowMost              int    // the largest published row of the model for that length
	Unpublished          bool   // neither the model nor its chip has a published figure for the speed
	Nightly              Term   // the least that the nightly tests of the chip expect; 0 bytes: none
	RoundTrip            int    // bytes that the peer could send between the end of a pause and the arrival of its first frame; 0 for a NIC

	Pinned diag.Range // the row of fabric.lock whose numbers differ from this rocec's rules and apply instead; zero: none
}

// Preset decides what happens to RoCE settings made by a vendor's command.
type Preset string

// The presets.
const (
	AskPreset     Preset = ""        // they stay if the fabric fits them; otherwise rocec asks the person
	KeepPreset    Preset = "keep"    // they stay
	ReplacePreset Preset = "replace" // rocec's settings replace them
)

// LongCable is the length in metres above which the round trip determines when a pause should end. Preset thresholds suit cables inside a
// building; on longer cables they would leave the link idle.
const LongCable = 1000

// ByRow and ByTables name the terms that raise Need from the sum to a published figure.
const (
	ByRow    = "published for the model"
	ByTables = "published for the chip"
)

// Sum returns Need by rocec's own sum, without the terms that published figures add.
func (b *Buffer) Sum() int {
	sum := b.Need
	for _, t := range b.Terms {
		if t.Name == ByRow || t.Name == ByTables {
			sum -= t.Bytes
		}
	}
	return sum
}

// BeyondRow returns the bytes by which a headroom exceeds the largest published row of the model; 0: it does not exceed it, or no row is
// known.
func (b *Buffer) BeyondRow(headroom int) int {
	if b.RowMost == 0 {
		return 0
	}
	return max(headroom-b.RowMost, 0)
}

// Headroom returns the bytes that may arrive after the pause was sent.
func (b *Buffer) Headroom() int { return b.Size.N - b.Xoff.N }

// Term is one summand of a sum, as shown to people.
type Term struct {
	Name  string // "frame being sent by this port"
	Bytes int
	Why   string // "MTU 9216 + 18 + 20"
}

// Mark is ECN marking of one group at one egress port.
type Mark struct {
	Group                 *CosGroup
	Min, Max, Probability Derived

	Own int // the Min that the queue would have alone, if the switch has one set of lower thresholds; 0: the queue has its own Min

	Pinned diag.Range // as in [Buffer]
}

// Sizing is one derivation of sizes, for all ports with the same inputs.
type Sizing struct {
	Fresh  *lock.Row // by the rules of this rocec
	Pinned *lock.Row // from fabric.lock, and applied; nil: fabric.lock does not pin these sizes
}

// IntentNames returns the name of each intent.
func IntentNames(intents []*Intent) []string {
	names := make([]string, len(intents))
	for i, in := range intents {
		names[i] = in.Name
	}
	return names
}
