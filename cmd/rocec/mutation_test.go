package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/validate"
)

// fault is one mistake in a sound fabric, and the check meant for it.
type fault struct {
	code string   // of the only check that may find it
	base string   // a row of sound
	edit []string // pairs of old and new text: the fabric contains each old text exactly once; an empty old text appends the new one
	at   string   // the source text at the place of the finding
	more []string // codes of further findings that follow from the fault
	args []string
}

// sound has the fabrics for planted faults. validate finds only the codes of noted in them.
var sound = map[string]struct {
	args  []string
	noted []string
}{
	"rack-v1-pfc":          {},
	"rack-by-files":        {},
	"clos-v2-ecn":          {noted: []string{"incast", "oversubscription"}},
	"pods-ebgp":            {},
	"bonded-pair":          {},
	"soft-roce":            {noted: []string{"host-soft-roce"}},
	"sonic-leaf-spine":     {noted: []string{"oversubscription"}},
	"storage-and-training": {args: []string{"--var", "tor_version=4.3.0"}, noted: []string{"cumulus-weights", "oversubscription"}},
}

// found is a finding of validate.
type found struct {
	Diagnostics []struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
		Range  *struct {
			Filename string `json:"filename"`
			Start    struct {
				Byte int `json:"byte"`
			} `json:"start"`
		} `json:"range"`
	} `json:"diagnostics"`
}

func (f *found) codes() []string {
	out := []string{}
	for _, d := range f.Diagnostics {
		out = append(out, d.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func saidOf(t *testing.T, dir string, args ...string) *found {
	t.Helper()
	_, stdout, stderr := rocec(t, append([]string{"validate", "--format", "json", dir}, args...)...)
	require.Empty(t, stderr)
	var f found
	require.NoError(t, json.Unmarshal([]byte(stdout), &f))
	return &f
}

// TestSound: a sound fabric has no findings except the codes in noted.
func TestSound(t *testing.T) {
	t.Chdir("../..")
	for name, s := range sound {
		assert.ElementsMatch(t, s.noted, saidOf(t, filepath.Join("examples", name), s.args...).codes(), name)
	}
}

// TestFaults plants single faults in sound fabrics. Only the check for the fault finds it, at the right place.
func TestFaults(t *testing.T) {
	t.Chdir("../..")
	caught := map[string]bool{}
	for _, f := range faults {
		caught[f.code] = true
		t.Run(f.code, func(t *testing.T) {
			base, ok := sound[f.base]
			require.True(t, ok, "no sound fabric %q", f.base)
			dir := t.TempDir()
			plant(t, filepath.Join("examples", f.base), dir, f.edit)
			args := slices.Concat(base.args, f.args)
			langtest.Dump(t, os.DirFS(dir), args...)

			got := saidOf(t, dir, args...)
			want := append(slices.Concat(base.noted, f.more), f.code)
			codes := got.codes()
			for _, code := range codes {
				assert.Contains(t, want, code)
			}
			require.Contains(t, codes, f.code)
			var places []string
			for _, d := range got.Diagnostics {
				if d.Code == f.code {
					require.NotNil(t, d.Range, "the finding has a place")
					src, err := os.ReadFile(d.Range.Filename)
					require.NoError(t, err)
					place, _, _ := strings.Cut(string(src[d.Range.Start.Byte:]), "\n")
					places = append(places, place)
				}
			}
			assert.True(t, slices.ContainsFunc(places, func(p string) bool { return strings.HasPrefix(p, f.at) }), "%q is not at %q", places, f.at)
		})
	}
	assert.GreaterOrEqual(t, len(caught), 90)
}

// TestFixtures runs the fixture of every check as a person would. bad.hcl plants faults in a sound background. The checks find exactly
// the planted faults, each on its line.
func TestFixtures(t *testing.T) {
	codes := map[string]bool{}
	for _, c := range validate.Checks {
		codes[c.Code] = true
	}
	for _, c := range validate.Checks {
		t.Run(c.Code, func(t *testing.T) {
			dir, text, w := badFixture(t, c.Code)
			wants := langtest.Wants(text)
			for _, d := range saidOf(t, dir).Diagnostics {
				if !codes[d.Code] {
					continue // the target's own tests cover its findings
				}
				require.NotNil(t, d.Range, d.Code)
				line := w.Line(d.Range.Start.Byte)
				i := slices.IndexFunc(wants[line], func(re *regexp.Regexp) bool { return re.MatchString(d.Code + ": " + d.Detail) })
				if assert.GreaterOrEqual(t, i, 0, "line %d: not wanted: %s", line, d.Code) {
					wants[line] = slices.Delete(wants[line], i, i+1)
				}
			}
			for line, left := range wants {
				assert.Empty(t, left, "line %d: not found", line)
			}
		})
	}
}

// badFixture writes the fabric that a check's bad fixture makes from its background, and returns it with the fixture's text.
func badFixture(t *testing.T, code string) (dir, text string, w *langtest.Woven) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("../../validate/testdata", code, "bad.hcl"))
	require.NoError(t, err)
	w, err = langtest.Complete(string(src))
	require.NoError(t, err)
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, langtest.FabricFile), []byte(w.String()), 0o600))
	return dir, string(src), w
}

// plant copies a fabric and edits the copy.
func plant(t *testing.T, from, to string, edit []string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	files, err := filepath.Glob(filepath.Join(to, "*.hcl"))
	require.NoError(t, err)
	for i := 0; i < len(edit); i += 2 {
		edited := 0
		for _, name := range files {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			next := strings.ReplaceAll(string(src), edit[i], edit[i+1])
			if edit[i] == "" {
				next = string(src) + "\n" + edit[i+1] + "\n"
			}
			if edit[i] == "" && edited > 0 || edit[i] != "" && !strings.Contains(string(src), edit[i]) {
				continue
			}
			require.True(t, edit[i] == "" || strings.Count(string(src), edit[i]) == 1, "%q occurs several times in %s", edit[i], name)
			require.NoError(t, os.WriteFile(name, []byte(next), 0o600))
			edited++
		}
		require.Equal(t, 1, edited, "%q does not occur exactly once in the fabric", edit[i])
	}
}
