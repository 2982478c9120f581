package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// Tied is the result of the brute force over every choice of eBGP routers between equal routes.
type Tied struct {
	Prone  bool
	Circle int // the length of the shortest circle over all choices
	States int // combinations of routes that were tried
}

// EveryTie tries all combinations of choices between equal routes; each member is a separate route. ok is false if there are more than
// most combinations, or more than most choices for one member.
func EveryTie(f *ir.Fabric, down []*ir.Link, most int) (out Tied, ok bool) {
	b := &Brute{Fabric: f, Down: down}
	var graphs [][]Graph // by receiver: the graph of its traffic for each choice
	seen := map[*ir.Port]bool{}
	for _, to := range receivers(f) {
		if seen[to[0]] {
			continue
		}
		seen[to[0]] = true
		last := map[*ir.Device][]*ir.Port{}
		for _, p := range to {
			if d := place(p, down); d != nil {
				last[d] = append(last[d], p)
			}
		}
		ways, few := b.vectors(last, most)
		if !few {
			return out, false
		}
		var own []Graph
		known := map[string]bool{}
		for _, hops := range ways {
			b.hops = hops
			g := b.graphTo(to)
			if key := g.text(); !known[key] {
				known[key] = true
				own = append(own, g)
			}
		}
		graphs = append(graphs, own)
	}
	slices.SortFunc(graphs, func(a, b []Graph) int { return len(a) - len(b) })
	ok = true
	var combine func(i int, whole Graph)
	combine = func(i int, whole Graph) {
		if !ok {
			return
		}
		if i == len(graphs) {
			if out.States++; out.States > most {
				ok = false
				return
			}
			if n := whole.Shortest(); n > 0 && (!out.Prone || n < out.Circle) {
				out.Prone, out.Circle = true, n
			}
			return
		}
		for _, g := range graphs[i] {
			combine(i+1, whole.with(g))
		}
	}
	combine(0, Graph{})
	return out, ok
}

// receivers returns the members of all talks of lossless groups.
func receivers(f *ir.Fabric) []member {
	var out []member
	for _, g := range f.CosGroups {
		if g.Lossless {
			for _, t := range talks(f, g) {
				out = append(out, t.members...)
			}
		}
	}
	return out
}

// graphTo returns the graph of all traffic to one member.
func (b *Brute) graphTo(to member) Graph {
	out := Graph{}
	for _, g := range b.Fabric.CosGroups {
		if !g.Lossless {
			continue
		}
		for _, t := range talks(b.Fabric, g) {
			for i, m := range t.members {
				if m[0] == to[0] {
					out = out.with(GraphOfFlows(b.flowsTo(g, t, i)))
				}
			}
		}
	}
	return out
}

// with returns the union of two graphs.
func (g Graph) with(other Graph) Graph {
	out := Graph{}
	for _, of := range []Graph{g, other} {
		for from, next := range of {
			if out[from] == nil {
				out[from] = map[Buffer]bool{}
			}
			maps.Copy(out[from], next)
		}
	}
	return out
}

// text returns the edges as text, in order.
func (g Graph) text() string {
	var edges []string
	for from, next := range g {
		for to := range next {
			bounces := func(g *ir.CosGroup) bool { return g != nil && g.Bounce != nil }
			edges = append(edges, fmt.Sprintf("%v %v %v %v", from.In.ID, bounces(from.Group), to.In.ID, bounces(to.Group)))
		}
	}
	slices.Sort(edges)
	return strings.Join(edges, "\n")
}

// vectors returns the egress ports of devices for a receiver, once for every choice of advertised routes; see [Brute.vector].
func (b *Brute) vectors(last map[*ir.Device][]*ir.Port, most int) (out []map[*ir.Device][]*ir.Port, few bool) {
	known := map[string]bool{}
	few = true
	steps := 0
	var spread func(passed map[*ir.Device][]int, hops map[*ir.Device][]*ir.Port)
	spread = func(passed map[*ir.Device][]int, hops map[*ir.Device][]*ir.Port) {
		if steps++; steps > 20*most || len(out) > most {
			few = false
			return
		}
		var devices []*ir.Device // that learn a route to the receiver for the first time
		var paths [][][]int      // by device: the paths that it may advertise
		now := maps.Clone(hops)
		for _, d := range b.Fabric.Devices {
			if !forwards(d) || passed[d] != nil {
				continue
			}
			var own [][]int
			for _, port := range d.Ports {
				route := passed[port.Peer().Device()]
				if !b.open(talk{}, port) || !routes(port.Link()) || route == nil || slices.Contains(route, asn(d)) {
					continue
				}
				now[d] = append(now[d], port)
				if path := append([]int{asn(d)}, route...); !slices.ContainsFunc(own, func(p []int) bool { return slices.Equal(p, path) }) {
					own = append(own, path)
				}
			}
			if own != nil {
				devices, paths = append(devices, d), append(paths, own)
			}
		}
		if devices == nil {
			var b strings.Builder
			for _, d := range slices.SortedFunc(maps.Keys(hops), func(a, b *ir.Device) int { return a.ID - b.ID }) {
				fmt.Fprint(&b, d.ID)
				for _, p := range hops[d] {
					fmt.Fprint(&b, " ", p.Index)
				}
				b.WriteByte('\n')
			}
			if !known[b.String()] {
				known[b.String()] = true
				out = append(out, hops)
			}
			return
		}
		var choose func(i int, passed map[*ir.Device][]int)
		choose = func(i int, passed map[*ir.Device][]int) {
			if i == len(devices) {
				spread(passed, now)
				return
			}
			for _, path := range paths[i] {
				next := maps.Clone(passed)
				next[devices[i]] = path
				choose(i+1, next)
			}
		}
		choose(0, passed)
	}
	start := map[*ir.Device][]int{}
	for d := range last {
		start[d] = []int{asn(d)}
	}
	spread(start, map[*ir.Device][]*ir.Port{})
	return out, few
}
