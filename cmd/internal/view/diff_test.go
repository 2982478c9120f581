package view_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/rocec/rocec/cmd/internal/meaning"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/judge"
)

// hostile is text of a file with markup, a command of a CI system and an escape sequence of a terminal.
const hostile = "x | y `z` [a](https://evil.example) <b>b</b> @us ![i](http://i) www.evil.example **b** \x1b[2J ::add-mask::s\n# h\n" +
	"| r | s |"

// hostileMeaning is a change in which every text is hostile.
func hostileMeaning(t *testing.T, n int) *meaning.Meaning {
	t.Helper()
	side := func(name string) *meaning.Side {
		return &meaning.Side{Name: diag.Escape(name), Absent: true, Report: &report.Report{Judged: &judge.Judged{Source: &lang.Source{}}}}
	}
	m := &meaning.Meaning{A: side(hostile), B: side(hostile)}
	var ds diag.List
	topic := diag.Topic{Code: "conf-sample", Summary: "a sample"}
	for range n {
		effect := deploy.Effect{Shift: deploy.Shift{Kind: deploy.LosslessEnds, Action: deploy.Delete, Of: hostile}, Ports: []string{hostile}}
		m.Effects = append(m.Effects, meaning.Effect{Shift: effect.Shift, On: []meaning.On{{Device: hostile, Effect: effect}}})
		m.Added = append(m.Added, hostile)
		m.Links.Added = append(m.Links.Added, hostile)
		m.Turned = append(m.Turned, meaning.Turned{Devices: []string{hostile}, What: "model", Before: hostile, After: hostile})
		m.Verdicts = append(m.Verdicts, meaning.Proved{Group: hostile, Before: hostile, After: hostile})
		m.Alone, m.Unread = append(m.Alone, hostile), append(m.Unread, targets.NotRead{File: hostile, Why: hostile})
		topic.Errorf(&ds, diag.Range{Filename: hostile}, "%s", hostile)
	}
	m.New, m.Fixed = ds, ds
	return m
}

// The Markdown of a diff has only headings, paragraphs, quotes and tables, whatever its texts contain, and fits into a comment.
func TestDiffMarkdown(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3000} {
		const most = 60_000
		out := view.DiffMarkdown(hostileMeaning(t, n), most)
		assert.LessOrEqual(t, len(out), most)
		assert.True(t, utf8.ValidString(out))
		assert.Equal(t, n > 1, strings.HasSuffix(out, "The diff is longer than a comment: its end is left out.\n"))
		md := goldmark.New(goldmark.WithExtensions(extension.GFM))
		headings := 0
		err := ast.Walk(md.Parser().Parse(text.NewReader([]byte(out))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch kind := n.Kind().String(); kind {
			case "Heading":
				if entering {
					headings++
				}
			case "Document", "Paragraph", "Blockquote", "Text", "Table", "TableHeader", "TableRow", "TableCell", "TextBlock", "String":
			default:
				t.Errorf("the document has a %s", kind)
			}
			return ast.WalkContinue, nil
		})
		require.NoError(t, err)
		assert.LessOrEqual(t, headings, 7)
		for _, bad := range []string{"<b>", "](http", "@us", "\x1b", "::add-mask::"} {
			assert.NotContains(t, out, bad)
		}
	}
}

// Text and JSON of a diff are escaped, too.
func TestDiffText(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	view.NewScreen(&out, 400, false).Meaning(hostileMeaning(t, 100))
	assert.NotContains(t, out.String(), "\x1b")
	assert.NotContains(t, out.String(), " ::add-mask::")
	assert.Equal(t, 100, strings.Count(out.String(), "- lossless "), "every class that stops being lossless is listed")
	assert.Contains(t, out.String(), "--format json has them all")
	doc := view.DiffJSON(hostileMeaning(t, 1))
	assert.NotContains(t, doc.New[0].Message+doc.New[0].File+doc.Effects[0].What+doc.Effects[0].On[0].Ports[0], "\x1b")
}
