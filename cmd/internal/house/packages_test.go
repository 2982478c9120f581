package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	longFunction = 80 // lines
	manyPackages = 4  // with a type of the same name
)

// measurePackages measures each package:
//
//   - refs: references between files that refer to each other in a circle, that is, in one strongly connected component of the package's
//     graph of files. A reference is a use of a package-level name or method of another file. Rows of tables do not count.
//   - cycle: the files of the largest such component
//   - methods: methods of the receiver with the most
//   - long: functions of more than 80 lines
//   - lines: of cmd/rocec only
func measurePackages(m *module, found figures) {
	for _, p := range m.pkgs {
		uses := fileUses(m, p)
		cycle := found.of(p.name, "cycle")
		refs := found.of(p.name, "refs")
		for _, files := range components(uses) {
			if len(files) > cycle.n {
				*cycle = figure{len(files), files}
			}
			for _, from := range files {
				for _, to := range files {
					if n := uses[from][to]; n > 0 {
						refs.n += n
						refs.where = append(refs.where, fmt.Sprintf("%s -> %s: %d", from, to, n))
					}
				}
			}
		}
		measureFunctions(m, p, found)
	}
	n := linesOf(m)["cmd/rocec"]
	*found.of("cmd/rocec", "lines") = figure{n, []string{"a part that is not a verb belongs in a separate package"}}
}

// measureFunctions counts methods by receiver, and long functions. It includes functions in package-level variables.
func measureFunctions(m *module, p *checked, found figures) {
	methods := map[string]*figure{}
	long := found.of(p.name, "long")
	measure := func(name string, n ast.Node) {
		lines := m.fset.Position(n.End()).Line - m.fset.Position(n.Pos()).Line + 1
		if lines > longFunction {
			long.add("%s: %s has %d lines", m.place(n), name, lines)
		}
	}
	for _, file := range p.files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				measure(decl.Name.Name, decl)
				if of := receiver(decl); of != "" {
					if methods[of] == nil {
						methods[of] = &figure{}
					}
					methods[of].add("%s: %s.%s", m.place(decl), of, decl.Name.Name)
				}
			case *ast.GenDecl:
				ast.Inspect(decl, func(n ast.Node) bool {
					if f, ok := n.(*ast.FuncLit); ok {
						if !isTable(f) {
							measure("a function", f)
						}
						return false
					}
					return true
				})
			}
		}
	}
	most := found.of(p.name, "methods")
	for _, of := range slices.Sorted(maps.Keys(methods)) {
		if methods[of].n > most.n {
			*most = *methods[of]
		}
	}
}

// isTable reports whether a function only returns a value, such as a table that is made at the first read.
func isTable(f *ast.FuncLit) bool {
	if len(f.Body.List) != 1 {
		return false
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	_, ok = ret.Results[0].(*ast.CompositeLit)
	return ok
}

// receiver returns the name of a method's type, and "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	name := types.ExprString(f.Recv.List[0].Type)
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "*"), "[")
	return name
}

// fileUses counts for each pair of files how often the first uses names that the second declares.
func fileUses(m *module, p *checked) map[string]map[string]int {
	uses := map[string]map[string]int{}
	for _, file := range p.files {
		from := m.fset.Position(file.Pos()).Filename
		uses[from] = map[string]int{}
		rows := tableRows(file)
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || rows[id] {
				return true
			}
			o := p.info.Uses[id]
			if o == nil || o.Pkg() != p.pkg {
				return true
			}
			method := false
			if f, ok := o.(*types.Func); ok {
				o = f.Origin()
				method = f.Signature().Recv() != nil
			}
			if to := m.fset.Position(o.Pos()).Filename; to != from && (method || o.Parent() == p.pkg.Scope()) {
				uses[from][to]++
			}
			return true
		})
	}
	return uses
}

// tableRows returns the rows of a file's tables. A table is a package-level variable that only lists names. A row does not count as a
// reference: a new check adds a row, and this should not close a circle.
func tableRows(file *ast.File) map[*ast.Ident]bool {
	rows := map[*ast.Ident]bool{}
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, spec := range d.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				list, ok := value.(*ast.CompositeLit)
				if !ok || slices.ContainsFunc(list.Elts, func(e ast.Expr) bool { _, name := e.(*ast.Ident); return !name }) {
					continue
				}
				for _, e := range list.Elts {
					rows[e.(*ast.Ident)] = true
				}
			}
		}
	}
	return rows
}

// components returns the strongly connected components of a graph, by Tarjan's algorithm.
func components(edges map[string]map[string]int) (out [][]string) {
	index, low, onStack := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, onStack[v] = append(stack, v), true
		for _, w := range slices.Sorted(maps.Keys(edges[v])) {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] < index[v] {
			return
		}
		at := slices.Index(stack, v)
		one := slices.Sorted(slices.Values(stack[at:]))
		for _, w := range one {
			onStack[w] = false
		}
		stack = stack[:at]
		out = append(out, one)
	}
	for _, v := range slices.Sorted(maps.Keys(edges)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	return out
}

// linesOf counts the lines of each package without tests.
func linesOf(m *module) map[string]int {
	lines := map[string]int{}
	for name, f := range m.files {
		lines[path.Dir(name)] += m.fset.File(f.Pos()).LineCount()
	}
	return lines
}

// measureNames counts the names that types of more than four packages have: such a name does not help a reader.
func measureNames(m *module, found figures) {
	in := map[string][]string{}
	for _, p := range m.pkgs {
		for _, name := range p.pkg.Scope().Names() {
			if _, ok := p.pkg.Scope().Lookup(name).(*types.TypeName); ok {
				in[name] = append(in[name], p.name)
			}
		}
	}
	names := found.of("names", "in-many-packages")
	mostFirst := func(a, b string) int { return cmp.Or(len(in[b])-len(in[a]), strings.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(in), mostFirst) {
		if len(in[name]) > manyPackages {
			names.add("%s: %s", name, strings.Join(in[name], ", "))
		}
	}
}

// Each measure of a package counts its cases in a sample.
func TestMeasuresOfPackages(t *testing.T) {
	m := sampleModule(t, map[string]string{
		"a.go": "package a\n\ntype T struct{}\n\nfunc (*T) One() { two() }\n\nfunc (T) Two() {}\n\n" +
			"var f = func() {" + strings.Repeat("\n", 90) + "}\n\nvar g = func() []int { return []int{" + strings.Repeat("\n", 90) + "} }\n",
		"b.go": "package a\n\nfunc two() { T{}.Two(); T{}.Two() }\n\ntype U struct{}\n\nfunc (U) Three() {}\n",
		"c.go": "package a\n\nvar row = 1\n\nfunc three() { two(); _ = table }\n",
		"d.go": "package a\n\nvar table = []int{row, row}\n",
	})
	found := figures{}
	measurePackages(m, found)
	of := found["sample"]
	assert.Equal(t, 2, of["cycle"].n)
	assert.Equal(t, []string{"a.go", "b.go"}, of["cycle"].where)
	assert.Equal(t, 5, of["refs"].n, "two, twice T and twice Two; c.go and the table d.go are in no circle")
	assert.Equal(t, 2, of["methods"].n)
	assert.Equal(t, []string{"a.go:9: a function has 91 lines"}, of["long"].where)
	require.Equal(t, [][]string{{"c"}, {"a", "b"}, {"d"}},
		components(map[string]map[string]int{"a": {"b": 1, "c": 1}, "b": {"a": 1}, "c": nil, "d": {"a": 1}}))
}
