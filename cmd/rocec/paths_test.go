package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang"
)

// repository makes a folder with a fabric in pods/one and returns both.
func repository(t *testing.T, git func(root string)) (root, dir string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir = filepath.Join(root, "pods", "one")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte("fabric \"x\" {\n  mtu = \"many\"\n  failures = \"many\"\n}\n"),
		0o644))
	if git != nil {
		git(root)
	}
	return root, dir
}

func gitFolder(t *testing.T) func(string) {
	return func(root string) { require.NoError(t, os.Mkdir(filepath.Join(root, ".git"), 0o755)) }
}

func gitFile(t *testing.T) func(string) {
	return func(root string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, ".git"), []byte("gitdir: elsewhere\n"), 0o644))
	}
}

// reports returns the paths in each CI format, and the fingerprints in the GitLab format.
func reports(t *testing.T, args ...string) (files, prints []string) {
	t.Helper()
	of := map[string]string{}
	for _, r := range judgeSARIF(t, formatted(t, "sarif", args...)).Results {
		of[r.PartialFingerprints[report.FingerprintVersion]] = r.Locations[0].PhysicalLocation.ArtifactLocation.URI
	}
	var issues []report.GitLabIssue
	require.NoError(t, json.Unmarshal([]byte(formatted(t, "gitlab", args...)), &issues))
	for _, issue := range issues {
		require.Equal(t, of[issue.Fingerprint], issue.Location.Path)
		files, prints = append(files, issue.Location.Path), append(prints, issue.Fingerprint)
	}
	require.Len(t, of, len(prints))
	hub, junit := formatted(t, "github", args...), formatted(t, "junit", args...)
	for _, f := range files {
		require.Regexp(t, "(file=|\\]: )"+regexp.QuoteMeta(f)+"[,:]", hub)
		require.Contains(t, junit, " "+f)
	}
	return files, prints
}

// Paths of files begin at the root of the repository, and fingerprints are equal, wherever rocec is started.
func TestPathsFromTheRoot(t *testing.T) {
	for name, git := range map[string]func(string){"folder": gitFolder(t), "worktree": gitFile(t)} {
		t.Run(name, func(t *testing.T) {
			root, dir := repository(t, git)
			want := []string{"pods/one/fabric.hcl", "pods/one/fabric.hcl"}
			t.Chdir(root)
			files, prints := reports(t, "pods/one")
			require.Equal(t, want, files)
			require.NotEqual(t, prints[0], prints[1])
			again := func(from string, args ...string) {
				t.Helper()
				t.Chdir(from)
				f, p := reports(t, args...)
				assert.Equal(t, want, f)
				assert.Equal(t, prints, p)
			}
			again(dir)
			again(filepath.Dir(dir), "one")
			again(filepath.Dir(dir), "../pods/one")
			again("/", dir)
			link := filepath.Join(t.TempDir(), "link")
			require.NoError(t, os.Symlink(dir, link))
			again("/", link)
			again(link)
		})
	}
}

// Without a repository the paths begin at the working directory; the fingerprints stay the same.
func TestPathsWithoutRepository(t *testing.T) {
	root, dir := repository(t, nil)
	t.Chdir(root)
	files, prints := reports(t, "pods/one")
	assert.Equal(t, "pods/one/fabric.hcl", files[0])
	t.Chdir(dir)
	files, again := reports(t)
	assert.Equal(t, "fabric.hcl", files[0])
	assert.Equal(t, prints, again)
	t.Chdir(t.TempDir())
	run := judgeSARIF(t, formatted(t, "sarif", dir))
	place := run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation
	assert.Equal(t, "file://"+dir+"/fabric.hcl", place.URI)
	assert.Empty(t, place.URIBaseID)
	assert.Equal(t, prints[0], run.Results[0].PartialFingerprints[report.FingerprintVersion])
}

// Values from the command line and the environment have no file.
func TestGivenIsNoFile(t *testing.T) {
	for name, want := range map[string]bool{
		"--var 1": true, "ROCEC_VAR_mtu": true, "fabric.hcl": false, "ROCEC_VAR_x.hcl": false,
		"ROCEC_VAR_x/f.hcl": false, "": false,
	} {
		assert.Equal(t, want, lang.Given(name), name)
	}
	t.Chdir("../..")
	out := formatted(t, "github", "--var", "tor_version=1.x", "examples/storage-and-training")
	assert.NotContains(t, out, "file=--var")
	run := judgeSARIF(t, formatted(t, "sarif", "--var", "tor_versoin=1.x", "examples/storage-and-training"))
	assert.Equal(t, "examples/storage-and-training/fabric.hcl", run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI)
}

// rocec finds a module beside the fabric from any working directory, also from inside the fabric.
func TestModuleBesideTheFabric(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"fab/a.hcl":        "fabric \"f\" {\n}\nmodule \"m\" {\n  source = \"../shared\"\n}\n",
		"fab/in/there.txt": "",
		".git/HEAD":        "",
		"shared/a.hcl":     "locals {\n  a = 1\n}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, c := range [][2]string{{".", "fab"}, {"fab", "."}, {"fab/in", ".."}, {"shared", "../fab"}} {
		t.Chdir(filepath.Join(dir, c[0]))
		a := newApp(&person.Person{Getenv: func(string) string { return "" }})
		f, err := a.Load(c[1])
		require.NoError(t, err)
		assert.Empty(t, f.Diags, c)
	}
}

// A link inside of a module is not followed to another folder, wherever the module is.
func TestModuleBehindALink(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"fab/a.hcl":     "fabric \"f\" {\n}\nmodule \"m\" {\n  source = \"../pod\"\n}\n",
		"pod/a.hcl":     "module \"n\" {\n  source = \"./sub\"\n}\nmodule \"o\" {\n  source = \"./own\"\n}\n",
		"pod/own/a.hcl": "locals {\n  a = 1\n}\n",
		"other/a.hcl":   "locals {\n  a = 1\n}\n",
		".git/HEAD":     "",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	require.NoError(t, os.Symlink("../other", filepath.Join(dir, "pod/sub")))
	t.Chdir(dir)
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load("fab")
	require.NoError(t, err)
	require.Len(t, f.Diags, 1)
	assert.Equal(t, "unreadable", f.Diags[0].Code)
	assert.Equal(t, "pod/a.hcl", f.Diags[0].At.Filename)
}
