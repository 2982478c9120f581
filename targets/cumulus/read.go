package cumulus

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// read gives how a switch is set, as the file that classifies says it, in any spelling the grammar knows. A feature without a list of
// port groups is off. Where a map is not stated, the values are not known: the factory's depend on the release. Link pause and PFC on
// one port are both noted: which of them such a port obeys is not documented.
func read(d *ir.Device, content func(path string) []byte) *ir.Settings {
	r := newReading(d, content)
	if r == nil {
		return nil
	}
	r.rest = ir.UnknownPort()
	r.rest.PausesKnown = true
	r.classify(&r.rest, grammar.Switch, "")
	r.schedule()
	for _, f := range grammar.DefaultMarking {
		if r.spelling.Key(f, grammar.GroupQueues) != nil {
			r.marks(&r.rest, f, "")
		}
	}
	r.everyGroup(grammar.Source, func(p *ir.PortSettings, g string) { r.classify(p, grammar.Source, g) })
	r.everyGroup(grammar.EgressSched, func(p *ir.PortSettings, g string) { r.share(p, grammar.EgressSched, g) })
	for _, f := range grammar.Pausing {
		r.everyGroup(f, func(p *ir.PortSettings, g string) { r.pauses(p, f, g) })
	}
	for _, f := range grammar.Marking {
		r.everyGroup(f, func(p *ir.PortSettings, g string) { r.marks(p, f, g) })
	}
	if r.visits > mostVisits {
		return nil
	}
	s := &ir.Settings{Rest: &r.rest}
	for name, p := range r.ports {
		s.Set(name, *p)
	}
	return s
}

// mostVisits bounds how often ports are looked at; beyond it a file is not a configuration.
const mostVisits = 1 << 17

// reading is a file that is being read.
type reading struct {
	have     grammar.Values
	spelling grammar.Spelling
	queue    [8]int // the egress queue of each cos
	device   *ir.Device
	rest     ir.PortSettings
	ports    map[string]*ir.PortSettings
	visits   int
}

// newReading begins to read a file; nil: there is nothing to read.
func newReading(d *ir.Device, content func(path string) []byte) *reading {
	rel, doc, ok := documented(d.Switch.Version)
	lines, _ := grammar.Parse(content(confPath(rel))) // what can be read counts, whether or not it may be edited
	if !ok || len(lines) == 0 {
		return nil
	}
	r := &reading{have: grammar.ValuesOf(lines), spelling: doc.Shown(lines), device: d, ports: map[string]*ir.PortSettings{}}
	var infra grammar.Values
	if split(rel) {
		lines, _ := grammar.Parse(content(infraPath))
		infra = grammar.ValuesOf(lines)
	}
	for cos := range r.queue {
		r.queue[cos] = cos
		v, _ := infra.Get(grammar.QueueOfCos, grammar.EgressQueue, cos, "")
		if q, ok := grammar.Number(v, 7); ok {
			r.queue[cos] = q
		}
	}
	return r
}

// value gives what is said of a feature, in the spelling of the file, else in any other.
func (r *reading) value(f grammar.Feature, m grammar.Meaning, n int, group string) (string, bool) {
	if k := r.spelling.Key(f, m); k != nil {
		if v, ok := r.have[k.Spell(n, group)]; ok {
			return v, true
		}
	}
	for _, k := range grammar.Find(f, m) {
		if v, ok := r.have[k.Spell(n, group)]; ok {
			return v, true
		}
	}
	return "", false
}

// items gives the elements of a list.
func (r *reading) items(f grammar.Feature, m grammar.Meaning, n int, group string) (items []string, ok bool) {
	v, ok := r.value(f, m, n, group)
	return grammar.Items(v), ok
}

// mask gives a list of cos as bits.
func (r *reading) mask(f grammar.Feature, m grammar.Meaning, group string) (bits uint8) {
	items, _ := r.items(f, m, -1, group)
	for _, item := range items {
		if cos, ok := grammar.Number(item, 7); ok {
			bits |= 1 << cos
		}
	}
	return bits
}

// size gives a number; 0: none stands there.
func (r *reading) size(f grammar.Feature, m grammar.Meaning, group string) int {
	v, _ := r.value(f, m, -1, group)
	top, _ := grammar.Size.Highest()
	n, ok := grammar.Number(v, top)
	if !ok {
		return 0
	}
	return n
}

// on reports whether a switch of a port group is on; the templates of the factory have all of them on.
func (r *reading) on(f grammar.Feature, m grammar.Meaning, group string) bool {
	v, _ := r.value(f, m, -1, group)
	on, ok := grammar.Bool(v)
	return on || !ok
}

// everyGroup calls do for every port of every port group in force of a feature.
func (r *reading) everyGroup(f grammar.Feature, do func(p *ir.PortSettings, group string)) {
	seen := map[string]bool{}
	for _, g := range listedGroups(r.have, f) {
		if seen[g] {
			continue
		}
		seen[g] = true
		set, _ := r.value(f, grammar.GroupPorts, -1, g)
		if r.spelling.Of(grammar.QoSFeatures) && slices.Contains(grammar.Items(set), grammar.AllPorts) {
			if r.visits += 1 + len(r.ports); r.visits > mostVisits {
				return
			}
			do(&r.rest, g)
			for _, p := range r.ports {
				do(p, g)
			}
			continue
		}
		for _, name := range r.named(set) {
			if r.visits++; r.visits > mostVisits {
				return
			}
			p := r.ports[name]
			if p == nil {
				own := r.rest
				p = &own
				r.ports[name] = p
			}
			do(p, g)
		}
	}
}

// named names the ports of a port_set. An item that cannot be taken apart (a range that mixes whole and split ports) stands for
// itself and for the fabric's ports in it.
func (r *reading) named(set string) []string {
	out := expand(set)
	for _, item := range grammar.Items(set) {
		s, ok := grammar.ParseSpan(item)
		if !ok || s.A.Sub < 0 == (s.B.Sub < 0) && (s.A.Sub < 0 || s.A.N == s.B.N) {
			continue
		}
		for _, p := range sorted(r.device.Ports) {
			if s.Has(p.port) && !slices.Contains(out, p.ir.Name) {
				out = append(out, p.ir.Name)
			}
		}
	}
	return out
}

// classify notes the fields that are trusted and the maps, of the switch or of a port group, which has the switch's where it says
// nothing.
func (r *reading) classify(p *ir.PortSettings, f grammar.Feature, group string) {
	fields, ok := r.items(f, grammar.TrustSet, -1, group)
	if one, is := r.value(f, grammar.TrustOne, -1, group); is && (!ok || r.spelling.Key(f, grammar.TrustOne) != nil) {
		fields, ok = []string{one}, true
	}
	if ok {
		p.Trust = ir.Trust{PCP: slices.Contains(fields, grammar.FieldPCP), DSCP: slices.Contains(fields, grammar.FieldDSCP)}
		p.TrustKnown = true
	}
	one := p.DSCP[:]
	if p.Trust.PCP {
		one = p.PCP[:]
	}
	for _, m := range []struct {
		of grammar.Meaning
		to []int8
	}{{grammar.MapTrusted, one}, {grammar.MapPCP, p.PCP[:]}, {grammar.MapDSCP, p.DSCP[:]}} {
		r.fill(m.to, f, m.of, group)
	}
}

// fill reads one map. A value that two cos have is not known.
func (r *reading) fill(to []int8, f grammar.Feature, m grammar.Meaning, group string) {
	var lists [8][]string
	stated := false
	for cos := range lists {
		var ok bool
		lists[cos], ok = r.items(f, m, cos, group)
		stated = stated || ok
	}
	if !stated {
		return
	}
	seen := make([]bool, len(to))
	for v := range to {
		to[v] = -1
	}
	for cos, list := range lists {
		for _, item := range list {
			v, ok := grammar.Number(item, len(to)-1)
			switch {
			case !ok:
			case seen[v] && to[v] != int8(cos):
				to[v] = -1
			default:
				to[v], seen[v] = int8(cos), true
			}
		}
	}
}

// schedule notes the shares of the priority groups, or of the egress queues where they are stated.
func (r *reading) schedule() {
	groups, _ := r.items(grammar.Switch, grammar.PriorityGroups, -1, "")
	for _, g := range groups {
		v, _ := r.value(grammar.PriorityGroup, grammar.Weight, -1, g)
		of := r.mask(grammar.PriorityGroup, grammar.GroupCos, g)
		for cos := range 8 {
			if of>>cos&1 == 1 {
				shared(&r.rest, cos, v, grammar.DWRRWeight)
			}
		}
	}
	r.share(&r.rest, grammar.DefaultSched, "")
}

// share notes the shares of egress queues.
func (r *reading) share(p *ir.PortSettings, f grammar.Feature, group string) {
	for queue := range 8 {
		v, ok := r.value(f, grammar.QueueShare, queue, group)
		for cos, by := range r.queue {
			if ok && by == queue {
				shared(p, cos, v, grammar.Percent)
			}
		}
	}
}

// shared notes the share of a cos; 0 is strict priority.
func shared(p *ir.PortSettings, cos int, value string, of grammar.Type) {
	top, _ := of.Highest()
	n, ok := grammar.Number(value, top)
	if !ok {
		return
	}
	p.Share[cos] = uint8(n)
	p.Strict &^= 1 << cos
	if n == 0 {
		p.Strict |= 1 << cos
	}
}

// pauses notes a group of ports that are lossless.
func (r *reading) pauses(p *ir.PortSettings, f grammar.Feature, group string) {
	cos := uint8(0xff)
	if f == grammar.PFC {
		cos = r.mask(f, grammar.GroupCos, group)
	} else {
		p.LinkPause = true
	}
	if r.on(f, grammar.SendsPause, group) {
		p.Sends |= cos
	}
	if r.on(f, grammar.ObeysPause, group) {
		p.Obeys |= cos
	}
	p.Headroom = max(r.size(f, grammar.Buffer, group)-r.size(f, grammar.Xoff, group), 0)
}

// marks notes a group of ports that mark.
func (r *reading) marks(p *ir.PortSettings, f grammar.Feature, group string) {
	if !r.on(f, grammar.Marks, group) {
		return
	}
	p.Marks |= r.mask(f, grammar.GroupCos, group)
	queues := r.mask(f, grammar.GroupQueues, group)
	for cos, by := range r.queue {
		p.Marks |= queues >> by & 1 << cos
	}
	p.Marking = ir.Marking{
		Min: r.size(f, grammar.MinThreshold, group), Max: r.size(f, grammar.MaxThreshold, group),
		Probability: r.size(f, grammar.Probability, group),
	}
}
