package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// commandBuilders are the functions whose result is a command, by the last part of their names.
var commandBuilders = map[string]bool{
	"Rocec": true, "RunCommand": true, "UnlockCommand": true, "ApplyCommand": true, "Next": true, "runsOf": true, "removeCommand": true,
}

var verbInFormat = regexp.MustCompile(`%(\[(\d+)\])?[-+# 0]*[\d.]*([a-zA-Z%])`)

// calledName returns the last part of the name of the function that an expression calls.
func calledName(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); f.Sel.Name == "Command" && ok && x.Name == "diag" {
			return "Rocec"
		}
		return f.Sel.Name
	}
	return ""
}

// pastable finds the places of a file at which a sentence continues directly behind a command. A person who copies the command from there
// may also copy a full stop, a comma or a bracket. A semicolon ends a command in a shell, too.
func pastable(file *ast.File) (bad []token.Pos) {
	for _, d := range file.Decls {
		bad = append(bad, pastableIn(d)...)
	}
	return bad
}

// pastableIn is [pastable] for one declaration, in which each name is one variable.
func pastableIn(file ast.Decl) (bad []token.Pos) {
	commands := map[string]bool{} // variables that hold a command
	ast.Inspect(file, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, r := range a.Rhs {
				if id, ok := a.Lhs[i].(*ast.Ident); ok && commandBuilders[calledName(r)] {
					commands[id.Name] = true
				}
			}
		}
		return true
	})
	command := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return commandBuilders[calledName(e)] || ok && commands[id.Name]
	}
	after := func(text string) bool { return text != "" && regexp.MustCompile(`^[.,:)\]!?]`).MatchString(text) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				x := n.X
				if b, ok := x.(*ast.BinaryExpr); ok && b.Op == token.ADD {
					x = b.Y
				}
				if lit, ok := n.Y.(*ast.BasicLit); ok && command(x) {
					if text, err := strconv.Unquote(lit.Value); err == nil && after(text) {
						bad = append(bad, n.Y.Pos())
					}
				}
			}
		case *ast.CallExpr:
			for i, arg := range n.Args {
				format, ok := constText(arg)
				if !ok {
					continue
				}
				next := 0
				for _, m := range verbInFormat.FindAllStringSubmatchIndex(format, -1) {
					if format[m[6]:m[7]] == "%" {
						continue
					}
					if m[4] >= 0 {
						k, _ := strconv.Atoi(format[m[4]:m[5]])
						next = k - 1
					}
					if at := i + 1 + next; at < len(n.Args) && command(n.Args[at]) && after(format[m[1]:]) {
						bad = append(bad, n.Args[at].Pos())
					}
					next++
				}
			}
		}
		return true
	})
	return bad
}

// constText returns the text of a constant expression of literals.
func constText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok := constText(e.X)
		b, ok2 := constText(e.Y)
		return a + b, ok && ok2 && e.Op == token.ADD
	}
	return "", false
}

// TestNothingBehindACommand: no sentence continues directly after a command that a person may paste.
func TestNothingBehindACommand(t *testing.T) {
	parse := func(name string, src any) (*token.FileSet, *ast.File) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, 0)
		require.NoError(t, err)
		return fset, file
	}
	for body, want := range map[string]int{
		`f("Go on: %s.", deploy.RunCommand("resume", run))`:             1,
		`f("Go on: %s; go back: %s", RunCommand("a"), RunCommand("b"))`: 0,
		`f("%s: %[1]s, %[2]s", name, diag.Rocec("plan"))`:               0,
		`f("%[2]s, %[1]s", name, diag.Rocec("plan"))`:                   1,
		`next := diag.Rocec("plan"); g("Run " + next + ".")`:            1,
		`next := diag.Rocec("plan"); g("Run " + next)`:                  0,
		`g(diag.Command("ls", w) + ", then")`:                           1,
		`f(w, "100%% of "+"it (%s)", removeCommand(names))`:             1,
		`f("%s.", name)`: 0,
	} {
		_, file := parse("x.go", "package x\nfunc _() {"+body+"}")
		assert.Len(t, pastable(file), want, body)
	}
	for _, name := range theModule(t).names("cmd", "compiler", "lang", "targets", "validate") {
		if forTests(filepath.Dir(name)) {
			continue
		}
		src, err := os.ReadFile(filepath.Join("../../..", name))
		require.NoError(t, err)
		fset, file := parse(name, src)
		for _, pos := range pastable(file) {
			t.Errorf("%s: a sentence continues directly after a command; put the command last, or a semicolon after it", fset.Position(pos))
		}
	}
}
