package eval

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// bits returns a whole number as a big float of a precision.
func bits(n int64, prec uint) cty.Value {
	return cty.NumberVal(new(big.Float).SetPrec(prec).SetInt64(n))
}

// operands are the values to which random expressions refer: numbers of all precisions, numbers at each limit, and values that are not
// numbers.
var operands = map[string]cty.Value{
	"zero": bits(0, 64), "below": cty.NumberVal(new(big.Float).Neg(new(big.Float))), "one": bits(1, 64), "minus": bits(-1, 64),
	"seven": bits(7, 512), "odd": bits(163_839, 64), "few": bits(-300, 65), "float": cty.NumberFloatVal(1024), "half": cty.NumberFloatVal(0.5),
	"large": bits(1<<62-1, 64), "small": bits(-(1<<62 - 1), 512), "edge": bits(1<<62, 64), "most": bits(1<<63-1, 64),
	"least":  bits(-1<<63, 64),
	"beyond": cty.MustParseNumberVal("123456789012345678901234567890"), "third": cty.MustParseNumberVal("0.3333333333333333333333333333"),
	"digits": cty.StringVal("12"), "text": cty.StringVal("leaf"), "yes": cty.True, "nothing": cty.NullVal(cty.Number),
	"null":    cty.NullVal(cty.DynamicPseudoType),
	"unknown": cty.UnknownVal(cty.Number), "any": cty.DynamicVal, "list": cty.TupleVal([]cty.Value{bits(1, 64)}), "inf": cty.PositiveInfinity,
	"wide": bits(1<<53, 53), "single": bits(1, 53), "letters": cty.StringVal("é "), "later": cty.UnknownVal(cty.String),
}

// randomArithmetic returns the text of an expression of numbers.
func randomArithmetic(r *rand.Rand, depth int) string {
	names := []string{"zero", "one", "minus", "seven", "odd", "odd", "few", "few", "large", "small", "edge", "most", "least"}
	if r.IntN(5) == 0 {
		names = slices.Sorted(func(yield func(string) bool) {
			for name := range operands {
				if !yield(name) {
					return
				}
			}
		})
	}
	switch k := r.IntN(12); {
	case depth == 0 || k < 2:
		if r.IntN(2) == 0 {
			return []string{
				"0", "1", "2", "3", "8", "256", "65536", "10000000000", "4611686018427387903", "9223372036854775807",
				"1.5", "18446744073709551616",
			}[r.IntN(12)]
		}
		return "x." + names[r.IntN(len(names))]
	case k < 3:
		return "-" + randomArithmetic(r, depth-1)
	case k < 5:
		return "floor(" + randomArithmetic(r, depth-1) + ")"
	default:
		op := []string{"+", "-", "*", "/", "%"}[r.IntN(5)]
		return "(" + randomArithmetic(r, depth-1) + " " + op + " " + randomArithmetic(r, depth-1) + ")"
	}
}

// randomTemplate returns a template with parts of all kinds.
func randomTemplate(r *rand.Rand) string {
	var out strings.Builder
	out.WriteString(`"`)
	for range 1 + r.IntN(4) {
		switch r.IntN(4) {
		case 0:
			out.WriteString("10.")
		case 1:
			out.WriteString("${x." + []string{
				"odd", "text", "digits", "letters", "yes", "nothing", "unknown", "list", "later", "half",
				"null",
			}[r.IntN(11)] + "}")
		default:
			out.WriteString("${" + randomArithmetic(r, 1+r.IntN(2)) + "}")
		}
	}
	return out.String() + `."`
}

// metersOnly charges for an expression as [guard] does, but HCL and cty compute all of it.
func metersOnly(e hclsyntax.Expression, b *budget) {
	if t, ok := e.(*hclsyntax.TemplateExpr); ok {
		for i, part := range t.Parts {
			if _, literal := part.(*hclsyntax.LiteralValueExpr); !literal {
				counts := guard{b: b, whole: true, ds: &diag.List{}}
				counts.expr(&part, 0)
				t.Parts[i] = &metered{&hclsyntax.ParenthesesExpr{Expression: part, SrcRange: part.Range()}, b, 1, counts.size}
			}
		}
	}
}

var (
	exactly        = New(map[string][]byte{}, Outside{}, func(string) bool { return false }, func(string) bool { return false })
	exactFunctions = exactly.functions(parse.Folder{})
)

// checkExact compares our result of an expression with the result of HCL and cty: value, precision, sign of zero, mistakes and the
// charged work.
func checkExact(t *testing.T, src string) {
	t.Helper()
	evaluate := func(guarded bool) (v cty.Value, hds hcl.Diagnostics, stopped diag.List, left int) {
		ev := exactly
		ev.budget = budget{left: maxWork}
		e, mistakes := hclsyntax.ParseExpression([]byte(src), "a.hcl", hcl.InitialPos)
		require.Empty(t, mistakes, src)
		if guarded {
			var ds diag.List
			require.True(t, ev.guardExpression(&e, &ds), src)
		} else {
			metersOnly(e, &ev.budget)
		}
		ctx := &hcl.EvalContext{Functions: exactFunctions, Variables: map[string]cty.Value{"x": cty.ObjectVal(operands)}}
		if !ev.within(e, func() { v, hds = e.Value(ctx.NewChild()) }, &stopped) {
			v = cty.NilVal
		}
		return v, hds, stopped, ev.budget.left
	}
	got, gotDs, gotStop, gotLeft := evaluate(true)
	want, wantDs, wantStop, wantLeft := evaluate(false)
	require.Equal(t, wantStop, gotStop, src)
	if wantStop != nil {
		return
	}
	require.Len(t, gotDs, len(wantDs), src)
	for i, d := range wantDs {
		detail := func(d *hcl.Diagnostic) string { // without the stack trace of a panic in cty
			says, _, _ := strings.Cut(d.Detail, "panic in function implementation")
			return d.Summary + ": " + says
		}
		require.Equal(t, detail(d), detail(gotDs[i]), src)
		require.Equal(t, d.Subject, gotDs[i].Subject, src)
		require.Equal(t, d.Context, gotDs[i].Context, src)
	}
	require.True(t, got.RawEquals(want), "%s: %#v, not %#v", src, got, want)
	require.Equal(t, wantLeft, gotLeft, "%s: work", src)
	if want.Type() != cty.Number || !want.IsKnown() || want.IsNull() {
		return
	}
	g, w := got.AsBigFloat(), want.AsBigFloat()
	require.Equal(t, w.Prec(), g.Prec(), "%s: precision", src)
	require.Equal(t, w.Signbit(), g.Signbit(), "%s: sign", src)
	require.Equal(t, w.Text('f', -1), g.Text('f', -1), src)
}

// Whole numbers are computed in int64, with the same results.
func TestArithmeticIsExact(t *testing.T) {
	for _, src := range []string{
		"x.below", "-x.zero", "0 * -1", "x.zero / -3", "x.odd % 0", "x.few % 7", "x.odd % -7", "x.zero % x.few", "floor(x.few / 7)",
		"floor(-1 / 3)", "floor(x.zero / -1)", "floor(x.large / 2) * 2", "x.large + x.large", "x.large * x.large", "x.most + 1", "x.least - 1",
		"x.odd / 256", "x.odd / 2 / x.one", "(x.one * 2) / x.few / x.seven", "x.float * 3", "x.digits + 1", "x.nothing + 1", "x.unknown * 2",
		"x.text % 2", "x.list + 1", "x.yes - 1", "x.inf - x.inf", "x.inf % 2", "x.missing + 1", "y.z + 1", "floor(x.text)",
		"floor(x.null)", "floor(x.edge / x.minus)", "-(x.large - x.large)", "x.below + x.below", "x.below - x.zero",
		"x.wide + x.single", "x.wide + x.single - x.wide", "x.wide * (x.single + x.single + x.single)", "x.wide / 3",
		"floor((x.wide - x.single) / x.single)",
	} {
		checkExact(t, src)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 8_000 {
		checkExact(t, randomArithmetic(r, 1+r.IntN(4)))
	}
}

func TestTemplatesAreExact(t *testing.T) {
	for _, src := range []string{
		`"10.${floor(x.odd / 65536)}.${floor(x.odd / 256) % 256}.${x.odd % 256}"`, `"a${x.nothing}b${x.list}c"`, `"abc${x.unknown}d"`,
		`"${0 * -1}."`, `"${x.wide + x.single}."`, `"${x.later}${x.text}"`, `"${x.null}${x.later}"`, `"${x.beyond + 1}."`,
		fmt.Sprintf("\"%0200d${x.later}\"", 1),
	} {
		checkExact(t, src)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 4_000 {
		checkExact(t, randomTemplate(r))
	}
}

// FuzzArithmetic compares the result of any valid expression with the result of HCL and cty. It skips expressions that the language
// does not have.
func FuzzArithmetic(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		f.Add(randomArithmetic(r, 3))
		f.Add(randomTemplate(r))
	}
	f.Add(`"10.${18446744073709551.e616}${x.edge}."`)
	f.Fuzz(func(t *testing.T, src string) {
		var ds diag.List
		if len(src) > 200 || !parse.CheckText("a.hcl", []byte(src), &ds) {
			return
		}
		e, refused := parse.Expression("a.hcl", []byte(src), &ds)
		if refused || e == nil {
			return
		}
		_, text := e.(*hclsyntax.TemplateExpr)
		if (&guard{b: new(budget)}).wholeTerm(e) == nil && !text {
			return
		}
		if text {
			for _, part := range e.(*hclsyntax.TemplateExpr).Parts {
				if _, literal := part.(*hclsyntax.LiteralValueExpr); !literal && (&guard{b: new(budget)}).wholeTerm(part) == nil {
					return // its inner expressions are wrapped differently, so the charge differs
				}
			}
		}
		ev := exactly
		ev.budget = budget{left: maxWork}
		if !ev.guardExpression(&e, &ds) { // no attribute takes a number of many hundred digits
			require.Equal(t, parse.TooLarge.Code, ds[len(ds)-1].Code, src)
			return
		}
		checkExact(t, src)
	})
}
