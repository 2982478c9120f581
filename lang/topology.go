package lang

import (
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// decodeTopology makes a link of every cable in the file of a topology block.
func (d *decoder) decodeTopology(b *hclsyntax.Block, en *eval.Env, into *batch, ds *diag.List) {
	t := compile(d, &topologySchema, b, en, &linkBlock{LinkBlock: LinkBlock{Kind: b.Type, Name: en.Scope.Prefix + b.Labels[0], Decl: parse.Header(b)}}, ds)
	k := t.proto
	if !t.ok {
		return
	}
	full, src, ok := d.reader.Named(en.Scope.Names.Folder, k.file.V, k.file.At, topology.MaxFile, "Split it, and write a topology block for each part.", ds)
	if !ok {
		return
	}
	edges, found := topology.Read(k.format.V, full, src, max(d.names.left, 1))
	*ds = append(*ds, found...)
	if found.HasErrors() || !d.take(2*len(edges), k.file.At, ds) {
		return
	}
	c := cabling{shared: &k.LinkBlock, names: map[string]bool{}, ds: ds}
	into.links = slices.Grow(into.links, len(edges))
	slab := make([]Link, 0, len(edges))
	for i := range edges {
		e := &edges[i]
		if ignored(k.ignore, e.A.Device) || ignored(k.ignore, e.B.Device) || !c.check(e.A) || !c.check(e.B) {
			continue
		}
		slab = append(slab, Link{
			A: Endpoint{e.A.Device, e.A.Port, &e.A.At}, B: Endpoint{e.B.Device, e.B.Port, &e.B.At}, Block: c.block(*e),
		})
		into.links = append(into.links, &slab[len(slab)-1])
	}
}

func ignored(patterns []Value[string], device string) bool {
	return slices.ContainsFunc(patterns, func(p Value[string]) bool {
		ok, _ := path.Match(p.V, device)
		return ok
	})
}

// cabling is one file of cables on its way into links.
type cabling struct {
	ds     *diag.List
	shared *LinkBlock      // of cables of which the file says no more
	names  map[string]bool // checked already: whether it is a name
}

// check reports what is no name of a device or interface, each name once.
func (c *cabling) check(e topology.End) bool {
	one := func(key, name string, at diag.Range, rule func(string) string) bool {
		good, known := c.names[key]
		if !known {
			why := rule(name)
			if good = why == ""; !good {
				eval.BadName.Errorf(c.ds, at, "%s", why)
			}
			c.names[key] = good
		}
		return good
	}
	device := one(e.Device, e.Device, e.DeviceAt, nodeset.CheckDevice)
	return one(":"+e.Port, e.Port, e.PortAt, nodeset.CheckInterface) && device
}

// block gives the block of a cable: the one all share, or a copy with what the file says of this cable.
func (c *cabling) block(e topology.Edge) *LinkBlock {
	if len(e.Attrs) == 0 {
		return c.shared
	}
	block := *c.shared
	for _, a := range e.Attrs {
		switch a.Name {
		case "speed":
			setText(&block.Speed, a, eval.Speed, c.ds)
		case "length":
			setText(&block.Length, a, eval.Length, c.ds)
		case "mtu":
			setText(&block.MTU, a, eval.FrameSize, c.ds)
		}
	}
	return &block
}

// setText reads the text of a file as the language reads an attribute.
func setText[V any](into *Value[V], a topology.Attr, k eval.Kind[V], ds *diag.List) {
	v, err := cty.ParseNumberVal(a.Text)
	if err != nil {
		v = cty.StringVal(a.Text)
	}
	x, p := k.Read(v)
	switch {
	case p == nil:
		*into = Value[V]{x, a.At}
	case p.Topic == nil:
		eval.WrongType.Errorf(ds, a.At, "The %s of this cable is %q. Expected %s.", a.Name, diag.Cut(a.Text), k.Want)
	default:
		p.Topic.Errorf(ds, a.At, "%s", p.Detail)
	}
}
