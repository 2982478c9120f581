package targets_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/target"
)

// statement has the values of a by_hand block of a test; a zero value means the value that the fabric needs.
type statement struct {
	flow      string
	pfc       []int // nil: not stated
	trust     string
	dscp, pcp map[int]int
	noECN     bool
	firmware  bool
	noDCQCN   bool
}

// fault is an event in which a packet leaves its class. A soft fault only reduces speed; any other fault loses packets.
type fault struct {
	soft bool
	text string
}

// walker follows single packets through the rendered files.
type walker struct {
	f      *ir.Fabric
	boxes  map[string]*box // by device; for a NIC by device:interface
	stated map[string]statement
	faults []fault
	said   map[string]bool
	walks  int

	reaches map[source]reach // cached results of reachOf
}

// walk follows the packets of every intent between all its members, and the notifications back. lies returns the present content of a
// switch, or nil. walk returns nil if a present file is refused.
func walk(t testing.TB, f *ir.Fabric, tree *target.Tree, stated map[string]statement, lies func(group string) []byte) *walker {
	t.Helper()
	w := &walker{f: f, boxes: map[string]*box{}, stated: stated, said: map[string]bool{}, reaches: map[source]reach{}}
	for _, d := range tree.Devices {
		before := ""
		for _, file := range d.Files {
			if file.Live != nil {
				if d.Role == target.Switch {
					var old []byte
					if lies != nil {
						old = []byte(standingTrees[string(lies(d.Group))])
					}
					content, ds := file.Edit(old)
					if ds.HasErrors() {
						return nil
					}
					read := readNVUE
					if file.Path == sonic.Path {
						read = readSONiC
					}
					w.boxes[d.Name] = read(string(content))
				}
				continue
			}
			dir, base := path.Split(file.Path)
			var old []byte
			switch {
			case classifies(base) && lies != nil:
				old = lies(d.Group)
			case file.Sketch != nil:
				old = []byte(d.Target.Image(d.Source).Files[file.Path])
			}
			content, ds := file.Edit(old)
			if ds.HasErrors() {
				return nil
			}
			switch {
			case classifies(base):
				before += string(content)
				w.boxes[d.Name] = readSwitch(before)
			case d.Role == target.Switch:
				before = string(content) // queues and pools, whose file is first
			case dir == "/etc/rocec/host/":
				name := strings.TrimSuffix(base, ".conf")
				w.boxes[d.Name+":"+name] = readNIC(name, string(content))
			}
		}
	}
	seen := map[*ir.Device][]*ir.Intent{}
	for _, in := range f.Intents {
		w.everyPath(in, func(ways []*ir.Port) {
			for _, p := range ways {
				if d := p.Device(); !slices.Contains(seen[d], in) {
					seen[d] = append(seen[d], in)
				}
			}
		})
	}
	for _, d := range f.Devices {
		if s, ok := stated[d.Group]; ok {
			w.byHand(d, s, seen[d])
		}
	}
	for _, in := range f.Intents {
		w.everyPath(in, func(way []*ir.Port) {
			w.walks++
			w.data(in, way)
			if in.Version == 2 && in.Group.ECN != nil {
				w.notification(in, way)
			}
		})
	}
	return w
}

// classifies reports, by the base name, whether a file of a switch sorts packets.
func classifies(base string) bool { return base == "traffic.conf" || base == "qos_features.conf" }

// byHand makes boxes of a device set by hand: stated values apply, and all others are as its intents need.
func (w *walker) byHand(d *ir.Device, s statement, passing []*ir.Intent) {
	for _, p := range d.Ports {
		intents := passing
		if p.NIC != nil {
			intents = nil
			for _, in := range w.f.Intents { // a NIC trusts one field
				if len(intents) == 0 && slices.ContainsFunc(in.Members, func(m *ir.Member) bool { return m.NIC == p.NIC }) {
					intents = append(intents, in)
				}
			}
		}
		b := newBox()
		b.byHand = true
		for _, in := range intents {
			if byDSCP(in) {
				b.trustDSCP = true
			} else {
				b.trustPCP = true
			}
		}
		if s.trust != "" {
			b.trustPCP, b.trustDSCP = s.trust != "dscp", s.trust != "pcp"
		}
		for _, g := range slices.Backward(w.f.CosGroups) {
			for _, c := range g.DSCP {
				b.dscp[c.Value] = g.Cos
			}
			for _, c := range g.PCP {
				b.pcp[c.Value] = g.Cos
			}
		}
		maps.Copy(b.dscp, s.dscp)
		maps.Copy(b.pcp, s.pcp)
		flow := s.flow
		if flow == "" {
			flow = w.meant(p.Link())
		}
		mask := s.pfc
		if s.pfc == nil {
			for _, g := range w.f.CosGroups {
				if g.Lossless {
					mask = append(mask, g.Cos)
				}
			}
		}
		alone := !slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return w.meant(p.Link()) == "pfc" }) // otherwise pfc applies to others
		if strings.HasPrefix(flow, "pfc") || s.pfc != nil && flow == "pause" && (s.flow != "" || alone) {
			for _, cos := range mask {
				put(b.pfc, p.Name, cos, pfcEnd{sends: flow != "pfc-rx", obeys: flow != "pfc-tx"})
			}
		}
		b.pause[p.Name] = flow == "pause"
		if !s.noECN {
			for _, g := range w.f.CosGroups {
				put(b.marks, p.Name, g.Cos, g.ECN != nil)
				put(b.drops, p.Name, g.Cos, g.ECN != nil && d.Switch != nil && d.Switch.OS == "sonic")
			}
		}
		if p.NIC == nil {
			if w.boxes[d.Name] == nil {
				w.boxes[d.Name] = b
			}
			whole := w.boxes[d.Name]
			whole.pause[p.Name], whole.pfc[p.Name], whole.marks[p.Name] = b.pause[p.Name], b.pfc[p.Name], b.marks[p.Name]
			whole.drops[p.Name] = b.drops[p.Name]
			continue
		}
		w.boxes[d.Name+":"+p.Name] = b
	}
}

func byDSCP(in *ir.Intent) bool { return in.Version == 2 && len(in.Group.DSCP) > 0 }

// at returns the box of a port; without written files the box is empty.
func (w *walker) at(p *ir.Port) *box {
	name := p.Device().Name
	if p.NIC != nil {
		name += ":" + p.Name
	}
	if b := w.boxes[name]; b != nil {
		return b
	}
	return &box{}
}

func (w *walker) broke(soft bool, format string, args ...any) {
	f := fault{soft, fmt.Sprintf(format, args...)}
	if !w.said[f.text] {
		w.said[f.text] = true
		w.faults = append(w.faults, f)
	}
}

// everyPath calls do for every shortest allowed path between two members, as ports: the sender's, both ends of every cable.
func (w *walker) everyPath(in *ir.Intent, do func([]*ir.Port)) {
	for _, a := range in.Members {
		for _, b := range in.Members {
			if a == b || a.NIC.Device == b.NIC.Device || a.NIC.Port == nil || b.NIC.Port == nil {
				continue
			}
			w.ways(in, a.NIC.Port, b.NIC.Port, do)
		}
	}
}

// place is a device, and whether the path to it has already gone down (only for up-down).
type place struct {
	d    *ir.Device
	down bool
}

// next returns the place at the other end of a port's link, if traffic of the intent may take it.
func (w *walker) next(in *ir.Intent, from place, p *ir.Port) (place, bool) {
	to := p.Peer().Device()
	if to.Switch == nil || in.Version == 1 && p.Link().Routed {
		return place{}, false
	}
	if w.f.Routing != ir.UpDown {
		return place{d: to}, true
	}
	rise := to.Switch.Tier - from.d.Switch.Tier
	switch {
	case rise > 0 && !from.down:
		return place{to, false}, true
	case rise < 0 || rise == 0 && p.Link().Peer && !from.down:
		return place{to, true}, true
	}
	return place{}, false
}

// reach contains, for traffic from one place, the distance of every other place, and the ports of the last step on shortest paths.
type reach struct {
	far  map[place]int
	last map[place][]hop
}

// hop is a step from a place by a port.
type hop struct {
	from place
	port *ir.Port
}

// source is a switch where traffic of a RoCE version enters.
type source struct {
	d       *ir.Device
	version int
}

// reachOf returns the reach of a switch for an intent; only the intent's RoCE version matters.
func (w *walker) reachOf(in *ir.Intent, d *ir.Device) reach {
	from := source{d, in.Version}
	if r, known := w.reaches[from]; known {
		return r
	}
	r := reach{far: map[place]int{{d: d}: 0}, last: map[place][]hop{}}
	for queue := []place{{d: d}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, p := range at.d.Ports {
			to, ok := w.next(in, at, p)
			if !ok {
				continue
			}
			if _, known := r.far[to]; !known {
				r.far[to] = r.far[at] + 1
				queue = append(queue, to)
			}
			if r.far[to] == r.far[at]+1 {
				r.last[to] = append(r.last[to], hop{at, p})
			}
		}
	}
	w.reaches[from] = r
	return r
}

func (w *walker) ways(in *ir.Intent, a, b *ir.Port, do func([]*ir.Port)) {
	start, goal := place{d: a.Peer().Device()}, b.Peer().Device()
	r := w.reachOf(in, start.d)
	best := -1
	for _, down := range []bool{false, true} {
		if n, ok := r.far[place{goal, down}]; ok && (best < 0 || n < best) {
			best = n
		}
	}
	left := 64 // number of paths of a pair that are walked
	var back func(at place, rest []*ir.Port)
	back = func(at place, rest []*ir.Port) {
		if at == start && left > 0 {
			left--
			do(append([]*ir.Port{a, a.Peer()}, rest...))
		}
		for _, h := range r.last[at] {
			if left > 0 {
				back(h.from, append([]*ir.Port{h.port, h.port.Peer()}, rest...))
			}
		}
	}
	for _, down := range []bool{false, true} {
		if n, ok := r.far[place{goal, down}]; ok && n == best {
			back(place{goal, down}, []*ir.Port{b.Peer(), b})
		}
	}
}

// sent is a packet that a NIC sends, with its priority in the NIC.
type sent struct {
	packet
	prio int
	by   string
}

// sends returns the data packets that applications send by the NIC for an intent. Some applications state no DSCP, others one of the
// group.
func (w *walker) sends(in *ir.Intent, n *ir.NIC) []sent {
	b := w.at(n.Port)
	if in.Version == 1 {
		return []sent{w.marked(in, b, packet{tagged: in.VLAN > 0}, 0, "RoCEv1")}
	}
	usual := b.number("tos", 0)
	if b.byHand {
		if usual = n.TOS; usual < 0 && len(in.Group.DSCP) > 0 {
			usual = in.Group.DSCP[0].Value * 4
		}
		usual = max(usual, 0)
	}
	meant, meantOther := false, false
	for _, other := range w.f.Intents {
		member := slices.ContainsFunc(other.Members, func(m *ir.Member) bool { return m.NIC == n })
		if member && slices.ContainsFunc(other.Group.DSCP, func(c ir.Claim) bool { return c.Value == usual/4 }) {
			meant = meant || other.Group == in.Group
			meantOther = meantOther || other.Group != in.Group
		}
	}
	var out []sent
	if meant || !meantOther || !byDSCP(in) {
		out = append(out, w.marked(in, b, packet{ip: true, dscp: usual / 4, tagged: in.VLAN > 0}, usual, "the usual tos "+strconv.Itoa(usual)))
	}
	if byDSCP(in) {
		for _, c := range in.Group.DSCP {
			out = append(out, w.marked(in, b, packet{ip: true, dscp: c.Value, tagged: in.VLAN > 0}, c.Value*4, "DSCP "+strconv.Itoa(c.Value)))
		}
	}
	return out
}

func (w *walker) marked(in *ir.Intent, b *box, p packet, tos int, by string) sent {
	switch {
	case !p.tagged || byDSCP(in):
	case b.byHand:
		p.pcp = in.Group.Cos
		if claims := in.Group.PCP; len(claims) > 0 && !slices.ContainsFunc(claims, func(c ir.Claim) bool { return c.Value == p.pcp }) {
			p.pcp = claims[0].Value
		}
	default:
		p.pcp = b.tag(in.VLAN, tos)
	}
	return sent{p, b.classify("", p), by}
}

// data walks the data packets of an intent along a path.
func (w *walker) data(in *ir.Intent, way []*ir.Port) {
	marks := in.Version == 2 && in.Group.ECN != nil
	pause := w.f.FlowControl == ir.Pause
	if !in.Group.Lossless && !marks {
		return // the fabric guarantees nothing
	}
	want := in.Group.Cos
	from, to := way[0], way[len(way)-1]
	for i := 0; i < len(way) && in.Group.Lossless; i += 2 {
		w.link(in, way[i], way[i+1])
	}
	for _, p := range w.sends(in, from.NIC) {
		if p.prio != want && (!pause || marks) {
			w.broke(pause, "%s sends %s of %s in priority %d, not %d", from, p.by, in.Name, p.prio, want)
			continue
		}
		pkt := p.packet
		for i := 0; i < len(way); i += 2 {
			out, at := way[i], way[i+1]
			if out.Link().Routed {
				pkt.tagged, pkt.pcp = false, 0
			}
			b := w.at(at)
			if cos := b.classify(at.Name, pkt); cos != want && (!pause || marks) {
				w.broke(pause, "%s puts %s of %s into cos %d, not %d", at, p.by, in.Name, cos, want)
				break
			}
			if i+2 < len(way) && marks && !b.marks[way[i+2].Name][want] && !b.marksAll[want] {
				w.broke(true, "%s does not mark %s", way[i+2], in.Name)
			}
			if i+2 < len(way) && in.Group.Lossless && !w.capable(in, from) && w.drops(b, way[i+2], want) {
				w.broke(false, "%s drops %s from %s: no ECN bits", way[i+2], in.Name, from)
			}
		}
	}
	for _, p := range []*ir.Port{from, to} {
		s, stated := w.stated[p.Device().Group]
		switch b := w.at(p); {
		case stated && s.noDCQCN && marks:
			w.broke(true, "%s does not answer marks of %s", p, in.Name)
		case !stated && marks && !b.answers(want):
			w.broke(true, "%s does not answer marks of %s, as it is written", p, in.Name)
		}
		if s.firmware && in.Group.Lossless && !pause {
			w.broke(false, "%s has the PFC of its firmware for %s", p, in.Name)
		}
	}
}

// capable reports whether a NIC sets the ECN bits in packets of an intent: it does if it controls its rate.
func (w *walker) capable(in *ir.Intent, p *ir.Port) bool {
	if s, stated := w.stated[p.Device().Group]; stated {
		return in.Version == 2 && !s.noDCQCN && p.NIC.Model.Name != "soft-roce"
	}
	return in.Version == 2 && w.at(p).answers(in.Group.Cos)
}

// drops reports whether a queue drops packets that it cannot mark: by its settings, and on Trident II in every marking queue.
func (w *walker) drops(b *box, out *ir.Port, cos int) bool {
	return b.drops[out.Name][cos] || b.marks[out.Name][cos] && out.Device().Switch.Model.ASIC.Name == "trident2"
}

// meant returns the wanted flow control of a cable.
func (w *walker) meant(l *ir.Link) string {
	if l.FlowControl != "" {
		return string(l.FlowControl)
	}
	return string(w.f.FlowControl)
}

// link compares the two ends of a cable, for packets from out to at.
func (w *walker) link(in *ir.Intent, out, at *ir.Port) {
	cos := in.Group.Cos
	sender, receiver := w.at(out).end(out.Name, cos), w.at(at).end(at.Name, cos)
	switch {
	case w.meant(out.Link()) == "pause" && (!sender.pause || !receiver.pause || sender.any || receiver.any):
		w.broke(false, "%s and %s do not both do link pause: %+v, %+v", out, at, sender, receiver)
	case w.meant(out.Link()) == "pfc" && (sender.pause || receiver.pause):
		w.broke(false, "link pause beside PFC between %s and %s", out, at)
	case w.meant(out.Link()) == "pfc" && (!sender.obeys || !receiver.sends):
		w.broke(false, "%s is not paused by %s for cos %d of %s: %+v, %+v", out, at, cos, in.Name, sender, receiver)
	}
}

// notification walks a congestion notification back along a path.
func (w *walker) notification(in *ir.Intent, way []*ir.Port) {
	back := slices.Clone(way)
	slices.Reverse(back)
	from := w.at(back[0])
	pkt := packet{ip: true, dscp: from.number("cnp_dscp", 48), tagged: in.VLAN > 0, pcp: from.number("cnp_prio", 6)}
	if from.byHand {
		for _, other := range w.f.Intents { // a NIC marks all notifications the same
			if other.CNP == nil || other.Version != 2 || !slices.ContainsFunc(other.Members,
				func(m *ir.Member) bool { return m.NIC == back[0].NIC }) {
				continue
			}
			pkt.pcp = other.CNP.Cos
			if claims := other.CNP.PCP; len(claims) > 0 && !slices.ContainsFunc(claims, func(c ir.Claim) bool { return c.Value == pkt.pcp }) {
				pkt.pcp = claims[0].Value
			}
			if len(other.CNP.DSCP) > 0 {
				pkt.dscp = other.CNP.DSCP[0].Value
			}
			break
		}
	}
	judge := func(p *ir.Port, cos int) {
		lossless := slices.ContainsFunc(w.f.CosGroups, func(g *ir.CosGroup) bool { return g.Lossless && g.Cos == cos })
		if p.NIC != nil && p == back[len(back)-1] { // without PFC, ports do not wait
			lossless = lossless && w.at(p).pfc[p.Name][cos].sends
		}
		switch {
		case lossless && w.f.FlowControl != ir.Pause:
			w.broke(false, "%s puts CNPs of %s into the lossless cos %d", p, in.Name, cos)
		case in.CNP != nil && cos != in.CNP.Cos:
			w.broke(true, "%s puts CNPs of %s into cos %d", p, in.Name, cos)
		}
	}
	prio := from.number("cnp_prio", 6)
	if from.byHand {
		prio = from.classify("", pkt)
	}
	if from.byHand || from.nic["cnp_prio"] != "" || from.pfc[back[0].Name][prio].obeys {
		judge(back[0], prio)
	}
	for i := 0; i < len(back); i += 2 {
		out, at := back[i], back[i+1]
		if out.Link().Routed {
			pkt.tagged, pkt.pcp = false, 0
		}
		judge(at, w.at(at).classify(at.Name, pkt))
	}
}
