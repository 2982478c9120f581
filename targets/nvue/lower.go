package nvue

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// settings are the wanted settings of one switch, before its tree is read.
type settings struct {
	*grammar.Grammar
	trust    string // l2, l3 or both
	spare    bool   // trusting both fields would change nothing for packets of intents
	trustWhy []ir.Origin
	pcp      [8]int
	dscp     [64]int
	plain    int // the priority of packets that no trusted field identifies
	mapWhy   [8][]ir.Origin
	queue    [8]int           // the traffic class of every priority
	share    [8]ir.QueueShare // of the traffic classes
	profiles []profile        // of PFC and link pause, by name
	ecn      []marking        // by name
	ports    []port           // the ports of the fabric, in the order of the front panel
	asked    []*ir.CosGroup
}

// profile has the settings that ports with the same lossless priorities and class of cable length share.
type profile struct {
	name   string
	pause  bool
	cos    uint8
	metres int // the class
	sizes  *sizes
	why    []ir.Origin
}

// sizes are stated in the fabric. Without them the switch derives sizes.
type sizes struct{ buffer, xoff, xonDelta int }

// marking is a profile of ECN.
type marking struct {
	name string
	at   [8]ir.Marking // by traffic class; zero: the class does not mark
	why  []ir.Origin
}

// port is a port of the fabric, with the indices of its profiles.
type port struct {
	name     string
	lossless int // index of its profile; -1: none
	ecn      int // likewise
	byPCP    bool
}

// lower turns the fabric's numbers into a switch's settings.
func lower(d *ir.Device, g *grammar.Grammar) *settings {
	s := &settings{Grammar: g, asked: d.Fabric.CosGroups}
	s.setTrust(d)
	m := ir.MapsOf(s.asked, d.Switch.Can.OwnCos)
	s.pcp, s.dscp, s.plain, s.mapWhy = m.PCP, m.DSCP, m.Plain, m.Why
	s.share = ir.Schedule(d.Fabric, 0)
	for cos := range s.queue { // every priority has the traffic class of the same number
		s.queue[cos] = cos
	}
	s.place(d)
	return s
}

// setTrust decides which header fields the switch trusts. A switch without intents gets the trust that the fabric as a whole needs.
func (s *settings) setTrust(d *ir.Device) {
	spare := d.Switch.SpareTrust(d.Fabric)
	switch t := d.Switch.Trust(d.Fabric); {
	case t.PCP && t.DSCP:
		s.trust = "both"
	case t.DSCP:
		s.trust, s.spare = "l3", spare.PCP
	default:
		s.trust, s.spare = "l2", spare.DSCP
	}
	s.trustWhy = ir.TrustWhy(d.Switch.Deciding(d.Fabric))
}

// Classes of cable lengths in metres. A profile is for all cables up to its class, so that a fabric with individually measured cables has
// only a few profiles. Rounding up costs headroom: at 400G, 500 bytes per metre. Above 1000 m, classes are whole kilometres.
var lengths = []int{5, 10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000}

// longest is the longest cable length that NVUE accepts.
const longest = 100_000

// lengthClass returns the class of a cable. If the length is unknown, sizes are stated, and the class is the length of the vendor's
// preset.
func lengthClass(l ir.Length) int {
	if !l.Known() {
		return grammar.PresetMetres
	}
	m := l.Whole()
	for _, c := range lengths {
		if m <= c {
			return c
		}
	}
	return min((m+999)/1000*1000, longest)
}

// lossless returns the lossless priorities of the fabric.
func (s *settings) lossless() uint8 { return ir.LosslessCos(s.asked) }

// place collects the profiles of the ports.
func (s *settings) place(d *ir.Device) {
	all := s.lossless()
	found, marks := map[string]profile{}, map[[8]ir.Marking]marking{}
	type needs struct {
		lossless string
		ecn      [8]ir.Marking
	}
	var of []needs
	for _, p := range sorted(d.Ports) {
		one := port{name: p.Name, lossless: -1, ecn: -1, byPCP: p.ByPCPAlone()}
		var x needs
		if len(p.Buffers()) > 0 {
			f := profileOf(p, all)
			if have, ok := found[f.name]; ok {
				f = have
			}
			f.why = add(f.why, p.Link().Length.From)
			found[f.name] = f
			x.lossless = f.name
		}
		x.ecn = ir.Marked(p) // a priority leaves by the traffic class of the same number
		var why []ir.Origin
		for _, m := range p.Marks() {
			if of, is := m.Group.IsMarked(); is {
				why = add(why, of)
			}
		}
		if len(p.Marks()) > 0 {
			marks[x.ecn] = marking{at: x.ecn, why: why}
		}
		of = append(of, x)
		s.ports = append(s.ports, one)
	}
	for _, name := range slices.SortedFunc(maps.Keys(found), grammar.Compare) {
		s.profiles = append(s.profiles, found[name])
	}
	s.ecn = slices.Collect(maps.Values(marks))
	sort.Slice(s.ecn, func(i, k int) bool {
		a, b := &s.ecn[i], &s.ecn[k]
		for q := range a.at {
			x, y := a.at[q], b.at[q]
			if c := cmp.Or(cmp.Compare(x.Min, y.Min), cmp.Compare(x.Max, y.Max), cmp.Compare(x.Probability, y.Probability)); c != 0 {
				return c < 0
			}
		}
		return false
	})
	for i := range s.ecn {
		s.ecn[i].name = Prefix + "ecn"
		if i > 0 {
			s.ecn[i].name += "-" + strconv.Itoa(i+1)
		}
	}
	for i := range s.ports {
		if of[i].lossless != "" {
			s.ports[i].lossless = slices.IndexFunc(s.profiles, func(f profile) bool { return f.name == of[i].lossless })
		}
		if of[i].ecn != ([8]ir.Marking{}) {
			s.ports[i].ecn = slices.IndexFunc(s.ecn, func(m marking) bool { return m.at == of[i].ecn })
		}
	}
}

// add appends an origin unless the list has it or the origin is empty. Many ports have the same origins.
func add(to []ir.Origin, o ir.Origin) []ir.Origin {
	if o.Why == "" || len(to) > 16 || slices.Contains(to, o) {
		return to
	}
	return append(to, o)
}

// profileOf returns the profile of a lossless port: rocec-5m, or rocec-pause-5m for link pause. If the port does not carry all lossless
// groups of the fabric, the name has its priorities. If the fabric states sizes, the name has them, too.
func profileOf(p *ir.Port, all uint8) profile {
	one := ir.Joined(p)
	f := profile{pause: p.ByPause(), cos: one.Cos, metres: lengthClass(p.Link().Length)}
	stated := false
	for _, b := range p.Buffers() {
		f.why = add(f.why, b.Group.IsLossless())
		if w := b.Group.PFC; w != nil && (w.Buffer.Set() || w.Xoff.Set() || w.XonDelta.Set()) {
			stated = true
			f.why = add(f.why, ir.Origin{At: w.At, Why: "sizes of " + b.Group.Name})
		}
	}
	if f.pause {
		f.cos = 0xff
	}
	if stated {
		f.sizes = &sizes{one.Size, one.Xoff, one.XonDelta}
	}
	f.name = f.named(all)
	return f
}

// named returns the name of a profile in a fabric with the lossless priorities all.
func (f *profile) named(all uint8) string {
	name := Prefix
	if f.pause {
		name += "pause-"
	}
	name += strconv.Itoa(f.metres) + "m"
	if !f.pause && f.cos != all {
		name += "-p" + digitsOf(f.cos)
	}
	if f.sizes != nil {
		name += fmt.Sprintf("-%d-%d-%d", f.sizes.buffer, f.sizes.xoff, f.sizes.xonDelta)
	}
	return name
}

// digitsOf returns the digits of priorities: "34".
func digitsOf(mask uint8) string {
	var b strings.Builder
	for m := mask; m != 0; m &= m - 1 {
		b.WriteByte(byte('0' + bits.TrailingZeros8(m)))
	}
	return b.String()
}

// sorted returns the front-panel ports in the order of the front panel. A port with another name is an error of [Check].
func sorted(ports []*ir.Port) []*ir.Port {
	type named struct {
		grammar.Port
		ir *ir.Port
	}
	all := make([]named, 0, len(ports))
	for _, p := range ports {
		if q, ok := grammar.ParsePort(p.Name); ok {
			all = append(all, named{q, p})
		}
	}
	sort.Slice(all, func(i, k int) bool { return all[i].Compare(all[k].Port) < 0 })
	out := make([]*ir.Port, len(all))
	for i, n := range all {
		out[i] = n.ir
	}
	return out
}
