package main

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/examples"
)

var update = flag.Bool("update", false, "rewrite golden/, generated documents and the transcripts")

// rocec runs the program in the repository's root and returns its exit code and streams.
func rocec(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &person{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(name string) string { return getenv(t, name) }}
	code = run(context.Background(), p, args)
	return code, out.String(), errs.String()
}

// What every example says and writes, folded, against golden/. The review of a compiler change is the diff of that folder.
func TestGolden(t *testing.T) {
	t.Chdir("../..")
	cases := map[string]examples.Variant{} // by the folder in golden/
	for _, v := range examples.Variants {
		cases[v.Name] = v
	}
	entries, err := os.ReadDir("examples")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			cases[e.Name()] = examples.Variant{Name: e.Name(), Example: e.Name()}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			c, out, plain := cases[name], t.TempDir(), filepath.Join(t.TempDir(), "plain")
			dir := filepath.Join("examples", c.Example)
			code, stdout, stderr := rocec(t, append([]string{"validate", "--why", "--color", "never", dir}, c.Args...)...)
			require.Empty(t, stderr)
			require.NoError(t, os.WriteFile(filepath.Join(out, "diagnostics.txt"), []byte(stdout), 0o644))
			for _, build := range [][]string{{"build", "-q", "--fold", "-o", out, dir}, {"build", "-q", "-o", plain, dir}} {
				buildCode, _, stderr := rocec(t, append(build, c.Args...)...)
				require.Equal(t, code, buildCode, "build refuses exactly what validate refuses: %s", stderr)
			}

			golden := filepath.Join("golden", name)
			if *update {
				require.NoError(t, os.RemoveAll(golden))
				require.NoError(t, os.CopyFS(golden, os.DirFS(out)))
			}
			want, got := readTree(t, golden), readTree(t, out)
			require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
			for path := range want {
				require.Equal(t, want[path].text, got[path].text, path)
			}
			if code == exitGood {
				require.Equal(t, readTree(t, plain), unfold(t, got, got[folderIndex].text), "unfolded it is what build writes without --fold")
			}
		})
	}
	if !*update { // nothing lies in golden/ that no example writes
		entries, err := os.ReadDir("golden")
		require.NoError(t, err)
		for _, e := range entries {
			require.Contains(t, cases, e.Name())
		}
	}
}

func readTree(t *testing.T, dir string) map[string]modeAndText {
	t.Helper()
	tree := map[string]modeAndText{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		tree[filepath.ToSlash(rel)] = modeAndText{info.Mode().Perm(), string(data)}
		return err
	}))
	return tree
}

// The verdict each example's first comment states.
func TestExampleVerdicts(t *testing.T) {
	t.Chdir("../..")
	for _, tc := range []struct {
		example string
		args    []string
		code    int
		codes   []string // what must be found; nothing else may be an error
	}{
		{"rack-v1-pfc", nil, exitGood, nil},
		{"clos-v2-ecn", nil, exitGood, nil},
		{"prepared-rack", nil, exitGood, nil},
		{"pause-at-hosts", nil, exitGood, nil},
		{"day-two", nil, exitGood, nil},
		{"soft-roce", nil, exitGood, nil},
		{"storage-and-training", []string{"--var", "tor_version=4.3.0"}, exitGood, nil},
		{"storage-and-training", nil, exitErrors, []string{"cumulus-trust"}},
		{"ring-pfc-loop", nil, exitErrors, []string{"pfc-loop"}},
		{"bad-headroom", nil, exitErrors, []string{"headroom-too-small"}},
		{"bad-mixed-versions", nil, exitErrors, []string{"roce-version-mix"}},
		{"bad-routed-v1", nil, exitErrors, []string{"roce-v1-routed"}},
		{"bad-unmapped-dscp", nil, exitErrors, []string{"cnp-in-lossless-group", "dscp-claimed-twice"}},
	} {
		t.Run(tc.example, func(t *testing.T) {
			a := &app{person: &person{getenv: func(string) string { return "" }}, maxObjects: 1_000_000, budget: defaultBudget}
			for i, arg := range tc.args {
				if i%2 == 1 {
					a.vars = append(a.vars, arg)
				}
			}
			f, err := a.load(filepath.Join("examples", tc.example))
			require.NoError(t, err)
			var errors []string
			for _, d := range f.Diags {
				if d.Severity.String() == "error" && !slices.Contains(errors, d.Code) {
					errors = append(errors, d.Code)
				}
			}
			slices.Sort(errors)
			require.Equal(t, tc.codes, errors)
			code, _, _ := rocec(t, append([]string{"validate", "examples/" + tc.example}, tc.args...)...)
			require.Equal(t, tc.code, code)
		})
	}
}
