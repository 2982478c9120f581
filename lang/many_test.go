package lang

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// The search for similar names is bounded in a fabric with many wrong names, because each search compares all names.
func TestManyUnknownNames(t *testing.T) {
	const n = 2000
	var b strings.Builder
	b.WriteString("fabric \"f\" {\n}\nlocals {\n")
	for i := range n {
		fmt.Fprintf(&b, "  name%05d = 1\n  x%05d = local.nbme%05d\n", i, i, i)
	}
	b.WriteString("}\n")
	l := newLoader(fstest.MapFS{"a.hcl": {Data: []byte(b.String())}}, ".", Options{})
	_, ds := l.load()
	require.Len(t, ds, n, "every mistake is still reported")
	assert.Contains(t, ds[0].Detail, `Did you mean "name00000"?`)
	meant := 0 // each search compares 2n names, and all together at most 200,000
	for _, d := range ds {
		if strings.Contains(d.Detail, "Did you mean") {
			meant++
		}
	}
	assert.LessOrEqual(t, meant, 200_000/(2*n)+1)
	assert.NotContains(t, ds[n-1].Detail, "Did you mean")
}

// Editors show values. Their number is bounded, since a person can read only few.
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

// Of two comments for one finding, the first silences it, and the second is unused.
func TestIgnoredTwice(t *testing.T) {
	src, ds := Load(fstest.MapFS{"a.hcl": {Data: []byte("fabric \"f\" {\n  # rocec:ignore x-code one\n  # rocec:ignore x-code two\n  mtu = " +
		"9216\n  # rocec:ignore x-code three\n}\n")}}, ".", Options{})
	require.Len(t, ds, 1) // no attribute or block follows the third comment
	require.Len(t, src.Ignores, 2)
	found := diag.List{{Severity: diag.Warning, Code: "x-code", At: src.Ignores[0].Covers}}
	kept, ignored := src.Suppress(found, map[string]Ignorable{"x-code": Always}, nil, true)
	require.Len(t, ignored, 1)
	assert.Equal(t, "one", ignored[0].By.Reason)
	require.Len(t, kept, 1)
	assert.Equal(t, "ignore-unused", kept[0].Code)
	assert.Equal(t, 3, kept[0].At.Start.Line)
}
