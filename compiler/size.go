package compiler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// Derived sizes are based on the preset of Cumulus Linux 3.7's RoCE command (70000/18000/0), with the manual's xon_delta. The manual's
// 25000/10000/2000 template is not used: it leaves 15,000 bytes of headroom, too little for jumbo frames at any speed.
const (
	presetXoff     = 18_000
	presetXonDelta = 2_000
)

// bufferKey has the inputs of the buffer of a port.
type bufferKey struct {
	group  *ir.CosGroup
	asic   *platform.ASIC // nil: a NIC's port
	tables *tables        // published tables for the switch
	driver *ir.Driver     // for a NIC; nil: the driver has no formula
	metres float64
	mbps   int
	mtu    int
	rdma   int  // of [wire]
	pause  bool // for link pause: bytes of any group may arrive
	tight  bool // a long cable whose pauses may leave it idle, because the memory of the switch is too small
}

// sizing is the state of one run of [compiler.size].
type sizing struct {
	lossless []*ir.CosGroup
	tight    map[*ir.Device]bool
	known    map[bufferKey]*ir.Buffer
	models   map[*platform.Switch]*tables
	sets     []*tables
}

// tables contains the published tables for a switch. Similar switches share them.
type tables struct {
	of   []*platform.Published
	own  string              // the model, if its tables replace those of its chip
	rows *platform.ModelRows // the rows of the model; nil: unknown
}

// published returns the published tables for a model.
func (s *sizing) published(m *platform.Switch) *tables {
	if t := s.models[m]; t != nil {
		return t
	}
	of, own := m.Published()
	rows := m.ModelRows()
	i := slices.IndexFunc(s.sets, func(t *tables) bool { return t.own == own && t.rows == rows && slices.Equal(t.of, of) })
	if i < 0 {
		i = len(s.sets)
		s.sets = append(s.sets, &tables{of, own, rows})
	}
	s.models[m] = s.sets[i]
	return s.sets[i]
}

// size sets the buffers of every port that carries a lossless group. Equal ports share buffers.
func (c *compiler) size() {
	s := &sizing{tight: map[*ir.Device]bool{}, known: map[bufferKey]*ir.Buffer{}, models: map[*platform.Switch]*tables{}}
	for _, g := range c.f.CosGroups {
		if g.Lossless {
			s.lossless = append(s.lossless, g)
		}
	}
	for _, in := range c.f.Intents {
		size := 0
		for _, m := range in.Members {
			if m.NIC.Port != nil {
				size = max(size, ir.RDMAMTU(cmp.Or(m.NIC.MTU, m.NIC.Port.Link().MTU.N)))
			}
		}
		for _, g := range c.bounces(in.Group) {
			g.RDMAMTU = max(g.RDMAMTU, size)
		}
	}
	c.findTight(s)
	rows := rows[*ir.Buffer]{}
	var row []*ir.Buffer
	for _, l := range c.f.Links {
		for _, p := range []*ir.Port{l.A(), l.B()} {
			row = row[:0]
			for _, g := range s.lossless {
				if !c.carried[g].has(l) {
					continue
				}
				key := s.key(p, g)
				b := s.known[key]
				if b == nil {
					if key.asic == nil {
						b = nicBuffer(key)
					} else {
						b = switchBuffer(key)
						c.pinBuffer(b, key, l)
					}
					s.known[key] = b
				}
				row = append(row, b)
			}
			p.SetSizes(c.shared.of(rows.share(row), nil))
		}
	}
}

// key returns the inputs of the buffer of a group at a port.
func (s *sizing) key(p *ir.Port, g *ir.CosGroup) bufferKey {
	l := p.Link()
	if d := p.Device(); d.Switch != nil {
		m := d.Switch.Model
		k := bufferKey{group: g, asic: m.ASIC, tables: s.published(m), metres: l.Length.Metres, mbps: l.Speed.N, mtu: l.MTU.N, rdma: g.RDMAMTU}
		if k.pause = l.ByPause(); k.pause {
			k.rdma = 0 // the last frame may be the largest frame of any group
		}
		k.tight = s.tight[d] && k.feeds()
		return k
	}
	k := bufferKey{group: g, pause: l.ByPause()}
	if by := p.NIC.Model.Driver; by != nil && by.Buffer != nil {
		k.driver, k.metres, k.mbps, k.mtu = by, l.Length.Metres, l.Speed.N, cmp.Or(p.NIC.MTU, l.MTU.N)
	}
	return k
}

// feeds reports whether xoff and xon are derived from the round trip, if memory allows it.
func (k bufferKey) feeds() bool {
	given := k.group.Sizes()
	return k.metres > ir.LongCable && !given.Buffer.Set() && !given.Xoff.Set()
}

// findTight finds the switches whose memory is too small to keep long cables busy through a pause.
func (c *compiler) findTight(s *sizing) {
	known := map[bufferKey]*ir.Buffer{}
	for _, d := range c.f.Devices {
		if d.Switch == nil {
			continue
		}
		if !slices.ContainsFunc(d.Ports, func(p *ir.Port) bool {
			return p.Link().Length.Metres > ir.LongCable && slices.ContainsFunc(s.lossless, func(g *ir.CosGroup) bool {
				return c.carried[g].has(p.Link()) && s.key(p, g).feeds()
			})
		}) {
			continue
		}
		for _, p := range d.Ports {
			for _, g := range s.lossless {
				if !c.carried[g].has(p.Link()) {
					continue
				}
				k := s.key(p, g)
				if known[k] == nil {
					known[k] = switchBuffer(k)
				}
				p.SetBuffers(append(p.Buffers(), known[k]))
			}
		}
		s.tight[d] = d.Memory().Tight()
	}
}

// switchBuffer derives the buffer of a group at a switch's port.
func switchBuffer(k bufferKey) *ir.Buffer {
	b, a := &ir.Buffer{Group: k.group}, k.asic
	given := k.group.Sizes()
	w := wire{speed: k.mbps, metres: k.metres, mtu: k.mtu, small: allSmall, rdma: k.rdma}
	if given.SmallPackets.Set() {
		w.small = given.SmallPackets.N
	}
	b.Need, b.Floor, b.Terms, b.Published = headroom(a, k.tables.of, w)
	if b.Row, b.RowMost = ofModel(a, k.tables.rows, w); b.Row.Bytes > b.Need {
		b.Terms = append(b.Terms, ir.Term{
			Name: ir.ByRow, Bytes: b.Row.Bytes - b.Need,
			Why: fmt.Sprintf("up to %d B, %s", b.Row.Bytes, b.Row.Why),
		})
		b.Need = b.Row.Bytes
	}
	b.Unpublished = !k.tables.rows.Has(k.mbps) && !slices.ContainsFunc(k.tables.of, func(t *platform.Published) bool { return t.Has(k.mbps) })
	b.Nightly = nightly(a, w)
	b.RoundTrip = total(arriving(a, w))
	cell := ir.Origin{Why: fmt.Sprintf("%s: cells of %d B", a.Title, a.Cell)}

	xonDelta := given.XonDelta
	if !xonDelta.Set() {
		xonDelta = ir.Num{N: cells(a, presetXonDelta), From: []ir.Origin{
			{Why: fmt.Sprintf("preset: resume %d B below xoff", presetXonDelta)}, cell,
		}}
	}
	xoff := given.Xoff
	switch {
	case xoff.Set():
	case k.feeds() && !k.tight:
		xoff = ir.Num{N: cells(a, b.RoundTrip) + xonDelta.N, From: []ir.Origin{{Why: fmt.Sprintf(
			"a cable of more than %d m: below xon lie %d B, which feed the egress for the round trip that follows", ir.LongCable,
			b.RoundTrip)}, cell}}
	default:
		xoff = ir.Num{N: cells(a, presetXoff), From: []ir.Origin{{Why: fmt.Sprintf("preset: %d B before the pause", presetXoff)}, cell}}
		if size := given.Buffer; size.Set() && xoff.N >= size.N {
			xoff = ir.Num{N: size.N / 2, From: append([]ir.Origin{{At: size.From[0].At, Why: "half of pfc.buffer"}}, xoff.From...)}
		}
		if k.tight {
			xoff.From = append(xoff.From, ir.Origin{Why: fmt.Sprintf("the memory of the switch does not hold %d B at every such port", b.RoundTrip)})
		}
	}
	if !given.XonDelta.Set() && xonDelta.N >= xoff.N {
		xonDelta = ir.Num{N: xoff.N / 2, From: []ir.Origin{{At: xoff.From[0].At, Why: "half of xoff"}}}
	}
	b.Size, b.Xoff, b.XonDelta = ir.Told(given.Buffer), ir.Told(xoff), ir.Told(xonDelta)
	if !b.Size.Set() {
		from := []ir.Reason{{Link: ir.LinkLength}, {Link: ir.LinkSpeed}, {Link: ir.LinkMTU}}
		if given.Xoff.Set() {
			from = append(from, because(given.Xoff.From[0]))
		}
		if given.SmallPackets.Set() {
			from = append(from, because(given.SmallPackets.From[0]))
		}
		from = append(from,
			because(ir.Origin{Why: fmt.Sprintf("pause response at %s: %d quanta x %d B", platform.SpeedText(k.mbps),
				platform.PauseQuanta(k.mbps), platform.QuantumBytes)}),
			because(cell), because(ir.Origin{Why: fmt.Sprintf("xoff of %d B and headroom of %d B", b.Xoff.N, b.Need)}))
		b.Size = ir.Derived{N: cells(a, b.Xoff.N+b.Need), From: from}
	}
	return b
}

// nicBuffer derives the buffer of a group at a NIC's port. Without a known formula of the driver, only the group is set.
func nicBuffer(k bufferKey) *ir.Buffer {
	b := &ir.Buffer{Group: k.group}
	if k.driver != nil {
		b.Need, b.Terms = k.driver.Buffer(k.mbps, k.metres, k.mtu)
		b.Floor = b.Need
	}
	return b
}

// because returns a reason that does not depend on a link.
func because(o ir.Origin) ir.Reason { return ir.Reason{Origin: o} }

// sharedSizes shares one [ir.PortSizes] among ports with the same buffers and marks.
type sharedSizes struct {
	known map[sizesKey]*ir.PortSizes
	last  *ir.PortSizes // consecutive ports are mostly equal
	key   sizesKey
}

// sizesKey contains the first elements of the rows that [rows] shares.
type sizesKey struct {
	buffers **ir.Buffer
	marks   **ir.Mark
}

func (s *sharedSizes) of(buffers []*ir.Buffer, marks []*ir.Mark) *ir.PortSizes {
	if len(buffers) == 0 && len(marks) == 0 {
		return nil
	}
	var key sizesKey
	if len(buffers) > 0 {
		key.buffers = &buffers[0]
	}
	if len(marks) > 0 {
		key.marks = &marks[0]
	}
	if s.last != nil && s.key == key {
		return s.last
	}
	out := s.known[key]
	if out == nil {
		out = &ir.PortSizes{Buffers: buffers, Marks: marks}
		if s.known == nil {
			s.known = map[sizesKey]*ir.PortSizes{}
		}
		s.known[key] = out
	}
	s.last, s.key = out, key
	return out
}

// rows stores one slice for equal rows, by their first element.
type rows[T comparable] map[T][][]T

// share returns the shared slice for a row; nil for an empty row. The caller may reuse the row.
func (r rows[T]) share(row []T) []T {
	if len(row) == 0 {
		return nil
	}
	for _, known := range r[row[0]] {
		if slices.Equal(known, row) {
			return known
		}
	}
	kept := slices.Clip(slices.Clone(row))
	r[row[0]] = append(r[row[0]], kept)
	return kept
}
