package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// instance is a folder in a scope: the folder of the fabric, or the folder of a module in one instance.
type instance struct {
	*eval.Scope
	folder   *folder
	children []*instance // instances of its modules, in the order of the files, then of their keys
}

// newInstance returns the instance of the fabric's folder. With a module block and the instance around it, it returns an instance of
// the module.
func newInstance(f *folder, prefix string, caller *hclsyntax.Block, outer *instance) *instance {
	var parent *eval.Scope
	if outer != nil {
		parent = outer.Scope
	}
	return &instance{Scope: eval.NewScope(f.names, prefix, caller, parent), folder: f}
}

// settle computes the value of every variable, local and module of an instance.
func (l *loader) settle(in *instance, given func(*eval.Scope, *diag.List) map[string]*eval.Given, ds *diag.List) {
	variables := l.decoder.variables(in, ds)
	l.decoder.SettleVariables(in.Scope, variables, given(in.Scope, ds), ds)
	nodes := append(in.locals(ds), in.modules()...)
	l.decoder.Settle(in.Scope, nodes, func(n *eval.Node, en *eval.Env, ds *diag.List) (cty.Value, bool) {
		return l.call(in, n, en, ds)
	}, ds)
	// If a module needs another one, that one was settled first. Sorting restores the order of the files.
	slices.SortStableFunc(in.children, func(a, b *instance) int {
		return diag.ComparePlace(a.Caller.TypeRange, b.Caller.TypeRange)
	})
}

// instanceName returns the full name of b, with the key of for_each.
func instanceName(b *hclsyntax.Block, key string, en *eval.Env) string {
	name := en.Scope.Prefix + b.Labels[0]
	if !en.Each {
		return name
	}
	return name + "[" + key + "]"
}

// decode decodes the blocks of an instance, and then those of its modules.
func (l *loader) decode(in *instance, ds *diag.List) {
	f, d, top := in.folder, l.decoder, in.Env()
	for _, b := range f.blocks["cos_group"] {
		if l.share(b, ds) {
			g := compile(d, &cosGroupSchema, b, top, &CosGroup{Name: b.Labels[0], Decl: parse.Header(b)}, ds).proto
			l.src.CosGroups = append(l.src.CosGroups, &g)
		}
	}
	for _, b := range f.blocks["switch_model"] {
		if l.share(b, ds) {
			m := compile(d, &switchModelSchema, b, top, &SwitchModel{Name: b.Labels[0], Decl: parse.Header(b)}, ds).proto
			l.src.SwitchModels = append(l.src.SwitchModels, &m)
		}
	}
	for _, b := range f.blocks["nic_model"] {
		if l.share(b, ds) {
			m := compile(d, &nicModelSchema, b, top, &NICModel{Name: b.Labels[0], Decl: parse.Header(b)}, ds).proto
			l.src.NICModels = append(l.src.NICModels, &m)
		}
	}
	l.decodeAccepts(f.blocks["accept"], top, ds)
	for _, b := range f.blocks["roce"] {
		d.forEach(b, top, func(en *eval.Env, key string) {
			if d.names.overflow == nil { // a fabric with too many names is refused
				l.src.Roces = append(l.src.Roces, d.roce(b, en, key, ds))
			}
		}, ds)
	}
	for _, dec := range f.devices {
		if d.Stopped() {
			return
		}
		l.finish(dec, top, d.decodeDevice, ds)
	}
	for _, dec := range f.cables {
		if d.Stopped() {
			return
		}
		l.finish(dec, top, d.decodeCables, ds)
	}
	for _, child := range in.children {
		before := len(*ds)
		child.inside(func(ds *diag.List) { l.decode(child, ds) }, ds)
		if n := len(*ds) - before; n > 0 && !d.Charge(n*mistakeBytes, parse.Header(child.Caller), ds) {
			return
		}
	}
}

// finish decodes a block of devices or cables, if that was not done before.
func (l *loader) finish(d *decl, top *eval.Env, decode decodeFunc, ds *diag.List) {
	if d.block != nil {
		made := &batch{}
		decode(d.block, top, made, ds)
		l.batches = append(l.batches, made)
		return
	}
	l.batches = append(l.batches, &d.made)
}

// countInstances evaluates and counts every for_each of devices, cables and intents before it makes any of them.
func (l *loader) countInstances(in *instance, ds *diag.List) {
	f, top := in.folder, in.Env()
	for _, b := range f.blocks["roce"] {
		l.decoder.countInstances(b, top, ds)
	}
	for _, list := range [][]*decl{f.devices, f.cables} {
		for _, dec := range list {
			if dec.block != nil {
				l.decoder.countInstances(dec.block, top, ds)
			}
		}
	}
	for _, child := range in.children {
		child.inside(func(ds *diag.List) { l.countInstances(child, ds) }, ds)
	}
}

// makeNames makes the pending names, and adds all devices and cables to the source.
func (l *loader) makeNames(ds *diag.List) {
	l.decoder.makeNames(ds)
	if l.decoder.names.overflow != nil { // some devices were made before the bound was exceeded
		l.batches = nil
	}
	for _, b := range l.batches {
		l.src.Switches = append(l.src.Switches, b.switches...)
		l.src.Hosts = append(l.src.Hosts, b.hosts...)
		l.src.Links = append(l.src.Links, b.links...)
	}
	l.batches = nil
}

// share registers the name of a block whose names are unique in the whole fabric.
func (l *loader) share(b *hclsyntax.Block, ds *diag.List) bool {
	names := l.shared[b.Type]
	if names == nil {
		names = map[string]diag.Range{}
		l.shared[b.Type] = names
	}
	first, taken := names[b.Labels[0]]
	switch {
	case !taken:
		names[b.Labels[0]] = parse.Header(b)
	case first == parse.Header(b):
		duplicateName.Errorf(ds, b.LabelRanges[0], "The name of a %s must be unique in the whole fabric, but every instance of this "+
			"module declares %q. Declare it once outside of the module, and pass it to the module by a variable.", b.Type, b.Labels[0])
	default:
		duplicateName.Errorf(ds, b.LabelRanges[0], "The name of a %s must be unique in the whole fabric, but there is another one "+
			"named %q. Give one another name, or pass one by a variable.", b.Type, b.Labels[0]).
			Note(first, "the first one")
	}
	return !taken
}

// inside runs f in an instance of a module. It adds the place of the module block to each diagnostic of f.
func (in *instance) inside(f func(ds *diag.List), ds *diag.List) {
	var found diag.List
	f(&found)
	noteCaller(in.Scope, found)
	*ds = append(*ds, found...)
}

// noteCaller adds the place of the module block to diagnostics in the module.
func noteCaller(sc *eval.Scope, found diag.List) {
	for _, d := range found {
		if d.At.Filename != sc.Caller.TypeRange.Filename {
			d.Note(parse.Header(sc.Caller), "in the module called here")
		}
	}
}
