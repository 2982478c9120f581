package lang

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	nullable    Value[bool]

	value cty.Value
	at    diag.Range // where the value was given
	from  string     // what gave it; "" for the default
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
	from string // where it comes from, for messages

	value  cty.Value // of a module block, evaluated already
	en     *env      // what its expression was evaluated in
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
			values[name] = &given{name: name, text: text, at: l.pseudoFile(envFile+name, text), from: "the environment (ROCEC_VAR_" + name + ")"}
		}
	}
	for _, f := range l.options.VarFiles {
		l.readVarFile(sc, f, values)
	}
	for i, kv := range l.options.Vars {
		file := fmt.Sprintf(flagFile+"%d", i+1)
		name, text, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			if name == "" {
				name = "NAME"
			}
			badVariable.Errorf(&l.diags, l.pseudoFile(file, kv), "--var takes a name and a value. Write --var %s=VALUE.",
				strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(diag.Escape(diag.Cut(name))))
			continue
		}
		if sc.folder.meant["var."+name] {
			continue
		}
		if sc.vars[name] == nil {
			undeclaredVariable.Errorf(&l.diags, l.pseudoFile(file, kv), "--var gives a value for %q, which no variable block declares.%s",
				diag.Cut(name), l.declaredNear(name, sc))
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

// declaredNear ends a message about a value for a variable nobody declares.
func (l *loader) declaredNear(name string, sc *scope) string {
	if len(sc.vars) == 0 {
		return fmt.Sprintf(" Write a block variable %q { ... }, or delete the value.", diag.Cut(name))
	}
	return didYouMean(name, likeKeys(l, sc.vars))
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
		tooLarge.Errorf(&l.diags, start(f.Name), "%q is larger than %s. Make it smaller.", f.Name, size(maxFile))
		return
	}
	l.src.Files[f.Name] = f.Data
	body, ok := parseFile(f.Name, f.Data, &l.diags)
	if !ok {
		return
	}
	l.guard(body, false)
	for _, b := range body.Blocks {
		unknownBlock.Errorf(&l.diags, b.TypeRange, "A file of --var-file holds lines name = value only, no blocks. Move the block into a *.hcl file of the fabric.")
	}
	for _, a := range sortedAttributes(body) {
		if sc.folder.meant["var."+a.Name] {
			continue
		}
		if sc.vars[a.Name] == nil {
			undeclaredVariable.Errorf(&l.diags, a.NameRange, "%s gives a value for %q, which no variable block declares.%s", diag.Cut(f.Name),
				diag.Cut(a.Name), l.declaredNear(a.Name, sc)).
				Instead(a.NameRange, diag.Nearest(a.Name, sortedKeys(sc.vars)))
			continue
		}
		values[a.Name] = &given{name: a.Name, expr: a.Expr, at: a.Expr.Range(), from: diag.Cut(f.Name)}
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
		if o == null && v.nullable.Set() && !v.nullable.V {
			badVariable.Errorf(&l.diags, v.fallback.Range(), "The variable %q says nullable = false, and its default is null. Delete one of the two.", v.name)
			return
		}
		if fallback, o = l.convert(sc, v, val, nil, v.fallback); o == failed {
			return
		}
	}
	val, ok := cty.NilVal, false
	if g != nil {
		if val, ok = l.givenValue(sc, v, g); !ok {
			return
		}
		if val.IsNull() && v.nullable.Set() && !v.nullable.V {
			g = nil // as if not given
		}
	}
	switch {
	case g == nil && v.fallback == nil && sc.caller != nil:
		missingAttribute.Errorf(&l.diags, header(sc.caller), "The module in %s needs a value for its variable %q. Write %s = ... in this block.", quoteDir(sc.folder.name), v.name, v.name).
			Note(v.decl, "declared here, without a default")
		return
	case g == nil && v.fallback == nil:
		unsetVariable.Errorf(&l.diags, v.decl, "The variable %q has no default and no value was given. Give one with --var %s=..., in a --var-file, or as ROCEC_VAR_%s.%s", v.name, v.name, v.name, l.nearEnv(sc, v.name))
		return
	case g == nil:
		v.value, v.at, v.ok = fallback, v.fallback.Range(), true
		return
	}
	if val, o := l.convert(sc, v, val, g, g.expr); o != failed {
		v.value, v.at, v.ok, v.from = val, g.at, true, g.from
	}
}

// constant evaluates an expression that may call functions but refer to nothing.
func (l *loader) constant(en *env, e hclsyntax.Expression) (cty.Value, outcome) {
	if l.failed[e] {
		return cty.NilVal, failed
	}
	if vars := e.Variables(); len(vars) > 0 {
		l.fail(e)
		unknownReference.Errorf(&l.diags, vars[0].SourceRange(), "The value of a variable cannot refer to anything. Put text in quotes, and compute in a locals block.")
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
		tooLarge.Errorf(&l.diags, g.at, "The value is longer than 64 KiB. Make it shorter.")
		return cty.NilVal, false
	}
	if v.ty == cty.DynamicPseudoType || v.ty.IsPrimitiveType() {
		if !ascii(g.text) && strings.ToValidUTF8(g.text, "") != g.text {
			badVariable.Errorf(&l.diags, g.at, "The value of %q is not UTF-8 text. Correct it.", v.name)
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
		at := start(file)
		at.End.Byte, at.End.Column = len(src), len(src)+1
		badVariable.Errorf(&l.diags, at, "The value of %q, from %s, is a %s and cannot be read. Write it as in --var '%s=%s'.", v.name, g.from, typeName(v.ty), v.name, example(v.ty)).
			Note(v.decl, "declared here")
		return cty.NilVal, false
	}
	gd := guard{l: l}
	gd.expr(&expr, 0)
	if gd.bad {
		return cty.NilVal, false
	}
	g.at, g.expr = expr.Range(), expr
	val, o := l.constant(sc.bare(), expr)
	return val, o != failed
}

// convert brings a value to the declared type. G is where it comes from, nil for the default; e is its expression, if it
// is written as one.
func (l *loader) convert(sc *scope, v *variable, val cty.Value, g *given, e hclsyntax.Expression) (cty.Value, outcome) {
	if e != nil {
		if name, known, found := surplus(val, v.ty); found && l.reportSurplus(v, name, known, g, e) {
			return cty.NilVal, failed
		}
	}
	if v.defaults != nil && !val.IsNull() {
		val = v.defaults.Apply(val)
	}
	out, err := fit(val, v.ty)
	if err == nil {
		return out, good
	}
	at, ty, source := diag.Range{}, v.ty, "the default"
	if g != nil {
		at, source = g.at, "the value, which comes from "+g.from
	}
	if e != nil {
		en := sc.bare()
		if g != nil && g.en != nil {
			en = g.en
		}
		e, val, ty, err = l.misfit(en, e, val, v.ty, err)
		at = e.Range()
	}
	badVariable.Errorf(&l.diags, at, "The variable %q is declared as %s, and this does not fit: %s. Correct %s, or the type.", v.name, typeName(v.ty), misfitWords(val, ty, err), source).
		Note(v.decl, "declared here")
	return cty.NilVal, failed
}

// reportSurplus reports an attribute that the type of the variable does not name, where it is written out. A computed object
// may have more: so one object serves several modules.
func (l *loader) reportSurplus(v *variable, name string, known []string, g *given, e hclsyntax.Expression) bool {
	at, exact := keyPlace(e, name)
	if !exact {
		return false
	}
	from := ""
	if g != nil {
		from = " The value comes from " + g.from + "."
	}
	badVariable.Errorf(&l.diags, at, "The variable %q is declared as %s, which has no attribute %q.%s%s Correct the name, or the type.",
		v.name, typeName(v.ty), diag.Cut(name), didYouMean(name, known), from).
		Note(v.decl, "declared here").Instead(at, diag.Nearest(name, known))
	return true
}

// misfit finds the innermost part of a value that does not fit its type.
func (l *loader) misfit(en *env, e hclsyntax.Expression, val cty.Value, ty cty.Type, err error) (hclsyntax.Expression, cty.Value, cty.Type, error) {
	try := func(x hclsyntax.Expression, inner cty.Type) (cty.Value, error) {
		v, o := l.value(en, x)
		if o == failed {
			return v, nil
		}
		_, err := fit(v, inner)
		return v, err
	}
	switch x := bare(e).(type) {
	case *hclsyntax.TupleConsExpr:
		for i, el := range x.Exprs {
			var inner cty.Type
			switch {
			case ty.IsListType() || ty.IsSetType():
				inner = ty.ElementType()
			case ty.IsTupleType() && ty.Length() == len(x.Exprs):
				inner = ty.TupleElementType(i)
			default:
				return e, val, ty, err
			}
			if v, err := try(el, inner); err != nil {
				return l.misfit(en, el, v, inner, err)
			}
		}
	case *hclsyntax.ObjectConsExpr:
		for _, item := range x.Items {
			name := hcl.ExprAsKeyword(item.KeyExpr)
			if v, ok := literal(bareKey(item.KeyExpr)); ok && !v.IsNull() && v.Type() == cty.String {
				name = v.AsString()
			}
			var inner cty.Type
			switch {
			case ty.IsMapType():
				inner = ty.ElementType()
			case ty.IsObjectType() && ty.HasAttribute(name):
				inner = ty.AttributeType(name)
			default:
				continue
			}
			if v, err := try(item.ValueExpr, inner); err != nil {
				return l.misfit(en, item.ValueExpr, v, inner, err)
			}
		}
	}
	return e, val, ty, err
}

// misfitWords says why a value does not fit a type.
func misfitWords(v cty.Value, ty cty.Type, err error) string {
	if ty.IsTupleType() && v.Type().IsTupleType() && !v.IsNull() && v.LengthInt() != ty.Length() {
		return fmt.Sprintf("expected %s, not %d", diag.Count(ty.Length(), "element"), v.LengthInt())
	}
	if m := missingAttr.FindStringSubmatch(err.Error()); m != nil && !v.IsNull() && v.Type().IsObjectType() {
		return fmt.Sprintf("the attribute %q is missing", diag.Cut(m[1]))
	}
	if ty == cty.DynamicPseudoType {
		return typeWords(err.Error())
	}
	return fmt.Sprintf("expected %s, not %s", typeWord(ty.FriendlyNameForConstraint()), describe(v))
}

var missingAttr = regexp.MustCompile(`attributes? "([^"]*)".* (?:is|are) required`)

// typeName writes a type for a message.
func typeName(ty cty.Type) string { return diag.Cut(typeexpr.TypeString(ty)) }

// example writes a value of a type, for a message.
func example(ty cty.Type) string {
	switch {
	case ty == cty.Number:
		return "4"
	case ty == cty.Bool:
		return "true"
	case ty.IsListType() || ty.IsSetType():
		one := example(ty.ElementType())
		return "[" + one + "]"
	case ty.IsMapType():
		return "{ name = " + example(ty.ElementType()) + " }"
	case ty.IsObjectType():
		for _, name := range sortedKeys(ty.AttributeTypes()) {
			return "{ " + diag.Cut(name) + " = " + example(ty.AttributeType(name)) + " }"
		}
		return "{}"
	case ty.IsTupleType():
		var parts []string
		for i, t := range ty.TupleElementTypes() {
			if i == 3 {
				parts = append(parts, "...")
				break
			}
			parts = append(parts, example(t))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return `"a"`
}

// nearEnv tells of a variable of the environment that nobody declares and that was probably meant. Others are none of
// our business: several fabrics share one environment.
func (l *loader) nearEnv(sc *scope, name string) string {
	var others []string
	for _, kv := range l.options.Env {
		if rest, ok := strings.CutPrefix(kv, "ROCEC_VAR_"); ok {
			if other, _, ok := strings.Cut(rest, "="); ok && sc.vars[other] == nil {
				others = append(others, other)
			}
		}
	}
	slices.Sort(others)
	if near := diag.Nearest(name, others); near != "" {
		return fmt.Sprintf(" ROCEC_VAR_%s is set, and no variable is called so; the case of letters counts.", shown(near))
	}
	return ""
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
			if !l.onlyVariables(check.condition) || !l.onlyVariables(check.message) {
				continue
			}
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
			m, o := l.value(top, check.message)
			if o == good && m.Type() != cty.String || o == null {
				l.wrong(top, check.message, m, "text that tells what is wrong with the value")
				continue
			}
			if o == failed {
				continue
			}
			failedValidation.Errorf(&l.diags, v.at, "The value of %q%s is not allowed: %s Give another one.", v.name, v.source(), sentence(m.AsString())).
				Note(check.condition.Range(), "the condition that is false")
		}
	}
}

// source tells where the value of v comes from, for a message, when that is not the default.
func (v *variable) source() string {
	if v.from == "" {
		return ""
	}
	return ", from " + v.from + ","
}

// onlyVariables reports what a validation refers to beside variables.
func (l *loader) onlyVariables(e hclsyntax.Expression) bool {
	if l.failed[e] {
		return false
	}
	for _, t := range e.Variables() {
		switch root := t.RootName(); root {
		case "local", "module", "cos_group", "switch", "host", "self", "each":
			l.fail(e)
			unknownReference.Errorf(&l.diags, t.SourceRange(), "A validation reads only var.NAME: it comes before everything else. Write the value itself, or move it into a variable.")
			return false
		}
	}
	return true
}

// sentence makes a sentence of a message of the person, and cuts it to what fits on a screen.
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
