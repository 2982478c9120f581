package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostWords is the largest number of words of a sentence that does not count as long.
const mostWords = 28

// notReworded are pages whose sentences are not counted. The text of a release in CHANGELOG.md does not change. The sentences of
// concepts.md come from package comments, where they are counted.
var notReworded = []string{"CHANGELOG.md", "concepts.md"}

// turn is a turn of phrase that plain technical English replaces by another.
type turn struct {
	kind, instead string
	at            *regexp.Regexp
}

// turns are the kinds of sentences that are counted. A sentence counts once for a turn, however often it contains the turn.
var turns = []turn{
	{
		"fronted-of", "begin with the subject: \"For a switch, …\"",
		regexp.MustCompile(`^Of (?:an?|all|any|both|each|every|no|one|several|some|such|the|these|this|those|two|what|which|` +
			`devices|switches|hosts|NICs|ports|links|uplinks|bonds|members|models|releases|names|values|rows|keys|files|frames|packets)\b`),
	},
	{
		"what-as-noun", "name the thing: \"the difference\", \"the found value\"",
		regexp.MustCompile(`^What (?:[a-z]+ ){1,4}(?:is|are|was|has|have|does|needs|cannot|may|must)\b[^?]*$|` +
			`\b(?:is|are|of|by|with|from|than|and|to|says?|shows?|gives?|knows?|names?|reads?) what ` +
			`(?:is|are|was|were|an?|the|it|they|there|no|rocec)\b`),
	},
	{
		"stands-or-lies", "\"is in\", \"contains\"",
		regexp.MustCompile(`\b(?:stands?|stood|lies?|lay|lying) (?:above|alone|at|behind|below|beneath|beside|between|for|in|on|there|under)\b`),
	},
	{
		"told-or-said", "\"reports\", \"states\", \"shows\"",
		regexp.MustCompile(`\b(?:is|are|was|were|be|been) (?:told|said)\b|\btells? that\b|` +
			`\b(?:says?|tells?) (?:whether|how|what|which|who|when|where|why)\b`),
	},
	{
		"nobody", "the actor: \"no device\", \"the operator\"",
		regexp.MustCompile(`\b(?:[Nn]obody|[Ss]omebody|[Ww]hoever)\b`),
	},
	{
		"none", "say the thing: \"is no error\", \"no path gets longer\"",
		regexp.MustCompile(`\b(?:is|are|was|has|have|gives?|makes?|opens?|takes?) none\b`),
	},
	{
		"as-for-such-as", "\"such as\"",
		regexp.MustCompile("\\b(?:names|values|words|texts|files|keys|codes|ports|numbers|programs|commands) as (?:an? |the )?[`\"0-9A-Z]"),
	},
	{
		"vague", "the noun, or the verb of the field",
		regexp.MustCompile(`\b(?:of it|of them all|of theirs|com(?:es?|ing) to|came to|h(?:a|u)ngs? on|left to chance|all the same|at hand|` +
			`for good|for want of|mend(?:s|ed|ing)?|likewise|as wished)\b`),
	},
}

// measureSentences counts sentences by kind in the comments and messages of the source and in the manual. It counts long sentences only
// in the manual.
func measureSentences(t *testing.T, m *module, found figures) {
	total := map[string]int{}
	judge := func(row, place, text string) {
		for _, s := range sentences(text) {
			total[row]++
			for _, k := range turns {
				if k.at.MatchString(s) {
					found.of(row, k.kind).add("%s: %s (%s)", place, s, k.instead)
				}
			}
			if n := len(strings.Fields(s)); row == "prose/docs" && n > mostWords {
				found.of(row, "long").add("%s: %d words: %s", place, n, s)
			}
		}
	}
	for _, name := range m.names("cmd", "compiler", "docs", "examples", "lang", "targets", "validate") {
		for _, c := range proseOfGo(m.files[name]) {
			judge("prose/go", m.place(c.at), c.text)
		}
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/checks/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, names, pattern)
		for _, name := range names {
			if slices.Contains(notReworded, filepath.Base(name)) {
				continue
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			rel, err := filepath.Rel(root, name)
			require.NoError(t, err)
			for _, p := range proseOfMarkdown(string(text)) {
				judge("prose/docs", fmt.Sprintf("%s:%d", filepath.ToSlash(rel), p.line), p.text)
			}
		}
	}
	for row, n := range total {
		with := 0
		for kind, f := range found[row] {
			if kind != "long" {
				with += f.n
			}
		}
		if testing.Verbose() {
			t.Logf("%s: %d sentences, %.1f turns in a hundred", row, n, 100*float64(with)/float64(n))
		}
	}
}

var (
	// sentenceEnd matches a full stop before the beginning of another sentence.
	sentenceEnd = regexp.MustCompile("([.!?][\"')]?)\\s+([A-Z`\"*(\\[])")
	// target matches the target of a Markdown link.
	target = regexp.MustCompile(`\]\([^)]*\)`)
)

// sentences splits a paragraph. A text of fewer than four words counts as a heading or label, not as a sentence.
func sentences(paragraph string) (out []string) {
	text := strings.Join(strings.Fields(target.ReplaceAllString(paragraph, "]")), " ")
	for s := range strings.SplitSeq(sentenceEnd.ReplaceAllString(text, "$1\n$2"), "\n") {
		if len(strings.Fields(s)) >= 4 {
			out = append(out, s)
		}
	}
	return out
}

// goProse is a paragraph of a comment, or a text of the program.
type goProse struct {
	at   ast.Node
	text string
}

// proseOfGo returns the paragraphs of comments, and the string literals that have four words or more. Indented lines of comments are code.
func proseOfGo(f *ast.File) (out []goProse) {
	for _, group := range f.Comments {
		paragraph := ""
		flush := func() {
			if paragraph != "" {
				out = append(out, goProse{group, paragraph})
			}
			paragraph = ""
		}
		for line := range strings.Lines(group.Text()) { // without directives
			switch {
			case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  "):
				flush()
			case strings.HasPrefix(strings.TrimSpace(line), "- "):
				flush()
				fallthrough
			default:
				paragraph += line
			}
		}
		flush()
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		e, ok := n.(ast.Expr)
		if !ok || literal(e) == "" {
			return true
		}
		if text := literal(e); !rawText(e) && len(strings.Fields(text)) >= 4 {
			out = append(out, goProse{e, text})
		}
		return false
	})
	return out
}

// rawText reports whether a literal is in backquotes, such as a script, a template or a sample.
func rawText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && strings.HasPrefix(l.Value, "`")
}

// literal returns the text of a string literal, or of several joined literals without the names between them.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, _ := strconv.Unquote(e.Value)
			return s
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return literal(e.X) + literal(e.Y)
		}
	}
	return ""
}

// docProse is a paragraph, a list item or a table cell of Markdown.
type docProse struct {
	line int
	text string
}

// proseOfMarkdown returns the prose of a page: no headings, fences, front matter or comments.
func proseOfMarkdown(page string) (out []docProse) {
	var now docProse
	flush := func() {
		if now.text != "" {
			out = append(out, now)
		}
		now = docProse{}
	}
	fence, front := "", strings.HasPrefix(page, "---\n")
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		marks := len(trimmed) - len(strings.TrimLeft(trimmed, "`"))
		switch {
		case front:
			front = i == 0 || trimmed != "---"
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case marks >= 3:
			flush()
			fence = trimmed[:marks]
		case trimmed == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(trimmed, "<!--"),
			strings.HasPrefix(line, "    ") && now.text == "": // code
			flush()
		case strings.HasPrefix(trimmed, "|"):
			flush()
			for cell := range strings.SplitSeq(trimmed, " | ") {
				out = append(out, docProse{i + 1, strings.Trim(cell, "| ")})
			}
		default:
			if item.MatchString(trimmed) {
				flush()
				trimmed = item.ReplaceAllString(trimmed, "")
			}
			if now.text == "" {
				now.line = i + 1
			}
			now.text += trimmed + "\n"
		}
	}
	flush()
	return out
}

// item matches the mark before a list item.
var item = regexp.MustCompile(`^(?:[-*]|\d+\.) `)

// Every kind is found in its own sentences and in no other.
func TestTurns(t *testing.T) {
	for text, want := range map[string]string{
		"Of a switch, facts are the node and its ports.":     "fronted-of",
		"Of hosts that forward nothing is known.":            "fronted-of",
		"What differs most is named with its value.":         "what-as-noun",
		"The plan shows what is there.":                      "what-as-noun",
		"The row stands in the table of codes.":              "stands-or-lies",
		"The operator is told that the device is gone.":      "told-or-said",
		"Each row says whether the check is on.":             "told-or-said",
		"Here nobody reads the file.":                        "nobody",
		"A warning is none of these.":                        "none",
		"It takes values as 3 or 4 for it.":                  "as-for-such-as",
		"The names of it are left to chance.":                "vague",
		"For a switch, facts contains the vertex.":           "",
		"What is the name of that file?":                     "",
		"The file contains every row, as the table does.":    "",
		"The understanding of a device depends on its file.": "",
	} {
		var got strings.Builder
		for _, k := range turns {
			if k.at.MatchString(text) {
				got.WriteString(k.kind)
			}
		}
		assert.Equal(t, want, got.String(), text)
	}
}

// Prose is all text that a person reads in whole sentences.
func TestProseIsFound(t *testing.T) {
	assert.Equal(t, []string{"It is a [link] of a page.", "`rocec` reads the other (all of it)."},
		sentences("It is a [link](to/a.md#x) of a page. `rocec` reads the\nother (all of it). So it is."))
	var texts []string
	for _, p := range proseOfMarkdown("---\ncode: a\n---\n# A title of a page\n\nOne\ntwo.\n- three\n  more\n- four\n\n```text\nno\n```\n" +
		"| a cell | another |\n| --- | --- |\n\n    code\n") {
		texts = append(texts, strconv.Itoa(p.line)+" "+strings.TrimSpace(p.text))
	}
	assert.Equal(t, []string{"6 One\ntwo.", "8 three\nmore", "10 four", "15 a cell", "15 another", "16 ---", "16 ---"}, texts)
	m := sampleModule(t, map[string]string{"a.go": "// Package a is\n// small.\n//\n//\tcode\n//\n// Second.\npackage a\n\n//go:noinline\n" +
		"func f() {\n\tprintln(\"one two three \" + \"four\") // Third.\n\tprintln(`a b c d`, \"short\")\n}\n"})
	texts = nil
	for _, p := range proseOfGo(m.files["a.go"]) {
		texts = append(texts, strings.TrimSpace(p.text))
	}
	assert.Equal(t, []string{"Package a is\nsmall.", "Second.", "Third.", "one two three four"}, texts)
}
