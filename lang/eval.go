package lang

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// env is where an expression is evaluated.
type env struct {
	sc   *scope
	ctx  *hcl.EvalContext
	self bool   // self is known
	each bool   // each is known
	who  string // the instance, for messages: "leaf01"; "" outside of instances
}

// blockRef is what cos_group.NAME, switch.GROUP and host.GROUP evaluate to: a name, not an object, so that a group of
// 32,000 hosts costs as little as one of two.
type blockRef struct{ kind, name string }

// refTypes are the kinds of blocks that can be referred to.
var refTypes = map[string]cty.Type{
	"cos_group": cty.Capsule("cos_group", reflect.TypeFor[blockRef]()),
	"switch":    cty.Capsule("switch", reflect.TypeFor[blockRef]()),
	"host":      cty.Capsule("host", reflect.TypeFor[blockRef]()),
}

// refPrefix marks a reference to a switch group that is not resolved yet; no device name starts like this.
const refPrefix = "switch "

// outcome of an evaluation.
type outcome int

const (
	failed outcome = iota // a mistake was reported, here or before
	null                  // as if not written
	good
)

// value evaluates e. Every mistake is reported once, however often e is evaluated.
func (l *loader) value(en *env, e hclsyntax.Expression) (cty.Value, outcome) {
	if l.failed[e] {
		return cty.NilVal, failed
	}
	if v, ok := literal(e); ok {
		if v.IsNull() {
			return v, null
		}
		if v.Type() == cty.String && len(v.AsString()) > maxString {
			l.fail(e)
			tooLarge.Errorf(&l.diags, e.Range(), "A string is longer than 64 KiB. Make it shorter.")
			return cty.NilVal, failed
		}
		return v, good
	}
	if !l.checkRefs(en, e) {
		l.fail(e)
		return cty.NilVal, failed
	}
	if en.who != "" || en.each || en.sc.parent != nil {
		l.budget.left += instanceWork
	}
	v, ok := l.eval(e, en.ctx)
	if !ok {
		l.fail(e)
		return cty.NilVal, failed
	}
	if v.IsNull() {
		return v, null
	}
	return v, good
}

func (l *loader) fail(e hclsyntax.Expression) { l.failed[e] = true }

// literal reads the commonest expressions straight from the tree.
func literal(e hclsyntax.Expression) (cty.Value, bool) {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return e.Val, true
	case *hclsyntax.TemplateExpr:
		if len(e.Parts) == 1 {
			if part, ok := e.Parts[0].(*hclsyntax.LiteralValueExpr); ok && part.Val.Type() == cty.String {
				return part.Val, true
			}
		}
	}
	return cty.NilVal, false
}

// eval evaluates e within the budget and reports the first thing hcl has to say.
func (l *loader) eval(e hclsyntax.Expression, ctx *hcl.EvalContext) (v cty.Value, ok bool) {
	var hds hcl.Diagnostics
	if !l.within(e, func() {
		v, hds = e.Value(ctx)
		if !hds.HasErrors() {
			l.budget.measure(v)
		}
	}) {
		return cty.NilVal, false
	}
	for _, d := range hds {
		if d.Severity != hcl.DiagError {
			continue
		}
		says, at := evalMessage(d, e)
		badExpression.Errorf(&l.diags, at, "%s", diag.Escape(says))
		return cty.NilVal, false
	}
	if !v.IsWhollyKnown() {
		if !l.unknown {
			badExpression.Errorf(&l.diags, e.Range(), "The value cannot be computed. Correct the expression.")
		}
		return cty.NilVal, false
	}
	return v, true
}

// within runs f, which evaluates e, and reports when the budget stopped it. With an empty budget nothing runs and
// nothing is said: that was reported once, and everything after it would be a follow-up.
func (l *loader) within(e hclsyntax.Expression, f func()) (ok bool) {
	if l.budget.empty() {
		return false
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(exhausted); !ours {
				panic(r)
			}
		}
		if topic := l.budget.topic; topic != nil {
			topic.Errorf(&l.diags, e.Range(), "%s", l.budget.why)
			l.budget.topic, ok = nil, false
		}
	}()
	f()
	return true
}

// checkRefs holds every reference in e to what is declared, and reports the first that is not. It also returns false,
// silently, when e needs a variable or local that has a mistake itself.
func (l *loader) checkRefs(en *env, e hclsyntax.Expression) bool {
	if en.sc.checked[e] { // for another instance
		return true
	}
	for _, t := range e.Variables() {
		if !l.checkRef(en, t) {
			return false
		}
	}
	en.sc.checked[e] = true
	return true
}

func (l *loader) checkRef(en *env, t hcl.Traversal) bool {
	sc, root := en.sc, t.RootName()
	at := t.SourceRange()
	report := func(format string, args ...any) bool {
		unknownReference.Errorf(&l.diags, at, format, args...)
		return false
	}
	var has func(name string) bool
	var known func() []string
	among := func(names ...string) {
		has, known = func(n string) bool { return slices.Contains(names, n) }, func() []string { return names }
	}
	switch root {
	case "self":
		if !en.self {
			return report("self is the device at hand, and is known only in switch and host blocks, outside of names. Write the value itself, or move it there.")
		}
		among("group", "index", "name")
	case "each":
		if !en.each {
			return report("each is known only in blocks with for_each. Write the value itself, or give the block a for_each.")
		}
		among("key", "value")
	case "var":
		has, known = in(sc.vars)
	case "local":
		has, known = in(sc.locals)
	case "module":
		has, known = in(sc.modules)
	case "cos_group", "switch", "host":
		has, known = in(sc.folder.labels[root])
	default:
		why, meant := l.unknownRoot(sc, t)
		unknownReference.Errorf(&l.diags, at, "%s", why).Instead(t[0].SourceRange(), meant)
		return false
	}
	if len(t) == 1 {
		return report("%s alone names nothing. Write %s.NAME.%s", root, root, list(" Write one of these: ", l.like(known)))
	}
	name, ok := stepName(t[1])
	if !ok {
		return report("After %s comes a name: %s.NAME.%s", root, root, list(" Write one of these: ", l.like(known)))
	}
	if !has(name) {
		if sc.folder.meant[root+"."+name] {
			return false
		}
		if outside := sc.elsewhere(root, name); outside != "" {
			return report("There is no %s.%s in this module. %s", root, shown(name), outside)
		}
		names := l.like(known)
		report("There is no %s.%s.%s", root, shown(name), l.instead(root, name, names))
		if _, device := l.devices[name]; !device {
			l.insteadOfStep(t[1], diag.Nearest(name, names))
		}
		return false
	}
	switch root {
	case "var":
		return sc.vars[name].ok
	case "local":
		return sc.locals[name].ok
	case "module":
		return l.checkModule(sc.modules[name], t, report)
	}
	return true
}

// in looks names up in a map; listing them, for a message, costs more.
func in[V any](m map[string]V) (has func(string) bool, names func() []string) {
	return func(n string) bool { _, ok := m[n]; return ok }, func() []string { return sortedKeys(m) }
}

func stepName(step hcl.Traverser) (string, bool) {
	switch s := step.(type) {
	case hcl.TraverseAttr:
		return s.Name, true
	case hcl.TraverseIndex:
		if s.Key.Type() == cty.String && !s.Key.IsNull() {
			return s.Key.AsString(), true
		}
	}
	return "", false
}

// insteadOfStep offers, in the last diagnostic, another name in a reference.
func (l *loader) insteadOfStep(step hcl.Traverser, name string) {
	d := l.diags[len(l.diags)-1]
	switch s := step.(type) {
	case hcl.TraverseAttr:
		if at := s.SrcRange; hclsyntax.ValidIdentifier(name) && at.End.Byte-at.Start.Byte > len(s.Name) { // the dot too
			at.Start.Byte, at.Start.Column = at.End.Byte-len(s.Name), at.Start.Column+at.End.Byte-at.Start.Byte-len(s.Name)
			d.Instead(at, name)
		}
	case hcl.TraverseIndex:
		if name != "" {
			d.Instead(s.SrcRange, fmt.Sprintf("[%q]", name))
		}
	}
}

// elsewhere tells what is wrong with a name that an outer folder declares.
func (sc *scope) elsewhere(kind, name string) string {
	for up := sc.parent; up != nil; up = up.parent {
		if _, ok := up.folder.labels[kind][name]; ok && refTypes[kind] != cty.NilType {
			return fmt.Sprintf("It is declared outside. Hand it over by a variable, such as %s = %s.%s in the module block.", name, kind, name)
		}
	}
	return ""
}

// instead says what to write instead of a name that is not declared.
func (l *loader) instead(root, name string, known []string) string {
	_, device := l.devices[name]
	switch {
	case device && (root == "host" || root == "switch"):
		return fmt.Sprintf(" It is the name of a device, not of a group. Write %q in quotes.", diag.Cut(name))
	case len(known) > 0:
		return didYouMean(name, known)
	case root == "local":
		return fmt.Sprintf(" Write %s = ... in a locals block, or correct the name.", shown(name))
	case root == "var":
		return fmt.Sprintf(" Write a block variable %q { ... }, or correct the name.", diag.Cut(name))
	}
	return fmt.Sprintf(" Write a block %s %q { ... }, or correct the name.", root, diag.Cut(name))
}

// foreign are words of other languages, and what to write instead. %s is what follows the first dot.
var foreign = map[string]string{
	"yes": "Write true.", "on": "Write true.", "True": "Write true.", "TRUE": "Write true.",
	"no": "Write false.", "off": "Write false.", "False": "Write false.", "FALSE": "Write false.",
	"none": "Write null, or leave the attribute out.", "nil": "Write null, or leave the attribute out.",
	"variable": "Write var.%s.", "vars": "Write var.%s.", "locals": "Write local.%s.", "modules": "Write module.%s.",
	"count": "Write self.index for the number of a device, from 0.",
	"path":  "Paths are relative to the folder of the file already. Write them without it.",
	"env":   "The environment is read by variables only: ROCEC_VAR_name. Write var.name.",
	"data":  "There are no data sources: the same fabric always means the same. Give the value by a variable.",
}

// unknownRoot says what to write instead of a reference that begins with a word that means nothing; meant is what the
// word should be, where there is no doubt.
func (l *loader) unknownRoot(sc *scope, t hcl.Traversal) (why, meant string) {
	word, after := t.RootName(), "NAME"
	if len(t) > 1 {
		if name, ok := stepName(t[1]); ok {
			after = diag.Cut(name)
		}
	}
	for _, kind := range []string{"cos_group", "switch", "host"} {
		if _, ok := sc.folder.labels[kind][word]; ok {
			return fmt.Sprintf("%q means nothing here. Write %s.%s for the block, or %q in quotes for the text.", word, kind, word, word), kind + "." + word
		}
	}
	if _, ok := sc.vars[word]; ok {
		return fmt.Sprintf("%q means nothing here. Write var.%s.", word, word), "var." + word
	}
	if _, ok := sc.locals[word]; ok {
		return fmt.Sprintf("%q means nothing here. Write local.%s.", word, word), "local." + word
	}
	if _, ok := sc.modules[word]; ok {
		return fmt.Sprintf("%q means nothing here. Write module.%s and the name of an output.", word, word), ""
	}
	if says, ok := foreign[word]; ok {
		return fmt.Sprintf("%q means nothing here. %s", word, strings.ReplaceAll(says, "%s", after)), ""
	}
	if l.atTop(word) && len(t) > 1 {
		return fmt.Sprintf("There are no references to %s blocks. Write %q in quotes, the name itself.", word, after), ""
	}
	if near := diag.Nearest(word, []string{"true", "false", "null"}); near != "" && len(t) == 1 {
		return fmt.Sprintf("%q means nothing here. Did you mean %s?", diag.Cut(word), near), near
	}
	if near := diag.Nearest(word, roots); near != "" && len(t) > 1 {
		return fmt.Sprintf("%q means nothing here. Did you mean %s.%s?", diag.Cut(word), near, after), near
	}
	if len(t) > 1 {
		return fmt.Sprintf("%q means nothing here. Put text in quotes; references start with %s.", diag.Cut(word), strings.Join(roots, ", ")), ""
	}
	return fmt.Sprintf("%q means nothing here. Write %q in quotes if it is text; references start with %s.", diag.Cut(word), diag.Cut(word),
		strings.Join(roots, ", ")), ""
}

// roots are the words references start with.
var roots = []string{"var", "local", "cos_group", "switch", "host", "module", "self", "each"}

// usesSelf tells whether e must be evaluated for every device.
func usesSelf(e hclsyntax.Expression) bool {
	if _, ok := literal(e); ok {
		return false
	}
	return slices.ContainsFunc(e.Variables(), func(t hcl.Traversal) bool { return t.RootName() == "self" })
}

// text is a string and how places inside it are found.
type text struct {
	s    string
	expr hclsyntax.Expression
	base diag.Range // of the bytes of s, when exact; else of the whole expression
	same bool       // base holds exactly the bytes of s, on one line
}

// at is the place of s[from:to], or of the whole expression when the string was computed or holds escapes.
func (t text) at(from, to int) diag.Range {
	if !t.same || from > to || to > len(t.s) {
		return t.base
	}
	r := t.base
	r.Start.Byte, r.End.Byte = t.base.Start.Byte+from, t.base.Start.Byte+to
	r.Start.Column, r.End.Column = t.base.Start.Column+from, t.base.Start.Column+to
	return r
}

// text pairs the string v of e with its place.
func (l *loader) text(s string, e hclsyntax.Expression) text {
	t := text{s: s, expr: e, base: e.Range()}
	tmpl, ok := bare(e).(*hclsyntax.TemplateExpr)
	if !ok || len(tmpl.Parts) != 1 {
		return t
	}
	part, ok := tmpl.Parts[0].(*hclsyntax.LiteralValueExpr)
	if !ok {
		return t
	}
	src := l.src.Files[part.SrcRange.Filename]
	if string(part.SrcRange.SliceBytes(src)) == s && ascii(s) { // columns are bytes only in plain text
		t.base, t.same = part.SrcRange, true
	}
	return t
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// elements gives the elements of a list expression with their own expressions where it is written out, or all with the
// expression of the whole.
func (l *loader) elements(en *env, e hclsyntax.Expression, want string) ([]element, outcome) {
	if tuple, ok := bare(e).(*hclsyntax.TupleConsExpr); ok && !l.failed[e] {
		out := make([]element, 0, len(tuple.Exprs))
		result := good
		for _, x := range tuple.Exprs {
			v, o := l.value(en, x)
			switch o {
			case failed:
				result = failed
				continue
			case null:
				l.wrong(en, x, v, want)
				result = failed
				continue
			}
			out = append(out, element{v, x})
		}
		return out, result
	}
	v, o := l.value(en, e)
	if o != good {
		return nil, o
	}
	if ty := v.Type(); !ty.IsTupleType() && !ty.IsListType() && !ty.IsSetType() {
		hint := ""
		if src := e.Range().SliceBytes(l.src.Files[e.Range().Filename]); len(src) > 0 && len(src) < 60 && !bytes.ContainsAny(src, "\n") {
			hint = fmt.Sprintf(" Write it as a list: [%s].", src)
		}
		l.report(en, e, &wrongType, fmt.Sprintf("Expected a list, and in it %s; this is %s.%s", want, describe(v), hint))
		return nil, failed
	}
	var out []element
	for it := v.ElementIterator(); it.Next(); {
		_, x := it.Element()
		if x.IsNull() {
			l.wrong(en, e, x, want)
			return nil, failed
		}
		out = append(out, element{x, e})
	}
	return out, good
}

type element struct {
	v    cty.Value
	expr hclsyntax.Expression
}

// wrong reports a value of the wrong type.
func (l *loader) wrong(en *env, e hclsyntax.Expression, v cty.Value, want string) {
	l.report(en, e, &wrongType, fmt.Sprintf("Expected %s, not %s.", want, describe(v)))
}

// report reports a mistake in the value of e, once; again it returns nil.
func (l *loader) report(en *env, e hclsyntax.Expression, topic *diag.Topic, detail string) *diag.Diagnostic {
	if l.failed[e] {
		return nil
	}
	l.fail(e)
	if en.who != "" {
		detail += fmt.Sprintf(" This is the value for %s.", en.who)
	}
	return topic.Errorf(&l.diags, e.Range(), "%s", detail)
}

// describe says what a value is, in the words of a message.
func describe(v cty.Value) string {
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
		ref := v.EncapsulatedValue().(*blockRef)
		return fmt.Sprintf("the block %s.%s", ref.kind, ref.name)
	case ty.IsTupleType() || ty.IsListType():
		return "a list"
	case ty.IsSetType():
		return "a set"
	default:
		return "an object"
	}
}
