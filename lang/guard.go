package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// checkTokens refuses token streams the recursive parser of hclsyntax would die of. Depth counts what makes it recurse:
// brackets and templates still open, conditionals and signs of the expression at hand.
func checkTokens(tokens hclsyntax.Tokens, ds *diag.List) bool {
	if len(tokens) > maxTokens {
		tooLarge.Errorf(ds, tokens[maxTokens].Range, "The file has more than 200,000 tokens. Split it into several files.")
		return false
	}
	type level struct {
		signs, questions, chain, controls int
		pieces                            int  // of text
		lines                             bool // newlines end an expression here
	}
	levels := []level{{lines: true}}
	depth := 0
	for i, t := range tokens {
		top := &levels[len(levels)-1]
		switch t.Type {
		case hclsyntax.TokenOParen, hclsyntax.TokenOBrack, hclsyntax.TokenOBrace, hclsyntax.TokenTemplateInterp,
			hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateControl:
			top.chain++ // an index or a call continues the expression
			if t.Type == hclsyntax.TokenTemplateControl && i+1 < len(tokens) {
				switch string(tokens[i+1].Bytes) { // a control nests what follows, until its end
				case "if", "for":
					top.controls++
					depth++
				case "endif", "endfor":
					if top.controls > 0 {
						top.controls--
						depth--
					}
				}
			}
			levels = append(levels, level{lines: t.Type == hclsyntax.TokenOBrace})
			depth++
		case hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenCBrace, hclsyntax.TokenTemplateSeqEnd,
			hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			if len(levels) > 1 {
				depth -= 1 + top.signs + top.questions + top.controls
				levels = levels[:len(levels)-1]
			}
		case hclsyntax.TokenComma, hclsyntax.TokenNewline, hclsyntax.TokenEqual:
			if t.Type != hclsyntax.TokenNewline || top.lines {
				depth -= top.signs + top.questions
				top.signs, top.questions, top.chain = 0, 0, 0
			}
		case hclsyntax.TokenStringLit, hclsyntax.TokenQuotedLit:
			if top.pieces++; top.pieces > maxPieces {
				tooLarge.Errorf(ds, t.Range, "A text has more than %d lines or pieces. Split it, or read it with file(...).", maxPieces)
				return false
			}
		case hclsyntax.TokenQuestion:
			top.questions++
			depth++
			top.chain = 0
		case hclsyntax.TokenColon:
			top.chain = 0
		case hclsyntax.TokenBang, hclsyntax.TokenMinus:
			if i > 0 && isSign(tokens[i-1].Type) {
				top.signs++
				depth++
			}
			top.chain++
		case hclsyntax.TokenPlus, hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPercent, hclsyntax.TokenAnd,
			hclsyntax.TokenOr, hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan,
			hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq, hclsyntax.TokenDot,
			hclsyntax.TokenDoubleColon:
			top.chain++
		}
		if depth > maxDepth {
			tooDeep.Errorf(ds, t.Range, "More than %d brackets, templates, conditionals or signs are open here. Give parts of the expression a name in a locals block.", maxDepth)
			return false
		}
		if top.chain > maxChain {
			tooDeep.Errorf(ds, t.Range, "More than %d operators, dots and indexes are joined in one expression. Give parts of it a name in a locals block.", maxChain)
			return false
		}
	}
	return true
}

// isSign tells whether a - or ! behind such a token is a sign of a sign, and so makes the parser recurse once more.
func isSign(t hclsyntax.TokenType) bool { return t == hclsyntax.TokenBang || t == hclsyntax.TokenMinus }

// guard walks a parsed body: it reports unknown functions and loops that are nested too deeply, and wraps the places
// where work multiplies. With types, the attribute named type is one. Attributes with a mistake are marked failed, so that nothing more is said about them.
func (l *loader) guard(body *hclsyntax.Body, types bool) {
	for _, a := range sortedAttributes(body) {
		g := guard{l: l, types: types && a.Name == "type"}
		g.expr(&a.Expr, 0)
		if g.bad {
			l.failed[a.Expr] = true
		}
	}
	for _, b := range body.Blocks {
		l.guard(b.Body, b.Type == "variable")
	}
}

type guard struct {
	l     *loader
	types bool // list(string) is a type, not a function call
	bad   bool
}

func (g *guard) meter(e *hclsyntax.Expression, times int) {
	*e = &metered{&hclsyntax.ParenthesesExpr{Expression: *e, SrcRange: (*e).Range()}, &g.l.budget, times}
}

func (g *guard) expr(p *hclsyntax.Expression, loops int) {
	switch e := (*p).(type) {
	case *hclsyntax.LiteralValueExpr:
		if v := e.Val; v.IsKnown() && !v.IsNull() && v.Type() == cty.Number && hugeNumber(v.AsBigFloat()) {
			g.report(tooLarge.Errorf(&g.l.diags, e.SrcRange, "A number is too large, or too close to zero, to mean anything here. Correct it."))
		}
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.AnonSymbolExpr:
	case *hclsyntax.RelativeTraversalExpr:
		g.expr(&e.Source, loops)
	case *hclsyntax.ParenthesesExpr:
		g.expr(&e.Expression, loops)
	case *hclsyntax.FunctionCallExpr:
		if _, ok := g.l.root.functions[e.Name]; !ok && !g.types {
			g.report(unknownFunction.Errorf(&g.l.diags, e.NameRange, "%s", noFunction(e.Name)).
				Instead(e.NameRange, diag.Nearest(e.Name, functionNames())))
		}
		for i := range e.Args {
			g.expr(&e.Args[i], loops)
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
			g.report(tooDeep.Errorf(&g.l.diags, e.OpenRange, "A for expression may hold one other for expression, not two. Give the inner ones a name in a locals block."))
			return
		}
		g.expr(&e.CollExpr, loops+1)
		for _, inner := range []*hclsyntax.Expression{&e.KeyExpr, &e.ValExpr, &e.CondExpr} {
			if *inner != nil {
				g.expr(inner, loops+1)
				g.meter(inner, 4) // every turn also makes a scope
			}
		}
	case *hclsyntax.SplatExpr:
		g.expr(&e.Source, loops)
		g.expr(&e.Each, loops)
		g.meter(&e.Each, 1)
	case *hclsyntax.BinaryOpExpr:
		g.expr(&e.LHS, loops)
		g.expr(&e.RHS, loops)
		if e.Op == hclsyntax.OpEqual || e.Op == hclsyntax.OpNotEqual { // these compare whole values
			g.meter(&e.LHS, 4)
		}
	case *hclsyntax.UnaryOpExpr:
		g.expr(&e.Val, loops)
	case *hclsyntax.TemplateExpr:
		for i := range e.Parts {
			g.expr(&e.Parts[i], loops)
			if _, literal := e.Parts[i].(*hclsyntax.LiteralValueExpr); !literal {
				g.meter(&e.Parts[i], 1)
			}
		}
	case *hclsyntax.TemplateJoinExpr:
		g.expr(&e.Tuple, loops)
	case *hclsyntax.TemplateWrapExpr:
		g.expr(&e.Wrapped, loops)
	default: // a kind of expression this version of the language does not have
		g.report(badExpression.Errorf(&g.l.diags, e.Range(), "This kind of expression is not part of the language. Write it in another way."))
	}
}

// twins reports keys that are written twice in one object, where HCL would take the last one.
func (g *guard) twins(e *hclsyntax.ObjectConsExpr) {
	if len(e.Items) < 2 {
		return
	}
	seen := make(map[string]diag.Range, len(e.Items))
	for _, item := range e.Items {
		name := hcl.ExprAsKeyword(item.KeyExpr)
		if v, ok := literal(bareKey(item.KeyExpr)); ok && name == "" && !v.IsNull() && v.Type() == cty.String {
			name = v.AsString()
		}
		if name == "" {
			continue
		}
		if first, ok := seen[name]; ok {
			d := duplicateAttribute.Errorf(&g.l.diags, item.KeyExpr.Range(), "%q is set twice in one object. Delete one of the two.",
				diag.Cut(name)).Note(first, "set here first")
			g.report(d)
			continue
		}
		seen[name] = item.KeyExpr.Range()
	}
}

func (g *guard) report(*diag.Diagnostic) { g.bad = true }

// sortedAttributes gives the attributes of a body in the order they are written.
func sortedAttributes(body *hclsyntax.Body) []*hclsyntax.Attribute {
	out := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *hclsyntax.Attribute) int { return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte })
	return out
}

// bare takes the brackets off an expression.
func bare(e hclsyntax.Expression) hclsyntax.Expression {
	for {
		p, ok := e.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expression
	}
}

// start is the place of a whole file.
func start(name string) diag.Range {
	return diag.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
}
