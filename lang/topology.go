package lang

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// decodeTopology makes a link for every cable in the file of a topology block.
func (d *decoder) decodeTopology(b *hclsyntax.Block, en *eval.Env, into *batch, ds *diag.List) {
	t := compile(d, &topologySchema, b, en, &linkBlock{LinkBlock: LinkBlock{
		Kind: b.Type, Name: en.Scope.Prefix + b.Labels[0],
		Decl: parse.Header(b),
	}}, ds)
	k := t.proto
	if !t.ok {
		return
	}
	k.mark(k.marks)
	file := func(name Value[string], advice string) (full string, src []byte, ok bool) {
		full, src, ok = d.reader.Named(en.Scope.Names.Folder, name.V, name.At, topology.MaxFile, advice, ds)
		if ok && d.reads[full] && !d.Charge(len(src), name.At, ds) { // already read for another block or instance
			return full, nil, false
		}
		d.reads[full] = d.reads[full] || ok
		return full, src, ok
	}
	full, src, ok := file(k.file, "Split it, and write a topology block for each part.")
	if !ok {
		return
	}
	sheets, ok := sheetsBeside(k.sheets, file, ds)
	if !ok {
		return
	}
	read, found := topology.ReadAll(k.format.V, full, src, topology.Options{Most: max(d.names.left, 1), Columns: k.columns, Sheets: sheets})
	*ds = append(*ds, found...)
	edges := read.Edges
	if found.HasErrors() || !d.take(2*len(edges), k.file.At, ds) {
		return
	}
	if len(k.ignore) > 0 && len(edges) > mostQuestions/2/len(k.ignore) {
		topology.TooLarge.Errorf(ds, k.ignore[0].At, "The list ignore has %s, which are too many to compare with %s. Join them by * and ?.",
			diag.Count(len(k.ignore), "pattern"), diag.Count(len(edges), "cable"))
		return
	}
	if k.fold.V {
		foldNames(edges)
	}
	c := cabling{shared: &k.LinkBlock, names: map[string]bool{}, made: madeBlocks{}, sums: map[string]*linkBlock{}, ds: ds}
	named, ok := selected(k.cables, edges, ds)
	if !ok {
		return
	}
	into.links = slices.Grow(into.links, len(edges))
	slab := make([]Link, 0, len(edges))
	written := make(map[[2]string]other, len(edges)) // the larger end of each cable, by the smaller end
	for i := range edges {
		e := &edges[i]
		if twice(written, e) {
			continue
		}
		if ignored(k.ignore, e.A.Device) || ignored(k.ignore, e.B.Device) {
			continue
		}
		var own *linkBlock
		if named != nil && len(named[i]) > 0 {
			if own = c.together(named[i]); own.drop.V {
				continue
			}
		}
		if !c.check(e.A) || !c.check(e.B) {
			continue
		}
		slab = append(slab, Link{
			A: Endpoint{e.A.Device, e.A.Port, &e.A.At}, B: Endpoint{e.B.Device, e.B.Port, &e.B.At}, Block: c.block(*e, own),
		})
		into.links = append(into.links, &slab[len(slab)-1])
	}
	noun := "cable"
	if k.format.V == "csv" {
		noun = "row"
	}
	for d, n := range c.more {
		d.Note(diag.Range{}, "and %s more %s of this file", diag.Number(n), diag.Plural(n, noun, noun+"s"))
	}
}

// foldNames converts names to the spelling of a fabric.
func foldNames(edges []topology.Edge) {
	for i := range edges {
		for _, e := range []*topology.End{&edges[i].A, &edges[i].B} {
			e.Device, e.Port = topology.FoldDevice(e.Device), topology.FoldPort(e.Port)
		}
	}
}

// sheetsBeside reads the further sheets of an inventory.
func sheetsBeside(names []Value[string], file func(Value[string], string) (string, []byte, bool), ds *diag.List) ([]topology.Sheet, bool) {
	var out []topology.Sheet
	if n := len(names); n > topology.MaxSheets {
		topology.TooLarge.Errorf(ds, names[topology.MaxSheets].At, "The list sheets has %s, but at most %d are read. Join sheets of "+
			"the same kind.",
			diag.Count(n, "file"), topology.MaxSheets)
		return nil, false
	}
	for _, name := range names {
		full, src, ok := file(name, "Leave out the rows that the cables do not need.")
		if !ok {
			return nil, false
		}
		out = append(out, topology.Sheet{Name: full, Src: src})
	}
	return out, true
}

// other is the larger end of a cable, and whether the file has it before the smaller end.
type other struct {
	device, port string
	first        bool
}

// twice reports whether the file had the cable before, from its other end. Tables of neighbours have each cable twice.
func twice(written map[[2]string]other, e *topology.Edge) bool {
	low, high := [2]string{e.A.Device, e.A.Port}, other{e.B.Device, e.B.Port, false}
	if cmp.Or(cmp.Compare(high.device, low[0]), cmp.Compare(high.port, low[1])) < 0 {
		low, high = [2]string{e.B.Device, e.B.Port}, other{e.A.Device, e.A.Port, true}
	}
	before, ok := written[low]
	if ok && before == (other{high.device, high.port, !high.first}) {
		return true
	}
	written[low] = high
	return false
}

func ignored(patterns []Value[string], device string) bool {
	return slices.ContainsFunc(patterns, func(p Value[string]) bool {
		ok, _ := path.Match(p.V, device)
		return ok
	})
}

// madeBlocks has the link blocks of cables without values in the file, by their cables block.
type madeBlocks map[*linkBlock]*LinkBlock

// cabling is the state of converting one file of cables to links.
type cabling struct {
	ds     *diag.List
	shared *LinkBlock      // block of the cables without values in the file and in cables blocks
	names  map[string]bool // names that were checked; true: the name is valid

	made madeBlocks             // blocks of the cables of a cables block without values in the file
	told map[[2]diag.Range]bool // reported pairs of different values
	sums map[string]*linkBlock  // merged cables blocks

	texts map[[2]string]*diag.Diagnostic // mistakes in values, by attribute and text without its digits
	more  map[*diag.Diagnostic]int       // number of further cables with the same mistake
}

// check reports names that are not valid for a device or interface, each name once.
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

// block returns the block of a cable: the shared block, or a copy with the values that the file and a cables block have for this cable.
func (c *cabling) block(e topology.Edge, own *linkBlock) *LinkBlock {
	switch {
	case len(e.Attrs) > 0:
	case own == nil:
		return c.shared
	case c.made[own] != nil:
		return c.made[own]
	}
	block := *c.shared
	for _, a := range e.Attrs {
		switch a.Name {
		case "speed":
			setText(c, &block.Speed, a, eval.Speed)
		case "length":
			setText(c, &block.Length, a, eval.Length)
		case "mtu":
			setText(c, &block.MTU, a, eval.FrameSize)
		case "planned":
			marks := *block.Marked()
			marks.Planned = Value[bool]{true, a.At}
			block.mark(marks)
		}
	}
	if own != nil {
		block.lay(own)
		if len(e.Attrs) == 0 {
			c.made[own] = &block
		}
	}
	return &block
}

// number matches a number in a text.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// setText reads a text of the file by the rules of an attribute. It reports mistakes that differ only in numbers once, since a sheet
// often has the same mistake in every row.
func setText[V any](c *cabling, into *Value[V], a topology.Attr, k eval.Kind[V]) {
	v, err := cty.ParseNumberVal(a.Text)
	if err != nil {
		v = cty.StringVal(a.Text)
	}
	x, p := k.Read(v)
	if p == nil {
		*into = Value[V]{x, a.At}
		return
	}
	key := [2]string{a.Name, number().ReplaceAllString(a.Text, "0")}
	if first := c.texts[key]; first != nil {
		c.more[first]++
		return
	}
	if c.texts == nil {
		c.texts, c.more = map[[2]string]*diag.Diagnostic{}, map[*diag.Diagnostic]int{}
	}
	if p.Topic == nil {
		c.texts[key] = eval.WrongType.Errorf(c.ds, a.At, "The %s of this cable is %q. Expected %s.", a.Name, diag.Cut(a.Text), k.Want)
		return
	}
	c.texts[key] = p.Topic.Errorf(c.ds, a.At, "%s", p.Detail)
}
