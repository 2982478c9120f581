package eval

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Guard walks a parsed body. It reports unknown functions and loops that are nested too deeply, and wraps the expressions that multiply
// work. It notes attributes with a mistake as failed, so that no further mistake is reported because of them.
func (ev *Evaluator) Guard(body *hclsyntax.Body, ds *diag.List) { ev.guardBody(body, false, ds) }

// guardBody guards a body. With types, the attribute named type contains a type.
func (ev *Evaluator) guardBody(body *hclsyntax.Body, types bool, ds *diag.List) {
	for _, a := range parse.Attributes(body) {
		g := guard{b: &ev.budget, types: types && a.Name == "type", ds: ds}
		g.expr(&a.Expr, 0)
		if g.bad {
			ev.Fail(a.Expr)
		}
		if g.size > instanceWork {
			ev.sizes[a.Expr] = g.size
		}
	}
	for _, b := range body.Blocks {
		ev.guardBody(b.Body, b.Type == "variable", ds)
	}
}

// guardExpression guards an expression, and reports whether it has no mistake.
func (ev *Evaluator) guardExpression(e *hclsyntax.Expression, ds *diag.List) bool {
	g := guard{b: &ev.budget, ds: ds}
	g.expr(e, 0)
	return !g.bad
}

type guard struct {
	b     *budget
	types bool // list(string) is a type, not a function call
	whole bool // inside arithmetic of whole numbers
	ds    *diag.List
	bad   bool
	size  int // expressions seen

	mixed map[hclsyntax.Expression]bool // expressions that are more than arithmetic of whole numbers
}

// metered guards an expression, and wraps it so that every evaluation charges the budget.
func (g *guard) metered(e *hclsyntax.Expression, loops, times int) {
	before := g.size
	g.expr(e, loops)
	*e = &metered{&hclsyntax.ParenthesesExpr{Expression: *e, SrcRange: (*e).Range()}, g.b, times, g.size - before}
}

func (g *guard) expr(p *hclsyntax.Expression, loops int) {
	if !g.types && !g.whole {
		if a := g.inWholeNumbers(*p); a != nil {
			g.whole = true // the expressions inside are computed with it
			g.expr(p, loops)
			g.whole = false
			*p = a
			return
		}
	}
	g.size++
	switch e := (*p).(type) {
	case *hclsyntax.LiteralValueExpr:
		if v := e.Val; v.IsKnown() && !v.IsNull() && v.Type() == cty.Number && hugeNumber(v.AsBigFloat()) {
			g.report(parse.TooLarge.Errorf(g.ds, e.SrcRange, "A number is too large, or too close to zero, for any attribute. Correct it."))
		}
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.AnonSymbolExpr:
	case *hclsyntax.RelativeTraversalExpr:
		g.expr(&e.Source, loops)
	case *hclsyntax.ParenthesesExpr:
		g.expr(&e.Expression, loops)
	case *hclsyntax.FunctionCallExpr:
		if !g.types && !isFunction(e.Name) {
			g.report(UnknownFunction.Errorf(g.ds, e.NameRange, "%s", noFunction(e.Name)).
				Instead(e.NameRange, diag.Nearest(e.Name, functionNames())))
		}
		for i := range e.Args {
			if e.ExpandFinal && i == len(e.Args)-1 && !g.types { // HCL makes an argument of each element before the function can count them
				g.metered(&e.Args[i], loops, 2)
			} else {
				g.expr(&e.Args[i], loops)
			}
		}
		if !g.types {
			*p = &call{e, g.b}
		}
	case *hclsyntax.ConditionalExpr:
		g.expr(&e.Condition, loops)
		g.expr(&e.TrueResult, loops)
		g.expr(&e.FalseResult, loops)
		*p = &choice{e}
	case *hclsyntax.IndexExpr:
		g.expr(&e.Collection, loops)
		g.expr(&e.Key, loops)
	case *hclsyntax.TupleConsExpr:
		for i := range e.Exprs {
			g.expr(&e.Exprs[i], loops)
		}
	case *hclsyntax.ObjectConsExpr:
		g.twins(e)
		for i := range e.Items {
			if k, ok := e.Items[i].KeyExpr.(*hclsyntax.ObjectConsKeyExpr); ok {
				g.expr(&k.Wrapped, loops)
			}
			g.expr(&e.Items[i].ValueExpr, loops)
		}
	case *hclsyntax.ForExpr:
		if loops == maxLoops {
			g.report(parse.TooDeep.Errorf(g.ds, e.OpenRange,
				"A for expression may contain one other for expression, not two. Move the inner ones into a locals block."))
			return
		}
		g.expr(&e.CollExpr, loops+1)
		for _, inner := range []*hclsyntax.Expression{&e.KeyExpr, &e.ValExpr, &e.CondExpr} {
			if *inner != nil {
				g.metered(inner, loops+1, 6) // every iteration also makes a scope
			}
		}
	case *hclsyntax.SplatExpr:
		g.expr(&e.Source, loops)
		g.metered(&e.Each, loops, 1)
	case *hclsyntax.BinaryOpExpr:
		if e.Op == hclsyntax.OpEqual || e.Op == hclsyntax.OpNotEqual { // they compare complete values
			g.metered(&e.LHS, loops, 4)
		} else {
			g.expr(&e.LHS, loops)
		}
		g.expr(&e.RHS, loops)
	case *hclsyntax.UnaryOpExpr:
		g.expr(&e.Val, loops)
	case *hclsyntax.TemplateExpr:
		for i := range e.Parts {
			if _, literal := e.Parts[i].(*hclsyntax.LiteralValueExpr); literal {
				g.expr(&e.Parts[i], loops)
			} else {
				g.metered(&e.Parts[i], loops, 1)
			}
		}
		if _, literal := parse.Literal(e); !literal && !g.types {
			*p = &template{e}
		}
	case *hclsyntax.TemplateJoinExpr:
		g.expr(&e.Tuple, loops)
	case *hclsyntax.TemplateWrapExpr:
		g.expr(&e.Wrapped, loops)
	default: // a kind of expression that this version of the language does not have
		g.report(BadExpression.Errorf(g.ds, e.Range(), "This kind of expression is not part of the language. Write it in another way."))
	}
}

// twins reports keys that an object has twice. HCL would silently use the last one.
func (g *guard) twins(e *hclsyntax.ObjectConsExpr) {
	if len(e.Items) < 2 {
		return
	}
	seen := make(map[string]diag.Range, len(e.Items))
	for _, item := range e.Items {
		name := hcl.ExprAsKeyword(item.KeyExpr)
		if v, ok := parse.Literal(parse.Key(item.KeyExpr)); ok && name == "" && !v.IsNull() && v.Type() == cty.String {
			name = v.AsString()
		}
		if name == "" {
			continue
		}
		if first, ok := seen[name]; ok {
			d := parse.DuplicateAttribute.Errorf(g.ds, item.KeyExpr.Range(), "%q is set twice in one object. Delete one of the two.",
				diag.Cut(name)).Note(first, "set here first")
			g.report(d)
			continue
		}
		seen[name] = item.KeyExpr.Range()
	}
}

func (g *guard) report(*diag.Diagnostic) { g.bad = true }
