package validate

import (
	"errors"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// fabric completes a fabric and gives it a router of its own, which enumerates paths: the proof is tested apart from
// the compiler.
func fabric(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	f.Routes = enumerator{c}
	return f
}

// enumerator is a router that lists every path of every pair of members.
type enumerator struct{ *irtest.Cabling }

func (c enumerator) Changed(g *ir.CosGroup, s ir.State) (*ir.Turns, error) { return c.Turns(g, s) }

// Cuts takes every set of links for one that matters.
func (c enumerator) Cuts(_ []*ir.CosGroup, down []*ir.Link, most int, _ *ir.Budget) ([]ir.Cut, error) {
	var links []*ir.Link
	for _, l := range c.F.Links {
		if l.A.Device.Switch != nil && l.B.Device.Switch != nil && !slices.Contains(down, l) {
			links = append(links, l)
		}
	}
	var out []ir.Cut
	for k := 1; k <= min(most, len(links)); k++ {
		for set := range combinations(links, k) {
			out = append(out, ir.Cut{Links: slices.Clone(set), Alike: 1})
		}
	}
	return out, nil
}

func (c enumerator) Turns(g *ir.CosGroup, s ir.State) (*ir.Turns, error) {
	down := s.Down
	t := &ir.Turns{Group: g, Rows: make([][]uint64, len(c.F.Ports))}
	made := map[ir.Turn][]*ir.Port{}
	t.Witness = func(turns []ir.Turn) []*ir.Flow {
		flows := make([]*ir.Flow, len(turns))
		for i, turn := range turns {
			if ports := made[turn]; ports != nil {
				flows[i] = &ir.Flow{Ports: ports, Groups: slices.Repeat([]*ir.CosGroup{g}, len(ports)/2)}
			}
		}
		return flows
	}
	if c.F.Routing == ir.AnyPath {
		for _, p := range c.F.Ports {
			for _, q := range p.Device.Ports {
				if p.Peer().Device.Switch != nil && q.Peer().Device.Switch != nil && p.Peer().Device != q.Peer().Device {
					t.Add(p, q)
				}
			}
		}
		return t, nil
	}
	if c.F.Routing != ir.ShortestPath && c.F.Routing != ir.UpDown {
		return nil, errors.New("its paths are not followed")
	}
	for _, a := range c.F.Intents[0].Members {
		for _, b := range c.F.Intents[0].Members {
			src, dst := a.NIC.Port, b.NIC.Port
			if src == dst || slices.Contains(down, src.Link) || slices.Contains(down, dst.Link) {
				continue
			}
			for _, path := range c.paths(src, dst, down) {
				for i := 1; i+2 < len(path); i += 2 {
					in, out := path[i], path[i+1]
					if in.Peer().Device.Host == nil && out.Peer().Device.Host == nil {
						t.Add(in, out)
						if made[ir.Turn{In: in, Out: out}] == nil {
							made[ir.Turn{In: in, Out: out}] = path
						}
					}
				}
			}
		}
	}
	return t, nil
}

func (c enumerator) paths(src, dst *ir.Port, down []*ir.Link) [][]*ir.Port {
	end := dst.Peer().Device
	dist := map[*ir.Device]int{end: 0}
	for queue := []*ir.Device{end}; len(queue) > 0; queue = queue[1:] {
		for _, p := range queue[0].Ports {
			n := p.Peer().Device
			if _, known := dist[n]; !known && n.Switch != nil && !slices.Contains(down, p.Link) {
				dist[n] = dist[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
	var all [][]*ir.Port
	var walk func(path []*ir.Port, falling bool)
	walk = func(path []*ir.Port, falling bool) {
		at := path[len(path)-1].Device
		if at == end {
			all = append(all, append(slices.Clone(path), dst.Peer(), dst))
			return
		}
		for _, p := range at.Ports {
			n := p.Peer().Device
			if n.Switch == nil || slices.Contains(down, p.Link) {
				continue
			}
			falls := falling || n.Switch.Tier <= at.Switch.Tier
			if c.F.Routing == ir.ShortestPath && dist[n] != dist[at]-1 ||
				c.F.Routing == ir.UpDown && (falling && n.Switch.Tier >= at.Switch.Tier || n == path[len(path)-1].Peer().Device) {
				continue
			}
			walk(append(slices.Clone(path), p, p.Peer()), falls)
		}
	}
	walk([]*ir.Port{src, src.Peer()}, false)
	return all
}
