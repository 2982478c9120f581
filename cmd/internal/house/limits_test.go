package house

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitRooms are the folders whose code judges input, or searches for results that a person reads. The subfolders in limitRoomsNot do
// neither: they contain judges for tests, simulated programs and similar code.
var (
	limitRooms = []string{
		"cmd/rocec", "cmd/internal/forms", "cmd/internal/globals", "cmd/internal/hooks", "cmd/internal/person", "cmd/internal/replay",
		"cmd/internal/report", "cmd/internal/savedplan", "cmd/internal/session", "cmd/internal/start", "cmd/internal/view",
		"compiler", "lang", "targets", "targets/deploy/sequence", "validate",
	}
	limitRoomsNot = regexp.MustCompile(`(^|/)(oracle|(cumulus|nvue|sonic|mlx5)/sim|\w+test|internal|deploy)(/|$)`)
)

// limitName matches the names of constants that are bounds. The test misses a bound with another name, so give each new bound a name that
// matches.
var limitName = regexp.MustCompile(`^([mM]ax|[mM]ost|few|many)([A-Z]\w*)?$|\w(Budget|Share|Cost|Work|Levels|Limit)$`)

// limit is a row of testdata/limits.txt.
type limit struct{ kind, text string }

// limitKinds describes what can happen at a bound.
var limitKinds = map[string]string{
	"refuses": "the input is refused; the text is from the message",
	"ends":    "a judgement or a search ends early; the text is from the message that reports it",
	"lists":   "a message names fewer items; the text is from the words that count or mention the rest",
	"means":   "it ends no judgement: it is a unit, a limit of a format, or a threshold of a finding; the text says which",
}

// TestLimitsAreSaid: every bound has a row in testdata/limits.txt, with the consequence of the bound and words of the printed message. So
// a search that ends early reports that, and names the flag that raises the bound.
func TestLimitsAreSaid(t *testing.T) {
	want := map[string]limit{}
	data, err := os.ReadFile("testdata/limits.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, text, ok := strings.Cut(line, " | ")
		f := strings.Fields(head)
		require.True(t, ok && len(f) == 3, line)
		key := f[1] + " " + f[2]
		require.NotContains(t, want, key, "twice")
		require.NotEmpty(t, limitKinds[f[0]], line)
		want[key] = limit{f[0], text}
	}
	kinds := map[string]int{}
	have := map[string]bool{}
	said := map[string][]string{} // texts by folder
	var found []string
	for _, room := range limitRooms {
		found = append(found, limitsBelow(theModule(t), room, said)...)
	}
	for _, x := range found {
		have[x] = true
		row, known := want[x]
		if !assert.True(t, known, "%s is a bound: what happens there, and which message says so? Add a row to testdata/limits.txt", x) {
			continue
		}
		kinds[row.kind]++
		if row.kind == "means" {
			continue
		}
		folder, text, elsewhere := strings.Cut(row.text, ": ")
		if !elsewhere || said[folder] == nil {
			folder, text = filepath.Dir(strings.Fields(x)[0]), row.text
		}
		assert.True(t, slices.ContainsFunc(said[folder], func(s string) bool { return strings.Contains(s, text) }),
			"%s: %s prints no %q", x, folder, text)
		if row.kind == "ends" {
			assert.Regexp(t, `[Nn]ot (judged|tried)|ended|further|left|ran out|breaks off|too many to follow`, text, x)
		}
	}
	for x := range want {
		assert.True(t, have[x], "%s is no longer a bound: delete its row in testdata/limits.txt", x)
	}
	for kind := range limitKinds {
		assert.Positive(t, kinds[kind], kind)
	}
}

// limitsBelow returns the bounds below a room by file and name, and collects the texts of each folder.
func limitsBelow(m *module, room string, said map[string][]string) (out []string) {
	for _, name := range m.names(room) {
		folder := path.Dir(name)
		if limitRoomsNot.MatchString(strings.TrimPrefix(folder, room)) {
			continue
		}
		for _, decl := range m.files[name].Decls {
			within := ""
			if g, ok := decl.(*ast.FuncDecl); ok {
				within = g.Name.Name + "."
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GenDecl:
					if n.Tok != token.CONST {
						return true
					}
					for _, spec := range n.Specs {
						for i, id := range spec.(*ast.ValueSpec).Names {
							values := spec.(*ast.ValueSpec).Values
							if limitName.MatchString(id.Name) && i < len(values) && literal(values[i]) == "" {
								out = append(out, name+" "+within+id.Name)
							}
						}
					}
				case *ast.CallExpr:
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "NewBudget" {
						if x := name + " " + within + "NewBudget"; !slices.Contains(out, x) {
							out = append(out, x)
						}
					}
				case ast.Expr:
					if s := literal(n); s != "" {
						said[folder] = append(said[folder], s)
						return false
					}
				}
				return true
			})
		}
	}
	return out
}

// The test finds bounds and budgets without a row, in any file.
func TestLimitsAreFound(t *testing.T) {
	said := map[string][]string{}
	found := limitsBelow(theModule(t), "validate", said)
	for _, x := range []string{
		"validate/proof/fewest.go mostLevels", "validate/say-proof.go linkList.most", "validate/roce-members.go cutOff.NewBudget",
		"validate/ways-out.go newAdviser.NewBudget",
	} {
		assert.Contains(t, found, x)
	}
	assert.Contains(t, said["validate"], "--budget")
}
