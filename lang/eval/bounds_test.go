// The race detector adds costs, so the ceilings apply only without it.

//go:build unix && !race

package eval

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/lang/parse"
)

var toLimit = flag.Bool("whole", false, "inputs as large as an expression may be, rather than a quarter")

// The most CPU time and memory for one input of at most 64 KiB.
const (
	mostCPU   = time.Second
	mostBytes = 200 << 20 // growth of the heap
	mostText  = 64 << 10
)

// divisor divides the text, the budget and the ceilings of an input by the same number. So an expression that costs too much for its
// charge exceeds its ceiling at a quarter of the limits, too. It also divides the large set, since one call on that set is a tenth of
// the work. Depths keep their limit, because their cost can double with every level.
func divisor() int {
	if *toLimit {
		return 1
	}
	return 4
}

// within runs f and checks it against a part of the ceiling of CPU time. The ceiling of the heap stays, since the garbage collector
// lets the heap double.
func within(t *testing.T, name string, share int, f func()) {
	t.Helper()
	took, size := langtest.Least(mostCPU/time.Duration(share), f)
	if took > mostCPU/time.Duration(share) || size > uint64(mostBytes) {
		t.Errorf("%s takes %v of CPU and %d MiB", name, took, size>>20)
	}
}

// bigLocals returns values near the limits of one value, which expressions multiply.
var bigLocals = sync.OnceValue(func() map[string]cty.Value {
	var numbers, texts, objects []cty.Value
	table := map[string]cty.Value{}
	for i := range 4096 {
		numbers = append(numbers, cty.NumberIntVal(int64(i)))
		texts = append(texts, cty.StringVal(fmt.Sprintf("a%d", i)))
		objects = append(objects, cty.ObjectVal(map[string]cty.Value{"a": numbers[i], "b": cty.TupleVal(numbers[i:])}))
		table[fmt.Sprintf("a%d", i)] = cty.StringVal("a")
	}
	return map[string]cty.Value{
		"text": cty.StringVal(strings.Repeat("a1,{\n", 10_000)), "numbers": cty.ListVal(numbers), "texts": cty.ListVal(texts),
		"table": cty.MapVal(table), "set": cty.SetVal(texts[:len(texts)/divisor()]), "lists": cty.MapVal(map[string]cty.Value{"a": cty.ListVal(texts)}),
		"objects": cty.SetVal(objects[:len(objects)/divisor()]),
	}
})

// evaluate evaluates a text in a scope with big locals, as an attribute of a fabric, with a part of the budget.
func evaluate(t *testing.T, src string, share int) (cty.Value, Outcome, diag.List, int) {
	t.Helper()
	require.LessOrEqual(t, len(src), mostText+512)
	var ds diag.List
	e, refused := parse.Expression("a.hcl", []byte(src), &ds)
	require.False(t, refused, "%.60s", src)
	require.NotNil(t, e, src)
	ev := New(map[string][]byte{"a.hcl": []byte(src)}, Outside{}, func(string) bool { return false }, func(string) bool { return false })
	ev.budget.left /= share
	if !ev.guardExpression(&e, &ds) {
		return cty.NilVal, Failed, ds, ev.budget.left
	}
	sc := NewScope(ev.NewNames(parse.Folder{}), "", nil, nil)
	locals := bigLocals()
	sc.Locals = map[string]*Node{}
	for name, v := range locals {
		sc.Locals[name] = &Node{Kind: "local", Name: name, Value: v, OK: true}
	}
	sc.ctx.Variables = map[string]cty.Value{"local": cty.ObjectVal(locals)}
	v, o := ev.Value(sc.Env(), e, &ds)
	return v, o, ds, ev.budget.left
}

// arguments returns expressions that a parameter accepts: small values, and values near the limits.
func arguments(t *testing.T, p function.Parameter) (small string, big []string) {
	t.Helper()
	ty := p.Type
	switch {
	case customdecode.CustomExpressionDecoderForType(ty) != nil:
		return `tonumber("x")`, []string{`[for x in local.texts : x].x`}
	case ty == cty.String:
		return `"a1"`, []string{"local.text"}
	case ty == cty.Number:
		return "3", []string{"4095"}
	case ty == cty.Bool:
		return "true", []string{"true"}
	case ty == cty.DynamicPseudoType:
		return `["a"]`, []string{"local.texts", "local.text", "local.table", "local.set"}
	case ty.IsListType() && ty.ElementType() == cty.Bool:
		return "[true]", []string{"[for x in local.texts : true]"}
	case ty.IsListType() && ty.ElementType() == cty.Number:
		return "[3]", []string{"local.numbers"}
	case ty.IsListType():
		return `["a"]`, []string{"local.texts"}
	case ty.IsSetType():
		return `toset(["a"])`, []string{"local.set"}
	case ty.IsMapType() && ty.ElementType().IsListType():
		return `{ a = ["a"] }`, []string{"local.lists"}
	case ty.IsMapType():
		return `{ a = "a" }`, []string{"local.table"}
	}
	t.Fatalf("%s has a type that this test knows no argument of: %s", p.Name, ty.FriendlyName())
	return "", nil
}

// calls returns calls of a function: one with small arguments, and some with large arguments.
func calls(t *testing.T, row Function) (small string, big []string) {
	t.Helper()
	fn := row.fn
	if row.own != nil {
		fn = row.own(&budget{left: maxWork}, parse.Folder{})
	}
	params := fn.Params()
	if rest := fn.VarParam(); rest != nil {
		params = append(append(params, *rest), *rest)
	}
	var smalls []string
	bigs := make([][]string, 4)
	for _, p := range params {
		s, b := arguments(t, p)
		smalls = append(smalls, s)
		for i := range bigs {
			bigs[i] = append(bigs[i], b[i%len(b)])
		}
	}
	small = row.Name + "(" + strings.Join(smalls, ", ") + ")"
	for i, args := range bigs {
		if call := row.Name + "(" + strings.Join(args, ", ") + ")"; i == 0 || call != big[0] {
			big = append(big, call)
		}
	}
	return small, append(big, row.Example)
}

// nested puts calls of a function into each other until the brackets reach the limit.
func nested(row Function, call, leaf string) string {
	inside := leaf
	open := strings.IndexByte(call, '(')
	rest := ""
	if _, after, ok := strings.Cut(call[open+1:], ", "); ok {
		rest = ", " + strings.TrimSuffix(after, ")")
	}
	for range parse.MaxDepth - 6 {
		inside = row.Name + "(" + inside + rest + ")"
	}
	return inside
}

// filled repeats an expression as elements of a list until the text has the length limit, see [divisor].
func filled(expr string) string {
	return "[" + strings.Repeat(expr+",", min((mostText-2)/(len(expr)+1), 60_000/(strings.Count(expr, ",")+4))/divisor()) + "]"
}

// TestEachFunctionIsBounded calls every function of the table nested in itself, in loops, and as often as fits into 64 KiB, or into a
// quarter.
func TestEachFunctionIsBounded(t *testing.T) {
	machinetest.Long(t)
	for _, row := range Functions {
		t.Run(row.Name, func(t *testing.T) {
			small, big := calls(t, row)
			inputs := map[string]string{
				"nested":        nested(row, small, `"a"`),
				"nested values": nested(row, big[0], "local.texts"),
				"nested tries":  nested(row, small, "try("+small+", "+small+")"),
				"loops":         "[for a in range(4096) : [for b in range(4096) : " + small + "]]",
				"loop of cans":  "[for a in range(4096) : [for b in range(4096) : can(" + small + ")]]",
			}
			for i, call := range big {
				inputs[fmt.Sprint("flat ", i)] = filled(call)
			}
			for name, src := range inputs { // a part of the budget, to show its cost
				within(t, name, 4*divisor(), func() { evaluate(t, src, 40*divisor()) })
			}
			within(t, "tries", 4*divisor(), func() { evaluate(t, filled("can("+big[0]+")"), 4*divisor()) })
		})
	}
}

// counted wraps an expression and counts how often it is evaluated.
type counted struct {
	hclsyntax.Expression
	n int
}

func (c *counted) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	c.n++
	return c.Expression.Value(ctx)
}

// A function that gets expressions evaluates each at most once, and charges for it. Otherwise nested calls would double the work at
// every level.
func TestExpressionsAreEvaluatedOnce(t *testing.T) {
	seen := 0
	for _, row := range Functions {
		fn := row.fn
		b := &budget{left: maxWork}
		if row.own != nil {
			fn = row.own(b, parse.Folder{})
		}
		params := fn.Params()
		if rest := fn.VarParam(); rest != nil {
			params = append(params, *rest, *rest)
		}
		var args []cty.Value
		var exprs []*counted
		for _, p := range params {
			if customdecode.CustomExpressionDecoderForType(p.Type) == nil {
				continue
			}
			require.True(t, row.raw, row.Name)
			c := &counted{Expression: &hclsyntax.LiteralValueExpr{Val: cty.True}}
			exprs = append(exprs, c)
			args = append(args, customdecode.ExpressionClosureVal(&customdecode.ExpressionClosure{Expression: c}))
		}
		if len(args) == 0 {
			require.False(t, row.raw, row.Name)
			continue
		}
		seen++
		_, err := fn.Call(args)
		require.NoError(t, err, row.Name)
		require.Less(t, b.left, maxWork, "%s charges nothing", row.Name)
		for _, c := range exprs {
			require.LessOrEqual(t, c.n, 1, row.Name)
		}
	}
	require.Equal(t, 2, seen)
}

// TestEachExpressionIsBounded nests every kind of expression to the limit, and repeats it in loops.
func TestEachExpressionIsBounded(t *testing.T) {
	deep := func(before, leaf, after string, n int) string {
		return strings.Repeat(before, n) + leaf + strings.Repeat(after, n)
	}
	loops := func(body string) string { return "[for a in range(4096) : [for b in range(4096) : " + body + "]]" }
	long := "[" + strings.Repeat("1,", 24_000/divisor()) + "1]"
	sum := strings.TrimSuffix(strings.Repeat("("+strings.Repeat("a+", 100)+"1)+", 60/divisor()), "+")
	for name, src := range map[string]string{
		"try":                    deep("try(", "1", ")", 60),
		"failing try":            deep("try(local.x.y, ", "1", ")", 60),
		"can":                    deep("can(", "1", ")", 60),
		"can and try":            deep("can(try(", "1", "))", 30),
		"try of all that fails":  deep("try([", filled("local.texts.x"), "], 1)", 29),
		"try in a loop":          loops(deep("try(", "b", ")", 50)),
		"try over an expansion":  deep("try([", "1", "]...)", 30),
		"conditionals":           deep("(true ? ", "1", " : 0)", 30),
		"condition of condition": deep("(", "true", " ? true : false)", 30),
		"templates":              deep(`"${`, "1", `}"`, 30),
		"template in loops":      loops(deep(`"${`, "b", `}"`, 25)),
		"splats":                 deep("local.texts[*][", "0", "]", 60),
		"splats in index":        deep("local.texts[*][length(local.texts[*]) + ", "0", "]", 60),
		"failing splats":         deep("local.texts[*][length(", "local.texts[*].x", ")]", 30),
		"splat chain":            "local.texts" + strings.Repeat("[*]", 40),
		"index":                  deep("local.texts[", "0", "]", 60),
		"long list by index":     loops(long + "[0]"),
		"long list in object":    loops("{ a = " + long + " }.a[0]"),
		"long comparison":        loops("[] == " + long),
		"long condition":         loops("(" + long + "[0] == 1 ? 1 : 0)"),
		"long sum":               loops(sum),
		"whole numbers":          deep("(", "abs(1)", strings.Repeat(" + 1", 100)+")", 55),
		"floors":                 deep("floor(1 + ", "abs(1)", ")", 55),
		"signs":                  deep("-(", "abs(1)", ")", 30),
		"objects":                deep("{ a = ", "1", " }", 60),
		"lists":                  deep("[", "1", "]", 60),
		"failing loops":          loops("a.x"),
		"failing loop in try":    "try(" + loops("a.x") + ", 1)",
		"failing conditions":     "[for a in range(4096) : [for b in range(4096) : b if can(a.x)]]",
		"merging loops":          "merge([for a in range(200) : {for b in range(4096) : b => a}]...)",
		"grouping loops":         "{for a in range(4096) : 1 => [for b in range(4096) : b]...}",
		"try for each":           filled(`try([for x in local.texts : x].x, 1)`),
		"equal objects":          filled("local.table == local.table"),
		"long text":              filled(`"${local.text}"`),
		"sets of objects":        filled("setunion(local.objects, local.objects)"),
		"set of objects":         filled("toset([for x in local.numbers : { a = x, b = [x] }])"),
		"expanded arguments":     filled("max(local.numbers...)"),
		"expanded in can":        filled("can(max(local.numbers...))"),
		"unknown functions":      filled("lenght(1)"),
		"unknown references":     filled("local.textx"),
		"unknown roots":          filled("locl.texts"),
	} {
		t.Run(name, func(t *testing.T) { within(t, name, divisor(), func() { evaluate(t, src, divisor()) }) })
	}
}

// A cancelled evaluation ends and reports nothing.
func TestEvaluationIsCancelled(t *testing.T) {
	var ds diag.List
	src := "[for a in range(4096) : [for b in range(4096) : b]]"
	e, _ := parse.Expression("a.hcl", []byte(src), &ds)
	ev := New(map[string][]byte{}, Outside{}, func(string) bool { return false }, func(string) bool { return false })
	done := make(chan struct{})
	ev.StopWhen(done)
	close(done)
	require.True(t, ev.guardExpression(&e, &ds))
	_, o := ev.Value(NewScope(ev.NewNames(parse.Folder{}), "", nil, nil).Env(), e, &ds)
	require.Equal(t, Failed, o)
	require.Empty(t, ds)
	require.Greater(t, ev.WorkLeft(), maxWork-2*askEvery, "it goes on")
}
