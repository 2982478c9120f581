package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lineOf computes positions in another way: it splits the text at line ends, and counts by unicode/utf16.
func lineOf(src string, offset int) position {
	head := src[:offset]
	if strings.HasSuffix(head, "\r") && strings.HasPrefix(src[offset:], "\n") {
		head = head[:len(head)-1] + "x" // between \r and \n is not a line end
	}
	head = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(head)
	i := strings.LastIndexByte(head, '\n')
	return position{strings.Count(head, "\n"), len(utf16.Encode([]rune(head[i+1:])))}
}

func anyText(t *rapid.T, name string) string {
	return rapid.StringOfN(rapid.SampledFrom([]rune("ab \"\t\n\r\né𝄞漢{}=")), 0, 60, -1).Draw(t, name)
}

func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := anyText(t, "src")
		for _, enc := range []encoding{utf16Encoding, utf8Encoding} {
			x := newText([]byte(src), enc)
			for i := range len(src) + 1 {
				if i < len(src) && !utf8.RuneStart(src[i]) {
					continue
				}
				p := x.position(i)
				if enc == utf16Encoding {
					require.Equal(t, lineOf(src, i), p, "%q %d", src, i)
				}
				back := x.offset(p)
				if between := i > 0 && src[i-1] == '\r' && i < len(src) && src[i] == '\n'; between {
					require.Equal(t, i-1, back) // the end of the line
				} else {
					require.Equal(t, i, back, "%q %v", src, p)
				}
			}
			for _, p := range []position{{-1, 0}, {0, -1}, {0, 999}, {999, 0}} {
				require.LessOrEqual(t, x.offset(p), len(src))
				require.GreaterOrEqual(t, x.offset(p), 0)
			}
		}
	})
}

// A position inside of a surrogate pair is the beginning of the character.
func TestHalfACharacter(t *testing.T) {
	x := newText([]byte("a𝄞b"), utf16Encoding)
	require.Equal(t, 1, x.offset(position{0, 1}))
	require.Equal(t, 1, x.offset(position{0, 2}))
	require.Equal(t, 5, x.offset(position{0, 3}))
}

// apply applies edits of the protocol. All of their places refer to the original text.
func apply(src string, edits []textEdit) string {
	x := newText([]byte(src), utf16Encoding)
	for i := len(edits) - 1; i >= 0; i-- {
		x = newText([]byte(string(x.src[:x.offset(edits[i].Range.Start)])+edits[i].NewText+string(x.src[x.offset(edits[i].Range.End):])),
			utf16Encoding)
	}
	return string(x.src)
}

func TestEditsMakeTheOtherText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyText(t, "a"), anyText(t, "b")
		a, b = strings.ReplaceAll(a, "\r", ""), strings.ReplaceAll(b, "\r", "")
		x := newText([]byte(a), utf16Encoding)
		require.Equal(t, b, apply(a, x.edits([]byte(b))))
		require.Empty(t, x.edits([]byte(a)))
	})
}

func TestEditsAreSmall(t *testing.T) {
	x := newText([]byte("a = 1\nbb = 2\nc = 3\n"), utf16Encoding)
	require.Equal(t, []textEdit{
		{textRange{position{0, 2}, position{0, 2}}, " "}, {textRange{position{2, 2}, position{2, 2}}, " "},
	}, x.edits([]byte("a  = 1\nbb = 2\nc  = 3\n")))
	require.Equal(t, []textEdit{{textRange{position{3, 0}, position{3, 0}}, "d = 4\n"}}, x.edits([]byte("a = 1\nbb = 2\nc = 3\nd = 4\n")))
}

func TestURIs(t *testing.T) {
	for _, tc := range []struct{ uri, name, back string }{
		{"file:///home/a/b.hcl", "/home/a/b.hcl", ""},
		{"file:///a%20b/%C3%A9%23.hcl", "/a b/é#.hcl", ""},
		{"file:///a b/c.hcl", "/a b/c.hcl", "file:///a%20b/c.hcl"},
		{"file://localhost/a.hcl", "/a.hcl", "file:///a.hcl"},
		{"file:///c:/x/y.hcl", "c:/x/y.hcl", ""},
		{"file:///c%3A/x/y.hcl", "c:/x/y.hcl", "file:///c:/x/y.hcl"},
		{"file://server/share/y.hcl", "//server/share/y.hcl", ""},
		{"file:///a/../b.hcl", "/b.hcl", "file:///b.hcl"},
		{"untitled:Untitled-1", "untitled:Untitled-1", ""},
		{"file:///%zz", "file:///%zz", ""},
		{"", "", ""},
	} {
		require.Equal(t, tc.name, fileName(tc.uri), tc.uri)
		want := tc.back
		if want == "" {
			want = tc.uri
		}
		require.Equal(t, want, fileURI(tc.name))
	}
}
