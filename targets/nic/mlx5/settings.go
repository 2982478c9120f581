package mlx5

import (
	"cmp"
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// settings is what one NIC should hold, before it is spelled. Arrays of eight are by priority, or by traffic class (TC)
// where they say so.
type settings struct {
	nic     *ir.NIC
	intents []*ir.Intent // what it carries; empty: only roce and vf_roce are set
	cnp     *ir.CosGroup // where congestion notification packets travel; nil: not stated
	version int          // of RoCE, what RDMA-CM uses by default
	byDSCP  bool         // priorities are told by DSCP, else by PCP
	vlan    int          // that carries the intents told by PCP; 0: none
	egress  int          // the PCP they get on it
	pause   bool         // link pause instead of PFC
	pfc     [8]bool
	ecn     [8]bool
	dscp    [64]uint8 // DSCP to priority
	runs    []run     // the same, as runs of one priority
	tc      [8]uint8  // priority to TC
	share   [8]uint8  // by TC: percent of the link; 0: not an ETS class, or strict
	ets     [8]bool   // by TC: shares the link, else strict
	tos     int       // default of RDMA-CM; -1: not stated
	cable   int       // metres; 0: not known
}

// run is neighbouring DSCP values of one priority.
type run struct{ first, last, prio uint8 }

// lower turns the fabric's numbers into a NIC's settings.
func lower(n *ir.NIC) *settings {
	s := &settings{nic: n, intents: n.Carries(), tos: -1}
	if len(s.intents) == 0 {
		return s
	}
	f := n.Device.Fabric
	first := s.intents[0]
	s.version, s.byDSCP = first.Version, first.ByDSCP()
	for _, in := range s.intents {
		if s.cnp == nil && in.Version == 2 {
			s.cnp = in.CNP
		}
		if in.Version == 2 && in.Group.ECN != nil {
			s.ecn[in.Group.Cos] = true
		}
		if s.vlan == 0 && !in.ByDSCP() {
			s.vlan, s.egress = in.VLAN, in.Group.Cos
		}
	}
	s.tos = n.TOS
	if s.tos < 0 && len(first.Group.DSCP) > 0 {
		s.tos = first.Group.DSCP[0].Value << 2 // the DSCP is the upper six bits
	}
	s.lossless(f)
	s.classify(f.CosGroups)
	s.schedule(f.CosGroups)
	return s
}

// lossless fills the PFC mask: the lossless groups the port carries, and no others, because a needless priority takes
// headroom and can block. Under link pause the mask is empty, and the port pauses if it carries any.
func (s *settings) lossless(f *ir.Fabric) {
	carries := false
	mark := func(g *ir.CosGroup) {
		if f.FlowControl == ir.Pause {
			s.pause = true
			return
		}
		s.pfc[g.Cos] = true
		carries = true
	}
	if s.nic.Port != nil {
		for _, b := range s.nic.Port.Buffers {
			mark(b.Group)
		}
	}
	for _, in := range s.intents { // of a bond's port without a cable, too
		if in.Group.Lossless {
			mark(in.Group)
		}
	}
	if p := s.nic.Port; carries && p != nil && p.Link.Length.Known() {
		s.cable = int(min(max(math.Ceil(p.Link.Length.Metres), 1), 999)) // what mlx5 accepts
	}
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
func (s *settings) classify(groups []*ir.CosGroup) {
	var lossless [8]bool
	for _, g := range groups {
		lossless[g.Cos] = lossless[g.Cos] || g.Lossless
	}
	rest := uint8(common(groups))
	for v := range s.dscp {
		s.dscp[v] = uint8(v >> 3)
		if lossless[v>>3] {
			s.dscp[v] = rest
		}
	}
	for _, g := range slices.Backward(groups) { // of two that claim a value, the first: an error of its own elsewhere
		for _, c := range g.DSCP {
			s.dscp[c.Value] = uint8(g.Cos)
		}
	}
	s.runs = make([]run, 0, 16)
	for v, p := range s.dscp {
		if n := len(s.runs); n > 0 && s.runs[n-1].prio == p {
			s.runs[n-1].last = uint8(v)
		} else {
			s.runs = append(s.runs, run{uint8(v), uint8(v), p})
		}
	}
}

// schedule gives every group the TC of its own number, and the priorities without a group the TC of common traffic.
//
// Shares are percent and must sum to 100, or the driver refuses them all. A class without a weight gets an equal part
// of what the others leave of a hundred.
func (s *settings) schedule(groups []*ir.CosGroup) {
	rest := common(groups)
	for p := range s.tc {
		s.tc[p] = uint8(rest)
	}
	s.ets[rest] = true
	var weight [8]int
	for _, g := range groups {
		s.tc[g.Cos] = uint8(g.Cos)
		s.ets[g.Cos] = !g.Strict
		if !g.Strict {
			weight[g.Cos] = g.Weight
		}
	}
	sum, without := 0, 0
	for t, ets := range s.ets {
		if ets && weight[t] <= 0 {
			without++
		}
		sum += weight[t]
	}
	for t, ets := range s.ets {
		if ets && weight[t] <= 0 {
			weight[t] = max((100-sum)/without, 1)
		}
	}
	s.share = percent(weight)
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
