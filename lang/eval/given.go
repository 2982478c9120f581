package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// Outside contains the values for variables from outside the fabric.
type Outside struct {
	Vars  []string  // "k=v" of --var, in order; the last value counts
	Files []VarFile // of --var-file, in order; the last value counts
	Env   []string  // in the form of os.Environ; only ROCEC_VAR_k=v is read
}

// VarFile is one file of values for variables.
type VarFile struct {
	Name string
	Data []byte
}

// Given is one value of a variable, from outside the fabric or from a module block.
type Given struct {
	text string               // as on the command line or in the environment
	expr hclsyntax.Expression // from a file or a module block; text is empty then
	at   diag.Range
	from string // where it comes from, for messages

	value  cty.Value // the evaluated value, for a value of a module block
	en     *Env      // the environment of the evaluation
	failed bool      // a mistake in the expression was reported
}

// Argument returns the value that a module block has for a variable, evaluated in the scope around the module.
func (ev *Evaluator) Argument(en *Env, e hclsyntax.Expression, ds *diag.List) *Given {
	v, o := ev.Value(en, e, ds)
	return &Given{value: v, failed: o == Failed, at: e.Range(), from: "the module block", expr: e, en: en}
}

// GivenOutside returns the values from outside, by the name of the variable. --var has precedence over --var-file, and --var-file over
// the environment. Within a source the last value counts.
func (ev *Evaluator) GivenOutside(sc *Scope, ds *diag.List) map[string]*Given {
	values := map[string]*Given{}
	for _, kv := range ev.outside.Env {
		if name, text, ok := strings.Cut(strings.TrimPrefix(kv, "ROCEC_VAR_"), "="); ok && strings.HasPrefix(kv, "ROCEC_VAR_") &&
			sc.Vars[name] != nil {
			values[name] = &Given{text: text, at: ev.pseudoFile(envFile+name, text), from: "the environment (ROCEC_VAR_" + name + ")"}
		}
	}
	for _, f := range ev.outside.Files {
		ev.readVarFile(sc, f, values, ds)
	}
	for i, kv := range ev.outside.Vars {
		file := fmt.Sprintf(flagFile+"%d", i+1)
		name, text, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			if name == "" {
				name = "NAME"
			}
			BadVariable.Errorf(ds, ev.pseudoFile(file, kv), "--var takes a name and a value. Write --var %s=VALUE.",
				strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(diag.Escape(diag.Cut(name))))
			continue
		}
		if sc.Names.Meant["var."+name] {
			continue
		}
		if sc.Vars[name] == nil {
			UndeclaredVariable.Errorf(ds, ev.pseudoFile(file, kv), "--var gives a value for %q, which no variable block declares.%s",
				diag.Cut(name), ev.declaredNear(name, sc))
			continue
		}
		at := ev.pseudoFile(file, kv)
		at.Start.Byte += len(name) + 1
		at.Start.Column += len(name) + 1
		values[name] = &Given{text: text, at: at, from: "--var"}
	}
	return values
}

// The names of the pseudo files with values from the command line and the environment.
const (
	flagFile = "--var "
	envFile  = "ROCEC_VAR_"
)

// IsGiven reports whether a name is the pseudo file of a value from the command line or the environment. Such a value has text to show,
// but no file.
func IsGiven(name string) bool {
	return strings.HasPrefix(name, flagFile) || strings.HasPrefix(name, envFile) && !strings.ContainsAny(name, "./")
}

// declaredNear returns the end of a message about a value for an undeclared variable.
func (ev *Evaluator) declaredNear(name string, sc *Scope) string {
	if len(sc.Vars) == 0 {
		return fmt.Sprintf(" Write a block variable %q { ... }, or delete the value.", diag.Cut(name))
	}
	return diag.Suggest(name, LikeKeys(ev, sc.Vars))
}

// pseudoFile stores text from the command line as a file, so that a diagnostic can show it, and returns its place.
func (ev *Evaluator) pseudoFile(name, text string) diag.Range {
	line, _, _ := strings.Cut(strings.ToValidUTF8(text, "?"), "\n")
	ev.Files[name] = []byte(line)
	at := parse.Start(name)
	at.End.Byte, at.End.Column = len(line), len(line)+1
	return at
}

func (ev *Evaluator) readVarFile(sc *Scope, f VarFile, values map[string]*Given, ds *diag.List) {
	if len(f.Data) > parse.MaxFile {
		parse.TooLarge.Errorf(ds, parse.Start(f.Name), "%q is larger than %s. Make it smaller.", f.Name, parse.Size(parse.MaxFile))
		return
	}
	ev.Files[f.Name] = f.Data
	body, ok := parse.Body(f.Name, f.Data, ds)
	if !ok {
		return
	}
	ev.Guard(body, ds)
	for _, b := range body.Blocks {
		UnknownBlock.Errorf(ds, b.TypeRange, "A file of --var-file contains only lines name = value, no blocks. Move the block into a "+
			"*.hcl file "+
			"of the fabric.")
	}
	for _, a := range parse.Attributes(body) {
		if sc.Names.Meant["var."+a.Name] {
			continue
		}
		if sc.Vars[a.Name] == nil {
			UndeclaredVariable.Errorf(ds, a.NameRange, "%s gives a value for %q, which no variable block declares.%s", diag.Cut(f.Name),
				diag.Cut(a.Name), ev.declaredNear(a.Name, sc)).
				Instead(a.NameRange, diag.Nearest(a.Name, keys(sc.Vars)))
			continue
		}
		values[a.Name] = &Given{expr: a.Expr, at: a.Expr.Range(), from: diag.Cut(f.Name)}
	}
}

// nearEnv reports an environment variable without a declaration if its name is similar to a declared variable. Other environment
// variables are ignored, since several fabrics may share one environment.
func (ev *Evaluator) nearEnv(sc *Scope, name string) string {
	var others []string
	for _, kv := range ev.outside.Env {
		if rest, ok := strings.CutPrefix(kv, "ROCEC_VAR_"); ok {
			if other, _, ok := strings.Cut(rest, "="); ok && sc.Vars[other] == nil {
				others = append(others, other)
			}
		}
	}
	slices.Sort(others)
	if near := diag.Nearest(name, others); near != "" {
		return fmt.Sprintf(" ROCEC_VAR_%s is set, but no variable has this name; the case of letters counts.", diag.Plain(near))
	}
	return ""
}
