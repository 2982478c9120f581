package lang

import (
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// Bounds of what a fabric may ask for. They are far above any real fabric and low enough that the worst input is
// refused in well under a second.
const (
	maxFiles     = 256
	maxFile      = 1 << 20  // bytes
	maxTotal     = 32 << 20 // bytes of all files
	maxTokens    = 200_000  // a file
	maxDepth     = 64       // brackets, templates, conditionals, signs
	maxChain     = 128      // operators, dots and indexes of one expression at one depth
	maxPieces    = 4096     // lines of a heredoc, pieces of a string: hclsyntax joins them in quadratic time
	maxLoops     = 2        // for expressions inside each other
	maxString    = 64 << 10 // bytes
	maxElements  = 100_000  // of one value, at any depth
	maxExponent  = 1024     // of numbers, in bits
	maxWork      = 1_000_000
	instanceWork = 64 // further work for every instance of a block
	maxRange     = 4096
	maxArguments = 256 // of one function call, after expansion of a list
	maxCallWork  = 16 << 20

	maxSeen = 200_000 // names looked at in search of the one that was meant

	maxLocals       = 100_000 // of a folder: settling them goes as deep as they need each other
	maxModuleDepth  = 16      // modules inside each other
	maxModuleBlocks = 200_000 // of all modules, every instance counted
	instanceBlocks  = 4       // an instance costs as much as so many blocks
)

// budget counts the work of all expressions of one load. A unit is one value looked at, or 16 bytes of text.
//
// Expressions are small programs: nested loops and doubling strings make much out of little. Evaluation inside hcl
// cannot be interrupted, so the places where work multiplies are wrapped (see guard.go) and charge the budget; an
// empty budget unwinds the evaluation by a panic that [loader.eval] catches.
type budget struct {
	left  int
	topic *diag.Topic // of the evaluation that was stopped, until it is reported
	why   string
}

// exhausted is what an empty budget panics with.
type exhausted struct{}

func (b *budget) charge(n int) {
	if b.left -= n; b.left < 0 {
		b.stop(&tooLarge, "The expressions of the fabric do too much work all together. Look for for expressions inside each other, and for strings or lists that double from local to local.")
	}
}

// stop unwinds the evaluation at hand. Functions of cty turn the panic into an error; the topic tells that it was ours.
func (b *budget) stop(topic *diag.Topic, why string) {
	if b.topic == nil {
		b.topic, b.why = topic, why
	}
	panic(exhausted{})
}

// empty tells whether nothing more can be evaluated in this load.
func (b *budget) empty() bool { return b.left < 0 }

// measure charges for v and everything in it, and refuses values over the limits.
func (b *budget) measure(v cty.Value) {
	b.walk(v, new(int))
}

func (b *budget) walk(v cty.Value, seen *int) {
	b.charge(1)
	if *seen++; *seen > maxElements {
		b.stop(&tooLarge, "A value has more than 100,000 elements. Name many things with nodesets instead of lists.")
	}
	if !v.IsKnown() || v.IsNull() {
		return
	}
	switch ty := v.Type(); {
	case ty == cty.String:
		n := len(v.AsString())
		if n > maxString {
			b.stop(&tooLarge, "A string is longer than 64 KiB. Make it shorter.")
		}
		b.charge(n / 16)
	case ty == cty.Number:
		if v.AsBigFloat().IsInf() {
			b.stop(&badExpression, "The result is infinite: something is divided by zero. Correct the divisor.")
		}
		if hugeNumber(v.AsBigFloat()) {
			b.stop(&tooLarge, "A number is too large, or too close to zero, to mean anything here. Correct it.")
		}
	case ty.IsCollectionType() || ty.IsTupleType() || ty.IsObjectType():
		if ty.IsSetType() {
			b.charge(8 * v.LengthInt()) // ranging over a set sorts it
		}
		for it := v.ElementIterator(); it.Next(); {
			k, e := it.Element()
			if ty.IsMapType() || ty.IsObjectType() {
				b.walk(k, seen)
			}
			b.walk(e, seen)
		}
	}
}

// hugeNumber tells whether writing n out would take more than some hundred digits.
func hugeNumber(n *big.Float) bool {
	if n.IsInf() {
		return true
	}
	e := n.MantExp(nil)
	return e > maxExponent || e < -maxExponent
}

// metered is an expression whose value is charged to the budget every time it is evaluated. It passes for an expression
// in brackets, so that walks over the tree still find what is inside.
type metered struct {
	*hclsyntax.ParenthesesExpr
	b     *budget
	times int // how often the value is looked at
}

func (m *metered) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, ds := m.Expression.Value(ctx)
	before := m.b.left
	m.b.measure(v)
	m.b.charge((m.times - 1) * (before - m.b.left))
	return v, ds
}

// choice is a conditional that evaluates only the chosen branch and gives it as it is. HCL's own evaluates both and
// unifies their types, which takes quadratic time for long tuples.
type choice struct {
	*hclsyntax.ConditionalExpr
}

func (c *choice) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	cond, ds := c.Condition.Value(ctx)
	if ds.HasErrors() {
		return cty.DynamicVal, ds
	}
	if !cond.IsKnown() {
		return cty.DynamicVal, ds
	}
	if cond.IsNull() || cond.Type() != cty.Bool {
		return cty.DynamicVal, append(ds, &hcl.Diagnostic{
			Severity: hcl.DiagError,
			Summary:  "Incorrect condition type",
			Detail:   "The condition before ? must be true or false.",
			Subject:  c.Condition.Range().Ptr(),
		})
	}
	if cond.True() {
		return c.TrueResult.Value(ctx)
	}
	return c.FalseResult.Value(ctx)
}
