package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	conceptsFile = "docs/concepts.md"
	typesShown   = 5
)

// conceptsHead explains the tables of [conceptsFile].
const conceptsHead = `# The nouns of the source

For people who change the source of rocec.

Generated from the source. ` + "`make update`" + ` writes this page, and so does ` + "`go test ./cmd/internal/house -update`" + `.

A package has one main noun, and no other package has the same one. The noun is the first type of the package that the package comment
links, such as ` + "`[Sequence]`" + ` in package sequence. A dash marks a missing noun. The ceiling ` + "`names nouns`" + ` of
` + "`cmd/internal/house/testdata/ceilings.txt`" + ` counts the missing nouns and those that two packages share.

The types are the exported ones that the other packages use most, five at most, the most used first. Types with equally many uses are
sorted by name. Uses in files ` + "`_test.go`" + ` do not count. The sentence is the first one of the package comment.

A package without exported types needs no noun: it has functions alone or tests alone. A program needs no noun either, since no package can
import its types. The second table lists these packages. Packages that only tests import are left out.
`

// concept is a row of [conceptsFile]: a package and its subject.
type concept struct {
	pkg      string
	noun     string   // the type that the package comment links first; empty: missing
	types    []string // exported types, the most used first
	sentence string
}

// concepts returns the concept of every package, except packages for tests.
func concepts(m *module) (out []concept) {
	uses := usesByOthers(m)
	for _, p := range m.pkgs {
		if forTests(p.name) {
			continue
		}
		text := packageComment(p)
		c := concept{pkg: p.name, sentence: new(doc.Package).Synopsis(text)}
		if p.pkg.Name() != "main" {
			for _, name := range p.pkg.Scope().Names() {
				if exportedType(p.pkg, name) != nil {
					c.types = append(c.types, name)
				}
			}
			slices.SortStableFunc(c.types, func(a, b string) int {
				return cmp.Compare(uses[exportedType(p.pkg, b)], uses[exportedType(p.pkg, a)])
			})
			c.noun = firstLinked(text, p.pkg)
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b concept) int { return strings.Compare(a.pkg, b.pkg) })
	return out
}

// usesByOthers counts for each type how often other packages of the module name it.
func usesByOthers(m *module) map[types.Object]int {
	uses := map[types.Object]int{}
	for _, p := range m.pkgs {
		for _, o := range p.info.Uses {
			if t, ok := o.(*types.TypeName); ok && t.Pkg() != p.pkg {
				uses[t]++
			}
		}
	}
	return uses
}

// exportedType returns the exported type with a name in a package, and nil if the name is not an exported type.
func exportedType(pkg *types.Package, name string) types.Object {
	if t, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && t.Exported() {
		return t
	}
	return nil
}

// packageComment returns the text of a package comment, which may be in several files.
func packageComment(p *checked) string {
	var texts []string
	for _, file := range p.files {
		if file.Doc != nil {
			texts = append(texts, file.Doc.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// firstLinked returns the first exported type of the package itself that a comment links to.
func firstLinked(text string, pkg *types.Package) string {
	p := comment.Parser{LookupSym: func(recv, name string) bool { return recv == "" && exportedType(pkg, name) != nil }}
	for _, block := range p.Parse(text).Content {
		for _, link := range docLinks(block) {
			if link.ImportPath == "" {
				return link.Name
			}
		}
	}
	return ""
}

// docLinks returns the doc links of a paragraph or of the items of a list.
func docLinks(block comment.Block) (out []*comment.DocLink) {
	switch block := block.(type) {
	case *comment.Paragraph:
		for _, text := range block.Text {
			if link, ok := text.(*comment.DocLink); ok {
				out = append(out, link)
			}
		}
	case *comment.List:
		for _, item := range block.Items {
			for _, inner := range item.Content {
				out = append(out, docLinks(inner)...)
			}
		}
	}
	return out
}

// docLink matches a doc link.
var docLink = regexp.MustCompile(`\[(\*?[A-Za-z][\w./]*)\]`)

// conceptsPage returns the text of [conceptsFile].
func conceptsPage(all []concept) string {
	cell := func(sentence string) string {
		sentence = docLink.ReplaceAllString(cmp.Or(sentence, "-"), "`$1`")
		return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(sentence)
	}
	var nouns, others strings.Builder
	for _, c := range all {
		if len(c.types) == 0 {
			fmt.Fprintf(&others, "| %s | %s |\n", c.pkg, cell(c.sentence))
			continue
		}
		noun := "-"
		if c.noun != "" {
			noun = "`" + c.noun + "`"
		}
		shown := "`" + strings.Join(c.types[:min(typesShown, len(c.types))], "`, `") + "`"
		fmt.Fprintf(&nouns, "| %s | %s | %s | %s |\n", c.pkg, noun, shown, cell(c.sentence))
	}
	return conceptsHead +
		"\n## Packages with exported types\n\n| package | noun | types | sentence |\n| --- | --- | --- | --- |\n" + nouns.String() +
		"\n## Packages without exported types\n\n| package | sentence |\n| --- | --- |\n" + others.String()
}

// measureNouns counts the packages without a noun, and the packages whose noun another package has, too.
func measureNouns(m *module, found figures) {
	nouns := found.of("names", "nouns")
	all := concepts(m)
	owners := map[string][]string{}
	for _, c := range all {
		if c.noun != "" {
			owners[c.noun] = append(owners[c.noun], c.pkg)
		}
	}
	for _, c := range all {
		if len(c.types) > 0 && c.noun == "" {
			nouns.add("%s: its package comment links no type of the package", c.pkg)
		}
	}
	for _, noun := range slices.Sorted(maps.Keys(owners)) {
		if pkgs := owners[noun]; len(pkgs) > 1 {
			for _, pkg := range pkgs {
				nouns.add("%s: %s is the noun of %s", pkg, noun, strings.Join(pkgs, ", "))
			}
		}
	}
}

// docs/concepts.md lists the packages with the nouns that the source has.
func TestDocsConcepts(t *testing.T) {
	text := conceptsPage(concepts(theModule(t)))
	file := filepath.Join(root, conceptsFile)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "go test ./cmd/internal/house -update")
}

// A noun is a link to a type of the package itself. Types are sorted by their uses in other packages.
func TestConcepts(t *testing.T) {
	m := sampleModule(t, map[string]string{"a.go": `// Package a reads an [io.Reader] for [Make] and [hidden]. More.
//
//   - one [Other.Do], then an [Other]
//   - a [Noun]
package a

import "io"

type (
	B      struct{ r io.Reader }
	C      struct{}
	Noun   struct{ a, b, c B }
	Other  struct{}
	hidden struct{}
)

func (Other) Do() {}

func Make() hidden { return hidden{} }
`})
	add := func(name, text string) {
		f, err := parser.ParseFile(m.fset, name+".go", text, parser.ParseComments)
		require.NoError(t, err)
		require.NoError(t, m.check(&checked{name: name, files: []*ast.File{f}}))
	}
	add("user", "// Package user has an [Other].\npackage user\n\nimport a \"github.com/rocec/rocec/sample\"\n\n"+
		"type Other struct {\n\ta.Noun\n\tn []a.Noun\n\tc a.C\n\ts string\n}\n")
	add("bare", "package bare\n\ntype A struct{}\n")
	add("functions", "// Package functions has <no> a|b types.\npackage functions\n\nfunc F() {}\n")
	add("program", "// Program is [A].\npackage main\n\ntype A struct{}\n\nfunc main() {}\n")
	add("onlytest", "package onlytest\n\ntype A struct{}\n")
	got := concepts(m)
	assert.Equal(t, []concept{
		{pkg: "bare", types: []string{"A"}},
		{pkg: "functions", sentence: "Package functions has <no> a|b types."},
		{pkg: "program", sentence: "Program is [A]."},
		{"sample", "Other", []string{"Noun", "C", "B", "Other"}, "Package a reads an io.Reader for [Make] and [hidden]."},
		{"user", "Other", []string{"Other"}, "Package user has an [Other]."},
	}, got)
	page := conceptsPage(got)
	for _, row := range []string{
		"| bare | - | `A` | - |\n", "| functions | Package functions has &lt;no> a\\|b types. |\n", "| program | Program is `A`. |\n",
		"| sample | `Other` | `Noun`, `C`, `B`, `Other` | Package a reads an io.Reader for `Make` and `hidden`. |\n",
	} {
		assert.Contains(t, page, row)
	}
	found := figures{}
	measureNouns(m, found)
	assert.Equal(t, []string{
		"bare: its package comment links no type of the package",
		"sample: Other is the noun of sample, user", "user: Other is the noun of sample, user",
	}, found["names"]["nouns"].where)
}
