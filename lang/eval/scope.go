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
	Meant     map[string]bool                  // references such as "var.mtu" to blocks that are declared with a reported mistake
	Functions map[string]function.Function
}

// NewNames returns the names of a folder without declarations.
func (ev *Evaluator) NewNames(f parse.Folder) *Names {
	return &Names{
		Folder: f, Labels: map[string]map[string]diag.Range{}, Meant: map[string]bool{}, Functions: ev.functions(f),
	}
}

// Scope is the scope of names: the folder of the fabric, or one instance of a module.
type Scope struct {
	Names  *Names
	Prefix string           // prefix of its names in the folder of the fabric: "pod[a]."; "" in that folder
	Caller *hclsyntax.Block // the module block; nil for the folder of the fabric
	Parent *Scope

	Vars    map[string]*Variable
	Locals  map[string]*Node
	Modules map[string]*Node

	ctx     *hcl.EvalContext              // shared by all of its blocks
	checked map[hclsyntax.Expression]bool // expressions whose references are all declared
}

// NewScope returns the scope of the folder of the fabric. With the block that calls a module, and the scope around the block, it
// returns the scope of the module.
func NewScope(names *Names, prefix string, caller *hclsyntax.Block, parent *Scope) *Scope {
	return &Scope{
		Names: names, Prefix: prefix, Caller: caller, Parent: parent,
		ctx: &hcl.EvalContext{Functions: names.Functions}, checked: map[hclsyntax.Expression]bool{},
	}
}

// Env returns the environment of a block without for_each.
func (sc *Scope) Env() *Env { return &Env{Scope: sc, ctx: sc.ctx} }

// Bare returns an environment that has only functions.
func (sc *Scope) Bare() *Env {
	return &Env{Scope: sc, ctx: &hcl.EvalContext{Functions: sc.Names.Functions}}
}

// Settle computes the value of every local and module of a scope, in the order of their dependencies. The variables must have values.
// Nodes are in the order of the files. Call makes the instances of a module and returns its value, if it has one.
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

// FullName returns the name of a block that is unique in the fabric.
func (sc *Scope) FullName(kind, name string) string {
	if kind == "cos_group" {
		return name
	}
	return sc.Prefix + name
}

// keys returns the keys of m in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
