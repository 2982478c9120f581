package eval

import (
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Numbers of cty are big floats. Most expressions that a fabric has for every host are small and whole, such as a part of an address
// from self.index. They are computed in int64, which is a hundred times as fast. The result is the same as cty's, bit for bit: cty
// computes every expression that could be rounded, overflow, give a negative zero, or have a mistake.

// arithmetic is an expression of whole numbers. It embeds the original expression, so that walks over the tree find the expressions
// inside.
type arithmetic struct {
	hclsyntax.Expression
	root term
	b    *budget
}

func (a *arithmetic) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if w, ok := a.whole(ctx); ok {
		return w.value(), nil
	}
	return a.Expression.Value(ctx)
}

// whole computes the value in int64, if that is possible. Otherwise it charges nothing, because cty computes the whole expression again.
func (a *arithmetic) whole(ctx *hcl.EvalContext) (exact, bool) {
	left := a.b.left
	w, ok := a.root.whole(ctx)
	if !ok {
		a.b.left = left
	}
	return w, ok
}

// exact is a whole number and the precision of its big float. The precision is part of the value: cty rounds later results by it.
type exact struct {
	n    int64
	prec uint
}

// mostWhole bounds the numbers that are computed in int64: the sum of two such numbers does not overflow.
const mostWhole = 1 << 62

// leastPrec is the smallest precision at which all of these numbers, and the whole part of a quotient of two, are exact.
const leastPrec = 64

func (w exact) value() cty.Value {
	return cty.NumberVal(new(big.Float).SetPrec(w.prec).SetInt64(w.n))
}

func (w exact) fits() bool { return -mostWhole < w.n && w.n < mostWhole }

// wholeOf reads a value as a whole number.
func wholeOf(v cty.Value) (exact, bool) {
	if v.IsMarked() || v.Type() != cty.Number || !v.IsKnown() || v.IsNull() {
		return exact{}, false
	}
	f := v.AsBigFloat()
	n, accuracy := f.Int64()
	w := exact{n, f.Prec()}
	return w, accuracy == big.Exact && w.prec >= leastPrec && w.fits() && (n != 0 || !f.Signbit())
}

// term is a part of an expression of whole numbers. It returns no value if cty has to compute it.
type term interface {
	whole(ctx *hcl.EvalContext) (exact, bool)
}

// fixed is a literal number.
type fixed exact

func (f fixed) whole(*hcl.EvalContext) (exact, bool) { return exact(f), true }

// read is a reference.
type read struct{ hcl.Traversal }

func (r read) whole(ctx *hcl.EvalContext) (exact, bool) {
	if v, ok := r.attribute(ctx); ok {
		return wholeOf(v)
	}
	v, ds := r.TraverseAbs(ctx)
	if ds.HasErrors() {
		return exact{}, false
	}
	return wholeOf(v)
}

// attribute reads the most common references, such as self.index, without the notes that HCL makes for its messages.
func (r read) attribute(ctx *hcl.EvalContext) (cty.Value, bool) {
	if len(r.Traversal) != 2 {
		return cty.NilVal, false
	}
	step, ok := r.Traversal[1].(hcl.TraverseAttr)
	if !ok {
		return cty.NilVal, false
	}
	for name := r.RootName(); ctx != nil; ctx = ctx.Parent() {
		if v, found := ctx.Variables[name]; found {
			if !v.Type().IsObjectType() || !v.IsKnown() || v.IsNull() || !v.Type().HasAttribute(step.Name) {
				return cty.NilVal, false
			}
			return v.GetAttr(step.Name), true
		}
	}
	return cty.NilVal, false
}

// negative is the sign of a term.
type negative struct{ of term }

func (t negative) whole(ctx *hcl.EvalContext) (exact, bool) {
	w, ok := t.of.whole(ctx)
	return exact{-w.n, w.prec}, ok && w.n != 0
}

// operation is an operator between two terms.
type operation struct {
	op   *hclsyntax.Operation
	l, r term
}

func (t operation) operands(ctx *hcl.EvalContext) (a, b int64, prec uint, ok bool) {
	l, ok := t.l.whole(ctx)
	if !ok {
		return 0, 0, 0, false
	}
	r, ok := t.r.whole(ctx)
	return l.n, r.n, max(l.prec, r.prec), ok
}

func (t operation) whole(ctx *hcl.EvalContext) (exact, bool) {
	if t.op == hclsyntax.OpModulo { // the result has the precision of the dividend
		l, ok := t.l.whole(ctx)
		if !ok {
			return exact{}, false
		}
		r, ok := t.r.whole(ctx)
		if !ok || r.n == 0 {
			return exact{}, false
		}
		return exact{l.n % r.n, l.prec}, true
	}
	a, b, prec, ok := t.operands(ctx)
	if !ok {
		return exact{}, false
	}
	out := exact{prec: prec}
	switch t.op {
	case hclsyntax.OpAdd:
		out.n = a + b
	case hclsyntax.OpSubtract:
		out.n = a - b
	case hclsyntax.OpMultiply:
		if a == 0 || b == 0 {
			return out, a >= 0 && b >= 0
		}
		if out.n = a * b; abs(a) > mostWhole/abs(b) {
			return out, false
		}
	case hclsyntax.OpDivide:
		if b == 0 || a%b != 0 || a == 0 && b < 0 {
			return out, false
		}
		out.n = a / b
	}
	return out, out.fits()
}

func abs(n int64) int64 { return max(n, -n) }

// floored is floor(...) around a term. If the term is a quotient, the quotient may have a fraction.
type floored struct {
	of term
	b  *budget
}

func (t floored) whole(ctx *hcl.EvalContext) (exact, bool) {
	out, ok := t.floor(ctx)
	if ok {
		t.b.charge(1) // every function is charged for its argument
		t.b.charge(1) // and for its result
	}
	return out, ok
}

func (t floored) floor(ctx *hcl.EvalContext) (exact, bool) {
	quotient, ok := t.of.(operation)
	if !ok || quotient.op != hclsyntax.OpDivide {
		return t.of.whole(ctx)
	}
	a, b, prec, ok := quotient.operands(ctx)
	if !ok || b == 0 || a == 0 && b < 0 {
		return exact{}, false
	}
	n := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		n--
	}
	return exact{n, prec}, true
}

// wholeTerm makes a term of an expression. It returns nil if the expression contains more than arithmetic of numbers and references. It
// remembers such expressions, because the guard calls it again for each expression inside.
func (g *guard) wholeTerm(e hclsyntax.Expression) term {
	if g.mixed[e] {
		return nil
	}
	t := g.newTerm(e)
	if t == nil {
		if g.mixed == nil {
			g.mixed = map[hclsyntax.Expression]bool{}
		}
		g.mixed[e] = true
	}
	return t
}

func (g *guard) newTerm(e hclsyntax.Expression) term {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		if w, ok := wholeOf(e.Val); ok {
			return fixed(w)
		}
	case *hclsyntax.ScopeTraversalExpr:
		return read{e.Traversal}
	case *hclsyntax.ParenthesesExpr:
		return g.wholeTerm(e.Expression)
	case *hclsyntax.UnaryOpExpr:
		if e.Op == hclsyntax.OpNegate {
			if of := g.wholeTerm(e.Val); of != nil {
				return negative{of}
			}
		}
	case *hclsyntax.BinaryOpExpr:
		switch e.Op {
		case hclsyntax.OpAdd, hclsyntax.OpSubtract, hclsyntax.OpMultiply, hclsyntax.OpDivide, hclsyntax.OpModulo:
			if l := g.wholeTerm(e.LHS); l != nil {
				if r := g.wholeTerm(e.RHS); r != nil {
					return operation{e.Op, l, r}
				}
			}
		}
	case *hclsyntax.FunctionCallExpr:
		if e.Name == "floor" && len(e.Args) == 1 && !e.ExpandFinal {
			if of := g.wholeTerm(e.Args[0]); of != nil {
				return floored{of, g.b}
			}
		}
	}
	return nil
}

// inWholeNumbers returns the expression as arithmetic of whole numbers, or nil. It returns nil for a single reference or number, which
// would not become faster.
func (g *guard) inWholeNumbers(e hclsyntax.Expression) *arithmetic {
	switch e.(type) {
	case *hclsyntax.BinaryOpExpr, *hclsyntax.FunctionCallExpr, *hclsyntax.UnaryOpExpr:
		if root := g.wholeTerm(e); root != nil {
			return &arithmetic{e, root, g.b}
		}
	}
	return nil
}
