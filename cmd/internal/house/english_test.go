package house

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// englishRooms are the folders whose code reads findings, errors and outcomes. There a type carries the meaning, and only one place words
// it.
var englishRooms = []string{"cmd", "validate", "targets/deploy"}

// phrase matches two words of letters, as in a sentence. No path, flag, key or format of a device matches.
var phrase = regexp.MustCompile(`\b[A-Za-z]{2,} [A-Za-z]{2,}\b`)

// searches are the functions of packages strings, bytes and regexp that search or compare a text.
var searches = regexp.MustCompile(`^(strings|bytes)\.(Contains|ContainsFunc|Count|Cut|CutPrefix|CutSuffix|EqualFold|HasPrefix|HasSuffix|` +
	`Index|LastIndex|Replace|ReplaceAll|Split|SplitAfter|SplitN|SplitSeq|TrimPrefix|TrimSuffix)$|^\(\*regexp\.Regexp\)\.(Find|Match)`)

// measureReadEnglish counts the places where code decides by words that are written for people. Such a place searches a text for a
// phrase, or it searches or compares the Summary or Detail of a diagnostic or the Error() of an error. A comparison with the empty text
// is not counted. Messages of other programs, such as ssh, are counted, too: often there is no other way, but a person should look at
// each.
func measureReadEnglish(m *module, found figures) {
	read := found.of("english", "read-back")
	for _, p := range m.pkgs {
		if !slices.ContainsFunc(englishRooms, func(room string) bool { return p.name == room || strings.HasPrefix(p.name, room+"/") }) {
			continue
		}
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if n, ok := n.(ast.Expr); ok && readsEnglish(p.info, n) {
					read.add("%s: %s", m.place(n), types.ExprString(n))
				}
				return true
			})
		}
	}
}

// readsEnglish reports whether an expression is such a place.
func readsEnglish(info *types.Info, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		f, ok := info.Uses[sel.Sel].(*types.Func)
		return ok && searches.MatchString(f.FullName()) && slices.ContainsFunc(e.Args, func(arg ast.Expr) bool {
			return phrase.MatchString(constantText(info, arg)) || isWording(info, arg)
		})
	case *ast.BinaryExpr:
		if e.Op != token.EQL && e.Op != token.NEQ {
			return false
		}
		text := func(x ast.Expr) bool { return info.Types[x].Value == nil || constantText(info, x) != "" }
		return isWording(info, e.X) && text(e.Y) || isWording(info, e.Y) && text(e.X)
	}
	return false
}

// constantText returns the value of a constant text.
func constantText(info *types.Info, e ast.Expr) string {
	if v := info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// isWording reports whether an expression is the text of a diagnostic or of an error.
func isWording(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if e.Sel.Name != "Summary" && e.Sel.Name != "Detail" {
			return false
		}
		b, ok := info.TypeOf(e).(*types.Basic)
		return ok && b.Info()&types.IsString != 0
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Error" && len(e.Args) == 0
	}
	return false
}

// The measure finds each kind of place.
func TestReadEnglish(t *testing.T) {
	m := sampleModule(t, map[string]string{"a.go": `package a

import (
	"regexp"
	"strings"
)

type finding struct{ Code, Summary, Detail string }

const gone = "does not answer"

func f(d finding, err error, out string) {
	_ = strings.Contains(out, gone)
	_ = strings.HasSuffix(d.Detail, out)
	_ = err.Error() == "x"
	_, _, _ = strings.Cut(err.Error(), ":")
	_ = regexp.MustCompile("x").MatchString(d.Summary)
	_ = d.Summary != out

	_ = strings.Contains(out, "--dry-run /x")
	_ = d.Detail == ""
	_ = strings.HasPrefix(d.Code, "conf-")
	_ = strings.ToUpper(d.Summary)
}
`})
	found := figures{}
	m.pkgs[0].name = "cmd/sample"
	measureReadEnglish(m, found)
	var lines []string
	for _, where := range found["english"]["read-back"].where {
		lines = append(lines, strings.Split(where, ":")[1])
	}
	assert.Equal(t, []string{"13", "14", "15", "16", "17", "18"}, lines)
}
