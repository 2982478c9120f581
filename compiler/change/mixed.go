package change

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// Held is how a device is set before a change and after it. A device that stays as it is has the same twice; of a zero Held nothing is
// known.
type Held struct {
	Old, New *ir.Settings // nil: not known
	Away     bool         // it stays as it is whatever the fabric means, and so do the marks of its packets
	Excused  bool         // of one that is away: the person goes on without it, whatever is lost there
}

// changes reports whether the device is changed.
func (h Held) changes() bool { return !h.Away && h.New != nil && !h.Old.Equal(h.New) }

// Stage is which settings a device holds.
type Stage uint8

// The stages, in the order a device takes them; it may leave out any.
const (
	Old    Stage = iota
	Both         // what it is to be beside what it was; what it sends is marked as before
	Marked       // the same, and what it sends is marked as it is to be
	New
)

const stages = 4

// String gives the word of the JSON.
func (s Stage) String() string { return [stages]string{"old", "both", "marked", "new"}[s] }

// Step is why devices are changed together; its text is the one of the JSON.
type Step string

// The steps of the ways to split a change. One way is not to split it. Another is switches, then hosts; the third adds the switches on
// which a class ends. The last is expand, migrate, contract. A step in which nothing changes is left out.
const (
	AtOnce   Step = "at-once"
	Switches Step = "switches"
	Hosts    Step = "hosts"
	Removals Step = "removals"
	Expand   Step = "expand"
	Migrate  Step = "migrate"
	Contract Step = "contract"
)

// Phase is devices that may be changed in any order, each from the stage it is in to the next. Undone, phases go backwards: the mixtures
// are the same.
type Phase struct {
	Step  Step
	Moves []Move // by Device.ID
}

// Move is a device that is set anew.
type Move struct {
	Device *ir.Device
	To     Stage
}

// Fault is why a mixture of settings loses packets; its text is the one of the JSON.
type Fault string

// The faults.
const (
	OtherCos    Fault = "other-cos"     // the ends put the packet into different cos
	NoPause     Fault = "no-pause"      // the receiver does not pause the cos
	NotObeyed   Fault = "not-obeyed"    // the sender does not obey a pause of the cos
	PauseKinds  Fault = "pause-kinds"   // one end uses PFC, the other link pause
	NoHeadroom  Fault = "no-headroom"   // the buffer of the receiver does not hold what arrives after a pause
	NotKnown    Fault = "not-known"     // how one end is set, or where it puts the packet, is not known
	HostNotRead Fault = "host-not-read" // a host was not read, and the lossless priorities towards it change
)

// Gap is a link that loses packets while its ends are set so. The packet goes from From to To.
type Gap struct {
	From, To       *ir.Port
	Sends, Takes   Stage // how the devices of From and of To are set
	Packet         ir.Packet
	Fault          Fault
	Sent, Received uint8 // bits of the cos the ends put it into; 0: not known
	Step           Step  // the step with this gap
}

// String describes the gap in one sentence, for people.
func (g *Gap) String() string {
	from, to := g.From.Device().Name, g.To.Device().Name
	with := fmt.Sprintf("%s (%s) to %s (%s): ", g.From, g.Sends, g.To, g.Takes)
	packet := PacketText(g.Packet)
	switch g.Fault {
	case OtherCos:
		return with + fmt.Sprintf("%s is %s at %s and %s at %s, so the pauses of %s do not stop it", packet, cosText(g.Sent), from,
			cosText(g.Received), to, to)
	case NoPause:
		return with + fmt.Sprintf("%s sends no pauses for %s, in which %s is", to, cosText(g.Received), packet)
	case NotObeyed:
		return with + fmt.Sprintf("%s obeys no pauses for %s, in which %s is", from, cosText(g.Sent), packet)
	case PauseKinds:
		return with + "one end uses PFC and the other one link pause"
	case NoHeadroom:
		return with + fmt.Sprintf("the headroom of %s is too small for %s", to, packet)
	case HostNotRead:
		return with + fmt.Sprintf("%s was not read, and the lossless priorities towards it change", from)
	}
	return with + fmt.Sprintf("it is unknown whether both pause %s alike", packet)
}

// PacketText names a packet by the fields that devices sort it by: "DSCP 26", "PCP 3".
func PacketText(p ir.Packet) string {
	switch {
	case p.IP && p.DSCP >= 0:
		return fmt.Sprintf("DSCP %d", p.DSCP)
	case p.Tagged:
		return fmt.Sprintf("PCP %d", p.PCP)
	}
	return "a packet without marks"
}

func cosText(bits uint8) string {
	var text strings.Builder
	text.WriteString("cos")
	for cos := range 8 {
		if bits>>cos&1 == 1 {
			text.WriteString(fmt.Sprintf(" %d", cos))
		}
	}
	if bits == 0 {
		return "a cos that is not known"
	}
	return text.String()
}

// Mixtures judges the mixtures of old and new settings of a fabric during a change. It may be used by one goroutine at a time.
//
// What has to be lossless is what hosts rely on: packets that a host marks for a lossless class, on their way to a host that pauses. A
// changed host marks as the fabric means. For an unchanged host, its own settings and the claims of the fabric count; in a lossless
// priority with neither, every value it puts there counts. On every link both ends have to agree on the cos, the receiver has to pause it,
// and the sender to obey. What lost packets before the change does not count against it, unless both hosts are changed and rely on it now.
// What is not known is good as long as the other end keeps what it had.
type Mixtures struct {
	fabric *ir.Fabric
	turns  *ir.Turns // of everybody's traffic; nil: any
	joins  []bool    // by Port.ID: the port is joined to another device that forwards
}

// NewMixtures prepares to judge.
func NewMixtures(f *ir.Fabric) *Mixtures {
	turns, err := routes.New(f).Everybody()
	if err != nil {
		turns = nil // where routing leaves the way open, every way counts
	}
	joins := make([]bool, len(f.Ports))
	for _, p := range f.Ports {
		joins[p.ID] = !p.Link().Planned && p.Peer().Device().Forwards()
	}
	return &Mixtures{f, turns, joins}
}

// Phases splits a change into as few phases as keep every mixture of settings lossless. held is by Device.ID. A device whose settings stay
// the same is in none of them: what else is to change on it may at any time. If no split is lossless, the gaps of the split with the
// fewest are returned, one for each link and packet.
func (m *Mixtures) Phases(held []Held) ([]Phase, []*Gap) {
	return newSides(m, held, false).split(atOnce, byRole, byLoss, byClass)
}

// PhasesByMarks is Phases under an assumption: in priorities that the fabric does not claim, hosts send only what they are set to mark. A
// program that marks its packets itself may still use a class that ends. So hosts stop using it before switches stop pausing it, even if
// another order is possible.
func (m *Mixtures) PhasesByMarks(held []Held) ([]Phase, []*Gap) {
	return newSides(m, held, true).split(byLoss, byClass)
}

// Gaps are what phases lose where some of the devices in them are away after all, one for each link and packet. byMarks is as for
// [Mixtures.PhasesByMarks].
func (m *Mixtures) Gaps(held []Held, phases []Phase, byMarks bool) []*Gap {
	var rest []Phase
	for _, p := range phases {
		moves := slices.DeleteFunc(slices.Clone(p.Moves), func(v Move) bool { return held[v.Device.ID].Away })
		rest = append(rest, Phase{p.Step, moves})
	}
	return newSides(m, held, byMarks).judge(rest, math.MaxInt)
}

// split gives the first of some splits that is lossless in every mixture, or the gaps of the one that has the fewest.
func (s *sides) split(splits ...func(*sides) []Phase) ([]Phase, []*Gap) {
	for _, split := range splits {
		if phases := split(s); len(s.judge(phases, 1)) == 0 {
			return phases, nil
		}
	}
	var fewest []*Gap
	for i, split := range splits {
		if gaps := s.judge(split(s), math.MaxInt); i == 0 || len(gaps) < len(fewest) {
			fewest = gaps
		}
	}
	return nil, fewest
}

// put makes phases of steps, and leaves out the empty ones. to gives the stages of a device in each step; Old: it is not changed.
func (s *sides) put(steps []Step, to func(d *ir.Device) []Stage) []Phase {
	phases := make([]Phase, len(steps))
	for _, d := range s.fabric.Devices {
		if !s.held[d.ID].changes() {
			continue
		}
		for i, stage := range to(d) {
			if stage != Old {
				phases[i].Moves = append(phases[i].Moves, Move{d, stage})
			}
		}
	}
	out := phases[:0]
	for i, p := range phases {
		if p.Step = steps[i]; len(p.Moves) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func atOnce(s *sides) []Phase {
	return s.put([]Step{AtOnce}, func(*ir.Device) []Stage { return []Stage{New} })
}

func byRole(s *sides) []Phase {
	return s.put([]Step{Switches, Hosts}, func(d *ir.Device) []Stage {
		if d.Host != nil {
			return []Stage{Old, New}
		}
		return []Stage{New}
	})
}

func byLoss(s *sides) []Phase {
	return s.put([]Step{Switches, Hosts, Removals}, func(d *ir.Device) []Stage {
		switch h := s.held[d.ID]; {
		case d.Host != nil:
			return []Stage{Old, New}
		case h.Old.Loses(h.New):
			return []Stage{Old, Old, New}
		}
		return []Stage{New}
	})
}

// byClass is expand, migrate, contract. A device takes no step that changes nothing on it; one of which nothing is known holds what it is
// to be at once.
func byClass(s *sides) []Phase {
	return s.put([]Step{Expand, Migrate, Contract}, func(d *ir.Device) []Stage {
		if s.held[d.ID].Old == nil {
			return map[bool][]Stage{true: {Old, New}, false: {New}}[d.Host != nil]
		}
		out := []Stage{Both, Old, New}
		if s.same(d, Old, Both) {
			out[0] = Old
		}
		last, is := 0, Both
		if d.Host != nil {
			if out[1] = Marked; s.same(d, Both, Marked) {
				out[1] = Old
			} else {
				last, is = 1, Marked
			}
		}
		if s.same(d, is, New) { // it need not be changed once more
			if out[last] == Old {
				last = 2
			}
			out[2], out[last] = Old, New
		}
		return out
	})
}
