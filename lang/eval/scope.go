package eval

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Names has the declarations of a folder.
type Names struct {
	Folder    parse.Folder
	Labels    map[string]map[string]diag.Range // kind of block -> name -> header
	Meant     map[string]bool                  // references such as "var.mtu" to what is there with a mistake, and reported
	Functions map[string]function.Function
}

// NewNames is a folder in which nothing is declared yet.
func (ev *Evaluator) NewNames(f parse.Folder) *Names {
	return &Names{
		Folder: f, Labels: map[string]map[string]diag.Range{}, Meant: map[string]bool{}, Functions: ev.functions(f),
	}
}

// Scope is where names mean something: the fabric's own folder, or one instance of a module.
type Scope struct {
	Names  *Names
	Prefix string           // of its names seen from the fabric's own folder: "pod[a]."; "" there
	Caller *hclsyntax.Block // the module block; nil for the fabric's own folder
	Parent *Scope

	Vars    map[string]*Variable
	Locals  map[string]*Node
	Modules map[string]*Node

	ctx     *hcl.EvalContext              // shared by all of its blocks
	checked map[hclsyntax.Expression]bool // its references lead somewhere
}

// NewScope is a scope of the fabric's own folder, or, with the block that calls it and the scope around that, of a module.
func NewScope(names *Names, prefix string, caller *hclsyntax.Block, parent *Scope) *Scope {
	return &Scope{
		Names: names, Prefix: prefix, Caller: caller, Parent: parent,
		ctx: &hcl.EvalContext{Functions: names.Functions}, checked: map[hclsyntax.Expression]bool{},
	}
}

// Env is the place of a block that is not an instance of anything.
func (sc *Scope) Env() *Env { return &Env{Scope: sc, ctx: sc.ctx} }

// Bare is an environment of functions only.
func (sc *Scope) Bare() *Env {
	return &Env{Scope: sc, ctx: &hcl.EvalContext{Functions: sc.Names.Functions}}
}

// Settle gives every local and module of a scope its value, each after those it needs; its variables have theirs. Nodes
// are in the order they are written. Call makes the instances of a module and gives its value, if it has one.
func (ev *Evaluator) Settle(sc *Scope, nodes []*Node, call func(n *Node, en *Env, ds *diag.List) (cty.Value, bool), ds *diag.List) {
	base := map[string]cty.Value{"var": sc.varObject()}
	for kind, ty := range RefTypes {
		refs := map[string]cty.Value{}
		for name := range sc.Names.Labels[kind] {
			refs[name] = cty.CapsuleVal(ty, &BlockRef{kind, sc.FullName(kind, name)})
		}
		base[kind] = cty.ObjectVal(refs)
	}
	o := order{ev: ev, sc: sc, base: &hcl.EvalContext{Functions: sc.Names.Functions, Variables: base}, call: call}
	o.settle(nodes, ds)

	sc.ctx.Variables = base
	for kind, nodes := range map[string]map[string]*Node{"local": sc.Locals, "module": sc.Modules} {
		values := map[string]cty.Value{}
		for name, n := range nodes {
			if n.OK {
				values[name] = n.Value
			}
		}
		base[kind] = cty.ObjectVal(values)
	}
}

// FullName is how a block is called in the whole fabric.
func (sc *Scope) FullName(kind, name string) string {
	if kind == "cos_group" {
		return name
	}
	return sc.Prefix + name
}

// keys returns the keys of m in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
