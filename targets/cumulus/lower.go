package cumulus

import (
	"fmt"
	"slices"
	"sort"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// settings contains the wanted settings of one switch, before a dialect spells them.
type settings struct {
	trustPCP, trustDSCP bool
	sparePCP, spareDSCP bool // trusting this field, too, changes nothing for packets of intents
	trustWhy            []ir.Origin
	byPCP               []grammar.Port // ports that trust PCP alone, where the rest of the switch trusts both
	byPCPWhy            []ir.Origin
	pcp                 [8]int  // the cos of every PCP value
	dscp                [64]int // the cos of every DSCP value
	plain               int     // the cos of packets without a trusted field
	mapWhy              [8][]ir.Origin
	shares              [8]int // percent of a link, by cos; 0: strict
	shareWhy            [8][]ir.Origin
	groups              [8]bool // the cos of the fabric's cos groups
	classes             []class
	pfc                 []lossless
	pause               []lossless // link pause instead of PFC; no port has both
	ecn                 []marking
	ports               []grammar.Port // every port in pfc, pause or ecn
	fabric              []grammar.Port // every port of the fabric
	poolHint            bool           // on Spectrum the lossless pool is in another file
}

// class is one of the three priority groups of traffic.conf.
type class struct {
	name   string
	of     ir.ShareClass
	cos    []int
	weight int // 0: strict
	why    []ir.Origin
}

// lossless is a PFC or link pause port group: ports with the same buffer.
type lossless struct {
	name                 string
	cos                  []int
	ports                []grammar.Port
	size, xoff, xonDelta ir.Num
	metres               int       // longest cable; 0: not known
	cableWhy             ir.Origin // the origin of metres
	why                  []ir.Origin
}

// marking is an ECN port group: ports with the same thresholds.
type marking struct {
	name                  string
	cos                   []int
	ports                 []grammar.Port
	min, max, probability ir.Num
	why                   []ir.Origin
}

// lower returns the settings of a switch. Two ports with the same numbers share a port group; groups are named in the order of their first
// ports.
func lower(d *ir.Device, doc grammar.Spelling) *settings {
	asic := d.Switch.Model.ASIC
	s := &settings{poolHint: asic.Vendor == platform.Mellanox}
	s.trust(d, doc)
	m := ir.MapsOf(d.Fabric.CosGroups, d.Switch.Can.OwnCos)
	s.pcp, s.dscp, s.plain, s.mapWhy = m.PCP, m.DSCP, m.Plain, m.Why
	s.classes = classes(d.Fabric)
	s.share(d.Fabric, 0)
	s.pause = losslessGroups(d, grammar.LinkPause)
	if d.Switch.Can.PFC {
		s.pfc = losslessGroups(d, grammar.PFC)
	}
	for _, p := range sorted(d.Ports) {
		s.fabric = append(s.fabric, p.port)
	}
	for _, g := range slices.Concat(s.pause, s.pfc) {
		s.ports = append(s.ports, g.ports...)
	}
	if d.Switch.Can.ECN {
		s.ecn = markingGroups(d)
		for i := range s.ecn {
			s.ports = append(s.ports, s.ecn[i].ports...)
		}
	}
	slices.SortFunc(s.ports, grammar.Port.Compare)
	s.ports = slices.Compact(s.ports)
	return s
}

// numbered returns the name of a feature's i-th port group, counted from 0.
func numbered(f grammar.Feature, i int) string {
	if i == 0 {
		return groupNames[f]
	}
	return fmt.Sprintf("%s_%d", groupNames[f], i+1)
}

// trustOf returns the intents that PCP identifies, and those that DSCP identifies.
func trustOf(intents []*ir.Intent) (pcp, dscp []*ir.Intent) {
	for _, in := range intents {
		if in.ByDSCP() {
			dscp = append(dscp, in)
		} else {
			pcp = append(pcp, in)
		}
	}
	return pcp, dscp
}

// trust decides which header fields the switch trusts. A switch without intents gets the fields that the fabric as a whole needs. If the
// intents need both fields and the dialect allows only one, check refuses a switch with PFC. It accepts a switch with link pause, where
// every class is lossless. That switch trusts DSCP, so that marking works.
func (s *settings) trust(d *ir.Device, doc grammar.Spelling) {
	intents, t, spare := d.Switch.Deciding(d.Fabric), d.Switch.Trust(d.Fabric), d.Switch.SpareTrust(d.Fabric)
	s.trustPCP, s.trustDSCP = t.PCP || !t.DSCP, t.DSCP
	if doc.Key(grammar.Switch, grammar.TrustOne) != nil && s.trustDSCP {
		s.trustPCP = false
	}
	s.sparePCP, s.spareDSCP = spare.PCP, spare.DSCP
	s.trustWhy = ir.TrustWhy(intents)
	for _, in := range intents {
		if in.Overruled() {
			s.byPCPWhy = append(s.byPCPWhy, ir.Origin{At: in.VersionAt, Why: "PCP identifies " + in.Name + ", which has a DSCP, too"})
		}
	}
	if doc.Key(grammar.Source, grammar.TrustSet) == nil {
		return
	}
	for _, p := range sorted(d.Ports) {
		if p.ir.ByPCPAlone() {
			s.byPCP = append(s.byPCP, p.port)
		}
	}
}

// evenWeight is the weight of service and of bulk without stated shares, as in the vendor's RoCE preset.
const evenWeight = 16

// classes puts the cos groups into the three priority groups of traffic.conf: control (strict), service (RoCE) and bulk (the rest), as
// [ir.ShareClasses] does.
func classes(f *ir.Fabric) []class {
	of, stated := ir.ShareClasses(f)
	out := []class{{name: control, of: ir.ClassControl}, {name: service, of: ir.ClassRoCE}, {name: bulk, of: ir.ClassRest}}
	var owned [8]bool
	for _, g := range f.CosGroups {
		if owned[g.Cos] {
			continue
		}
		owned[g.Cos] = true
		c := &out[of[g.Cos]]
		c.why = append(c.why, ir.Origin{At: g.At, Why: "cos group " + g.Name})
	}
	for cos, c := range of {
		out[c].cos = append(out[c].cos, cos)
	}
	out[ir.ClassRoCE].weight, out[ir.ClassRest].weight = weights(stated[ir.ClassRoCE], stated[ir.ClassRest])
	return out
}

// roceGroups returns the cos groups of the intents.
func roceGroups(f *ir.Fabric) map[*ir.CosGroup]bool {
	m := map[*ir.CosGroup]bool{}
	for _, in := range f.Intents {
		m[in.Group] = true
	}
	return m
}

// The names of the priority groups. Up to 4.3 these are all groups.
const (
	control = "control"
	service = "service"
	bulk    = "bulk"
)

// classOf returns the priority group of a cos group; roce contains the cos groups of the intents.
func classOf(g *ir.CosGroup, roce map[*ir.CosGroup]bool) string {
	switch {
	case g.Strict:
		return control
	case g.Lossless || roce[g]:
		return service
	}
	return bulk
}

// weights converts the stated shares of two classes into DWRR weights from 1 to 127.
func weights(service, bulk int) (int, int) {
	if service <= 0 && bulk <= 0 {
		return evenWeight, evenWeight
	}
	service, bulk = ir.ShareRatio(service, bulk)
	highest, _ := grammar.DWRRWeight.Highest()
	if most := max(service, bulk); most > highest {
		service, bulk = max(service*highest/most, 1), max(bulk*highest/most, 1)
	}
	return service, bulk
}

// losslessGroups forms the port groups of f, which is PFC or link pause, from the ports that use f for lossless cos groups. A port with
// several cos groups gets one buffer for all ([ir.Joined]): the manuals only state that port_buffer_bytes is the total of the port.
func losslessGroups(d *ir.Device, f grammar.Feature) []lossless {
	type key struct{ cos, size, xoff, xonDelta int }
	var groups []lossless
	index, rows := map[key]int{}, map[**ir.Buffer]int{} // equal ports share their rows
	for _, p := range sorted(d.Ports) {
		if len(p.ir.Buffers()) == 0 || p.ir.ByPause() != (f == grammar.LinkPause) {
			continue
		}
		i, known := rows[&p.ir.Buffers()[0]]
		if !known {
			g := combine(p.ir)
			k := key{mask(g.cos), g.size.N, g.xoff.N, g.xonDelta.N}
			if i, known = index[k]; !known {
				i = len(groups)
				index[k] = i
				g.name = numbered(f, i)
				groups = append(groups, g)
			}
			rows[&p.ir.Buffers()[0]] = i
		}
		groups[i].ports = append(groups[i].ports, p.port)
		if l := p.ir.Link().Length; l.Whole() > groups[i].metres {
			groups[i].metres, groups[i].cableWhy = l.Whole(), l.From
		}
	}
	return groups
}

func combine(p *ir.Port) lossless {
	one, link := ir.Joined(p), p.Link()
	g := lossless{cos: cosIn(one.Cos), size: ir.Num{N: one.Size}, xoff: one.LeastXoff.Xoff.On(link), xonDelta: one.LeastXon.XonDelta.On(link)}
	for _, b := range p.Buffers() {
		g.why = append(g.why, b.Group.IsLossless())
		g.size.From = append(g.size.From, b.Size.On(link).From...)
	}
	return g
}

func smaller(a, b ir.Num) ir.Num {
	if b.N < a.N {
		return b
	}
	return a
}

// markingGroups forms the port groups of ECN from the ports that mark. A port has one set of thresholds for all its cos. markingGroups
// uses those of the first cos group; check has refused a switch where they differ.
func markingGroups(d *ir.Device) []marking {
	type key struct{ cos, min, max, probability int }
	var groups []marking
	index, rows := map[key]int{}, map[**ir.Mark]int{} // equal ports share their rows
	for _, p := range sorted(d.Ports) {
		if len(p.ir.Marks()) == 0 {
			continue
		}
		i, known := rows[&p.ir.Marks()[0]]
		if !known {
			g := markingOf(p.ir)
			k := key{mask(g.cos), g.min.N, g.max.N, g.probability.N}
			if i, known = index[k]; !known {
				i = len(groups)
				index[k] = i
				g.name = numbered(grammar.ECN, i)
				groups = append(groups, g)
			}
			rows[&p.ir.Marks()[0]] = i
		}
		groups[i].ports = append(groups[i].ports, p.port)
	}
	return groups
}

func markingOf(p *ir.Port) marking {
	first := p.Marks()[0]
	g := marking{min: first.Min.On(p.Link()), max: first.Max.On(p.Link()), probability: first.Probability.On(p.Link())}
	for _, m := range p.Marks() {
		g.cos = append(g.cos, m.Group.Cos)
		if why, is := m.Group.IsMarked(); is {
			g.why = append(g.why, why)
		}
	}
	slices.Sort(g.cos)
	g.cos = slices.Compact(g.cos)
	return g
}

// named is a port of the fabric with its parsed name.
type named struct {
	port grammar.Port
	ir   *ir.Port
}

// sorted returns the front-panel ports in porttab order. It leaves out a port with another name; check reports it.
func sorted(ports []*ir.Port) []named {
	out := make([]named, 0, len(ports))
	for _, p := range ports {
		if q, ok := grammar.ParsePort(p.Name); ok {
			out = append(out, named{q, p})
		}
	}
	sort.Slice(out, func(i, k int) bool { return out[i].port.Compare(out[k].port) < 0 })
	return out
}

func mask(cos []int) int {
	m := 0
	for _, c := range cos {
		m |= 1 << c
	}
	return m
}

func cosIn(bits uint8) (out []int) {
	for cos := range 8 {
		if bits>>cos&1 == 1 {
			out = append(out, cos)
		}
	}
	return out
}
