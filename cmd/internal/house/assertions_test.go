package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// If only test doubles implement an interface, a type assertion to it never succeeds in the program. So for every asserted interface, a
// type of the program must implement it.
func TestAssertionsHaveImplementers(t *testing.T) {
	m := theModule(t)
	needed := map[string]bool{} // packages that those below cmd import
	for _, c := range slices.Backward(m.pkgs) {
		if needed[c.name] || strings.HasPrefix(c.name, "cmd/") {
			needed[c.name] = true
			for _, imp := range c.imports {
				needed[strings.TrimPrefix(imp, modulePath)] = true
			}
		}
	}
	p := *m.program
	p.pkgs = slices.DeleteFunc(slices.Clone(p.pkgs), func(c *checked) bool { return !needed[c.name] })
	require.Greater(t, len(p.pkgs), 50, "packages of the module")
	judged, found := p.dead()
	require.GreaterOrEqual(t, judged, 3, "assertions to interfaces of the module, or without a name")
	require.Empty(t, found)
}

// The test finds a dead assertion in each spelling.
func TestDeadAssertionsAreFound(t *testing.T) {
	m := sampleModule(t, map[string]string{"a.go": `package a

import "errors"

type told interface{ Told() string }

type alive interface{ Alive() }

type rock struct{}

func (rock) Alive() {}

func f(v any, err error) {
	_, _ = v.(interface{ HostKey() string })
	_ = v.(alive)
	switch v.(type) {
	case told:
	}
	var t told
	_ = errors.As(err, &t)
	_, _ = errors.AsType[interface{ error; Dead() }](err)
	_ = v.(interface{ Error() string })
}
`})
	_, all := m.dead()
	found := strings.Join(all, "\n")
	for _, want := range []string{"a.go:14: ", "a.go:17: ", "a.go:20: ", "a.go:21: "} {
		require.Contains(t, found, want)
	}
	require.NotContains(t, found, "a.go:15: ")
	require.NotContains(t, found, "a.go:22: ", "every error implements it")
	require.Equal(t, 4, strings.Count(found, "\n")+1, found)
}

// dead lists the assertions to interfaces that no type of the program implements. Interfaces of other modules are not checked.
func (p *program) dead() (judged int, found []string) {
	own := map[*types.Package]bool{}
	var all []types.Type
	add := func(o types.Object) {
		if name, ok := o.(*types.TypeName); ok && !types.IsInterface(name.Type()) {
			if named, ok := name.Type().(*types.Named); !ok || named.TypeParams().Len() == 0 {
				all = append(all, name.Type(), types.NewPointer(name.Type()))
			}
		}
	}
	imported := map[*types.Package]bool{}
	for _, c := range p.pkgs {
		own[c.pkg] = true
		for _, o := range c.info.Defs {
			add(o)
		}
	}
	for _, c := range p.pkgs {
		for _, pkg := range c.pkg.Imports() {
			if own[pkg] || imported[pkg] {
				continue
			}
			imported[pkg] = true
			for _, name := range pkg.Scope().Names() {
				add(pkg.Scope().Lookup(name))
			}
		}
	}
	judge := func(at token.Pos, to types.Type) {
		is, ok := to.Underlying().(*types.Interface)
		if !ok || is.NumMethods() == 0 || types.Identical(is, types.Universe.Lookup("error").Type().Underlying()) {
			return
		}
		if named, ok := to.(*types.Named); ok && !own[named.Obj().Pkg()] {
			return
		}
		if _, ok := to.(*types.TypeParam); ok {
			return
		}
		judged++
		for _, t := range all {
			if types.Implements(t, is) {
				return
			}
		}
		place := p.fset.Position(at)
		found = append(found, fmt.Sprintf("%s:%d: %s: no type of the program implements it", place.Filename, place.Line, to))
	}
	for _, c := range p.pkgs {
		for _, f := range c.files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeAssertExpr:
					if n.Type != nil {
						judge(n.Pos(), c.info.TypeOf(n.Type))
					}
				case *ast.TypeSwitchStmt:
					for _, clause := range n.Body.List {
						for _, e := range clause.(*ast.CaseClause).List {
							if tv := c.info.Types[e]; tv.IsType() {
								judge(e.Pos(), tv.Type)
							}
						}
					}
				case *ast.SelectorExpr:
					if fn, ok := c.info.Uses[n.Sel].(*types.Func); ok && fn.FullName() == "errors.AsType" {
						judge(n.Pos(), c.info.Instances[n.Sel].TypeArgs.At(0))
					}
				case *ast.CallExpr:
					sel, ok := n.Fun.(*ast.SelectorExpr)
					if !ok || len(n.Args) != 2 {
						return true
					}
					if fn, ok := c.info.Uses[sel.Sel].(*types.Func); ok && fn.FullName() == "errors.As" {
						if to, ok := c.info.TypeOf(n.Args[1]).(*types.Pointer); ok {
							judge(n.Pos(), to.Elem())
						}
					}
				}
				return true
			})
		}
	}
	return judged, found
}
