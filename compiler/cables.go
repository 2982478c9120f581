package compiler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// cables makes links and ports, and checks the cabling: both ends exist, nothing is plugged in twice, and both ends run
// at one speed.
func (c *compiler) cables() {
	c.f.Reserve(len(c.src.Links))
	c.f.Links = make([]*ir.Link, 0, len(c.src.Links))
	blocks := make([]*lang.LinkBlock, 0, len(c.src.Links)) // by Link.ID
	counts := make([]int32, len(c.f.Devices))              // ports, by Device.ID
	var block said                                         // of the previous link: links of one block are adjacent
	says := c.newSayings()
	names := &portNames{}

	for _, l := range c.src.Links {
		a, okA := c.endpoint(&l.A, l.Block, names, 0)
		b, okB := c.endpoint(&l.B, l.Block, names, 1)
		if !okA || !okB || !c.joins(l, a.dev, b.dev) {
			continue
		}
		if block.by != l.Block {
			block = says.of(l.Block)
		}
		link := ir.NewLink(plug(a, block.facts.MTU.N), plug(b, block.facts.MTU.N), ir.Link{
			LinkFacts: block.facts, ID: len(c.f.Links), Peer: l.Block.Marked().Peer.V, Planned: l.Block.Marked().Planned.V,
			Routed: c.routed(l.Block, a.dev, b.dev), Bond: c.bond(l, a.dev, b.dev),
		})
		counts[a.dev.ID]++
		counts[b.dev.ID]++
		c.f.Links = append(c.f.Links, link)
		blocks = append(blocks, l.Block)
	}
	c.listPorts(counts)
	for _, d := range c.f.Devices {
		c.resolve(d, blocks, names)
	}
	names.rank()
	ends := make([]jack, len(c.f.Ports)) // by Port.ID
	id := 0
	for _, d := range c.f.Devices {
		byRank := func(p, q *ir.Port) int { return cmp.Compare(p.Rank, q.Rank) }
		if !slices.IsSortedFunc(d.Ports, byRank) {
			slices.SortStableFunc(d.Ports, byRank)
		}
		for i, p := range d.Ports {
			p.Index, p.ID = i, id
			id++
		}
		c.jacks(d, ends)
	}
	s := speedometer{c: c, jacks: ends, texts: map[int]string{}}
	for i, l := range c.f.Links {
		s.link(l, blocks[i])
	}
	c.bondSpeeds()
	c.flowControl()
}

// listPorts lists the ports of every device, in the order of links; counts has their number for each device.
func (c *compiler) listPorts(counts []int32) {
	c.f.Ports = make([]*ir.Port, 2*len(c.f.Links))
	first := 0
	for _, d := range c.f.Devices {
		n := int(counts[d.ID])
		if n > 0 {
			d.Ports = c.f.Ports[first : first : first+n]
		}
		first += n
	}
	for _, l := range c.f.Links {
		for _, p := range [...]*ir.Port{l.A(), l.B()} {
			d := p.Device()
			d.Ports = append(d.Ports, p)
		}
	}
}

// plug makes the port at an end of a cable, whose switch ports have the given MTU.
func plug(e end, mtu int) *ir.Port {
	if e.nic != nil {
		mtu = e.nic.MTU
	}
	p := ir.NewPort(e.dev, ir.PortSpec{Named: e.name, NIC: e.nic, MTU: mtu})
	if e.nic != nil && e.nic.Port == nil {
		e.nic.Port = p
	}
	return p
}

// flowControl sets the flow control of every cable, and records whether all cables use link pause.
func (c *compiler) flowControl() {
	if !slices.ContainsFunc(c.f.Links, func(l *ir.Link) bool { return l.FlowControl != "" && l.FlowControl != c.f.FlowControl }) {
		return
	}
	all := true
	for _, l := range c.f.Links {
		if l.FlowControl == "" {
			l.FlowControl = c.f.FlowControl
		}
		all = all && l.FlowControl == ir.Pause
	}
	c.f.FlowControl = ir.PFC
	if all {
		c.f.FlowControl = ir.Pause
	}
}

// bondKey identifies a bond: all its cables share the block and the two switches, ordered by Device.ID.
type bondKey struct {
	kind, name string
	decl       diag.Range
	a, b       int
}

// bond returns the number of the bond between two switches to which a cable belongs; 0: none. Only the bonds of hosts are declared in host
// blocks.
func (c *compiler) bond(l *lang.Link, a, b *ir.Device) int {
	if !l.Block.Marked().Bond.V {
		return 0
	}
	if host := a; a.Host != nil || b.Host != nil {
		end := l.A
		if a.Host == nil {
			host, end = b, l.B
		}
		if block := (bondKey{l.Block.Kind, l.Block.Name, l.Block.Decl, 0, 0}); !c.hostBonds[block] {
			c.hostBonds[block] = true
			c.report.errorf(topicLinkBond, l.Block.Marked().Bond.At, fmt.Sprintf("%s %q", l.Block.Kind, l.Block.Name),
				"bond = true says that cables between two switches are one bond, and %s is a host. The cables of a host are joined by "+
					"a bond block in its host block. Delete bond here, and write the links of switches and hosts in separate blocks.",
				host.Name).Note(*end.At, "this end")
		}
		return 0
	}
	key := bondKey{l.Block.Kind, l.Block.Name, l.Block.Decl, min(a.ID, b.ID), max(a.ID, b.ID)}
	if c.bonds[key] == 0 {
		c.bonds[key] = len(c.bonds) + 1
	}
	return c.bonds[key]
}

// bondSpeeds checks that all cables of a bond run at one speed.
func (c *compiler) bondSpeeds() {
	first := map[int]*ir.Link{}
	told := map[int]bool{}
	for _, l := range c.f.Links {
		if l.Bond == 0 {
			continue
		}
		f := first[l.Bond]
		if f == nil {
			first[l.Bond] = l
			continue
		}
		if l.Speed.N != f.Speed.N && l.Speed.N > 0 && f.Speed.N > 0 && !told[l.Bond] {
			told[l.Bond] = true
			c.report.errorf(topicLinkBond, l.BondAt, l.A().String(),
				"The cables of the bond between %s and %s run at different speeds: %s - %s at %s, %s - %s at %s. A bond uses the ports of one speed "+
					"(IEEE 802.1AX); the others stay idle. Give the block a speed, or put the cables into separate blocks.",
				f.A().Device().Name, f.B().Device().Name, f.A(), f.B(), platform.SpeedText(f.Speed.N), l.A(), l.B(), platform.SpeedText(l.Speed.N))
		}
	}
}

// said contains the values of a link block, for all its cables.
type said struct {
	by    *lang.LinkBlock
	facts *ir.LinkFacts // without the speed
}

// end is one resolved end of a cable.
type end struct {
	dev  *ir.Device
	name *ir.PortName
	nic  *ir.NIC
}

// endpoint resolves the device and the port at one end of a cable; side is its side of the block.
func (c *compiler) endpoint(e *lang.Endpoint, b *lang.LinkBlock, names *portNames, side int) (end, bool) {
	d := c.device(e.Device, *e.At, ", so no cable can end there")
	if d == nil {
		return end{}, false
	}
	found := end{dev: d}
	of, key := &names.sides[side], keyOf(d, e)
	found.name = of.find(b, &key)
	if d.Switch != nil {
		if found.name == nil {
			front, ok := c.frontPort(d, e)
			if !ok {
				return end{}, false
			}
			found.name = names.add(of, key, front)
		}
		return found, true
	}
	found.nic = nicOf(d, e.Port)
	if found.nic == nil {
		name := e.Device + ":" + e.Port
		if b := bondOf(d, e.Port); b != nil {
			c.report.errorf(topicUnknownInterface, *e.At, name, "%s is a bond of %s, and a cable ends at a NIC. Name a NIC of the bond.",
				e.Port, d.Name).Note(b.At, "the bond")
		} else {
			meant := hint(e.Port, nicNames(d))
			c.instead(c.report.errorf(topicUnknownInterface, *e.At, name,
				"%s has no nic block %q, so its model and settings are unknown.%s "+
					"%s Declare the interface by a nic block, or name a declared one.", d.Name, e.Port, meant, hasNICs(d)), e.Port, meant).
				Note(d.Decl, "the host is declared here")
		}
		return end{}, false
	}
	if found.name == nil {
		found.name = names.add(of, key, ir.Front{})
	}
	return found, true
}

// frontPort finds the front-panel port a cable ends at, and reports whether the cable may end there. If no target knows the system, every
// port name is accepted and the port's properties are unknown. The same applies to port names of another system on a switch set by hand.
func (c *compiler) frontPort(d *ir.Device, e *lang.Endpoint) (ir.Front, bool) {
	m, os := d.Switch.Model, c.system(d)
	if m == nil || m.Ports == nil || os == nil {
		return ir.Front{}, true // an unknown model was reported
	}
	f, named := os.Read(m, e.Port)
	if !named && d.ByHand != nil {
		return ir.Front{}, true
	}
	why := "."
	if named {
		r, ok := m.Port(int(f.Number), int(f.Sub))
		switch {
		case ok:
			return f, true
		case f.Sub >= 0 && r.Lanes == 1:
			why = fmt.Sprintf(": a port of %s has one lane and cannot be split.", platform.SpeedText(r.Speed))
		case f.Sub >= 0 && r.Speed > 0:
			why = fmt.Sprintf(": a port of %s splits into %d at most.", platform.SpeedText(r.Speed), r.Lanes)
		}
	}
	c.report.errorf(topicUnknownPort, *e.At, e.Device+":"+e.Port, "%s is a %s, which has no port %q%s It has %s. Name one of these.",
		d.Name, m.Title, e.Port, why, os.PortsText(m)).Note(d.Switch.ModelAt, "the model is given here")
	return ir.Front{}, false
}

// resolve finds the ports of a switch's cables on systems where a port name alone does not identify the port. blocks are those
// of the links, by Link.ID.
func (c *compiler) resolve(d *ir.Device, blocks []*lang.LinkBlock, names *portNames) {
	if d.Switch == nil || d.Switch.Model == nil {
		return
	}
	os := c.system(d)
	if os == nil || os.Resolve == nil {
		return
	}
	ports := slices.DeleteFunc(slices.Clone(d.Ports), func(p *ir.Port) bool { return !p.Front.Known() })
	used := make([]ir.Used, len(ports))
	for i, p := range ports {
		used[i] = ir.Used{Name: p.Name, Front: p.Front, Speed: blocks[p.Link().ID].Speed.V}
	}
	for i, f := range os.Resolve(d.Switch.Model, used) {
		p := ports[i]
		p.PortName = names.as(p.PortName, os.Spell(d.Switch.Model, f), f)
	}
}

// joins reports whether a cable may run between two devices.
func (c *compiler) joins(l *lang.Link, a, b *ir.Device) bool {
	name := func() string { return fmt.Sprintf("%s:%s to %s:%s", l.A.Device, l.A.Port, l.B.Device, l.B.Port) }
	switch {
	case a == b:
		c.report.errorf(topicLinkToItself, *l.B.At, name(), "Both ends of this cable are on %s. A cable between two ports of one device "+
			"is a loop. Correct one of its ends, or delete it.", a.Name).Note(*l.A.At, "its other end")
		return false
	case a.Host != nil && b.Host != nil && !a.Host.Forwards && !b.Host.Forwards:
		c.report.errorf(topicLinkHosts, *l.B.At, name(), "Both ends of this cable are hosts, %s and %s, and neither forwards. In "+
			"rocec, only a host that routes or bridges may be cabled to a host. Correct one of the ends, or write "+
			"forwards = true in its host block.",
			a.Name, b.Name).Note(*l.A.At, "its other end")
		return false
	}
	return true
}

// routed reports whether a link is an IP hop. The link's block decides, else for links between switches the fabric's routing. Without a
// routing, and under "any", no block claims an IP hop, so the link is bridged.
func (c *compiler) routed(b *lang.LinkBlock, x, y *ir.Device) bool {
	if routed := b.Marked().Routed; routed.Set() {
		return routed.V
	}
	if x.Switch == nil || y.Switch == nil {
		return false
	}
	switch c.f.Routing {
	case ir.UpDown, ir.EBGP, ir.ShortestPath:
		return true
	}
	return false
}

// sayings caches the length and MTU of link blocks. Thousands of blocks have the same values and share one text.
type sayings struct {
	usualLength ir.Length // of blocks without a length
	usualMTU    ir.Num
	lengths     map[float64]string
	mtus        map[int]string
}

func (c *compiler) newSayings() *sayings {
	s := &sayings{lengths: map[float64]string{}, mtus: map[int]string{}}
	if l := c.src.Fabric.CableLength; l.Set() {
		s.usualLength = ir.Length{Metres: l.V, From: ir.Origin{At: l.At, Why: fmt.Sprintf("cable_length of the fabric: %g m", l.V)}}
	}
	why := fmt.Sprintf("mtu = %d", c.f.MTU)
	if c.f.MTUAt.Filename == "" {
		why += ", the default"
	}
	s.usualMTU = ir.Num{N: c.f.MTU, From: []ir.Origin{{At: c.f.MTUAt, Why: why}}}
	return s
}

// of returns the values that a block states for its links.
func (s *sayings) of(b *lang.LinkBlock) said {
	return said{b, &ir.LinkFacts{
		At: b.Decl, Block: fmt.Sprintf("%s %q", b.Kind, b.Name), Length: s.length(b), MTU: s.mtu(b), PeerAt: b.Marked().Peer.At, PlannedAt: b.Marked().Planned.At,
		FlowControl: ir.FlowControl(b.FlowControl.V), FlowControlAt: b.FlowControl.At, BondAt: bondAt(b),
	}}
}

// bondAt returns the place where a block declares its cables a bond.
func bondAt(b *lang.LinkBlock) diag.Range {
	if bond := b.Marked().Bond; bond.V {
		return bond.At
	}
	return diag.Range{}
}

func (s *sayings) length(b *lang.LinkBlock) ir.Length {
	if !b.Length.Set() {
		return s.usualLength
	}
	m := b.Length.V
	why := once(s.lengths, m, func() string { return fmt.Sprintf("cable of %g m", m) })
	return ir.Length{Metres: m, From: ir.Origin{At: b.Length.At, Why: why}}
}

// mtu returns the MTU of the switch ports at a block's links: the block's, else the fabric's.
func (s *sayings) mtu(b *lang.LinkBlock) ir.Num {
	if !b.MTU.Set() {
		return s.usualMTU
	}
	why := once(s.mtus, b.MTU.V, func() string { return fmt.Sprintf("mtu = %d", b.MTU.V) })
	return ir.Num{N: b.MTU.V, From: []ir.Origin{{At: b.MTU.At, Why: why}}}
}

// once returns the text for a key, and makes it at the first call.
func once[K comparable](known map[K]string, key K, text func() string) string {
	s, ok := known[key]
	if !ok {
		s = text()
		known[key] = s
	}
	return s
}

// jack describes what a port can do: its native speed (0: unknown) and lanes.
type jack struct{ speed, lanes int }

// jacks finds the abilities of a device's ports, and reports ports that are used twice. The ports are sorted by name, so equal names are
// adjacent, and so are the parts of a split port.
func (c *compiler) jacks(d *ir.Device, out []jack) {
	for i, p := range d.Ports {
		if i > 0 && d.Ports[i-1].Name == p.Name {
			first := d.Ports[i-1]
			if diag.ComparePlace(p.At, first.At) < 0 {
				first, p = p, first
			}
			c.report.errorf(topicPortTwice, p.At, p.String(), "%s is the end of two cables, and each port takes one. Correct one of the two.", p).
				Note(first.At, "the other cable ends here too")
		}
	}
	if d.Host != nil {
		for _, p := range d.Ports {
			if p.NIC.Model != nil {
				out[p.ID] = jack{p.NIC.Model.Speed, 0}
			}
		}
		return
	}
	m := d.Switch.Model
	if m == nil || m.Ports == nil {
		return
	}
	ports := d.Ports
	unknown := func(p *ir.Port) bool { return !p.Front.Known() }
	if slices.ContainsFunc(ports, unknown) {
		ports = slices.DeleteFunc(slices.Clone(ports), unknown)
	}
	byFront := func(p, q *ir.Port) int {
		return cmp.Or(cmp.Compare(p.Front.Number, q.Front.Number), cmp.Compare(p.Front.Sub, q.Front.Sub))
	}
	if !slices.IsSortedFunc(ports, byFront) { // a grammar may order ports differently from names
		ports = slices.SortedStableFunc(slices.Values(ports), byFront)
	}
	spell := func(number int16) string { return c.system(d).Spell(m, ir.Front{Number: number, Sub: -1}) }
	for i := 0; i < len(ports); {
		first := ports[i].Front
		highest := first.Sub
		j := i + 1
		for ; j < len(ports) && ports[j].Front.Number == first.Number; j++ {
			highest = ports[j].Front.Sub // ascending
		}
		if highest >= 0 && !first.Split() {
			part := ports[j-1]
			c.report.errorf(topicPortSplit, part.At, part.String(), "%s is used both whole and split: %s and %s. After a split, "+
				"%s exists only in parts. Name only its parts, or only the whole port.", d.Name, ports[i].Name, part.Name, spell(first.Number)).
				Note(ports[i].At, "used whole here")
		}
		parts := 1
		for _, p := range ports[i:j] {
			r, ok := m.Port(int(first.Number), int(p.Front.Sub))
			if !ok {
				continue
			}
			jack := c.jack(d, r, p, ports[i:j])
			out[p.ID] = jack
			parts = max(parts, r.Lanes/jack.lanes)
		}
		if m.PairSplit > 0 && parts >= m.PairSplit {
			c.pairSplit(d, spell, ports[j-1], ports[:i], ports[j:])
		}
		i = j
	}
}

// jack returns the abilities of a port of a switch, or of part of a port. all contains the sorted names by which the fabric uses that port.
func (c *compiler) jack(d *ir.Device, r platform.PortRange, p *ir.Port, all []*ir.Port) jack {
	switch {
	case p.Front.Sub < 0:
		return jack{r.Speed, r.Lanes}
	case c.system(d).Resolve != nil:
		var lanes []int
		for _, q := range all {
			lanes = append(lanes, int(q.Front.Sub))
		}
		speed, n := r.PartAt(int(p.Front.Sub), lanes)
		return jack{speed, n}
	}
	speed, lanes := r.Split(int(all[len(all)-1].Front.Sub))
	return jack{speed, lanes}
}

// pairSplit checks a port that is split into so many parts that its neighbour becomes unusable. last is the last part; before and next are
// the other ports on either side, and spell returns the name of a port.
func (c *compiler) pairSplit(d *ir.Device, spell func(number int16) string, last *ir.Port, before, next []*ir.Port) {
	number, m := last.Front.Number, d.Switch.Model
	parts := map[int]string{4: "four", 8: "eight"}[m.PairSplit]
	if number%2 == 0 && m.OddSplit {
		c.report.errorf(topicUnknownPort, last.At, last.String(),
			"%s is a %s, on which only odd ports split into %s; %s is even. Use an odd one.",
			d.Name, m.Title, parts, spell(number)).Note(d.Switch.ModelAt, "the model is given here")
		return
	}
	var pair *ir.Port // the other port of the pair, if the fabric uses it
	switch {
	case number%2 == 1 && len(next) > 0 && next[0].Front.Number == number+1:
		pair = next[0]
	case number%2 == 0 && len(before) > 0 && before[len(before)-1].Front.Number == number-1:
		pair = before[len(before)-1]
	default:
		return
	}
	which := "next one"
	if number%2 == 0 {
		which = "one before"
	}
	c.report.errorf(topicPortSplit, pair.At, pair.String(), "%s is a %s, on which a port split into %s disables the %s"+
		": %s is split, so %s cannot be used. Use another port here.", d.Name, m.Title, parts, which, spell(number), spell(pair.Front.Number)).
		Note(last.At, "the split port").Note(d.Switch.ModelAt, "the model is given here")
}
