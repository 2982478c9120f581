// Package eval evaluates the expressions of a fabric within bounds. It has the [Scope] and the names in it, variables and locals,
// functions, and the kinds of values that attributes may have.
//
// Every function returns its value and whether there is one, and appends what is wrong to the list it is handed; none reads
// what others have found. Expressions are small programs, so all of them together have a budget (budget.go, limits.go).
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

// Evaluator evaluates the expressions of one load. What is wrong it appends to the list that a function is handed; its
// results say by themselves whether there is a value.
type Evaluator struct {
	Files    map[string][]byte // what was read, by the names in places: the text of expressions
	Unknowns bool              // some values are not known because of a mistake that was reported: say nothing of what needs them

	outside  Outside
	isDevice func(name string) bool
	isBlock  func(kind string) bool

	budget    budget
	failed    map[hclsyntax.Expression]bool // a mistake was reported; say no more
	sizes     map[hclsyntax.Expression]int  // of large expressions: how many are inside
	refs      references
	namesSeen int // in search of the meant name
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

// StopWhen ends every evaluation, silently, once done is closed: the values are no longer wanted.
func (ev *Evaluator) StopWhen(done <-chan struct{}) { ev.budget.done = done }

// Charge charges for an instance of a text of some bytes that for_each or a module block at a place makes, and reports whether the budget
// allows it.
func (ev *Evaluator) Charge(bytes int, at diag.Range, ds *diag.List) bool {
	return ev.withinAt(at, func() {
		n := blockWork + bytes/8
		if n > ev.budget.left {
			ev.budget.left = -1
			ev.budget.stop(&parse.TooLarge, "The instances of blocks and modules take too much work all together. Name many things with nodesets "+
				"instead of for_each.")
		}
		ev.budget.charge(n)
	}, ds)
}

// Stopped reports whether the load is no longer wanted.
func (ev *Evaluator) Stopped() bool {
	ev.budget.gone = ev.budget.gone || ev.budget.cancelled()
	return ev.budget.gone
}

// Env is where an expression is evaluated.
type Env struct {
	Scope *Scope
	Self  bool // self is known
	Each  bool // each is known

	ctx *hcl.EvalContext
	who string // the instance, for messages: "leaf01"; "" outside of instances
}

// ForEach is the environment of one instance of a block with for_each.
func (en *Env) ForEach(key, value cty.Value) *Env {
	child := *en
	child.Each = true
	child.ctx = en.ctx.NewChild()
	child.ctx.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})}
	return &child
}

// repeated reports whether the same expressions are evaluated in other environments, too.
func (en *Env) repeated() bool { return en.who != "" || en.Each || en.Scope.Parent != nil }

// Devices makes environments of the devices of a group one after the other. The environment is always the same one: it must
// not be kept. When nothing depends on self, which is known inside then, dynamic is false.
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

// Inside is the environment in which attributes of a block are evaluated where self is, or is not, known.
func (en *Env) Inside(self bool) *Env {
	inner := *en
	inner.Self = self
	return &inner
}

// BlockRef is what cos_group.NAME, switch.GROUP and host.GROUP evaluate to: a name, not an object, so that a group of
// 32,000 hosts costs as little as one of two.
type BlockRef struct{ Kind, Name string }

// RefTypes are the kinds of blocks that can be referred to.
var RefTypes = map[string]cty.Type{
	"cos_group": cty.Capsule("cos_group", reflect.TypeFor[BlockRef]()),
	"switch":    cty.Capsule("switch", reflect.TypeFor[BlockRef]()),
	"host":      cty.Capsule("host", reflect.TypeFor[BlockRef]()),
}

// RefPrefix marks a reference to a switch group that is not resolved yet; no device name starts like this.
const RefPrefix = "switch "

// Outcome of an evaluation.
type Outcome int

const (
	Failed Outcome = iota // a mistake was reported, here or before
	Null                  // as if not written
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
	if en.repeated() { // what is left over of its own work is not for others
		ev.budget.left += min(before-ev.budget.left, instanceWork)
	}
	if v.IsNull() {
		return v, Null
	}
	return v, Good
}

// Fail notes that a mistake in e was reported, so that no other mistake follows from it.
func (ev *Evaluator) Fail(e hclsyntax.Expression) { ev.failed[e] = true }

// HasFailed reports whether a mistake in e was reported.
func (ev *Evaluator) HasFailed(e hclsyntax.Expression) bool { return ev.failed[e] }

// eval evaluates e within the budget and reports the first thing hcl has to say.
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

// within runs f, which evaluates e, and reports when the budget stopped it. With an empty budget it runs and reports nothing: that was
// reported once, and everything after it would be a follow-up.
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

// Problem reports why a value of a list, or a value as a whole, is not of a kind.
func (ev *Evaluator) Problem(en *Env, whole hclsyntax.Expression, el Element, p *Problem, want, hint string, ds *diag.List) {
	if p.Topic == nil {
		ev.Report(en, el.Expr, &WrongType, fmt.Sprintf("Expected %s, not %s.%s", want, Describe(el.V), hint), ds)
	} else if d := ev.Report(en, el.Expr, p.Topic, p.Detail, ds); d != nil && p.meant != "" {
		if _, written := parse.Literal(parse.Bare(el.Expr)); written { // and not computed
			d.Instead(el.Expr.Range(), strconv.Quote(p.meant))
		}
	}
	ev.Fail(whole)
}

// Wrong reports a value of the wrong type.
func (ev *Evaluator) Wrong(en *Env, e hclsyntax.Expression, v cty.Value, want string, ds *diag.List) {
	ev.Report(en, e, &WrongType, fmt.Sprintf("Expected %s, not %s.", want, Describe(v)), ds)
}

// Report reports a mistake in the value of e, once; again it returns nil.
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

// Describe describes a value, in the words of a message.
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
