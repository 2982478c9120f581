package topology

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"
)

func TestPlaces(t *testing.T) {
	const text = "one\nzw\u00f6\u6f22 e\u0301x\r\n\n\U0001f1e9\U0001f1eay"
	p := newPlaces("f", text)
	for _, c := range []struct {
		needle       string
		line, column int
	}{
		{"y", 4, 2}, {"one", 1, 1}, {"x", 2, 7}, {"\u6f22", 2, 4}, {"zw", 2, 1}, {"y", 4, 2}, {"\U0001f1e9", 4, 1},
	} {
		i := strings.Index(text, c.needle)
		r := p.at(i, i+len(c.needle))
		require.Equal(t, "f", r.Filename)
		require.Equal(t, hcl.Pos{Line: c.line, Column: c.column, Byte: i}, r.Start, c.needle)
		require.Equal(t, c.needle, text[r.Start.Byte:r.End.Byte])
	}
	end := p.at(len(text), len(text)+9)
	require.Equal(t, hcl.Pos{Line: 4, Column: 3, Byte: len(text)}, end.Start)
	require.Equal(t, end.Start, end.End)
	require.Equal(t, 0, p.at(-4, 0).Start.Byte)
	require.Equal(t, hcl.InitialPos, newPlaces("f", "").at(0, 1).End)
}

// Far into a very long line columns may be bytes, but places stay in their line, and the time is linear.
func TestPlacesOfLongLines(t *testing.T) {
	text := strings.Repeat("\u00e9x", 1<<20) + "\nend"
	p := newPlaces("f", text)
	for i := 0; i < len(text)-4; i += 3 {
		if p.position(i).Line != 1 {
			t.Fatal(i)
		}
	}
	require.Equal(t, 2, p.position(len(text)-1).Line)
}

// For tokens of hcl, places returns the ranges of hcl. In any text, lines are counted and columns stay in their line.
func FuzzPlaces(f *testing.F) {
	f.Add("fabric \"r\u00efng\" {\r\n  mtu = 9216 # \u6f22\u5b57 e\u0301\n}\n", 9)
	f.Add("\U0001f1e9\U0001f1ea\u200d\n\n\ta = 1", 4)
	f.Add("a = {\n\tb = \"${c}\"\r\n}", 2)
	f.Fuzz(func(t *testing.T, text string, at int) {
		p := newPlaces("f", text)
		at = min(max(at, 0), len(text))
		pos := p.at(at, at).Start
		line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
		require.Equal(t, strings.Count(text[:at], "\n")+1, pos.Line)
		require.LessOrEqual(t, pos.Column, len(line)+1)
		require.GreaterOrEqual(t, pos.Column, min(len(line), 1)+1)
		if isASCII(text) {
			tokens, _ := hclsyntax.LexConfig([]byte(text), "f", hcl.InitialPos)
			for _, k := range tokens {
				require.Equal(t, k.Range, p.at(k.Range.Start.Byte, k.Range.End.Byte))
			}
		}
	})
}
