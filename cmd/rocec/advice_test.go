package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/person"
)

// hole replaces a part of a text that is known only when the program runs.
const hole = "\x01"

var formatVerb = regexp.MustCompile(`%(\[\d+\])?[-+# 0]*[\d.*]*[a-zA-Z]`)

// builtText returns the text that an expression builds. Each part that is not a literal is a hole.
func builtText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return s
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return builtText(e.X) + builtText(e.Y)
		}
	case *ast.ParenExpr:
		return builtText(e.X)
	}
	return hole
}

// advised returns the commands in a text that contain a hole: a verb of rocec and then a hole, or a program in backticks. A command ends
// with its sentence.
func advised(verbs []string) func(string) []string {
	rocec := regexp.MustCompile(`\brocec (?:` + hole + `|(?:(?:` + strings.Join(verbs, "|") + `)\b|-)[^.,;:()` + "`" + `\n]*?` + hole + `)`)
	quoted := regexp.MustCompile("`[a-z][a-z-]* [^`]*?" + hole + "[^`]*`")
	return func(text string) []string {
		text = formatVerb.ReplaceAllString(text, hole)
		return append(rocec.FindAllString(text, -1), quoted.FindAllString(text, -1)...)
	}
}

// versionText are texts with a version after the name of the program.
var versionText = regexp.MustCompile(`(?m)(made by|requires|^)\W*rocec \x01`)

// One function builds all commands that a person may paste, and quotes their variable parts. So no text of the program has a command with
// a hole.
func TestCommandsAreBuilt(t *testing.T) {
	var verbs []string
	for _, c := range newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }})).Commands() {
		verbs = append(verbs, c.Name())
	}
	find := advised(verbs)
	for text, want := range map[string]int{
		"Go back: rocec rollback %s.":               1,
		"Go on: rocec confirm %[1]q --target %[2]s": 1,
		"rocec resume --abandon --run " + hole:      1,
		"see: rocec " + hole:                        1,
		"Say `config interface startup %s`, now.":   1,
		"%s: `chmod go-w %v`":                       1,
		"rocec -C %s runs":                          1,
		"rocec -C x plan %s":                        1,
		"see rocec plan. The %s is gone":            0,
		"rocec writes %s":                           0,
		"`%s` failed: %s":                           0,
	} {
		assert.Len(t, find(text), want, text)
	}

	files := 0
	for _, room := range []string{"cmd", "compiler", "docs", "lang", "targets", "validate"} {
		err := filepath.WalkDir(filepath.Join("../..", room), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
				strings.HasSuffix(name, "lang/diag/command.go") {
				return err
			}
			files++
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, 0)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text := builtText(e)
				if text == hole {
					return true
				}
				for _, c := range find(text) {
					if !versionText.MatchString(formatVerb.ReplaceAllString(text, hole)) {
						t.Errorf("%s puts text into a command: %q; build it with diag.Rocec or diag.Command", fset.Position(e.Pos()), c)
					}
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	assert.Greater(t, files, 400)
}
