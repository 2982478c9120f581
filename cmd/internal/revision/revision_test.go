package revision_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/revision"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// repository makes a repository with some files, and returns a function that runs git in it.
func repository(t *testing.T, files map[string]string) (dir string, git func(args ...string) string) {
	t.Helper()
	program := machinetest.Need(t, "git")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git = func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	return dir, git
}

// open opens a revision until the test ends.
func open(t *testing.T, dir, name string) *revision.Revision {
	t.Helper()
	commit, err := revision.Resolve(t.Context(), dir, name)
	require.NoError(t, err)
	r, err := revision.Open(t.Context(), dir, name, commit)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

// The files of a commit are a file system, whatever the working tree has.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir, git := repository(t, map[string]string{"a/fabric.hcl": "one\n", "modules/rack/x.hcl": "two\n", "empty": ""})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a/fabric.hcl"), []byte("other\n"), 0o644))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "modules")))
	r := open(t, dir, "HEAD")
	require.NoError(t, fstest.TestFS(r.FS(), "a/fabric.hcl", "modules/rack/x.hcl", "empty"))
	text, err := fs.ReadFile(r.FS(), "a/fabric.hcl")
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(text))
	_, err = fs.ReadFile(r.FS(), "a/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = fs.ReadFile(r.FS(), "a/fabric.hcl/x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, name := range []string{"../x", "/a", "a//b", "a\nb"} {
		_, err := fs.ReadFile(r.FS(), name)
		require.Error(t, err, name)
	}
	top, err := revision.Top(t.Context(), filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Equal(t, dir, top)
	git("commit", "-q", "-a", "-m", "second")
	text, err = fs.ReadFile(open(t, dir, "HEAD").FS(), "a/fabric.hcl")
	require.NoError(t, err)
	assert.Equal(t, "other\n", string(text))
	text, err = fs.ReadFile(open(t, dir, "HEAD~1").FS(), "a/fabric.hcl")
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(text))
}

// Links are followed only inside of the commit.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir, git := repository(t, map[string]string{"real/x.hcl": "one\n"})
	for name, to := range map[string]string{
		"folder": "real", "real/up.hcl": "../folder/x.hcl", "out": "../../etc/passwd", "root": "/etc/passwd", "round": "round",
		"inside": "real/../real/x.hcl",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	git("add", "-A")
	git("commit", "-q", "-m", "links")
	r := open(t, dir, "main")
	for _, name := range []string{"folder/x.hcl", "real/up.hcl", "inside"} {
		text, err := fs.ReadFile(r.FS(), name)
		require.NoError(t, err, name)
		assert.Equal(t, "one\n", string(text), name)
	}
	for _, name := range []string{"out", "root", "round"} {
		_, err := fs.ReadFile(r.FS(), name)
		require.ErrorContains(t, err, "leads out of the repository", name)
		info, err := fs.Lstat(r.FS(), name)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&fs.ModeSymlink)
	}
	to, err := fs.ReadLink(r.FS(), "folder")
	require.NoError(t, err)
	assert.Equal(t, "real", to)
}

// git reads a revision's name only as a revision, never as an option or a path.
func TestNames(t *testing.T) {
	t.Parallel()
	dir, git := repository(t, map[string]string{"a": "one\n"})
	git("tag", "v1")
	head := git("rev-parse", "HEAD")
	for _, name := range []string{"HEAD", "main", "v1", "refs/heads/main", head[:10], "main@{0}", "HEAD^{commit}"} {
		got, err := revision.Resolve(t.Context(), dir, name)
		require.NoError(t, err, name)
		assert.Equal(t, head, got, name)
	}
	for _, name := range []string{
		"", "none", "--all", "--output=x", "-h", "HEAD:a", "main..main", "main...main", "a\nb", "\x00", "^main", "main main",
		strings.Repeat("x", 10_000), "$(id)", "`id`", ":/first", "HEAD^{tree}",
	} {
		_, err := revision.Resolve(t.Context(), dir, name)
		unknown := (*revision.UnknownError)(nil)
		require.ErrorAs(t, err, &unknown, "%q", name)
	}
	for _, commit := range []string{"HEAD", "", "--batch-all-objects", strings.Repeat("0", 40)} {
		_, err := revision.Open(t.Context(), dir, "x", commit)
		require.Error(t, err, commit)
	}
	_, err := revision.Top(t.Context(), t.TempDir())
	require.ErrorIs(t, err, revision.ErrNoRepository)
	git("checkout", "-q", "-b", "other")
	git("commit", "-q", "--allow-empty", "-m", "second")
	other := git("rev-parse", "other")
	base, err := revision.MergeBase(t.Context(), dir, other, head)
	require.NoError(t, err)
	assert.Equal(t, head, base)
	_, err = revision.MergeBase(t.Context(), dir, "--octopus", head)
	require.Error(t, err)
}

// No program that a repository configures runs, and a cancelled run ends.
func TestRunsNothing(t *testing.T) {
	t.Parallel()
	dir, git := repository(t, map[string]string{"a": "one\n", ".gitattributes": "a filter=evil diff=evil\n"})
	mark := filepath.Join(dir, "ran")
	for _, key := range []string{"core.fsmonitor", "filter.evil.smudge", "diff.evil.textconv", "core.sshCommand", "core.pager"} {
		git("config", key, "touch "+mark)
	}
	text, err := fs.ReadFile(open(t, dir, "HEAD").FS(), "a")
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(text))
	assert.NoFileExists(t, mark)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = revision.Resolve(ctx, dir, "HEAD")
	require.Error(t, err)
}

// No program in the configuration of a stranger's repository runs: no monitor, hook, filter, alias or helper, and no transport that
// fetches a missing object. This also applies to a git that does not know GIT_NO_LAZY_FETCH.
func TestHostileConfiguration(t *testing.T) {
	dir, git := repository(t, map[string]string{
		"a/fabric.hcl": "one\n", "a/gone.hcl": "two\n", ".gitattributes": "*.hcl diff=x filter=x\n",
	})
	program := machinetest.Need(t, "git")
	ran, evil := filepath.Join(t.TempDir(), "ran"), filepath.Join(t.TempDir(), "evil")
	require.NoError(t, os.WriteFile(evil, []byte("#!/bin/sh\necho ran >>"+ran+"\n"), 0o755))
	hash := git("rev-parse", "HEAD:a/gone.hcl")
	for _, key := range []string{
		"core.fsmonitor", "core.sshCommand", "core.pager", "pager.cat-file", "core.alternateRefsCommand", "core.askpass", "core.gitProxy",
		"diff.external", "diff.x.textconv", "filter.x.smudge", "filter.x.clean", "uploadpack.packObjectsHook",
	} {
		git("config", key, evil)
	}
	for key, value := range map[string]string{
		"alias.rev-parse": "!" + evil, "alias.cat-file": "!" + evil, "credential.helper": "!" + evil, "core.repositoryFormatVersion": "1",
		"extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.url": "ext::" + evil,
		"protocol.ext.allow": "always", "protocol.allow": "always",
	} {
		git("config", key, value)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, ".git/objects", hash[:2], hash[2:])))
	old := filepath.Join(t.TempDir(), "git")
	require.NoError(t, os.WriteFile(old, []byte("#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec "+program+" \"$@\"\n"), 0o755))
	for _, path := range []string{filepath.Dir(program), filepath.Dir(old)} {
		t.Setenv("PATH", path+":"+os.Getenv("PATH"))
		_, err := revision.Top(t.Context(), dir)
		require.NoError(t, err)
		r := open(t, dir, "HEAD")
		text, err := fs.ReadFile(r.FS(), "a/fabric.hcl")
		require.NoError(t, err)
		require.Equal(t, "one\n", string(text))
		_, err = fs.ReadFile(r.FS(), "a/gone.hcl")
		require.Error(t, err)
		require.NoFileExists(t, ran)
	}
}

// tree writes a folder object of entries, each with a mode, a name and a hash, as only an attacker does.
func tree(t *testing.T, git func(args ...string) string, entries ...[3]string) string {
	t.Helper()
	var data []byte
	for _, e := range entries {
		raw, err := hex.DecodeString(e[2])
		require.NoError(t, err)
		data = append(append(append(data, e[0]+" "+e[1]...), 0), raw...)
	}
	file := filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.WriteFile(file, data, 0o644))
	return git("hash-object", "-t", "tree", "-w", "--literally", file)
}

// A commit with names that git itself does not make is refused, in each of its folders. A submodule and long names stay.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	dir, git := repository(t, map[string]string{"fabric.hcl": "one\n"})
	blob := git("rev-parse", "HEAD:fabric.hcl")
	sub := tree(t, git, [3]string{"100644", "x", blob})
	long := strings.Repeat("a", 255)
	for want, entries := range map[string][][3]string{
		"":                                  {{"100644", long, blob}, {"100644", ".gitignore", blob}, {"160000", "sub", blob}},
		`an entry with the name ""`:         {{"100644", "", blob}},
		`an entry with the name "."`:        {{"40000", ".", sub}},
		`an entry with the name ".."`:       {{"40000", "..", sub}},
		`an entry with the name "../evil"`:  {{"100644", "../evil", blob}},
		`an entry with the name ".git"`:     {{"100644", ".git", blob}},
		`an entry with the name ".GIT"`:     {{"40000", ".GIT", sub}},
		`an entry with a name of 256 bytes`: {{"100644", long + "a", blob}},
		`two entries with the name "x"`:     {{"40000", "x", sub}, {"100644", "y", blob}, {"100644", "x", blob}},
	} {
		bad := tree(t, git, entries...)
		for _, folder := range []string{".", "zz"} {
			root := bad
			if folder != "." {
				root = tree(t, git, [3]string{"40000", folder, bad})
			}
			r := open(t, dir, git("commit-tree", root, "-m", "x"))
			err := r.Walk(t.Context(), func(string, fs.DirEntry) error { return nil })
			if want == "" {
				require.NoError(t, err)
				continue
			}
			named := "its root folder has "
			if folder != "." {
				named = fmt.Sprintf("its folder %q has ", folder)
			}
			require.Error(t, err)
			text := err.Error()
			require.True(t, strings.HasPrefix(text, "the commit "+r.Commit+" is refused: "+named+want), text)
			_, err = fs.ReadFile(r.FS(), filepath.Join(folder, "fabric.hcl"))
			require.EqualError(t, err, text)
		}
	}
}

// Few objects of git can be files without end. A walk ends at its bounds, and when its context does.
func TestBomb(t *testing.T) {
	t.Parallel()
	dir, git := repository(t, map[string]string{"fabric.hcl": "one\n"})
	folders := func(depth, width int) string {
		hash := tree(t, git)
		for range depth {
			var entries [][3]string
			for i := range width {
				entries = append(entries, [3]string{"40000", fmt.Sprint("d", i), hash})
			}
			hash = tree(t, git, entries...)
		}
		return git("commit-tree", hash, "-m", "x")
	}
	walk := func(commit string, do func(string, fs.DirEntry) error) (n int, err error) {
		err = open(t, dir, commit).Walk(t.Context(), func(name string, d fs.DirEntry) error {
			n++
			return do(name, d)
		})
		return n, err
	}
	nothing := func(string, fs.DirEntry) error { return nil }
	n, err := walk(folders(6, 10), nothing)
	require.ErrorContains(t, err, "its root folder has more than 100000 files and folders")
	require.Equal(t, 100_000, n)
	n, err = walk(folders(64, 1), nothing)
	require.NoError(t, err)
	require.Equal(t, 64, n)
	n, err = walk(folders(65, 1), nothing)
	require.ErrorContains(t, err, "its root folder has folders more than 64 deep")
	require.Equal(t, 65, n)

	many, blob := make([][3]string, 100_001), git("rev-parse", "HEAD:fabric.hcl")
	for i := range many {
		many[i] = [3]string{"100644", fmt.Sprint("f", i), blob}
	}
	_, err = fs.ReadFile(open(t, dir, git("commit-tree", tree(t, git, many...), "-m", "x")).FS(), "f1")
	require.ErrorContains(t, err, "its root folder has more than 100000 files and folders")

	ctx, cancel := context.WithCancel(t.Context())
	n = 0
	err = open(t, dir, folders(3, 10)).Walk(ctx, func(string, fs.DirEntry) error {
		n++
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, n)
}
