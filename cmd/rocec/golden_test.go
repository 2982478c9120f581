package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/forms"
	"github.com/rocec/rocec/cmd/internal/forms/formstest"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/examples"
)

var update = flag.Bool("update", false, "rewrite golden/, generated documents and the transcripts")

// rocec runs the program in the repository's root and returns its exit code and streams.
func rocec(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &person.Person{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(name string) string { return getenv(t, name) }}
	code = run(context.Background(), p, args)
	return code, out.String(), errs.String()
}

// goldenShared is the folder of golden/ for contents that several files share. A symbolic link replaces each of those files. A path below
// golden/<name>/ then reads as build --fold writes it, and a change of such a content is one hunk in one file.
const goldenShared = "shared"

// TestGolden compares the output and the folded files of every example with golden/. The review of a compiler change is the diff of that
// folder.
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
	require.NotContains(t, cases, goldenShared)
	golden := map[string]map[string]modeAndText{} // by example, then by path
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		if _, err := os.Stat(filepath.Join("golden", name)); !*update || !errors.Is(err, fs.ErrNotExist) {
			golden[name] = readTree(t, filepath.Join("golden", name))
		}
		t.Run(name, func(t *testing.T) {
			c, out, plain := cases[name], t.TempDir(), filepath.Join(t.TempDir(), "plain")
			dir := filepath.Join("examples", c.Example)
			code, stdout, stderr := rocec(t, append([]string{"validate", "--why", "--color", "never", dir}, c.Args...)...)
			require.Empty(t, stderr)
			require.NoError(t, os.WriteFile(filepath.Join(out, "diagnostics.txt"), []byte(stdout), 0o644))
			for _, build := range [][]string{{"build", "-q", "--fold", "-o", out, dir}, {"build", "-q", "-o", plain, dir}} {
				buildCode, _, stderr := rocec(t, append(build, c.Args...)...)
				require.Equal(t, code, buildCode, "build refuses exactly the fabrics that validate refuses: %s", stderr)
			}

			got := readTree(t, out)
			if *update {
				golden[name] = got
			}
			want := golden[name]
			require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
			for path := range want {
				require.Equal(t, want[path].text, got[path].text, path)
			}
			if code == exit.Good {
				require.Equal(t, readTree(t, plain), formstest.Unfold(t, got, got[forms.FolderIndex].text),
					"unfolded, the tree equals the output of build without --fold")
			}
		})
	}

	laid := layGolden(golden)
	if *update {
		require.NoError(t, os.RemoveAll("golden"))
		for name, e := range laid {
			name = filepath.Join("golden", name)
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			if e.link {
				require.NoError(t, os.Symlink(e.text, name))
				continue
			}
			require.NoError(t, os.WriteFile(name, []byte(e.text), 0o644))
			require.NoError(t, os.Chmod(name, e.mode))
		}
	}
	// The contents were compared above. This part checks the layout: no content occurs twice, no link leaves golden/, and each shared file
	// has a user.
	want := map[string]string{}
	for name, e := range laid {
		if want[name] = "a file"; e.link {
			want[name] = "a link to " + e.text
		}
	}
	require.NoError(t, filepath.WalkDir("golden", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		got := "a file"
		if d.Type() == fs.ModeSymlink {
			to, err := os.Readlink(name)
			require.NoError(t, err)
			got = "a link to " + to
		}
		at := filepath.ToSlash(name[len("golden/"):])
		assert.Equal(t, cmp.Or(want[at], "nothing: no example uses it"), got, "%s: make update writes golden/", name)
		delete(want, at)
		return nil
	}))
	assert.Empty(t, want, "golden/ lacks files: make update writes them")
}

// goldenEntry is a file of golden/ or a symbolic link. The text of a link is its target.
type goldenEntry struct {
	link bool
	modeAndText
}

// layGolden returns the files of golden/, by path, for the output of the examples. A content and mode that several files share gets the
// base name of the first file. A number follows if another content has that name.
func layGolden(examples map[string]map[string]modeAndText) map[string]goldenEntry {
	all := map[string]modeAndText{}
	count := map[modeAndText]int{}
	for example, files := range examples {
		for name, f := range files {
			if f.mode&0o100 != 0 { // git stores only this part of a mode
				f.mode = 0o755
			} else {
				f.mode = 0o644
			}
			all[path.Join(example, name)] = f
			count[f]++
		}
	}
	laid := map[string]goldenEntry{}
	shared, named := map[modeAndText]string{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f := all[name]
		if count[f] == 1 {
			laid[name] = goldenEntry{false, f}
			continue
		}
		to, known := shared[f]
		if !known {
			to = path.Join(goldenShared, path.Base(name))
			for n := 2; named[to]; n++ {
				to = path.Join(goldenShared, fmt.Sprintf("%d-%s", n, path.Base(name)))
			}
			named[to] = true
			shared[f] = to
			laid[to] = goldenEntry{false, f}
		}
		laid[name] = goldenEntry{true, modeAndText{text: strings.Repeat("../", strings.Count(name, "/")) + to}}
	}
	return laid
}

// TestLayGolden lays out two examples with every kind of file.
func TestLayGolden(t *testing.T) {
	file := func(mode fs.FileMode, text string) goldenEntry { return goldenEntry{false, modeAndText{mode, text}} }
	link := func(to string) goldenEntry { return goldenEntry{true, modeAndText{text: to}} }
	assert.Equal(t, map[string]goldenEntry{
		"x/diagnostics.txt": file(0o644, "good\n"),
		"x/h1/etc/a.conf":   link("../../../shared/a.conf"),
		"x/h2/etc/a.conf":   link("../../../shared/2-a.conf"),
		"x/h2/etc/b.conf":   link("../../../shared/2-a.conf"),
		"x/h2/run":          file(0o755, "1\n"),
		"y/h1/lib/c.conf":   link("../../../shared/a.conf"),
		"shared/a.conf":     file(0o644, "1\n"),
		"shared/2-a.conf":   file(0o644, "2\n"),
	}, layGolden(map[string]map[string]modeAndText{
		"x": {
			"diagnostics.txt": {0o664, "good\n"}, "h1/etc/a.conf": {0o644, "1\n"}, "h2/etc/a.conf": {0o644, "2\n"}, "h2/etc/b.conf": {0o644, "2\n"},
			"h2/run": {0o755, "1\n"},
		},
		"y": {"h1/lib/c.conf": {0o664, "1\n"}},
	}))
}

// TestLayGoldenLaws lays out random trees: following the links restores each tree, no two files are equal, and each shared file has
// users.
func TestLayGoldenLaws(t *testing.T) {
	mode := rapid.SampledFrom([]fs.FileMode{0o644, 0o755})
	text := rapid.SampledFrom([]string{"", "a\n", "b\n"})
	name := rapid.SampledFrom([]string{"diagnostics.txt", "h1/etc/a.conf", "h1/lib/a.conf", "h2/a.conf"})
	file := rapid.Custom(func(t *rapid.T) modeAndText { return modeAndText{mode.Draw(t, "mode"), text.Draw(t, "text")} })
	trees := rapid.MapOf(rapid.SampledFrom([]string{"x", "y@1", "z"}), rapid.MapOf(name, file))
	rapid.Check(t, func(t *rapid.T) {
		examples := trees.Draw(t, "examples")
		laid := layGolden(examples)
		users, contents, total := map[string]int{}, map[modeAndText]bool{}, 0
		for example, files := range examples {
			for name, f := range files {
				total++
				e := laid[path.Join(example, name)]
				if e.link {
					to := path.Join(example, path.Dir(name), e.text)
					users[to]++
					e = laid[to]
				}
				require.Equal(t, goldenEntry{false, f}, e)
			}
		}
		for name, e := range laid {
			if e.link {
				continue
			}
			require.False(t, contents[e.modeAndText], "%s is there twice", name)
			contents[e.modeAndText] = true
			if path.Dir(name) == goldenShared {
				require.GreaterOrEqual(t, users[name], 2, name)
			}
		}
		require.Len(t, laid, total+len(users), "no other file exists")
	})
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

// Each example has the verdict that its first comment states.
func TestExampleVerdicts(t *testing.T) {
	t.Chdir("../..")
	for _, tc := range []struct {
		example string
		args    []string
		code    int
		codes   []string // codes that must be found; no other error is permitted
	}{
		{"rack-v1-pfc", nil, exit.Good, nil},
		{"clos-v2-ecn", nil, exit.Good, nil},
		{"prepared-rack", nil, exit.Good, nil},
		{"pause-at-hosts", nil, exit.Good, nil},
		{"day-two", nil, exit.Good, nil},
		{"soft-roce", nil, exit.Good, nil},
		{"storage-and-training", []string{"--var", "tor_version=4.3.0"}, exit.Good, nil},
		{"storage-and-training", nil, exit.Errors, []string{"cumulus-trust"}},
		{"ring-pfc-loop", nil, exit.Errors, []string{"pfc-loop"}},
		{"bad-headroom", nil, exit.Errors, []string{"headroom-too-small"}},
		{"bad-mixed-versions", nil, exit.Errors, []string{"roce-version-mix"}},
		{"bad-routed-v1", nil, exit.Errors, []string{"roce-v1-routed"}},
		{"bad-unmapped-dscp", nil, exit.Errors, []string{"cnp-in-lossless-group", "dscp-claimed-twice"}},
	} {
		t.Run(tc.example, func(t *testing.T) {
			a := newApp(&person.Person{Getenv: func(string) string { return "" }})
			for i, arg := range tc.args {
				if i%2 == 1 {
					a.Vars = append(a.Vars, arg)
				}
			}
			f, err := a.Load(filepath.Join("examples", tc.example))
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
