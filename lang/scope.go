package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// scope is where names mean something: the fabric's own folder, or one instance of a module.
type scope struct {
	folder   *folder
	prefix   string           // of its names seen from the fabric's own folder: "pod[a]."; "" there
	caller   *hclsyntax.Block // the module block; nil for the fabric's own folder
	parent   *scope
	children []*scope // instances of its modules, in the order they are written, then of their keys

	vars    map[string]*variable
	locals  map[string]*node
	modules map[string]*node
	ctx     *hcl.EvalContext // what every block of it shares

	indexes map[*hclsyntax.Block]int      // devices so far of a block with for_each
	checked map[hclsyntax.Expression]bool // its references lead somewhere
}

func (l *loader) newScope(f *folder, prefix string) *scope {
	return &scope{
		folder: f, prefix: prefix, ctx: &hcl.EvalContext{Functions: f.functions},
		indexes: map[*hclsyntax.Block]int{}, checked: map[hclsyntax.Expression]bool{},
	}
}

// env is the place of a block that is no instance of anything.
func (sc *scope) env() *env { return &env{sc: sc, ctx: sc.ctx} }

// bare is an environment of functions only.
func (sc *scope) bare() *env {
	return &env{sc: sc, ctx: &hcl.EvalContext{Functions: sc.folder.functions}}
}

// settleScope gives every variable, local and module of sc its value.
func (l *loader) settleScope(sc *scope, values func(*scope) map[string]*given) {
	l.loadVariables(sc, values)
	base := map[string]cty.Value{"var": sc.varObject()}
	for kind, ty := range refTypes {
		refs := map[string]cty.Value{}
		for name := range sc.folder.labels[kind] {
			refs[name] = cty.CapsuleVal(ty, &blockRef{kind, sc.fullName(kind, name)})
		}
		base[kind] = cty.ObjectVal(refs)
	}
	l.settleNodes(sc, &hcl.EvalContext{Functions: sc.folder.functions, Variables: base})

	sc.ctx.Variables = base
	for kind, nodes := range map[string]map[string]*node{"local": sc.locals, "module": sc.modules} {
		values := map[string]cty.Value{}
		for name, n := range nodes {
			if n.ok {
				values[name] = n.value
			}
		}
		base[kind] = cty.ObjectVal(values)
	}
}

// fullName is how a block is called in the whole fabric.
func (sc *scope) fullName(kind, name string) string {
	if kind == "cos_group" {
		return name
	}
	return sc.prefix + name
}

// instanceName is the full name of b, with the key of for_each.
func instanceName(b *hclsyntax.Block, key string, en *env) string {
	name := en.sc.prefix + b.Labels[0]
	if !en.each {
		return name
	}
	return name + "[" + key + "]"
}

// decode decodes the blocks of sc, and then those of its modules.
func (l *loader) decode(sc *scope) {
	f, top := sc.folder, sc.env()
	for _, b := range f.blocks["cos_group"] {
		if l.share(b) {
			l.decodeCosGroup(b, top)
		}
	}
	for _, b := range f.blocks["switch_model"] {
		if l.share(b) {
			l.decodeSwitchModel(b, top)
		}
	}
	for _, b := range f.blocks["nic_model"] {
		if l.share(b) {
			l.decodeNICModel(b, top)
		}
	}
	for _, b := range f.blocks["roce"] {
		l.forEach(b, top, func(en *env, key string) { l.decodeRoce(b, en, key) })
	}
	for _, d := range f.devices {
		l.finish(d, top, l.decodeDevice)
	}
	for _, d := range f.cables {
		l.finish(d, top, l.decodeCables)
	}
	for _, child := range sc.children {
		l.inside(child, func() { l.decode(child) })
	}
}

// finish decodes a block of devices or cables, if that was not done before, and puts what it came to into the source.
func (l *loader) finish(d *decl, top *env, decode func(*hclsyntax.Block, *env, *batch)) {
	made := d.made
	if d.block != nil {
		decode(d.block, top, &made)
	}
	l.src.Switches = append(l.src.Switches, made.switches...)
	l.src.Hosts = append(l.src.Hosts, made.hosts...)
	l.src.Links = append(l.src.Links, made.links...)
}

// share takes the name of a block whose kind is known in the whole fabric.
func (l *loader) share(b *hclsyntax.Block) bool {
	names := l.shared[b.Type]
	if names == nil {
		names = map[string]diag.Range{}
		l.shared[b.Type] = names
	}
	first, taken := names[b.Labels[0]]
	switch {
	case !taken:
		names[b.Labels[0]] = header(b)
	case first == header(b):
		duplicateName.Errorf(&l.diags, b.LabelRanges[0], "The name of a %s holds in the whole fabric, and every instance of this module declares %q. Declare it once, outside, and hand it to the module by a variable.", b.Type, b.Labels[0])
	default:
		duplicateName.Errorf(&l.diags, b.LabelRanges[0], "The name of a %s holds in the whole fabric, and there is another one named %q. Give one another name, or hand one over by a variable.", b.Type, b.Labels[0]).
			Note(first, "the first one")
	}
	return !taken
}

// inside runs f, which works in an instance of a module, and says so in what it finds.
func (l *loader) inside(sc *scope, f func()) {
	before := len(l.diags)
	f()
	for _, d := range l.diags[before:] {
		if d.At.Filename != sc.caller.TypeRange.Filename {
			d.Note(header(sc.caller), "in the module called here")
		}
	}
}
