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

	HealthyClasses func() []*Class // the classes while no host's cable is down
}

// NewTraffic returns the traffic of a group in which nobody talks yet.
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
	v.HealthyClasses = sync.OnceValue(func() []*Class { return v.Classes(nil) })
	return v
}
