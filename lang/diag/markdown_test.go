package diag

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// Text from outside stays text in a Markdown document: it becomes no link, code, HTML, image, list or cell.
func TestMarkdownIsText(t *testing.T) {
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	plain := func(t require.TestingT, s string) {
		src := []byte("Note: " + Markdown(s) + ".\n\n| a | b |\n| --- | --- |\n| " + Markdown(s) + " | end |\n")
		blocks, cells := 0, 0
		err := ast.Walk(parser.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n.Kind().String() {
			case "Document", "TableHeader", "TableRow":
			case "Paragraph", "Table":
				blocks++
			case "TableCell":
				cells++
			case "Text", "String":
			default:
				require.Fail(t, "markup", "%s in %q", n.Kind(), src)
			}
			return ast.WalkContinue, nil
		})
		require.NoError(t, err)
		require.Equal(t, 2, blocks, "%q", src)
		require.Equal(t, 4, cells, "%q", src)
	}
	for _, s := range []string{
		"", "x", "a|b", "a\\|b", "`x`", "<script>x</script>", "<!-- x", "[a](https://evil.example)", "![a](b)", "https://evil.example",
		"www.evil.example",
		"@user", "a@b.example", "**x**", "_x_", "~~x~~", "\n\n# x\n", "\n```\nx", "&lt;", "[a]: b", "a\\", "* x", "1. x",
	} {
		plain(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		plain(t, rapid.StringOf(rapid.RuneFrom([]rune("abw |\\`*_{}[]()<>#+!~&@$\"':/.-=\n\t0"))).Draw(t, "s"))
	})
}
