package walk

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// follow fills in the hops of a walk.
func (w *Walk) follow(q Question) error {
	domains := DomainsOf(q.Fabric)
	bridged := Bridged(q.Fabric, q.Intent, w.From[0].NIC, w.To[0].NIC, domains)
	ways, err := q.Fabric.Routes.Ways(ir.Trip{Group: w.Group, Bridged: bridged, From: w.From, To: w.To}, q.State)
	if err != nil {
		return err
	}
	w.Every, w.Mixed, w.Cables = ways.Every, ways.Mixed, ways.Stops[0].Left
	w.Ways, w.Most = count(ways)
	f := &follower{
		Walk: w, Fabric: q.Fabric, Intent: q.Intent, domains: domains, down: q.State.Down, ways: ways, circle: circle(ways), set: q.Settings,
	}
	w.Hops = fold(f.hops(), q.Unfold)
	return nil
}

// count returns the number of paths to the receiver, and the length of the longest; 0 if some paths run in a circle.
func count(ways *ir.Ways) (n uint64, most int) {
	stops := ways.Stops
	waiting := make([]int, len(stops)) // uncounted legs that lead to the stop
	open := 0
	for i := range stops {
		if stops[i].Left < 0 {
			continue
		}
		open++
		for _, l := range stops[i].Next {
			waiting[l.Stop]++
		}
	}
	if stops[0].Left < 0 || waiting[0] > 0 {
		return 0, 0
	}
	come, far := make([]uint64, len(stops)), make([]int, len(stops))
	come[0] = 1
	add := func(to *uint64, n uint64) {
		sum, carry := bits.Add64(*to, n, 0)
		if *to = sum; carry > 0 {
			*to = MaxWays
		}
	}
	for ready := []int{0}; len(ready) > 0; open-- {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if stops[i].Left == 0 {
			add(&n, come[i])
			most = max(most, far[i])
		}
		for _, l := range stops[i].Next {
			if stops[l.Stop].Left < 0 {
				continue
			}
			add(&come[l.Stop], come[i])
			far[l.Stop] = max(far[l.Stop], far[i]+1)
			if waiting[l.Stop]--; waiting[l.Stop] == 0 {
				ready = append(ready, l.Stop)
			}
		}
	}
	if open > 0 {
		return 0, 0 // the remaining stops are in a circle
	}
	return n, most
}

// circle returns the first stop from which traffic can run in a circle; -1 without a circle.
func circle(ways *ir.Ways) int {
	n := len(ways.Stops)
	before, in, out := make([][]int, n), make([]int, n), make([]int, n)
	for i, s := range ways.Stops {
		out[i] = len(s.Next)
		for _, l := range s.Next {
			before[l.Stop] = append(before[l.Stop], i)
			in[l.Stop]++
		}
	}
	gone := make([]bool, n)
	var todo []int
	for i := range gone {
		todo = append(todo, i)
	}
	for len(todo) > 0 { // a stop without incoming or without outgoing legs is in no circle
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if gone[i] || in[i] > 0 && out[i] > 0 {
			continue
		}
		gone[i] = true
		for _, l := range ways.Stops[i].Next {
			in[l.Stop]--
			todo = append(todo, l.Stop)
		}
		for _, j := range before[i] {
			out[j]--
			todo = append(todo, j)
		}
	}
	return slices.Index(gone, false)
}

// follower builds the hops of a walk.
type follower struct {
	*Walk
	Fabric  *ir.Fabric
	Intent  *ir.Intent
	domains Domains
	down    []*ir.Link
	ways    *ir.Ways
	circle  int
	set     *Settings
}

// place identifies a hop of one device: its stops share these facts.
type place struct {
	far    int
	device *ir.Device
	packet ir.Packet
	group  *ir.CosGroup
}

// crossing has the ports that packets use at a place.
type crossing struct {
	place
	ins  []*ir.Port
	outs []ir.Leg // without Stop
	drop bool     // some stop here has no next hop
	ends bool     // the receiver
	turn bool     // from here traffic can run in a circle
}

// port returns a port by which packets come in; at the sender, one by which they leave.
func (c *crossing) port(f *follower) *ir.Port {
	if len(c.ins) > 0 {
		return c.ins[0]
	}
	return f.From[0]
}

// hops returns a hop for every device, distance, packet and group.
func (f *follower) hops() []*Hop {
	type visit struct {
		stop   int
		packet ir.Packet
	}
	known := map[place]*crossing{}
	var all []*crossing
	queue := []visit{{0, f.Packet}}
	met := map[visit]bool{queue[0]: true}
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		s := f.ways.Stops[v.stop]
		at := place{s.Far, s.Device, v.packet, s.Group}
		p := known[at]
		if p == nil {
			p = &crossing{place: at}
			known[at] = p
			all = append(all, p)
		}
		if s.In != nil {
			p.ins = append(p.ins, s.In)
		}
		p.ends = p.ends || s.Left == 0
		p.drop = p.drop || len(s.Next) == 0 && s.Left != 0
		p.turn = p.turn || v.stop == f.circle
		for _, l := range s.Next {
			p.outs = append(p.outs, ir.Leg{Out: l.Out, Group: l.Group})
			next := visit{l.Stop, after(v.packet, l.Group != s.Group, l)}
			if !met[next] {
				met[next] = true
				queue = append(queue, next)
			}
		}
	}
	ends := func(p *crossing) int {
		if p.ends {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b *crossing) int {
		return cmp.Or(ends(a)-ends(b), cmp.Compare(a.far, b.far), cmp.Compare(a.device.ID, b.device.ID))
	})
	var hops []*Hop
	for _, p := range all {
		hops = append(hops, f.hop(p))
	}
	return hops
}

// after returns the packet at the other end of a leg; anew: it gets the marks of another group.
func after(p ir.Packet, anew bool, l ir.Leg) ir.Packet {
	if anew && l.Group != nil {
		if len(l.Group.DSCP) > 0 && p.IP {
			p.DSCP = l.Group.DSCP[0].Value
		}
		if p.Tagged {
			p.PCP = l.Group.Cos
		}
	}
	if l.Out.Link().Routed {
		p.Tagged, p.PCP = false, 0
	}
	return p
}

// hop judges what packets do at one device.
func (f *follower) hop(p *crossing) *Hop {
	h := &Hop{Far: p.far, Devices: []*ir.Device{p.device}, Packet: p.packet, Group: p.group}
	port := p.port(f)
	sorted := false
	h.Trust, h.Sort, sorted = f.set.sort(port, p.packet)
	h.Read, h.Unsorted = f.set.WasRead(port), !sorted
	ins := lanes(p.ins, func(in *ir.Port) *Lane { return f.in(in, p.group) })
	for _, l := range ins {
		f.judgeIn(l)
	}
	h.In = ins
	f.judge(h, p)
	seen := map[ir.Leg]bool{}
	var outs []*ir.Port
	group := map[*ir.Port][]*ir.CosGroup{}
	for _, l := range p.outs {
		if !seen[l] {
			seen[l] = true
			outs = append(outs, l.Out)
			group[l.Out] = append(group[l.Out], l.Group)
		}
	}
	for len(outs) > 0 { // a port by which packets leave in two groups has two lanes
		var again []*ir.Port
		now := map[*ir.Port]*ir.CosGroup{}
		outs = slices.DeleteFunc(outs, func(out *ir.Port) bool {
			if _, twice := now[out]; twice {
				again = append(again, out)
				return true
			}
			now[out], group[out] = group[out][0], group[out][1:]
			return false
		})
		h.Out = append(h.Out, lanes(outs, func(out *ir.Port) *Lane { return f.out(out, now[out]) })...)
		outs = again
	}
	for _, l := range h.Out {
		f.judgeOut(l)
	}
	if h.Sort.Group != h.Group { // the judgements used the wanted group; the lanes show the actual one
		for _, l := range h.In {
			l.side = misplaced(l.side, f.in(l.Ports[0], h.Sort.Group).side)
		}
		for _, l := range h.Out {
			meant := l.side
			if l.side = misplaced(meant, f.out(l.Ports[0], h.Sort.Group).side); l.Group != h.Group {
				l.Queue, l.Strict = meant.Queue, meant.Strict // of the group in which it goes up again
			}
		}
	}
	return h
}

// misplaced returns the settings of a lane for packets that a device put into a wrong group.
func misplaced(meant, real side) side {
	real.group = meant.group
	return real
}

// lanes groups ports into lanes, one for all equal ports, in the order of the first ones.
func lanes(ports []*ir.Port, lane func(*ir.Port) *Lane) []*Lane {
	ports = slices.Clone(ports)
	slices.SortFunc(ports, byID)
	known := map[side]*Lane{}
	var out []*Lane
	for _, p := range slices.Compact(ports) {
		l := lane(p)
		if same := known[l.side]; same != nil {
			same.Ports = append(same.Ports, p)
			continue
		}
		l.Ports = []*ir.Port{p}
		known[l.side] = l
		out = append(out, l)
	}
	return out
}

func byID(a, b *ir.Port) int {
	return cmp.Or(cmp.Compare(a.Device().ID, b.Device().ID), cmp.Compare(a.Index, b.Index))
}

// common returns the values that ingress and egress lanes have in common.
func (f *follower) common(p *ir.Port, g *ir.CosGroup) side {
	link, own := p.Link(), f.set.Of(p)
	s := side{
		group: g, Speed: link.Speed.N, Metres: link.Length.Metres, MTU: p.MTU(), Planned: link.Planned, Read: f.set.WasRead(p),
		odd: own.LinkPause != f.set.Of(p.Peer()).LinkPause && own.LinkPause != p.ByPause(),
	}
	if mtu := own.Detail.Get().MTU; mtu.Known() {
		s.MTU = mtu.Value
	}
	return s
}

// unable reports whether a port is that of a NIC without PFC.
func unable(p *ir.Port) bool { return p.NIC != nil && NoPFC(p.NIC) }

// in returns the lane of a port by which packets of a group come in.
func (f *follower) in(p *ir.Port, g *ir.CosGroup) *Lane {
	s := f.common(p, g)
	if b := buffer(p, g); b != nil {
		s.Buffered = true
		sends, _, known := f.set.Pauses(p)
		s.Pauses, s.Unknown = sends>>b.Group.Cos&1 == 1 && !s.odd && !unable(p), !known
		r, sized := f.set.Room(p, b)
		s.Kept = r.Headroom
		if s.Need, s.Floor = r.Need, r.Floor; sized {
			s.Sized, s.Size, s.Xoff, s.Pool = true, r.Size, r.Xoff, p.Device().Switch.HeadroomPool.N
		}
	}
	return &Lane{Group: g, side: s}
}

// buffer returns the buffer that makes packets of a group lossless at a port. Under link pause it is the same for all groups.
func buffer(p *ir.Port, g *ir.CosGroup) *ir.Buffer {
	if p.ByPause() && len(p.Buffers()) > 0 {
		return p.Buffers()[0]
	}
	if g == nil {
		return nil
	}
	return p.Carries(g)
}

// out returns the lane of a port by which packets leave in a group.
func (f *follower) out(p *ir.Port, g *ir.CosGroup) *Lane {
	s := f.common(p, g)
	if g == nil {
		return &Lane{side: s}
	}
	if b := buffer(p, g); b != nil {
		_, obeys, known := f.set.Pauses(p)
		s.Pauses, s.Unknown = obeys>>b.Group.Cos&1 == 1 && !s.odd && !unable(p), !known
	}
	m, marks := f.set.Marking(p, g)
	s.Marks, s.Min, s.Max, s.Probability = marks, m.Min, m.Max, m.Probability
	if d := f.set.Of(p).Detail.Get(); p.NIC == nil && d.Queue[g.Cos] >= 0 {
		s.Queue = ir.Of(d.Queue[g.Cos])
		s.Strict = d.Queues[s.Queue.Value].Strict
		if s.Read {
			s.Share = d.Queues[s.Queue.Value].Share
		}
	}
	return &Lane{Group: g, side: s}
}

// groupName returns the reference to a device's group in the language: switch.leaf, host.gpu.
func groupName(d *ir.Device) string {
	if d.Switch != nil {
		return "switch." + d.Group
	}
	return "host." + d.Group
}

// fold merges hops that are alike; with unfold each device keeps its own hop.
func fold(hops []*Hop, unfold bool) []*Hop {
	known := map[string]*Hop{}
	var out []*Hop
	for _, h := range hops {
		k := h.key()
		same := known[k]
		if same == nil || unfold {
			known[k] = h
			out = append(out, h)
			continue
		}
		same.Devices = append(same.Devices, h.Devices...)
		for i, l := range h.In {
			same.In[i].Ports = append(same.In[i].Ports, l.Ports...)
		}
		for i, l := range h.Out {
			same.Out[i].Ports = append(same.Out[i].Ports, l.Ports...)
		}
	}
	return out
}

// key returns equal texts for hops that are alike.
func (h *Hop) key() string {
	var b strings.Builder
	d := h.Devices[0]
	sorted, meant := "", ""
	if h.Sort.Group != nil {
		sorted = h.Sort.Group.Name
	}
	if h.Group != nil {
		meant = h.Group.Name
	}
	fmt.Fprintf(&b, "%d %s %v %q %v %d %q %q %v %t", h.Far, groupName(d), h.Packet, meant, h.Trust, h.Sort.Cos, sorted, h.Sort.By, h.Sort.At,
		h.Unsorted)
	for _, set := range [][]*Lane{h.In, h.Out} {
		b.WriteString(" |")
		for _, l := range set {
			fmt.Fprintf(&b, " %d %v%s", len(l.Ports), l.side, kinds(l.Findings))
		}
	}
	return b.String() + kinds(h.Findings)
}

// kinds identifies findings by their code, place and effect, not by their device.
func kinds(findings []*Finding) string {
	var b strings.Builder
	for _, x := range findings {
		fmt.Fprintf(&b, " %s %v %t", x.Code, x.At, x.Breaks)
	}
	return b.String()
}
