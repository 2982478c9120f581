package ir

import (
	"fmt"
	"math"
	"slices"
)

// This file computes values that several targets write: each target only spells and rounds them. [Device.Wanted] uses the same functions.

// Maps contains the cos that a switch gives the values of header fields.
type Maps struct {
	DSCP  [64]int
	PCP   [8]int
	Plain int         // the cos of packets that are sorted by no trusted field
	Why   [8][]Origin // by cos
}

// MapsOf returns the wanted maps of a switch. Claimed values go to the group that claims them. An unclaimed value goes to the cos that
// [Home] returns for its number (for a DSCP, its upper three bits). own is the cos that the system reserves for its own traffic; 0: none.
func MapsOf(groups []*CosGroup, own int) *Maps {
	if own == 0 {
		own = -1
	}
	home := Home(groups, own)
	m := &Maps{Plain: home(0), PCP: MapPCP(groups, home), DSCP: MapDSCP(groups, func(dscp int) int { return home(dscp / 8) })}
	for _, g := range groups {
		m.Why[g.Cos] = append(m.Why[g.Cos], Origin{At: g.At, Why: "cos group " + g.Name})
	}
	return m
}

// MapDSCP returns the wanted cos of every DSCP: the cos of the group that claims it, or the result of rest for an unclaimed value. If
// several groups claim a value, the first wins; a separate check reports that as an error.
func MapDSCP(groups []*CosGroup, rest func(dscp int) int) (to [64]int) {
	fill(to[:], groups, rest, func(g *CosGroup) []Claim { return g.DSCP })
	return to
}

// MapPCP is [MapDSCP] for the priorities of tags.
func MapPCP(groups []*CosGroup, rest func(pcp int) int) (to [8]int) {
	fill(to[:], groups, rest, func(g *CosGroup) []Claim { return g.PCP })
	return to
}

func fill(to []int, groups []*CosGroup, rest func(int) int, claims func(*CosGroup) []Claim) {
	for v := range to {
		to[v] = rest(v)
	}
	for _, g := range slices.Backward(groups) {
		for _, c := range claims(g) {
			to[c.Value] = g.Cos
		}
	}
}

// SpareTrust returns the fields that a switch may trust in addition to the required ones without changing the cos of intents' packets. If
// both fields are trusted, DSCP sorts a packet with an IP header. So PCP is spare if it is not required, and DSCP is spare if no intent
// uses it.
func (s *Switch) SpareTrust(f *Fabric) Trust {
	must := s.Trust(f)
	return Trust{
		PCP:  !must.PCP,
		DSCP: !must.DSCP && !slices.ContainsFunc(s.Deciding(f), func(in *Intent) bool { return in.Version == 2 }),
	}
}

// TrustWhy returns the reasons for the fields that intents need.
func TrustWhy(intents []*Intent) (why []Origin) {
	for _, in := range intents {
		why = append(why, Origin{At: in.VersionAt, Why: fmt.Sprintf("RoCEv%d of %s", in.Version, in.Name)})
	}
	return why
}

// IsLossless returns the reason for values that depend on the group being lossless.
func (g *CosGroup) IsLossless() Origin { return Origin{At: g.LosslessAt, Why: g.Name + " is lossless"} }

// IsMarked returns the reason for values that depend on the group being marked. is is false if the group has no ecn block.
func (g *CosGroup) IsMarked() (why Origin, is bool) {
	if g.ECN == nil {
		return Origin{}, false
	}
	return Origin{At: g.ECN.At, Why: g.Name + " is marked"}, true
}

// LosslessCos returns the cos of the lossless groups, as bits.
func LosslessCos(groups []*CosGroup) (all uint8) {
	for _, g := range groups {
		all |= bit(g.Lossless, g.Cos)
	}
	return all
}

// OneBuffer combines the lossless groups of a port into one buffer: the sum of their sizes, paused at the smallest xoff. A chip may keep
// one priority group for all lossless cos of a port, or one for each. With the smallest xoff the headroom suffices either way. In one
// shared group the headroom is size - xoff, at least the sum of all headrooms. With a group for each cos, they contain together at most the
// sum of their xoffs when the last one pauses, and the rest of the buffer is the sum of headrooms.
type OneBuffer struct {
	Cos                  uint8
	Size, Xoff, XonDelta int
	LeastXoff, LeastXon  *Buffer // the buffers that Xoff and XonDelta come from; nil: no group is lossless
}

// Joined returns the lossless groups of a port as one buffer.
func Joined(p *Port) (o OneBuffer) {
	for _, b := range p.Buffers() {
		o.Cos |= bit(true, b.Group.Cos)
		o.Size += b.Size.N
		if o.LeastXoff == nil || b.Xoff.N < o.Xoff {
			o.Xoff, o.LeastXoff = b.Xoff.N, b
		}
		if o.LeastXon == nil || b.XonDelta.N < o.XonDelta {
			o.XonDelta, o.LeastXon = b.XonDelta.N, b
		}
	}
	return o
}

// Marked returns how a port marks each cos; if several groups have one cos, the first counts. Zero: the port does not mark the cos.
func Marked(p *Port) (at [8]Marking) {
	for _, m := range p.Marks() {
		if at[m.Group.Cos] == (Marking{}) {
			at[m.Group.Cos] = Marking{Min: m.Min.N, Max: m.Max.N, Probability: m.Probability.N}
		}
	}
	return at
}

// Whole returns the length in whole metres, rounded up; 0: unknown.
func (l Length) Whole() int {
	if !l.Known() {
		return 0
	}
	return int(math.Ceil(l.Metres))
}
