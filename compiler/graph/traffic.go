package graph

import (
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// Traffic is the traffic of one cos group on the graph: the links that are lossless for it, and who talks with whom.
type Traffic struct {
	Of            *Graph
	Group         *ir.CosGroup
	Lossless      []bool // by Link.ID: at both ends what waits can wait for pauses of the other, see ir.Port.Stops
	Conversations []*Conversation

	// Open is the part of the conversations that the routing leaves open: their traffic may go other ways as well; nil: nothing.
	Open *ir.RoutingError

	HealthyClasses func() []*Class // the classes while no host's cable is down

	// By the ID of a port on a link that is not lossless for the group: traffic that comes in there still fills a buffer whose pauses stop
	// the other end, see ir.Port.Fills.
	joined map[int32]bool
}

// NewTraffic returns the traffic of a group without conversations yet.
func NewTraffic(n *Graph, g *ir.CosGroup) *Traffic {
	f := n.Fabric
	v := &Traffic{Of: n, Group: g, Lossless: make([]bool, len(f.Links))}
	InParallel(len(f.Links), 4096, func(from, to int) {
		var last []*ir.Buffer // alike ports share their buffers
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

// joinBuffers finds ports of switches with one buffer for all lossless groups, where the ends of a link disagree: the port counts the
// group in that buffer, though its link is not lossless for the group.
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
