package lang

import (
	"fmt"
	"slices"
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
}

func (l *loader) loadVariables(blocks []*hclsyntax.Block) {
	l.vars = map[string]*variable{}
	var order []*variable
	top := &env{ctx: &hcl.EvalContext{Functions: l.functions}}
	for _, b := range blocks {
		v := &variable{name: b.Labels[0], decl: header(b), ty: cty.DynamicPseudoType}
		// A mistake inside leaves the variable declared, but without a value: nothing more is said about it.
		l.vars[v.name] = v
		before := len(l.diags)
		*v = compile(l, &variableSchema, b, top, v).proto
		if len(l.diags) == before {
			order = append(order, v)
		}
	}
	values := l.givenValues()
	for _, v := range order {
		l.settle(v, values[v.name])
	}
	l.validateVariables(order)
}

// givenValues collects the values from outside, by the name of the variable; the strongest source wins: --var over
// --var-file over the environment, the later over the earlier.
func (l *loader) givenValues() map[string]*given {
	values := map[string]*given{}
	for _, kv := range l.options.Env {
		if name, text, ok := strings.Cut(strings.TrimPrefix(kv, "ROCEC_VAR_"), "="); ok && strings.HasPrefix(kv, "ROCEC_VAR_") && l.vars[name] != nil {
			values[name] = &given{name: name, text: text, at: l.pseudoFile("ROCEC_VAR_"+name, text), from: "ROCEC_VAR_" + name}
		}
	}
	for _, f := range l.options.VarFiles {
		l.readVarFile(f, values)
	}
	for i, kv := range l.options.Vars {
		file := fmt.Sprintf("--var %d", i+1)
		name, text, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			badVariable.Errorf(&l.diags, l.pseudoFile(file, kv), "--var takes name=value, not %q.", cut(kv))
			continue
		}
		if l.vars[name] == nil {
			undeclaredVariable.Errorf(&l.diags, l.pseudoFile(file, kv), "--var gives a value for %q, which no variable block declares.%s", cut(name), didYouMean(name, sortedKeys(l.vars)))
			continue
		}
		at := l.pseudoFile(file, kv)
		at.Start.Byte += len(name) + 1
		at.Start.Column += len(name) + 1
		values[name] = &given{name: name, text: text, at: at, from: "--var"}
	}
	return values
}

// pseudoFile makes text from the command line showable like a file, and returns its place.
func (l *loader) pseudoFile(name, text string) diag.Range {
	line, _, _ := strings.Cut(strings.ToValidUTF8(text, "?"), "\n")
	l.src.Files[name] = []byte(line)
	at := start(name)
	at.End.Byte, at.End.Column = len(line), len(line)+1
	return at
}

func (l *loader) readVarFile(f VarFile, values map[string]*given) {
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
		if l.vars[a.Name] == nil {
			undeclaredVariable.Errorf(&l.diags, a.NameRange, "%s gives a value for %q, which no variable block declares.%s", f.Name, a.Name, didYouMean(a.Name, sortedKeys(l.vars)))
			continue
		}
		values[a.Name] = &given{name: a.Name, expr: a.Expr, at: a.Expr.Range(), from: "--var-file"}
	}
}

// settle gives v its value.
func (l *loader) settle(v *variable, g *given) {
	top := &env{ctx: &hcl.EvalContext{Functions: l.functions}}
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
	case g == nil && v.fallback == nil:
		unsetVariable.Errorf(&l.diags, v.decl, "The variable %q has no default and no value was given. Give one with --var %s=..., in a --var-file, or as ROCEC_VAR_%s.", v.name, v.name, v.name)
		return
	case g == nil:
		v.value, v.at, v.ok = fallback, v.fallback.Range(), true
		return
	}
	val, ok := l.givenValue(v, g)
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

func (l *loader) givenValue(v *variable, g *given) (cty.Value, bool) {
	if g.expr != nil {
		val, o := l.constant(&env{ctx: &hcl.EvalContext{Functions: l.functions}}, g.expr)
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
	val, o := l.constant(&env{ctx: &hcl.EvalContext{Functions: l.functions}}, expr)
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

func (l *loader) varObject() cty.Value {
	vars := map[string]cty.Value{}
	for name, v := range l.vars {
		if v.ok {
			vars[name] = v.value
		}
	}
	return cty.ObjectVal(vars)
}

func (l *loader) validateVariables(vars []*variable) {
	top := &env{ctx: &hcl.EvalContext{Functions: l.functions, Variables: map[string]cty.Value{"var": l.varObject()}}}
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

// local is one attribute of a locals block.
type local struct {
	name  string
	at    diag.Range
	expr  hclsyntax.Expression
	needs []*local
	state int // 0 untouched, 1 under way, 2 done

	value cty.Value
	ok    bool
}

func (l *loader) loadLocals(blocks []*hclsyntax.Block) {
	l.locals = map[string]*local{}
	var order []*local
	for _, b := range blocks {
		for _, inner := range b.Body.Blocks {
			unknownBlock.Errorf(&l.diags, inner.TypeRange, "A locals block holds name = value lines only, no blocks.")
		}
		for _, a := range sortedAttributes(b.Body) {
			if first, ok := l.locals[a.Name]; ok {
				duplicateName.Errorf(&l.diags, a.NameRange, "There are two locals named %q. Give one another name.", a.Name).
					Note(first.at, "the first one")
				continue
			}
			loc := &local{name: a.Name, at: a.NameRange, expr: a.Expr}
			l.locals[a.Name] = loc
			order = append(order, loc)
		}
	}
	for _, loc := range order {
		loc.needs = l.localsIn(loc.expr)
	}
	base := &hcl.EvalContext{Functions: l.functions, Variables: map[string]cty.Value{"var": l.varObject()}}
	for kind, refs := range l.context().Variables {
		if _, ok := refTypes[kind]; ok {
			base.Variables[kind] = refs
		}
	}
	var path []*local
	for _, loc := range order {
		l.settleLocal(loc, base, &path)
	}
}

// localsIn returns the locals an expression refers to, each once.
func (l *loader) localsIn(e hclsyntax.Expression) []*local {
	var out []*local
	seen := map[*local]bool{}
	for _, t := range e.Variables() {
		if t.RootName() != "local" || len(t) < 2 {
			continue
		}
		if name, ok := stepName(t[1]); ok {
			if loc := l.locals[name]; loc != nil && !seen[loc] {
				seen[loc] = true
				out = append(out, loc)
			}
		}
	}
	return out
}

// settleLocal evaluates loc after everything it needs. Path holds the locals under way.
func (l *loader) settleLocal(loc *local, base *hcl.EvalContext, path *[]*local) {
	switch loc.state {
	case 2:
		return
	case 1:
		l.reportCycle((*path)[slices.Index(*path, loc):])
		return
	}
	loc.state = 1
	*path = append(*path, loc)
	for _, need := range loc.needs {
		l.settleLocal(need, base, path)
	}
	*path = (*path)[:len(*path)-1]
	loc.state = 2
	if l.failed[loc.expr] {
		return
	}
	ctx := base.NewChild()
	values := map[string]cty.Value{}
	for _, need := range loc.needs {
		if need.ok {
			values[need.name] = need.value
		}
	}
	ctx.Variables = map[string]cty.Value{"local": cty.ObjectVal(values)}
	val, o := l.value(&env{ctx: ctx}, loc.expr)
	loc.value, loc.ok = val, o != failed
}

// reportCycle reports a circle of locals, from its smallest place, and marks all of it as failed.
func (l *loader) reportCycle(circle []*local) {
	first := 0
	for i, loc := range circle {
		if diag.ComparePlace(loc.at, circle[first].at) < 0 {
			first = i
		}
	}
	circle = slices.Concat(circle[first:], circle[:first])
	names := make([]string, 0, len(circle)+1)
	for _, loc := range circle {
		names = append(names, loc.name)
		l.fail(loc.expr)
	}
	names = append(names, circle[0].name)
	if len(names) > 20 {
		names = append(append(names[:10:10], fmt.Sprintf("(%d more)", len(names)-19)), names[len(names)-9:]...)
	}
	d := referenceCycle.Errorf(&l.diags, circle[0].at, "These locals need each other: %s. Break the circle at one of them.", strings.Join(names, " -> "))
	for i, loc := range circle {
		if i > 0 && i <= 50 {
			d.Note(loc.at, "%s needs %s", loc.name, circle[(i+1)%len(circle)].name)
		}
	}
}
