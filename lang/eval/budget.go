package eval

import (
	"errors"
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// budget counts the work of all expressions of one load. A unit is the reading of one value, or of 16 bytes of text.
//
// Expressions are small programs: a short text with nested loops or doubling strings can need much work. Evaluation inside hcl cannot
// be interrupted. So the expressions that multiply work are wrapped (see guard.go) and charge the budget. An empty budget unwinds the
// evaluation by a panic that [Evaluator.eval] catches.
type budget struct {
	left  int
	topic *diag.Topic // why an evaluation was stopped; nil after that is reported
	why   string

	done    <-chan struct{} // closed when the values are no longer wanted
	unasked int             // units charged since the last check of done
	gone    bool            // done was closed
}

// exhausted is the panic value of an empty budget.
type exhausted struct{}

// errStopped is the error of a function that the budget stopped.
var errStopped = errors.New("the evaluation was stopped")

// caught turns the panic of a budget that stopped the work into an error. A function returns it, since cty writes a stack for each panic.
func (b *budget) caught(err *error) {
	if r := recover(); r != nil {
		if _, ours := r.(exhausted); !ours {
			panic(r)
		}
		*err = errStopped
	}
}

func (b *budget) charge(n int) {
	if b.topic != nil || b.gone { // a stopped evaluation must not continue
		panic(exhausted{})
	}
	if b.unasked += n; b.unasked >= askEvery {
		b.unasked = 0
		if b.gone = b.cancelled(); b.gone {
			panic(exhausted{})
		}
	}
	if b.left -= n; b.left < 0 {
		b.stop(&parse.TooLarge, "The expressions of the fabric do too much work all together. Look for nested for expressions, and "+
			"for strings or lists that double from local to local.")
	}
}

// stop unwinds the current evaluation. Functions of cty turn the panic into an error; the topic identifies it as ours.
func (b *budget) stop(topic *diag.Topic, why string) {
	if b.topic == nil {
		b.topic, b.why = topic, why
	}
	panic(exhausted{})
}

// WorkLeft returns the rest of the budget of the load.
func (ev *Evaluator) WorkLeft() int { return ev.budget.left }

// Spend charges work that an earlier load did for this one. The budget must have that much left.
func (ev *Evaluator) Spend(work int) { ev.budget.left -= work }

// empty reports whether nothing more can be evaluated in this load.
func (b *budget) empty() bool { return b.left < 0 || b.gone }

// cancelled reports whether the values are no longer wanted.
func (b *budget) cancelled() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// measure charges for v and everything in it, and refuses values over the limits.
func (b *budget) measure(v cty.Value) {
	b.walk(v, new(int))
}

func (b *budget) walk(v cty.Value, seen *int) {
	b.charge(1)
	if *seen++; *seen > maxElements {
		b.stop(&parse.TooLarge, "A value has more than 100,000 elements. Name many things with nodesets instead of lists.")
	}
	if !v.IsKnown() || v.IsNull() {
		return
	}
	switch ty := v.Type(); {
	case ty == cty.String:
		n := len(v.AsString())
		if n > MaxString {
			b.stop(&parse.TooLarge, "A string is longer than 64 KiB. Make it shorter.")
		}
		b.charge(n / 16)
	case ty == cty.Number:
		if v.AsBigFloat().IsInf() {
			b.stop(&BadExpression, "The result is infinite: something is divided by zero. Correct the divisor.")
		}
		if hugeNumber(v.AsBigFloat()) {
			b.stop(&parse.TooLarge, "A number is too large, or too close to zero, for any attribute. Correct it.")
		}
	case ty.IsCollectionType() || ty.IsTupleType() || ty.IsObjectType():
		if ty.IsSetType() {
			b.charge(sorting(v)) // ranging over a set sorts it
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

// sorting returns the work of ranging over a set. To compare elements that are not primitive, cty converts both to text each time.
func sorting(set cty.Value) int {
	if set.Type().ElementType().IsPrimitiveType() {
		return 8 * set.LengthInt()
	}
	return 32 * set.LengthInt()
}

// hugeNumber reports whether n has more than some hundred digits.
func hugeNumber(n *big.Float) bool {
	if n.IsInf() {
		return true
	}
	e := n.MantExp(nil)
	return e > maxExponent || e < -maxExponent
}

// call wraps a function call. It ends the evaluation if the budget has stopped a function. Without it, cty would turn the stop into an
// error, and HCL would continue with the next call and read all values in its arguments.
type call struct {
	*hclsyntax.FunctionCallExpr
	b *budget
}

func (c *call) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	c.b.charge(0)
	v, ds := c.FunctionCallExpr.Value(ctx)
	c.b.charge(0)
	return v, ds
}

// metered is an expression whose value is charged to the budget every time it is evaluated. It embeds an expression in parentheses, so
// that walks over the tree find the expressions inside.
type metered struct {
	*hclsyntax.ParenthesesExpr
	b     *budget
	times int // how often the value is read
	size  int // expressions inside
}

func (m *metered) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	m.b.charge(m.size / 2)
	v, ds := m.Expression.Value(ctx)
	m.b.charge(errorWork * len(ds))
	before := m.b.left
	m.b.measure(v)
	m.b.charge((m.times - 1) * (before - m.b.left))
	return v, ds
}

// whole returns the value if it is computed as a whole number. It charges as for any number.
func (m *metered) whole(ctx *hcl.EvalContext) (exact, bool) {
	a, ok := m.Expression.(*arithmetic)
	if !ok {
		return exact{}, false
	}
	w, ok := a.whole(ctx)
	if ok {
		m.b.charge(m.size/2 + 1)
		m.b.charge(m.times - 1)
	}
	return w, ok
}
