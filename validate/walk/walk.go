// Package walk makes a [Trace] of the packets of an intent from one member to another, and of the notifications of congestion back.
//
// The input is a compiled fabric and a [Question], the output a [Trace]. A trace has every hop of every path that the routing allows. A
// hop contains the packet field that decides, and the cos group to which it leads. It contains which ports send and obey pauses, the bytes
// that can arrive after a pause, and the headroom. It contains the queue in which the packet waits, and its marking thresholds. A fact
// that breaks losslessness, or puts it at risk, is a [Finding] of the hop. Findings are in the direction of travel, so the first one is
// where to begin. Walks and the checks of package validate use the same rules (rules.go). A finding has the code and the place of the
// diagnostic of its check.
//
// Paths are too many to be listed one by one. Package walk follows the traffic over the stops of [ir.Ways], which paths share. The stops
// of one device are one hop. Hops with the same distance from the sender, the same group of devices and the same settings are folded into
// one. The work is linear in the cables that the traffic may use.
//
// There are two assumptions. A VLAN tag and its PCP end at an IP hop. A device that sends traffic up again in another cos group
// (cos_group.bounce) gives it the first DSCP and the cos of that group.
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
	From, To []*ir.Port // each is an element of [Ends]
	State    ir.State
	Unfold   bool      // a hop for every device
	Settings *Settings // settings of devices; nil: those of the fabric
}

// Trace describes the way of an intent's packets to the receiver, and of its CNPs back.
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
	Group    *ir.CosGroup // the wanted group; nil: no block names one
	Size     int          // largest payload of a frame, bytes; 0: not stated, or too small to matter
	Promised bool         // the packets must be lossless
	Ways     uint64       // number of paths; 0: none, or a routing loop; MaxWays: as many or more
	Cables   int          // the fewest cables to the receiver; -1: packets do not get there
	Most     int          // the most cables; 0: for the same reasons as Ways
	Every    bool         // the routing allows every path, and the hops are those of the shortest paths
	Mixed    ir.Mixture   // as in [ir.Ways]
	Hops     []*Hop       // nearest to the sender first, the receiver last
}

// MaxWays bounds the count of paths.
const MaxWays = math.MaxUint64

// Hop is one device that the packet passes, or several devices that are alike.
type Hop struct {
	Far      int          // cables from the sender
	Devices  []*ir.Device // by ID
	Packet   ir.Packet    // as it comes in
	Group    *ir.CosGroup // the wanted group
	Trust    ir.Trust
	Sort     ir.Sorting
	Read     bool       // files of the devices were read
	Unsorted bool       // these do not state Sort, which is the fabric's
	In, Out  []*Lane    // none in at the sender, none out at the receiver
	Findings []*Finding // about the device as a whole
}

// Lane is a port of a hop, or several ports that are alike.
type Lane struct {
	Ports    []*ir.Port   // by ID; of all devices of the hop
	Group    *ir.CosGroup // on the cable; differs from the hop's if the packet goes up again
	Findings []*Finding   // about the first port, which represents all
	side
}

// side has the values in which the ports of one lane are equal.
type side struct {
	group  *ir.CosGroup
	Speed  int // Mb/s
	Metres float64
	MTU    int

	Planned bool // the cable is not laid yet
	Read    bool // files of the device were read
	Pauses  bool // an ingress port sends pauses; an egress port obeys those of the peer
	Unknown bool // files of the device were read and do not state Pauses
	odd     bool // no pauses, because the ends have different kinds of flow control, and this end not the fabric's

	// For ports by which the packet comes in.
	Buffered                      bool // the port has a lossless buffer for the packet
	Sized                         bool // the sizes of the buffer are known
	Size, Xoff, Need, Floor, Pool int
	Kept                          ir.Setting[int] // the headroom, if files state it without the sizes

	// For ports by which the packet leaves.
	Marks                 bool
	Min, Max, Probability int
	Queue                 ir.Setting[int8] // at a switch
	Strict                ir.Setting[bool] // the queue is strict
	Share                 ir.Setting[int]  // weight or percent of the queue, if files of the switch were read
}

// Headroom returns the bytes for what arrives after the pause was sent.
func (l *Lane) Headroom() int { return l.Size - l.Xoff }

// Peers returns the names of the groups of the devices at the other ends: switch.leaf, host.gpu.
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

// Ends returns the ports of a host in an intent, one element per address: a NIC, or all ports of a bond that balances. For an
// active-backup bond each port is an element, because each may be the active one. If nic is not empty, only that NIC counts.
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

// Run answers a question. Its error is that of [ir.Routes], if the routing cannot be followed.
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

// wire returns the packet as it is on the cable: without a tag there is no PCP.
func wire(p ir.Packet) ir.Packet {
	if !p.Tagged {
		p.PCP = 0
	}
	return p
}
