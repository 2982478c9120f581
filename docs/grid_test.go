package docs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// outline lists the nodes of a document, one per line, with the text of the cells.
func outline(t *testing.T, doc ast.Node, src []byte) (out []string) {
	t.Helper()
	require.NoError(t, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		kind := n.Kind().String()
		switch {
		case !entering || n.Type() == ast.TypeInline:
			return ast.WalkContinue, nil
		case kind == "TableHeader":
			kind = "TableRow"
		case kind == "TableCell":
			kind = fmt.Sprintf("%s %s", kind, n.Lines().Value(src))
		}
		out = append(out, kind)
		return ast.WalkContinue, nil
	}))
	return out
}

// TestTables compares the tables of every page with those of the extension of goldmark.
func TestTables(t *testing.T) {
	theirs := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	texts := []string{
		"| a | b |\n| --- | :-: |\n| 1 |\n| 1 | 2 | 3 |\n|  | x \\| y |\n", "a | b\n--- | ---\nc | d", "| a |\n| -- |", "| a | b |\n| --- |\n",
		"- | a | b |\n  | --- | --- |\n  | c | d |\n", "> | a |\n> | --- |\n", "| a | b |\n| -x- | --- |\n", "| a |\n|---|\n| `x\\|y` |\ntext\n\nafter",
	}
	rows := 0
	for _, p := range Pages() {
		texts = append(texts, p.Body)
	}
	for _, s := range texts {
		src := []byte(s)
		got := outline(t, parse(src), src)
		assert.Equal(t, outline(t, theirs.Parse(text.NewReader(src)), src), got, s)
		for _, line := range got {
			if line == "TableRow" {
				rows++
			}
		}
	}
	assert.Greater(t, rows, 500)
}
