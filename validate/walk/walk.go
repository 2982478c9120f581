// Package walk makes a [Trace] of the packets of an intent from one member to another, and of the notifications of congestion back.
//
// The input is a compiled fabric and a [Question], the output a [Trace]. For every hop of every way that the routing allows it has the
// field of the packet that decides, and the cos group it leads to. It has who pauses whom, how much can arrive after the pause and how
// much room there is. It has the queue in which the packet waits, and where that queue marks. A fact that breaks the promise of
// losslessness, or puts it at risk, is a [Finding] of the hop. Findings come in the direction of travel, so the first one is where to
// begin. They are judged by the rules that the checks of package validate judge the whole fabric by (rules.go). They have the code and the
// place of the diagnostic that those checks report.
//
// Ways are never listed one by one, there are too many of them. The traffic is followed over the stops of [ir.Ways], which ways share. The
// stops of one device are one hop. Hops equally far from the sender, of one group of devices and settled alike, are folded into one. The
// work is linear in the cables that the traffic may take.
//
// Two assumptions: a VLAN tag ends at an IP hop, and its PCP with it. A device that sends traffic up again in another cos group
// (cos_group.bounce) marks it anew with the first DSCP and the cos of that group.
package walk

import (
	"fmt"
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Question defines the packets that a walk follows.
type Question struct {
	Fabric   *ir.Fabric
	Intent   *ir.Intent
	From, To []*ir.Port // one of [Ends] each
	State    ir.State
	Unfold   bool      // a hop for every device
	Settings *Settings // how devices are set; nil: as the fabric means them
}

// Trace is what happens to the packets of an intent, there and back.
type Trace struct {
	Intent   *ir.Intent
	From, To []*ir.Port
	Data     *Walk
	CNP      *Walk  // from To to From; nil: none are sent
	NoCNP    string // why
}

// Walk is one direction.
type Walk struct {
	From, To []*ir.Port
	CNP      bool
	Packet   ir.Packet    // as the sender sends it
	Group    *ir.CosGroup // it is meant to be in; nil: no block names one
	Size     int          // largest payload of a frame, bytes; 0: not stated, or too small to matter
	Promised bool         // losslessness is promised
	Ways     uint64       // how many ways there are; 0: none, or they run in a circle; MaxWays: as many or more
	Cables   int          // the fewest cables to the receiver; -1: it does not get there
	Most     int          // the most cables; 0: as Ways
	Every    bool         // the routing allows every path, and the hops are those of the shortest
	Mixed    ir.Mixture   // as in [ir.Ways]
	Hops     []*Hop       // nearest to the sender first, the receiver last
}

// MaxWays is where counting ends.
const MaxWays = math.MaxUint64

// Hop is one device the packet passes, or several alike.
type Hop struct {
	Far      int          // cables from the sender
	Devices  []*ir.Device // by ID
	Packet   ir.Packet    // as it comes in
	Group    *ir.CosGroup // it is meant to be in
	Trust    ir.Trust
	Sort     ir.Sorting
	Read     bool       // files of the devices were read
	Unsorted bool       // these do not state Sort, which is as the fabric means it
	In, Out  []*Lane    // none in at the sender, none out at the receiver
	Findings []*Finding // of the device as a whole
}

// Lane is a port of a hop, or several alike.
type Lane struct {
	Ports    []*ir.Port   // by ID; of all devices of the hop
	Group    *ir.CosGroup // on the cable; another than the hop's where the packet goes up again
	Findings []*Finding   // of the first of the ports, which represents all
	side
}

// side has the values that two ports must share to be one lane. It holds the values of several settings that could differ, so that ports
// are alike if a person would call them alike.
type side struct {
	group  *ir.CosGroup
	Speed  int // Mb/s
	Metres float64
	MTU    int

	Planned bool // the cable is not laid yet
	Read    bool // files of the device were read
	Pauses  bool // of a port the packet comes in by: it sends pauses; of one it leaves by: it obeys those of the peer
	Unknown bool // files of the device that were read do not state whether it does
	odd     bool // it does not, because the ends are not of one kind of flow control, and this is not the fabric's

	// Ports the packet comes in by.
	Buffered                      bool // it has a buffer that is lossless for the packet
	Sized                         bool // rocec knows its sizes: of a switch that it writes
	Size, Xoff, Need, Floor, Pool int
	Kept                          ir.Setting[int] // headroom that files state without the sizes

	// Ports the packet leaves by.
	Marks                 bool
	Min, Max, Probability int
	Queue                 ir.Setting[int8] // of a switch
	Strict                ir.Setting[bool] // the queue is
	Share                 ir.Setting[int]  // of the queue, where files of the switch were read: its weight, or percent
}

// Headroom is the room for what arrives after the pause was sent.
func (l *Lane) Headroom() int { return l.Size - l.Xoff }

// Peers names the groups of the devices at the other ends: switch.leaf, host.gpu.
func (l *Lane) Peers() []string {
	var out []string
	for _, p := range l.Ports {
		if g := groupName(p.Peer().Device()); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return out
}

// Ends returns the ports by which a host takes part in an intent, of one address each: a NIC, or all ports of a bond that balances. For an
// active-backup bond it returns each port apart, because each may be the active one. A NIC's name limits them to it.
func Ends(in *ir.Intent, host *ir.Device, nic string) [][]*ir.Port {
	var out [][]*ir.Port
	done := map[*ir.NIC]bool{}
	for _, m := range in.Members {
		n := m.NIC
		if n.Device != host || done[n] {
			continue
		}
		all := []*ir.NIC{n}
		if n.Bond != nil {
			all = n.Bond.NICs
		}
		var ports []*ir.Port
		named := nic == ""
		for _, n := range all {
			done[n] = true
			balances := n.Bond != nil && n.Bond.Mode != "active-backup"
			named = named || n.Name == nic || balances && n.Bond.Name == nic
			switch {
			case n.Port == nil:
			case balances:
				ports = append(ports, n.Port)
			case nic == "" || n.Name == nic || n.Bond != nil && n.Bond.Name == nic:
				out = append(out, []*ir.Port{n.Port})
			}
		}
		if named && len(ports) > 0 {
			out = append(out, ports)
		}
	}
	return out
}

// Run answers a question. The error is that of [ir.Routes]: why the routing cannot be followed.
func Run(q Question) (*Trace, error) {
	if q.Settings == nil {
		q.Settings = &Settings{}
	}
	in := q.Intent
	from, to := q.From[0].NIC, q.To[0].NIC
	t := &Trace{Intent: in, From: q.From, To: q.To}
	t.Data = &Walk{
		From: q.From, To: q.To, Packet: wire(from.PacketTo(to, in)), Group: in.Group, Size: from.MTU, Promised: in.Group.Lossless,
	}
	if err := t.Data.follow(q); err != nil {
		return nil, err
	}
	switch {
	case in.Version == 1:
		t.NoCNP = "RoCEv1 has no IP header: no switch marks it, and no sender slows down"
	case in.Group.ECN == nil:
		t.NoCNP = "the cos group has no ecn block: no switch marks it, and no sender slows down"
	case !to.SlowsDown():
		t.NoCNP = fmt.Sprintf("%s answers no marks", to.Device.Name)
	default:
		t.CNP = &Walk{From: q.To, To: q.From, CNP: true, Packet: wire(to.CNP(in)), Group: in.CNP}
		if err := t.CNP.follow(q); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// wire is a packet as it is on the cable: without a tag there is no PCP.
func wire(p ir.Packet) ir.Packet {
	if !p.Tagged {
		p.PCP = 0
	}
	return p
}
