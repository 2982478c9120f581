package lang

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// A fabric that is wrong everywhere looks for what was meant only so often: each time it looks at all names.
func TestManyUnknownNames(t *testing.T) {
	const n = 2000
	var b strings.Builder
	b.WriteString("fabric \"f\" {\n}\nlocals {\n")
	for i := range n {
		fmt.Fprintf(&b, "  name%05d = 1\n  x%05d = local.nbme%05d\n", i, i, i)
	}
	b.WriteString("}\n")
	l := newLoader(fstest.MapFS{"a.hcl": {Data: []byte(b.String())}}, ".", Options{})
	l.load()
	require.Len(t, l.diags, n, "every mistake is still reported")
	assert.Contains(t, l.diags[0].Detail, `Did you mean "name00000"?`)
	assert.LessOrEqual(t, l.namesSeen, maxSeen+2*n)
	assert.NotContains(t, l.diags[n-1].Detail, "Did you mean")
}

// Values are shown to editors, and only as many as somebody may look at.
func TestMostShown(t *testing.T) {
	var b strings.Builder
	b.WriteString("fabric \"f\" {\n}\nlocals {\n")
	for i := range mostShown + 10 {
		fmt.Fprintf(&b, "  x%05d = 1\n", i)
	}
	b.WriteString("}\n")
	src, ds := Load(fstest.MapFS{"a.hcl": {Data: []byte(b.String())}}, ".", Options{})
	require.Empty(t, ds)
	assert.Len(t, src.Values, mostShown)
}

// Two comments for one finding: the first one silences it, and the second one is for nothing.
func TestIgnoredTwice(t *testing.T) {
	src, ds := Load(fstest.MapFS{"a.hcl": {Data: []byte("fabric \"f\" {\n  # rocec:ignore x-code one\n  # rocec:ignore x-code two\n  mtu = 9216\n  # rocec:ignore x-code three\n}\n")}}, ".", Options{})
	require.Len(t, ds, 1) // nothing begins behind the third
	require.Len(t, src.Ignores, 2)
	found := diag.List{{Severity: diag.Warning, Code: "x-code", At: src.Ignores[0].Covers}}
	kept, ignored := src.Suppress(found, map[string]Ignorable{"x-code": Always}, true)
	require.Len(t, ignored, 1)
	assert.Equal(t, "one", ignored[0].By.Reason)
	require.Len(t, kept, 1)
	assert.Equal(t, "ignore-unused", kept[0].Code)
	assert.Equal(t, 3, kept[0].At.Start.Line)
}

// What is wrong with a file does not depend on where it is cut into pieces.
func TestMistakesInPieces(t *testing.T) {
	for _, bad := range []string{
		"switch \"s\"\n{\n  model = 1\n}\n",
		"roce\n\"storage\" {\n}\n",
		"switch \"s\" {\n  model = 1\n  model = 2\n}\nswitch \"t\"\n{\n}\n",
		"locals { a = 2* }\nlocals {\n  b = \n}\n",
	} {
		for _, size := range []int{0, pieceSize - 10, pieceSize, 3 * pieceSize} {
			src := []byte(strings.Repeat("#\n", size/2) + bad)
			var want, got diag.List
			parseFile("a.hcl", src, &want)
			parsePieces("a.hcl", src, func(_ *hclsyntax.Body, ds diag.List) { got = append(got, ds...) })
			want.Sort()
			got.Sort()
			require.NotEmpty(t, want)
			assert.Equal(t, want, got, bad)
		}
	}
}
