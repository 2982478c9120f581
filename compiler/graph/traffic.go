package graph

import (
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// Traffic is the traffic of one cos group on the graph: its lossless links and its conversations.
type Traffic struct {
	Of            *Graph
	Group         *ir.CosGroup
	Lossless      []bool // by Link.ID: at both ends, waiting traffic can wait for pauses of the other end, see ir.Port.Stops
	Conversations []*Conversation

	// Open reports conversations whose paths the routing leaves open: their traffic may use other paths as well. Nil: there are none.
	Open *ir.RoutingError

	HealthyClasses func() []*Class // the classes while all cables of hosts are up

	// By the ID of a port on a link that is not lossless for the group: traffic that comes in there still fills a buffer whose pauses stop
	// the other end, see ir.Port.Fills.
	joined map[int32]bool
}

// NewTraffic returns the traffic of a group without conversations yet.
func NewTraffic(n *Graph, g *ir.CosGroup) *Traffic {
	f := n.Fabric
	v := &Traffic{Of: n, Group: g, Lossless: make([]bool, len(f.Links))}
	InParallel(len(f.Links), 4096, func(from, to int) {
		var last []*ir.Buffer // ports with equal buffers share the slice
		var carried, paused bool
		stops := func(p *ir.Port) bool {
			if p.Device().ByHand != nil {
				return p.Stops(g)
			}
			if b, pause := p.Buffers(), p.ByPause(); len(b) == 0 || len(b) != len(last) || &b[0] != &last[0] || pause != paused {
				last, paused, carried = b, pause, p.Stops(g)
			}
			return carried
		}
		for _, l := range f.Links[from:to] {
			v.Lossless[l.ID] = stops(l.A()) && stops(l.B())
		}
	})
	v.joinBuffers()
	v.HealthyClasses = sync.OnceValue(func() []*Class { return v.Classes(nil) })
	return v
}

// joinBuffers finds ports whose link has ends that disagree, on switches with one buffer for all lossless groups: the port counts the group
// in that buffer, although the link is not lossless for the group.
func (v *Traffic) joinBuffers() {
	for _, d := range v.Of.Vertices {
		if !d.SharesBuffer() {
			continue
		}
		for _, p := range d.Ports {
			if len(p.Buffers()) > 1 && !v.Lossless[p.Link().ID] && p.Fills(v.Group) {
				if v.joined == nil {
					v.joined = map[int32]bool{}
				}
				v.joined[int32(p.ID)] = true
			}
		}
	}
}

// Fills reports whether traffic of the group that comes in by a port fills a buffer whose pauses stop the other end of the port's link.
func (v *Traffic) Fills(port, link int32) bool { return v.Lossless[link] || v.joined[port] }

// Disagree reports whether one end of the link of an arc counts the group in a buffer whose pauses stop the other end. The link itself is
// not lossless for the group.
func (v *Traffic) Disagree(a *Arc) bool { return v.joined[a.In] || v.joined[a.Out] }
