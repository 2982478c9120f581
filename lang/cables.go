package lang

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// Links and meshes: two sides become cables.

// side is one side of a link or mesh.
type side struct {
	names []named
	n     int // endpoints, before they are made
	ends  []Endpoint
	at    diag.Range
	ok    bool
}

func (d *decoder) side(elements []eval.Element, e hclsyntax.Expression, ds *diag.List) side {
	s := side{ok: e != nil && !d.HasFailed(e)}
	if e == nil {
		return s
	}
	s.at = e.Range()
	for _, el := range elements {
		if el.V.Type() != cty.String {
			return side{at: s.at}
		}
		names, ok := d.count(el, nodeset.Endpoints, ds)
		s.ok = s.ok && ok
		s.names = append(s.names, names)
		s.n += names.set.Len()
	}
	return s
}

// make makes the endpoints.
func (s *side) make() {
	s.ends = slices.Grow(s.ends, s.n)
	for _, names := range s.names {
		var at *diag.Range // of the ends before
		from, to := -1, -1
		for n := range names.set.All() {
			if n.From != from || n.To != to {
				place := names.At(n.From, n.To)
				at, from, to = &place, n.From, n.To
			}
			s.ends = append(s.ends, Endpoint{n.Device, n.Interface, at})
		}
	}
}

// decodeCables decodes a link, mesh or topology block.
func (d *decoder) decodeCables(b *hclsyntax.Block, en *eval.Env, into *batch, ds *diag.List) {
	if b.Type == "topology" {
		d.decodeTopology(b, en, into, ds)
		return
	}
	d.forEach(b, en, func(en *eval.Env, key string) { d.decodeLink(b, en, key, into, ds) }, ds)
}

func (d *decoder) decodeLink(b *hclsyntax.Block, en *eval.Env, key string, into *batch, ds *diag.List) {
	table, join := &linkSchema, zip
	if b.Type == "mesh" {
		table, join = &meshSchema, mesh
	}
	t := &d.link
	*t = template[linkBlock]{
		proto: linkBlock{LinkBlock: LinkBlock{Kind: b.Type, Name: instanceName(b, key, en), Decl: parse.Header(b)}},
	}
	t.decode(d, table, b, en, ds)
	k := &t.proto
	k.mark(k.marks)
	first, second := d.side(k.a, k.aExpr, ds), d.side(k.b, k.bExpr, ds)
	if !first.ok || !second.ok || first.n == 0 && second.n == 0 {
		return
	}
	block := k.LinkBlock
	d.later(en.Scope, first.n+second.n, func(ds *diag.List) {
		first.make()
		second.make()
		join(&block, first, second, into, ds)
	}, ds)
}

// zip joins the sides of a link pairwise.
func zip(block *LinkBlock, a, b side, into *batch, ds *diag.List) {
	if len(a.ends) != len(b.ends) {
		unequalCounts.Errorf(ds, block.Decl, "%s zips its sides pairwise, and they have different counts: a names %s, b names %s. Name as "+
			"many on both.",
			block.title(), diag.Count(len(a.ends), "endpoint"), diag.Count(len(b.ends), "endpoint")).
			Note(a.at, "%s", diag.Count(len(a.ends), "endpoint")).
			Note(b.at, "%s", diag.Count(len(b.ends), "endpoint"))
		return
	}
	slab := make([]Link, len(a.ends))
	into.links = slices.Grow(into.links, len(slab))
	for i := range slab {
		slab[i] = Link{A: a.ends[i], B: b.ends[i], Block: block}
		into.links = append(into.links, &slab[i])
	}
}

func (b *LinkBlock) title() string { return fmt.Sprintf("%s %q", b.Kind, b.Name) }

// byDevice groups endpoints by device, both in the order they are named.
func byDevice(ends []Endpoint) [][]Endpoint {
	index := map[string]int{}
	var out [][]Endpoint
	for len(ends) > 0 {
		run := 1 // mostly all ports of a device stand together
		for run < len(ends) && ends[run].Device == ends[0].Device {
			run++
		}
		if i, ok := index[ends[0].Device]; ok {
			out[i] = append(out[i], ends[:run]...)
		} else {
			index[ends[0].Device] = len(out)
			out = append(out, ends[:run:run])
		}
		ends = ends[run:]
	}
	return out
}

// mesh joins every lower device to every upper device by w links: with w = 1 the k-th port of a lower device goes to
// the k-th upper device and the i-th port of an upper device to the i-th lower one; else runs of w ports do.
func mesh(block *LinkBlock, lower, upper side, into *batch, ds *diag.List) {
	low, up := byDevice(lower.ends), byDevice(upper.ends)
	report := func(format string, args ...any) {
		unequalCounts.Errorf(ds, block.Decl, "%s %s", block.title(), fmt.Sprintf(format, args...)).
			Note(lower.at, "%s, %s", diag.Count(len(low), "lower device"), diag.Count(len(lower.ends), "port")).
			Note(upper.at, "%s, %s", diag.Count(len(up), "upper device"), diag.Count(len(upper.ends), "port"))
	}
	if len(low) == 0 || len(up) == 0 { // one of the two, of which the other has some
		report("joins every lower device to every upper one, and one side names none. Name its devices, or take the block out.")
		return
	}
	for _, group := range [][][]Endpoint{low, up} {
		for _, ports := range group {
			if len(ports) != len(group[0]) {
				report("needs the same number of ports on every device of a side: %s has %d, and %s has %d. Name as many on each.", group[0][0].Device,
					len(group[0]), ports[0].Device, len(ports))
				return
			}
		}
	}
	p, q := len(low[0]), len(up[0])
	if p%len(up) != 0 {
		report("joins every lower device to %s, so a lower device needs %d ports, or a multiple for parallel links; it names %d. Correct "+
			"lower, or upper.", diag.Count(len(up), "upper device"), len(up), p)
		return
	}
	w := p / len(up)
	if q != w*len(low) {
		report("joins %s to %s by %s each, so an upper device needs %d x %d = %d ports; it names %d. Correct upper, or lower.",
			diag.Count(len(low), "lower device"), diag.Count(len(up), "upper device"), diag.Count(w, "link"), len(low), w, len(low)*w, q)
		return
	}
	slab := make([]Link, 0, len(lower.ends))
	into.links = slices.Grow(into.links, len(lower.ends))
	for i := range low {
		for j := range up {
			for r := range w {
				slab = append(slab, Link{A: low[i][j*w+r], B: up[j][i*w+r], Block: block})
				into.links = append(into.links, &slab[len(slab)-1])
			}
		}
	}
}
