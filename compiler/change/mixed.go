package change

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
)

// Held contains the settings of a device before and after a change. An unchanged device has the same settings in both; a zero Held means
// that nothing is known.
type Held struct {
	Old, New *ir.Settings // nil: unknown
	Away     bool         // its settings and the marks of its packets stay as they are, whatever the fabric wants
	Excused  bool         // of a device that is away: the person continues without it and accepts losses there
}

// changes reports whether the device is changed.
func (h Held) changes() bool { return !h.Away && h.New != nil && !h.Old.Equal(h.New) }

// Stage tells the old and the new settings of a device apart during a change.
type Stage uint8

// The stages, in the order in which a device goes through them; it may skip any.
const (
	Old    Stage = iota
	Both         // old and new settings side by side; packets are sent with the old marks
	Marked       // as Both, but packets are sent with the new marks
	New
)

const stages = 4

// String returns the word used in the JSON.
func (s Stage) String() string { return [stages]string{"old", "both", "marked", "new"}[s] }

// Step is the reason why devices are changed together; the JSON has the same text.
type Step string

// The steps of a change. It is split in one of four ways: not at all; switches, then hosts; switches, hosts, then the switches on which a
// class ends; or expand, migrate, contract. A step without changes is left out.
const (
	AtOnce   Step = "at-once"
	Switches Step = "switches"
	Hosts    Step = "hosts"
	Removals Step = "removals"
	Expand   Step = "expand"
	Migrate  Step = "migrate"
	Contract Step = "contract"
)

// The steps of a change with resets of cards: the resets, one device after the other, and then everything else.
const (
	Resets Step = "resets"
	Rest   Step = "rest"
)

// Phase is a set of devices that may be changed in any order, each from its current stage to the next. To undo a change, phases run
// backwards through the same mixtures.
type Phase struct {
	Step  Step
	Moves []Move // by Device.ID
}

// Move is a device that gets new settings.
type Move struct {
	Device *ir.Device
	To     Stage
}

// Fault is the reason why a mixture of settings loses packets; the JSON has the same text.
type Fault string

// The faults.
const (
	OtherCos    Fault = "other-cos"     // the ends put the packet into different cos
	NoPause     Fault = "no-pause"      // the receiver does not pause the cos
	NotObeyed   Fault = "not-obeyed"    // the sender does not obey a pause of the cos
	PauseKinds  Fault = "pause-kinds"   // one end uses PFC, the other link pause
	NoHeadroom  Fault = "no-headroom"   // the receiver's buffer is too small for the bytes that arrive after a pause
	NotKnown    Fault = "not-known"     // the settings of one end, or the cos it gives the packet, are unknown
	HostNotRead Fault = "host-not-read" // a host was not read, and the lossless priorities towards it change
)

// Gap is a link that loses a packet while its ends are in the given stages. The packet goes from From to To.
type Gap struct {
	From, To       *ir.Port
	Sends, Takes   Stage // the stages of the devices of From and of To
	Packet         ir.Packet
	Fault          Fault
	Sent, Received uint8 // bits of the cos that each end gives it; 0: unknown
	Step           Step  // the step in which the gap occurs
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
		return with + fmt.Sprintf("%s sends no pauses for %s, the cos of %s", to, cosText(g.Received), packet)
	case NotObeyed:
		return with + fmt.Sprintf("%s obeys no pauses for %s, the cos of %s", from, cosText(g.Sent), packet)
	case PauseKinds:
		return with + "one end uses PFC and the other uses link pause"
	case NoHeadroom:
		return with + fmt.Sprintf("the headroom of %s is too small for %s", to, packet)
	case HostNotRead:
		return with + fmt.Sprintf("%s was not read, and the lossless priorities towards it change", from)
	}
	return with + fmt.Sprintf("it is unknown whether both ends pause %s in the same cos", packet)
}

// PacketText names a packet by the field that devices sort it by: "DSCP 26", "PCP 3".
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
		return "an unknown cos"
	}
	return text.String()
}

// Mixtures judges the mixtures of old and new settings of a fabric during a change. It may be used by one goroutine at a time.
//
// The packets that hosts rely on have to be lossless: packets that a host marks for a lossless class and that go to a host that pauses. A
// changed host uses the marks of the fabric. An unchanged host uses the marks of its settings and of the fabric's claims; in a lossless
// priority without any, it may use every value that it sorts there. On every link both ends have to agree on the cos, the receiver has to
// pause it, and the sender has to obey. A loss that existed before the change is no gap, unless both hosts are changed and rely on the
// packet now. Unknown settings are accepted while the other end keeps its old settings.
type Mixtures struct {
	fabric *ir.Fabric
	turns  *ir.Turns // of all traffic; nil: any
	joins  []bool    // by Port.ID: the port is joined to another device that forwards
}

// NewMixtures returns the mixtures of a fabric.
func NewMixtures(f *ir.Fabric) *Mixtures {
	turns, err := routes.New(f).Everybody()
	if err != nil {
		turns = nil // if routing leaves the path open, every path counts
	}
	joins := make([]bool, len(f.Ports))
	for _, p := range f.Ports {
		joins[p.ID] = !p.Link().Planned && p.Peer().Device().Forwards()
	}
	return &Mixtures{f, turns, joins}
}

// Phases splits a change into the fewest phases that keep every mixture of settings lossless. held is by Device.ID. A device with unchanged
// settings is in no phase: its other changes may happen at any time. If no split is lossless, the gaps of the split with the fewest are
// returned, one for each link and packet.
func (m *Mixtures) Phases(held []Held) ([]Phase, []*Gap) {
	return newSides(m, held, false).split(atOnce, byRole, byLoss, byClass)
}

// PhasesByMarks is Phases under an assumption: in priorities that the fabric does not claim, hosts send only what they are set to mark. A
// program that marks its packets itself may still use a class that ends. So hosts stop using it before switches stop pausing it, even if
// another order is possible.
func (m *Mixtures) PhasesByMarks(held []Held) ([]Phase, []*Gap) {
	return newSides(m, held, true).split(byLoss, byClass)
}

// Gaps returns the losses if some devices of the phases turn out to be away, one for each link and packet. byMarks is as for
// [Mixtures.PhasesByMarks].
func (m *Mixtures) Gaps(held []Held, phases []Phase, byMarks bool) []*Gap {
	var rest []Phase
	for _, p := range phases {
		moves := slices.DeleteFunc(slices.Clone(p.Moves), func(v Move) bool { return held[v.Device.ID].Away })
		rest = append(rest, Phase{p.Step, moves})
	}
	return newSides(m, held, byMarks).judge(rest, math.MaxInt)
}

// split returns the first of the splits that is lossless in every mixture, or else the gaps of the split with the fewest.
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

// put returns the phases of steps without the empty ones. to returns the stages of a device in each step; Old: it is not changed.
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

// byClass splits a change into expand, migrate and contract. A device skips steps that change nothing on it. A device with unknown settings
// gets the new ones in the first step.
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
		if s.same(d, is, New) { // it needs no further change
			if out[last] == Old {
				last = 2
			}
			out[2], out[last] = Old, New
		}
		return out
	})
}
