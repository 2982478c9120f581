package failures

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/rocec/rocec/compiler/graph"
	"github.com/rocec/rocec/compiler/ir"
)

// An orbit contains the link sets that differ only by names.
//
// Two vertices are twins, as graph theory calls them, if swapping them is an automorphism of the state. They have the same neighbours over
// links of the same kinds, the same tier and the same conversations. True twins are neighbours of each other, false twins are not. Parallel
// links of a kind are twins, too. The swaps generate a group. A fact about a set of links holds for its whole orbit. Two sets have the same
// form exactly if they are in the same orbit. The form describes the links of a set as a small graph. Vertices without twins appear by
// name, all others only by their class of twins.

// Orbits contains, by vertex, the other vertices that it can be swapped with.
type Orbits struct {
	s      *State
	lowest []int32 // the lowest of its twins, or the vertex itself
	next   []int32 // the next twin, or -1
	count  []int32 // at the lowest twin: the number of twins
}

// NewOrbits finds the twins of a state. asn: twins must have the same AS number, because it affects routing.
func NewOrbits(w *State, asn bool) *Orbits {
	n := w.size()
	t := &Orbits{s: w, lowest: make([]int32, n), next: make([]int32, n), count: make([]int32, n)}
	self := w.selves(asn)
	all := make([]uint64, n) // a sum over the links of the vertex, which does not depend on their order
	for v := range int32(n) {
		t.lowest[v], t.next[v], t.count[v] = v, -1, 1
		all[v] = mix(uint64(self[v]), 0)
		w.each(v, func(to, link int32) { all[v] += mix(uint64(to), uint64(w.kind[link])) })
	}
	last := make([]int32, n)
	for v := range last {
		last[v] = int32(v)
	}
	join := func(low, v int32) {
		t.lowest[v] = low
		t.next[last[low]] = v
		last[low] = v
		t.count[low]++
	}
	// Twins that are not neighbours.
	alike := make(map[uint64][]int32, n)
	for v := range int32(n) {
		i := slices.IndexFunc(alike[all[v]], func(u int32) bool { return self[u] == self[v] && w.swaps(u, v) })
		if i < 0 {
			alike[all[v]] = append(alike[all[v]], v)
		} else {
			join(alike[all[v]][i], v)
		}
	}
	// Twins that are neighbours: links between twins are ignored.
	for v := range int32(w.devices) {
		to, link := w.subs[wholeGraph].At(v)
		for i := 0; i < len(to) && to[i] < v; {
			u := to[i]
			mine, theirs := all[v], all[u]
			for ; i < len(to) && to[i] == u; i++ {
				k := uint64(w.kind[link[i]])
				mine -= mix(uint64(u), k)
				theirs -= mix(uint64(v), k)
			}
			if self[u] == self[v] && mine == theirs && t.lowest[v] == v && t.lowest[u] == u && w.swaps(u, v) {
				join(u, v)
				break
			}
		}
	}
	return t
}

func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b*0xd1b54a32d192ed03 + 0x2545f4914f6cdd1d
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>29
}

// selves numbers, by vertex, the properties of a vertex other than its links.
func (w *State) selves(asn bool) []int32 {
	out := make([]int32, w.size())
	known := map[string]int32{}
	var key []byte
	for v := range int32(len(out)) {
		key = key[:0]
		if v >= int32(w.devices) {
			key = append(key, 'm')
			for _, t := range w.conversationsOf[v-int32(w.devices)] {
				key = binary.AppendVarint(key, int64(t))
			}
		} else {
			d := w.Vertices[v]
			key = append(key, 'h')
			if s := d.Switch; s != nil {
				key[0] = 's'
				if s.Can.Shared {
					key[0] = 'S'
				}
				if asn {
					key = binary.AppendVarint(key, int64(s.ASN))
				}
			}
			key = binary.AppendVarint(key, int64(d.Height()))
			if w.marked[v] {
				key = binary.AppendVarint(append(key, 'o'), int64(v))
			}
			for i := range w.conversations { // links already tell apart members that are attached to several devices
				key = append(key, byte(min(w.conversations[i].single[v], 1)))
			}
		}
		id, ok := known[string(key)]
		if !ok {
			id = int32(len(known))
			known[string(key)] = id
		}
		out[v] = id
	}
	return out
}

// each calls hop with every link of v.
func (w *State) each(v int32, hop func(to, link int32)) {
	if v < int32(w.devices) {
		to, link := w.subs[wholeGraph].At(v)
		for i := range to {
			hop(to[i], link[i])
		}
	}
	to, link := w.attached.At(v)
	for i := range to {
		hop(to[i], link[i])
	}
}

// swaps reports whether u and v have the same links to all other vertices.
func (w *State) swaps(u, v int32) bool {
	if (u < int32(w.devices)) != (v < int32(w.devices)) {
		return false
	}
	return (u >= int32(w.devices) || swaps(&w.subs[wholeGraph], u, v, w.kind)) && swaps(&w.attached, u, v, w.kind)
}

// swaps reports whether u and v have the same links to all other vertices in one CSR.
func swaps(f *graph.CSR, u, v int32, kind []int32) bool {
	a, la := f.At(u)
	b, lb := f.At(v)
	if len(a) != len(b) {
		return false
	}
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		for i < len(a) && a[i] == v {
			i++
		}
		for j < len(b) && b[j] == u {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] || kind[la[i]] != kind[lb[j]] {
			return false
		}
	}
}

// Form returns a text that is equal for two link sets exactly if they are in the same orbit.
func (t *Orbits) Form(set []int32) string {
	p := t.pattern(set)
	form, _ := p.canon(p.unnamed(), nil)
	out := make([]byte, 0, 4*len(form))
	for _, x := range append(form, p.rest()...) {
		out = binary.AppendVarint(out, int64(x))
	}
	return string(out)
}

// Size returns the number of sets in the orbit of set.
func (t *Orbits) Size(set []int32) int {
	p := t.pattern(set)
	free := p.unnamed()
	_, same := p.canon(free, nil)
	out := big.NewInt(1)
	used := map[int32]int64{}
	for _, i := range free { // the number of ways in which twins can take the roles of the vertices
		low := t.lowest[p.vertex[i]]
		out.Mul(out, big.NewInt(int64(t.count[low])-used[low]))
		used[low]++
	}
	for _, n := range same { // divided by the number of ways that make the same set
		out.Div(out, big.NewInt(int64(n)))
	}
	for _, e := range p.edges { // times the choice among parallel links
		var parallel int64
		t.s.each(p.vertex[e.a], func(to, link int32) {
			if to == p.vertex[e.b] && t.s.kind[link] == e.kind {
				parallel++
			}
		})
		out.Mul(out, new(big.Int).Binomial(parallel, int64(e.count)))
	}
	if !out.IsInt64() || out.Int64() > math.MaxInt {
		return math.MaxInt
	}
	return int(out.Int64())
}

// pattern is a set of links as a graph.
type pattern struct {
	t      *Orbits
	vertex []int32
	name   []int32 // -1 while the vertex is known only by its class of twins
	edges  []edge
	at     [][]edge // by vertex of the pattern: its edges, with the vertex itself as a
}

// edge is the links of one kind between two vertices of a pattern.
type edge struct{ a, b, kind, count int32 }

func (t *Orbits) pattern(set []int32) *pattern {
	p := &pattern{t: t}
	index := func(v int32) int32 {
		if i := slices.Index(p.vertex, v); i >= 0 {
			return int32(i)
		}
		p.vertex = append(p.vertex, v)
		name := v
		if t.count[t.lowest[v]] > 1 {
			name = -1
		}
		p.name = append(p.name, name)
		return int32(len(p.vertex) - 1)
	}
	for _, id := range set {
		e := t.s.Ends[id]
		a, b, k := index(min(e[0], e[1])), index(max(e[0], e[1])), t.s.kind[id]
		i := slices.IndexFunc(p.edges, func(o edge) bool { return o.a == a && o.b == b && o.kind == k })
		if i < 0 {
			i = len(p.edges)
			p.edges = append(p.edges, edge{a: a, b: b, kind: k})
		}
		p.edges[i].count++
	}
	p.at = make([][]edge, len(p.vertex))
	for _, e := range p.edges {
		p.at[e.a] = append(p.at[e.a], e)
		p.at[e.b] = append(p.at[e.b], edge{e.b, e.a, e.kind, e.count})
	}
	return p
}

func (p *pattern) unnamed() []int32 {
	var out []int32
	for i, name := range p.name {
		if name < 0 {
			out = append(out, int32(i))
		}
	}
	return out
}

// rest spells the edges between vertices that keep their names.
func (p *pattern) rest() []int32 {
	var named []edge
	for _, e := range p.edges {
		if a, b := p.name[e.a], p.name[e.b]; a >= 0 && b >= 0 {
			named = append(named, edge{a, b, e.kind, e.count})
		}
	}
	return spell(nil, named)
}

// spell appends the sorted edges to out.
func spell(out []int32, edges []edge) []int32 {
	slices.SortFunc(edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.kind, y.kind), cmp.Compare(x.count, y.count))
	})
	out = append(out, int32(len(edges)))
	for _, e := range edges {
		out = append(out, e.a, e.b, e.kind, e.count)
	}
	return out
}

// canon spells the vertices without names and their edges. It appends to same the factors of the number of swaps that do not change the
// pattern. Parts that are connected only through named vertices are spelled one by one.
func (p *pattern) canon(unnamed []int32, same []int) ([]int32, []int) {
	var parts [][]int32
	seen := make([]bool, len(p.vertex))
	for _, first := range unnamed {
		if seen[first] {
			continue
		}
		seen[first] = true
		part := []int32{first}
		for i := 0; i < len(part); i++ {
			for _, e := range p.at[part[i]] {
				if p.name[e.b] < 0 && !seen[e.b] {
					seen[e.b] = true
					part = append(part, e.b)
				}
			}
		}
		var form []int32
		form, same = p.connected(part, same)
		parts = append(parts, form)
	}
	slices.SortFunc(parts, slices.Compare)
	out := []int32{int32(len(parts))}
	run := 0
	for i, form := range parts {
		if run++; i > 0 && !slices.Equal(form, parts[i-1]) {
			run = 1
		}
		if run > 1 {
			same = append(same, run)
		}
		out = append(out, int32(len(form)))
		out = append(out, form...)
	}
	return out, same
}

// connected spells a part: it names one vertex after the other. Among vertices that look the same, it tries each one first and keeps the
// smallest spelling. Vertices that lead to the same spelling can be swapped.
func (p *pattern) connected(part []int32, same []int) ([]int32, []int) {
	cell := part
	if len(part) > 1 {
		cell = p.cell(part)
	}
	named := int32(0)
	for _, name := range p.name {
		if name >= int32(p.t.s.size()) {
			named++
		}
	}
	var best []int32
	var factors []int
	equal := 0
	for _, v := range cell {
		out := p.outward(v)
		p.name[v] = int32(p.t.s.size()) + named
		rest := make([]int32, 0, len(part)-1)
		for _, u := range part {
			if u != v {
				rest = append(rest, u)
			}
		}
		inner, more := p.canon(rest, nil)
		p.name[v] = -1
		out = append(out, inner...)
		switch c := slices.Compare(out, best); {
		case best == nil || c < 0:
			best, factors, equal = out, more, 1
		case c == 0:
			equal++
		}
	}
	if equal > 1 {
		same = append(same, equal)
	}
	return best, append(same, factors...)
}

// outward spells a vertex by its class of twins and its edges to named vertices.
func (p *pattern) outward(v int32) []int32 {
	var named []edge
	for _, e := range p.at[v] {
		if p.name[e.b] >= 0 {
			named = append(named, edge{0, p.name[e.b], e.kind, e.count})
		}
	}
	return spell([]int32{p.t.lowest[p.vertex[v]]}, named)
}

// cell returns vertices of a part that look the same at any distance: a single vertex if one is unique, or else the first of the smallest
// cells.
func (p *pattern) cell(part []int32) []int32 {
	look := make([][]int32, len(part))
	for i, v := range part {
		look[i] = p.outward(v)
	}
	color := make(map[int32]int32, len(part))
	distinct := 0
	for {
		order := slices.SortedFunc(slices.Values(look), slices.Compare)
		order = slices.CompactFunc(order, slices.Equal)
		for i, v := range part {
			c, _ := slices.BinarySearchFunc(order, look[i], slices.Compare)
			color[v] = int32(c)
		}
		if len(order) == distinct {
			break
		}
		distinct = len(order)
		for i, v := range part {
			var inner []edge
			for _, e := range p.at[v] {
				if p.name[e.b] < 0 {
					inner = append(inner, edge{0, color[e.b], e.kind, e.count})
				}
			}
			look[i] = spell([]int32{color[v]}, inner)
		}
	}
	cells := make([][]int32, distinct)
	for _, v := range part {
		cells[color[v]] = append(cells[color[v]], v)
	}
	return slices.MinFunc(cells, func(a, b []int32) int { return len(a) - len(b) })
}

// OfLink returns the form of the orbit of one link.
func (t *Orbits) OfLink(id int32) [3]int32 {
	e := t.s.Ends[id]
	a, b := t.lowest[e[0]], t.lowest[e[1]]
	return [3]int32{min(a, b), max(a, b), t.s.kind[id]}
}

// linksOf turns Link.IDs into links.
func linksOf(f *ir.Fabric, set []int32) []*ir.Link {
	out := make([]*ir.Link, len(set))
	for i, id := range set {
		out[i] = f.Links[id]
	}
	return out
}
