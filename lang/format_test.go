package lang

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/parse"
)

func TestFormat(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{
			"levels, alignment, end", "a={\n  b   =1\n}\n\nswitch   \"x\" {\nmodel=\"y\"\n long_name = 1 # c\n}\n\n\n",
			"a = {\n  b = 1\n}\n\nswitch \"x\" {\n  model     = \"y\"\n  long_name = 1 # c\n}\n",
		},
		{"order and empty lines stay", "b=2\n\n\na=1\n", "b = 2\n\n\na = 1\n"},
		{
			"comments stay where they are", "# one\n//two\na=1 //three\nbb = 2 # four\n/* five\n   six */\nc = [ # seven\n1,\n# eight\n]",
			"# one\n//two\na  = 1 //three\nbb = 2 # four\n/* five\n   six */\nc = [ # seven\n  1,\n  # eight\n]\n",
		},
		{"templates", "a=\"${ 1+ 2 }  x\"\n", "a = \"${1 + 2}  x\"\n"},
		{"heredocs stay as they are", "a = <<-EOT\n   x  \n\n     EOT\nbb=1\n", "a  = <<-EOT\n   x  \n\n     EOT\nbb = 1\n"},
		{"a block on one line", "host \"x\"   { names=\"a\" }\n", "host \"x\" { names = \"a\" }\n"},
		{"CRLF stays", "a=1\r\nlong =2\r\n", "a    = 1\r\nlong = 2\r\n"},
		{"CRLF, and the last line without", "a=1\r\nlong =2", "a    = 1\r\nlong = 2\r\n"},
		{"each line end stays", "a=1\r\nlong =2\n", "a    = 1\r\nlong = 2\n"},
		{"a byte order mark goes", "\ufeffa=1\n", "a = 1\n"},
		{"a comment alone", "#x", "#x\n"},
		{"nothing", "", ""},
		{"nothing but space", " \t\r\n \n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, ds := Format("x.hcl", []byte(tt.src))
			require.Empty(t, ds)
			assert.Equal(t, tt.want, string(out))
			assertFormatted(t, []byte(tt.src), out)
		})
	}
}

// Text that is not a valid fabric file is not formatted.
func TestFormatRefuses(t *testing.T) {
	for code, src := range map[string]string{
		"syntax":       "a = ",
		"too-large":    strings.Repeat("#", parse.MaxFile+1),
		"invalid-utf8": "a = \"\xff\"\n",
	} {
		out, ds := Format("x.hcl", []byte(src))
		require.Nil(t, out, code)
		require.Len(t, ds, 1, code)
		require.Equal(t, code, ds[0].Code)
	}
}

// tokens returns the tokens of a file, without spaces, line ends and the ends of comments.
func tokens(src []byte) (out []string) {
	lexed, _ := hclsyntax.LexConfig(bytes.TrimPrefix(src, []byte("\ufeff")), "x.hcl", hcl.InitialPos)
	for _, t := range lexed {
		text := string(t.Bytes)
		switch t.Type {
		case hclsyntax.TokenNewline, hclsyntax.TokenEOF:
			continue
		case hclsyntax.TokenComment:
			text = strings.TrimRight(text, "\r\n\t ")
		case hclsyntax.TokenCHeredoc:
			text = strings.TrimSpace(text) // a comment may have any indentation
		}
		out = append(out, string(t.Type)+text)
	}
	return out
}

// assertFormatted checks the promises of [Format] for out, the canonical form of src.
func assertFormatted(t testing.TB, src, out []byte) {
	t.Helper()
	again, ds := Format("x.hcl", out)
	require.Empty(t, ds)
	require.Equal(t, string(out), string(again), "formatting the result changes nothing: %q", src)
	require.Equal(t, tokens(src), tokens(out), "the same words: %q to %q", src, out)
	if len(out) > 0 {
		require.True(t, bytes.HasSuffix(out, []byte("\n")) && !bytes.HasSuffix(out, []byte("\n\n")), "one newline at the end: %q", out)
	}
}

// respaced returns src with other spaces between its tokens, wherever spaces have no meaning.
func respaced(r *rand.Rand, src []byte) []byte {
	lexed, _ := hclsyntax.LexConfig(src, "x.hcl", hcl.InitialPos)
	var out []byte
	text, end := 0, 0 // number of strings around the token
	for i, t := range lexed {
		between := src[end:t.Range.Start.Byte]
		switch {
		case text > 0 || i == 0 || t.Type == hclsyntax.TokenOHeredoc && len(between) == 0:
			out = append(out, between...)
		case len(between) > 0 || out[len(out)-1] == '\n':
			out = append(out, strings.Repeat(" ", 1+r.IntN(4))...)
		default:
			out = append(out, strings.Repeat(" ", r.IntN(2))...)
		}
		out = append(out, t.Bytes...)
		switch t.Type {
		case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
			text++
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			text--
		}
		end = t.Range.End.Byte
	}
	return out
}

// Texts that differ only in spaces have the same canonical form.
func TestFormatIsCanonical(t *testing.T) {
	files, err := filepath.Glob("../examples/*/*.hcl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		want, ds := Format(name, src)
		require.Empty(t, ds)
		require.Equal(t, string(want), string(src), "%s is in canonical form", name)
		for range 20 {
			other := respaced(r, src)
			require.NotEqual(t, string(src), string(other))
			got, ds := Format(name, other)
			require.Empty(t, ds, string(other))
			require.Equal(t, string(want), string(got), string(other))
		}
	}
}

func FuzzFormat(f *testing.F) {
	addFabrics(f, func(main, _ []byte) { f.Add(main) })
	f.Add([]byte("a = <<-EOT\r\n  ${ x }\n  %{ if y ~} z %{ endif }\n  EOT\n/* c */ b = [for k, v in {a=1}: v if !(-v > 1)]... # d\r\n"))
	f.Add([]byte("a=x ?y : z[\"b\"][*].c\n  b=f(1,2...)\n\n\n\n# c\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		before := allocated()
		out, ds := Format("x.hcl", src)
		if used := allocated() - before; used > most(len(src)) {
			t.Fatalf("%d bytes of input made rocec ask for %d MiB", len(src), used>>20)
		}
		s := &Source{Files: map[string][]byte{"x.hcl": src}}
		for _, d := range ds {
			checkPlaces(t, "fuzz", s, d)
		}
		if !ds.HasErrors() {
			assertFormatted(t, src, out)
		}
	})
}
