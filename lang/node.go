package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// node is what has a value that may need those of others: a local, or a module with its outputs.
type node struct {
	kind  string // "local" or "module"
	name  string
	at    diag.Range
	exprs []hclsyntax.Expression // that are evaluated for it; a local has one
	call  *call                  // of a module
	needs []*node
	state state

	value cty.Value
	ok    bool
}

type state int8

const (
	untouched state = iota
	underWay
	settled
	inCycle // and reported
)

// settleNodes gives every local and module of a scope its value, each after those it needs.
func (l *loader) settleNodes(sc *scope, base *hcl.EvalContext) {
	order := append(l.localNodes(sc), l.moduleNodes(sc)...)
	for _, n := range order {
		n.needs = sc.nodesIn(n.exprs)
	}
	var path []*node
	for _, n := range order {
		l.settleNode(sc, n, base, &path)
	}
	// A module that another one needs is settled before its turn; its instances keep the order they are written in.
	slices.SortStableFunc(sc.children, func(a, b *scope) int {
		return diag.ComparePlace(a.caller.TypeRange, b.caller.TypeRange)
	})
}

// localNodes makes a node of every attribute of the locals blocks.
func (l *loader) localNodes(sc *scope) []*node {
	sc.locals = map[string]*node{}
	var order []*node
	for _, b := range sc.folder.blocks["locals"] {
		for _, inner := range b.Body.Blocks {
			unknownBlock.Errorf(&l.diags, inner.TypeRange, "A locals block holds name = value lines only, no blocks. Write %s = { ... }.",
				diag.Cut(inner.Type))
		}
		for _, a := range sortedAttributes(b.Body) {
			if first, ok := sc.locals[a.Name]; ok {
				duplicateName.Errorf(&l.diags, a.NameRange, "There are two locals named %q. Give one another name.", a.Name).
					Note(first.at, "the first one")
				continue
			}
			if len(order) == maxLocals {
				tooLarge.Errorf(&l.diags, a.NameRange, "A folder has more than %s locals. Put what belongs together into one map.", diag.Number(maxLocals))
				return order
			}
			n := &node{kind: "local", name: a.Name, at: a.NameRange, exprs: []hclsyntax.Expression{a.Expr}}
			sc.locals[a.Name] = n
			order = append(order, n)
		}
	}
	return order
}

// nodesIn returns the locals and modules that expressions refer to, each once.
func (sc *scope) nodesIn(exprs []hclsyntax.Expression) []*node {
	var out []*node
	seen := map[*node]bool{}
	for _, e := range exprs {
		for _, t := range e.Variables() {
			if len(t) < 2 {
				continue
			}
			name, _ := stepName(t[1])
			var n *node
			switch t.RootName() {
			case "local":
				n = sc.locals[name]
			case "module":
				n = sc.modules[name]
			}
			if n != nil && !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// settleNode evaluates n after everything it needs. Path holds the nodes under way.
func (l *loader) settleNode(sc *scope, n *node, base *hcl.EvalContext, path *[]*node) {
	switch n.state {
	case settled, inCycle:
		return
	case underWay:
		l.reportCycle((*path)[slices.Index(*path, n):])
		return
	}
	n.state = underWay
	*path = append(*path, n)
	for _, need := range n.needs {
		l.settleNode(sc, need, base, path)
	}
	*path = (*path)[:len(*path)-1]
	if n.state == inCycle {
		return
	}
	n.state = settled
	ctx := base.NewChild()
	values := map[string]map[string]cty.Value{"local": {}, "module": {}}
	for _, need := range n.needs {
		if need.ok {
			values[need.kind][need.name] = need.value
		}
	}
	ctx.Variables = map[string]cty.Value{"local": cty.ObjectVal(values["local"]), "module": cty.ObjectVal(values["module"])}
	if n.call != nil {
		l.callModule(sc, n, ctx)
		return
	}
	val, o := l.value(&env{sc: sc, ctx: ctx}, n.exprs[0])
	n.value, n.ok = val, o != failed
}

// reportCycle reports a circle of locals and modules, from its smallest place, and marks all of it.
func (l *loader) reportCycle(circle []*node) {
	first := 0
	what := "locals"
	for i, n := range circle {
		if diag.ComparePlace(n.at, circle[first].at) < 0 {
			first = i
		}
		if n.kind == "module" {
			what = "locals and modules"
		}
	}
	circle = slices.Concat(circle[first:], circle[:first])
	called := func(n *node) string {
		if what == "locals" {
			return n.name
		}
		return n.kind + "." + n.name
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
	d := referenceCycle.Errorf(&l.diags, circle[0].at, "These %s need each other: %s. Break the circle at one of them.", what, strings.Join(names, " -> "))
	for i, n := range circle {
		if i > 0 && i <= 50 {
			d.Note(n.at, "%s needs %s", called(n), called(circle[(i+1)%len(circle)]))
		}
	}
}
