package view

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/targets/deploy"
)

// inFiles calls a function with each expression of the sources of packages, without their tests.
func inFiles(t *testing.T, folders []string, do func(ast.Node)) {
	t.Helper()
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			f, err := parser.ParseFile(token.NewFileSet(), name, data, 0)
			require.NoError(t, err)
			ast.Inspect(f, func(n ast.Node) bool {
				do(n)
				return true
			})
		}
	}
}

// text returns the value of a string literal.
func text(n ast.Node) (string, bool) {
	lit, is := n.(*ast.BasicLit)
	if !is || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// Each word that begins a line of the output or states the outcome of a device has a row in docs/words.md.
func TestWordsAreExplained(t *testing.T) {
	printed := map[string]bool{}
	inFiles(t, []string{"."}, func(n ast.Node) {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) != 2 {
			return
		}
		if f, is := call.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Paint" {
			if s, is := text(call.Args[1]); is {
				printed[s] = true
			}
		}
	})
	require.Greater(t, len(printed), 20, "the words that are painted")
	for _, o := range deploy.Outcomes {
		printed[string(o)] = true
	}
	for _, s := range []deploy.Status{deploy.StatusUnreachable, deploy.StatusRefused, deploy.StatusPending} {
		printed[string(s)] = true
	}
	for _, s := range []string{
		VerifyGood, VerifyOther, VerifyDrift, VerifyUnknown, statusAccepted, deploy.WrittenByOthers,
		journal.Running, journal.Ended, journal.Died, journal.UnderWay, journal.Waiting,
		string(deploy.GradeDocumented), string(deploy.GradeSimulated), string(deploy.GradeReported),
	} {
		printed[s] = true
	}
	for _, word := range slices.Sorted(maps.Keys(printed)) {
		first, _, _ := strings.Cut(word, ",")
		assert.NotEmpty(t, docs.WordsOf(first), "docs/words.md has no row of %q", word)
	}
}

// Each name in docs/words.md is in the output of a verb, or is one of its flags.
func TestWordsArePrinted(t *testing.T) {
	var all strings.Builder
	folders := []string{
		".", "facts", "trace", "../../rocec", "../report", "../journal", "../session", "../../../targets/deploy",
		"../../../targets/deploy/sequence", "../../../targets/deploy/rollout", "../../../targets/commands", "../../../targets/target",
		"../../../targets/target/lint", "../../../targets", "../../../compiler", "../../../validate/claims",
	}
	inFiles(t, folders, func(n ast.Node) {
		if s, is := text(n); is {
			all.WriteString(strings.ToLower(s) + "\n")
		}
	})
	for _, w := range docs.Words() {
		for _, name := range w.Names {
			if said := all.String(); !strings.Contains(said, name) && !strings.Contains(said, strings.ReplaceAll(name, " ", "-")) {
				t.Errorf("docs/words.md has a row of %q, which no verb prints", name)
			}
		}
	}
}
