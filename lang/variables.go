package lang

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// variable is a variable block.
type variable struct {
	name        string
	decl        diag.Range
	ty          cty.Type // DynamicPseudoType when none is declared
	defaults    *typeexpr.Defaults
	fallback    hclsyntax.Expression // of default, or nil
	description Value[string]
	validations []validation

	value cty.Value
	at    diag.Range // where the value was given
	ok    bool
}

type validation struct {
	decl               diag.Range
	condition, message hclsyntax.Expression
}

// given is one value of a variable from outside the fabric.
type given struct {
	name string
	text string               // as it stands on the command line or in the environment
	expr hclsyntax.Expression // from a file; text is not set
	at   diag.Range
	from string // "--var", for messages

	value  cty.Value // of a module block, evaluated already
	failed bool      // its mistake was reported
}

// loadVariables gives the variables of a scope their values.
func (l *loader) loadVariables(sc *scope, from func(*scope) map[string]*given) {
	sc.vars = map[string]*variable{}
	var order []*variable
	top := sc.bare()
	for _, b := range sc.folder.blocks["variable"] {
		v := &variable{name: b.Labels[0], decl: header(b), ty: cty.DynamicPseudoType}
		// A mistake inside leaves the variable declared, but without a value: nothing more is said about it.
		sc.vars[v.name] = v
		before := len(l.diags)
		*v = compile(l, &variableSchema, b, top, v).proto
		if len(l.diags) == before {
			order = append(order, v)
		}
	}
	values := from(sc)
	for _, v := range order {
		l.settle(sc, v, values[v.name])
	}
	l.validateVariables(sc, order)
}

// givenValues collects the values from outside, by the name of the variable; the strongest source wins: --var over
// --var-file over the environment, the later over the earlier.
func (l *loader) givenValues(sc *scope) map[string]*given {
	values := map[string]*given{}
	for _, kv := range l.options.Env {
		if name, text, ok := strings.Cut(strings.TrimPrefix(kv, "ROCEC_VAR_"), "="); ok && strings.HasPrefix(kv, "ROCEC_VAR_") && sc.vars[name] != nil {
			values[name] = &given{name: name, text: text, at: l.pseudoFile(envFile+name, text), from: "ROCEC_VAR_" + name}
		}
	}
	for _, f := range l.options.VarFiles {
		l.readVarFile(sc, f, values)
	}
	for i, kv := range l.options.Vars {
		file := fmt.Sprintf(flagFile+"%d", i+1)
		name, text, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			badVariable.Errorf(&l.diags, l.pseudoFile(file, kv), "--var takes name=value, not %q.", cut(kv))
			continue
		}
		if sc.vars[name] == nil {
			undeclaredVariable.Errorf(&l.diags, l.pseudoFile(file, kv), "--var gives a value for %q, which no variable block declares.%s", cut(name), didYouMean(name, sortedKeys(sc.vars)))
			continue
		}
		at := l.pseudoFile(file, kv)
		at.Start.Byte += len(name) + 1
		at.Start.Column += len(name) + 1
		values[name] = &given{name: name, text: text, at: at, from: "--var"}
	}
	return values
}

// The names of the pseudo files that hold values from the command line and the environment.
const (
	flagFile = "--var "
	envFile  = "ROCEC_VAR_"
)

// Given tells whether the name of a file in a place is that of a value from the command line or the environment: there
// is text to show in [Source.Files], but no file.
func Given(name string) bool {
	return strings.HasPrefix(name, flagFile) || strings.HasPrefix(name, envFile) && !strings.ContainsAny(name, "./")
}

// pseudoFile makes text from the command line showable like a file, and returns its place.
func (l *loader) pseudoFile(name, text string) diag.Range {
	line, _, _ := strings.Cut(strings.ToValidUTF8(text, "?"), "\n")
	l.src.Files[name] = []byte(line)
	at := start(name)
	at.End.Byte, at.End.Column = len(line), len(line)+1
	return at
}

func (l *loader) readVarFile(sc *scope, f VarFile, values map[string]*given) {
	if len(f.Data) > maxFile {
		tooLarge.Errorf(&l.diags, start(f.Name), "%q is larger than %s.", f.Name, size(maxFile))
		return
	}
	l.src.Files[f.Name] = f.Data
	body, ok := parseFile(f.Name, f.Data, &l.diags)
	if !ok {
		return
	}
	l.guard(body, false)
	for _, b := range body.Blocks {
		unknownBlock.Errorf(&l.diags, b.TypeRange, "A file of --var-file holds name = value lines only, no blocks.")
	}
	for _, a := range sortedAttributes(body) {
		if sc.vars[a.Name] == nil {
			undeclaredVariable.Errorf(&l.diags, a.NameRange, "%s gives a value for %q, which no variable block declares.%s", f.Name, a.Name, didYouMean(a.Name, sortedKeys(sc.vars)))
			continue
		}
		values[a.Name] = &given{name: a.Name, expr: a.Expr, at: a.Expr.Range(), from: "--var-file"}
	}
}

// settle gives v its value.
func (l *loader) settle(sc *scope, v *variable, g *given) {
	top := sc.bare()
	var fallback cty.Value
	if v.fallback != nil {
		val, o := l.constant(top, v.fallback)
		if o == failed {
			return
		}
		// A default without a type declares the type too, if it is a plain one: --var leaves=8 is a number then.
		if v.ty == cty.DynamicPseudoType && o == good && val.Type().IsPrimitiveType() {
			v.ty = val.Type()
		}
		if fallback, o = l.convert(v, val, v.fallback.Range()); o == failed {
			return
		}
	}
	switch {
	case g == nil && v.fallback == nil && sc.caller != nil:
		missingAttribute.Errorf(&l.diags, header(sc.caller), "The module in %s needs a value for its variable %q. Write %s = ... in this block.", quoteDir(sc.folder.name), v.name, v.name).
			Note(v.decl, "declared here, without a default")
		return
	case g == nil && v.fallback == nil:
		unsetVariable.Errorf(&l.diags, v.decl, "The variable %q has no default and no value was given. Give one with --var %s=..., in a --var-file, or as ROCEC_VAR_%s.", v.name, v.name, v.name)
		return
	case g == nil:
		v.value, v.at, v.ok = fallback, v.fallback.Range(), true
		return
	}
	val, ok := l.givenValue(sc, v, g)
	if !ok {
		return
	}
	if val, o := l.convert(v, val, g.at); o != failed {
		v.value, v.at, v.ok = val, g.at, true
	}
}

// constant evaluates an expression that may call functions but refer to nothing.
func (l *loader) constant(en *env, e hclsyntax.Expression) (cty.Value, outcome) {
	if l.failed[e] {
		return cty.NilVal, failed
	}
	if vars := e.Variables(); len(vars) > 0 {
		l.fail(e)
		unknownReference.Errorf(&l.diags, vars[0].SourceRange(), "The value of a variable cannot refer to anything. Compute it in a locals block.")
		return cty.NilVal, failed
	}
	return l.value(en, e)
}

func (l *loader) givenValue(sc *scope, v *variable, g *given) (cty.Value, bool) {
	if sc.caller != nil {
		return g.value, !g.failed
	}
	if g.expr != nil {
		val, o := l.constant(sc.bare(), g.expr)
		return val, o != failed
	}
	if len(g.text) > maxString {
		tooLarge.Errorf(&l.diags, g.at, "The value is longer than 64 KiB.")
		return cty.NilVal, false
	}
	if v.ty == cty.DynamicPseudoType || v.ty.IsPrimitiveType() {
		if !ascii(g.text) && strings.ToValidUTF8(g.text, "") != g.text {
			badVariable.Errorf(&l.diags, g.at, "The value of %q is no UTF-8 text.", v.name)
			return cty.NilVal, false
		}
		return cty.StringVal(g.text), true
	}
	// Lists, maps and objects are written in HCL. Places point into the pseudo file.
	var ds diag.List
	file := g.at.Filename
	src := []byte(g.text)
	if !checkText(file, src, &ds) {
		l.diags = append(l.diags, ds...)
		return cty.NilVal, false
	}
	l.src.Files[file] = src
	tokens, _ := hclsyntax.LexExpression(src, file, hcl.InitialPos)
	if !checkTokens(tokens, &ds) {
		l.diags = append(l.diags, ds...)
		return cty.NilVal, false
	}
	expr, hds := hclsyntax.ParseExpression(src, file, hcl.InitialPos)
	if hds.HasErrors() {
		badVariable.Errorf(&l.diags, start(file), "The value of %q is a %s, written in HCL such as [\"a\", \"b\"], and cannot be read: %s.", v.name, typeexpr.TypeString(v.ty), hds[0].Summary)
		return cty.NilVal, false
	}
	gd := guard{l: l}
	gd.expr(&expr, 0)
	if gd.bad {
		return cty.NilVal, false
	}
	g.at = expr.Range()
	val, o := l.constant(sc.bare(), expr)
	return val, o != failed
}

// convert brings a value to the declared type.
func (l *loader) convert(v *variable, val cty.Value, at diag.Range) (cty.Value, outcome) {
	if v.defaults != nil && !val.IsNull() {
		val = v.defaults.Apply(val)
	}
	out, err := fit(val, v.ty)
	if err != nil {
		badVariable.Errorf(&l.diags, at, "The variable %q is a %s, and %s is not: %s.", v.name, typeexpr.TypeString(v.ty), describe(val), err).
			Note(v.decl, "declared here")
		return cty.NilVal, failed
	}
	return out, good
}

func (sc *scope) varObject() cty.Value {
	vars := map[string]cty.Value{}
	for name, v := range sc.vars {
		if v.ok {
			vars[name] = v.value
		}
	}
	return cty.ObjectVal(vars)
}

func (l *loader) validateVariables(sc *scope, vars []*variable) {
	top := sc.bare()
	top.ctx.Variables = map[string]cty.Value{"var": sc.varObject()}
	for _, v := range vars {
		for _, check := range v.validations {
			cond, o := l.value(top, check.condition)
			if o == failed {
				continue
			}
			if o == null || cond.Type() != cty.Bool {
				l.wrong(top, check.condition, cond, "a condition that is true or false")
				continue
			}
			if cond.True() {
				continue
			}
			message := "The condition is false."
			if m, o := l.value(top, check.message); o == good && m.Type() == cty.String {
				message = sentence(m.AsString())
			} else if o == failed {
				continue
			}
			failedValidation.Errorf(&l.diags, v.at, "The value of %q is not allowed: %s", v.name, message).
				Note(check.condition.Range(), "the condition that is false")
		}
	}
}

// sentence cuts a message of the person to what fits on a screen.
func sentence(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}
