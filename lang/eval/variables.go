package eval

import (
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Variable is a variable block, and its value.
type Variable struct {
	Name        string
	Decl        diag.Range
	Type        cty.Type // DynamicPseudoType if no type is declared
	Defaults    *typeexpr.Defaults
	Default     hclsyntax.Expression // or nil
	Validations []Validation
	NotNull     bool // null counts as not given

	Value cty.Value
	At    diag.Range // place of the given value
	OK    bool
	from  string // source of the value; "" for the default
}

// Validation is a condition on the value of a variable.
type Validation struct {
	Decl               diag.Range
	Condition, Message hclsyntax.Expression
}

// SettleVariables sets the values of the variables of a scope from the given values and the defaults.
func (ev *Evaluator) SettleVariables(sc *Scope, vars []*Variable, values map[string]*Given, ds *diag.List) {
	for _, v := range vars {
		ev.settle(sc, v, values[v.Name], ds)
	}
	ev.validateVariables(sc, vars, ds)
}

// settle sets the value of v.
func (ev *Evaluator) settle(sc *Scope, v *Variable, g *Given, ds *diag.List) {
	top := sc.Bare()
	var fallback cty.Value
	if v.Default != nil {
		val, o := ev.constant(top, v.Default, ds)
		if o == Failed {
			return
		}
		// A default without a type also declares the type, if it is primitive: --var leaves=8 is a number then.
		if v.Type == cty.DynamicPseudoType && o == Good && val.Type().IsPrimitiveType() {
			v.Type = val.Type()
		}
		if o == Null && v.NotNull {
			BadVariable.Errorf(ds, v.Default.Range(), "The variable %q has nullable = false, but its default is null. Delete one of the two.",
				v.Name)
			return
		}
		if fallback, o = ev.convert(sc, v, val, nil, v.Default, ds); o == Failed {
			return
		}
	}
	val, ok := cty.NilVal, false
	if g != nil {
		if val, ok = ev.givenValue(sc, v, g, ds); !ok {
			return
		}
		if val.IsNull() && v.NotNull {
			g = nil // counts as not given
		}
	}
	switch {
	case g == nil && v.Default == nil && sc.Caller != nil:
		MissingAttribute.Errorf(ds, parse.Header(sc.Caller), "The module in %s needs a value for its variable %q. Write %s = ... in this block.",
			diag.Folder(sc.Names.Folder.Name), v.Name, v.Name).
			Note(v.Decl, "declared here, without a default")
		return
	case g == nil && v.Default == nil:
		UnsetVariable.Errorf(ds, v.Decl, "The variable %q has no default, and no value was given. Give a value with --var %s=..., in "+
			"a --var-file, "+
			"or as ROCEC_VAR_%s.%s", v.Name, v.Name, v.Name, ev.nearEnv(sc, v.Name))
		return
	case g == nil:
		v.Value, v.At, v.OK = fallback, v.Default.Range(), true
		return
	}
	if val, o := ev.convert(sc, v, val, g, g.expr, ds); o != Failed {
		v.Value, v.At, v.OK, v.from = val, g.at, true, g.from
	}
}

// constant evaluates an expression that may call functions but may not contain references.
func (ev *Evaluator) constant(en *Env, e hclsyntax.Expression, ds *diag.List) (cty.Value, Outcome) {
	if ev.failed[e] {
		return cty.NilVal, Failed
	}
	if vars := e.Variables(); len(vars) > 0 {
		ev.Fail(e)
		UnknownReference.Errorf(ds, vars[0].SourceRange(),
			"The value of a variable cannot contain references. Put text in quotes, and compute in a locals block.")
		return cty.NilVal, Failed
	}
	return ev.Value(en, e, ds)
}

func (ev *Evaluator) givenValue(sc *Scope, v *Variable, g *Given, ds *diag.List) (cty.Value, bool) {
	if sc.Caller != nil {
		return g.value, !g.failed
	}
	if g.expr != nil {
		val, o := ev.constant(sc.Bare(), g.expr, ds)
		return val, o != Failed
	}
	if len(g.text) > MaxString {
		parse.TooLarge.Errorf(ds, g.at, "The value is longer than 64 KiB. Make it shorter.")
		return cty.NilVal, false
	}
	if v.Type == cty.DynamicPseudoType || v.Type.IsPrimitiveType() {
		if !ascii(g.text) && strings.ToValidUTF8(g.text, "") != g.text {
			BadVariable.Errorf(ds, g.at, "The value of %q is not UTF-8 text. Correct it.", v.Name)
			return cty.NilVal, false
		}
		return cty.StringVal(g.text), true
	}
	// Lists, maps and objects are written in HCL. Places point into the pseudo file.
	file := g.at.Filename
	src := []byte(g.text)
	if !parse.CheckText(file, src, ds) {
		return cty.NilVal, false
	}
	ev.Files[file] = src
	expr, refused := parse.Expression(file, src, ds)
	if refused {
		return cty.NilVal, false
	}
	if expr == nil {
		at := parse.Start(file)
		at.End.Byte, at.End.Column = len(src), len(src)+1
		BadVariable.Errorf(ds, at, "The value of %q, from %s, is a %s and cannot be read. Write it as in --var '%s=%s'.", v.Name, g.from,
			typeName(v.Type), v.Name, example(v.Type)).
			Note(v.Decl, "declared here")
		return cty.NilVal, false
	}
	if !ev.guardExpression(&expr, ds) {
		return cty.NilVal, false
	}
	g.at, g.expr = expr.Range(), expr
	val, o := ev.constant(sc.Bare(), expr, ds)
	return val, o != Failed
}

// convert converts a value to the declared type. G is its source, nil for the default; e is its expression, if it has one.
func (ev *Evaluator) convert(sc *Scope, v *Variable, val cty.Value, g *Given, e hclsyntax.Expression, ds *diag.List) (cty.Value, Outcome) {
	if e != nil {
		if name, known, found := surplus(val, v.Type); found && ev.reportSurplus(v, name, known, g, e, ds) {
			return cty.NilVal, Failed
		}
	}
	if v.Defaults != nil && !val.IsNull() {
		val = v.Defaults.Apply(val)
	}
	out, err := fit(val, v.Type)
	if err == nil {
		return out, Good
	}
	at, ty, source := diag.Range{}, v.Type, "the default"
	if g != nil {
		at, source = g.at, "the value, which comes from "+g.from
	}
	if e != nil {
		en := sc.Bare()
		if g != nil && g.en != nil {
			en = g.en
		}
		e, val, ty, err = ev.misfit(en, e, val, v.Type, err, ds)
		at = e.Range()
	}
	BadVariable.Errorf(ds, at, "The variable %q is declared as %s, and this does not fit: %s. Correct %s, or the type.", v.Name,
		typeName(v.Type), misfitWords(val, ty, err), source).
		Note(v.Decl, "declared here")
	return cty.NilVal, Failed
}

// reportSurplus reports an attribute in a literal that the type of the variable does not name. A computed object may have more
// attributes, so that several modules can use one object.
func (ev *Evaluator) reportSurplus(v *Variable, name string, known []string, g *Given, e hclsyntax.Expression, ds *diag.List) bool {
	at, exact := parse.KeyPlace(e, name)
	if !exact {
		return false
	}
	from := ""
	if g != nil {
		from = " The value comes from " + g.from + "."
	}
	BadVariable.Errorf(ds, at, "The variable %q is declared as %s, which has no attribute %q.%s%s Correct the name, or the type.",
		v.Name, typeName(v.Type), diag.Cut(name), diag.Suggest(name, known), from).
		Note(v.Decl, "declared here").Instead(at, diag.Nearest(name, known))
	return true
}

func (sc *Scope) varObject() cty.Value {
	vars := map[string]cty.Value{}
	for name, v := range sc.Vars {
		if v.OK {
			vars[name] = v.Value
		}
	}
	return cty.ObjectVal(vars)
}

func (ev *Evaluator) validateVariables(sc *Scope, vars []*Variable, ds *diag.List) {
	top := sc.Bare()
	top.ctx.Variables = map[string]cty.Value{"var": sc.varObject()}
	for _, v := range vars {
		for _, check := range v.Validations {
			if !ev.onlyVariables(check.Condition, ds) || !ev.onlyVariables(check.Message, ds) {
				continue
			}
			cond, o := ev.Value(top, check.Condition, ds)
			if o == Failed {
				continue
			}
			if o == Null || cond.Type() != cty.Bool {
				ev.Wrong(top, check.Condition, cond, "a condition that is true or false", ds)
				continue
			}
			if cond.True() {
				continue
			}
			m, o := ev.Value(top, check.Message, ds)
			if o == Good && m.Type() != cty.String || o == Null {
				ev.Wrong(top, check.Message, m, "text about the mistake in the value", ds)
				continue
			}
			if o == Failed {
				continue
			}
			FailedValidation.Errorf(ds, v.At, "The value of %q%s is not allowed: %s Give another one.", v.Name, v.source(), sentence(m.AsString())).
				Note(check.Condition.Range(), "the condition that is false")
		}
	}
}

// source returns the source of the value of v for a message, or "" for the default.
func (v *Variable) source() string {
	if v.from == "" {
		return ""
	}
	return ", from " + v.from + ","
}

// onlyVariables reports references of a validation that are not to variables.
func (ev *Evaluator) onlyVariables(e hclsyntax.Expression, ds *diag.List) bool {
	if ev.failed[e] {
		return false
	}
	for _, t := range e.Variables() {
		switch root := t.RootName(); root {
		case "local", "module", "cos_group", "switch", "host", "self", "each":
			ev.Fail(e)
			UnknownReference.Errorf(ds, t.SourceRange(), "A validation can refer only to var.NAME, because it is evaluated first. "+
				"Write the value itself, or move it into a variable.")
			return false
		}
	}
	return true
}

// sentence makes a sentence of a message from the fabric, and cuts it to fit on a screen.
func sentence(s string) string {
	s = diag.Escape(strings.Join(strings.FieldsFunc(s, unicode.IsControl), " "))
	if s = strings.TrimSpace(s); s == "" {
		s = "the condition is false"
	}
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "..."
	}
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
