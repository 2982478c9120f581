package lang

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// blockWith returns a fabric that contains a block, at its place, with one line in the block.
func blockWith(d BlockDoc, line string) string {
	label := func(path string) string {
		for _, b := range Blocks() {
			if b.Path == path && b.Label != "" {
				return " \"x1\""
			}
		}
		return ""
	}
	var open, done strings.Builder
	path := ""
	for i, kind := range strings.Split(d.Path, ".") {
		path = strings.TrimPrefix(path+"."+kind, ".")
		fmt.Fprintf(&open, "%s%s%s {\n", strings.Repeat("  ", i), kind, label(path))
		done.WriteString("}\n")
	}
	src := open.String() + line + "\n" + done.String()
	if d.Path != "fabric" {
		src += "fabric \"f\" {}\n"
	}
	return src
}

// inLine returns the diagnostics that point into the line of an attribute.
func inLine(s *Source, ds diag.List, line string) (out diag.List) {
	for _, d := range ds {
		src := string(s.Files[d.At.Filename])
		at := strings.Index(src, line)
		if d.At.Filename != "" && at <= d.At.Start.Byte && d.At.End.Byte <= at+len(line) {
			out = append(out, d)
		}
	}
	return out
}

// TestEveryAttribute misspells every attribute of every block, and then gives it a value of a wrong type. The first must be one mistake
// at the name, the second one mistake at the value.
func TestEveryAttribute(t *testing.T) {
	attrs := 0
	for _, d := range Blocks() {
		if d.Path == "module" { // its attributes are variables of the module
			continue
		}
		for _, a := range d.Attrs {
			attrs++
			name := d.Path + "." + a.Name
			for _, wrong := range []string{a.Name + a.Name[len(a.Name)-1:], strings.ToUpper(a.Name)} {
				line := wrong + " = 1"
				s, ds := loadText(t, blockWith(d, line), Options{})
				got := inLine(s, ds, line)
				require.Len(t, got, 1, "%s: %s", name, show(s, ds))
				assert.Equal(t, "unknown-attribute", got[0].Code, name)
				assert.Equal(t, wrong, place(s, got[0].At), name)
				assert.Contains(t, got[0].Detail, fmt.Sprintf("Did you mean %q?", a.Name), name)
				checkMessage(t, name, s, got[0])
				for _, other := range ds {
					assert.NotContains(t, other.Detail, fmt.Sprintf("needs %s ", a.Name), "%s: misspelt, and missing too", name)
				}
			}

			value := "{ wrong = [[]] }"
			if strings.HasPrefix(a.Type, "map") {
				value = "[[true]]"
			}
			if slices.Contains([]string{"any"}, a.Type) || strings.HasPrefix(d.Path, "variable.validation") {
				continue // any value is allowed, or the value is checked later
			}
			loadText(t, blockWith(d, a.Name+" = []"), Options{}) // the value may be valid; it must not crash
			if strings.Contains(a.Type, "list") {
				line := a.Name + " = [true, [[{}]], null]"
				s, ds := loadText(t, blockWith(d, line), Options{})
				require.NotEmpty(t, inLine(s, ds, line), "%s: %s", name, show(s, ds))
			}
			line := a.Name + " = " + value
			s, ds := loadText(t, blockWith(d, line), Options{})
			got := inLine(s, ds, line)
			require.Len(t, got, 1, "%s: %s", name, show(s, ds))
			assert.Equal(t, "wrong-type", got[0].Code, name)
			assert.Equal(t, value, place(s, got[0].At), name)
			checkMessage(t, name, s, got[0])
		}
		if d.ForEach {
			line := "for_each = 5"
			s, ds := loadText(t, blockWith(d, line), Options{})
			got := inLine(s, ds, line)
			require.Len(t, got, 1, "%s: %s", d.Path, show(s, ds))
			assert.Equal(t, "bad-for-each", got[0].Code, d.Path)
			assert.Equal(t, "5", place(s, got[0].At), d.Path)
		}
	}
	require.Greater(t, attrs, 80)
}
