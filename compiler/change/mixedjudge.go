package change

import (
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// atATime is the number of packets that judge processes at once. A word of 64 bits has three fields, each with a bit for every packet.
const (
	atATime = 21
	field   = 1<<atATime - 1

	// The shifts of the fields. A bit is set if a host sends or accepts the packet: before the change, in the mixture, or in the mixture by a
	// host that is already changed.
	before, now, moved = 0, atATime, 2 * atATime
)

// mixture is a phase in progress: each device that moves may have the settings of its old stage or of its new stage.
type mixture struct {
	*sides
	may      [][]Stage // by Device.ID: the possible stages, the one before its move first
	step     Step
	first    int         // the packets that are judged now: values[first:first+atATime]
	in, back []uint64    // by Port.ID: packets that come in by the port; packets that leave by it for hosts that rely on them
	cos      [2][]uint16 // by stage, device and packet: bits of the cos in which it leaves
	told     map[toldGap]bool
	gaps     []*Gap
}

type toldGap struct {
	link *ir.Link
	ir.Packet
}

// unknownCos is the bit of an unknown cos. It follows the bits of the eight known cos.
const unknownCos = 8

// judge finds the packets that the phases may lose, once for every link. most limits the number of gaps.
func (s *sides) judge(phases []Phase, most int) []*Gap {
	m := &mixture{
		sides: s, may: make([][]Stage, len(s.fabric.Devices)), told: map[toldGap]bool{},
		in: make([]uint64, len(s.fabric.Ports)), back: make([]uint64, len(s.fabric.Ports)),
	}
	for i := range m.may {
		m.may[i] = []Stage{Old}
	}
	for _, p := range phases {
		m.step = p.Step
		for _, move := range p.Moves {
			m.may[move.Device.ID] = append(m.may[move.Device.ID], move.To)
		}
		m.unread()
		for m.first = 0; m.first < len(s.values); m.first += atATime {
			m.spread()
			m.sort()
			for _, l := range s.fabric.Links {
				if len(m.gaps) >= most {
					return m.gaps
				}
				if !l.Planned {
					m.link(l.A(), l.B())
					m.link(l.B(), l.A())
				}
			}
		}
		for _, move := range p.Moves {
			m.may[move.Device.ID] = []Stage{move.To}
		}
	}
	return m.gaps
}

// stages returns the stages that a device may be in.
func (m *mixture) stages(d *ir.Device) []Stage { return m.may[d.ID] }

func (m *mixture) tell(g Gap) {
	if m.held[g.From.Device().ID].Excused || m.held[g.To.Device().ID].Excused {
		return
	}
	if t := (toldGap{g.From.Link(), g.Packet}); !m.told[t] {
		m.told[t] = true
		g.Step = m.step
		m.gaps = append(m.gaps, &g)
	}
}

// unread judges the switch ports whose hosts have unknown settings. Classes that are lossless at such a port must stay lossless.
func (m *mixture) unread() {
	for _, p := range m.fabric.Ports {
		if of := m.at[Old][p.ID]; p.NIC == nil || p.Device().Forwards() || p.Link().Planned || of != nil && of.PausesKnown {
			continue
		}
		d := p.Peer().Device()
		for _, stage := range m.stages(d) {
			if m.stages(p.Device())[0] == Old && !m.keeps(p.Peer(), stage) {
				m.tell(Gap{From: p, To: p.Peer(), Sends: Old, Takes: stage, Packet: ir.Packet{DSCP: -1}, Fault: HostNotRead})
			}
		}
	}
}

// keeps reports whether every class that was lossless at a port is lossless with the same packets in a stage.
func (m *mixture) keeps(p *ir.Port, stage Stage) bool {
	old, now := m.at[Old][p.ID], m.at[stage][p.ID]
	if old == now {
		return true
	}
	if old == nil || now == nil || !old.PausesKnown || !now.PausesKnown {
		return false
	}
	kept := func(before, after []int8) bool {
		for v, cos := range before {
			if cos >= 0 && old.Lossless()>>cos&1 == 1 && after[v] != cos {
				return false
			}
		}
		return true
	}
	return old.Lossless() == 0 || old.LinkPause == now.LinkPause && old.Sends&^now.Sends == 0 && old.Obeys&^now.Obeys == 0 &&
		(old.LinkPause || old.TrustKnown && now.TrustKnown && old.Trust == now.Trust &&
			(!old.Trust.DSCP || kept(old.DSCP[:], now.DSCP[:])) && (!old.Trust.PCP || kept(old.PCP[:], now.PCP[:])))
}

// sending returns the packets that a host sends by a port in a stage, as bits.
func (m *mixture) sending(p *ir.Port, stage Stage) (bits uint64) {
	for _, i := range m.sends(p, stage) {
		if i -= m.first; i >= 0 && i < atATime {
			bits |= 1 << i
		}
	}
	return bits
}

// relying returns the packets, as bits, that a host accepts by a port in a stage and relies on. If the host pauses at all, they are the
// packets of its intents and the packets that it paused before. A host that is not read may rely on all packets. If such a host has no
// intent and its switch is read, it may rely on the packets for which the switch obeys pauses.
func (m *mixture) relying(p *ir.Port, stage Stage) (bits uint64) {
	of, old := m.at[stage][p.ID], m.at[Old][p.ID]
	if stage == Old && m.notRead(p) {
		at := m.cabledTo(p)
		if at == nil {
			return field
		}
		for k, v := range m.values[m.first:min(m.first+atATime, len(m.values))] {
			if cos := at.Sort(v.Packet); at.Obeys != 0 && (cos < 0 || at.Obeys>>cos&1 == 1) {
				bits |= 1 << k
			}
		}
		return bits
	}
	if of == nil || !of.PausesKnown || of.Sends == 0 {
		return 0
	}
	if stage == New && len(p.NIC.Carries()) == 0 { // the host has left its intents, and pauses from before rocec do not count
		return 0
	}
	for k, v := range m.values[m.first:min(m.first+atATime, len(m.values))] {
		if slices.ContainsFunc(p.NIC.Carries(), func(in *ir.Intent) bool { return slices.Contains(v.groups, in.Group) }) {
			bits |= 1 << k
		} else if old != nil && old.PausesKnown {
			if cos := old.Sort(v.Packet); cos >= 0 && old.Sends>>cos&1 == 1 {
				bits |= 1 << k
			}
		}
	}
	return bits
}

// fields returns a word of the three fields, with the packets that the function does returns for the stages of a host.
func (m *mixture) fields(p *ir.Port, does func(*ir.Port, Stage) uint64) uint64 {
	word := does(p, Old) << before
	for _, stage := range m.stages(p.Device()) {
		b := does(p, stage)
		word |= b << now
		if stage != Old {
			word |= b << moved
		}
	}
	return word
}

// spread follows packets forwards from the hosts that send them, and backwards from the hosts that rely on them.
func (m *mixture) spread() {
	clear(m.in)
	clear(m.back)
	here := make([]attached, len(m.fabric.Devices))
	for _, p := range m.fabric.Ports {
		if p.NIC == nil || p.Link().Planned {
			continue
		}
		sends, takes, at := m.fields(p, m.sending), m.fields(p, m.relying), p.Device()
		if !at.Forwards() {
			at = p.Peer().Device()
			m.in[p.Peer().ID] |= sends
			m.back[p.ID] |= takes
		}
		here[at.ID].sent.add(sends)
		here[at.ID].taken.add(takes)
	}
	var todo []*ir.Device
	queued := make([]bool, len(m.fabric.Devices))
	push := func(d *ir.Device) {
		if !queued[d.ID] {
			queued[d.ID] = true
			todo = append(todo, d)
		}
	}
	var seen, apart uint64 // packets of hosts on any device, and on several ones; a packet of one device alone stays there
	for _, d := range m.fabric.Devices {
		of := here[d.ID].sent.once | here[d.ID].taken.once
		seen, apart = seen|of, apart|seen&of
		if d.Forwards() {
			push(d)
		}
	}
	for len(todo) > 0 {
		d := todo[0]
		todo, queued[d.ID] = todo[1:], false
		h := here[d.ID]
		m.onward(d, h.sent.once&apart, h.taken.once&apart, push)
	}
	for _, d := range m.fabric.Devices {
		if d.Forwards() {
			m.deliver(d, here[d.ID])
		}
	}
}

// onward moves the packets that come in at a device, and the packets that its hosts send, to its neighbours. It records which packets
// travel further and which packets the hosts there accept. It calls push for every device with new packets.
func (m *mixture) onward(d *ir.Device, sent, taken uint64, push func(*ir.Device)) {
	for _, p := range d.Ports {
		if !m.between(p) {
			continue
		}
		enter := func(in *ir.Port, packets uint64) {
			if packets&^m.in[in.ID] != 0 {
				m.in[in.ID] |= packets
				push(in.Device())
			}
		}
		enter(p.Peer(), sent)
		came, goes := m.in[p.ID], m.back[p.ID]|taken
		m.turn(p, func(out *ir.Port) {
			enter(out.Peer(), came)
			goes |= m.back[out.Peer().ID]
		})
		if goes != m.back[p.ID] {
			m.back[p.ID] = goes
			push(p.Peer().Device())
		}
	}
}

// deliver gives packets that arrived at a device to its hosts, and sends the packets of its hosts onward.
func (m *mixture) deliver(d *ir.Device, h attached) {
	var came, goes uint64
	for _, p := range d.Ports {
		if m.between(p) {
			came |= m.in[p.ID]
			goes |= m.back[p.Peer().ID]
		}
	}
	for _, p := range d.Ports {
		if q := p.Peer(); !m.between(p) && !p.Link().Planned {
			m.in[q.ID] |= came | h.sent.but(m.in[p.ID])
			m.back[p.ID] = goes | h.taken.but(m.back[q.ID])
		}
	}
}

// attached contains the packets that the hosts of a device send and accept there.
type attached struct{ sent, taken tally }

// tally counts bits up to two, so that a host's own packets can be excluded.
type tally struct{ once, twice uint64 }

func (t *tally) add(word uint64) {
	t.twice |= t.once & word
	t.once |= word
}

// but returns the union of the added words without the word one, which is among them.
func (t tally) but(one uint64) uint64 { return t.once&^one | t.twice }

// between reports whether a port is joined to another device that forwards.
func (m *mixture) between(p *ir.Port) bool { return m.joins[p.ID] }

// turn calls each for the ports by which traffic from the port in may leave towards another forwarding device.
func (m *mixture) turn(in *ir.Port, each func(out *ir.Port)) {
	if m.turns == nil {
		for _, out := range in.Device().Ports {
			if out != in && m.between(out) {
				each(out)
			}
		}
		return
	}
	for i, word := range m.turns.Rows[in.ID] {
		for ; word != 0; word &= word - 1 {
			if out := in.Device().Ports[64*i+bits.TrailingZeros64(word)]; m.between(out) {
				each(out)
			}
		}
	}
}

// sort finds the cos of the packets that leave each device, in each of its stages.
func (m *mixture) sort() {
	for i := range m.cos {
		if m.cos[i] == nil {
			m.cos[i] = make([]uint16, atATime*len(m.fabric.Devices))
		}
	}
	for _, d := range m.fabric.Devices {
		if !d.Forwards() {
			continue
		}
		for i, stage := range m.stages(d) {
			m.sorted(d, stage, m.cos[i][atATime*d.ID:])
		}
	}
}

// sorted sets, by packet, the bits of each cos that a device gives to the packet, over all ports that the packet may enter by.
func (m *mixture) sorted(d *ir.Device, stage Stage, out []uint16) {
	clear(out[:atATime])
	var done []*ir.PortSettings // ports with equal settings: the packets that come in there
	var came []uint64
	for _, p := range d.Ports {
		packets := m.in[p.ID] >> now & field
		if p.NIC != nil {
			packets |= m.sending(p, stage)
		}
		of := m.at[stage][p.ID]
		i := slices.Index(done, of)
		if i < 0 {
			i = len(done)
			done, came = append(done, of), append(came, 0)
		}
		for fresh := packets &^ came[i]; fresh != 0; fresh &= fresh - 1 {
			k := bits.TrailingZeros64(fresh)
			out[k] |= sortedBit(of, m.values[m.first+k].Packet)
		}
		came[i] |= packets
	}
}

func sortedBit(of *ir.PortSettings, p ir.Packet) uint16 {
	cos := -1
	if of != nil {
		cos = of.Sort(p)
	}
	if cos < 0 {
		cos = unknownCos
	}
	return 1 << cos
}

// link judges one direction of a link.
func (m *mixture) link(a, b *ir.Port) {
	both := m.in[b.ID] & m.back[b.ID]
	if both>>now&field == 0 {
		return
	}
	had, isMoved := both>>before&field, both>>moved&field
	for i, sends := range m.stages(a.Device()) {
		wanted := m.in[b.ID] & m.back[b.ID] >> now & field
		if !a.Device().Forwards() {
			wanted &= m.sending(a, sends)
		}
		for _, takes := range m.stages(b.Device()) {
			wanted := wanted
			relied := isMoved // from hosts that are already changed
			if !b.Device().Forwards() {
				wanted &= m.relying(b, takes)
			}
			if !a.Device().Forwards() && sends == Old || !b.Device().Forwards() && takes == Old {
				relied = 0
			}
			if sends == Old && takes == Old {
				wanted &^= had &^ relied
			}
			for ; wanted != 0; wanted &= wanted - 1 {
				k := bits.TrailingZeros64(wanted)
				bit := uint64(1) << k
				m.packet(a, b, sends, takes, k, m.leaving(a, sends, i, k), had&bit != 0, relied&bit != 0)
			}
		}
	}
}

// leaving returns the cos in which a packet leaves by a port.
func (m *mixture) leaving(a *ir.Port, stage Stage, i, k int) uint16 {
	if a.Device().Forwards() {
		return m.cos[i][atATime*a.Device().ID+k]
	}
	return sortedBit(m.at[stage][a.ID], m.values[m.first+k].Packet)
}

// packet judges one packet on a link whose ends are in the stages sends and takes. had: hosts relied on it before the change; relied:
// changed hosts rely on it.
func (m *mixture) packet(a, b *ir.Port, sends, takes Stage, k int, cos uint16, had, relied bool) {
	if m.notRead(a) || m.notRead(b) {
		return // see unread
	}
	pkt := m.values[m.first+k].Packet
	of := m.at[takes][b.ID]
	fault := m.faulty(m.at[sends][a.ID], of, cos, pkt)
	was := Fault("")
	if had && !relied {
		all := make([]uint16, atATime)
		if a.Device().Forwards() {
			m.sorted(a.Device(), Old, all)
		} else {
			all[k] = sortedBit(m.at[Old][a.ID], pkt)
		}
		was = m.faulty(m.at[Old][a.ID], m.at[Old][b.ID], all[k], pkt)
	}
	if fault == "" && takes == Old && (!had || relied || was != "") && m.tooSmall(b, of.Sort(pkt)) {
		fault = NoHeadroom
	}
	switch {
	case fault == "",
		was == NotKnown && m.keeps(a, sends) && m.keeps(b, takes),
		was != "" && was != NotKnown: // it was also lost before
		return
	}
	m.tell(Gap{From: a, To: b, Sends: sends, Takes: takes, Packet: pkt, Fault: fault, Sent: uint8(cos), Received: uint8(sortedBit(of, pkt))})
}

// faulty returns the reason why a packet that leaves in a cos may be lost; empty: it cannot be lost.
func (m *mixture) faulty(a, b *ir.PortSettings, cos uint16, p ir.Packet) Fault {
	if a == nil || b == nil || !a.PausesKnown || !b.PausesKnown {
		return NotKnown
	}
	if a.LinkPause && b.LinkPause && a.Obeys != 0 && b.Sends != 0 {
		return ""
	}
	if a.LinkPause != b.LinkPause && a.Lossless() != 0 && b.Lossless() != 0 {
		return PauseKinds
	}
	taken := sortedBit(b, p)
	switch {
	case (cos|taken)>>unknownCos != 0:
		return NotKnown
	case cos != taken:
		return OtherCos
	case uint8(taken)&b.Sends == 0:
		return NoPause
	case uint8(taken)&a.Obeys == 0:
		return NotObeyed
	}
	return ""
}

// tooSmall reports whether the buffer a switch had before the change is too small for a class that relies on it only now. A switch that the
// run does not change is left to the checks of the fabric.
func (m *mixture) tooSmall(p *ir.Port, cos int) bool {
	h := m.held[p.Device().ID]
	if p.Device().Switch == nil || !h.Away && !h.changes() {
		return false
	}
	if next := m.at[New][p.ID]; next != nil && next.Sends != 0 && next.Headroom == 0 {
		return false // the switch sizes its buffers itself; rocec reads the sizes back after the change
	}
	for _, b := range p.Buffers() {
		if b.Group.Cos == cos && m.at[Old][p.ID].Headroom < min(b.Floor, b.Headroom()) {
			return true
		}
	}
	return false
}
