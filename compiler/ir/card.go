package ir

import (
	"cmp"
	"slices"
)

// Card contains the settings that the fabric wants on a NIC. The index of an array of eight is the priority, or the traffic class (TC)
// where its comment says so.
type Card struct {
	Version int       // of RoCE, what RDMA-CM uses by default
	ByDSCP  bool      // DSCP decides the priority, otherwise PCP
	VLAN    int       // of the intents identified by PCP; 0: no VLAN
	Egress  int       // the PCP of these intents on the VLAN
	Pause   bool      // link pause instead of PFC
	PFC     [8]bool   // the lossless groups that the port carries
	DSCP    [64]uint8 // DSCP to priority
	TC      [8]uint8  // priority to TC
	Share   [8]uint8  // by TC: percent of the link; 0: not an ETS class, or strict
	ETS     [8]bool   // by TC: shares the link, otherwise strict
	TOS     int       // default of RDMA-CM; -1: not stated
	Cable   int       // metres; 0: not known
}

// longestCable is the longest cable length, in metres, that NIC drivers accept.
const longestCable = 999

// CardOf returns the settings that the fabric wants on a NIC that carries the intents. Without an intent no setting is stated.
func CardOf(n *NIC, intents []*Intent) *Card {
	c := &Card{TOS: -1}
	if len(intents) == 0 {
		return c
	}
	first := intents[0]
	c.Version, c.ByDSCP = first.Version, first.ByDSCP()
	for _, in := range intents {
		if c.VLAN == 0 && !in.ByDSCP() {
			c.VLAN, c.Egress = in.VLAN, in.Group.Cos
		}
	}
	c.TOS = n.TOS
	if c.TOS < 0 && len(first.Group.DSCP) > 0 {
		c.TOS = first.Group.DSCP[0].Value << 2 // the DSCP is the upper six bits
	}
	c.lossless(n, intents)
	c.classify(n.Device.Fabric.CosGroups)
	c.schedule(n.Device.Fabric.CosGroups)
	return c
}

// lossless fills the PFC mask: the lossless groups the port carries, and no others, because an unneeded priority uses headroom and can
// block. Under link pause the mask is empty, and the port pauses if it carries any lossless group.
func (c *Card) lossless(n *NIC, intents []*Intent) {
	carries, pause := false, n.ByPause()
	mark := func(g *CosGroup) {
		if pause {
			c.Pause = true
			return
		}
		c.PFC[g.Cos] = true
		carries = true
	}
	if n.Port != nil {
		for _, b := range n.Port.Buffers() {
			mark(b.Group)
		}
	}
	for _, in := range intents { // a bonded NIC without a cable has no port, but has intents
		if in.Group.Lossless {
			mark(in.Group)
		}
	}
	if p := n.Port; carries && p != nil && p.Link() != nil && p.Link().Length.Known() {
		c.Cable = min(max(p.Link().Length.Whole(), 1), longestCable)
	}
}

// ByPause reports whether the cable of a NIC should be lossless by link pause. For a NIC without a cable, the other NICs of its bond
// decide, or else the fabric.
func (n *NIC) ByPause() bool {
	if n.Port == nil && n.Bond != nil {
		if i := slices.IndexFunc(n.Bond.NICs, func(o *NIC) bool { return o.Port != nil }); i >= 0 {
			n = n.Bond.NICs[i]
		}
	}
	if n.Port == nil {
		return n.Device.Fabric.FlowControl == Pause
	}
	return n.Port.ByPause()
}

// common returns the priority of unclaimed traffic. It is 0, unless a group makes priority 0 lossless or strict. Then it is the priority of
// a lossy group, or else a priority without a group.
func common(groups []*CosGroup) int {
	var owner [8]*CosGroup
	for _, g := range groups {
		owner[g.Cos] = g
	}
	free := func(g *CosGroup) bool { return g != nil && !g.Lossless && !g.Strict }
	if owner[0] == nil || free(owner[0]) {
		return 0
	}
	if i := slices.IndexFunc(owner[:], free); i >= 0 {
		return i
	}
	return max(slices.Index(owner[:], nil), 0)
}

// classify fills all 64 entries of the DSCP map, because the NIC keeps its old values for missing entries. A claimed value goes to the
// priority of its group. Any other value goes to the priority of its upper three bits, as in the factory setting of NICs. If that priority
// is lossless, the value goes to the priority of unclaimed traffic.
func (c *Card) classify(groups []*CosGroup) {
	lossless, rest := LosslessCos(groups), common(groups)
	for v, p := range MapDSCP(groups, func(dscp int) int {
		if lossless>>(dscp>>3)&1 == 1 {
			return rest
		}
		return dscp >> 3
	}) {
		c.DSCP[v] = uint8(p)
	}
}

// schedule gives every group the TC with the number of its priority. Priorities without a group get the TC of unclaimed traffic.
//
// Shares are percent and must sum to 100, or the driver refuses them all. Classes without a weight share the rest of 100 equally.
func (c *Card) schedule(groups []*CosGroup) {
	rest := common(groups)
	for p := range c.TC {
		c.TC[p] = uint8(rest)
	}
	c.ETS[rest] = true
	var weight [8]int
	for _, g := range groups {
		c.TC[g.Cos] = uint8(g.Cos)
		c.ETS[g.Cos] = !g.Strict
		if !g.Strict {
			weight[g.Cos] = g.Weight
		}
	}
	sum, without := 0, 0
	for t, ets := range c.ETS {
		if ets && weight[t] <= 0 {
			without++
		}
		sum += weight[t]
	}
	for t, ets := range c.ETS {
		if ets && weight[t] <= 0 {
			weight[t] = max((100-sum)/without, 1)
		}
	}
	c.Share = CardShares(weight)
}

// CardShares scales weights to whole percents that sum to 100. The largest remainders are rounded up, and a class with a weight gets at
// least 1. If all weights are 0, all shares are 0.
func CardShares(weight [8]int) (share [8]uint8) {
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
