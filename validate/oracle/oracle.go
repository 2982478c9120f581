// Package oracle judges PFC loops a second time, for tests, by [Brute] force. It enumerates paths and failures one by one, and simulates
// traffic until buffers really lock each other. It shares no code with the router and the proof, and its algorithms are the simplest that
// work.
package oracle

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Buffer is a lossless ingress buffer. Where a port counts all lossless groups in one, Group is nil.
type Buffer struct {
	In    *ir.Port
	Group *ir.CosGroup
}

// means returns the flow control that is configured for a port: that of its cable, or that of the fabric.
func means(p *ir.Port) ir.FlowControl {
	if own := p.Link().FlowControl; own != "" {
		return own
	}
	return p.Device().Fabric.FlowControl
}

// BufferOf returns the buffer that counts traffic of g when it comes in by p. A port has one buffer for all groups if its cable uses link
// pause or if the switch keeps one buffer for them.
func BufferOf(p *ir.Port, g *ir.CosGroup) Buffer {
	d := p.Device()
	shared := means(p) == ir.Pause
	if d.Switch != nil {
		shared = shared || d.Switch.Can.Shared
	}
	if shared {
		g = nil
	}
	return Buffer{p, g}
}

// Lossless reports whether the fabric makes g lossless at both ends of the cable.
func Lossless(l *ir.Link, g *ir.CosGroup) bool {
	at := func(p *ir.Port) bool {
		return slices.ContainsFunc(p.Buffers(), func(b *ir.Buffer) bool {
			return b.Group == g || means(p) == ir.Pause
		})
	}
	return at(l.A()) && at(l.B())
}

// charged reports whether a port counts incoming traffic of g in a lossless buffer.
func charged(in *ir.Port, g *ir.CosGroup) bool {
	return means(in) == ir.Pause || slices.ContainsFunc(in.Buffers(), func(b *ir.Buffer) bool { return b.Group == g })
}

// Holds reports whether a full buffer behind the cable can hold back traffic of g that leaves by out. For that, the receiving end must
// send pauses and the sending end must obey them, as by_hand blocks state.
func Holds(out *ir.Port, g *ir.CosGroup) bool {
	if !Lossless(out.Link(), g) {
		return false
	}
	does := func(p *ir.Port, lacking ir.FlowControl) bool {
		h := p.Device().ByHand
		if h == nil {
			return true
		}
		kind := means(p)
		if h.FlowControl != "" {
			kind = h.FlowControl
		}
		switch kind {
		case ir.Pause:
			return true
		case ir.NoFlowControl, lacking:
			return false
		}
		if means(p) == ir.Pause { // if one group stops, all stop
			return h.PFC == nil || slices.ContainsFunc(p.Buffers(), func(b *ir.Buffer) bool { return lists(h.PFC, b.Group) })
		}
		return h.PFC == nil || lists(h.PFC, g)
	}
	return does(out.Peer(), ir.PFCRx) && does(out, ir.PFCTx)
}

func lists(claims []ir.Claim, g *ir.CosGroup) bool {
	return slices.ContainsFunc(claims, func(c ir.Claim) bool { return c.Value == g.Cos })
}

// Fills reports whether traffic in g that comes in by the port fills a buffer that pauses the other end. A buffer that counts g with other
// groups pauses for any of them.
func Fills(in *ir.Port, g *ir.CosGroup) bool {
	if Holds(in.Peer(), g) {
		return true
	}
	return charged(in, g) && BufferOf(in, g).Group == nil && slices.ContainsFunc(in.Buffers(), func(b *ir.Buffer) bool {
		return Holds(in.Peer(), b.Group)
	})
}

// forwards reports whether the device forwards what it receives.
func forwards(d *ir.Device) bool { return d.Switch != nil || d.Host.Forwards }

// between reports whether the cable joins two devices that forward.
func between(l *ir.Link) bool { return forwards(l.A().Device()) && forwards(l.B().Device()) }

// Graph is the buffer dependency graph: for each buffer, the buffers that it can only drain into.
type Graph map[Buffer]map[Buffer]bool

// join adds the edge for traffic that comes in by in with group and leaves by out with next. There is an edge only if the traffic fills a
// buffer that holds back the sender, if it waits for the next buffer, and if both cables join devices that forward.
func (g Graph) join(in *ir.Port, group *ir.CosGroup, out *ir.Port, next *ir.CosGroup) {
	if !between(in.Link()) || !between(out.Link()) || !Fills(in, group) || !Holds(out, next) {
		return
	}
	from, to := BufferOf(in, group), BufferOf(out.Peer(), next)
	if g[from] == nil {
		g[from] = map[Buffer]bool{}
	}
	g[from][to] = true
}

// GraphOfFlows returns the graph of the given flows.
func GraphOfFlows(flows []*ir.Flow) Graph {
	g := Graph{}
	for _, f := range flows {
		for i := 1; i+1 < len(f.Ports); i += 2 {
			g.join(f.Ports[i], f.Groups[i/2], f.Ports[i+1], f.Groups[i/2+1])
		}
	}
	return g
}

// GraphOfTurns returns the graph of a router's turns.
func GraphOfTurns(f *ir.Fabric, all ...*ir.Turns) Graph {
	g := Graph{}
	for _, t := range all {
		for _, in := range f.Ports {
			for _, out := range in.Device().Ports {
				if t.Has(in, out) {
					g.join(in, t.Group, out, t.Group)
				}
				if t.Bounced != nil && (&ir.Turns{Rows: t.Bounced}).Has(in, out) {
					g.join(in, t.Group, out, t.Group.Bounce)
				}
			}
		}
	}
	return g
}

// Size returns the number of buffers with an edge, and the number of edges.
func (g Graph) Size() (nodes, edges int) {
	node := map[Buffer]bool{}
	for from, next := range g {
		node[from] = true
		for to := range next {
			node[to] = true
			edges++
		}
	}
	return len(node), edges
}

// Cyclic reports whether buffers wait for each other in a circle (depth-first search with colours).
func (g Graph) Cyclic() bool {
	const open, done = 1, 2
	colour := map[Buffer]int{}
	var visit func(Buffer) bool
	visit = func(b Buffer) bool {
		colour[b] = open
		for next := range g[b] {
			if colour[next] == open || colour[next] == 0 && visit(next) {
				return true
			}
		}
		colour[b] = done
		return false
	}
	for b := range g {
		if colour[b] == 0 && visit(b) {
			return true
		}
	}
	return false
}

// Shortest returns the length of the shortest circle, by BFS from every buffer; 0 without a circle.
func (g Graph) Shortest() int {
	best := 0
	for start := range g {
		far := map[Buffer]int{start: 0}
		for queue := []Buffer{start}; len(queue) > 0; queue = queue[1:] {
			b := queue[0]
			for next := range g[b] {
				if next == start && (best == 0 || far[b]+1 < best) {
					best = far[b] + 1
				}
				if _, seen := far[next]; !seen {
					far[next] = far[b] + 1
					queue = append(queue, next)
				}
			}
		}
	}
	return best
}

// WithoutTurningBack returns the graph without the edges of traffic that returns to the device it came from.
func (g Graph) WithoutTurningBack() Graph {
	out := Graph{}
	for from, next := range g {
		for to := range next {
			if to.In.Device() != from.In.Peer().Device() {
				if out[from] == nil {
					out[from] = map[Buffer]bool{}
				}
				out[from][to] = true
			}
		}
	}
	return out
}
