package nic

import (
	"cmp"
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Settings is what one NIC should hold, before it is spelled. Arrays of eight are by priority, or by traffic class (TC)
// where they say so.
type Settings struct {
	NIC     *ir.NIC
	Intents []*ir.Intent // what it carries; empty: only RoCE itself is set
	CNP     *ir.CosGroup // where congestion notification packets travel; nil: not stated
	Version int          // of RoCE, what RDMA-CM uses by default
	ByDSCP  bool         // priorities are told by DSCP, else by PCP
	VLAN    int          // that carries the intents told by PCP; 0: none
	Egress  int          // the PCP they get on it
	Pause   bool         // link pause instead of PFC
	PFC     [8]bool
	ECN     [8]bool
	DSCP    [64]uint8 // DSCP to priority
	Runs    []Run     // the same, as runs of one priority
	TC      [8]uint8  // priority to TC
	Share   [8]uint8  // by TC: percent of the link; 0: not an ETS class, or strict
	ETS     [8]bool   // by TC: shares the link, else strict
	TOS     int       // default of RDMA-CM; -1: not stated
	Cable   int       // metres; 0: not known

	family *Family
}

// Run is neighbouring DSCP values of one priority.
type Run struct{ First, Last, Priority uint8 }

// lower turns the fabric's numbers into a NIC's settings.
func (f *Family) lower(n *ir.NIC) *Settings {
	s := &Settings{NIC: n, Intents: n.Carries(), TOS: -1, family: f}
	if len(s.Intents) == 0 {
		return s
	}
	fabric := n.Device.Fabric
	first := s.Intents[0]
	s.Version, s.ByDSCP = first.Version, first.ByDSCP()
	for _, in := range s.Intents {
		if s.CNP == nil && in.Version == 2 {
			s.CNP = in.CNP
		}
		if in.Version == 2 && in.Group.ECN != nil {
			s.ECN[in.Group.Cos] = true
		}
		if s.VLAN == 0 && !in.ByDSCP() {
			s.VLAN, s.Egress = in.VLAN, in.Group.Cos
		}
	}
	s.TOS = n.TOS
	if s.TOS < 0 && len(first.Group.DSCP) > 0 {
		s.TOS = first.Group.DSCP[0].Value << 2 // the DSCP is the upper six bits
	}
	s.lossless()
	s.classify(fabric.CosGroups)
	s.schedule(fabric.CosGroups)
	return s
}

// lossless fills the PFC mask: the lossless groups the port carries, and no others, because a needless priority takes
// headroom and can block. Under link pause the mask is empty, and the port pauses if it carries any.
func (s *Settings) lossless() {
	carries, pause := false, ByPause(s.NIC)
	mark := func(g *ir.CosGroup) {
		if pause {
			s.Pause = true
			return
		}
		s.PFC[g.Cos] = true
		carries = true
	}
	if s.NIC.Port != nil {
		for _, b := range s.NIC.Port.Buffers() {
			mark(b.Group)
		}
	}
	for _, in := range s.Intents { // of a bond's port without a cable, too
		if in.Group.Lossless {
			mark(in.Group)
		}
	}
	if p := s.NIC.Port; carries && p != nil && p.Link().Length.Known() {
		s.Cable = int(min(max(math.Ceil(p.Link().Length.Metres), 1), 999)) // what mlx5 accepts
	}
}

// ByPause reports whether the cable of a NIC is meant to be lossless by link pause; of one without a cable, that of the NICs it is
// bonded with, or else the fabric.
func ByPause(n *ir.NIC) bool {
	if n.Port == nil && n.Bond != nil {
		if i := slices.IndexFunc(n.Bond.NICs, func(o *ir.NIC) bool { return o.Port != nil }); i >= 0 {
			n = n.Bond.NICs[i]
		}
	}
	if n.Port == nil {
		return n.Device.Fabric.FlowControl == ir.Pause
	}
	return n.Port.ByPause()
}

// common gives the priority of traffic nobody claimed: 0, unless a group made that lossless or strict; then a lossy
// group's, or one without a group.
func common(groups []*ir.CosGroup) int {
	var owner [8]*ir.CosGroup
	for _, g := range groups {
		owner[g.Cos] = g
	}
	free := func(g *ir.CosGroup) bool { return g != nil && !g.Lossless && !g.Strict }
	if owner[0] == nil || free(owner[0]) {
		return 0
	}
	if i := slices.IndexFunc(owner[:], free); i >= 0 {
		return i
	}
	return max(slices.Index(owner[:], nil), 0)
}

// classify fills the DSCP map, all 64 entries, because the NIC keeps for the others whatever it had. A claimed value
// goes where it was claimed; another one to the priority of its upper three bits, as NICs have it from the factory,
// unless that is lossless: nobody asked for that.
func (s *Settings) classify(groups []*ir.CosGroup) {
	var lossless [8]bool
	for _, g := range groups {
		lossless[g.Cos] = lossless[g.Cos] || g.Lossless
	}
	rest := common(groups)
	for v, p := range ir.MapDSCP(groups, func(dscp int) int {
		if lossless[dscp>>3] {
			return rest
		}
		return dscp >> 3
	}) {
		s.DSCP[v] = uint8(p)
	}
	s.run()
}

// run writes the DSCP map as runs.
func (s *Settings) run() {
	s.Runs = make([]Run, 0, 16)
	for v, p := range s.DSCP {
		if n := len(s.Runs); n > 0 && s.Runs[n-1].Priority == p {
			s.Runs[n-1].Last = uint8(v)
		} else {
			s.Runs = append(s.Runs, Run{uint8(v), uint8(v), p})
		}
	}
}

// schedule gives every group the TC of its own number, and the priorities without a group the TC of common traffic.
//
// Shares are percent and must sum to 100, or the driver refuses them all. A class without a weight gets an equal part
// of what the others leave of a hundred.
func (s *Settings) schedule(groups []*ir.CosGroup) {
	rest := common(groups)
	for p := range s.TC {
		s.TC[p] = uint8(rest)
	}
	s.ETS[rest] = true
	var weight [8]int
	for _, g := range groups {
		s.TC[g.Cos] = uint8(g.Cos)
		s.ETS[g.Cos] = !g.Strict
		if !g.Strict {
			weight[g.Cos] = g.Weight
		}
	}
	sum, without := 0, 0
	for t, ets := range s.ETS {
		if ets && weight[t] <= 0 {
			without++
		}
		sum += weight[t]
	}
	for t, ets := range s.ETS {
		if ets && weight[t] <= 0 {
			weight[t] = max((100-sum)/without, 1)
		}
	}
	s.Share = percent(weight)
}

// percent scales weights to a sum of 100, the largest remainders first and no class that has a weight below 1. Eight
// zeros stay.
func percent(weight [8]int) (share [8]uint8) {
	sum := 0
	for _, w := range weight {
		sum += w
	}
	if sum == 0 {
		return share
	}
	left := 100
	var order [8]int
	for t, w := range weight {
		order[t] = t
		if w > 0 {
			share[t] = uint8(max(w*100/sum, 1))
			left -= int(share[t])
		}
	}
	if left > 0 {
		slices.SortStableFunc(order[:], func(a, b int) int { return cmp.Compare(weight[b]*100%sum, weight[a]*100%sum) })
	} else if left < 0 {
		slices.SortStableFunc(order[:], func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	}
	for i := 0; left != 0; i = (i + 1) % 8 {
		switch t := order[i]; {
		case left > 0 && weight[t] > 0:
			share[t]++
			left--
		case left < 0 && share[t] > 1:
			share[t]--
			left++
		}
	}
	return share
}
