package validate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/validate"
)

// fixture compiles testdata/CODE/NAME.hcl, an excerpt that a background completes, and returns it with its text.
func fixture(t *testing.T, code, name string) (*ir.Fabric, string, *langtest.Woven) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", code, name+".hcl"))
	require.NoError(t, err, "every check has a folder")
	w, err := langtest.Complete(string(text))
	require.NoError(t, err, "%s/%s.hcl", code, name)
	return compilertest.Compile(t, w.String()), string(text), w
}

// TestChecks runs all checks on testdata/CODE/bad.hcl and good.hcl. In bad.hcl every diagnostic must match a want comment on its line, and
// every want comment a diagnostic. The check of that code must have at least one. good.hcl must have no findings.
func TestChecks(t *testing.T) {
	for _, c := range validate.Checks {
		t.Run(c.Code, func(t *testing.T) {
			bad, text, w := fixture(t, c.Code, "bad")
			wants := langtest.Wants(text)
			own := false
			for _, d := range validate.Run(bad, nil).Diagnostics {
				text := d.Code + ": " + d.Detail
				line := w.Line(d.At.Start.Byte)
				i := slices.IndexFunc(wants[line], func(re *regexp.Regexp) bool { return re.MatchString(text) })
				if i < 0 {
					t.Errorf("bad.hcl: unexpected, %s: %s", where(w, d), text)
					continue
				}
				wants[line] = slices.Delete(wants[line], i, i+1)
				own = own || d.Code == c.Code
				assert.Equal(t, checkOf(d.Code).Summary, d.Summary)
				if checkOf(d.Code).OnHop && !d.Aside {
					assertIntents(t, d)
				}
			}
			for line, left := range wants {
				for _, re := range left {
					t.Errorf("bad.hcl: not found, line %d: %s", line, re)
				}
			}
			assert.True(t, own, "bad.hcl shows what %s finds", c.Code)

			good, _, w := fixture(t, c.Code, "good")
			for _, d := range validate.Run(good, nil).Diagnostics {
				t.Errorf("good.hcl: unexpected, %s: %s: %s", where(w, d), d.Code, d.Detail)
			}
		})
	}
}

// where returns the line of a diagnostic in a fixture, or in its background.
func where(w *langtest.Woven, d *diag.Diagnostic) string {
	at := d.At.Start.Byte
	if line := w.Line(at); line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	text := w.String()
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return fmt.Sprintf("at %q of the background (a fixture that repeats the block can have a want there)", strings.TrimSpace(line))
}

func checkOf(code string) *validate.Check {
	i := slices.IndexFunc(validate.Checks, func(c *validate.Check) bool { return c.Code == code })
	return validate.Checks[i]
}

// assertIntents requires each roce block of a diagnostic's Detail in its Intents. trace chooses among several findings of a line by
// Intents.
func assertIntents(t *testing.T, d *diag.Diagnostic) {
	t.Helper()
	for _, found := range regexp.MustCompile(`\b[Rr]oce "([^"]+)"`).FindAllStringSubmatch(d.Detail, -1) {
		assert.Contains(t, d.Intents, found[1], "the finding lacks .About(in.Name): %s: %s", d.Code, d.Detail)
	}
}

// TestTable checks the table: documented rows, stable codes, no folder without a row.
func TestTable(t *testing.T) {
	codes := map[string]bool{}
	for _, c := range validate.Checks {
		assert.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, c.Code)
		assert.False(t, codes[c.Code], "%s is in the table twice", c.Code)
		codes[c.Code] = true
		assert.NotEmpty(t, c.Summary, c.Code)
		assert.False(t, strings.HasSuffix(c.Summary, "."), c.Code)
		assert.NotNil(t, c.Run, c.Code)
	}
	dirs, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, d := range dirs {
		assert.True(t, codes[d.Name()] || d.Name() == "rapid", "testdata/%s has no check", d.Name())
	}
}
