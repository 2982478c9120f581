package mirror

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// git runs git in a folder.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=test", "-c", "user.email=test@example.net"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// commit writes a file, and returns the commit.
func commit(t *testing.T, dir, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "racks"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "racks", "fabric.hcl"), []byte(text), 0o600))
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "change")
	return git(t, dir, "rev-parse", "HEAD")
}

// TestMirror: a clone and a bare mirror follow their origin, and keep what they have while it is away. A repository without an origin has
// its own newest commit.
func TestMirror(t *testing.T) {
	dir := t.TempDir()
	origin := filepath.Join(dir, "origin")
	require.NoError(t, os.Mkdir(origin, 0o700))
	git(t, origin, "init", "--quiet")
	first := commit(t, origin, "one\n")
	mirrors := []string{filepath.Join(dir, "clone"), filepath.Join(dir, "bare")}
	git(t, dir, "clone", "--quiet", origin, mirrors[0])
	git(t, dir, "clone", "--quiet", "--mirror", origin, mirrors[1])
	second := commit(t, origin, "two\n")
	for _, of := range mirrors {
		newest, err := Newest(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, first, newest)
		require.False(t, Has(t.Context(), of, second))
		require.NoError(t, Fetch(t.Context(), of))
		require.True(t, Has(t.Context(), of, second))
		newest, err = Newest(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, second, newest)
	}
	require.NoError(t, Fetch(t.Context(), origin))
	newest, err := Newest(t.Context(), origin)
	require.NoError(t, err)
	require.Equal(t, second, newest)

	require.NoError(t, os.Rename(origin, origin+"-away"))
	for _, of := range mirrors {
		require.Error(t, Fetch(t.Context(), of))
		newest, err := Newest(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, second, newest)
		var got []string
		require.NoError(t, Copy(t.Context(), of, first, func(name string) error {
			got = append(got, name)
			return nil
		}, func(name string, data []byte) error {
			got = append(got, name+" "+string(data))
			return nil
		}))
		require.Equal(t, []string{"racks", "racks/fabric.hcl one\n"}, got)
		require.Error(t, Copy(t.Context(), of, strings.Repeat("a", 40), nil, nil))
	}
	_, err = Newest(t.Context(), dir)
	require.Error(t, err)
}

// TestLeftOut: a copy has the files that links name. It has no submodule, and no link that leads outside or into a submodule.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "--quiet")
	first := commit(t, dir, "one\n")
	for name, to := range map[string]string{"in": "racks/fabric.hcl", "out": "/etc/passwd", "lost": "sub/x"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+first+",sub")
	git(t, dir, "add", "in", "out", "lost")
	git(t, dir, "commit", "--quiet", "-m", "submodule")
	var got []string
	require.NoError(t, Copy(t.Context(), dir, git(t, dir, "rev-parse", "HEAD"), func(name string) error {
		got = append(got, name)
		return nil
	}, func(name string, data []byte) error {
		got = append(got, name+" "+string(data))
		return nil
	}))
	require.Equal(t, []string{"in one\n", "racks", "racks/fabric.hcl one\n"}, got)
}
