package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// This file decodes links and meshes: two sides become cables. The tables of these blocks, and of topologies, are as in blocks.go.

// linkBlock is a link or mesh block before its two sides are joined to cables.
type linkBlock struct {
	LinkBlock
	marks        LinkMarks
	a, b         []eval.Element
	aExpr, bExpr hclsyntax.Expression

	format, file Value[string] // of a topology
	ignore       []Value[string]
	sheets       []Value[string]
	fold         Value[bool]
	columns      map[string]string
	cables       []*linkBlock // the blocks about single cables

	drop     Value[bool] // of a cables block: the cables that it selects are left out
	selector selector
}

func linkAttrs(a, aDoc, b, bDoc string) []attr[linkBlock] {
	side := func(name, doc string, ends func(k *linkBlock) *[]eval.Element, expr func(k *linkBlock) *hclsyntax.Expression) attr[linkBlock] {
		set := nodesets(ends, `endpoints such as "leaf[01-02]:swp[49-50]"`)
		return must(attr[linkBlock]{
			name: name, kind: "endpoint nodeset", doc: doc,
			set: func(d *decoder, en *eval.Env, k *linkBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
				*expr(k) = e
				return set(d, en, k, e, ds)
			},
		})
	}
	return append([]attr[linkBlock]{
		side(a, aDoc, func(k *linkBlock) *[]eval.Element { return &k.a }, func(k *linkBlock) *hclsyntax.Expression { return &k.aExpr }),
		side(b, bDoc, func(k *linkBlock) *[]eval.Element { return &k.b }, func(k *linkBlock) *hclsyntax.Expression { return &k.bExpr }),
	}, cableAttrs()...)
}

// cableAttrs returns the attributes that link, mesh and topology blocks share.
func cableAttrs() []attr[linkBlock] {
	return []attr[linkBlock]{
		one("speed", eval.Speed, "the slower of the two ports' native speeds",
			"Speed of the links.\nThe ends of a split port are named as its parts, `swp5s0` to `swp5s3`.",
			func(k *linkBlock) *Value[int] { return &k.Speed }),
		one("length", eval.Length, "cable_length of the fabric", "Length of the cables.",
			func(k *linkBlock) *Value[float64] { return &k.Length }),
		one("mtu", eval.FrameSize, "mtu of the fabric",
			"MTU of the switch ports at the links' ends, in bytes.\nrocec never sets it. It sizes headroom by it, and checks every path.",
			func(k *linkBlock) *Value[int] { return &k.MTU }),
		one("routed", eval.Boolean, "by the fabric's routing", "true: the links are routed, an IP hop between two switches; false: bridged.",
			func(k *linkBlock) *Value[bool] { return &k.marks.Routed }),
		off("peer", "true: an MLAG peer link, or another link between switches of the same tier.",
			func(k *linkBlock) *Value[bool] { return &k.marks.Peer }),
		one("flow_control", eval.OneOf("pfc", "pause"), "flow_control of the fabric",
			"How these links are made lossless: by priority flow control or by link pause.\nSee [link](language.md#link-name).",
			func(k *linkBlock) *Value[string] { return &k.FlowControl }),
		off("bond", "true: the cables between two of the switches are one bond (LAG).\nSee [link](language.md#link-name).",
			func(k *linkBlock) *Value[bool] { return &k.marks.Bond }),
		off("planned",
			"true: the cables are not laid yet. They are rendered as usual, checked with and without them, and expected to be "+
				"down.\nSee [link](language.md#link-name).", func(k *linkBlock) *Value[bool] { return &k.marks.Planned }),
	}
}

var linkSchema = schema[linkBlock]{
	block: "link", label: "NAME", forEach: true, doc: "Cables, pairwise: the first of a to the first of b, and so on.",
	attrs: linkAttrs("a", "One side.", "b", "The other side, with the same number of endpoints."),
}

var meshSchema = schema[linkBlock]{
	block: "mesh", label: "NAME", forEach: true, doc: "Complete bipartite wiring: every lower device to every upper device.",
	attrs: linkAttrs("lower", "The lower devices and their ports: each device's k-th port goes to the k-th upper device.", "upper",
		"The upper devices and their ports: each device's i-th port goes to the i-th lower device."),
}

var topologySchema = schema[linkBlock]{
	block: "topology", label: "NAME", doc: "Cables from an existing file. Values in the file have precedence over values that are written " +
		"here.",
	attrs: append([]attr[linkBlock]{
		must(one("format", eval.OneOf(topology.Names()...), "", "The format of the file.",
			func(k *linkBlock) *Value[string] { return &k.format })),
		must(one("file", eval.FilePath, "", "The file, below the folder of this file.", func(k *linkBlock) *Value[string] { return &k.file })),
		many("ignore", eval.Glob, "none",
			"Patterns of device names: the cables of these devices are left out. * is any characters, ? one character.\n`[ab]` is one "+
				"of the characters in the brackets.",
			func(k *linkBlock) *[]Value[string] { return &k.ignore }),
		many("sheets", eval.FilePath, "none",
			"Further sheets of the same inventory, below the folder of this file: front ports, rear ports, interfaces, devices.\nSee "+
				"[topology](language.md#topology-name).", func(k *linkBlock) *[]Value[string] { return &k.sheets }),
		off("fold_names",
			"true: names in the file are converted to the spelling of a fabric: LEAF01 to leaf01, Ethernet1/1 to Ethernet1-1.\nSee "+
				"[topology](language.md#topology-name).", func(k *linkBlock) *Value[bool] { return &k.fold }),
		{
			name: "columns", kind: "map of string", def: "{}",
			doc: "The header of each column in this file, such as { a_device = \"Source Device\" }.", set: setColumns,
		},
	}, cableAttrs()...),
	blocks: []child[linkBlock]{
		blocksOf(&cablesSchema, false, initCables, func(k *linkBlock, i int, c *linkBlock) { k.cables = put(k.cables, i, c) }),
	},
}

var cablesSchema = schema[linkBlock]{
	block: "cables", label: "SELECTOR",
	doc: "Values for single cables of the file. They have precedence over the values in the file and in the topology block.",
	attrs: append([]attr[linkBlock]{
		off("ignore", "true: these cables are left out.", func(k *linkBlock) *Value[bool] { return &k.drop }),
	}, cableAttrs()...),
}

// side is one side of a link or mesh.
type side struct {
	names []named
	n     int // number of endpoints, known before they are made
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
		var at *diag.Range // place of the previous ends
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
		unequalCounts.Errorf(ds, block.Decl, "%s joins its sides pairwise, but they have different counts: a names %s, b names %s. Name as "+
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
		run := 1 // most lists name all ports of a device in a row
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

// mesh joins every lower device to every upper device by w links. With w = 1 the k-th port of a lower device goes to the k-th upper
// device, and the i-th port of an upper device to the i-th lower device. With w > 1 the k-th run of w ports takes the place of the k-th
// port.
func mesh(block *LinkBlock, lower, upper side, into *batch, ds *diag.List) {
	low, up := byDevice(lower.ends), byDevice(upper.ends)
	report := func(format string, args ...any) {
		unequalCounts.Errorf(ds, block.Decl, "%s %s", block.title(), fmt.Sprintf(format, args...)).
			Note(lower.at, "%s, %s", diag.Count(len(low), "lower device"), diag.Count(len(lower.ends), "port")).
			Note(upper.at, "%s, %s", diag.Count(len(up), "upper device"), diag.Count(len(upper.ends), "port"))
	}
	if len(low) == 0 || len(up) == 0 { // one side is empty, the other is not
		report("joins every lower device to every upper one, but one side names no device. Name its devices, or delete the block.")
		return
	}
	for _, group := range [][][]Endpoint{low, up} {
		for _, ports := range group {
			if len(ports) != len(group[0]) {
				report("needs the same number of ports on every device of a side: %s has %d, and %s has %d. Name the same number for "+
					"each.", group[0][0].Device,
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

// setColumns reads a map from the names of columns to the headers of a sheet.
func setColumns(d *decoder, en *eval.Env, k *linkBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
	const want = `an object such as { a_device = "Source Device" }`
	v, o := d.Value(en, e, ds)
	if o != eval.Good {
		return o
	}
	if ty := v.Type(); !ty.IsObjectType() && !ty.IsMapType() {
		d.Wrong(en, e, v, want, ds)
		return eval.Failed
	}
	k.columns = map[string]string{}
	for it := v.ElementIterator(); it.Next(); {
		name, header := it.Element()
		nameExpr, headerExpr := parse.Entry(e, name.AsString())
		if known := topology.Columns(); !slices.Contains(known, name.AsString()) {
			d.Report(en, nameExpr, &eval.BadValue, fmt.Sprintf("A sheet has no column %q.%s", diag.Cut(name.AsString()),
				diag.Suggest(name.AsString(), known)), ds)
			d.Fail(e)
			return eval.Failed
		}
		if header.IsNull() || header.Type() != cty.String || strings.TrimSpace(header.AsString()) == "" {
			d.Wrong(en, headerExpr, header, `the header of a column, such as "Source Device"`, ds)
			d.Fail(e)
			return eval.Failed
		}
		k.columns[name.AsString()] = header.AsString()
	}
	return eval.Good
}
