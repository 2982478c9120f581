package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// fileHead matches the line above the files of an example: "# leaf1/startup.nv and leaf2/startup.nv".
var fileHead = regexp.MustCompile(`^# (\S+\.\w+(?:(?:,| and) \S+\.\w+)*)$`)

// filesOf returns the files in an example of several files. Commands of NVUE are completed to a sound tree.
func filesOf(text string) (out []lint.File) {
	texts, order := map[string]string{}, []string{}
	var names []string
	for line := range strings.Lines(text) {
		if m := fileHead.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			names = strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(m[1]))
			order = append(order, names...)
			continue
		}
		for _, name := range names {
			texts[name] += line
		}
	}
	for _, name := range order {
		if strings.HasSuffix(name, ".nv") {
			texts[name] = completeNVUE(strings.TrimSpace(texts[name]) + "\n")
		}
		out = append(out, lint.File{Name: name, Data: []byte(texts[name])})
	}
	return out
}

// An example of several files has a finding of its code, and its fix removes the finding.
func TestExplainSeveralFiles(t *testing.T) {
	seen := 0
	for _, f := range codeFences(t) {
		files := filesOf(f.Text)
		besideFabric := slices.ContainsFunc(files, func(one lint.File) bool { return strings.HasSuffix(one.Name, ".hcl") })
		if f.Language != "text" || len(files) < 2 || besideFabric || !strings.HasPrefix(f.Code, "conf-") {
			continue
		}
		seen++
		ds := targets.JudgeFiles(files).Diagnostics
		found := slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool { return d.Code == f.Code })
		assert.Equal(t, f.Section == "Example", found, "docs/checks/%s.md, %s %s:\n%s", f.Code, f.Section, f.Heading, show(ds))
	}
	assert.Equal(t, 14, seen, "examples of several files")
}

// linterFolders have the sources that report findings about files of switches.
var linterFolders = []string{
	"../../validate/settings", "../../targets", "../../targets/cumulus/conflint", "../../targets/nvue/lint", "../../targets/sonic/lint",
}

// sources parses the Go files of folders, without their tests.
func sources(t *testing.T, folders []string) map[string]*ast.File {
	t.Helper()
	out := map[string]*ast.File{}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			out[name], err = parser.ParseFile(token.NewFileSet(), name, data, 0)
			require.NoError(t, err)
		}
	}
	return out
}

// constant returns a text that is joined from literals. Any other part counts as a format verb.
func constant(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		a, isA := constant(e.X)
		b, isB := constant(e.Y)
		if !isA {
			a = "%s"
		}
		if !isB {
			b = "%s"
		}
		return a + b, isA || isB
	}
	return "", false
}

// codeOf returns the code in a literal of a topic or a rule, or "" for any other expression.
func codeOf(e ast.Expr) (code string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if kv, is := n.(*ast.KeyValueExpr); is && code == "" {
			if key, is := kv.Key.(*ast.Ident); is && key.Name == "Code" {
				code, _ = constant(kv.Value)
			}
		}
		return code == ""
	})
	return code
}

// topicCodes returns the codes of topics by folder and variable.
func topicCodes(files map[string]*ast.File) map[string]string {
	out, rules := map[string]string{}, map[string]string{}
	each := func(do func(folder, name string, value ast.Expr)) {
		for file, f := range files {
			for _, d := range f.Decls {
				if g, is := d.(*ast.GenDecl); is && g.Tok == token.VAR {
					for _, s := range g.Specs {
						if v := s.(*ast.ValueSpec); len(v.Values) == 1 {
							do(filepath.Dir(file), v.Names[0].Name, v.Values[0])
						}
					}
				}
			}
		}
	}
	each(func(folder, name string, value ast.Expr) {
		if lit, is := value.(*ast.CompositeLit); is {
			if code := codeOf(lit); code != "" && lit.Elts != nil {
				out[folder+"."+name], rules[name] = code, code
			}
		}
	})
	each(func(folder, name string, value ast.Expr) { // topicX = settings.X.Topic
		if of, is := value.(*ast.SelectorExpr); is && of.Sel.Name == "Topic" {
			if rule, is := of.X.(*ast.SelectorExpr); is {
				out[folder+"."+name] = rules[rule.Sel.Name]
			}
		}
	})
	return out
}

// fileMessages returns the texts of findings about files of switches by code, as format strings.
func fileMessages(t *testing.T) map[string][]string {
	files := sources(t, linterFolders)
	topics := topicCodes(files)
	out := map[string][]string{}
	for name, f := range files {
		folder, base := filepath.Dir(name), strings.TrimSuffix(filepath.Base(name), ".go")
		of := func(e ast.Expr) string {
			if u, is := e.(*ast.UnaryExpr); is && u.Op == token.AND {
				e = u.X
			}
			if id, is := e.(*ast.Ident); is {
				return topics[folder+"."+id.Name]
			}
			return ""
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			code := ""
			if sel, is := call.Fun.(*ast.SelectorExpr); is {
				code = of(sel.X)
				if strings.HasPrefix(base, "conf-") && slices.Contains([]string{"errorf", "warnf", "noticef"}, sel.Sel.Name) {
					code = base
				}
			}
			for _, arg := range call.Args {
				if code == "" {
					code = of(arg)
				}
			}
			for _, arg := range call.Args {
				if text, is := constant(arg); is && code != "" {
					out[code] = append(out[code], text)
					break
				}
			}
			return true
		})
	}
	return out
}

var (
	verbInFormat = regexp.MustCompile(`%(\[\d+\])?[-+#0-9.]*[a-zA-Z]`)
	hasWords     = regexp.MustCompile(`[a-z]{3} [a-z]`)
	messageItem  = regexp.MustCompile(`(?m)^- "([^"]+)":\s`)
)

// hasInOrder reports whether a text contains, in order, the parts of a fragment, which are separated by "…".
func hasInOrder(text, fragment string) bool {
	for part := range strings.SplitSeq(fragment, "…") {
		_, rest, found := strings.Cut(text, strings.TrimSpace(part))
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// If a code has several messages about files of switches, its page explains the effect and the remedy of each. Every message on the page
// is in the source.
func TestExplainFileMessages(t *testing.T) {
	var all []string
	files := sources(t, append(slices.Clone(linterFolders), "../../targets/target/lint", "../../targets/nvue/grammar"))
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, is := n.(ast.Expr); is {
				if text, is := constant(e); is {
					all = append(all, text)
				}
			}
			return true
		})
	}
	messages := fileMessages(t)
	require.Greater(t, len(messages), 50, "codes of findings about files")
	for _, code := range slices.Sorted(maps.Keys(messages)) {
		p := docs.OfCode(code)
		if !strings.HasPrefix(code, "conf-") {
			continue
		}
		require.NotNil(t, p, code)
		_, list, has := strings.Cut(p.Body, "\n### Messages\n")
		list, _, _ = strings.Cut(list, "\n## ")
		var items []string
		for _, m := range messageItem.FindAllStringSubmatch(list, -1) {
			items = append(items, m[1])
		}
		var texts []string
		for _, text := range messages[code] {
			if hasWords.MatchString(verbInFormat.ReplaceAllString(text, "")) && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		if len(texts) < 2 && !has {
			continue
		}
		assert.Equal(t, strings.Count(list, "\n- "), len(items), "docs/checks/%s.md: an item that is not a message", code)
		for _, text := range texts {
			assert.True(t, slices.ContainsFunc(items, func(item string) bool { return hasInOrder(text, item) }),
				"docs/checks/%s.md does not explain the message %q", code, text)
		}
		for _, item := range items {
			assert.True(t, slices.ContainsFunc(all, func(text string) bool { return hasInOrder(text, item) }),
				"docs/checks/%s.md explains the message %q, which no source has", code, item)
		}
	}
}
