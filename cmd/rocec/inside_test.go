package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
)

// rocec reads no file outside of the repository, and shows no line of such a file, however a fabric names it.
func TestReadingStaysInside(t *testing.T) {
	const secret = "made-up-secret"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"elsewhere/consul.hcl":       "encrypt = \"" + secret + "\"\n",
		"elsewhere/cables.csv":       secret + ",swp1,b,swp2\n",
		"elsewhere/text":             secret,
		"elsewhere/nextto":           secret,
		"repo/.git/HEAD":             secret,
		"repo/.env":                  secret,
		"repo/.ssh/id":               secret,
		"repo/pods/one/.env":         secret,
		"repo/pods/one/.ssh/id":      secret,
		"repo/pods/one/a/.ssh/id":    secret,
		"repo/pods/one/\u200c.ssh/k": secret,
		"repo/pods/one/.csv":         secret + ",swp1,b,swp2\n",
		"repo/pods/next/text":        secret,
		"repo/shared/a.hcl":          "locals {\n  a = 1\n}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for link, to := range map[string]string{
		"repo/out":          "../elsewhere",
		"repo/pods/one/out": "../../../elsewhere",
		"repo/pods/one/l":   "../../../elsewhere/text",
		"repo/pods/one/e":   ".env",
		"repo/pods/one/.d":  "../../shared",
		"repo/pods/one/in":  "../../shared",
		"repo/alias":        "shared",
		"linked":            "repo/pods/one",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	module := func(source string) string { return "module \"m\" {\n  source = \"" + source + "\"\n}\n" }
	file := func(name string) string { return "locals {\n  x = file(\"" + name + "\")\n}\n" }
	cables := func(name string) string {
		return "topology \"t\" {\n  format = \"csv\"\n  file   = \"" + name + "\"\n}\n"
	}
	table := func(name string) string { return "table:" + name }
	for _, tt := range []struct {
		text string
		good bool
	}{
		{module("../../shared"), true},
		{module("../../alias"), true},
		{module("../../../elsewhere"), false},
		{module("../../out"), false},
		{module("./out"), false},
		{module("../../../repo/out"), false},
		{module("../../../repo/shared"), true},
		{module("../../../.."), false},
		{module("../../../../../../../../../../../../../etc"), false},
		{module("../../../nowhere"), false},
		{file("../next/text"), false},
		{file("l"), false},
		{file("e"), false},
		{file("out/text"), false},
		{file(".env"), false},
		{file("a/.ssh/id"), false},
		{file("a/../.ssh/id"), false},
		{file("./.ssh/id"), false},
		{file(".SSH/id"), false},
		{file("\u200c.ssh/k"), false},
		{file("/etc/passwd"), false},
		{cables("../../../elsewhere/cables.csv"), false},
		{cables("out/cables.csv"), false},
		{cables(".csv"), false},
		{table("../../../elsewhere/text"), false},
		{table("l"), false},
		{table(".env"), false},
	} {
		fabric := "fabric \"f\" {}\n" + tt.text
		if name, ok := strings.CutPrefix(tt.text, "table:"); ok {
			fabric = "fabric \"f\" {\n  routing = \"table\"\n  table = \"" + name + "\"\n}\n"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "repo/pods/one/fabric.hcl"), []byte(fabric), 0o666))
		for _, c := range [][2]string{{".", "repo/pods/one"}, {"repo/pods/one", "."}, {"repo", "pods/one"}, {"elsewhere", "../repo/pods/one"}} {
			t.Chdir(filepath.Join(dir, c[0]))
			out, code := offline(t, "validate", c[1])
			assert.NotContains(t, out, secret, tt.text)
			assert.Equal(t, tt.good, code == exit.Good, "%s %v\n%s", tt.text, c, out)
		}
	}

	// A module may be outside only in a folder that the person permits.
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("repo/pods/one/fabric.hcl", []byte("fabric \"f\" {}\n"+module("../../../further/pod")), 0o666))
	require.NoError(t, os.MkdirAll("further/pod", 0o777))
	require.NoError(t, os.WriteFile("further/pod/a.hcl", []byte("locals {\n  a = 1\n}\n"), 0o666))
	for _, tt := range []struct {
		allow string
		code  int
	}{{"further", exit.Good}, {"further/pod", exit.Good}, {"elsewhere", exit.Errors}, {"nowhere", exit.Usage}} {
		_, code := offline(t, "validate", "--allow-outside", tt.allow, "repo/pods/one")
		assert.Equal(t, tt.code, code, tt.allow)
	}

	// A folder that is given as a link counts as the target folder: the target's repository applies.
	require.NoError(t, os.WriteFile("repo/pods/one/fabric.hcl", []byte("fabric \"f\" {}\n"+module("../elsewhere")), 0o666))
	out, code := offline(t, "validate", "linked")
	assert.Equal(t, exit.Errors, code)
	assert.NotContains(t, out, secret)
}

// A .git that another user could have put above the fabric is ignored: only the fabric's own folder counts as inside. The message states
// the reason and the flag that helps.
func TestRepositoryOfOthers(t *testing.T) {
	const other = 54321
	root := os.Geteuid() == 0
	for name, tt := range map[string]struct {
		mode  os.FileMode
		owner int
		file  bool
		good  bool
		why   string
	}{
		"own":                     {0o755, os.Geteuid(), false, true, ""},
		"the group may write":     {0o775, os.Geteuid(), false, true, ""},
		"every user may write":    {0o777, os.Geteuid(), false, false, "its mode 0777 lets every user write it"},
		"a file for every user":   {0o666, os.Geteuid(), true, false, "its mode 0666 lets every user write it"},
		"of another user":         {0o755, other, false, false, "the user 54321 owns it"},
		"a file of another user":  {0o644, other, true, false, "the user 54321 owns it"},
		"a file of a submodule":   {0o644, os.Geteuid(), true, true, ""},
		"shared, of another user": {0o1777, other, false, false, "the user 54321 owns it"},
	} {
		if tt.owner == other && !root { // only root can change the owner of a file
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"a/pod/fabric.hcl": "fabric \"f\" {}\nmodule \"m\" {\n  source = \"./own\"\n}\n" +
					"module \"n\" {\n  source = \"../shared\"\n}\n",
				"a/pod/own/a.hcl": "locals {\n  a = 1\n}\n",
				"a/shared/a.hcl":  "locals {\n  a = 1\n}\n",
			} {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
			}
			git := filepath.Join(dir, ".git")
			if tt.file {
				require.NoError(t, os.WriteFile(git, nil, 0o600))
			} else {
				require.NoError(t, os.Mkdir(git, 0o700))
			}
			require.NoError(t, os.Chown(git, tt.owner, -1))
			require.NoError(t, os.Chmod(git, tt.mode))
			t.Chdir(filepath.Join(dir, "a", "pod"))
			out, code := offline(t, "validate", ".")
			flat := strings.Join(strings.Fields(out), " ")
			assert.Equal(t, tt.good, code == exit.Good, out)
			assert.NotContains(t, flat, `"./own" of the module is outside`)
			if !tt.good {
				assert.Contains(t, flat, "is ignored: "+tt.why)
				assert.Contains(t, flat, "--allow-outside")
				_, code = offline(t, "validate", "--allow-outside", "../shared", ".")
				assert.Equal(t, exit.Good, code)
			}
		})
	}
}

// offline runs a verb and returns all that it prints.
func offline(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	var text bytes.Buffer
	p := &person.Person{Stdin: strings.NewReader(""), Stdout: &text, Stderr: &text, Getenv: func(string) string { return "" }}
	code = run(t.Context(), p, args)
	return text.String(), code
}
