package compiler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// cosGroups makes the classes of service, by cos and name.
func (c *compiler) cosGroups() {
	c.groups = make(map[string]*ir.CosGroup, len(c.src.CosGroups))
	for _, s := range c.src.CosGroups {
		g := &ir.CosGroup{
			Name: s.Name, At: s.Decl, Cos: s.Cos.V, CosAt: diag.FirstPlace(s.Cos.At, s.Decl),
			Lossless: s.Lossless.V, LosslessAt: diag.FirstPlace(s.Lossless.At, s.Decl),
			Weight: s.Weight.V, WeightAt: s.Weight.At, Strict: s.Strict.V, StrictAt: s.Strict.At,
			AllowDeadlock: s.AllowDeadlock.V, AllowAt: s.AllowDeadlock.At,
			AllowUnproven: s.AllowUnproven.V, UnprovenAt: s.AllowUnproven.At,
		}
		g.DSCP = claims(s.DSCP)
		if g.PCP = claims(s.PCP); !s.PCPSet {
			g.PCP = []ir.Claim{{Value: g.Cos, At: g.CosAt}}
		}
		if e := s.ECN; e != nil {
			g.ECN = &ir.ECN{
				At: e.Decl, Min: written(e.Min, "ecn.min"), Max: written(e.Max, "ecn.max"),
				Probability: written(e.Probability, "ecn.probability"),
			}
		}
		if p := s.PFC; p != nil {
			g.PFC = &ir.PFCSizes{
				At: p.Decl, Buffer: written(p.Buffer, "pfc.buffer"), Xoff: written(p.Xoff, "pfc.xoff"),
				XonDelta: written(p.XonDelta, "pfc.xon_delta"), SmallPackets: written(p.SmallPackets, "pfc.small_packets"),
			}
		}
		c.groups[g.Name] = g
		c.f.CosGroups = append(c.f.CosGroups, g)
	}
	for _, s := range c.src.CosGroups {
		if s.Bounce.Set() {
			c.groups[s.Name].Bounce, c.groups[s.Name].BounceAt = c.cosGroup(s.Bounce.V), s.Bounce.At
		}
	}
	slices.SortStableFunc(c.f.CosGroups, func(a, b *ir.CosGroup) int {
		return cmp.Or(cmp.Compare(a.Cos, b.Cos), nodeset.Compare(a.Name, b.Name))
	})
}

func claims(values []lang.Value[int]) []ir.Claim {
	var out []ir.Claim
	for _, v := range values {
		out = append(out, ir.Claim{Value: v.V, At: v.At})
	}
	return out
}

// written returns a number that the person wrote.
func written(v lang.Value[int], what string) ir.Num {
	if !v.Set() {
		return ir.Num{}
	}
	return ir.Num{N: v.V, From: []ir.Origin{{At: v.At, Why: fmt.Sprintf("%s = %d", what, v.V)}}}
}

// cosGroup returns the group with a name. Package lang guarantees that references resolve.
func (c *compiler) cosGroup(name string) *ir.CosGroup {
	g := c.groups[name]
	if g == nil {
		panic(fmt.Sprintf("compiler: no cos_group is called %q", name))
	}
	return g
}

// intents resolves the roce blocks and their members. Some defaults exist once per NIC, and the first intent of the NIC sets them. So
// intents are sorted by name: the order of files and blocks must not change the written bytes.
func (c *compiler) intents() {
	roces := slices.SortedStableFunc(slices.Values(c.src.Roces), func(a, b *lang.Roce) int { return nodeset.Compare(a.Name, b.Name) })
	for _, s := range roces {
		i := &ir.Intent{
			Name: s.Name, At: s.Decl, Version: s.Version.V, VersionAt: diag.FirstPlace(s.Version.At, s.Decl),
			GroupAt: diag.FirstPlace(s.CosGroup.At, s.Decl), CNPAt: s.CNP.At, VLAN: s.VLAN.V,
		}
		i.Group = c.cosGroup(s.CosGroup.V)
		if s.CNP.Set() {
			i.CNP = c.cosGroup(s.CNP.V)
		}
		m := membership{intent: i, seen: map[*ir.NIC]bool{}}
		for _, named := range s.Members {
			c.members(&m, &named)
		}
		slices.SortFunc(i.Members, func(a, b *ir.Member) int {
			return cmp.Or(cmp.Compare(a.NIC.Device.ID, b.NIC.Device.ID), nodeset.Compare(a.NIC.Name, b.NIC.Name))
		})
		for _, member := range i.Members {
			member.NIC.Intents = append(member.NIC.Intents, i)
		}
		c.f.Intents = append(c.f.Intents, i)
	}
}

// membership collects the NICs of one intent, each once, with the first place that names it.
type membership struct {
	intent *ir.Intent
	seen   map[*ir.NIC]bool
	pool   []ir.Member
}

// add adds a NIC and the other ports of its bond: a bond is one RDMA device, and its traffic uses any port.
func (m *membership) add(n *ir.NIC, at diag.Range) {
	if n.Bond != nil {
		for _, other := range n.Bond.NICs {
			m.addOne(other, at)
		}
		return
	}
	m.addOne(n, at)
}

func (m *membership) addOne(n *ir.NIC, at diag.Range) {
	if m.seen[n] {
		return
	}
	m.seen[n] = true
	if len(m.pool) == 0 {
		m.pool = make([]ir.Member, 256)
	}
	member := &m.pool[0]
	m.pool = m.pool[1:]
	*member = ir.Member{NIC: n, At: at}
	m.intent.Members = append(m.intent.Members, member)
}

// members resolves one entry of a members list.
func (c *compiler) members(m *membership, named *lang.Member) {
	switch {
	case named.Group != "":
		for _, d := range c.hostGroup[named.Group] {
			c.wholeHost(m, d, named)
		}
	default:
		d := c.named[named.Host]
		switch {
		case d == nil:
			meant := c.nameNear.hint(named.Host)
			c.instead(c.report.errorf(topicUnknownMember, named.At, named.Host, "No host is called %q.%s", named.Host,
				cmp.Or(meant.String(), " Correct the name, or write a host block for it.")), named.Host, meant)
		case d.Host == nil:
			c.report.errorf(topicUnknownMember, named.At, named.Host,
				"%q is a switch, and members of an intent are hosts. Name the hosts behind it.", named.Host).
				Note(d.At, "the switch")
		case named.NIC == "":
			c.wholeHost(m, d, named)
		default:
			c.oneNIC(m, d, named)
		}
	}
}

// wholeHost adds all NICs of a host with RoCE on.
func (c *compiler) wholeHost(m *membership, d *ir.Device, named *lang.Member) {
	some := false
	for _, n := range d.Host.NICs {
		if n.RoCE {
			m.add(n, named.At)
			some = true
		}
	}
	if !some {
		c.report.errorf(topicMemberOff, named.At, d.Name,
			"%s is a member of %q and has no NIC with RoCE on. %s Delete roce = false at one NIC, or remove the host from members.", d.Name,
			m.intent.Name, hasNICs(d)).Note(d.Decl, "the host is declared here")
	}
}

func (c *compiler) oneNIC(m *membership, d *ir.Device, named *lang.Member) {
	name := named.Host + ":" + named.NIC
	if b := bondOf(d, named.NIC); b != nil && len(b.NICs) > 0 {
		m.add(b.NICs[0], named.At)
		return
	}
	n := nicOf(d, named.NIC)
	switch {
	case n == nil:
		meant := hint(named.NIC, nicNames(d))
		c.instead(c.report.errorf(topicUnknownMember, named.At, name, "%s has no nic block %q.%s %s", d.Name, named.NIC, meant, hasNICs(d)),
			named.NIC, meant).
			Note(d.Decl, "the host is declared here")
	case !n.RoCE:
		c.report.errorf(topicMemberOff, named.At, name, "%s is a member of %q, and its nic block says roce = false. Delete it there, or "+
			"remove the interface from members.", name, m.intent.Name).
			Note(n.At, "the nic block")
	default:
		m.add(n, named.At)
	}
}
