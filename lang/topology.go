package lang

import (
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
)

// decodeTopology makes a link of every cable in the file of a topology block.
func (l *loader) decodeTopology(b *hclsyntax.Block, en *env, into *batch) {
	before := len(l.diags)
	k := compile(l, &topologySchema, b, en, &linkBlock{LinkBlock: LinkBlock{Kind: b.Type, Name: en.sc.prefix + b.Labels[0], Decl: header(b)}}).proto
	if len(l.diags) > before {
		return
	}
	full, src, ok := l.readNamed(en.sc.folder, k.file, topology.MaxFile, "Split it, and write a topology block for each part.")
	if !ok {
		return
	}
	edges, ds := topology.Read(k.format.V, full, src, max(l.objectsLeft, 1))
	l.diags = append(l.diags, ds...)
	if ds.HasErrors() || !l.take(2*len(edges), k.file.At) {
		return
	}
	t := cabling{l: l, shared: &k.LinkBlock, names: map[string]bool{}}
	into.links = slices.Grow(into.links, len(edges))
	slab := make([]Link, 0, len(edges))
	for _, e := range edges {
		if ignored(k.ignore, e.A.Device) || ignored(k.ignore, e.B.Device) || !t.check(e.A) || !t.check(e.B) {
			continue
		}
		slab = append(slab, Link{
			A: Endpoint{e.A.Device, e.A.Port, e.A.At}, B: Endpoint{e.B.Device, e.B.Port, e.B.At}, Block: t.block(e),
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
	l      *loader
	shared *LinkBlock      // of cables of which the file says no more
	names  map[string]bool // checked already: whether it is a name
}

// check reports what is no name of a device or interface, each name once.
func (t *cabling) check(e topology.End) bool {
	one := func(key, name string, at diag.Range, rule func(string) string) bool {
		good, known := t.names[key]
		if !known {
			why := rule(name)
			if good = why == ""; !good {
				badName.Errorf(&t.l.diags, at, "%s", why)
			}
			t.names[key] = good
		}
		return good
	}
	device := one(e.Device, e.Device, e.DeviceAt, nodeset.CheckDevice)
	return one(":"+e.Port, e.Port, e.PortAt, nodeset.CheckInterface) && device
}

// block gives the block of a cable: the one all share, or a copy with what the file says of this cable.
func (t *cabling) block(e topology.Edge) *LinkBlock {
	if len(e.Attrs) == 0 {
		return t.shared
	}
	block := *t.shared
	for _, a := range e.Attrs {
		switch a.Name {
		case "speed":
			setText(t.l, &block.Speed, a, speed)
		case "length":
			setText(t.l, &block.Length, a, length)
		case "mtu":
			setText(t.l, &block.MTU, a, frameSize)
		}
	}
	return &block
}

// setText reads the text of a file as the language reads an attribute.
func setText[V any](l *loader, into *Value[V], a topology.Attr, k kind[V]) {
	v, err := cty.ParseNumberVal(a.Text)
	if err != nil {
		v = cty.StringVal(a.Text)
	}
	x, p := k.read(v)
	switch {
	case p == nil:
		*into = Value[V]{x, a.At}
	case p.topic == nil:
		wrongType.Errorf(&l.diags, a.At, "The %s of this cable is %q. Expected %s.", a.Name, diag.Cut(a.Text), k.want)
	default:
		p.topic.Errorf(&l.diags, a.At, "%s", p.detail)
	}
}
