package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// Node is a local, or a module with its outputs. Its value may depend on other nodes.
type Node struct {
	Kind   string // "local" or "module"
	Name   string
	At     diag.Range
	Exprs  []hclsyntax.Expression // the expressions that it evaluates; a local has one
	Module *Module                // nil for a local

	Value cty.Value
	OK    bool

	needs []*Node
	state state
}

// Module contains the properties of a module that are known before its instances are made.
type Module struct {
	Block  *hclsyntax.Block
	Names  *Names          // the names of its folder; nil if the folder cannot be read
	Many   bool            // the module has for_each, so its values have keys
	Keys   map[string]bool // the keys of for_each
	Silent map[string]bool // outputs with a mistake that is reported at its place
}

type state int8

const (
	untouched state = iota
	underWay
	settled
	inCycle // and reported
)

// order computes the nodes of a scope by a depth-first search along their dependencies.
type order struct {
	ev   *Evaluator
	sc   *Scope
	base *hcl.EvalContext
	call func(n *Node, en *Env, ds *diag.List) (cty.Value, bool)
	path []*Node          // under way
	free *hcl.EvalContext // the context of nodes without dependencies
}

func (o *order) settle(nodes []*Node, ds *diag.List) {
	o.free = o.context(nil)
	for _, n := range nodes {
		n.needs = o.nodesIn(n.Exprs)
	}
	for _, n := range nodes {
		o.visit(n, ds)
	}
}

// nodesIn returns the locals and modules to which expressions refer, each once.
func (o *order) nodesIn(exprs []hclsyntax.Expression) []*Node {
	var out []*Node
	seen := map[*Node]bool{}
	for _, e := range exprs {
		for _, t := range o.ev.refs.in(e, o.sc.Parent != nil) {
			if len(t) < 2 {
				continue
			}
			name, _ := stepName(t[1])
			var n *Node
			switch t.RootName() {
			case "local":
				n = o.sc.Locals[name]
			case "module":
				n = o.sc.Modules[name]
			}
			if n != nil && !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// visit evaluates n after its dependencies.
func (o *order) visit(n *Node, ds *diag.List) {
	switch n.state {
	case settled, inCycle:
		return
	case underWay:
		reportCycle(o.path[slices.Index(o.path, n):], ds)
		return
	}
	n.state = underWay
	o.path = append(o.path, n)
	for _, need := range n.needs {
		o.visit(need, ds)
	}
	o.path = o.path[:len(o.path)-1]
	if n.state == inCycle {
		return
	}
	n.state = settled
	ctx := o.free
	if len(n.needs) > 0 {
		ctx = o.context(n.needs)
	}
	en := &Env{Scope: o.sc, ctx: ctx}
	if n.Module != nil {
		n.Value, n.OK = o.call(n, en, ds)
		return
	}
	v, result := o.ev.Value(en, n.Exprs[0], ds)
	n.Value, n.OK = v, result != Failed
}

// context returns the context of a node with its dependencies.
func (o *order) context(needs []*Node) *hcl.EvalContext {
	ctx := o.base.NewChild()
	values := map[string]map[string]cty.Value{"local": {}, "module": {}}
	for _, need := range needs {
		if need.OK {
			values[need.Kind][need.Name] = need.Value
		}
	}
	ctx.Variables = map[string]cty.Value{"local": cty.ObjectVal(values["local"]), "module": cty.ObjectVal(values["module"])}
	return ctx
}

// reportCycle reports a cycle of locals and modules, from its smallest place, and marks every node.
func reportCycle(circle []*Node, ds *diag.List) {
	first := 0
	what := "locals"
	for i, n := range circle {
		if diag.ComparePlace(n.At, circle[first].At) < 0 {
			first = i
		}
		if n.Kind == "module" {
			what = "locals and modules"
		}
	}
	circle = slices.Concat(circle[first:], circle[:first])
	called := func(n *Node) string {
		if what == "locals" {
			return n.Name
		}
		return n.Kind + "." + n.Name
	}
	names := make([]string, 0, len(circle)+1)
	for _, n := range circle {
		names = append(names, called(n))
		n.state = inCycle
	}
	names = append(names, names[0])
	if len(names) > 20 {
		names = append(append(names[:10:10], fmt.Sprintf("(%d more)", len(names)-19)), names[len(names)-9:]...)
	}
	d := ReferenceCycle.Errorf(ds, circle[0].At, "These %s need each other: %s. Break the circle at one of them.", what,
		strings.Join(names, " -> "))
	for i, n := range circle {
		if i > 0 && i <= 50 {
			d.Note(n.At, "%s needs %s", called(n), called(circle[(i+1)%len(circle)]))
		}
	}
}
