package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A type assertion to an interface that only the doubles of tests implement is a check that is dead in the program. So every interface
// that the program asks a value for has a type in the program that implements it.
func TestAssertionsHaveImplementers(t *testing.T) {
	p := loadProgram(t, "./cmd/...")
	require.Greater(t, len(p.pkgs), 50, "packages of the module")
	found := p.dead()
	require.GreaterOrEqual(t, p.judged, 3, "assertions to interfaces of the module, or without a name")
	require.Empty(t, found)
}

// A dead assertion is found, in each of its spellings.
func TestDeadAssertionsAreFound(t *testing.T) {
	p := &program{fset: token.NewFileSet(), from: map[string]*types.Package{}}
	p.others = importer.ForCompiler(p.fset, "source", nil)
	p.check(t, "example.net/a", `package a

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
`)
	found := strings.Join(p.dead(), "\n")
	for _, want := range []string{"a.go:14: ", "a.go:17: ", "a.go:20: ", "a.go:21: "} {
		require.Contains(t, found, want)
	}
	require.NotContains(t, found, "a.go:15: ")
	require.NotContains(t, found, "a.go:22: ", "every error is one")
	require.Equal(t, 4, strings.Count(found, "\n")+1, found)
}

// program is the packages of the module that a program is made of, from their source, and the others that it imports.
type program struct {
	fset   *token.FileSet
	others types.Importer            // of packages of others
	from   map[string]*types.Package // of the module
	pkgs   []*checked
	judged int
}

type checked struct {
	pkg   *types.Package
	files []*ast.File
	info  *types.Info
}

// Import is of [types.Importer].
func (p *program) Import(path string) (*types.Package, error) {
	if pkg := p.from[path]; pkg != nil {
		return pkg, nil
	}
	return p.others.Import(path)
}

// loadProgram reads the packages that some packages of the module need, without their tests.
func loadProgram(t *testing.T, patterns ...string) *program {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,Module"}, patterns...)...)
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.Bytes())
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		Module                  *struct{ Main bool }
	}
	var own []listed
	export := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		err := d.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if l.Module != nil && l.Module.Main {
			own = append(own, l)
		} else {
			export[l.ImportPath] = l.Export
		}
	}
	p := &program{fset: token.NewFileSet(), from: map[string]*types.Package{}}
	p.others = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(export[path])
	})
	for _, l := range own { // each behind those that it imports
		var sources []any
		for _, name := range l.GoFiles {
			sources = append(sources, filepath.Join(l.Dir, name))
		}
		p.check(t, l.ImportPath, sources...)
	}
	return p
}

// check reads a package: files by their paths, or one as its text.
func (p *program) check(t *testing.T, path string, sources ...any) {
	t.Helper()
	c := &checked{info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Instances: map[*ast.Ident]types.Instance{},
	}}
	for _, s := range sources {
		name, text := s.(string), any(nil)
		if strings.Contains(name, "\n") {
			name, text = "a.go", name
		}
		f, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		c.files = append(c.files, f)
	}
	var err error
	c.pkg, err = (&types.Config{Importer: p}).Check(path, p.fset, c.files, c.info)
	require.NoError(t, err)
	p.from[path] = c.pkg
	p.pkgs = append(p.pkgs, c)
}

// dead lists the assertions to interfaces that no type of the program implements. Interfaces that others declare are theirs to implement.
func (p *program) dead() (found []string) {
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
		p.judged++
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
	return found
}
