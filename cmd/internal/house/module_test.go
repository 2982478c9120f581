package house

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
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// root is the folder of the module, seen from this package.
var root = filepath.Join("..", "..", "..")

const modulePath = "github.com/rocec/rocec/"

// module is the module's source without tests.
type module struct {
	*program
	files   map[string]*ast.File // every file with comments, under any build constraint, by its path from the root
	modules []string             // the other modules that cmd/rocec imports
}

// names returns the paths of the files below some folders, sorted.
func (m *module) names(below ...string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.files)), func(name string) bool {
		return !slices.ContainsFunc(below, func(dir string) bool { return strings.HasPrefix(name, dir+"/") })
	})
}

// place returns the path of a node's file from the root, and its line.
func (m *module) place(n ast.Node) string {
	at := m.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// program has type-checked packages of the module, and the packages of other modules that they import.
type program struct {
	fset   *token.FileSet
	others types.Importer            // of packages of other modules
	from   map[string]*types.Package // of the module
	pkgs   []*checked                // each after the packages that it imports
}

type checked struct {
	name    string // the import path without the module's path
	pkg     *types.Package
	files   []*ast.File
	info    *types.Info
	imports []string
}

// Import implements [types.Importer].
func (p *program) Import(path string) (*types.Package, error) {
	if pkg := p.from[path]; pkg != nil {
		return pkg, nil
	}
	return p.others.Import(path)
}

// check type-checks a package.
func (p *program) check(c *checked) error {
	c.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	var err error
	c.pkg, err = (&types.Config{Importer: p}).Check(modulePath+c.name, p.fset, c.files, c.info)
	p.from[modulePath+c.name] = c.pkg
	p.pkgs = append(p.pkgs, c)
	return err
}

// loaded reads the module once for all tests.
var loaded = sync.OnceValues(load)

func theModule(t *testing.T) *module {
	t.Helper()
	m, err := loaded()
	require.NoError(t, err)
	return m
}

// listed is a package in the output of the go command.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, IgnoredGoFiles []string
	Imports, Deps           []string
	Module                  *struct {
		Path string
		Main bool
	}
}

// load asks the go command for every package. It reads the module's own packages from their source and the others from their export data.
func load() (*module, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,IgnoredGoFiles,Imports,Deps,Module", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var own []listed
	export, moduleOf := map[string]string{}, map[string]string{}
	var command []string
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		err := d.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch {
		case l.Module != nil && l.Module.Main:
			own = append(own, l)
		case l.Module != nil:
			moduleOf[l.ImportPath] = l.Module.Path
			fallthrough
		default:
			export[l.ImportPath] = l.Export
		}
		if l.ImportPath == modulePath+"cmd/rocec" {
			command = l.Deps
		}
	}
	p := &program{fset: token.NewFileSet(), from: map[string]*types.Package{}}
	p.others = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(export[path])
	})
	m := &module{program: p, files: map[string]*ast.File{}}
	for _, dep := range command {
		if of := moduleOf[dep]; of != "" && !slices.Contains(m.modules, of) {
			m.modules = append(m.modules, of)
		}
	}
	if err := m.parse(own); err != nil {
		return nil, err
	}
	for _, l := range own {
		c := &checked{name: strings.TrimPrefix(l.ImportPath, modulePath), imports: l.Imports}
		for _, file := range l.GoFiles {
			c.files = append(c.files, m.files[path.Join(c.name, file)])
		}
		if err := p.check(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// parse reads the files of the packages on all processors.
func (m *module) parse(own []listed) error {
	var g errgroup.Group
	g.SetLimit(8)
	var mu sync.Mutex
	for _, l := range own {
		for _, file := range slices.Concat(l.GoFiles, l.IgnoredGoFiles) {
			name := path.Join(strings.TrimPrefix(l.ImportPath, modulePath), file)
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			g.Go(func() error {
				text, err := os.ReadFile(filepath.Join(l.Dir, file))
				if err != nil {
					return err
				}
				f, err := parser.ParseFile(m.fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
				mu.Lock()
				m.files[name] = f
				mu.Unlock()
				return err
			})
		}
	}
	return g.Wait()
}
