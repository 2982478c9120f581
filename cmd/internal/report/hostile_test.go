package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets/judge"
)

// hostileExamples are fabrics in which strings are replaced. Together they have most attributes.
var hostileExamples = []string{
	"bonded-pair", "cabled", "pause-at-hosts", "pods-ebgp", "ring-table", "soft-roce", "sonic-leaf-spine", "storage-and-training",
}

// replaced yields fabrics, in each of which the text replaces one string. It replaces each attribute and label of each kind of block in
// the examples, and each attribute of the language.
func replaced(t *testing.T, with string, yield func(name string, fsys fstest.MapFS)) {
	t.Helper()
	seen := map[string]bool{}
	for _, example := range hostileExamples {
		files := fstest.MapFS{}
		dir := os.DirFS("../../../examples/" + example)
		require.NoError(t, fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				data, err := fs.ReadFile(dir, name)
				files[name] = &fstest.MapFile{Data: data}
				return err
			}
			return err
		}))
		for name, f := range files {
			if !strings.HasSuffix(name, ".hcl") {
				continue
			}
			tokens, diags := hclsyntax.LexConfig(f.Data, name, hcl.InitialPos)
			require.False(t, diags.HasErrors())
			of := "" // the first word of the line
			for i, tok := range tokens {
				if tok.Type == hclsyntax.TokenIdent &&
					(i == 0 || tokens[i-1].Type == hclsyntax.TokenNewline || tokens[i-1].Type == hclsyntax.TokenOBrace) {
					of = string(tok.Bytes)
				}
				if tok.Type != hclsyntax.TokenQuotedLit || seen[of] {
					continue
				}
				seen[of] = true
				changed := fstest.MapFS{}
				maps.Copy(changed, files)
				data := bytes.Join([][]byte{f.Data[:tok.Range.Start.Byte], []byte(with), f.Data[tok.Range.End.Byte:]}, nil)
				changed[name] = &fstest.MapFile{Data: data}
				yield(example+" "+of, changed)
			}
		}
	}
	require.Greater(t, len(seen), 40)
	for _, b := range lang.Blocks() {
		kinds := strings.Split(b.Path, ".")
		open, end := strings.Join(kinds, " \"x\" {\n")+" \"x\" {\n", strings.Repeat("}\n", len(kinds))
		for _, value := range []string{`local.t`, `[local.t]`, `{ (local.t) = local.t }`} {
			var attrs strings.Builder
			for _, a := range b.Attrs {
				attrs.WriteString(a.Name + " = " + value + "\n")
			}
			yield(b.Path+" = "+value, fstest.MapFS{"fabric.hcl": {Data: []byte("locals {\nt = \"" + with + "\"\n}\n" + open + attrs.String() + end)}})
		}
		label := strings.Join(kinds, " \"x\" {\n") + ` "` + with + "\" {\n" + end
		yield("label of "+b.Path, fstest.MapFS{"fabric.hcl": {Data: []byte(label)}})
	}
}

// written returns the outputs of all formats, and the summary of a run.
func written(t *testing.T, r *Report) map[string]string {
	t.Helper()
	out := map[string]string{"summary": GitHubSummary(r)}
	for _, f := range Formats {
		for name, o := range map[string]Options{f.Name: {Width: 80}, "text why": {Width: 80, Why: true, Verbose: true}} {
			if name == f.Name || f.Name == "text" {
				var b bytes.Buffer
				require.NoError(t, f.Write(&b, r, o))
				out[name] = b.String()
			}
		}
	}
	return out
}

var whole = flag.Bool("whole", false, "use texts of 64 KiB, not of 16")

// Each message and each output has a bounded length, whatever text a fabric has at any place.
func TestMessagesAreBounded(t *testing.T) {
	size := 16 << 10 // longer than every bound
	if *whole {
		size = 64 << 10
	}
	for _, with := range []string{strings.Repeat("x", size), strings.Repeat("leaf1, ", size/7)} {
		replaced(t, with, func(name string, fsys fstest.MapFS) {
			r := &Report{Judged: judge.Judge(t.Context(), fsys, ".", judge.Options{}), Dir: "."}
			for _, d := range r.Diags {
				data, err := json.Marshal(d)
				require.NoError(t, err)
				assert.LessOrEqual(t, len(d.Detail), 2000, "%s: %s", name, d.Code)
				assert.LessOrEqual(t, len(data), 12<<10, "%s: %s", name, d.Code)
			}
			for format, out := range written(t, r) {
				assert.LessOrEqual(t, len(out), size+len(r.Diags)*(4<<10), "%s: %s", name, format)
			}
		})
	}
}

// workflowCommand matches text in a log line that runners of CI systems read as a command.
var workflowCommand = regexp.MustCompile(`(?mi)^\s*::[a-z-]+( [^:\n]*)?::|##\[|##vso\[|##teamcity\[|section_start:\d+:\S*\r`)

// ownCommand matches the commands that the GitHub format itself writes.
var ownCommand = regexp.MustCompile(`^::(error|warning|notice|group|endgroup)\b.*::`)

// Text of a fabric, at any place, puts no command for a CI system and no control character into any output.
func TestFabricsCommandNoRunner(t *testing.T) {
	for _, with := range []string{
		`::error file=x::y ##[group]y ##vso[task.setvariable variable=a]b ##teamcity[x]`,
		`a ::add-mask::y\n::add-mask::y\r\n  ::group::y\n##[add-mask]y section_start:1:a\r\u001b[0Kx \u009b31m\u202ea\u2066b\u200f`,
		strings.Repeat("word ", 20) + strings.Repeat("::debug::y ", 20) + "a</td><script>x</script>](https://evil.example) @user `x` ~~~ ``` | y",
	} {
		replaced(t, with, func(name string, fsys fstest.MapFS) {
			if data, ok := fsys["fabric.hcl"]; ok { // as a comment, and in an excerpt
				data.Data = append([]byte("# ::add-mask::y ##[group]\n"), data.Data...)
			}
			r := &Report{Judged: judge.Judge(t.Context(), fsys, ".", judge.Options{}), Dir: "."}
			for format, out := range written(t, r) {
				commandFree(t, name+": "+format, out, strings.HasPrefix(format, "github"))
			}
		})
	}
}

// The same applies to the name of a file.
func TestNamesOfFilesCommandNoRunner(t *testing.T) {
	for _, name := range []string{
		"x\n::add-mask::y.hcl", "::add-mask::y.hcl", " ::add-mask::y.hcl", "##[group]y.hcl", "a\x1b[2J\u009b\u202e.hcl",
		"a`b|<c>.hcl", strings.Repeat("n", 250) + ".hcl",
	} {
		for _, content := range []string{"fabric \"f\" {\n  mtu = \"x\"\n}\n", "!", "fabric \"f\" {\n}\ncos_group \"g\" {\n lossless = true\n}"} {
			r := &Report{Judged: judge.Judge(t.Context(), fstest.MapFS{name: {Data: []byte(content)}}, ".", judge.Options{}), Dir: "."}
			require.NotEmpty(t, r.Diags)
			for format, out := range written(t, r) {
				commandFree(t, fmt.Sprintf("%q: %s", name, format), out, strings.HasPrefix(format, "github"))
			}
		}
	}
}

// commandFree requires an output without commands, except the commands of the GitHub format itself.
func commandFree(t *testing.T, what, out string, own bool) {
	t.Helper()
	for line := range strings.Lines(out) {
		if own && ownCommand.MatchString(line) {
			require.NotContains(t, line, "##[", what)
			continue // the message is the data of a command, up to the end of the line
		}
		require.NotRegexp(t, workflowCommand, line, what)
	}
	at := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
	require.Equal(t, -1, at, "%s: %q", what, out[max(at, 0):])
}

// The summary of a run contains no markup except its own tables and links to the pages of codes.
func TestSummaryHoldsNoMarkup(t *testing.T) {
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	replaced(t, "a</td><b>x</b>](https://evil.example) @user `x` ~~~ ``` | y\\n\\n# z", func(name string, fsys fstest.MapFS) {
		r := &Report{Judged: judge.Judge(t.Context(), fsys, ".", judge.Options{}), Dir: "."}
		var page bytes.Buffer
		require.NoError(t, Markdown(&page, r, Options{}))
		markupFree(t, parser, name, page.Bytes())
		src := []byte(GitHubSummary(r))
		err := ast.Walk(parser.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.RawHTML, *ast.HTMLBlock, *ast.Image, *ast.AutoLink, *ast.CodeSpan, *ast.FencedCodeBlock, *ast.Emphasis:
				assert.Fail(t, "markup", "%s: %s in %s", name, n.Kind(), src)
			case *ast.Link:
				assert.True(t, strings.HasPrefix(string(n.Destination), "https://github.com/rocec/rocec/"), "%s: %s", name, n.Destination)
			case *ast.Heading:
				assert.Equal(t, 2, n.Level, name)
			}
			return ast.WalkContinue, nil
		})
		require.NoError(t, err)
	})
}

// markupFree requires a page without markup except its own: a heading, lists with boxes, tables, the severity, commands, and links to the
// pages of codes.
func markupFree(t *testing.T, parser parser.Parser, name string, src []byte) {
	t.Helper()
	err := ast.Walk(parser.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Image, *ast.AutoLink, *ast.FencedCodeBlock:
			assert.Fail(t, "markup", "%s: %s in %s", name, n.Kind(), src)
		case *ast.CodeSpan:
			code := string(n.FirstChild().(*ast.Text).Segment.Value(src))
			assert.Regexp(t, `^(rocec explain [a-z0-9-]+|--format (text|json))$`, code, name)
		case *ast.Emphasis:
			assert.Contains(t, []string{"error", "warning"}, string(n.FirstChild().(*ast.Text).Segment.Value(src)), name)
		case *ast.Link:
			assert.True(t, strings.HasPrefix(string(n.Destination), "https://github.com/rocec/rocec/"), "%s: %s", name, n.Destination)
		case *ast.Heading:
			assert.Equal(t, 2, n.Level, name)
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
}
