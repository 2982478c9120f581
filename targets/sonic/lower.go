package sonic

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// settings are the wanted settings of one switch, before its state is read.
type settings struct {
	release grammar.Release
	nvidia  bool // the templates of these chips have a map from PFC to priority groups
	pcp     [8]int
	dscp    [64]int
	mapWhy  [8][]ir.Origin
	group   [8]int // the priority group of every class
	share   [8]ir.QueueShare
	wred    []marking // by thresholds
	ports   []port    // in natural order
	panel   int       // the number of ports of the model, unsplit
}

// marking is a profile of ECN.
type marking struct {
	name string
	at   ir.Marking
	why  []ir.Origin
}

// port is a port of the fabric.
type port struct {
	*ir.Port
	lossless uint8
	byPCP    bool
	marks    [8]ir.Marking // by queue; zero: the queue does not mark
	why      []ir.Origin   // why the port is lossless
	trustWhy []ir.Origin
}

// lossyGroup is the priority group of all lossy traffic: templates give a profile only to this group.
const lossyGroup = 0

// lower turns the fabric's numbers into a switch's settings. Class, queue and priority have one number.
func lower(d *ir.Device, r grammar.Release) *settings {
	s := &settings{release: r, nvidia: d.Switch.Model.ASIC.Vendor == platform.Mellanox}
	m := ir.MapsOf(d.Fabric.CosGroups, d.Switch.Can.OwnCos)
	s.pcp, s.dscp, s.mapWhy = m.PCP, m.DSCP, m.Why
	for _, g := range d.Fabric.CosGroups {
		if g.Lossless {
			s.group[g.Cos] = g.Cos
		}
	}
	s.share = ir.Schedule(d.Fabric, 0)
	s.panel = panelOf(d.Switch.Model)
	s.place(d)
	return s
}

// place collects the settings of the ports.
func (s *settings) place(d *ir.Device) {
	marks := map[ir.Marking]marking{}
	for _, p := range d.Ports {
		one := port{Port: p, lossless: ir.Joined(p).Cos, byPCP: p.Trust() == ir.Trust{PCP: true}, marks: ir.Marked(p)}
		for _, why := range ir.TrustWhy(ir.TellingOf(p)) {
			one.trustWhy = add(one.trustWhy, why)
		}
		for _, b := range p.Buffers() {
			one.why = add(one.why, b.Group.IsLossless())
		}
		seen := uint8(0)
		for _, m := range p.Marks() {
			if seen>>m.Group.Cos&1 == 1 {
				continue
			}
			seen |= 1 << m.Group.Cos
			at := one.marks[m.Group.Cos]
			have := marks[at]
			have.at = at
			if why, is := m.Group.IsMarked(); is {
				have.why = add(have.why, why)
			}
			marks[at] = have
		}
		s.ports = append(s.ports, one)
	}
	sort.SliceStable(s.ports, func(i, k int) bool {
		a, b := s.ports[i], s.ports[k]
		return nodeset.Compare(a.Name, b.Name) < 0
	})
	s.wred = slices.Collect(maps.Values(marks))
	sort.Slice(s.wred, func(i, k int) bool {
		a, b := &s.wred[i], &s.wred[k]
		return cmp.Or(cmp.Compare(a.at.Min, b.at.Min), cmp.Compare(a.at.Max, b.at.Max), cmp.Compare(a.at.Probability, b.at.Probability)) < 0
	})
	for i := range s.wred {
		s.wred[i].name = wredName(s.release, i)
	}
}

// azure is the marking profile of every template, and the only one whose thresholds a patch may change up to 202411.
const azure = "AZURE_LOSSLESS"

// wredName returns the name of the nth marking profile. Where a patch cannot add a profile, all share one.
func wredName(r grammar.Release, n int) string {
	switch {
	case r < free:
		return azure
	case n == 0:
		return Name
	}
	return Name + "-" + strconv.Itoa(n+1)
}

// profileOf returns the name of the marking profile with the given thresholds; empty if no profile has them.
func (s *settings) profileOf(at ir.Marking) string {
	i := slices.IndexFunc(s.wred, func(m marking) bool { return m.at == at })
	if i < 0 || at == (ir.Marking{}) {
		return ""
	}
	return s.wred[i].name
}

// add appends an origin unless the list has it or the origin is empty. Many ports have the same origins.
func add(to []ir.Origin, o ir.Origin) []ir.Origin {
	if o.Why == "" || len(to) > 16 || slices.Contains(to, o) {
		return to
	}
	return append(to, o)
}
