package lang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

func TestIgnore(t *testing.T) {
	src := `fabric "f" {}
# Leafs.
# rocec:ignore one storage never sends across
# More about them.
switch "leaf" {
  // rocec:ignore two, it is known
  # rocec:ignore three known too
  names = "leaf[1-2]"
  model = "sn2700" # rocec:ignore one behind
  # rocec:ignore
  tier = 1
  # rocec:ignore four
  asn = 1
  # rocec:ignored words that only look like it
  # Rocec: ignore one misspelt
  # rocec:ignore five nothing follows

  ssh { port = 22 }
  /* rocec:ignore one in a block */
  mlag = "a"
}
# This comment speaks of rocec:ignore only.
# rocec:ignore one short block
host "gpu" { names = "gpu[1-2]" }
`
	s, ds := loadText(t, src, Options{})
	var got []string
	for _, d := range ds {
		got = append(got, d.Code+" "+place(s, d.At)+": "+d.Detail)
	}
	require.Len(t, got, 6, show(s, ds))
	assert.Contains(t, got[0], "shares its line with other text")
	assert.Contains(t, got[1], "names no code")
	assert.Contains(t, got[2], "ignore-invalid # rocec:ignore four: The comment gives no reason")
	assert.Contains(t, got[3], "no effect in this spelling")
	assert.Contains(t, got[4], "No attribute or block begins on the next line")
	assert.Contains(t, got[5], "Write this comment with #")
	var covers []string
	for _, g := range s.Ignores {
		covers = append(covers, g.Code+"|"+g.Reason+"|"+place(s, g.Covers))
	}
	assert.Equal(t, []string{
		`one|storage never sends across|switch "leaf"`,
		`two,|it is known|names = "leaf[1-2]"`,
		`three|known too|names = "leaf[1-2]"`,
		`one|short block|host "gpu" { names = "gpu[1-2]" }`,
	}, covers)
}

func TestSuppress(t *testing.T) {
	s := mustLoad(t, `fabric "f" {}
# rocec:ignore check it is known
# rocec:ignore warns a warning
# rocec:ignore chekc misspelt
switch "leaf" {
  # rocec:ignore check nothing here
  model = "sn2700"
  # rocec:ignore pfc-loop no way
  # rocec:ignore warns an error
  tier = 1
}
`, Options{})
	kinds := map[string]Ignorable{"check": Always, "warns": UnlessError, "pfc-loop": Never}
	leaf := s.Switches[0]
	var found diag.List
	found.Errorf(leaf.Decl, "check", "s", "silenced")
	found.Warnf(leaf.Decl, "warns", "s", "silenced too")
	found.Errorf(leaf.Tier.At, "warns", "s", "an error of another package")
	found.Errorf(leaf.NameAt, "pfc-loop", "s", "loop")
	kept, ignored := s.Suppress(found, kinds, nil, true)
	require.Len(t, ignored, 2)
	assert.Equal(t, "silenced", ignored[0].Detail)
	assert.Equal(t, "it is known", ignored[0].By.Reason)
	assert.Equal(t, "a warning", ignored[1].By.Reason)
	var codes []string
	for _, d := range kept {
		codes = append(codes, d.Code)
	}
	assert.Equal(t, []string{"ignore-unknown", "pfc-loop", "ignore-unused", "ignore-refused", "ignore-refused", "warns"}, codes)

	later := diag.List{{Severity: diag.Warning, Code: "checks", At: leaf.Decl}, {Severity: diag.Warning, Code: "warns", At: leaf.Decl}}
	kept, ignored = s.Suppress(later,
		map[string]Ignorable{"checks": Always, "marks": Always, "warns": Always, "pfc-loop": Never},
		map[string][]string{"check": {"marks", "checks"}, "chekc": {"marks"}}, true)
	require.Len(t, ignored, 2)
	assert.Equal(t, "it is known", ignored[0].By.Reason, "the code of the comment was merged into that of the finding")
	for _, d := range kept {
		assert.NotEqual(t, "ignore-unknown", d.Code, "a former code is a code")
	}

	kept, _ = s.Suppress(nil, map[string]Ignorable{"check": Always, "chekc": Always, "warns": Always, "pfc-loop": Always}, nil, false)
	assert.Len(t, kept, 1, "a comment is unused only after every check ran; a comment for a loop is always refused")
}
