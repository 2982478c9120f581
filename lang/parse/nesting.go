package parse

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// checkTokens refuses tokens that would overflow the stack of the recursive parser of hclsyntax. Depth counts the causes of recursion:
// open brackets and templates, conditionals and signs of the current expression.
func checkTokens(tokens hclsyntax.Tokens, ds *diag.List) bool {
	if len(tokens) > maxTokens {
		TooLarge.Errorf(ds, tokens[maxTokens].Range, "The file has more than 200,000 tokens. Split it into several files.")
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
			top.chain++ // an index or a call is a further step of the expression
			if t.Type == hclsyntax.TokenTemplateControl && i+1 < len(tokens) {
				switch string(tokens[i+1].Bytes) { // a control contains the text up to its end
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
				TooLarge.Errorf(ds, t.Range, "A text has more than %d lines or pieces. Split it, or read it with file(...).", maxPieces)
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
		if depth > MaxDepth {
			TooDeep.Errorf(ds, t.Range, "More than %d brackets, templates, conditionals or signs are open here. Give parts of the expression a "+
				"name in a locals block.", MaxDepth)
			return false
		}
		if top.chain > maxChain {
			TooDeep.Errorf(ds, t.Range, "More than %d operators, dots and indexes are joined in one expression. Give its parts names in a "+
				"locals block.", maxChain)
			return false
		}
	}
	return true
}

// isSign reports whether a token is a sign. A further sign after it makes the parser recurse once more.
func isSign(t hclsyntax.TokenType) bool { return t == hclsyntax.TokenBang || t == hclsyntax.TokenMinus }
