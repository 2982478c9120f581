// Package eval evaluates the expressions of a fabric within bounds. It has the [Scope] and the names in it, variables and locals,
// functions, and the kinds of values that attributes may have.
//
// Every function returns its value and whether there is one. It appends diagnostics to the list in its arguments, and does not read the
// diagnostics of others. Expressions are small programs, so all of them together have a budget (budget.go, limits.go).
package eval

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Evaluator evaluates the expressions of one load. Its methods append diagnostics to the list in their arguments. Their results state
// whether there is a value.
type Evaluator struct {
	Files    map[string][]byte // the files of the load, by the names in places, for the text of expressions
	Unknowns bool              // some values are unknown because of a reported mistake: do not report expressions that need them

	outside  Outside
	isDevice func(name string) bool
	isBlock  func(kind string) bool

	budget    budget
	failed    map[hclsyntax.Expression]bool // a mistake in the expression was reported; report no other
	sizes     map[hclsyntax.Expression]int  // of large expressions: the number of expressions inside
	refs      references
	namesSeen int // names that were compared to find the meant one
}

// New returns an evaluator of expressions in files, with values for variables. For hints in messages, isDevice reports whether a device of
// a name is known, and isBlock whether blocks of a kind belong at the top of a file.
func New(files map[string][]byte, outside Outside, isDevice, isBlock func(string) bool) *Evaluator {
	return &Evaluator{
		Files: files, outside: outside, isDevice: isDevice, isBlock: isBlock,
		budget: budget{left: maxWork}, failed: map[hclsyntax.Expression]bool{}, sizes: map[hclsyntax.Expression]int{},
		refs: references{},
	}
}

// StopWhen ends every evaluation, without a diagnostic, after done is closed: the caller no longer needs the values.
func (ev *Evaluator) StopWhen(done <-chan struct{}) { ev.budget.done = done }

// Charge charges for one instance of a block with for_each, or of a module. The cost depends on the bytes of its text. Charge reports
// whether the budget allows the instance.
func (ev *Evaluator) Charge(bytes int, at diag.Range, ds *diag.List) bool {
	return ev.withinAt(at, func() {
		n := blockWork + bytes/8
		if n > ev.budget.left {
			ev.budget.left = -1
			ev.budget.stop(&parse.TooLarge, "The instances of blocks and modules need too much work all together. Name many things with nodesets "+
				"instead of for_each.")
		}
		ev.budget.charge(n)
	}, ds)
}

// Stopped reports whether the load was cancelled.
func (ev *Evaluator) Stopped() bool {
	ev.budget.gone = ev.budget.gone || ev.budget.cancelled()
	return ev.budget.gone
}

// Env is the environment in which an expression is evaluated.
type Env struct {
	Scope *Scope
	Self  bool // self has a value
	Each  bool // each has a value

	ctx *hcl.EvalContext
	who string // the name of the instance, for messages: "leaf01"; "" outside of instances
}

// ForEach returns the environment of one instance of a block with for_each.
func (en *Env) ForEach(key, value cty.Value) *Env {
	child := *en
	child.Each = true
	child.ctx = en.ctx.NewChild()
	child.ctx.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})}
	return &child
}

// repeated reports whether the same expressions are evaluated in other environments, too.
func (en *Env) repeated() bool { return en.who != "" || en.Each || en.Scope.Parent != nil }

// Devices returns a function that makes the environment of each device of a group. Every call returns the same environment with new
// values, so the caller must not keep it. If no expression uses self, dynamic is false and self gets no value.
func (en *Env) Devices(group string, dynamic bool) func(name string, index int) *Env {
	inst := *en
	inst.Self = true
	if dynamic {
		inst.ctx = en.ctx.NewChild()
		inst.ctx.Variables = map[string]cty.Value{}
	}
	label := cty.StringVal(group)
	return func(name string, index int) *Env {
		inst.who = name
		if dynamic {
			inst.ctx.Variables["self"] = cty.ObjectVal(map[string]cty.Value{
				"name": cty.StringVal(name), "index": cty.NumberIntVal(int64(index)), "group": label,
			})
		}
		return &inst
	}
}

// Inside returns the environment for attributes of a block; self says whether references to self are allowed.
func (en *Env) Inside(self bool) *Env {
	inner := *en
	inner.Self = self
	return &inner
}

// BlockRef is the value of cos_group.NAME, switch.GROUP and host.GROUP. It is a name, not an object, so that a group of 32,000 hosts
// costs as little as a group of two.
type BlockRef struct{ Kind, Name string }

// RefTypes are the kinds of blocks that can be referred to.
var RefTypes = map[string]cty.Type{
	"cos_group": cty.Capsule("cos_group", reflect.TypeFor[BlockRef]()),
	"switch":    cty.Capsule("switch", reflect.TypeFor[BlockRef]()),
	"host":      cty.Capsule("host", reflect.TypeFor[BlockRef]()),
}

// RefPrefix marks a reference to a switch group that is not resolved yet; no device name starts like this.
const RefPrefix = "switch "

// Outcome is the outcome of an evaluation.
type Outcome int

const (
	Failed Outcome = iota // a mistake was reported, now or before
	Null                  // null: as if the attribute were not written
	Good
)

// Value evaluates e. Every mistake is reported once, however often e is evaluated.
func (ev *Evaluator) Value(en *Env, e hclsyntax.Expression, ds *diag.List) (cty.Value, Outcome) {
	if ev.failed[e] {
		return cty.NilVal, Failed
	}
	if v, ok := parse.Literal(e); ok {
		if v.IsNull() {
			return v, Null
		}
		if v.Type() == cty.String && len(v.AsString()) > MaxString {
			ev.Fail(e)
			parse.TooLarge.Errorf(ds, e.Range(), "A string is longer than 64 KiB. Make it shorter.")
			return cty.NilVal, Failed
		}
		return v, Good
	}
	if ev.budget.empty() || !ev.checkRefs(en, e, ds) {
		ev.Fail(e)
		return cty.NilVal, Failed
	}
	before := ev.budget.left
	if n := ev.sizes[e]; n > 0 && en.repeated() && !ev.within(e, func() { ev.budget.charge(n) }, ds) {
		ev.Fail(e)
		return cty.NilVal, Failed
	}
	v, ok := ev.eval(e, en.ctx, ds)
	if !ok {
		ev.Fail(e)
		return cty.NilVal, Failed
	}
	if en.repeated() { // some work of each instance is free
		ev.budget.left += min(before-ev.budget.left, instanceWork)
	}
	if v.IsNull() {
		return v, Null
	}
	return v, Good
}

// Fail notes that a mistake in e was reported, so that no further mistake is reported because of it.
func (ev *Evaluator) Fail(e hclsyntax.Expression) { ev.failed[e] = true }

// HasFailed reports whether a mistake in e was reported.
func (ev *Evaluator) HasFailed(e hclsyntax.Expression) bool { return ev.failed[e] }

// eval evaluates e within the budget and reports the first error of hcl.
func (ev *Evaluator) eval(e hclsyntax.Expression, ctx *hcl.EvalContext, ds *diag.List) (v cty.Value, ok bool) {
	var hds hcl.Diagnostics
	if !ev.within(e, func() {
		v, hds = e.Value(ctx)
		if !hds.HasErrors() {
			ev.budget.measure(v)
		}
	}, ds) {
		return cty.NilVal, false
	}
	for _, d := range hds {
		if d.Severity != hcl.DiagError {
			continue
		}
		says, at := evalMessage(d, e)
		BadExpression.Errorf(ds, at, "%s", diag.Escape(says))
		return cty.NilVal, false
	}
	if !v.IsWhollyKnown() {
		if !ev.Unknowns {
			BadExpression.Errorf(ds, e.Range(), "The value cannot be computed. Correct the expression.")
		}
		return cty.NilVal, false
	}
	return v, true
}

// within runs f, which evaluates e, and reports a mistake if the budget stopped f. If the budget is empty already, it neither runs f
// nor reports: the empty budget was reported once.
func (ev *Evaluator) within(e hclsyntax.Expression, f func(), ds *diag.List) (ok bool) {
	return ev.withinAt(e.Range(), f, ds)
}

func (ev *Evaluator) withinAt(at diag.Range, f func(), ds *diag.List) (ok bool) {
	if ev.budget.empty() {
		return false
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(exhausted); !ours {
				panic(r)
			}
		}
		ok = ok && !ev.budget.gone
		if topic := ev.budget.topic; topic != nil {
			topic.Errorf(ds, at, "%s", ev.budget.why)
			ev.budget.topic, ok = nil, false
		}
	}()
	f()
	return true
}

// UsesSelf reports whether e must be evaluated for every device.
func (ev *Evaluator) UsesSelf(en *Env, e hclsyntax.Expression) bool {
	if _, ok := parse.Literal(e); ok {
		return false
	}
	return slices.ContainsFunc(ev.refs.in(e, en.repeated()), func(t hcl.Traversal) bool { return t.RootName() == "self" })
}

// Problem reports why an element of a list, or a whole value, is not of a kind.
func (ev *Evaluator) Problem(en *Env, whole hclsyntax.Expression, el Element, p *Problem, want, hint string, ds *diag.List) {
	if p.Topic == nil {
		ev.Report(en, el.Expr, &WrongType, fmt.Sprintf("Expected %s, not %s.%s", want, Describe(el.V), hint), ds)
	} else if d := ev.Report(en, el.Expr, p.Topic, p.Detail, ds); d != nil && p.meant != "" {
		if _, written := parse.Literal(parse.Bare(el.Expr)); written { // and is not computed
			d.Instead(el.Expr.Range(), strconv.Quote(p.meant))
		}
	}
	ev.Fail(whole)
}

// Wrong reports a value of the wrong type.
func (ev *Evaluator) Wrong(en *Env, e hclsyntax.Expression, v cty.Value, want string, ds *diag.List) {
	ev.Report(en, e, &WrongType, fmt.Sprintf("Expected %s, not %s.", want, Describe(v)), ds)
}

// Report reports a mistake in the value of e. It does so once: a second call for e returns nil.
func (ev *Evaluator) Report(en *Env, e hclsyntax.Expression, topic *diag.Topic, detail string, ds *diag.List) *diag.Diagnostic {
	if ev.failed[e] {
		return nil
	}
	ev.Fail(e)
	if en.who != "" {
		detail += fmt.Sprintf(" This is the value for %s.", en.who)
	}
	return topic.Errorf(ds, e.Range(), "%s", detail)
}

// Describe returns the words by which a message describes a value.
func Describe(v cty.Value) string {
	switch ty := v.Type(); {
	case v.IsNull():
		return "null"
	case ty == cty.String:
		return fmt.Sprintf("the string %q", diag.Cut(v.AsString()))
	case ty == cty.Number:
		return "the number " + diag.Cut(v.AsBigFloat().Text('g', 12))
	case ty == cty.Bool:
		return fmt.Sprintf("the boolean %t", v.True())
	case ty.IsCapsuleType():
		ref := v.EncapsulatedValue().(*BlockRef)
		return fmt.Sprintf("the block %s.%s", ref.Kind, ref.Name)
	case ty.IsTupleType() || ty.IsListType():
		return "a list"
	case ty.IsSetType():
		return "a set"
	default:
		return "an object"
	}
}
